// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "vdev/detail/top_base.h"

#include <optional>
#include <span>
#include <vector>

namespace millpond::vdev::detail {

/// Flushes all leaves of a tree that were written to. Callers that come while a flush runs share
/// the next one. Thread-safe.
class Flusher
{
public:
    /// See VdevTree::flush(). `tops` by number; null between.
    [[nodiscard]] Status flush(std::span<const std::unique_ptr<TopBase>> tops);
    void forgetLosses();

private:
    Mutex m_mutex;
    CondVar m_changed;
    bool m_running MP_GUARDED_BY(m_mutex) = false;
    std::uint64_t m_started MP_GUARDED_BY(m_mutex) = 0;
    std::uint64_t m_finished MP_GUARDED_BY(m_mutex) = 0;
    /// What was lost stays lost for every later caller.
    std::optional<Error> m_loss MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::vdev::detail
