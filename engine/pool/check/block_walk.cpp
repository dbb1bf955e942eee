// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/check/block_walk.h"

#include "format/dnode.h"

#include <fmt/format.h>

namespace millpond::pool {

namespace {
using format::BlockPointer;

constexpr block::ReadContext kOnce{.wait = block::Wait::MayBlock, .keep = false};
constexpr std::uint64_t kDnodesPerBlock = format::kDnodeBlockBytes / format::kDnodeSlotBytes;

class Walk
{
public:
    Walk(const Pool& pool,
         Reporter& reporter,
         Txg bornAfter,
         WalkVisitor& visitor,
         SubtreeSpace* space)
        : m_pool(pool)
        , m_reporter(reporter)
        , m_bornAfter(bornAfter)
        , m_visitor(visitor)
        , m_space(space)
    {
    }

    Status run(const BlockPointer& root, ObjsetId objset);

private:
    /// What the blocks of one object, or below one of its indirect blocks, take.
    struct Taken
    {
        std::uint64_t bytes = 0;
        bool known = true; ///< false: some of it was not met
    };

    Status object(const object::Dnode& dnode);
    Status below(const BlockPointer& pointer,
                 const object::Dnode& dnode,
                 Level level,
                 BlockIndex index,
                 Taken& taken);
    Status children(const BlockPointer& pointer,
                    const object::Dnode& dnode,
                    Level level,
                    BlockIndex index,
                    Taken& taken);
    void addShared(const BlockPointer& pointer, Level level, Taken& taken) const;
    void compareSpace(const object::Dnode& dnode, const Taken& taken);
    Status dnodesOf(BlockIndex index);

    [[nodiscard]] bool isOld(const BlockPointer& pointer) const
    {
        return pointer.birth() <= m_bornAfter;
    }

    [[nodiscard]] std::uint64_t bytesOf(const BlockPointer& pointer) const
    {
        return m_space == nullptr ? 0 : m_space->deflation().bytes(pointer);
    }

