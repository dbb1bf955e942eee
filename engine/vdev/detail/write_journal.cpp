// SPDX-License-Identifier: GPL-3.0-or-later
#include "vdev/detail/write_journal.h"

#include <algorithm>

namespace millpond::vdev::detail {

void WriteJournal::noteWritten(Txg txg)
{
    const MutexLock lock(m_mutex);
    m_unflushed.first = m_unflushed.written ? std::min(m_unflushed.first, txg) : txg;
    m_unflushed.last = m_unflushed.written ? std::max(m_unflushed.last, txg) : txg;
    m_unflushed.written = true;
}

void WriteJournal::noteMissed(Txg first, Txg last)
{
    const MutexLock lock(m_mutex);
    const auto touching = std::find_if(m_runs.begin(), m_runs.end(), [&](const Run& run) {
        return run.last.value() + 1 >= first.value();
    });
    if (touching == m_runs.end() || last.value() + 1 < touching->first.value()) {
        m_runs.insert(touching, {.first = first, .last = last});
    } else {
        touching->first = std::min(touching->first, first);
        touching->last = std::max(touching->last, last);
        const auto next = touching + 1;
        const auto end = std::find_if(next, m_runs.end(), [&](const Run& run) {
            return run.first.value() > touching->last.value() + 1;
        });
        if (end != next) {
            touching->last = std::max(touching->last, (end - 1)->last);
            m_runs.erase(next, end);
        }
    }
    m_any.store(true, std::memory_order_release);
}

void WriteJournal::noteLost()
{
    const MutexLock lock(m_mutex);
    m_unflushed.lost = true;
}

WriteJournal::Unflushed WriteJournal::takeUnflushed()
{
    const MutexLock lock(m_mutex);
    return std::exchange(m_unflushed, Unflushed());
}

bool WriteJournal::missed(Txg txg) const
{
    if (!missedAnything()) {
        return false;
    }
    const MutexLock lock(m_mutex);
    return std::any_of(m_runs.begin(), m_runs.end(), [&](const Run& run) {
        return run.first <= txg && txg <= run.last;
    });
}

std::vector<WriteJournal::Run> WriteJournal::runs() const
{
    const MutexLock lock(m_mutex);
    return m_runs;
}

} // namespace millpond::vdev::detail
