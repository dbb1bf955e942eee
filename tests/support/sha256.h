// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
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

    void add(const void* data, std::size_t size) { EVP_DigestUpdate(m_context.get(), data, size); }

    [[nodiscard]] QString hex()
    {
        unsigned char digest[EVP_MAX_MD_SIZE];
        unsigned size = 0;
        EVP_DigestFinal_ex(m_context.get(), digest, &size);
        return QString::fromLatin1(
            QByteArray(reinterpret_cast<const char*>(digest), static_cast<qsizetype>(size))
                .toHex());
    }

private:
    std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> m_context;
};

} // namespace millpond::test
