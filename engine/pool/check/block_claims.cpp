// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/check/block_claims.h"

#include "block/extents.h"
#include "format/brt.h"
#include "pool/dedup_table.h"

#include <fmt/format.h>

namespace millpond::pool {

namespace {
constexpr std::uint8_t kFirstChecksum = 2;

CheckFinding
findingAt(CheckFinding::Kind kind, const block::Bookmark& where, const block::Extent& extent)
{
    CheckFinding finding;
    finding.kind = kind;
    finding.objset = where.objset;
    finding.object = where.object;
    finding.level = where.level.value();
    finding.block = where.block.value();
    finding.offset = extent.offset.value();
    finding.size = extent.size.value();
    return finding;
}
} // namespace

BlockClaims::BlockClaims(const Pool& pool, Reporter& reporter, Allocation& allocation)
    : m_pool(pool)
    , m_reporter(reporter)
    , m_allocation(allocation)
    , m_vdevs(pool.vdevs())
{
}

BlockClaims::Place BlockClaims::placeOf(const format::BlockPointer& pointer)
{
    const format::Dva dva = pointer.dva(0);
    return {dva.vdev.value(), dva.offset.value()};
}

Status BlockClaims::load()
{
    if (Status loaded = loadClones(); !loaded) {
        m_reporter.report(loaded.error(), {}, "table of cloned blocks");
    }
    return {};
}

Status BlockClaims::loadClones()
{
    for (std::size_t i = 0; i < m_pool.vdevs().topLevelCount(); ++i) {
        const VdevId id(static_cast<std::uint32_t>(i));
        const auto object = MP_TRY(m_pool.mos().number(format::brtObjectName(id)));
        if (!object) {
            continue;
        }
        const object::DnodeRef dnode = MP_TRY(m_pool.mos().objset().dnode(ObjectId(*object)));
        const auto header = MP_TRY(format::BrtVdevPhys::decode(dnode->bonus, dnode->order));
        for (const object::ZapEntry& entry : MP_TRY(m_pool.mos().entries(header.entries))) {
            const auto clone =
                MP_TRY(format::BrtEntry::decode(entry.key, entry.integerBytes, entry.values));
            m_clones[{id.value(), clone.offset.value()}] = clone.references;
        }
    }
    return {};
}

BlockClaims::Claimed BlockClaims::claimExtents(const format::BlockPointer& pointer,
                                               const block::Bookmark& where)
{
    const auto clone = m_clones.find(placeOf(pointer));
    bool cloned = false;
    bool isNew = true;
    const Status visited = block::forEachExtent(m_vdevs, pointer, [&](const block::Extent& extent) {
        const space::Range bytes{extent.offset.value(),
                                 extent.offset.value() + extent.size.value()};
        const Allocation::Claim claim = m_allocation.claim(extent.vdev, bytes);
        if (claim == Allocation::Claim::Good) {
            return;
        }
        isNew = isNew && claim != Allocation::Claim::Again;
        if (claim == Allocation::Claim::Again && clone != m_clones.end()) {
            cloned = true;
            return;
        }
        CheckFinding finding =
            findingAt(claim == Allocation::Claim::Again ? CheckFinding::Kind::DoubleUse
                                                        : CheckFinding::Kind::Unallocated,
                      where,
                      extent);
        finding.text = fmt::format("level {} block {}: its {} bytes at {:#x} of vdev {} are {}",
                                   finding.level,
                                   finding.block,
                                   finding.size,
                                   finding.offset,
                                   extent.vdev.value(),
                                   claim == Allocation::Claim::Again ? "used by another block too"
                                   : claim == Allocation::Claim::Unallocated
                                       ? "not allocated according to the space maps"
                                       : "outside of the vdev");
        m_reporter.report(std::move(finding));
    });
    if (!visited) {
        m_reporter.report(visited.error(), where);
    }
    if (cloned) {
        ++m_clonesMet[placeOf(pointer)];
    }
    return {isNew, !cloned};
}

BlockClaims::Claimed BlockClaims::claim(const format::BlockPointer& pointer,
                                        const block::Bookmark& where)
{
    if (pointer.dvaCount() == 0) {
        return {true, false};
    }
    if (pointer.isDedup() && m_dedupMet[placeOf(pointer)]++ != 0) {
        return {false, false};
    }
    return claimExtents(pointer, where);
}

bool BlockClaims::claimRest(const format::BlockPointer& pointer)
{
    if (pointer.isDedup() && pointer.dvaCount() != 0) {
        ++m_dedupMet[placeOf(pointer)];
    }
    bool claimed = false;
    // A gang whose header is gone already has nothing left to claim.
    (void)block::forEachExtent(m_vdevs, pointer, [&](const block::Extent& extent) {
        claimed |= m_allocation.claimRest(
            extent.vdev, {extent.offset.value(), extent.offset.value() + extent.size.value()});
    });
    return claimed;
}

void BlockClaims::compareDedup(const Place& place, std::uint64_t references)
{
    const auto met = m_dedupMet.find(place);
    const std::uint64_t found = met == m_dedupMet.end() ? 0 : met->second;
    if (met != m_dedupMet.end()) {
        m_dedupMet.erase(met);
    }
    if (found != references) {
        m_reporter.report(
            CheckFinding::Kind::Accounting,
            {},
            fmt::format(
                "dedup table: the block at {:#x} of vdev {} has {} references, the table says {}",
                place.offset,
                place.vdev,
                found,
                references));
    }
}

Status BlockClaims::compareTable(format::ChecksumType checksum)
{
    return forEachDedupEntry(m_pool.mos(), checksum, [&](const format::DdtEntry& entry) -> Status {
        for (const format::DdtPhys& variant : entry.variants) {
            if (variant.physicalBirth != Txg() && variant.references != 0) {
                const format::Dva& dva = variant.dvas[0];
                compareDedup({dva.vdev.value(), dva.offset.value()}, variant.references);
            }
        }
        return m_reporter.proceed();
    });
}

Status BlockClaims::compareCounts()
{
    for (std::uint8_t checksum = kFirstChecksum; checksum < format::kChecksumTypes; ++checksum) {
        Status compared = compareTable(format::ChecksumType(checksum));
        if (!compared && compared.error().is(ErrorCode::Cancelled)) {
            return compared;
        }
        if (!compared) {
            m_reporter.report(compared.error(), {}, "dedup table");
        }
    }
    // An entry may have been pruned from the table while one block still uses it; two may not.
    for (const auto& [place, found] : m_dedupMet) {
        if (found > 1) {
            m_reporter.report(
                CheckFinding::Kind::DoubleUse,
                {},
                fmt::format(
                    "the block at {:#x} of vdev {} is used {} times, but not in the dedup table",
                    place.offset,
                    place.vdev,
                    found));
        }
    }
    for (const auto& [place, references] : m_clones) {
        const auto met = m_clonesMet.find(place);
        const std::uint64_t found = met == m_clonesMet.end() ? 0 : met->second;
        if (found != references) {
            m_reporter.report(CheckFinding::Kind::Accounting,
                              {},
                              fmt::format("clone table: the block at {:#x} of vdev {} has {} "
                                          "further references, the table says {}",
                                          place.offset,
                                          place.vdev,
                                          found,
                                          references));
        }
    }
    return {};
}

} // namespace millpond::pool
