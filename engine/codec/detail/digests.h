// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "codec/checksum.h"

#include <memory>

using EVP_MD = struct evp_md_st;
using EVP_MD_CTX = struct evp_md_ctx_st;

namespace millpond::codec {

/// OpenSSL's SHA-2. Its failure can only mean a broken installation or no memory for small things,
/// and ends the program. Not for two threads at a time.
struct ChecksumContext::Digests
{
    Digests();

    /// Of the concatenated parts.
    [[nodiscard]] std::array<std::byte, 32> sha256(std::span<const Bytes> parts);
    /// The digest as big-endian words.
    [[nodiscard]] std::array<std::uint64_t, 4> sha256Words(std::span<const Bytes> parts);
    /// SHA-512/256, as little-endian words.
    [[nodiscard]] std::array<std::uint64_t, 4> sha512Words(Bytes data);

private:
    struct FreeDigest
    {
        void operator()(EVP_MD* digest) const;
    };

    struct FreeContext
    {
        void operator()(EVP_MD_CTX* context) const;
    };

    [[nodiscard]] std::array<std::byte, 32> run(const EVP_MD* digest, std::span<const Bytes> parts);

    std::unique_ptr<EVP_MD, FreeDigest> m_sha256;
    std::unique_ptr<EVP_MD, FreeDigest> m_sha512;
    std::unique_ptr<EVP_MD_CTX, FreeContext> m_context;
};

} // namespace millpond::codec
