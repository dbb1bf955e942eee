// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writing an object set out: trees of all dirty objects, owners' accounts, dnodes, the root block.
// In the sync thread, while later txgs are being changed. Facts: OpenZFS
// module/zfs/{dmu_objset,dnode_sync,dbuf}.c.

#include "object/detail/dnode_codec.h"
#include "object/detail/live_set.h"
#include "object/detail/object_set_parts.h"
#include "object/detail/tree_sync.h"
#include "object/zap_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::object {

using detail::Changes;
using detail::LeafWrite;
using detail::LiveObject;
using detail::LiveObjectRef;
using detail::TreeJob;
using detail::TreeSync;
using format::BlockPointer;
using format::DnodeFlag;

namespace {

bool isSpecial(ObjectId id)
{
    return id.value() >= format::kMaxObjects;
}

/// The bonus of a new object whose dnode block is in the other byte order.
void swapBonus(Dnode& dnode)
{
    if (format::objectLayout(dnode.bonusType) != format::Layout::Uint64) {
        return; // system attributes tell their order themselves
    }
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= dnode.bonus.size();
         at += sizeof(std::uint64_t)) {
        store<std::uint64_t>(dnode.bonus,
                             at,
                             load<std::uint64_t>(dnode.bonus, at, ByteOrder::Big),
                             ByteOrder::Little);
    }
}

/// What one object's changes of a txg ask of its tree.
TreeJob makeJob(const Changes& changes, const DnodeRef& synced)
{
    TreeJob job;
    job.dnode = changes.state;
    if (synced != nullptr) {
        job.old = synced;
        job.dnode.flags = synced->flags;
        job.dnode.spill = synced->spill;
    } else {
        auto empty = std::make_shared<Dnode>(changes.state);
        empty->levels = 1;
        empty->usedBytes = 0;
        empty->flags = 0;
        empty->spill.reset();
        std::ranges::fill(empty->pointers, BlockPointer{});
        job.dnode.flags = 0;
        job.dnode.spill.reset();
        job.old = std::move(empty);
    }
    job.dnode.levels = job.old->levels;
    job.dnode.pointers = job.old->pointers;
    job.dnode.usedBytes = job.old->usedBytes;
    if (job.dnode.indirectShift < format::kMinIndirectShift) {
        job.dnode.indirectShift = format::kMaxIndirectShift; // never used up to now
    }
    if (changes.freed) {
        job.freeAll = true;
        return job;
    }
    for (const auto& [first, last] : changes.holes.ranges()) {
        std::uint64_t from = first;
        for (auto block = changes.blocks.lower_bound(first);
             block != changes.blocks.end() && block->first <= last;
             ++block) {
            if (block->first > from) {
                job.holes.add(from, block->first - 1);
            }
            from = block->first + 1;
        }
        if (from <= last) {
            job.holes.add(from, last);
        }
    }
    for (const auto& [index, block] : changes.blocks) {
        job.leaves.push_back({index, detail::frozen(block), block->order, 1});
    }
    if (changes.spillChanged) {
        job.dropSpill = changes.spill == nullptr;
        job.spill = job.dropSpill ? nullptr : detail::frozen(changes.spill);
    }
    return job;
}

} // namespace

struct LiveObjectSet::SyncWork
{
    Txg txg;
    std::vector<LiveObjectRef> objects;
    std::vector<TreeJob> jobs; ///< one for each object, same order
    std::size_t ordinary = 0;  ///< how many come first; then the accounting objects
    DnodeRef meta;             ///< the new one
    std::set<std::uint64_t> blocksWithRoom;
    BlockPointer root;
};

Result<BlockPointer> LiveObjectSet::sync(SyncContext& context)
{
    for (;;) {
        std::optional<std::uint64_t> txg;
        {
            const MutexLock lock(m_live->mutex);
            if (!m_live->dirty.empty()) {
                txg = m_live->dirty.begin()->first;
            }
            if (!m_live->marked.empty()) {
                txg = std::min(txg.value_or(*m_live->marked.begin()), *m_live->marked.begin());
            }
        }
        if (!txg || *txg > context.txg.value()) {
            return root();
        }
        MP_TRY(syncTxg(context, Txg(*txg)));
    }
}

void LiveObjectSet::setHoleBirth(bool active)
{
    m_live->options.holeBirth = active;
}

