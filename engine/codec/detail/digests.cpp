// SPDX-License-Identifier: GPL-3.0-or-later
#include "codec/detail/digests.h"

#include "base/check.h"

#include <openssl/evp.h>

namespace millpond::codec {

namespace {

std::array<std::uint64_t, 4> wordsOf(Bytes digest, ByteOrder order)
{
    std::array<std::uint64_t, 4> words;
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = load<std::uint64_t>(digest, 8 * i, order);
    }
    return words;
}

} // namespace

void ChecksumContext::Digests::FreeDigest::operator()(EVP_MD* digest) const
{
    EVP_MD_free(digest);
}

void ChecksumContext::Digests::FreeContext::operator()(EVP_MD_CTX* context) const
{
    EVP_MD_CTX_free(context);
}

ChecksumContext::Digests::Digests()
    : m_sha256(EVP_MD_fetch(nullptr, "SHA256", nullptr))
    , m_sha512(EVP_MD_fetch(nullptr, "SHA512-256", nullptr))
    , m_context(EVP_MD_CTX_new())
{
    MP_CHECK(m_sha256 && m_sha512 && m_context);
}

std::array<std::byte, 32> ChecksumContext::Digests::run(const EVP_MD* digest,
                                                        std::span<const Bytes> parts)
{
    std::array<std::byte, 32> result;
    bool ok = EVP_DigestInit_ex2(m_context.get(), digest, nullptr) == 1;
    for (const Bytes part : parts) {
        ok = ok && EVP_DigestUpdate(m_context.get(), part.data(), part.size()) == 1;
    }
    unsigned size = 0;
    ok = ok && EVP_DigestFinal_ex(
                   m_context.get(), reinterpret_cast<unsigned char*>(result.data()), &size) == 1;
    MP_CHECK(ok && size == result.size());
    return result;
}

std::array<std::byte, 32> ChecksumContext::Digests::sha256(std::span<const Bytes> parts)
{
    return run(m_sha256.get(), parts);
}

std::array<std::uint64_t, 4> ChecksumContext::Digests::sha256Words(std::span<const Bytes> parts)
{
    return wordsOf(run(m_sha256.get(), parts), ByteOrder::Big);
}

std::array<std::uint64_t, 4> ChecksumContext::Digests::sha512Words(Bytes data)
{
    return wordsOf(run(m_sha512.get(), std::array{data}), ByteOrder::Little);
}

} // namespace millpond::codec
