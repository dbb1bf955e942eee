// SPDX-License-Identifier: GPL-3.0-or-later
//
// zle: a control byte c, then for c < 64 a literal run of c + 1 bytes, else nothing: it stands for
// c - 63 zero bytes.
#include "codec/detail/zle.h"

#include <algorithm>

namespace millpond::codec::detail {

namespace {

constexpr std::size_t kMaxLiterals = 64;
constexpr std::size_t kMaxZeros = 256 - kMaxLiterals;

std::size_t zerosAt(Bytes in, std::size_t limit)
{
    const auto end = in.begin() + static_cast<std::ptrdiff_t>(std::min(in.size(), limit));
    return static_cast<std::size_t>(
        std::find_if(in.begin(), end, [](std::byte b) { return b != std::byte{0}; }) - in.begin());
}

/// Up to two zeros in a row: a single one costs less as a literal than as a run of its own.
std::size_t literalsAt(Bytes in)
{
    const std::size_t limit = std::min(in.size(), kMaxLiterals);
    std::size_t count = 1;
    while (count < limit &&
           zerosAt(in.subspan(count), 2) < std::min<std::size_t>(2, in.size() - count)) {
        ++count;
    }
    return count;
}

} // namespace

Status zleDecompress(Bytes in, MutableBytes out)
{
    while (!out.empty()) {
        if (in.empty()) {
            return fail(ErrorCode::BadCompression, "zle: input ends early");
        }
        const auto control = std::to_integer<std::size_t>(in[0]);
        in = in.subspan(1);
        const bool literals = control < kMaxLiterals;
        const std::size_t length = literals ? control + 1 : control + 1 - kMaxLiterals;
        if (length > out.size() || (literals && length > in.size())) {
            return fail(ErrorCode::BadCompression, "zle: run beyond the block");
        }
        if (literals) {
            std::copy_n(in.begin(), length, out.begin());
            in = in.subspan(length);
        } else {
            std::fill_n(out.begin(), length, std::byte{0});
        }
        out = out.subspan(length);
    }
    return {};
}

std::optional<std::size_t> zleCompress(Bytes in, MutableBytes out)
{
    std::size_t to = 0;
    while (!in.empty()) {
        const std::size_t zeros = zerosAt(in, kMaxZeros);
        const std::size_t length = zeros != 0 ? zeros : literalsAt(in);
        const std::size_t needed = zeros != 0 ? 1 : 1 + length;
        if (out.size() - to < needed) {
            return std::nullopt;
        }
        out[to] = static_cast<std::byte>(zeros != 0 ? zeros - 1 + kMaxLiterals : length - 1);
        if (zeros == 0) {
            std::copy_n(in.begin(), length, out.begin() + static_cast<std::ptrdiff_t>(to) + 1);
        }
        to += needed;
        in = in.subspan(length);
    }
    return to;
}

} // namespace millpond::codec::detail
