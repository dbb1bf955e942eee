// SPDX-License-Identifier: GPL-3.0-or-later
#include "bus/helper_launcher.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

extern char** environ; // NOLINT: POSIX names it so

namespace millpond::bus {

namespace {
using std::chrono::milliseconds;

/// A log file of a private helper is started anew when it is longer.
constexpr off_t kMaxLogBytes = off_t{4} << 20;

std::string environmentOr(const char* name, std::string otherwise)
{
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nothing here sets it
    return value != nullptr && *value != '\0' ? std::string(value) : std::move(otherwise);
}

bool isOwnFolder(const std::string& path)
{
    struct stat facts = {};
    return ::lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode) &&
           facts.st_uid == ::geteuid();
}

Result<sockaddr_un> addressOf(const std::string& path)
{
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof(address.sun_path)) {
        return fail(ErrorCode::NameTooLong,
                    fmt::format("the socket path \"{}\" is empty or too long", path));
    }
    std::memcpy(address.sun_path, path.c_str(), path.size());
    return address;
}

std::string defaultHelperPath()
{
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    if (!error) {
        for (const char* place : {"millpondd",
                                  "../millpondd",
                                  "../sbin/millpondd",
                                  "../lib/millpond/millpondd",
                                  "../../bin/millpondd"}) {
            const std::filesystem::path beside = (self.parent_path() / place).lexically_normal();
            if (::access(beside.c_str(), X_OK) == 0) {
                return beside;
            }
        }
    }
    return "millpondd";
}

/// Where the helper's messages go: nobody's terminal, for it outlives the command.
UniqueFd openLog()
{
    const std::string state =
        environmentOr("XDG_STATE_HOME", environmentOr("HOME", runtimeFolder()) + "/.local/state");
    const std::string folder = state + "/millpond";
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    UniqueFd log(::open((folder + "/helper.log").c_str(),
                        O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
                        0600));
    struct stat facts = {};
    if (log.valid() && ::fstat(log.get(), &facts) == 0 && facts.st_size > kMaxLogBytes) {
        (void)!::ftruncate(log.get(), 0);
    }
    return log.valid() ? std::move(log) : UniqueFd(::open("/dev/null", O_WRONLY | O_CLOEXEC));
}

struct SpawnActions
{
    posix_spawn_file_actions_t files = {};
    posix_spawnattr_t attributes = {};

    SpawnActions()
    {
        ::posix_spawn_file_actions_init(&files);
        ::posix_spawnattr_init(&attributes);
    }

    SpawnActions(const SpawnActions&) = delete;
    SpawnActions& operator=(const SpawnActions&) = delete;

    ~SpawnActions()
    {
        ::posix_spawn_file_actions_destroy(&files);
        ::posix_spawnattr_destroy(&attributes);
    }
};

/// What a helper that could not start wrote instead of "ready".
Status readReport(int fd, milliseconds deadline)
{
    std::string report;
    const auto end = std::chrono::steady_clock::now() + deadline;
    for (;;) {
        const auto left =
            std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now());
        pollfd wait = {fd, POLLIN, 0};
        if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) == 0) {
            return fail(ErrorCode::TimedOut, "the helper did not get ready in time");
        }
        std::array<char, 512> bytes{};
        const ssize_t got = ::read(fd, bytes.data(), bytes.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got > 0) {
            report.append(bytes.data(), static_cast<std::size_t>(got));
        }
        if (report.starts_with("ready\n")) {
            return {};
        }
        if (got <= 0) {
            return fail(ErrorCode::ConnectionLost,
                        fmt::format("the helper did not start: {}",
                                    report.empty() ? "it ended at once" : report));
        }
    }
}

/// Descriptor numbers that the child gets.
constexpr int kReadyFd = 3;

Status spawnHelper(const std::string& helper, const std::string& socketPath, milliseconds deadline)
{
    std::array<int, 2> pipe = {-1, -1};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
        return fail(systemError(errno, "pipe2", ""));
    }
    UniqueFd readEnd(pipe[0]);
    UniqueFd writeEnd(pipe[1]);
    const UniqueFd log = openLog();
    const UniqueFd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));

    SpawnActions actions;
    ::posix_spawn_file_actions_adddup2(&actions.files, null.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions.files, log.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions.files, log.get(), STDERR_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions.files, writeEnd.get(), kReadyFd);
    ::posix_spawn_file_actions_addclosefrom_np(&actions.files, kReadyFd + 1);
    sigset_t none;
    sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&actions.attributes, &none);
    // A session of its own: a Ctrl-C meant for the command does not reach it.
    ::posix_spawnattr_setflags(&actions.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);

    std::string program = helper;
    std::array<std::string, 7> words = {helper,
                                        "--private",
                                        "--detach",
                                        "--socket",
                                        socketPath,
                                        "--ready-fd",
                                        std::to_string(kReadyFd)};
    std::array<char*, 8> arguments{};
    for (std::size_t i = 0; i < words.size(); ++i) {
        arguments[i] = words[i].data();
    }
    pid_t child = -1;
    const int spawned = ::posix_spawnp(
        &child, program.c_str(), &actions.files, &actions.attributes, arguments.data(), environ);
    if (spawned != 0) {
        return fail(systemError(spawned, "cannot start the helper", helper));
    }
    writeEnd.reset();
    // The process we started only starts the helper proper, which is no child of ours.
    int ignored = 0;
    while (::waitpid(child, &ignored, 0) < 0 && errno == EINTR) {
    }
    return readReport(readEnd.get(), deadline);
}
} // namespace

