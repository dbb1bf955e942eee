// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/deadlist.h"

#include "format/dsl.h"
#include "object/zap.h"

#include <charconv>

namespace millpond::dataset {

using object::DnodeRef;
using object::ObjectSet;
using object::Zap;
using object::ZapEntry;

namespace {

Error badDeadlist(ObjectId object, std::string what)
{
    return Error(ErrorCode::BadDataset, std::move(what), {.object = object});
}

/// Keys are txgs in hexadecimal.
Result<Txg> groupKey(const ZapEntry& entry, ObjectId object)
{
    std::uint64_t txg = 0;
    const char* end = entry.name.data() + entry.name.size();
    const auto [stop, error] = std::from_chars(entry.name.data(), end, txg, 16);
    if (error != std::errc() || stop != end || entry.values.empty()) {
        return fail(badDeadlist(object, "a deadlist has an entry that is no group"));
    }
    return Txg(txg);
}

void add(BlockSums& sum, const BlockSums& more)
{
    sum.allocated += more.allocated;
    sum.compressed += more.compressed;
    sum.uncompressed += more.uncompressed;
}

} // namespace

Result<Deadlist> Deadlist::open(ObjectSet& mos, ObjectId object, const ReadContext& context)
{
    Deadlist list(mos);
    if (object.value() == 0) {
        return list;
    }
    DnodeRef dnode = MP_TRY(mos.dnode(object, context));
    if (dnode->type == format::number(format::ObjectType::BpObject)) {
        list.m_old = true;
        list.m_sums = MP_TRY(BpObject::open(mos, object, context)).sums();
        list.m_groups.emplace(Txg(0), object);
        return list;
    }
    MP_TRY(list.readGroups(std::move(dnode), context));
    return list;
}

Status Deadlist::readGroups(DnodeRef dnode, const ReadContext& context)
{
    const auto header = MP_TRY(format::DeadlistPhys::decode(dnode->bonus, dnode->order));
    m_sums = {header.usedBytes, header.compressedBytes, header.uncompressedBytes};
    const ObjectId id = dnode->id;
    const Zap zap = MP_TRY(Zap::open(*m_mos, std::move(dnode), context));
    return zap.forEach(
        [&](const ZapEntry& entry) -> Result<bool> {
            m_groups.emplace(MP_TRY(groupKey(entry, id)), ObjectId(entry.first()));
            return true;
        },
        context);
}

Status Deadlist::forEach(const BlockVisitor& visit, const ReadContext& context) const
{
    bool more = true;
    const BlockVisitor watched = [&](const format::BlockPointer& pointer,
                                     bool freed) -> Result<bool> {
        more = MP_TRY(visit(pointer, freed));
        return more;
    };
    for (const auto& [txg, object] : m_groups) {
        const auto list = MP_TRY(BpObject::open(*m_mos, object, context));
        MP_TRY(list.forEach(watched, context));
        if (!more) {
            break;
        }
    }
    return {};
}

Result<BlockSums>
Deadlist::sumsOf(Range range, const ChargedBytes& charged, const ReadContext& context) const
{
    BlockSums sum;
    if (m_old) {
        MP_TRY(forEach(
            [&](const format::BlockPointer& pointer, bool) -> Result<bool> {
                if (pointer.birth() > range.after && pointer.birth() <= range.upTo) {
                    add(sum,
                        dataset::sumsOf(
                            pointer, charged ? charged(pointer) : pointer.allocatedSize().value()));
                }
                return true;
            },
            context));
        return sum;
    }
    for (auto group = m_groups.lower_bound(range.after);
         group != m_groups.end() && group->first < range.upTo;
         ++group) {
        add(sum, MP_TRY(BpObject::open(*m_mos, group->second, context)).sums());
    }
    return sum;
}

} // namespace millpond::dataset
