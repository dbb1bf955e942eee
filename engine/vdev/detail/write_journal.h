// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "vdev/vdev.h"

#include <atomic>
#include <vector>

namespace millpond::vdev::detail {

/// What became of a leaf's writes: which txgs it has missed, and what is not flushed yet.
/// Thread-safe.
class WriteJournal
{
public:
    /// What happened since the last flush.
    struct Unflushed
    {
        bool written = false; ///< in some txg of first to last
        bool lost = false;    ///< something that was written well on other leaves is not here
        Txg first, last;
    };

    struct Run
    {
        Txg first, last;
    };

    void noteWritten(Txg txg);
    void noteMissed(Txg first, Txg last);
    void noteLost();
    [[nodiscard]] Unflushed takeUnflushed();

    [[nodiscard]] bool missed(Txg txg) const;

    [[nodiscard]] bool missedAnything() const { return m_any.load(std::memory_order_acquire); }

    [[nodiscard]] std::vector<Run> runs() const;

private:
    mutable Mutex m_mutex;
    Unflushed m_unflushed MP_GUARDED_BY(m_mutex);
    std::vector<Run> m_runs MP_GUARDED_BY(m_mutex); ///< ascending, apart
    std::atomic<bool> m_any = false;                ///< m_runs is not empty
};

} // namespace millpond::vdev::detail
