// SPDX-License-Identifier: GPL-3.0-or-later
#include "space/detail/map_words.h"

#include "base/byte_order.h"

#include <algorithm>

namespace millpond::space::detail {

namespace {
constexpr std::size_t kWord = sizeof(std::uint64_t);
/// Runs of one word, and of two.
constexpr std::uint64_t kMaxShortRun = std::uint64_t{1} << 15;
constexpr std::uint64_t kMaxLongRun = std::uint64_t{1} << 36;
} // namespace

void MapWords::put(std::uint64_t word)
{
    m_bytes.resize(m_bytes.size() + kWord);
    store(m_bytes, m_bytes.size() - kWord, word, ByteOrder::Little);
}

void MapWords::add(const RangeSet& ranges, const format::SpaceMapDebug& debug)
{
    if (ranges.empty()) {
        return;
    }
    put(format::encodeSpaceMapDebug(debug));
    ranges.forEach([&](Range range) { addRange(range, debug.action); });
}

void MapWords::addRange(Range range, format::SpaceMapEntry::Type type)
{
    std::uint64_t offset = range.start >> m_target.unitShift;
    std::uint64_t left = range.size() >> m_target.unitShift;
    const bool two = m_target.twoWords && left > kMaxShortRun;
    while (left > 0) {
        const std::uint64_t run = std::min(left, two ? kMaxLongRun : kMaxShortRun);
        const format::SpaceMapWords words = format::encodeSpaceMapEntry({type, offset, run, {}});
        if (words.count == 2 &&
            (m_target.length + m_bytes.size() + kWord) % m_target.blockBytes == 0) {
            put(format::encodeSpaceMapDebug({}));
        }
        for (std::size_t i = 0; i < words.count; ++i) {
            put(words.words[i]);
        }
        offset += run;
        left -= run;
    }
}

} // namespace millpond::space::detail