std::string runtimeFolder()
{
    const std::string given = environmentOr("XDG_RUNTIME_DIR", "");
    if (!given.empty()) {
        return given;
    }
    const std::string usual = fmt::format("/run/user/{}", ::geteuid());
    return isOwnFolder(usual) ? usual : fmt::format("/tmp/millpond-{}", ::geteuid());
}

std::string defaultSocketPath()
{
    const std::string folder = runtimeFolder();
    const bool ours = folder.starts_with("/tmp/millpond-");
    return folder + (ours ? "/helper.sock" : "/millpond/helper.sock");
}

Status prepareSocketFolder(const std::string& socketPath)
{
    const std::string folder = std::filesystem::path(socketPath).parent_path();
    if (folder.empty()) {
        return fail(ErrorCode::InvalidArgument, "the socket path must be absolute");
    }
    if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        return fail(systemError(errno, "mkdir", folder));
    }
    struct stat facts = {};
    if (::lstat(folder.c_str(), &facts) != 0) {
        return fail(systemError(errno, "lstat", folder));
    }
    if (!S_ISDIR(facts.st_mode) || facts.st_uid != ::geteuid() || (facts.st_mode & 022) != 0) {
        return fail(
            ErrorCode::NotPermitted,
            fmt::format("{} must be a folder of this user that nobody else may write", folder));
    }
    return {};
}

Result<std::uint32_t> peerUid(int socket)
{
    ucred credentials = {};
    socklen_t size = sizeof(credentials);
    if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
        return fail(systemError(errno, "SO_PEERCRED", ""));
    }
    return credentials.uid;
}

Result<UniqueFd> connectToSocket(const std::string& socketPath)
{
    const sockaddr_un address = MP_TRY(addressOf(socketPath));
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd.valid()) {
        return fail(systemError(errno, "socket", ""));
    }
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
        if (errno == ENOENT || errno == ECONNREFUSED) {
            return fail(ErrorCode::ConnectionLost,
                        fmt::format("no helper listens at {}", socketPath));
        }
        return fail(systemError(errno, "connect", socketPath));
    }
    const std::uint32_t uid = MP_TRY(peerUid(fd.get()));
    if (uid != ::geteuid() && uid != 0 && ::geteuid() != 0) {
        return fail(ErrorCode::NotPermitted,
                    fmt::format("the helper at {} is run by uid {}", socketPath, uid));
    }
    return fd;
}

Result<UniqueFd> reachPrivateHelper(const ConnectOptions& options)
{
    const std::string socketPath = options.socketPath.empty()
                                       ? environmentOr("MILLPOND_SOCKET", defaultSocketPath())
                                       : options.socketPath;
    Result<UniqueFd> first = connectToSocket(socketPath);
    if (first || !first.error().is(ErrorCode::ConnectionLost) || !options.startHelper) {
        return first;
    }
    MP_TRY(prepareSocketFolder(socketPath));
    const std::string lockPath = socketPath + ".start";
    const UniqueFd lock(::open(lockPath.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock.valid()) {
        return fail(systemError(errno, "open", lockPath));
    }
    // Whoever holds it starts a helper within the start deadline, or fails and lets go.
    while (::flock(lock.get(), LOCK_EX) != 0) {
        if (errno != EINTR) {
            return fail(systemError(errno, "flock", lockPath));
        }
    }
    Result<UniqueFd> second = connectToSocket(socketPath);
    if (second || !second.error().is(ErrorCode::ConnectionLost)) {
        return second;
    }
    const std::string helper = options.helperPath.empty()
                                   ? environmentOr("MILLPOND_HELPER", defaultHelperPath())
                                   : options.helperPath;
    MP_TRY(spawnHelper(helper, socketPath, options.startDeadline));
    return connectToSocket(socketPath);
}

Result<std::string> ensurePrivateHelper(const ConnectOptions& options)
{
    MP_TRY(reachPrivateHelper(options));
    return options.socketPath.empty() ? environmentOr("MILLPOND_SOCKET", defaultSocketPath())
                                      : options.socketPath;
}

} // namespace millpond::bus
