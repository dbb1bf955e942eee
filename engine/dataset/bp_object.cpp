// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/bp_object.h"

#include "format/dsl.h"

#include <array>
#include <unordered_set>

namespace millpond::dataset {

using format::BlockPointer;
using object::DnodeRef;
using object::ObjectSet;

namespace {

// Lists one walk may meet: a pool has a few per snapshot.
constexpr std::size_t kMaxLists = 10'000'000;

Error badList(ObjectId object, std::string what)
{
    return Error(ErrorCode::BadDataset, std::move(what), {.object = object});
}

/// Whether an object of this shape can hold so many elements: an absurd count is found before any
/// loop over it.
bool fits(const object::Dnode& dnode, std::uint64_t count, std::uint64_t elementBytes)
{
    std::uint64_t needed = 0;
    std::uint64_t blocks = 0;
    std::uint64_t held = 0;
    return checkedMultiply(count, elementBytes, needed) &&
           checkedAdd(dnode.maxBlockId, 1, blocks) &&
           checkedMultiply(blocks, dnode.dataBlockBytes, held) && needed <= held;
}

/// Visits the entries stored in one list's own blocks. False: the visitor wants no more.
Result<bool> visitOwn(ObjectSet& mos,
                      const object::Dnode& dnode,
                      std::uint64_t entries,
                      const BlockVisitor& visit,
                      const ReadContext& context)
{
    const std::uint64_t perBlock = dnode.dataBlockBytes / BlockPointer::kBytes;
    for (std::uint64_t index = 0; index < entries; index += perBlock) {
        const auto block = MP_TRY(mos.readBlock(dnode, BlockIndex(index / perBlock), context));
        if (!block.data) {
            return fail(badList(dnode.id, "a hole among the entries of a list of block pointers"));
        }
        const std::uint64_t here = std::min(perBlock, entries - index);
        for (std::uint64_t i = 0; i < here; ++i) {
            const auto pointer =
                BlockPointer::at(block.data->bytes(), i * BlockPointer::kBytes, block.order);
            const bool freed = bits(pointer.words[11], 0, 1) != 0;
            if (!MP_TRY(visit(pointer, freed))) {
                return false;
            }
        }
    }
    return true;
}

} // namespace

BlockSums sumsOf(const BlockPointer& pointer, std::uint64_t charged)
{
    const std::uint64_t stored = pointer.physicalSize().value();
    const bool metadata = pointer.level() > Level() || format::isMetadataType(pointer.type());
    return {charged, stored, metadata ? stored : pointer.logicalSize().value()};
}

Result<BpObject> BpObject::open(ObjectSet& mos, ObjectId object, const ReadContext& context)
{
    BpObject list(mos, MP_TRY(mos.dnode(object, context)));
    const object::Dnode& dnode = *list.m_dnode;
    const auto header = MP_TRY(format::BpObjectPhys::decode(dnode.bonus, dnode.order));
    if (dnode.dataBlockBytes < BlockPointer::kBytes) {
        return fail(badList(object, "not a list of block pointers"));
    }
    list.m_entries = header.pointers;
    list.m_sums = {header.bytes, header.compressedBytes, header.uncompressedBytes};
    list.m_hasLogicalSums = header.hasCompressed();
    list.m_listArray = header.subobjects;
    list.m_listCount = header.subobjects.value() == 0 ? 0 : header.subobjectCount;
    if (!fits(dnode, list.m_entries, BlockPointer::kBytes)) {
        return fail(
            badList(object, "a list of block pointers claims more entries than it has room for"));
    }
    return list;
}

Result<std::vector<ObjectId>> BpObject::includedLists(const ReadContext& context) const
{
    std::vector<ObjectId> lists;
    if (m_listCount == 0) {
        return lists;
    }
    const DnodeRef array = MP_TRY(m_mos->dnode(m_listArray, context));
    if (m_listCount > kMaxLists || !fits(*array, m_listCount, sizeof(std::uint64_t))) {
        return fail(
            badList(m_dnode->id, "a list of block pointers claims to include too many lists"));
    }
    const std::uint64_t perBlock = array->dataBlockBytes / sizeof(std::uint64_t);
    for (std::uint64_t index = 0; index < m_listCount; index += perBlock) {
        const auto block = MP_TRY(m_mos->readBlock(*array, BlockIndex(index / perBlock), context));
        if (!block.data) {
            return fail(badList(m_listArray, "a hole in an array of lists"));
        }
        const std::uint64_t here = std::min(perBlock, m_listCount - index);
        for (std::uint64_t i = 0; i < here; ++i) {
            lists.emplace_back(
                load<std::uint64_t>(block.data->bytes(), i * sizeof(std::uint64_t), block.order));
        }
    }
    return lists;
}

/// Walks a list and all it includes, depth first with a stack of its own: what is on disk may be
/// deep, or even a ring.
class BpObjectWalk
{
public:
    BpObjectWalk(const BpObject& top, const ReadContext& context)
        : m_context(context)
    {
        m_pending.push_back(top);
        m_seen.insert(top.m_dnode->id);
    }

