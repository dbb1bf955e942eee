// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "daemon/jobs.h"

#include <optional>
#include <vector>

namespace millpond::daemon {

/// Verifies a pool that is not imported; output: problems as they are found, the summary at the
/// end.
class CheckJob final : public JobBody
{
public:
    CheckJob(api::Engine& engine, api::CheckRequest request);

    [[nodiscard]] Status run(api::Progress& progress) override MP_EXCLUDES(m_mutex);
    [[nodiscard]] Status addOutput(bus::DocumentWriter& document, std::uint64_t firstRow) override
        MP_EXCLUDES(m_mutex);

private:
    api::Engine& m_engine;
    const api::CheckRequest m_request;
    Mutex m_mutex;
    std::vector<api::CheckProblem> m_problems MP_GUARDED_BY(m_mutex);
    std::optional<api::CheckReport>
        m_report MP_GUARDED_BY(m_mutex); ///< its problems are in m_problems
};

} // namespace millpond::daemon
