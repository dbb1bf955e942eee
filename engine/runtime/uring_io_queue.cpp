// SPDX-License-Identifier: GPL-3.0-or-later
// The back end of IoQueue over io_uring. liburing is named in this file only.
#include "base/check.h"
#include "base/mutex.h"
#include "runtime/detail/io_state.h"
#include "runtime/detail/start_thread.h"

#include <cerrno>
#include <cstring>
#include <liburing.h>
#include <thread>
#include <vector>

namespace millpond::runtime::detail {

namespace {

constexpr std::uint64_t kStopMark = ~std::uint64_t{0};
/// Pause when the kernel is short of memory for a submission.
constexpr std::chrono::milliseconds kRetryPause{1};

class UringIoQueue final : public IoQueue
{
public:
    explicit UringIoQueue(unsigned depth)
        : m_depth(depth)
        , m_slots(depth)
    {
        for (unsigned i = depth; i-- > 0;) {
            m_free.push_back(i);
        }
    }

    ~UringIoQueue() override
    {
        if (m_reaper.joinable()) {
            stopReaper();
        }
        if (m_ringOpen) {
            io_uring_queue_exit(&m_ring);
        }
    }

    UringIoQueue(const UringIoQueue&) = delete;
    UringIoQueue& operator=(const UringIoQueue&) = delete;

    /// Opens the ring and proves that it works: a container may allow the set-up and refuse the
    /// use.
    [[nodiscard]] Status start()
    {
        // One entry more than requests in flight, for the stop mark.
        const int failed = io_uring_queue_init(m_depth + 1, &m_ring, 0);
        if (failed < 0) {
            return unusable(-failed);
        }
        m_ringOpen = true;
        MP_TRY(tryOut());
        m_reaper = MP_TRY(startThread("mp-uring", [this] { reap(); }));
        return {};
    }

    void submit(std::span<IoRequest> batch) override
    {
        const MutexLock lock(m_mutex);
        for (IoRequest& request : batch) {
            while (m_free.empty()) {
                flush();
                m_slotFreed.wait(m_mutex);
            }
            const unsigned slot = m_free.back();
            m_free.pop_back();
            m_slots[slot] = IoState(std::move(request));
            prepare(slot);
        }
        flush();
    }

    [[nodiscard]] IoBackend backend() const override { return IoBackend::Uring; }

private:
    [[nodiscard]] static Status unusable(int error)
    {
        return fail(ErrorCode::UnsupportedMethod,
                    std::string("io_uring cannot be used: ") + std::strerror(error));
    }

    [[nodiscard]] Status tryOut()
    {
        io_uring_prep_nop(io_uring_get_sqe(&m_ring));
        const int submitted = io_uring_submit_and_wait(&m_ring, 1);
        if (submitted < 0) {
            return unusable(-submitted);
        }
        io_uring_cqe* completion = nullptr;
        const int failed = io_uring_wait_cqe(&m_ring, &completion);
        if (failed < 0) {
            return unusable(-failed);
        }
        io_uring_cqe_seen(&m_ring, completion);
        return {};
    }

    [[nodiscard]] io_uring_sqe* entry() MP_REQUIRES(m_mutex)
    {
        io_uring_sqe* sqe = io_uring_get_sqe(&m_ring);
        if (sqe == nullptr) {
            flush();
            sqe = io_uring_get_sqe(&m_ring);
        }
        MP_CHECK(sqe != nullptr); // flush() emptied the ring
        return sqe;
    }

    void prepare(unsigned slot) MP_REQUIRES(m_mutex)
    {
        const IoState& state = m_slots[slot];
        const int file = state.request().file;
        io_uring_sqe* sqe = entry();
        switch (state.request().op) {
        case IoOp::Read: {
            const MutableBytes rest = state.restInto();
            io_uring_prep_read(
                sqe, file, rest.data(), static_cast<unsigned>(rest.size()), state.restOffset());
            break;
        }
        case IoOp::Write: {
            const Bytes rest = state.restFrom();
            io_uring_prep_write(
                sqe, file, rest.data(), static_cast<unsigned>(rest.size()), state.restOffset());
            break;
        }
        case IoOp::Sync:
            io_uring_prep_fsync(sqe, file, 0);
            break;
        }
        io_uring_sqe_set_data64(sqe, slot);
    }

    /// Hands everything prepared to the kernel.
    void flush() MP_REQUIRES(m_mutex)
    {
        while (io_uring_sq_ready(&m_ring) > 0) {
            const int submitted = io_uring_submit(&m_ring);
            if (submitted >= 0) {
                continue;
            }
            MP_CHECK(submitted == -EINTR || submitted == -EAGAIN || submitted == -EBUSY);
            m_slotFreed.waitFor(m_mutex, kRetryPause); // the reaper makes room
        }
    }

    void stopReaper()
    {
        {
            const MutexLock lock(m_mutex);
            while (m_free.size() < m_depth) { // INV-1
                m_slotFreed.wait(m_mutex);
            }
            io_uring_sqe* sqe = entry();
            io_uring_prep_nop(sqe);
            io_uring_sqe_set_data64(sqe, kStopMark);
            flush();
        }
        m_reaper.join();
    }

    void reap()
    {
        for (;;) {
            io_uring_cqe* completion = nullptr;
            const int failed = io_uring_wait_cqe(&m_ring, &completion);
            if (failed < 0) {
                MP_CHECK(failed == -EINTR || failed == -EAGAIN);
                continue;
            }
            const std::uint64_t mark = io_uring_cqe_get_data64(completion);
            const std::int64_t result = completion->res;
            io_uring_cqe_seen(&m_ring, completion);
            if (mark == kStopMark) {
                return;
            }
            complete(static_cast<unsigned>(mark), result);
        }
    }

    void complete(unsigned slot, std::int64_t result)
    {
        IoState finished;
        std::optional<Status> end;
        {
            const MutexLock lock(m_mutex);
            end = m_slots[slot].advance(result);
            if (!end) {
                prepare(slot);
                flush();
                return;
            }
            finished = std::move(m_slots[slot]);
        }
        finished.finish(*std::move(end));
        const MutexLock lock(m_mutex);
        m_free.push_back(slot);
        m_slotFreed.notifyAll();
    }

    const unsigned m_depth;
    io_uring m_ring{};
    bool m_ringOpen = false;
    Mutex m_mutex; ///< the submission side of the ring, and the slots
    CondVar m_slotFreed;
    std::vector<IoState> m_slots MP_GUARDED_BY(m_mutex);
    std::vector<unsigned> m_free MP_GUARDED_BY(m_mutex);
    std::thread m_reaper;
};

} // namespace

Result<std::unique_ptr<IoQueue>> createUringQueue(const IoQueueOptions& options)
{
    auto queue = std::make_unique<UringIoQueue>(options.depth);
    MP_TRY(queue->start());
    return std::unique_ptr<IoQueue>(std::move(queue));
}

} // namespace millpond::runtime::detail
