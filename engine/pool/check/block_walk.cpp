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
    Walk(const Pool& pool, Reporter& reporter, Txg bornAfter, WalkVisitor& visitor)
        : m_pool(pool)
        , m_reporter(reporter)
        , m_bornAfter(bornAfter)
        , m_visitor(visitor)
    {
    }

    Status run(const BlockPointer& root, ObjsetId objset);

private:
    Status object(const object::Dnode& dnode);
    Status
    below(const BlockPointer& pointer, const object::Dnode& dnode, Level level, BlockIndex index);
    Status children(const BlockPointer& pointer,
                    const object::Dnode& dnode,
                    Level level,
                    BlockIndex index);
    Status dnodesOf(BlockIndex index);

    [[nodiscard]] bool isOld(const BlockPointer& pointer) const
    {
        return pointer.birth() <= m_bornAfter;
    }

    const Pool& m_pool;
    Reporter& m_reporter;
    Txg m_bornAfter;
    WalkVisitor& m_visitor;
    std::shared_ptr<object::ObjectSet> m_objset;
};

Status Walk::run(const BlockPointer& root, ObjsetId objset)
{
    if (root.isHole() || isOld(root)) {
        return {};
    }
    const block::Bookmark where{objset, ObjectId(), Level(), BlockIndex()};
    MP_TRY(m_visitor.block(root, where));
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
    for (std::size_t i = 0; i < dnode.pointers.size(); ++i) {
        MP_TRY(below(dnode.pointers[i], dnode, top, BlockIndex(i)));
    }
    if (dnode.spill && !dnode.spill->isHole() && !isOld(*dnode.spill)) {
        MP_TRY(m_visitor.block(*dnode.spill, {m_objset->id(), dnode.id, Level(), BlockIndex()}));
    }
    return {};
}

Status Walk::below(const BlockPointer& pointer,
                   const object::Dnode& dnode,
                   Level level, // NOLINT(misc-no-recursion): levels
                   BlockIndex index)
{
    if (pointer.isHole() || isOld(pointer)) {
        return {};
    }
    MP_TRY(m_visitor.block(pointer, {m_objset->id(), dnode.id, level, index}));
    if (level.value() > 0) {
        return children(pointer, dnode, level, index);
    }
    return dnode.id == format::kMetaDnodeObject ? dnodesOf(index) : Status();
}

Status Walk::children(const BlockPointer& pointer,
                      const object::Dnode& dnode,
                      Level level, // NOLINT(misc-no-recursion): levels
                      BlockIndex index)
{
    const block::Bookmark where{m_objset->id(), dnode.id, level, index};
    auto read = m_pool.blocks().read(pointer, where, kOnce);
    if (!read) {
        m_reporter.report(read.error(), where);
        return {};
    }
    const Bytes bytes = (*read)->bytes();
    const std::uint64_t count = bytes.size() / BlockPointer::kBytes;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto child = BlockPointer::at(
            bytes, static_cast<std::size_t>(i) * BlockPointer::kBytes, pointer.byteOrder());
        if (child.isHole() || isOld(child)) {
            continue;
        }
        std::uint64_t first = 0;
        if (!checkedMultiply(index.value(), count, first) || !checkedAdd(first, i, first)) {
            m_reporter.report(
                CheckFinding::Kind::Structure, where, "a block number past the end of everything");
            return {};
        }
        if (const Status valid = child.validate(); !valid) {
            m_reporter.report(valid.error(),
                              {m_objset->id(),
                               dnode.id,
                               Level(static_cast<std::uint8_t>(level.value() - 1)),
                               BlockIndex(first)});
            continue;
        }
        MP_TRY(below(
            child, dnode, Level(static_cast<std::uint8_t>(level.value() - 1)), BlockIndex(first)));
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
                     WalkVisitor& visitor)
{
    return Walk(pool, reporter, bornAfter, visitor).run(root, objset);
}

} // namespace millpond::pool