    const Pool& m_pool;
    Reporter& m_reporter;
    Txg m_bornAfter;
    WalkVisitor& m_visitor;
    SubtreeSpace* m_space;
    std::shared_ptr<object::ObjectSet> m_objset;
};

Status Walk::run(const BlockPointer& root, ObjsetId objset)
{
    if (root.isHole() || isOld(root)) {
        return {};
    }
    const block::Bookmark where{objset, ObjectId(), Level(), BlockIndex()};
    if (!MP_TRY(m_visitor.block(root, where))) {
        return {};
    }
    auto opened = object::ObjectSet::open(m_pool.blocks(), root, objset, kOnce);
    if (!opened) {
        m_reporter.report(opened.error(), where, "the object set's block");
        return {};
    }
    m_objset = std::move(*opened);
    MP_TRY(object(*m_objset->metaDnode()));
    for (const object::DnodeRef& dnode :
         {m_objset->userUsedDnode(), m_objset->groupUsedDnode(), m_objset->projectUsedDnode()}) {
        if (dnode != nullptr) {
            MP_TRY(object(*dnode));
        }
    }
    return {};
}

Status
Walk::object(const object::Dnode& dnode) // NOLINT(misc-no-recursion): meta dnode, then its dnodes
{
    MP_TRY(m_reporter.proceed());
    MP_TRY(m_visitor.dnode());
    const Level top(static_cast<std::uint8_t>(dnode.levels - 1));
    Taken taken;
    for (std::size_t i = 0; i < dnode.pointers.size(); ++i) {
        MP_TRY(below(dnode.pointers[i], dnode, top, BlockIndex(i), taken));
    }
    if (dnode.spill && !dnode.spill->isHole()) {
        taken.bytes += bytesOf(*dnode.spill);
        if (!isOld(*dnode.spill)) {
            MP_TRY(
                m_visitor.block(*dnode.spill, {m_objset->id(), dnode.id, Level(), BlockIndex()}));
        }
    }
    compareSpace(dnode, taken);
    return {};
}

void Walk::compareSpace(const object::Dnode& dnode, const Taken& taken)
{
    if (m_space == nullptr || !taken.known) {
        return;
    }
    // Old pools count sectors; what is no whole one was dropped there.
    const bool countsBytes = (dnode.flags & format::DnodeFlag::kUsedBytes) != 0;
    const std::uint64_t unit = countsBytes ? 1 : format::kSectorBytes;
    if (taken.bytes / unit != dnode.usedBytes / unit) {
        m_reporter.report(
            CheckFinding::Kind::Accounting,
            {m_objset->id(), dnode.id, Level(), BlockIndex()},
            fmt::format("its blocks take {} bytes, it says {}", taken.bytes, dnode.usedBytes));
    }
}

/// A pointer that an earlier snapshot has, too.
void Walk::addShared(const BlockPointer& pointer, Level level, Taken& taken) const
{
    if (m_space == nullptr || pointer.dvaCount() == 0) {
        return;
    }
    if (level == Level()) {
        taken.bytes += bytesOf(pointer);
        return;
    }
    const auto known = m_space->find(pointer);
    taken.bytes += known.value_or(0);
    taken.known = taken.known && known.has_value();
}

Status Walk::below(const BlockPointer& pointer,
                   const object::Dnode& dnode,
                   Level level, // NOLINT(misc-no-recursion): levels
                   BlockIndex index,
                   Taken& taken)
{
    if (pointer.isHole()) {
        return {};
    }
    if (isOld(pointer)) {
        addShared(pointer, level, taken);
        return {};
    }
    Taken here{bytesOf(pointer), true};
    const bool isNew = MP_TRY(m_visitor.block(pointer, {m_objset->id(), dnode.id, level, index}));
    if (level.value() > 0 && isNew) {
        MP_TRY(children(pointer, dnode, level, index, here));
        if (m_space != nullptr && here.known && pointer.dvaCount() != 0) {
            m_space->remember(pointer, here.bytes);
        }
    } else if (level.value() > 0) {
        here.known = false;
    } else if (dnode.id == format::kMetaDnodeObject && isNew) {
        MP_TRY(dnodesOf(index));
    }
    taken.bytes += here.bytes;
    taken.known = taken.known && here.known;
    return {};
}

Status Walk::children(const BlockPointer& pointer,
                      const object::Dnode& dnode,
                      Level level, // NOLINT(misc-no-recursion): levels
                      BlockIndex index,
                      Taken& taken)
{
    const block::Bookmark where{m_objset->id(), dnode.id, level, index};
    auto read = m_pool.blocks().read(pointer, where, kOnce);
    if (!read) {
        taken.known = false;
        m_reporter.report(read.error(), where);
        return {};
    }
    const Bytes bytes = (*read)->bytes();
    const std::uint64_t count = bytes.size() / BlockPointer::kBytes;
    const Level childLevel(static_cast<std::uint8_t>(level.value() - 1));
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto child = BlockPointer::at(
            bytes, static_cast<std::size_t>(i) * BlockPointer::kBytes, pointer.byteOrder());
        if (child.isHole()) {
            continue;
        }
        if (isOld(child)) {
            addShared(child, childLevel, taken);
            continue;
        }
        std::uint64_t first = 0;
        if (!checkedMultiply(index.value(), count, first) || !checkedAdd(first, i, first)) {
            m_reporter.report(
                CheckFinding::Kind::Structure, where, "a block number past the end of everything");
            taken.known = false;
            return {};
        }
        if (const Status valid = child.validate(); !valid) {
            m_reporter.report(valid.error(),
                              {m_objset->id(), dnode.id, childLevel, BlockIndex(first)});
            taken.known = false;
            continue;
        }
        MP_TRY(below(child, dnode, childLevel, BlockIndex(first), taken));
    }
    return {};
}

Status Walk::dnodesOf(BlockIndex index) // NOLINT(misc-no-recursion): once
{
    for (std::uint64_t i = 0; i < kDnodesPerBlock; ++i) {
        const ObjectId id(index.value() * kDnodesPerBlock + i);
        if (id == format::kMetaDnodeObject) {
            continue;
        }
        const auto dnode = m_objset->dnode(id, kOnce);
        if (dnode) {
            MP_TRY(object(**dnode));
        } else if (!dnode.error().is(ErrorCode::NoSuchObject)) {
            m_reporter.report(dnode.error(), {m_objset->id(), id, Level(), BlockIndex()});
            if (dnode.error().errorClass() == ErrorClass::Io ||
                dnode.error().is(ErrorCode::ChecksumMismatch)) {
                return {}; // The block, not the dnode: once is enough.
            }
        }
    }
    return {};
}
} // namespace

Status walkObjectSet(const Pool& pool,
                     Reporter& reporter,
                     const BlockPointer& root,
                     ObjsetId objset,
                     Txg bornAfter,
                     WalkVisitor& visitor,
                     SubtreeSpace* space)
{
    return Walk(pool, reporter, bornAfter, visitor, space).run(root, objset);
}

} // namespace millpond::pool
