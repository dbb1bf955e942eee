// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "base/clock.h"
#include "bus/event_loop.h"
#include "bus/records.h"
#include "bus/server.h"
#include "daemon/connections.h"
#include "runtime/executor.h"

#include <deque>
#include <map>
#include <memory>
#include <string>

namespace millpond::daemon {

// Long work. A job belongs to the helper, not to the client that started it: it goes on when the
// client goes, another client may watch it, and what it found is kept for an hour, or until a
// moment after it was fetched to the end.

/// What a job does.
class JobBody
{
public:
    virtual ~JobBody() = default;
    /// On an executor. Cancelled when `progress` was cancelled.
    [[nodiscard]] virtual Status run(api::Progress& progress) = 0;
    /// What was found so far, from `firstRow` on. Any thread, also while it runs.
    [[nodiscard]] virtual Status addOutput(bus::DocumentWriter& document,
                                           std::uint64_t firstRow) = 0;
};

enum class JobState : std::uint8_t
{
    Queued,
    Running,
    Done,
    Failed,
    Cancelled
};

[[nodiscard]] std::string_view jobStateText(JobState state);

/// One job, as the bus shows it. Loop thread, except for what is shared with the work.
class Job final : public bus::ServerObject
{
public:
    struct Facts
    {
        std::string path, kind, title, unit;
        std::uint32_t owner = 0;
    };

    /// Shared with the executor's thread.
    struct Work
    {
        std::unique_ptr<JobBody> body;
        api::Progress progress;
        std::atomic<bool> running = false;
    };

    Job(Facts facts, std::unique_ptr<JobBody> body, const Clock& clock, bus::ServerObject& calls);

    void onCall(const bus::CallRef& call) override;
    [[nodiscard]] Status onGet(std::string_view property, bus::Message& reply) override;

    [[nodiscard]] const Facts& facts() const { return m_facts; }

    [[nodiscard]] const std::shared_ptr<Work>& work() const { return m_work; }

    [[nodiscard]] JobState state() const;

    [[nodiscard]] bool finished() const { return m_ended != 0; }

    [[nodiscard]] bus::JobRow row() const; ///< texts live as long as the job does not change

    /// Takes a sample of the progress.
    void sample();
    void finish(const Status& status);
    void markFetched();
    /// Nobody will ask for it any more.
    [[nodiscard]] bool isStale() const;

private:
    struct Sample
    {
        std::chrono::nanoseconds at{};
        std::uint64_t done = 0;
    };

    [[nodiscard]] std::uint64_t rate() const;
    [[nodiscard]] std::uint64_t secondsLeft() const;

    Facts m_facts;
    std::shared_ptr<Work> m_work;
    const Clock& m_clock;
    bus::ServerObject& m_calls; ///< methods of jobs are handled there, with those of the manager
    std::deque<Sample> m_samples;
    std::uint64_t m_started = 0, m_ended = 0; ///< seconds since 1970
    std::chrono::nanoseconds m_endedAt{}, m_fetchedAt{};
    JobState m_outcome = JobState::Done;
    std::string m_errorName, m_errorText;
};

/// All jobs. Loop thread only.
class JobRegistry
{
public:
    /// `calls` handles the methods of all jobs; `onEnd` is told when one has ended.
    JobRegistry(bus::EventLoop& loop,
                runtime::Executor& executor,
                Connections& connections,
                const Clock& clock,
                bus::ServerObject& calls,
                bus::EventLoop::Action onEnd);

    /// TooMany when as many are kept as there may be.
    [[nodiscard]] Result<std::string> start(std::string kind,
                                            std::string title,
                                            std::string unit,
                                            std::uint32_t owner,
                                            std::unique_ptr<JobBody> body);
    [[nodiscard]] Job* find(std::string_view path);
    [[nodiscard]] std::vector<std::string> paths() const;
    void addRows(bus::DocumentWriter& document) const;
    [[nodiscard]] bool anyActive() const;
    void cancelAll();

private:
    void ended(const std::string& path, const Status& status);
    void tick();
    void wind();
    void emitChanged(const Job& job);

    bus::EventLoop& m_loop;
    runtime::Executor& m_executor;
    Connections& m_connections;
    const Clock& m_clock;
    bus::ServerObject& m_calls;
    bus::EventLoop::Action m_onEnd;
    std::map<std::string, std::unique_ptr<Job>, std::less<>> m_jobs;
    bus::EventLoop::Source m_timer;
    std::uint64_t m_last = 0;
};

} // namespace millpond::daemon
