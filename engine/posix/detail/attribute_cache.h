// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "posix/detail/znode.h"

#include <array>
#include <unordered_map>

namespace millpond::posix::detail {

/// Attributes of the objects asked for last. Two generations: when the young one is full it becomes
/// the old one, and what was not asked for since is forgotten. Thread-safe.
///
/// Who writes tells of every change. What was read before a change is not found after it, whoever
/// brings it when: a reader notes the number of changes before it reads.
class AttributeCache
{
public:
    struct Entry
    {
        std::shared_ptr<const Attributes> attributes; ///< null: not known
        /// False: changes are not synced yet, which will change the space used.
        bool settled = true;
        /// All of it, of an object that was changed last; null else.
        std::shared_ptr<const Znode> znode;
    };

    static constexpr std::size_t kGenerationEntries =
        8192; ///< 2 MiB, while much is changed 4 MiB, for each of both generations

    [[nodiscard]] Entry find(ObjectId object)
    {
        const MutexLock lock(m_mutex);
        if (const auto young = m_young.find(object); young != m_young.end()) {
            return young->second;
        }
        const auto old = m_old.find(object);
        if (old == m_old.end()) {
            return {};
        }
        const Entry found = old->second;
        add(object, found);
        return found;
    }

    /// What insert() wants to know: taken before the attributes are read.
    [[nodiscard]] std::uint64_t changes(ObjectId object)
    {
        const MutexLock lock(m_mutex);
        return changesOf(object);
    }

    /// Does nothing when the object was changed since changes().
    void insert(ObjectId object, Entry entry, std::uint64_t changes)
    {
        const MutexLock lock(m_mutex);
        if (changes == changesOf(object)) {
            add(object, std::move(entry));
        }
    }

    /// The object was changed; whoever did it still keeps others from changing it.
    void forget(ObjectId object)
    {
        const MutexLock lock(m_mutex);
        ++changesOf(object);
        m_young.erase(object);
        m_old.erase(object);
    }

private:
    using Generation = std::unordered_map<ObjectId, Entry>;

    /// Shared by all objects of the same remainder.
    static constexpr std::size_t kCounters = 64;

    [[nodiscard]] std::uint64_t& changesOf(ObjectId object) MP_REQUIRES(m_mutex)
    {
        return m_changes[object.value() % kCounters];
    }

    void add(ObjectId object, Entry entry) MP_REQUIRES(m_mutex)
    {
        if (m_young.size() >= kGenerationEntries) {
            m_old = std::move(m_young);
            m_young.clear();
        }
        m_young.insert_or_assign(object, std::move(entry));
    }

    Mutex m_mutex;
    std::array<std::uint64_t, kCounters> m_changes MP_GUARDED_BY(m_mutex){};
    Generation m_young MP_GUARDED_BY(m_mutex);
    Generation m_old MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::posix::detail
