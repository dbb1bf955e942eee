// SPDX-License-Identifier: GPL-3.0-or-later
#include "space/space_map.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::space {

namespace {
/// The smallest unit a map's blocks come in; a smaller or senseless one would make the loop below
/// longer than the map.
constexpr std::uint64_t kMinBlockBytes = 512;

Status visitBlock(const SpaceMapStore::Block& block, std::size_t used, const EntryVisitor& visit)
{
    if (block.data == nullptr) {
        return {}; // A hole is all padding.
    }
    const Bytes bytes = block.data->bytes();
    format::SpaceMapReader reader(bytes.first(std::min(used, bytes.size())), block.order);
    while (const auto entry = MP_TRY(reader.next())) {
        MP_TRY(visit(*entry));
    }
    return {};
}
} // namespace

Status forEachEntry(SpaceMapStore& store, ObjectId map, const EntryVisitor& visit)
{
    const ErrorContext where{.object = map};
    auto header = store.header(map);
    if (!header) {
        return fail(std::move(header).error().at(where));
    }
    const std::uint64_t length = header->length.value();
    const std::uint64_t blockBytes = MP_TRY(store.blockBytes(map));
    if (blockBytes < kMinBlockBytes) {
        return fail(ErrorCode::BadSpaceMap, fmt::format("blocks of {} bytes", blockBytes), where);
    }
    for (std::uint64_t start = 0; start < length; start += blockBytes) {
        const SpaceMapStore::Block block = MP_TRY(store.block(map, BlockIndex(start / blockBytes)));
        const auto used = static_cast<std::size_t>(std::min(length - start, blockBytes));
        if (Status visited = visitBlock(block, used, visit); !visited) {
            return fail(std::move(visited).error().at(where));
        }
    }
    return {};
}

Status
applyEntry(const format::SpaceMapEntry& entry, unsigned unitShift, Range bounds, RangeSet& set)
{
    const std::uint64_t limit = ~std::uint64_t{0} >> unitShift;
    if (entry.offset > limit || entry.run > limit - entry.offset) {
        return fail(ErrorCode::BadSpaceMap, "an entry past the end of everything");
    }
    const Range range{entry.offset << unitShift, (entry.offset + entry.run) << unitShift};
    if (range.start < bounds.start || range.end > bounds.end) // INV-2
    {
        return fail(ErrorCode::BadSpaceMap,
                    fmt::format("an entry for {:#x}-{:#x} outside of {:#x}-{:#x}",
                                range.start,
                                range.end,
                                bounds.start,
                                bounds.end));
    }
    const bool allocate = entry.type == format::SpaceMapEntry::Type::Allocate;
    const std::uint64_t wrong = allocate ? set.add(range) : set.remove(range);
    if (wrong != 0) // INV-1
    {
        return fail(ErrorCode::BadSpaceMap,
                    fmt::format("{:#x}-{:#x}: {} of what is {} already ({} bytes)",
                                range.start,
                                range.end,
                                allocate ? "an allocation" : "a free",
                                allocate ? "allocated" : "free",
                                wrong));
    }
    return {};
}

Result<RangeSet> loadSpaceMap(SpaceMapStore& store, ObjectId map, unsigned unitShift, Range bounds)
{
    RangeSet set;
    MP_TRY(forEachEntry(store, map, [&](const format::SpaceMapEntry& entry) {
        return applyEntry(entry, unitShift, bounds, set);
    }));
    return set;
}

} // namespace millpond::space
