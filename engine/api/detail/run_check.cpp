// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/run_check.h"

#include "pool/check/checker.h"

#include <chrono>

namespace millpond::api::detail {

namespace {
CheckProblem problemOf(const pool::CheckFinding& from)
{
    CheckProblem problem;
    problem.kind = static_cast<CheckProblem::Kind>(from.kind); // The same list, in the same order.
    problem.dataset = from.dataset;
    problem.path = from.path;
    problem.device = from.device;
    problem.objset = from.objset;
    problem.object = from.object;
    problem.level = from.level;
    problem.block = from.block;
    problem.offset = from.offset;
    problem.size = from.size;
    problem.text = from.text;
    return problem;
}

static_assert(static_cast<int>(CheckProblem::Kind::LinkCount) ==
              static_cast<int>(pool::CheckFinding::Kind::LinkCount));

class Sink final : public pool::CheckSink
{
public:
    Sink(CheckReport& report,
         Progress& progress,
         const std::function<void(const CheckProblem&)>& found)
        : m_report(report)
        , m_progress(progress)
        , m_found(found)
    {
    }

    void found(const pool::CheckFinding& finding) override
    {
        CheckProblem problem = problemOf(finding);
        if (m_found) {
            m_found(problem);
        }
        ++m_report.problemCount;
        if (m_report.problems.size() < CheckReport::kMaxProblems) {
            m_report.problems.push_back(std::move(problem));
        }
    }

    void total(std::uint64_t bytes) override { m_progress.total(bytes); }

    void advance(std::uint64_t bytes) override { m_progress.add(bytes); }

    [[nodiscard]] bool cancelled() const override { return m_progress.cancelled(); }

private:
    CheckReport& m_report;
    Progress& m_progress;
    const std::function<void(const CheckProblem&)>& m_found;
};
} // namespace

Result<CheckReport> runCheck(const pool::Pool& pool,
                             Progress& progress,
                             const Clock& clock,
                             const std::function<void(const CheckProblem&)>& found)
{
    const std::chrono::nanoseconds start = clock.monotonic();
    CheckReport report;
    report.pool = pool.name();
    report.guid = pool.guid();
    report.txg = pool.uberblock().txg;
    Sink sink(report, progress, found);
    const pool::CheckTotals totals = MP_TRY(pool::checkPool(pool, sink));
    report.awaitingResilver = totals.awaitingResilver;
    report.datasets = totals.datasets;
    report.snapshots = totals.snapshots;
    report.objects = totals.objects;
    report.blocks = totals.blocks;
    report.copies = totals.copies;
    report.bytesRead = totals.bytesRead;
    report.allocated = totals.allocated;
    report.milliseconds = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(clock.monotonic() - start).count());
    return report;
}

} // namespace millpond::api::detail
