// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/jobs.h"

#include "bus/client.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::daemon {

namespace {
using std::chrono::nanoseconds;
using std::chrono::seconds;

constexpr std::chrono::milliseconds kTick{500};
constexpr seconds kKept{3600};
/// After the last of its output was fetched: time for a second client to look.
constexpr seconds kKeptFetched{10};
constexpr seconds kRateWindow{5};
constexpr std::size_t kMaxJobs = 200;
} // namespace

std::string_view jobStateText(JobState state)
{
    switch (state) {
    case JobState::Queued:
        return "queued";
    case JobState::Running:
        return "running";
    case JobState::Done:
        return "done";
    case JobState::Failed:
        return "failed";
    case JobState::Cancelled:
        return "cancelled";
    }
    return "failed";
}

Job::Job(Facts facts, std::unique_ptr<JobBody> body, const Clock& clock, bus::ServerObject& calls)
    : m_facts(std::move(facts))
    , m_work(std::make_shared<Work>())
    , m_clock(clock)
    , m_calls(calls)
    , m_started(
          static_cast<std::uint64_t>(std::chrono::duration_cast<seconds>(clock.wall()).count()))
{
    m_work->body = std::move(body);
}

void Job::onCall(const bus::CallRef& call)
{
    m_calls.onCall(call);
}

JobState Job::state() const
{
    if (finished()) {
        return m_outcome;
    }
    return m_work->running.load() ? JobState::Running : JobState::Queued;
}

bus::JobRow Job::row() const
{
    return {.path = m_facts.path,
            .kind = m_facts.kind,
            .title = m_facts.title,
            .state = jobStateText(state()),
            .done = m_work->progress.done(),
            .total = m_work->progress.total(),
            .unit = m_facts.unit,
            .rate = rate(),
            .secondsLeft = secondsLeft(),
            .started = m_started,
            .ended = m_ended,
            .owner = m_facts.owner,
            .errorName = m_errorName,
            .errorText = m_errorText};
}

Status Job::onGet(std::string_view property, bus::Message& reply)
{
    if (property == "Owner") {
        return reply.add(m_facts.owner);
    }
    const bus::JobRow now = row();
    const std::pair<std::string_view, std::string_view> texts[] = {{"Kind", now.kind},
                                                                   {"Title", now.title},
                                                                   {"State", now.state},
                                                                   {"Unit", now.unit},
                                                                   {"ErrorName", now.errorName},
                                                                   {"ErrorText", now.errorText}};
    for (const auto& [name, value] : texts) {
        if (name == property) {
            return reply.add(value);
        }
    }
    const std::pair<std::string_view, std::uint64_t> numbers[] = {{"Done", now.done},
                                                                  {"Total", now.total},
                                                                  {"Rate", now.rate},
                                                                  {"SecondsLeft", now.secondsLeft},
                                                                  {"Started", now.started},
                                                                  {"Ended", now.ended}};
    for (const auto& [name, value] : numbers) {
        if (name == property) {
            return reply.add(value);
        }
    }
    return fail(ErrorCode::NoSuchProperty, std::string(property));
}

void Job::sample()
{
    const nanoseconds now = m_clock.monotonic();
    m_samples.push_back({now, m_work->progress.done()});
    while (m_samples.size() > 2 && now - m_samples.front().at > kRateWindow) {
        m_samples.pop_front();
    }
}

std::uint64_t Job::rate() const
{
    if (m_samples.size() < 2) {
        return 0;
    }
    const nanoseconds time = m_samples.back().at - m_samples.front().at;
    if (time.count() <= 0) {
        return 0;
    }
    const std::uint64_t done = m_samples.back().done - m_samples.front().done;
    return static_cast<std::uint64_t>(static_cast<double>(done) * 1e9 /
                                      static_cast<double>(time.count()));
}

std::uint64_t Job::secondsLeft() const
{
    const std::uint64_t done = m_work->progress.done();
    const std::uint64_t total = m_work->progress.total();
    const std::uint64_t perSecond = rate();
    if (finished()) {
        return 0;
    }
    return total == 0 || perSecond == 0 || done > total ? bus::kUnknown
                                                        : (total - done) / perSecond;
}

void Job::finish(const Status& status)
{
    m_ended =
        static_cast<std::uint64_t>(std::chrono::duration_cast<seconds>(m_clock.wall()).count());
    m_endedAt = m_clock.monotonic();
    if (status) {
        m_outcome = JobState::Done;
        return;
    }
    m_outcome = status.error().is(ErrorCode::Cancelled) ? JobState::Cancelled : JobState::Failed;
    m_errorName = errorName(status.error().code());
    m_errorText = status.error().toText();
}

