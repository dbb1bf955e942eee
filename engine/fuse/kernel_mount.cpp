// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuse/kernel_mount.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <limits.h>
#include <memory>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace millpond::fuse {

namespace {
constexpr const char* kFuseDevice = "/dev/fuse";
constexpr const char* kSearchPath = "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";
constexpr int kChildSocket = 3; ///< where fusermount3 finds its end

/// Where the system lives: hiding what is there is never what somebody wants.
bool isSystemPath(std::string_view path)
{
    static constexpr std::string_view kTrees[] = {"/bin",
                                                  "/boot",
                                                  "/dev",
                                                  "/etc",
                                                  "/lib",
                                                  "/lib32",
                                                  "/lib64",
                                                  "/proc",
                                                  "/sbin",
                                                  "/sys",
                                                  "/usr"};
    static constexpr std::string_view kFolders[] = {
        "/", "/home", "/media", "/mnt", "/opt", "/root", "/run", "/srv", "/tmp", "/var"};
    const auto isBelow = [path](std::string_view tree) {
        return path.starts_with(tree) && (path.size() == tree.size() || path[tree.size()] == '/');
    };
    return std::ranges::any_of(kTrees, isBelow) || std::ranges::count(kFolders, path) != 0;
}

Result<bool> isEmptyFolder(int folder, const std::string& path)
{
    const int readable = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* listing = readable < 0 ? nullptr : ::fdopendir(readable);
    if (listing == nullptr) {
        const Error error = systemError(errno, "cannot look into the mount point", path);
        if (readable >= 0) {
            (void)::close(readable);
        }
        return fail(error);
    }
    bool empty = true;
    while (const dirent* entry = ::readdir(listing)) { // NOLINT(concurrency-mt-unsafe): own stream
        empty = empty &&
                (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0);
    }
    (void)::closedir(listing);
    return empty;
}

/// One step down; makes the folder where there is none.
Result<FileDescriptor> enter(int parent,
                             const std::string& name,
                             const std::string& path,
                             std::vector<std::string>& created)
{
    constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    constexpr mode_t kMode = 0755;
    FileDescriptor next(::openat(parent, name.c_str(), kFlags));
    if (next.get() < 0 && errno == ENOENT) {
        if (::mkdirat(parent, name.c_str(), kMode) == 0) {
            created.push_back(path);
        } else if (errno != EEXIST) {
            return fail(systemError(errno, "cannot make the mount point", path));
        }
        next = FileDescriptor(::openat(parent, name.c_str(), kFlags));
    }
    if (next.get() < 0) {
        return fail(systemError(errno, "cannot open the mount point", path));
    }
    return next;
}

/// The mount point as the mount table writes it: blanks and backslashes as \ooo.
std::string escaped(std::string_view path)
{
    std::string out;
    for (const char c : path) {
        if (c == ' ' || c == '\t' || c == '\n' || c == '\\') {
            out += fmt::format("\\{:03o}", static_cast<unsigned>(c));
        } else {
            out += c;
        }
    }
    return out;
}

struct ChildEnd
{
    int status = 0;
    std::string errors;
};

/// Runs fusermount3; `socket` (or -1) becomes its descriptor kChildSocket.
Result<ChildEnd> runFusermount(std::vector<std::string> words, int socket)
{
    words.insert(words.begin(), "fusermount3");
    std::vector<char*> arguments;
    for (std::string& word : words) {
        arguments.push_back(word.data());
    }
    arguments.push_back(nullptr);
    std::string search = kSearchPath;
    std::string where = fmt::format("_FUSE_COMMFD={}", kChildSocket);
    std::array<char*, 3> environment = {search.data(), where.data(), nullptr};
    std::array<int, 2> pipe = {-1, -1};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
        return fail(systemError(errno, "pipe2", ""));
    }
    const FileDescriptor reader(pipe[0]);
    FileDescriptor writer(pipe[1]);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, writer.get(), STDERR_FILENO);
    if (socket >= 0) {
        ::posix_spawn_file_actions_adddup2(&actions, socket, kChildSocket);
    }
    pid_t child = -1;
    const int spawned = ::posix_spawnp(
        &child, "fusermount3", &actions, nullptr, arguments.data(), environment.data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (spawned != 0) {
        return fail(systemError(spawned, "cannot start fusermount3", ""));
    }
    writer = FileDescriptor();
    ChildEnd end;
    std::array<char, 512> bytes{};
    constexpr std::size_t kMaxErrors = 4096;
    for (;;) {
        const ssize_t got = ::read(reader.get(), bytes.data(), bytes.size());
        if (got > 0 && end.errors.size() < kMaxErrors) {
            end.errors.append(bytes.data(), static_cast<std::size_t>(got));
        }
        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
    }
    while (::waitpid(child, &end.status, 0) < 0 && errno == EINTR) {
    }
    while (!end.errors.empty() && end.errors.back() == '\n') {
        end.errors.pop_back();
    }
    return end;
}

/// fusermount3 sends the descriptor over its socket.
FileDescriptor receiveDescriptor(int socket)
{
    char byte = 0;
    iovec data = {&byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message = {};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    ssize_t got = 0;
    do {
        got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    } while (got < 0 && errno == EINTR);
    const cmsghdr* header = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr;
    if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
        return {};
    }
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header), sizeof(fd));
    return FileDescriptor(fd);
}
} // namespace

std::string KernelOptions::toText() const
{
    return fmt::format("{}{}{}{}",
                       readOnly ? "ro" : "rw",
                       noSuid ? ",nosuid" : "",
                       noDevices ? ",nodev" : "",
                       noExec ? ",noexec" : "");
}

