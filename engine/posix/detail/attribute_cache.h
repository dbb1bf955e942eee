// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "posix/file_system.h"

#include <unordered_map>

namespace millpond::posix::detail {

/// Attributes of the objects asked for last. Two generations: when the young one is full it becomes
/// the old one, and what was not asked for since is forgotten. Thread-safe.
class AttributeCache
{
public:
    using Ref = std::shared_ptr<const Attributes>;

    static constexpr std::size_t kGenerationEntries =
        8192; ///< about 2 MiB for both generations each

    [[nodiscard]] Ref find(ObjectId object)
    {
        const MutexLock lock(m_mutex);
        if (const auto young = m_young.find(object); young != m_young.end()) {
            return young->second;
        }
        const auto old = m_old.find(object);
        if (old == m_old.end()) {
            return nullptr;
        }
        const Ref found = old->second;
        m_young.emplace(object, found);
        return found;
    }

    void insert(ObjectId object, Ref attributes)
    {
        const MutexLock lock(m_mutex);
        if (m_young.size() >= kGenerationEntries) {
            m_old = std::move(m_young);
            m_young.clear();
        }
        m_young[object] = std::move(attributes);
    }

private:
    using Generation = std::unordered_map<ObjectId, Ref>;

    Mutex m_mutex;
    Generation m_young MP_GUARDED_BY(m_mutex);
    Generation m_old MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::posix::detail
