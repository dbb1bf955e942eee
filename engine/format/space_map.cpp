// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/space_map.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::format {

namespace {

constexpr std::uint64_t kDebugPrefix = 2;
constexpr std::uint64_t kTwoWordPrefix = 3;
constexpr std::uint64_t kMaxShortRun = std::uint64_t{1} << 15;
constexpr std::uint64_t kMaxShortOffset = std::uint64_t{1} << 47;
constexpr std::uint64_t kMaxLongRun = std::uint64_t{1} << 36;
constexpr std::uint64_t kMaxLongOffset = std::uint64_t{1} << 63;
constexpr std::size_t kHistogramOffset = 64;

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadSpaceMap, std::move(what));
}

SpaceMapEntry shortEntry(std::uint64_t word)
{
    return {SpaceMapEntry::Type(bits(word, 15, 1)),
            bits(word, 16, 47),
            bits(word, 0, 15) + 1,
            std::nullopt};
}

SpaceMapEntry longEntry(std::uint64_t first, std::uint64_t second)
{
    return {SpaceMapEntry::Type(bits(second, 63, 1)),
            bits(second, 0, 63),
            bits(first, 24, 36) + 1,
            VdevId(static_cast<std::uint32_t>(bits(first, 0, 24)))};
}

} // namespace

Result<SpaceMapPhys> SpaceMapPhys::decode(Bytes bonus, ByteOrder order)
{
    if (bonus.size() < kBytesV0) {
        return bad(fmt::format("{} bytes are no space map", bonus.size()));
    }
    SpaceMapPhys map;
    map.object = ObjectId(load<std::uint64_t>(bonus, 0, order));
    map.length = ByteCount(load<std::uint64_t>(bonus, 8, order));
    map.allocated = static_cast<std::int64_t>(load<std::uint64_t>(bonus, 16, order));
    if (map.length.value() % 8 != 0) {
        return bad(fmt::format("space map of {} bytes", map.length.value()));
    }
    map.hasHistogram = bonus.size() >= kBytes;
    if (map.hasHistogram) {
        for (std::size_t i = 0; i < kHistogramSize; ++i) {
            map.histogram[i] = load<std::uint64_t>(bonus, kHistogramOffset + i * 8, order);
        }
    }
    return map;
}

void SpaceMapPhys::encode(MutableBytes out, ByteOrder order) const
{
    const std::size_t size = hasHistogram ? kBytes : kBytesV0;
    MP_CHECK(out.size() >= size);
    std::ranges::fill(out.first(size), std::byte{0});
    store(out, 0, object.value(), order);
    store(out, 8, length.value(), order);
    store(out, 16, static_cast<std::uint64_t>(allocated), order);
    if (hasHistogram) {
        for (std::size_t i = 0; i < kHistogramSize; ++i) {
            store(out, kHistogramOffset + i * 8, histogram[i], order);
        }
    }
}

std::string SpaceMapPhys::toText() const
{
    return fmt::format(
        "space map object={} length={} allocated={}", object.value(), length.value(), allocated);
}

Result<std::optional<SpaceMapEntry>> SpaceMapReader::next()
{
    while (m_position + 8 <= m_block.size()) {
        const auto word = load<std::uint64_t>(m_block, m_position, m_order);
        m_position += 8;
        switch (bits(word, 62, 2)) {
        case kDebugPrefix:
            m_debug = {SpaceMapEntry::Type(bits(word, 60, 2) & 1),
                       bits(word, 50, 10),
                       Txg(bits(word, 0, 50))};
            continue;
        case kTwoWordPrefix: {
            if (m_position + 8 > m_block.size()) {
                return bad("space map entry cut in half");
            }
            const SpaceMapEntry entry =
                longEntry(word, load<std::uint64_t>(m_block, m_position, m_order));
            m_position += 8;
            return std::optional(entry);
        }
        default:
            return std::optional(shortEntry(word));
        }
    }
    return std::optional<SpaceMapEntry>();
}

std::uint64_t encodeSpaceMapDebug(const SpaceMapDebug& debug)
{
    constexpr std::uint64_t kPassMask = (std::uint64_t{1} << 10) - 1;
    constexpr std::uint64_t kTxgMask = (std::uint64_t{1} << 50) - 1;
    return kDebugPrefix << 62 | static_cast<std::uint64_t>(debug.action) << 60 |
           (debug.syncPass & kPassMask) << 50 | (debug.txg.value() & kTxgMask);
}

SpaceMapWords encodeSpaceMapEntry(const SpaceMapEntry& entry)
{
    MP_CHECK(entry.run != 0);
    const auto type = static_cast<std::uint64_t>(entry.type);
    if (!entry.vdev && entry.run <= kMaxShortRun && entry.offset < kMaxShortOffset) {
        return {{entry.offset << 16 | type << 15 | (entry.run - 1), 0}, 1};
    }
    MP_CHECK(entry.run <= kMaxLongRun && entry.offset < kMaxLongOffset);
    const std::uint64_t vdev = entry.vdev ? entry.vdev->value() : 0;
    return {{kTwoWordPrefix << 62 | (entry.run - 1) << 24 | vdev, type << 63 | entry.offset}, 2};
}

} // namespace millpond::format
