// SPDX-License-Identifier: GPL-3.0-or-later
#include "vdev/detail/flusher.h"

#include <algorithm>

namespace millpond::vdev::detail {

namespace {

struct LeafFlush
{
    Leaf* leaf = nullptr;
    WriteJournal::Unflushed since;
    bool asked = false;
    Status status;
};

using LeafFlushes = std::map<const Leaf*, LeafFlush>;

LeafFlushes collect(std::span<const std::unique_ptr<TopBase>> tops)
{
    LeafFlushes flushes;
    for (const auto& top : tops) {
        if (!top) {
            continue;
        }
        for (const LeafGroup& group : top->groups()) {
            for (Leaf* leaf : group) {
                flushes[leaf] = {.leaf = leaf,
                                 .since = leaf->journal().takeUnflushed(),
                                 .asked = false,
                                 .status = Status()};
            }
        }
    }
    return flushes;
}

void askAll(LeafFlushes& flushes)
{
    std::vector<LeafFlush*> asked;
    for (auto& [key, flush] : flushes) {
        if (!flush.since.written) {
            continue;
        }
        if (!flush.leaf->readable()) {
            flush.status = fail(ErrorCode::DeviceMissing, "gone before its flush");
            continue;
        }
        flush.asked = true;
        asked.push_back(&flush);
    }
    Countdown countdown(asked.size());
    for (LeafFlush* flush : asked) {
        device::DeviceRequest request{.op = runtime::IoOp::Sync,
                                      .offset = {},
                                      .into = {},
                                      .from = {},
                                      .done = [flush, &countdown](Status status) {
                                          flush->status = std::move(status);
                                          countdown.step();
                                      }};
        flush->leaf->device()->submit(std::span(&request, 1));
    }
    countdown.wait();
    for (auto& [key, flush] : flushes) {
        if (!flush.status) {
            flush.leaf->journal().noteMissed(flush.since.first, flush.since.last);
            if (flush.asked) {
                flush.leaf->counters().countWriteError();
            }
        }
    }
}

/// Enough of the top-level vdev is there of all that was written well since the last flush.
Status judge(const TopBase& top, const LeafFlushes& flushes)
{
    std::size_t lost = 0;
    const Error* why = nullptr;
    for (const LeafGroup& group : top.groups()) {
        const bool whole = std::any_of(group.begin(), group.end(), [&](const Leaf* leaf) {
            const LeafFlush& flush = flushes.at(leaf);
            return flush.status.has_value() && !flush.since.lost;
        });
        lost += whole ? 0U : 1U;
        for (const Leaf* leaf : group) {
            const Status& status = flushes.at(leaf).status;
            why = status ? why : &status.error();
        }
    }
    // Without a failed flush every block that was reported good can be read.
    if (why == nullptr || lost <= top.spareColumns()) {
        return {};
    }
    return fail(
        ErrorCode::DeviceIo, "what was written may be lost: " + why->what(), {.vdev = top.guid()});
}

Status flushOnce(std::span<const std::unique_ptr<TopBase>> tops)
{
    LeafFlushes flushes = collect(tops);
    askAll(flushes);
    for (const auto& top : tops) {
        if (top) {
            MP_TRY(judge(*top, flushes));
        }
    }
    return {};
}

} // namespace

Status Flusher::flush(std::span<const std::unique_ptr<TopBase>> tops)
{
    std::uint64_t mine = 0;
    {
        const MutexLock lock(m_mutex);
        mine = m_started + 1; // the one that runs may have begun before our writes ended
        while (m_running && m_finished < mine) {
            m_changed.wait(m_mutex);
        }
        if (m_finished >= mine) {
            return m_loss ? Status(fail(Error(*m_loss))) : Status();
        }
        m_running = true;
        ++m_started;
    }
    Status status = flushOnce(tops);
    const MutexLock lock(m_mutex);
    if (!status && !m_loss) {
        m_loss = std::move(status).error();
    }
    m_running = false;
    m_finished = m_started;
    m_changed.notifyAll();
    return m_loss ? Status(fail(Error(*m_loss))) : Status();
}

void Flusher::forgetLosses()
{
    const MutexLock lock(m_mutex);
    m_loss.reset();
}

} // namespace millpond::vdev::detail
