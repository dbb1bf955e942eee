// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/daemon_main.h"

#include "daemon/daemon_log.h"
#include "daemon/mount_watcher.h"
#include "daemon/process_guard.h"
#include "daemon/version.h"

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace millpond::daemon {

namespace {
/// Tells whoever started us, once.
class ReadyReport
{
public:
    explicit ReadyReport(int fd)
        : m_fd(fd)
    {
        if (fd >= 0) {
            (void)::fcntl(fd, F_SETFD, FD_CLOEXEC);
        }
    }

    void send(std::string_view text)
    {
        if (m_fd.valid()) {
            (void)!::write(m_fd.get(), text.data(), text.size());
            m_fd.reset();
        }
    }

private:
    bus::UniqueFd m_fd;
};

/// Goes on as a child of init, in a session of its own: whoever started us need not wait for our
/// end.
bool detach()
{
    const pid_t child = ::fork();
    if (child > 0) {
        ::_exit(0);
    }
    return child == 0 && ::setsid() >= 0;
}

void prepareProcess()
{
    // Signals arrive through the loop; threads inherit this mask.
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGINT);
    (void)::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    (void)std::signal(SIGPIPE, SIG_IGN);
    (void)std::signal(SIGHUP, SIG_IGN);
    (void)!::chdir("/"); // keeps no folder busy
    (void)::umask(022);
}

Status runHelper(const Options& options, HelperPorts ports, ReadyReport& ready, Log& log)
{
    if (options.mode == Options::Mode::System) {
        guardProcess(log);
    }
    const std::unique_ptr<MountWatcher> watcher = MP_TRY(MountWatcher::start());
    const std::unique_ptr<Helper> helper =
        MP_TRY(Helper::create(options, std::move(ports), *watcher, log));
    ready.send("ready\n");
    return helper->run();
}
} // namespace

int daemonMain(int argc, const char* const* argv, HelperPorts ports)
{
    const Result<Options> options =
        parseOptions(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
    if (!options) {
        fmt::print(stderr, "millpondd: {}\n", options.error().toText());
        return 2;
    }
    if (options->mode == Options::Mode::ShowHelp) {
        fmt::print("{}", helpText());
        return 0;
    }
    if (options->mode == Options::Mode::ShowVersion) {
        fmt::print("millpondd {}\n", kVersion);
        return 0;
    }
    if (options->detach && !detach()) {
        fmt::print(stderr, "millpondd: cannot go into the background\n");
        return 1;
    }
    prepareProcess();
    ReadyReport ready(options->readyFd);
    DaemonLog log(options->logLevel);
    const Status done = runHelper(*options, std::move(ports), ready, log);
    if (!done) {
        log.print(LogLevel::Error, "{}", done.error().toText());
        ready.send(done.error().toText());
        return 1;
    }
    return 0;
}

} // namespace millpond::daemon