/// Makes the jobs of what is on the txg's list now.
Status LiveObjectSet::takeWork(Txg txg, SyncWork& work)
{
    std::vector<LiveObjectRef> objects;
    {
        const MutexLock lock(m_live->mutex);
        const auto found = m_live->dirty.find(txg.value());
        if (found != m_live->dirty.end()) {
            objects = std::move(found->second);
            m_live->dirty.erase(found);
        }
    }
    std::ranges::sort(objects, {}, [](const LiveObjectRef& object) { return object->id; });
    for (LiveObjectRef& object : objects) {
        const MutexLock lock(object->mutex);
        MP_CHECK(!object->changes.empty() && object->changes.front()->txg == txg); // INV-2
        work.jobs.push_back(makeJob(*object->changes.front(), object->synced));
        work.objects.push_back(std::move(object));
    }
    return {};
}

Status LiveObjectSet::syncTxg(SyncContext& context, Txg txg)
{
    SyncWork work;
    work.txg = txg;
    TreeSync trees(source(), context, m_live->options.holeBirth);
    MP_TRY(takeWork(txg, work));
    if (!work.objects.empty() && isSpecial(work.objects.back()->id) && context.owners != nullptr) {
        return fail(ErrorCode::InvalidArgument, "accounting objects changed from outside");
    }
    work.ordinary = static_cast<std::size_t>(
        std::ranges::find_if(work.objects,
                             [](const LiveObjectRef& object) { return isSpecial(object->id); }) -
        work.objects.begin());
    MP_TRY(trees.run(std::span(work.jobs).first(work.ordinary)));
    if (context.owners != nullptr) {
        MP_TRY(accountOwners(context, work));
        MP_TRY(takeWork(txg, work)); // the accounts themselves
    }
    MP_TRY(trees.run(std::span(work.jobs).subspan(work.ordinary)));
    MP_TRY(syncMeta(context, work));
    MP_TRY(writeRoot(context, work));
    install(txg, work);
    return {};
}

namespace {

using Deltas = std::map<std::string, std::int64_t>;

struct Accounts
{
    Deltas users;
    Deltas groups;
    Deltas projects;
    bool countsObjects = false;
    bool countsProjects = false;

    void add(const OwnerAccounting::Owner& owner, std::uint8_t flags, std::uint64_t used, int sign)
    {
        const auto bytes = sign * static_cast<std::int64_t>(used + format::kDnodeSlotBytes);
        const auto charge = [&](Deltas& deltas, std::uint64_t id) {
            if ((flags & DnodeFlag::kUserUsedAccounted) != 0) {
                deltas[fmt::format("{:x}", id)] += bytes;
            }
            if ((flags & DnodeFlag::kUserObjectAccounted) != 0) {
                deltas[fmt::format("{}{:x}", format::kObjectCountPrefix, id)] += sign;
            }
        };
        charge(users, owner.user);
        charge(groups, owner.group);
        if (countsProjects) {
            charge(projects, owner.project);
        }
    }
};

} // namespace

