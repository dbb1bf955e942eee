// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "object/detail/live_object.h"
#include "object/live_object_set.h"

#include <atomic>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace millpond::object {

/// Blocks of an object read from disk for a change, good as long as its synced tree is the same.
struct LoadedBlocks
{
    const detail::LiveObject* object = nullptr;
    std::uint64_t version = 0;
    std::vector<std::pair<std::uint64_t, ObjectSet::Block>> blocks;

    [[nodiscard]] const ObjectSet::Block* find(std::uint64_t index) const
    {
        for (const auto& [number, block] : blocks) {
            if (number == index) {
                return &block;
            }
        }
        return nullptr;
    }
};

/// For changes that need nothing from disk.
inline constexpr auto kNoBlocks = [](const Dnode&) -> Result<std::vector<std::uint64_t>> {
    return std::vector<std::uint64_t>();
};

/// The state of a LiveObjectSet. Lock order: allocMutex, an object's, mutex.
class LiveObjectSet::Live
{
public:
    using LiveObject = detail::LiveObject;
    using LiveObjectRef = detail::LiveObjectRef;
    using Changes = detail::Changes;

    LiveOptions options;
    std::atomic<std::uint64_t> dirtyBytes{0};

    mutable Mutex mutex;
    DnodeRef meta MP_GUARDED_BY(mutex);
    std::uint64_t metaVersion MP_GUARDED_BY(mutex) = 0; ///< how often it was replaced
    format::BlockPointer root MP_GUARDED_BY(mutex);
    format::ZilHeader intentLog MP_GUARDED_BY(mutex);
    std::uint64_t flags MP_GUARDED_BY(mutex) = 0;
    std::unordered_map<std::uint64_t, LiveObjectRef> objects MP_GUARDED_BY(mutex);
    std::deque<std::uint64_t> clean MP_GUARDED_BY(mutex); ///< candidates for eviction, oldest first
    std::map<std::uint64_t, std::vector<LiveObjectRef>> dirty MP_GUARDED_BY(mutex); ///< by txg
    std::set<std::uint64_t> marked MP_GUARDED_BY(mutex); ///< txgs whose root is to be written
    std::set<std::uint64_t> fresh MP_GUARDED_BY(mutex);  ///< slots of objects not yet on disk
    std::set<std::uint64_t> room MP_GUARDED_BY(mutex);   ///< dnode blocks in which slots got free

    /// Where numbers are given out.
    Mutex allocMutex;
    std::vector<bool> usedSlots MP_GUARDED_BY(allocMutex); ///< of `block`; empty: none chosen
    std::uint64_t block MP_GUARDED_BY(allocMutex) = 0;
    std::uint64_t nextBlock MP_GUARDED_BY(allocMutex) = 0;

    /// Puts an object into memory that is clean; drops others that were there too long.
    void keep(const LiveObjectRef& object) MP_REQUIRES(mutex);
    void trim() MP_REQUIRES(mutex);
    void charge(Changes& changes, std::uint64_t bytes);
    void discharge(Changes& changes, std::uint64_t bytes);
    /// Null: the object has no spill block any more.
    void replaceSpill(Changes& changes, detail::DirtyBlockRef spill);
};

} // namespace millpond::object
