// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/bp_object_writer.h"

#include "format/dsl.h"
#include "format/feature.h"
#include "object/zap.h"
#include "object/zap_writer.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

// Sources: OpenZFS module/zfs/bpobj.c, dsl_deadlist.c, include/sys/bpobj.h.

namespace millpond::dataset {

using format::BlockPointer;
using format::BpObjectPhys;
using format::DeadlistPhys;
using format::ObjectType;
using object::ObjectSpec;
using object::Zap;
using object::ZapEntry;
using object::ZapWriter;

namespace {
constexpr std::string_view kEmptyLists = "empty_bpobj";
constexpr std::uint64_t kVersionListSums = 22;
/// Lists that include lists that include lists: one more with each generation of snapshots.
constexpr std::size_t kMaxIncluded = 10'000;

std::size_t headerBytes(const ListContext& context)
{
    if (context.version < kVersionListSums) {
        return BpObjectPhys::kBytesV0;
    }
    if (context.version < format::kVersionDeadlists) {
        return BpObjectPhys::kBytesV1;
    }
    return context.features.isActive("livelist") ? BpObjectPhys::kBytesV3 : BpObjectPhys::kBytesV2;
}

/// As lists store it: what is of no use there compresses better as zeroes.
BlockPointer stored(const BlockPointer& pointer, bool freed)
{
    constexpr std::size_t kFill = 11;
    constexpr std::size_t kChecksum = 12;
    BlockPointer copy = pointer;
    if (pointer.isEmbedded()) {
        copy = {};
        copy.words[6] = pointer.words[6];
        copy.words[10] = pointer.words[10];
    } else if (!pointer.isDedup()) {
        std::fill(copy.words.begin() + kChecksum, copy.words.end(), 0);
    }
    copy.words[kFill] = freed ? 1 : 0;
    return copy;
}

struct Header
{
    object::DnodeRef dnode;
    BpObjectPhys phys;
};

Result<Header> readHeader(ListContext& context, ObjectId list)
{
    Header header;
    header.dnode = MP_TRY(context.mos.dnode(list));
    header.phys = MP_TRY(BpObjectPhys::decode(header.dnode->bonus, header.dnode->order));
    return header;
}

/// The bonus of an object in the order its dnode has.
template <class Phys>
Status writeBonus(
    ListContext& context, Txg txg, const object::Dnode& dnode, const Phys& phys, std::size_t size)
{
    std::vector<std::byte> bonus(size);
    phys.encode(bonus, dnode.order);
    return context.mos.setBonus(txg, dnode.id, dnode.bonusType, bonus);
}

/// Keys of a deadlist: hexadecimal, as numbers in ZAPs are named.
std::string groupName(Txg txg)
{
    return fmt::format("{:x}", txg.value());
}
} // namespace

Result<ObjectId> BpObjectWriter::create(std::uint32_t blockBytes)
{
    BpObjectPhys phys;
    phys.sizeBytes = headerBytes(m_context);
    std::vector<std::byte> bonus(phys.sizeBytes);
    phys.encode(bonus);
    return m_context.mos.allocateObject(
        m_txg,
        ObjectSpec{.type = format::number(ObjectType::BpObject),
                   .bonusType = format::number(ObjectType::BpObjectHeader),
                   .bonus = bonus,
                   .dataBlockBytes = blockBytes});
}

Result<std::optional<ObjectId>> BpObjectWriter::sharedEmpty()
{
    if (!m_context.features.isActive(kEmptyLists)) {
        return std::optional<ObjectId>();
    }
    const Zap directory = MP_TRY(Zap::open(m_context.mos, format::kPoolDirectoryObject));
    return std::optional(ObjectId(MP_TRY(directory.number(format::kPoolEmptyBpObject))));
}

Result<bool> BpObjectWriter::isSharedEmpty(ObjectId list)
{
    return MP_TRY(sharedEmpty()) == list;
}

Result<ObjectId> BpObjectWriter::createEmpty()
{
    if (!m_context.features.isEnabled(kEmptyLists)) {
        return create();
    }
    std::optional<ObjectId> shared = MP_TRY(sharedEmpty());
    if (!shared) {
        shared = MP_TRY(create());
        ZapWriter zaps(m_context.mos, m_txg);
        MP_TRY(zaps.add(format::kPoolDirectoryObject, format::kPoolEmptyBpObject, shared->value()));
    }
    MP_TRY(m_context.features.count(kEmptyLists, 1, m_txg));
    return *shared;
}

Status BpObjectWriter::releaseSharedEmpty()
{
    const std::optional<ObjectId> shared = MP_TRY(sharedEmpty());
    MP_TRY(m_context.features.count(kEmptyLists, -1, m_txg));
    if (shared && !m_context.features.isActive(kEmptyLists)) {
        ZapWriter zaps(m_context.mos, m_txg);
        MP_TRY(zaps.remove(format::kPoolDirectoryObject, format::kPoolEmptyBpObject));
        MP_TRY(m_context.mos.freeObject(m_txg, *shared));
    }
    return {};
}

Status BpObjectWriter::append(ObjectId list, std::span<const BlockPointer> pointers, bool freed)
{
    if (pointers.empty()) {
        return {};
    }
    Header header = MP_TRY(readHeader(m_context, list));
    BpObjectPhys& phys = header.phys;
    std::vector<std::byte> bytes(pointers.size() * BlockPointer::kBytes);
    const std::uint64_t sign = freed ? ~std::uint64_t{0} : 1; // -1, modulo 2^64
    for (std::size_t i = 0; i < pointers.size(); ++i) {
        const BlockPointer& pointer = pointers[i];
        stored(pointer, freed)
            .encode(MutableBytes(bytes).subspan(i * BlockPointer::kBytes, BlockPointer::kBytes),
                    header.dnode->order);
        const BlockSums sums = sumsOf(pointer, m_context.charged(pointer));
        phys.bytes += sign * sums.allocated;
        phys.compressedBytes += sign * sums.compressed;
        phys.uncompressedBytes += sign * sums.uncompressed;
    }
    MP_TRY(
        m_context.mos.write(m_txg, list, ByteOffset(phys.pointers * BlockPointer::kBytes), bytes));
    phys.pointers += pointers.size();
    phys.freedCount += freed ? pointers.size() : 0;
    return writeBonus(m_context, m_txg, *header.dnode, phys, phys.sizeBytes);
}

Status BpObjectWriter::clear(ObjectId list)
{
    Header header = MP_TRY(readHeader(m_context, list));
    if (header.phys.subobjects.value() != 0) {
        return fail(Error(
            ErrorCode::BadDataset, "a list to be emptied includes other lists", {.object = list}));
    }
    MP_TRY(m_context.mos.freeRange(m_txg, list, ByteOffset(0), object::LiveObjectSet::kToEnd));
    BpObjectPhys phys;
    phys.sizeBytes = header.phys.sizeBytes;
    return writeBonus(m_context, m_txg, *header.dnode, phys, phys.sizeBytes);
}

/// From the end: what is taken is cut off.
Result<bool> BpObjectWriter::drain(ObjectId list, Take take)
{
    std::vector<ObjectId> path{list};
    while (MP_TRY(drainEntries(path, take))) {
        const BpObject last = MP_TRY(BpObject::open(m_context.mos, path.back()));
        if (const auto included = MP_TRY(last.includedLists()); !included.empty()) {
            path.push_back(included.back());
            if (path.size() > kMaxIncluded) {
                return fail(Error(
                    ErrorCode::BadDataset, "lists include each other too deep", {.object = list}));
            }
            continue;
        }
        if (path.size() == 1) {
            return true;
        }
        const ObjectId emptied = path.back();
        path.pop_back();
        MP_TRY(dropLastIncluded(path.back(), emptied));
    }
    return false;
}

/// The own entries of the last list of a path from the list that includes all others. False: some
/// are left.
Result<bool> BpObjectWriter::drainEntries(std::span<const ObjectId> path, Take take)
{
    const Header header = MP_TRY(readHeader(m_context, path.back()));
    const std::uint64_t perBlock = header.dnode->dataBlockBytes / BlockPointer::kBytes;
    std::uint64_t left = header.phys.pointers;
    if (left != 0 && (perBlock == 0 || (left - 1) / perBlock > header.dnode->maxBlockId)) {
        return fail(Error(ErrorCode::BadDataset,
                          "a list claims more entries than it has room for",
                          {.object = path.back()}));
    }
    BlockSums taken;
    bool goOn = true;
    while (goOn && left != 0) {
        const auto block =
            MP_TRY(m_context.mos.readBlock(*header.dnode, BlockIndex((left - 1) / perBlock)));
        if (!block.data) {
            return fail(Error(ErrorCode::BadDataset,
                              "a hole among the entries of a list",
                              {.object = path.back()}));
        }
        const std::uint64_t first = (left - 1) / perBlock * perBlock;
        for (; goOn && left > first; --left) {
            const auto pointer = BlockPointer::at(
                block.data->bytes(), (left - 1 - first) * BlockPointer::kBytes, block.order);
            goOn = MP_TRY(take(pointer));
            if (!goOn) {
                break;
            }
            const BlockSums sums = sumsOf(pointer, m_context.charged(pointer));
            taken.allocated += sums.allocated;
            taken.compressed += sums.compressed;
            taken.uncompressed += sums.uncompressed;
        }
    }
    if (left == header.phys.pointers) {
        return goOn;
    }
    MP_TRY(m_context.mos.freeRange(m_txg,
                                   path.back(),
                                   ByteOffset(left * BlockPointer::kBytes),
                                   object::LiveObjectSet::kToEnd));
    for (const ObjectId list : path) {
        Header changed = MP_TRY(readHeader(m_context, list));
        changed.phys.bytes -= taken.allocated;
        changed.phys.compressedBytes -= taken.compressed;
        changed.phys.uncompressedBytes -= taken.uncompressed;
        if (list == path.back()) {
            changed.phys.pointers = left;
        }
        MP_TRY(writeBonus(m_context, m_txg, *changed.dnode, changed.phys, changed.phys.sizeBytes));
    }
    return goOn;
}

Status BpObjectWriter::dropLastIncluded(ObjectId list, ObjectId included)
{
    Header header = MP_TRY(readHeader(m_context, list));
    --header.phys.subobjectCount;
    MP_TRY(m_context.mos.freeRange(m_txg,
                                   header.phys.subobjects,
                                   ByteOffset(header.phys.subobjectCount * sizeof(std::uint64_t)),
                                   ByteCount(sizeof(std::uint64_t))));
    MP_TRY(writeBonus(m_context, m_txg, *header.dnode, header.phys, header.phys.sizeBytes));
    if (MP_TRY(isSharedEmpty(included))) {
        return releaseSharedEmpty();
    }
    const Header gone = MP_TRY(readHeader(m_context, included));
    if (gone.phys.subobjects.value() != 0) {
        MP_TRY(m_context.mos.freeObject(m_txg, gone.phys.subobjects));
    }
    return m_context.mos.freeObject(m_txg, included);
}

Status BpObjectWriter::destroy(ObjectId list)
{
    // Collected first: the walk reads what is about to be freed.
    const std::optional<ObjectId> shared = MP_TRY(sharedEmpty());
    std::vector<ObjectId> objects;
    std::size_t empties = 0;
    {
        const BpObject whole = MP_TRY(BpObject::open(m_context.mos, list));
        MP_TRY(whole.forEachObject([&](ObjectId object) {
            if (shared == object) {
                ++empties;
            } else {
                objects.push_back(object);
            }
        }));
    }
    for (const ObjectId object : objects) {
        MP_TRY(m_context.mos.freeObject(m_txg, object));
    }
    for (std::size_t i = 0; i < empties; ++i) {
        MP_TRY(releaseSharedEmpty());
    }
    return {};
}

bool DeadlistWriter::oldFormat() const
{
    return m_context.version < format::kVersionDeadlists;
}

Result<ObjectId> DeadlistWriter::create()
{
    if (oldFormat()) {
        return m_lists.create();
    }
    ZapWriter zaps(m_context.mos, m_txg);
    const ObjectId deadlist =
        MP_TRY(zaps.create({.type = format::number(ObjectType::Deadlist),
                            .bonusType = format::number(ObjectType::DeadlistHeader),
                            .bonusBytes = DeadlistPhys::kBytes}));
    return deadlist;
}

Result<ObjectId> DeadlistWriter::cloneGroups(ObjectId deadlist, Txg before)
{
    const ObjectId made = MP_TRY(create());
    if (oldFormat()) {
        return made;
    }
    const Deadlist original = MP_TRY(Deadlist::open(m_context.mos, deadlist));
    ZapWriter zaps(m_context.mos, m_txg);
    for (const auto& [txg, list] : original.groups()) {
        if (txg >= before) {
            break;
        }
        const ObjectId empty = MP_TRY(m_lists.createEmpty());
        MP_TRY(zaps.add(made, groupName(txg), empty.value()));
    }
    return made;
}

Status DeadlistWriter::addGroup(ObjectId deadlist, Txg txg)
{
    if (oldFormat()) {
        return {};
    }
    const ObjectId list = MP_TRY(m_lists.createEmpty());
    ZapWriter zaps(m_context.mos, m_txg);
    return zaps.add(deadlist, groupName(txg), list.value());
}

Status DeadlistWriter::insert(ObjectId deadlist, std::span<const BlockPointer> pointers)
{
    if (pointers.empty()) {
        return {};
    }
    const Deadlist list = MP_TRY(Deadlist::open(m_context.mos, deadlist));
    if (list.isOldFormat()) {
        return m_lists.append(deadlist, pointers);
    }
    std::map<Txg, std::vector<BlockPointer>> byGroup;
    DeadlistPhys phys;
    phys.usedBytes = list.sums().allocated;
    phys.compressedBytes = list.sums().compressed;
    phys.uncompressedBytes = list.sums().uncompressed;
    for (const BlockPointer& pointer : pointers) {
        auto group = list.groups().lower_bound(pointer.birth());
        if (group == list.groups().begin()) {
            return fail(Error(ErrorCode::BadDataset,
                              fmt::format("a deadlist has no group for a block born in txg {}",
                                          pointer.birth().value()),
                              {.object = deadlist}));
        }
        --group;
        byGroup[group->first].push_back(pointer);
        const BlockSums sums = sumsOf(pointer, m_context.charged(pointer));
        phys.usedBytes += sums.allocated;
        phys.compressedBytes += sums.compressed;
        phys.uncompressedBytes += sums.uncompressed;
    }
    ZapWriter zaps(m_context.mos, m_txg);
    for (const auto& [txg, members] : byGroup) {
        ObjectId target = list.groups().at(txg);
        if (MP_TRY(m_lists.isSharedEmpty(target))) {
            target = MP_TRY(m_lists.create());
            MP_TRY(m_lists.releaseSharedEmpty());
            MP_TRY(zaps.update(deadlist, groupName(txg), target.value()));
        }
        MP_TRY(m_lists.append(target, members));
    }
    const object::DnodeRef dnode = MP_TRY(m_context.mos.dnode(deadlist));
    return writeBonus(m_context, m_txg, *dnode, phys, DeadlistPhys::kBytes);
}

Status DeadlistWriter::destroy(ObjectId deadlist)
{
    const Deadlist list = MP_TRY(Deadlist::open(m_context.mos, deadlist));
    if (list.isOldFormat()) {
        return m_lists.destroy(deadlist);
    }
    for (const auto& [txg, group] : list.groups()) {
        if (MP_TRY(m_lists.isSharedEmpty(group))) {
            MP_TRY(m_lists.releaseSharedEmpty());
        } else {
            MP_TRY(m_lists.destroy(group));
        }
    }
    return m_context.mos.freeObject(m_txg, deadlist);
}

} // namespace millpond::dataset