void Job::markFetched()
{
    if (finished()) {
        m_fetchedAt = m_clock.monotonic();
    }
}

bool Job::isStale() const
{
    const nanoseconds now = m_clock.monotonic();
    return finished() && (now - m_endedAt > kKept ||
                          (m_fetchedAt.count() != 0 && now - m_fetchedAt > kKeptFetched));
}

JobRegistry::JobRegistry(bus::EventLoop& loop,
                         runtime::Executor& executor,
                         Connections& connections,
                         const Clock& clock,
                         bus::ServerObject& calls,
                         bus::EventLoop::Action onEnd)
    : m_loop(loop)
    , m_executor(executor)
    , m_connections(connections)
    , m_clock(clock)
    , m_calls(calls)
    , m_onEnd(std::move(onEnd))
{
}

Result<std::string> JobRegistry::start(std::string kind,
                                       std::string title,
                                       std::string unit,
                                       std::uint32_t owner,
                                       std::unique_ptr<JobBody> body)
{
    if (m_jobs.size() >= kMaxJobs) {
        return fail(ErrorCode::TooMany, "too many jobs are kept; fetch or cancel some");
    }
    const std::string path = fmt::format("{}{}", bus::kJobPathPrefix, ++m_last);
    auto job = std::make_unique<Job>(
        Job::Facts{path, std::move(kind), std::move(title), std::move(unit), owner},
        std::move(body),
        m_clock,
        m_calls);
    runtime::Task task = [this, path, work = job->work()] {
        work->running.store(true);
        // Cancelled while it waited for its turn?
        const Status status = work->progress.cancelled()
                                  ? Status(fail(ErrorCode::Cancelled, "cancelled before it began"))
                                  : work->body->run(work->progress);
        m_loop.post([this, path, status] { ended(path, status); });
    };
    if (!m_executor.tryPost(task)) {
        return fail(ErrorCode::TooMany, "too many jobs are waiting");
    }
    m_jobs.emplace(path, std::move(job));
    m_connections.emit(
        bus::kManagerPath, bus::kManagerInterface, "JobAdded", bus::ObjectPath{path});
    wind();
    return path;
}

Job* JobRegistry::find(std::string_view path)
{
    const auto found = m_jobs.find(path);
    return found == m_jobs.end() ? nullptr : found->second.get();
}

std::vector<std::string> JobRegistry::paths() const
{
    std::vector<std::string> paths;
    for (const auto& [path, job] : m_jobs) {
        paths.push_back(path);
    }
    return paths;
}

void JobRegistry::addRows(bus::DocumentWriter& document) const
{
    bus::RowWriter<bus::JobRow> rows(document);
    for (const auto& [path, job] : m_jobs) {
        rows.append(job->row());
    }
}

bool JobRegistry::anyActive() const
{
    return std::ranges::any_of(m_jobs, [](const auto& each) { return !each.second->finished(); });
}

void JobRegistry::cancelAll()
{
    for (const auto& [path, job] : m_jobs) {
        job->work()->progress.cancel();
    }
}

void JobRegistry::ended(const std::string& path, const Status& status)
{
    if (Job* job = find(path); job != nullptr) {
        job->sample();
        job->finish(status);
        emitChanged(*job);
    }
    m_onEnd();
}

void JobRegistry::emitChanged(const Job& job)
{
    const bus::JobRow row = job.row();
    m_connections.emit(job.facts().path,
                       bus::kJobInterface,
                       "Changed",
                       row.state,
                       row.done,
                       row.total,
                       row.rate,
                       row.secondsLeft);
}

void JobRegistry::tick()
{
    for (auto it = m_jobs.begin(); it != m_jobs.end();) {
        Job& job = *it->second;
        if (!job.finished()) {
            job.sample();
            emitChanged(job);
        }
        if (!job.isStale()) {
            ++it;
            continue;
        }
        const bus::ObjectPath path{it->first};
        it = m_jobs.erase(it);
        m_connections.emit(bus::kManagerPath, bus::kManagerInterface, "JobRemoved", path);
    }
    wind();
}

void JobRegistry::wind()
{
    if (m_jobs.empty()) {
        m_timer.reset();
        return;
    }
    // While nothing runs, only the forgetting of old jobs needs a look now and then.
    const auto delay = anyActive() ? kTick : std::chrono::milliseconds(kKeptFetched) / 2;
    if (Result<bus::EventLoop::Source> timer = m_loop.after(delay, [this] { tick(); })) {
        m_timer = std::move(*timer);
    }
}

} // namespace millpond::daemon
