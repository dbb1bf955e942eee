// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/metaslabs.h"

#include "format/dsl.h"
#include "pool/mos_space_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace millpond::pool {

namespace {
constexpr unsigned kMinMetaslabShift = 9;
constexpr unsigned kMaxMetaslabShift = 50;
/// Writers aim at 200 metaslabs and stop at 2^17.
constexpr std::uint64_t kMaxMetaslabs = 1U << 20U;
constexpr unsigned kLogUnitShift = format::kSectorShift;

Error badConfig(const vdev::TopLevel& top, std::string what)
{
    return {ErrorCode::BadConfig, std::move(what), {.vdev = top.guid()}};
}

/// An object that is an array of 64-bit words, `count` of them.
Result<std::vector<std::uint64_t>>
readWords(object::ObjectSet& mos, ObjectId object, std::size_t count)
{
    const object::DnodeRef dnode = MP_TRY(mos.dnode(object));
    std::vector<std::uint64_t> words(count);
    std::vector<std::byte> bytes(count * sizeof(std::uint64_t));
    MP_TRY(mos.read(*dnode, ByteOffset(0), bytes));
    // The array is in its blocks' order; an array object is written by one machine at a time, and
    // each block is in one order, so the order is asked block by block.
    const std::size_t perBlock =
        std::max<std::size_t>(dnode->dataBlockBytes / sizeof(std::uint64_t), 1);
    for (std::size_t i = 0; i < count; i += perBlock) {
        const auto pointer = MP_TRY(mos.blockPointer(*dnode, Level(0), BlockIndex(i / perBlock)));
        for (std::size_t j = i; j < std::min(count, i + perBlock); ++j) {
            words[j] = load<std::uint64_t>(bytes, j * sizeof(std::uint64_t), pointer.byteOrder());
        }
    }
    return words;
}

/// The vdev's configuration as of the pool's state; the vdev itself has that of its making.
const format::NvList& configOf(const Pool& pool, const vdev::TopLevel& top)
{
    const std::span<const format::NvList> tops = pool.config().vdevTree.listArray("children");
    const std::size_t index = top.id().value();
    return index < tops.size() ? tops[index] : top.config();
}

/// A number of the top-level vdev's own ZAP; 0 when it has none.
Result<std::uint64_t>
topZapNumber(const Pool& pool, const vdev::TopLevel& top, std::string_view name)
{
    const std::uint64_t zapObject = configOf(pool, top).u64(format::kVdevTopZap).value_or(0);
    if (zapObject == 0) {
        return std::uint64_t{0};
    }
    const object::Zap zap = MP_TRY(object::Zap::open(pool.mos().objset(), ObjectId(zapObject)));
    auto found = zap.number(name);
    if (!found && !found.error().is(ErrorCode::NoSuchEntry)) {
        return fail(std::move(found).error());
    }
    return found ? *found : std::uint64_t{0};
}

Result<MetaslabLayout> layoutOf(const Pool& pool, const vdev::TopLevel& top)
{
    MetaslabLayout layout;
    layout.vdev = top.id();
    layout.allocationClass = top.allocationClass();
    layout.ashift = top.ashift().value();
    const format::NvList& config = configOf(pool, top);
    const std::uint64_t shift = config.u64("metaslab_shift").value_or(0);
    if (shift < kMinMetaslabShift || shift > kMaxMetaslabShift || layout.ashift > shift) {
        return fail(badConfig(top, fmt::format("a metaslab shift of {}", shift)));
    }
    layout.shift = static_cast<unsigned>(shift);
    const std::uint64_t asize = config.u64("asize").value_or(0);
    const std::uint64_t count = format::metaslabCount(asize, layout.shift);
    if (count > kMaxMetaslabs) {
        return fail(badConfig(top, fmt::format("{} metaslabs", count)));
    }
    const ObjectId array(config.u64("metaslab_array").value_or(0));
    object::ObjectSet& mos = pool.mos().objset();
    for (const std::uint64_t map : MP_TRY(readWords(mos, array, static_cast<std::size_t>(count)))) {
        layout.maps.emplace_back(map);
    }
    const std::uint64_t unflushed = MP_TRY(topZapNumber(pool, top, format::kVdevUnflushedTxgs));
    if (unflushed != 0) {
        for (const std::uint64_t txg :
             MP_TRY(readWords(mos, ObjectId(unflushed), static_cast<std::size_t>(count)))) {
            layout.unflushedSince.emplace_back(txg);
        }
    }
    layout.checkpointMap =
        ObjectId(MP_TRY(topZapNumber(pool, top, format::kVdevCheckpointSpaceMap)));
    return layout;
}

Result<LogEntry> locate(const format::SpaceMapEntry& entry,
                        const std::map<std::uint32_t, std::size_t>& byVdev,
                        const std::vector<MetaslabLayout>& layouts)
{
    if (!entry.vdev) {
        return fail(ErrorCode::BadSpaceMap, "a log entry without a vdev");
    }
    const auto found = byVdev.find(entry.vdev->value());
    if (found == byVdev.end()) {
        return fail(
            ErrorCode::BadSpaceMap,
            fmt::format("a log entry for vdev {}, which has no space maps", entry.vdev->value()));
    }
    const MetaslabLayout& layout = layouts[found->second];
    constexpr std::uint64_t kLimit = ~std::uint64_t{0} >> kLogUnitShift;
    if (entry.offset > kLimit || entry.run > kLimit - entry.offset) {
        return fail(ErrorCode::BadSpaceMap, "a log entry past the end of everything");
    }
    LogEntry located;
    located.layout = found->second;
    located.allocate = entry.type == format::SpaceMapEntry::Type::Allocate;
    located.bytes = {entry.offset << kLogUnitShift, (entry.offset + entry.run) << kLogUnitShift};
    const std::uint64_t metaslab = located.bytes.start >> layout.shift;
    if (metaslab >= layout.maps.size() || (located.bytes.end - 1) >> layout.shift != metaslab) {
        return fail(
            ErrorCode::BadSpaceMap,
            fmt::format("a log entry for {:#x}-{:#x} of vdev {}, which is not inside one metaslab",
                        located.bytes.start,
                        located.bytes.end,
                        layout.vdev.value()));
    }
    located.metaslab = static_cast<std::size_t>(metaslab);
    return located;
}
} // namespace

