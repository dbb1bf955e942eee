// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "block/block_source.h"

#include <list>
#include <unordered_map>

namespace millpond::posix::detail {

/// Locks of parts of files, for those who change contents: different parts at the same time, the
/// same part one after the other, in the order they came [zfs_rlock]. Taken before the hold of a
/// transaction group and kept over several; nobody holds two. Thread-safe.
class RangeLocks
{
public:
    struct Range
    {
        std::uint64_t begin = 0;
        std::uint64_t end = ~std::uint64_t{0}; ///< exclusive

        [[nodiscard]] bool isAll() const { return begin == 0 && end == ~std::uint64_t{0}; }
    };

    /// Gives the lock back. Move only.
    class Held
    {
    public:
        Held() = default;
        Held(Held&& other) noexcept;
        Held& operator=(Held&& other) noexcept;
        ~Held();

    private:
        friend class RangeLocks;
        using Place = std::list<Range>::iterator;
        Held(RangeLocks& locks, ObjectId object, Place place);

        RangeLocks* m_locks = nullptr;
        ObjectId m_object;
        Place m_place;
    };

    /// Waits for all who came earlier and whose ranges overlap. With Wait::CachedOnly WouldBlock
    /// instead.
    [[nodiscard]] Result<Held> acquire(ObjectId object, const Range& range, block::Wait wait);

private:
    void release(ObjectId object, Held::Place place);

    Mutex m_mutex;
    CondVar m_released;
    /// Of each object those who hold and those who wait, in the order they came.
    std::unordered_map<ObjectId, std::list<Range>> m_ranges MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::posix::detail
