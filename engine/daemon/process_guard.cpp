// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/process_guard.h"

#include "bus/unique_fd.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SET_IO_FLUSHER
#define PR_SET_IO_FLUSHER 57
#endif

namespace millpond::daemon {

namespace {
/// Between "never" (-1000), which would let a leak take the machine down, and what sshd has.
constexpr std::string_view kOomScore = "-900";
} // namespace

void guardProcess(Log& log)
{
    if (::prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0) != 0) {
        log.print(LogLevel::Warning,
                  "the kernel does not make this process an I/O flusher: {}",
                  std::strerror(errno));
    }
    const bus::UniqueFd fd(::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
    if (!fd.valid() || ::write(fd.get(), kOomScore.data(), kOomScore.size()) < 0) {
        log.print(LogLevel::Warning,
                  "cannot protect this process from the out-of-memory killer: {}",
                  std::strerror(errno));
    }
}

} // namespace millpond::daemon
