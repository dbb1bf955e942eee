// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "object/object_set.h"

#include <array>

namespace millpond::object::detail {

/// The dnodes used last, one per residue of the object number: small, because thousands of object
/// sets may be open. Thread-safe.
class DnodeCache
{
public:
    static constexpr std::size_t kSlots = 16;

    [[nodiscard]] DnodeRef find(ObjectId id) const
    {
        const MutexLock lock(m_mutex);
        const DnodeRef& slot = m_slots[id.value() % kSlots];
        return slot != nullptr && slot->id == id ? slot : nullptr;
    }

    void insert(DnodeRef dnode)
    {
        const MutexLock lock(m_mutex);
        m_slots[dnode->id.value() % kSlots].swap(dnode);
    }

private:
    mutable Mutex m_mutex;
    std::array<DnodeRef, kSlots> m_slots MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::object::detail
