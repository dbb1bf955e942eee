// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "crash/pool_images.h"

#include <optional>

// One wrong number in an otherwise sound pool. A chosen block or dnode is changed where it stands,
// compressed as it was, and every block above it gets its new checksum, in place too: space maps,
// sums and parity stay as true as they were, and an edit that changes nothing leaves a sound pool.

namespace millpond::test {

class PoolEditor
{
public:
    /// A dnode, or a block of its object.
    struct Place
    {
        ObjsetId objset; ///< 0: the pool's own
        ObjectId object;
        bool block = false; ///< else the dnode itself
        Level level;
        BlockIndex index;
    };

    /// Gets the content of the block, or the dnode with all its slots.
    using Edit = FunctionRef<Status(MutableBytes content, ByteOrder order)>;

    [[nodiscard]] static Result<PoolEditor> open(const QStringList& images);

    /// Errors: InvalidArgument (no such place, or a gang or embedded block on the way), TooMany
    /// (compressed, the new content is larger than the old), and what `edit` returns.
    [[nodiscard]] Status edit(const Place& place, Edit edit);

private:
    struct Step
    {
        format::BlockPointer pointer;
        std::vector<std::byte> content;
        std::size_t childOffset = 0; ///< of the next step's pointer
    };

    using Path = std::vector<Step>;

    explicit PoolEditor(PoolImages images)
        : m_images(std::move(images))
    {
    }

    [[nodiscard]] Status push(Path& path, const format::BlockPointer& pointer) const;
    /// From a dnode in the last step's content down to a block of its object.
    [[nodiscard]] Status
    descend(Path& path, std::size_t dnodeOffset, Level level, BlockIndex index) const;
    /// From an object set's block to the block of a dnode; gives the dnode's offset there.
    [[nodiscard]] Result<std::size_t> descendToDnode(Path& path, ObjectId object) const;
    [[nodiscard]] Status writeBack(Path& path);

    PoolImages m_images;
};

} // namespace millpond::test
