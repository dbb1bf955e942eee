// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "block/block_source.h"

#include <unordered_map>
#include <vector>

namespace millpond::posix::detail {

/// Locks of objects by number, taken all together: nobody holds some while he waits for others, so
/// there is no order to keep and no deadlock. Thread-safe.
class ObjectLocks
{
public:
    struct Request
    {
        ObjectId object;
        bool exclusive = true;
    };

    /// Gives the locks back. Move only.
    class Held
    {
    public:
        Held() = default;
        Held(Held&& other) noexcept;
        Held& operator=(Held&& other) noexcept;
        ~Held();

    private:
        friend class ObjectLocks;
        Held(ObjectLocks& locks, std::vector<Request> requests);
        void release();

        ObjectLocks* m_locks = nullptr;
        std::vector<Request> m_requests;
    };

    /// An object may be named more than once: then the stronger wish counts. Who waits for
    /// exclusive locks keeps new sharers out. With Wait::CachedOnly WouldBlock instead of waiting.
    [[nodiscard]] Result<Held> acquire(std::vector<Request> requests, block::Wait wait);

private:
    struct State
    {
        std::size_t sharers = 0;
        std::size_t waiting = 0; ///< for exclusive locks
        bool exclusive = false;
    };

    [[nodiscard]] bool available(const std::vector<Request>& requests, bool waited) const
        MP_REQUIRES(m_mutex);
    void countWaiting(const std::vector<Request>& requests, bool begin) MP_REQUIRES(m_mutex);
    void dropUnused(ObjectId object) MP_REQUIRES(m_mutex);
    void release(const std::vector<Request>& requests);

    Mutex m_mutex;
    CondVar m_released;
    std::unordered_map<ObjectId, State> m_states MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::posix::detail
