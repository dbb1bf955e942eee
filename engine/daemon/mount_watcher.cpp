// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/mount_watcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <set>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace millpond::daemon {

namespace {
/// Mount points in /proc/self/mountinfo have blanks, tabs, line ends and backslashes as \ooo.
std::string unescaped(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size()) {
            const auto digit = [&text, i](std::size_t at) { return (text[i + at] - '0') & 7; };
            out += static_cast<char>(digit(1) * 64 + digit(2) * 8 + digit(3));
            i += 3;
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string_view nextWord(std::string_view& line)
{
    const std::size_t blank = line.find(' ');
    const std::string_view word = line.substr(0, blank);
    line.remove_prefix(blank == std::string_view::npos ? line.size() : blank + 1);
    return word;
}

bool isFuseMountAt(std::string_view line, std::string_view path)
{
    // id parent major:minor root MOUNTPOINT options [optional]... - TYPE source options
    for (int skipped = 0; skipped < 4; ++skipped) {
        (void)nextWord(line);
    }
    if (unescaped(nextWord(line)) != path) {
        return false;
    }
    while (!line.empty() && nextWord(line) != "-") {
    }
    return line.starts_with("fuse.") || line.starts_with("fuse ");
}

std::string readMountInfo()
{
    std::ifstream file("/proc/self/mountinfo");
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void detachWithFusermount(const std::string& path)
{
    std::string words[] = {"fusermount3", "-u", "-z", "-q", "--", path};
    std::array<char*, 7> arguments{};
    for (std::size_t i = 0; i < std::size(words); ++i) {
        arguments[i] = words[i].data();
    }
    std::array<char*, 2> environment = {};
    std::string searched = "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
    environment[0] = searched.data();
    pid_t child = -1;
    if (::posix_spawnp(
            &child, words[0].c_str(), nullptr, nullptr, arguments.data(), environment.data()) ==
        0) {
        int status = 0;
        while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
    }
}

void detach(const std::string& path)
{
    // Never look at the path itself: the mount table is enough, and a dead mount answers nothing.
    for (int layers = 0; layers < 16 && hasFuseMount(readMountInfo(), path); ++layers) {
        if (::umount2(path.c_str(), MNT_DETACH | UMOUNT_NOFOLLOW) != 0) {
            detachWithFusermount(path);
        }
    }
}

/// Messages are '+' or '-', the path, and a NUL.
void takeMessages(std::string& text, std::set<std::string>& paths)
{
    std::size_t end = 0;
    while ((end = text.find('\0')) != std::string::npos) {
        const std::string path = text.substr(1, end - 1);
        if (text[0] == '+') {
            paths.insert(path);
        } else {
            paths.erase(path);
        }
        text.erase(0, end + 1);
    }
}

[[noreturn]] void watch(int pipe)
{
    (void)::setsid();
    (void)::prctl(PR_SET_NAME, "millpondd-watch");
    // Whoever stops the helper means the helper: this process ends by itself right after.
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) {
        (void)std::signal(signal, SIG_IGN);
    }
    sigset_t none;
    sigemptyset(&none);
    (void)::sigprocmask(SIG_SETMASK, &none, nullptr);
    std::set<std::string> paths;
    std::string text;
    std::array<char, 4096> bytes{};
    for (;;) {
        const ssize_t got = ::read(pipe, bytes.data(), bytes.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        text.append(bytes.data(), static_cast<std::size_t>(got));
        takeMessages(text, paths);
    }
    // Sorted backwards, what lies below a mount comes before it.
    for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
        detach(*path);
    }
    ::_exit(0);
}
} // namespace

bool hasFuseMount(std::string_view mountInfo, std::string_view path)
{
    while (!mountInfo.empty()) {
        const std::size_t end = mountInfo.find('\n');
        if (isFuseMountAt(mountInfo.substr(0, end), path)) {
            return true;
        }
        mountInfo.remove_prefix(end == std::string_view::npos ? mountInfo.size() : end + 1);
    }
    return false;
}

Result<std::unique_ptr<MountWatcher>> MountWatcher::start()
{
    std::array<int, 2> ends = {-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
        return fail(systemError(errno, "pipe2", ""));
    }
    bus::UniqueFd readEnd(ends[0]);
    bus::UniqueFd writeEnd(ends[1]);
    // A signal that comes before the child ignores it must wait.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    (void)::pthread_sigmask(SIG_BLOCK, &all, &before);
    const pid_t child = ::fork();
    if (child != 0) {
        (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    if (child < 0) {
        return fail(systemError(errno, "fork", ""));
    }
    if (child == 0) {
        writeEnd.reset();
        // Keep nothing else of the helper's open: a client waiting on a pipe would wait for us,
        // too.
        const unsigned pipe = static_cast<unsigned>(readEnd.get());
        if (pipe > 3) {
            (void)::close_range(3, pipe - 1, 0);
        }
        (void)::close_range(pipe + 1, ~0U, 0);
        watch(readEnd.get());
    }
    return std::unique_ptr<MountWatcher>(new MountWatcher(std::move(writeEnd), child));
}

void MountWatcher::added(const std::string& path)
{
    tell('+', path);
}

void MountWatcher::removed(const std::string& path)
{
    tell('-', path);
}

void MountWatcher::tell(char what, const std::string& path)
{
    std::string message = what + path;
    message += '\0';
    std::string_view left = message;
    // Messages up to PIPE_BUF go in whole, and no mount point is longer than that. Without a
    // watcher (somebody killed it) there is nobody to tell; SIGPIPE is blocked in the helper.
    while (!left.empty()) {
        const ssize_t written = ::write(m_pipe.get(), left.data(), left.size());
        if (written < 0 && errno != EINTR) {
            return;
        }
        left.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
}

} // namespace millpond::daemon