    /// Calls `each` for every list. False stops.
    template <class Each> Status run(const Each& each)
    {
        while (!m_pending.empty()) {
            const BpObject list = std::move(m_pending.back());
            m_pending.pop_back();
            if (!MP_TRY(each(list))) {
                return {};
            }
            MP_TRY(addIncluded(list));
        }
        return {};
    }

private:
    Status addIncluded(const BpObject& list)
    {
        for (const ObjectId id : MP_TRY(list.includedLists(m_context))) {
            if (!m_seen.insert(id).second) {
                continue;
            }
            if (m_seen.size() > kMaxLists) {
                return fail(badList(id, "too many lists of block pointers in one"));
            }
            m_pending.push_back(MP_TRY(BpObject::open(*list.m_mos, id, m_context)));
        }
        return {};
    }

    const ReadContext& m_context;
    std::vector<BpObject> m_pending;
    std::unordered_set<ObjectId> m_seen;
};

Status BpObject::forEach(const BlockVisitor& visit, const ReadContext& context) const
{
    return BpObjectWalk(*this, context).run([&](const BpObject& list) {
        return visitOwn(*list.m_mos, *list.m_dnode, list.m_entries, visit, context);
    });
}

Status BpObject::forEachObject(const std::function<void(ObjectId)>& visit,
                               const ReadContext& context) const
{
    return BpObjectWalk(*this, context).run([&](const BpObject& list) -> Result<bool> {
        visit(list.m_dnode->id);
        if (list.m_listArray.value() != 0) {
            visit(list.m_listArray);
        }
        return true;
    });
}

namespace {

constexpr std::uint64_t kMaxDyingTrees = 1'000'000;

} // namespace

Result<DyingTrees> readDyingTrees(ObjectSet& mos, ObjectId object, const ReadContext& context)
{
    const DnodeRef dnode = MP_TRY(mos.dnode(object, context));
    const auto header = MP_TRY(format::BpTreePhys::decode(dnode->bonus, dnode->order));
    if (header.begin > header.end || header.end - header.begin > kMaxDyingTrees ||
        dnode->dataBlockBytes == 0 || !fits(*dnode, header.end, format::BpTreeEntry::kBytes)) {
        return fail(badList(object, "a list of trees to free has impossible bounds"));
    }
    DyingTrees result;
    result.sums = {header.bytes, header.compressedBytes, header.uncompressedBytes};
    for (std::uint64_t index = header.begin; index < header.end; ++index) {
        // Entries cross block borders; the order is that of the block an entry begins in.
        const std::uint64_t offset = index * format::BpTreeEntry::kBytes;
        const auto block =
            MP_TRY(mos.readBlock(*dnode, BlockIndex(offset / dnode->dataBlockBytes), context));
        std::array<std::byte, format::BpTreeEntry::kBytes> entry{};
        MP_TRY(mos.read(*dnode, ByteOffset(offset), entry, context));
        result.trees.push_back(MP_TRY(format::BpTreeEntry::decode(entry, block.order)));
    }
    return result;
}

} // namespace millpond::dataset
