// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "base/result.h"
#include "bus/unique_fd.h"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

struct sd_event;
struct sd_event_source;

namespace millpond::bus {

/// One thread's event loop (sd-event): descriptors, timers, signals, and work posted by other
/// threads. Everything but post() belongs to the thread that runs it.
class EventLoop
{
public:
    using Action = std::function<void()>;

    /// A registration; ends when destroyed. Must not outlive the loop.
    class Source
    {
    public:
        Source() = default;
        Source(Source&& other) noexcept;
        Source& operator=(Source&& other) noexcept;
        Source(const Source&) = delete;
        Source& operator=(const Source&) = delete;
        ~Source();

        void reset();

    private:
        friend class EventLoop;
        sd_event_source* m_source = nullptr;
        std::unique_ptr<Action> m_action; ///< what sd-event's user data points to
    };

    [[nodiscard]] static Result<std::unique_ptr<EventLoop>> create();
    ~EventLoop();
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    /// Until exit().
    Status run();
    void exit();

    /// Runs `action` on the loop's thread, in the order posted. Any thread.
    void post(Action action) MP_EXCLUDES(m_mutex);

    [[nodiscard]] Result<Source> whenReadable(int fd, Action action);
    [[nodiscard]] Result<Source> after(std::chrono::milliseconds delay, Action action); ///< once
    /// A blocked signal (see sigprocmask) of this process.
    [[nodiscard]] Result<Source> onSignal(int signal, Action action);

    [[nodiscard]] sd_event* raw() const { return m_event; }

private:
    EventLoop() = default;
    void runPosted() MP_EXCLUDES(m_mutex);

    sd_event* m_event = nullptr;
    UniqueFd m_wake; ///< eventfd
    Source m_wakeSource;
    Mutex m_mutex;
    std::vector<Action> m_posted MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::bus
