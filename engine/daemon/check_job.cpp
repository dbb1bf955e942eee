// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/check_job.h"

#include "daemon/documents.h"

#include <algorithm>

namespace millpond::daemon {

CheckJob::CheckJob(api::Engine& engine, api::CheckRequest request)
    : m_engine(engine)
    , m_request(std::move(request))
{
}

Status CheckJob::run(api::Progress& progress)
{
    Result<api::CheckReport> report =
        m_engine.check(m_request, progress, [this](const api::CheckProblem& problem) {
            const MutexLock lock(m_mutex);
            if (m_problems.size() < api::CheckReport::kMaxProblems) {
                m_problems.push_back(problem);
            }
        });
    if (!report) {
        return fail(report.error());
    }
    const MutexLock lock(m_mutex);
    report->problems.clear();
    m_report = std::move(*report);
    return {};
}

Status CheckJob::addOutput(bus::DocumentWriter& document, std::uint64_t firstRow)
{
    const MutexLock lock(m_mutex);
    const std::size_t from = std::min<std::uint64_t>(firstRow, m_problems.size());
    addProblems(document, std::span(m_problems).subspan(from));
    addSummary(document, m_report ? &*m_report : nullptr);
    return {};
}

} // namespace millpond::daemon