Result<MountFolder> prepareMountFolder(const std::string& path, bool overlay)
{
    if (path.empty() || path.front() != '/' || path.size() >= PATH_MAX) {
        return fail(
            ErrorCode::InvalidArgument, "a mount point has to be an absolute path", {.path = path});
    }
    MountFolder result;
    result.folder = FileDescriptor(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
    for (std::size_t at = 1; at < path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        if (end > at) {
            auto next = enter(result.folder.get(),
                              path.substr(at, end - at),
                              path.substr(0, end),
                              result.created);
            if (!next) {
                removeMountFolders(result.created);
                return fail(std::move(next).error());
            }
            result.folder = std::move(*next);
        }
        at = end + 1;
    }
    std::array<char, PATH_MAX> real{};
    const ssize_t length = ::readlink(
        fmt::format("/proc/self/fd/{}", result.folder.get()).c_str(), real.data(), real.size());
    if (length <= 0 || static_cast<std::size_t>(length) >= real.size()) {
        return fail(systemError(errno, "cannot find the mount point", path));
    }
    result.path.assign(real.data(), static_cast<std::size_t>(length));
    const bool empty = MP_TRY(isEmptyFolder(result.folder.get(), path));
    if (!empty && (!overlay || isSystemPath(result.path))) {
        return fail(ErrorCode::AlreadyExists, "directory is not empty", {.path = path});
    }
    return result;
}

void removeMountFolders(const std::vector<std::string>& created)
{
    for (auto path = created.rbegin(); path != created.rend(); ++path) {
        if (::rmdir(path->c_str()) != 0) {
            return;
        }
    }
}

Result<FileDescriptor>
mountAsRoot(int folder, const std::string& source, const KernelOptions& options)
{
    FileDescriptor fuse(::open(kFuseDevice, O_RDWR | O_CLOEXEC));
    if (fuse.get() < 0) {
        return fail(systemError(errno, "cannot open", kFuseDevice));
    }
    unsigned long flags = 0;
    for (const auto& [set, flag] : {std::pair(options.readOnly, MS_RDONLY),
                                    std::pair(options.noSuid, MS_NOSUID),
                                    std::pair(options.noDevices, MS_NODEV),
                                    std::pair(options.noExec, MS_NOEXEC)}) {
        flags |= set ? static_cast<unsigned long>(flag) : 0UL;
    }
    const std::string data = fmt::format(
        "fd={},rootmode=40000,user_id=0,group_id=0,default_permissions,allow_other", fuse.get());
    const std::string target = fmt::format("/proc/self/fd/{}", folder);
    if (::mount(source.c_str(), target.c_str(), "fuse.zfs", flags, data.c_str()) != 0) {
        return fail(systemError(errno, "mount", source));
    }
    return fuse;
}

Result<FileDescriptor>
mountAsUser(const std::string& path, const std::string& source, const KernelOptions& options)
{
    std::array<int, 2> ends = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return fail(systemError(errno, "socketpair", ""));
    }
    const FileDescriptor ours(ends[0]);
    const FileDescriptor theirs(ends[1]);
    const std::string words = fmt::format("{}{},subtype=zfs,fsname={}",
                                          options.readOnly ? "ro" : "rw",
                                          options.noExec ? ",noexec" : "",
                                          source);
    const ChildEnd end = MP_TRY(runFusermount({"-o", words, "--", path}, theirs.get()));
    FileDescriptor fuse = receiveDescriptor(ours.get());
    if (fuse.get() < 0) {
        return fail(ErrorCode::System,
                    end.errors.empty() ? "fusermount3 gave no mount" : end.errors,
                    {.path = path});
    }
    return fuse;
}

Status unmountAsRoot(const std::string& path, bool lazily)
{
    if (::umount2(path.c_str(), UMOUNT_NOFOLLOW | (lazily ? MNT_DETACH : 0)) == 0) {
        return {};
    }
    if (errno == EBUSY) {
        return fail(ErrorCode::DatasetBusy, "target is busy", {.path = path});
    }
    return fail(systemError(errno, "umount", path));
}

Status unmountAsUser(const std::string& path, bool lazily)
{
    const ChildEnd end =
        MP_TRY(runFusermount(lazily ? std::vector<std::string>{"-u", "-z", "--", path}
                                    : std::vector<std::string>{"-u", "--", path},
                             -1));
    if (WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0) {
        return {};
    }
    const bool busy = end.errors.find("busy") != std::string::npos;
    return fail(busy ? ErrorCode::DatasetBusy : ErrorCode::System,
                busy ? "target is busy" : end.errors,
                {.path = path});
}

std::string deviceOfMount(const std::string& path)
{
    const std::string wanted = escaped(path);
    std::ifstream table("/proc/self/mountinfo");
    std::string found;
    for (std::string line; std::getline(table, line);) {
        // id parent major:minor root MOUNTPOINT options [optional]... - TYPE source options
        std::array<std::string, 5> words;
        std::size_t at = 0;
        for (std::string& word : words) {
            const std::size_t end = std::min(line.find(' ', at), line.size());
            word = line.substr(at, end - at);
            at = std::min(end + 1, line.size());
        }
        if (words[4] == wanted) {
            const bool isFuse = line.find(" - fuse.") != std::string::npos;
            found = isFuse ? words[2] : ""; // the last one is on top
        }
    }
    return found;
}

void setReadAhead(const std::string& device, unsigned kibibytes)
{
    std::ofstream file("/sys/class/bdi/" + device + "/read_ahead_kb");
    file << kibibytes << '\n';
}

void setDirtyLimit(const std::string& device, ByteCount most)
{
    std::ofstream file("/sys/class/bdi/" + device + "/max_bytes");
    file << most.value() << '\n';
}

} // namespace millpond::fuse
