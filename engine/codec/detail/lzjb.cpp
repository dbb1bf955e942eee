// SPDX-License-Identifier: GPL-3.0-or-later
//
// lzjb: groups of a map byte and eight items, least significant bit first. A clear bit is a literal
// byte. A set bit is a match of two bytes: six bits of length less three, ten bits of distance.
#include "codec/detail/lzjb.h"

#include <array>

namespace millpond::codec::detail {

namespace {

constexpr std::size_t kMinMatch = 3;
constexpr std::size_t kMaxMatch = 63 + kMinMatch;
constexpr std::size_t kMaxDistance = 1023;
constexpr std::size_t kItems = 8;

std::size_t octet(Bytes bytes, std::size_t offset)
{
    return std::to_integer<std::size_t>(bytes[offset]);
}

std::unexpected<Error> bad(std::string_view why)
{
    return fail(ErrorCode::BadCompression, "lzjb: " + std::string(why));
}

/// Source and destination overlap where the distance is short: that is how runs are written.
void copyMatch(MutableBytes out, std::size_t at, std::size_t distance, std::size_t length)
{
    std::byte* const to = out.data() + at;
    const std::byte* const from = to - distance;
    for (std::size_t i = 0; i < length; ++i) {
        to[i] = from[i];
    }
}

/// Where a string of three bytes was last seen.
class MatchFinder
{
public:
    explicit MatchFinder(Bytes in)
        : m_in(in)
    {
    }

    /// The distance back to a match of at least three bytes at `at`, or 0; remembers `at`.
    std::size_t distanceAt(std::size_t at)
    {
        std::uint32_t& last = m_last[hash(at)];
        const std::size_t seen = last;
        last = static_cast<std::uint32_t>(at + 1);
        if (seen == 0 || at + 1 - seen > kMaxDistance) {
            return 0;
        }
        const std::size_t from = seen - 1;
        return m_in[from] == m_in[at] && m_in[from + 1] == m_in[at + 1] &&
                       m_in[from + 2] == m_in[at + 2]
                   ? at - from
                   : 0;
    }

    [[nodiscard]] std::size_t lengthAt(std::size_t at, std::size_t distance) const
    {
        const std::size_t limit = std::min(kMaxMatch, m_in.size() - at);
        std::size_t length = kMinMatch;
        while (length < limit && m_in[at + length] == m_in[at + length - distance]) {
            ++length;
        }
        return length;
    }

private:
    [[nodiscard]] std::size_t hash(std::size_t at) const
    {
        const auto three = static_cast<std::uint32_t>(
            octet(m_in, at) << 16 | octet(m_in, at + 1) << 8 | octet(m_in, at + 2));
        return three * 0x9E3779B1U >> 22; // the top ten bits
    }

    Bytes m_in;
    std::array<std::uint32_t, 1024> m_last{}; ///< position plus one
};

} // namespace

Status lzjbDecompress(Bytes in, MutableBytes out)
{
    std::size_t from = 0;
    std::size_t at = 0;
    while (at < out.size()) {
        if (from == in.size()) {
            return bad("input ends early");
        }
        std::size_t map = octet(in, from);
        ++from;
        for (std::size_t item = 0; item < kItems && at < out.size(); ++item, map >>= 1) {
            const bool match = (map & 1) != 0;
            if (in.size() - from < (match ? 2U : 1U)) {
                return bad("input ends early");
            }
            if (!match) {
                out[at] = in[from];
                ++at;
                ++from;
                continue;
            }
            const std::size_t code = octet(in, from) << 8 | octet(in, from + 1);
            from += 2;
            const std::size_t distance = code & kMaxDistance;
            if (distance == 0 || distance > at) {
                return bad("match before the start");
            }
            const std::size_t length = std::min((code >> 10) + kMinMatch, out.size() - at);
            copyMatch(out, at, distance, length);
            at += length;
        }
    }
    return {};
}

std::optional<std::size_t> lzjbCompress(Bytes in, MutableBytes out)
{
    MatchFinder finder(in);
    std::size_t at = 0;
    std::size_t to = 0;
    while (at < in.size()) {
        if (out.size() - to < 1 + 2 * kItems) {
            return std::nullopt;
        }
        const std::size_t mapAt = to;
        ++to;
        std::size_t map = 0;
        for (std::size_t item = 0; item < kItems && at < in.size(); ++item) {
            const std::size_t distance =
                in.size() - at >= kMinMatch ? finder.distanceAt(at) : std::size_t{0};
            if (distance == 0) {
                out[to] = in[at];
                ++to;
                ++at;
                continue;
            }
            const std::size_t length = finder.lengthAt(at, distance);
            const std::size_t code = (length - kMinMatch) << 10 | distance;
            out[to] = static_cast<std::byte>(code >> 8);
            out[to + 1] = static_cast<std::byte>(code & 0xff);
            to += 2;
            at += length;
            map |= std::size_t{1} << item;
        }
        out[mapAt] = static_cast<std::byte>(map);
    }
    return to;
}

} // namespace millpond::codec::detail
