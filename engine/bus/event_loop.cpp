// SPDX-License-Identifier: GPL-3.0-or-later
#include "bus/event_loop.h"

#include "base/check.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <systemd/sd-event.h>
#include <unistd.h>

namespace millpond::bus {

namespace {
void runAction(void* userdata)
{
    // The action may end its own registration, so a copy runs.
    const EventLoop::Action action = *static_cast<EventLoop::Action*>(userdata);
    action();
}

int onIo(sd_event_source*, int, std::uint32_t, void* userdata)
{
    runAction(userdata);
    return 0;
}

int onTime(sd_event_source*, std::uint64_t, void* userdata)
{
    runAction(userdata);
    return 0;
}

int onSignalInfo(sd_event_source*, const signalfd_siginfo*, void* userdata)
{
    runAction(userdata);
    return 0;
}
} // namespace

EventLoop::Source::Source(Source&& other) noexcept
    : m_source(std::exchange(other.m_source, nullptr))
    , m_action(std::move(other.m_action))
{
}

EventLoop::Source& EventLoop::Source::operator=(Source&& other) noexcept
{
    if (this != &other) {
        reset();
        m_source = std::exchange(other.m_source, nullptr);
        m_action = std::move(other.m_action);
    }
    return *this;
}

EventLoop::Source::~Source()
{
    reset();
}

void EventLoop::Source::reset()
{
    if (m_source != nullptr) {
        sd_event_source_disable_unref(std::exchange(m_source, nullptr));
    }
    m_action.reset();
}

Result<std::unique_ptr<EventLoop>> EventLoop::create()
{
    std::unique_ptr<EventLoop> loop(new EventLoop);
    const int made = sd_event_new(&loop->m_event);
    if (made < 0) {
        return fail(systemError(-made, "sd_event_new", ""));
    }
    loop->m_wake = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!loop->m_wake.valid()) {
        return fail(systemError(errno, "eventfd", ""));
    }
    loop->m_wakeSource =
        MP_TRY(loop->whenReadable(loop->m_wake.get(), [self = loop.get()] { self->runPosted(); }));
    return loop;
}

EventLoop::~EventLoop()
{
    m_wakeSource.reset();
    sd_event_unref(m_event);
}

Status EventLoop::run()
{
    const int result = sd_event_loop(m_event);
    if (result < 0) {
        return fail(systemError(-result, "sd_event_loop", ""));
    }
    return {};
}

void EventLoop::exit()
{
    sd_event_exit(m_event, 0);
}

void EventLoop::post(Action action)
{
    {
        const MutexLock lock(m_mutex);
        m_posted.push_back(std::move(action));
    }
    const std::uint64_t one = 1;
    // Fails only when the counter is full, and then the loop wakes up anyway.
    (void)!::write(m_wake.get(), &one, sizeof(one));
}

void EventLoop::runPosted()
{
    std::uint64_t count = 0;
    (void)!::read(m_wake.get(), &count, sizeof(count));
    std::vector<Action> actions;
    {
        const MutexLock lock(m_mutex);
        actions.swap(m_posted);
    }
    for (const Action& action : actions) {
        action();
    }
}

Result<EventLoop::Source> EventLoop::whenReadable(int fd, Action action)
{
    Source source;
    source.m_action = std::make_unique<Action>(std::move(action));
    const int added =
        sd_event_add_io(m_event, &source.m_source, fd, EPOLLIN, onIo, source.m_action.get());
    if (added < 0) {
        return fail(systemError(-added, "sd_event_add_io", ""));
    }
    return source;
}

Result<EventLoop::Source> EventLoop::after(std::chrono::milliseconds delay, Action action)
{
    Source source;
    source.m_action = std::make_unique<Action>(std::move(action));
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(delay).count();
    const int added = sd_event_add_time_relative(m_event,
                                                 &source.m_source,
                                                 CLOCK_MONOTONIC,
                                                 static_cast<std::uint64_t>(microseconds),
                                                 10'000,
                                                 onTime,
                                                 source.m_action.get());
    if (added < 0) {
        return fail(systemError(-added, "sd_event_add_time", ""));
    }
    return source;
}

Result<EventLoop::Source> EventLoop::onSignal(int signal, Action action)
{
    Source source;
    source.m_action = std::make_unique<Action>(std::move(action));
    const int added =
        sd_event_add_signal(m_event, &source.m_source, signal, onSignalInfo, source.m_action.get());
    if (added < 0) {
        return fail(systemError(-added, "sd_event_add_signal", ""));
    }
    return source;
}

} // namespace millpond::bus
