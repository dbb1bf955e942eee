// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"

#include <QString>

#include <memory>
#include <openssl/evp.h>

namespace millpond::test {

/// OpenSSL's: five times as fast as QCryptographicHash, and the pools hold a gigabyte.
class Sha256
{
public:
    Sha256()
        : m_context(EVP_MD_CTX_new(), EVP_MD_CTX_free)
    {
        EVP_DigestInit_ex(m_context.get(), EVP_sha256(), nullptr);
    }

    void add(Bytes bytes) { EVP_DigestUpdate(m_context.get(), bytes.data(), bytes.size()); }

    [[nodiscard]] QString hex()
    {
        QByteArray digest(32, '\0');
        EVP_DigestFinal_ex(
            m_context.get(), reinterpret_cast<unsigned char*>(digest.data()), nullptr);
        return QString::fromLatin1(digest.toHex());
    }

private:
    std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> m_context;
};

} // namespace millpond::test
