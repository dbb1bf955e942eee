// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "bus/unique_fd.h"
#include "daemon/mounter.h"

#include <memory>
#include <string_view>

namespace millpond::daemon {

// A helper that is killed would leave its mounts behind, and every program that looks at one would
// fail with ENOTCONN. So a tiny process is forked off before any thread runs. It is told of every
// mount over a pipe; when the pipe breaks, the helper has gone: what is still mounted then is
// detached, deepest first.

class MountWatcher final : public MountWatch
{
public:
    /// Forks. To be called while this process has one thread.
    [[nodiscard]] static Result<std::unique_ptr<MountWatcher>> start();

    void added(const std::string& path) override;
    void removed(const std::string& path) override;

    [[nodiscard]] int process() const { return m_process; }

private:
    MountWatcher(bus::UniqueFd pipe, int process)
        : m_pipe(std::move(pipe))
        , m_process(process)
    {
    }

    void tell(char what, const std::string& path);

    bus::UniqueFd m_pipe;
    int m_process;
};

/// True when `mountInfo` (the text of /proc/self/mountinfo) has a FUSE mount at `path`.
[[nodiscard]] bool hasFuseMount(std::string_view mountInfo, std::string_view path);

} // namespace millpond::daemon
