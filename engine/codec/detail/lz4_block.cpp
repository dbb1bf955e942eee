// SPDX-License-Identifier: GPL-3.0-or-later
#include "codec/detail/lz4_block.h"

#include "base/byte_order.h"

#include <lz4.h>

namespace millpond::codec::detail {

namespace {

constexpr std::size_t kHeader = 4; ///< length of the block behind it, big-endian
constexpr int kAcceleration = 1;   ///< liblz4's default

} // namespace

Status lz4Decompress(Bytes in, MutableBytes out)
{
    if (in.size() < kHeader) {
        return fail(ErrorCode::BadCompression, "lz4: no room for the length");
    }
    const std::size_t length = load<std::uint32_t>(in, 0, ByteOrder::Big);
    if (length > in.size() - kHeader) {
        return fail(ErrorCode::BadCompression, "lz4: length beyond the block");
    }
    const int decoded = LZ4_decompress_safe(reinterpret_cast<const char*>(in.data() + kHeader),
                                            reinterpret_cast<char*>(out.data()),
                                            static_cast<int>(length),
                                            static_cast<int>(out.size()));
    if (decoded < 0 || static_cast<std::size_t>(decoded) != out.size()) {
        return fail(ErrorCode::BadCompression, "lz4: damaged block or wrong length");
    }
    return {};
}

std::optional<std::size_t> Lz4Encoder::compress(Bytes in, MutableBytes out)
{
    if (out.size() <= kHeader) {
        return std::nullopt;
    }
    if (m_state.empty()) {
        m_state.resize(static_cast<std::size_t>(LZ4_sizeofState()) / sizeof(std::uint64_t) + 1);
    }
    const int length = LZ4_compress_fast_extState(m_state.data(),
                                                  reinterpret_cast<const char*>(in.data()),
                                                  reinterpret_cast<char*>(out.data() + kHeader),
                                                  static_cast<int>(in.size()),
                                                  static_cast<int>(out.size() - kHeader),
                                                  kAcceleration);
    if (length <= 0) {
        return std::nullopt;
    }
    store(out, 0, static_cast<std::uint32_t>(length), ByteOrder::Big);
    return kHeader + static_cast<std::size_t>(length);
}

} // namespace millpond::codec::detail
