// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/buffer.h"
#include "base/mutex.h"
#include "object/object_set.h"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>

// What is in memory of one object that can be changed. Theory statement: live_object_set.cpp.

namespace millpond::object::detail {

/// Block numbers of one object.
class BlockRanges
{
public:
    /// Both included.
    void add(std::uint64_t first, std::uint64_t last);
    [[nodiscard]] bool contains(std::uint64_t block) const;
    /// The last block of the range that contains `block`, which must be in one.
    [[nodiscard]] std::uint64_t lastOf(std::uint64_t block) const;

    [[nodiscard]] bool empty() const { return m_ranges.empty(); }

    [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& ranges() const { return m_ranges; }

private:
    std::map<std::uint64_t, std::uint64_t> m_ranges; ///< first to last
};

/// The content of a block as of one txg. Changed under the object's lock, while that txg is open
/// and nobody has it on loan; afterwards immutable.
struct DirtyBlock
{
    Buffer data;
    ByteOrder order = ByteOrder::Little;
    std::atomic<std::uint32_t> loans{0};

    [[nodiscard]] static Result<std::shared_ptr<DirtyBlock>> copyOf(Bytes bytes, ByteOrder order);
    [[nodiscard]] static Result<std::shared_ptr<DirtyBlock>> zeroed(std::size_t size);
};

using DirtyBlockRef = std::shared_ptr<DirtyBlock>;

/// For a reader: as long as it is held, the block is not changed in place.
[[nodiscard]] BufferRef lend(const DirtyBlockRef& block);
/// For the sync: of a txg that is not open any more.
[[nodiscard]] BufferRef frozen(const DirtyBlockRef& block);

/// What was changed in one object in one txg.
struct Changes
{
    explicit Changes(Txg at, const Dnode& base)
        : txg(at)
        , state(base)
    {
    }

    Txg txg;
    /// The object as of the end of this txg. Levels, pointers, flags and used bytes mean nothing:
    /// they come into being when the txg is synced. A `spill` tells only that there is one.
    Dnode state;
    bool allocated = false; ///< in this txg
    bool freed = false;     ///< in this txg
    std::map<std::uint64_t, DirtyBlockRef> blocks;
    /// Blocks that became holes; those of them that were written after that are in `blocks`.
    BlockRanges holes;
    bool spillChanged = false;
    DirtyBlockRef spill; ///< null: removed
    std::uint64_t bytes = 0;
};

/// Where the newest content of a block is.
struct BlockPlace
{
    enum class Kind : std::uint8_t
    {
        Hole,
        Memory,
        Disk, ///< as the synced dnode says
    };
    Kind kind = Kind::Hole;
    DirtyBlockRef block;
};

struct LiveObject
{
    explicit LiveObject(ObjectId number)
        : id(number)
    {
    }

    const ObjectId id;
    /// Guards all down to the next mark; newest(), takeSnapshot() and place() are called with it
    /// held.
    mutable Mutex mutex;
    /// As on disk; null for an object that never was there.
    DnodeRef synced;
    /// Oldest first; as many as there are txgs that are not synced.
    std::deque<std::unique_ptr<Changes>> changes;
    /// How often `synced` was replaced.
    std::uint64_t version = 0;
    /// Of the newest state, made when asked for.
    DnodeRef snapshot;

    // Guarded by the object set's lock.
    unsigned dirty = 0;   ///< txgs on whose list it is
    bool evicted = false; ///< not to be changed any more: look it up again

    /// Null when the object does not exist in its newest state.
    [[nodiscard]] const Dnode* newest() const;
    [[nodiscard]] DnodeRef takeSnapshot();
    [[nodiscard]] BlockPlace place(std::uint64_t block) const;
};

using LiveObjectRef = std::shared_ptr<LiveObject>;

} // namespace millpond::object::detail