Result<std::vector<MetaslabLayout>> metaslabLayouts(const Pool& pool)
{
    std::vector<MetaslabLayout> layouts;
    for (std::size_t i = 0; i < pool.vdevs().topLevelCount(); ++i) {
        const vdev::TopLevel* top = pool.vdevs().top(VdevId(static_cast<std::uint32_t>(i)));
        if (top != nullptr && configOf(pool, *top).u64("metaslab_array").value_or(0) != 0) {
            layouts.push_back(MP_TRY(layoutOf(pool, *top)));
        }
    }
    return layouts;
}

Result<std::vector<LogSpaceMap>> logSpaceMaps(const Pool& pool)
{
    std::vector<LogSpaceMap> maps;
    const std::optional<std::uint64_t> zap = MP_TRY(pool.mos().number(format::kPoolLogSpaceMaps));
    for (const object::ZapEntry& entry : MP_TRY(pool.mos().entries(ObjectId(zap.value_or(0))))) {
        // Named by the txg in hexadecimal digits.
        std::uint64_t txg = 0;
        const char* end = entry.name.data() + entry.name.size();
        const auto parsed = std::from_chars(entry.name.data(), end, txg, 16);
        if (parsed.ec != std::errc() || parsed.ptr != end) {
            return fail(
                ErrorCode::BadSpaceMap,
                fmt::format("the list of log space maps has an entry \"{}\", which is no txg",
                            entry.name));
        }
        maps.push_back({Txg(txg), ObjectId(entry.first())});
    }
    std::sort(maps.begin(), maps.end(), [](const auto& a, const auto& b) { return a.txg < b.txg; });
    return maps;
}

Status forEachLogEntry(const Pool& pool,
                       const std::vector<MetaslabLayout>& layouts,
                       const std::function<Status(const LogEntry&)>& visit)
{
    std::map<std::uint32_t, std::size_t> byVdev;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
        byVdev[layouts[i].vdev.value()] = i;
    }
    MosSpaceMaps store(pool.mos().objset());
    for (const LogSpaceMap& log : MP_TRY(logSpaceMaps(pool))) {
        MP_TRY(
            space::forEachEntry(store, log.map, [&](const format::SpaceMapEntry& entry) -> Status {
                const LogEntry located = MP_TRY(locate(entry, byVdev, layouts));
                const std::vector<Txg>& since = layouts[located.layout].unflushedSince;
                if (located.metaslab < since.size() && log.txg < since[located.metaslab]) {
                    return {}; // The metaslab's own map has it already.
                }
                return visit(located);
            }));
    }
    return {};
}

} // namespace millpond::pool
