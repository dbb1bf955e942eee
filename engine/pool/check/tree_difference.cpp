// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/check/tree_difference.h"

#include <algorithm>

namespace millpond::pool {

namespace {
using format::BlockPointer;

class Comparing
{
public:
    Comparing(const ObjectVersion& before,
              const ObjectVersion& now,
              std::uint64_t atMost,
              FunctionRef<Status(const BlockDifference&)> visit)
        : m_before(before)
        , m_now(now)
        , m_left(atMost)
        , m_visit(visit)
    {
    }

    Status run();

private:
    /// What a version has at a place. Above the top of its tree nothing stands, but all of it is
    /// below the first place there.
    struct Side
    {
        bool above = false;
        BlockPointer pointer; ///< a hole where there is nothing
    };

    static Result<Side> sideAt(const ObjectVersion& version, unsigned level, std::uint64_t index);
    Status at(unsigned level, std::uint64_t index);

    const ObjectVersion& m_before;
    const ObjectVersion& m_now;
    std::uint64_t m_left;
    std::uint64_t m_perBlock = 0; ///< pointers in an indirect block
    FunctionRef<Status(const BlockDifference&)> m_visit;
};

Result<Comparing::Side>
Comparing::sideAt(const ObjectVersion& version, unsigned level, std::uint64_t index)
{
    Side side;
    if (version.dnode == nullptr) {
        return side;
    }
    const object::Dnode& dnode = *version.dnode;
    if (level >= dnode.levels) {
        side.above = index == 0;
        return side;
    }
    if (level + 1U == dnode.levels) {
        if (index < dnode.pointers.size()) {
            side.pointer = dnode.pointers[static_cast<std::size_t>(index)];
        }
        return side;
    }
    side.pointer = MP_TRY(version.objset->blockPointer(
        dnode, Level(static_cast<std::uint8_t>(level)), BlockIndex(index)));
    return side;
}

Status Comparing::at(unsigned level, std::uint64_t index) // NOLINT(misc-no-recursion): levels
{
    const Side before = MP_TRY(sideAt(m_before, level, index));
    const Side now = MP_TRY(sideAt(m_now, level, index));
    const bool inOld = before.above || !before.pointer.isHole();
    const bool inNew = now.above || !now.pointer.isHole();
    if (!inOld && !inNew) {
        return {};
    }
    if (!before.above && !now.above && before.pointer == now.pointer) {
        return {};
    }
    if (m_left-- == 0) {
        m_left = 0;
        return fail(ErrorCode::TooMany, "its pointers lead to more blocks than there are");
    }
    if (level == 0) {
        return m_visit({BlockIndex(index), inOld, inNew});
    }
    std::uint64_t first = 0;
    if (!checkedMultiply(index, m_perBlock, first)) {
        return fail(ErrorCode::BadBlockPointer, "a block number past the end of everything");
    }
    for (std::uint64_t i = 0; i < m_perBlock; ++i) {
        MP_TRY(at(level - 1, first + i));
    }
    return {};
}

Status Comparing::run()
{
    unsigned levels = 0;
    std::size_t pointers = 0;
    for (const ObjectVersion* version : {&m_before, &m_now}) {
        if (version->dnode == nullptr) {
            continue;
        }
        const object::Dnode& dnode = *version->dnode;
        levels = std::max(levels, unsigned{dnode.levels});
        pointers = std::max(pointers, dnode.pointers.size());
        if (dnode.levels > 1) {
            m_perBlock = (std::uint64_t{1} << dnode.indirectShift) / BlockPointer::kBytes;
        }
    }
    for (std::size_t i = 0; i < pointers; ++i) {
        MP_TRY(at(levels - 1, i));
    }
    return {};
}

/// Whether block numbers mean the same in both.
bool haveOneShape(const object::Dnode& a, const object::Dnode& b)
{
    return a.dataBlockBytes == b.dataBlockBytes &&
           (a.levels == 1 || b.levels == 1 || a.indirectShift == b.indirectShift);
}
} // namespace

Status forEachDifference(const ObjectVersion& before,
                         const ObjectVersion& now,
                         std::uint64_t atMost,
                         FunctionRef<Status(const BlockDifference&)> visit)
{
    if (before.dnode != nullptr && now.dnode != nullptr &&
        !haveOneShape(*before.dnode, *now.dnode)) {
        MP_TRY(Comparing(before, {}, atMost, visit).run());
        return Comparing({}, now, atMost, visit).run();
    }
    return Comparing(before, now, atMost, visit).run();
}

} // namespace millpond::pool
