// SPDX-License-Identifier: GPL-3.0-or-later
// The back end of IoQueue that needs nothing of the kernel but pread and pwrite.
#include "base/mutex.h"
#include "runtime/detail/io_state.h"
#include "runtime/detail/start_thread.h"

#include <deque>
#include <thread>
#include <vector>

namespace millpond::runtime::detail {

namespace {

class ThreadIoQueue final : public IoQueue
{
public:
    explicit ThreadIoQueue(unsigned depth)
        : m_depth(depth)
    {
    }

    ~ThreadIoQueue() override
    {
        {
            const MutexLock lock(m_mutex);
            m_stopping = true;
        }
        m_notEmpty.notifyAll();
        for (std::thread& thread : m_threads) {
            thread.join();
        }
    }

    ThreadIoQueue(const ThreadIoQueue&) = delete;
    ThreadIoQueue& operator=(const ThreadIoQueue&) = delete;

    [[nodiscard]] Status start(unsigned threads)
    {
        for (unsigned i = 0; i < threads; ++i) {
            m_threads.push_back(
                MP_TRY(startThread("mp-io" + std::to_string(i), [this] { work(); })));
        }
        return {};
    }

    void submit(std::span<IoRequest> batch) override
    {
        for (IoRequest& request : batch) {
            const MutexLock lock(m_mutex);
            while (m_inFlight >= m_depth) {
                m_notFull.wait(m_mutex);
            }
            ++m_inFlight;
            m_queue.emplace_back(std::move(request));
            m_notEmpty.notifyOne();
        }
    }

    [[nodiscard]] IoBackend backend() const override { return IoBackend::Threads; }

private:
    void work()
    {
        for (;;) {
            IoState state;
            {
                const MutexLock lock(m_mutex);
                while (m_queue.empty() && !m_stopping) {
                    m_notEmpty.wait(m_mutex);
                }
                if (m_queue.empty()) {
                    return;
                }
                state = std::move(m_queue.front());
                m_queue.pop_front();
            }
            std::optional<Status> end;
            while (!end) {
                end = state.advance(issueBlocking(state));
            }
            state.finish(*std::move(end));
            const MutexLock lock(m_mutex);
            --m_inFlight;
            m_notFull.notifyOne();
        }
    }

    const unsigned m_depth;
    Mutex m_mutex;
    CondVar m_notEmpty;
    CondVar m_notFull;
    std::deque<IoState> m_queue MP_GUARDED_BY(m_mutex);
    unsigned m_inFlight MP_GUARDED_BY(m_mutex) = 0;
    bool m_stopping MP_GUARDED_BY(m_mutex) = false;
    std::vector<std::thread> m_threads;
};

} // namespace

Result<std::unique_ptr<IoQueue>> createThreadQueue(const IoQueueOptions& options)
{
    auto queue = std::make_unique<ThreadIoQueue>(options.depth);
    MP_TRY(queue->start(options.threads));
    return std::unique_ptr<IoQueue>(std::move(queue));
}

} // namespace millpond::runtime::detail