/// Charges owners for what their objects take now instead of what they took [userquota].
Status LiveObjectSet::accountOwners(SyncContext& context, SyncWork& work)
{
    const std::uint64_t wanted = flags();
    Accounts accounts;
    accounts.countsObjects = (wanted & format::ObjsetFlag::kUserObjectAccountingComplete) != 0;
    accounts.countsProjects = (wanted & format::ObjsetFlag::kProjectQuotaComplete) != 0;
    const auto charge = [&](const Dnode& dnode, Bytes spill, int sign) -> Status {
        const std::optional<OwnerAccounting::Owner> owner =
            MP_TRY(context.owners->owner(dnode.bonusType, dnode.bonus, spill, dnode.order));
        if (owner) {
            accounts.add(*owner, dnode.flags, dnode.usedBytes, sign);
        }
        return {};
    };
    const auto spillOf = [&](const Dnode& dnode) -> Result<BufferRef> {
        const bool needed = dnode.bonus.empty() && dnode.spill && !dnode.spill->isHole();
        return needed ? MP_TRY(ObjectSet::readSpill(dnode)).data : nullptr;
    };
    for (std::size_t i = 0; i < work.ordinary; ++i) {
        TreeJob& job = work.jobs[i];
        if ((job.old->flags & DnodeFlag::kUserUsedAccounted) != 0) {
            const BufferRef spill = MP_TRY(spillOf(*job.old));
            MP_TRY(charge(*job.old, spill == nullptr ? Bytes() : spill->bytes(), -1));
        }
        if (!job.freeAll) {
            job.dnode.flags |= DnodeFlag::kUserUsedAccounted;
            job.dnode.flags |=
                accounts.countsObjects ? DnodeFlag::kUserObjectAccounted : std::uint8_t{0};
            BufferRef spill = job.spill;
            if (spill == nullptr) {
                spill = MP_TRY(spillOf(job.dnode));
            }
            MP_TRY(charge(job.dnode, spill == nullptr ? Bytes() : spill->bytes(), 1));
        }
    }
    ZapWriter zap(*this, work.txg);
    const auto apply = [&](ObjectId id, const Deltas& deltas) -> Status {
        if (specialDnode(id) == nullptr) {
            MP_TRY(zap.claim(id, {.type = format::number(format::ObjectType::UserGroupUsed)}));
        }
        for (const auto& [name, delta] : deltas) {
            if (delta != 0) {
                MP_TRY(zap.increment(id, name, delta));
            }
        }
        return {};
    };
    if (d->header.sizeBytes < format::ObjsetPhys::kBytesV2) {
        return {}; // has no room for accounts
    }
    MP_TRY(apply(format::kUserUsedObject, accounts.users));
    MP_TRY(apply(format::kGroupUsedObject, accounts.groups));
    return accounts.countsProjects ? apply(format::kProjectUsedObject, accounts.projects)
                                   : Status();
}

/// Puts the dnodes into their blocks and writes the tree of these.
Status LiveObjectSet::syncMeta(SyncContext& context, SyncWork& work)
{
    TreeJob job;
    job.old = metaDnode();
    job.dnode = *job.old;
    job.dnode.order = ByteOrder::Little;
    const std::uint64_t perBlock = job.dnode.dataBlockBytes / format::kDnodeSlotBytes;
    std::map<std::uint64_t, std::vector<TreeJob*>> byBlock;
    for (std::size_t i = 0; i < work.ordinary; ++i) {
        TreeJob& each = work.jobs[i];
        const std::uint64_t block = work.objects[i]->id.value() / perBlock;
        byBlock[block].push_back(&each);
        if (each.freeAll) {
            work.blocksWithRoom.insert(block);
        } else if (each.dnode.slots > 1) {
            context.usedLargeDnodes = true;
        }
    }
    for (const auto& [block, jobs] : byBlock) {
        job.leaves.push_back({block, nullptr, ByteOrder::Little, 0});
        job.dnode.maxBlockId = std::max(job.dnode.maxBlockId, block);
    }
    job.makeLeaf = [&](std::uint64_t index) -> Result<LeafWrite> {
        const Block before = MP_TRY(ObjectSet::readBlock(*job.old, BlockIndex(index)));
        Buffer made = before.data == nullptr
                          ? MP_TRY(Buffer::createZeroed(job.dnode.dataBlockBytes))
                          : MP_TRY(Buffer::copyOf(before.data->bytes()));
        const ByteOrder order = before.data == nullptr ? ByteOrder::Little : before.order;
        // Freed ones first: a new one may take their slots.
        const std::vector<TreeJob*>& jobs = byBlock.at(index);
        const auto slotsOf = [&](const TreeJob& each) {
            return made.bytes().subspan(each.dnode.id.value() % perBlock * format::kDnodeSlotBytes,
                                        each.dnode.slots * format::kDnodeSlotBytes);
        };
        for (TreeJob* each : jobs) {
            if (each->freeAll) {
                std::ranges::fill(slotsOf(*each), std::byte{0});
            }
        }
        for (TreeJob* each : jobs) {
            if (!each->freeAll) {
                if (each->dnode.order != order) {
                    swapBonus(each->dnode);
                    each->dnode.order = order;
                }
                detail::encodeDnode(each->dnode, slotsOf(*each));
            }
        }
        const std::uint64_t count = detail::countDnodes(made.bytes());
        return LeafWrite{index, std::make_shared<const Buffer>(std::move(made)), order, count};
    };
    if (!job.leaves.empty()) {
        TreeSync trees(source(), context, m_live->options.holeBirth);
        MP_TRY(trees.run(std::span(&job, 1)));
    }
    job.makeLeaf = nullptr;
    work.meta = std::make_shared<const Dnode>(std::move(job.dnode));
    return {};
}

Status LiveObjectSet::writeRoot(SyncContext& context, SyncWork& work)
{
    format::ObjsetPhys header = d->header;
    header.order = ByteOrder::Little;
    if (header.sizeBytes > format::ObjsetPhys::kBytesV1) {
        header.sizeBytes = format::ObjsetPhys::kBytesV3;
    }
    BlockPointer before;
    {
        const MutexLock lock(m_live->mutex);
        header.intentLog = m_live->intentLog;
        header.flags = m_live->flags;
        before = m_live->root;
    }
    detail::encodeDnode(*work.meta, header.metaDnode);
    const auto encode = [&](std::optional<std::array<std::byte, 512>>& place, ObjectId id) {
        DnodeRef dnode = specialDnode(id);
        for (std::size_t i = work.ordinary; i < work.jobs.size(); ++i) {
            if (work.objects[i]->id == id) {
                dnode = std::make_shared<const Dnode>(work.jobs[i].dnode);
            }
        }
        place.reset();
        if (dnode != nullptr) {
            Dnode little = *dnode;
            little.order = ByteOrder::Little;
            detail::encodeDnode(little, place.emplace());
        }
    };
    encode(header.userUsedDnode, format::kUserUsedObject);
    encode(header.groupUsedDnode, format::kGroupUsedObject);
    encode(header.projectUsedDnode, format::kProjectUsedObject);

    Buffer data = MP_TRY(Buffer::createZeroed(header.sizeBytes));
    header.encode(data.bytes());
    block::WriteRequest request;
    request.bookmark = {d->id, ObjectId(0), block::kRootLevel, BlockIndex(0)};
    request.data = std::make_shared<const Buffer>(std::move(data));
    request.properties =
        writePolicy(context.settings, {.type = format::number(format::ObjectType::Objset)});
    request.properties.fill = 0;
    for (const BlockPointer& pointer : work.meta->pointers) {
        request.properties.fill += pointer.isHole() ? 0 : pointer.fill();
    }
    request.previous = before;
    MP_TRY(context.sink.write(std::span(&request, 1), context.txg, context.pass));
    TreeSync trees(source(), context, m_live->options.holeBirth);
    std::uint64_t charged = 0;
    MP_TRY(trees.account(request, charged));
    work.root = request.result;
    return {};
}

/// From here on readers find the new trees; changes of the txg go away.
void LiveObjectSet::install(Txg txg, SyncWork& work)
{
    std::vector<std::unique_ptr<Changes>> done;
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < work.objects.size(); ++i) {
        LiveObject& object = *work.objects[i];
        const MutexLock lock(object.mutex);
        done.push_back(std::move(object.changes.front()));
        object.changes.pop_front();
        bytes += done.back()->bytes;
        object.synced = work.jobs[i].freeAll
                            ? nullptr
                            : std::make_shared<const Dnode>(std::move(work.jobs[i].dnode));
        ++object.version;
        object.snapshot = nullptr;
    }
    m_live->dirtyBytes -= bytes;
    if (m_live->options.meter != nullptr && bytes != 0) {
        m_live->options.meter->cleaned(txg, ByteCount(bytes));
    }
    const MutexLock lock(m_live->mutex);
    m_live->meta = work.meta;
    ++m_live->metaVersion;
    m_live->root = work.root;
    m_live->marked.erase(txg.value());
    for (std::size_t i = 0; i < work.objects.size(); ++i) {
        LiveObject& object = *work.objects[i];
        --object.dirty;
        if (done[i]->allocated && !isSpecial(object.id)) {
            for (std::uint64_t slot = 0; slot < done[i]->state.slots; ++slot) {
                m_live->fresh.erase(object.id.value() + slot);
            }
        }
        if (work.jobs[i].freeAll) {
            object.evicted = true;
            m_live->objects.erase(object.id.value());
        } else if (object.dirty == 0) {
            m_live->clean.push_back(object.id.value());
        }
    }
    m_live->room.merge(work.blocksWithRoom);
    m_live->trim();
}

} // namespace millpond::object
