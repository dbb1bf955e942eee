// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/detail/ownership.h"

#include "device/detail/text_file.h"

#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/sysmacros.h>

namespace millpond::device::detail {

namespace {

enum class Lock : short
{
    Shared = F_RDLCK,
    Exclusive = F_WRLCK
};

struct flock wholeFile(Lock lock)
{
    struct flock range = {};
    range.l_type = static_cast<short>(lock);
    range.l_whence = SEEK_SET;
    return range;
}

/// 0, or errno.
int tryLock(int file, Lock lock)
{
    struct flock range = wholeFile(lock);
    return fcntl(file, F_OFD_SETLK, &range) == 0 ? 0 : errno;
}

bool othersHoldLock(int file)
{
    struct flock range = wholeFile(Lock::Exclusive);
    return fcntl(file, F_OFD_GETLK, &range) == 0 && range.l_type != F_UNLCK;
}

/// Does the process have this very file open? Only what the caller may see in /proc.
bool hasOpen(const std::filesystem::path& process, const struct stat& wanted)
{
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(process / "fd", error)) {
        struct stat found = {};
        // Only regular files and block devices are compared: following such a link opens nothing.
        const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
        if (!target.starts_with('/') || stat(entry.path().c_str(), &found) != 0) {
            continue;
        }
        if (found.st_dev == wanted.st_dev && found.st_ino == wanted.st_ino) {
            return true;
        }
    }
    return false;
}

/// "by millpondd (process 812)"; empty when nobody is seen.
std::string processHolding(const struct stat& wanted)
{
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
        const std::string name = entry.path().filename().string();
        int pid = 0;
        const auto [end, bad] = std::from_chars(name.data(), name.data() + name.size(), pid);
        if (bad != std::errc() || end != name.data() + name.size() || pid == getpid() ||
            !hasOpen(entry.path(), wanted)) {
            continue;
        }
        return fmt::format("by {} (process {})", readLine(entry.path() / "comm"), pid);
    }
    return {};
}

/// "mounted on /home", "in use by dm-0"; empty when the kernel's tables do not tell.
std::string kernelHolding(const struct stat& status)
{
    const std::string number = fmt::format("{}:{}", major(status.st_rdev), minor(status.st_rdev));
    for (const MountEntry& mount : readMounts("/proc")) {
        if (mount.device == number) {
            return "mounted on " + mount.mountPoint;
        }
    }
    std::error_code error;
    for (const auto& holder :
         std::filesystem::directory_iterator("/sys/dev/block/" + number + "/holders", error)) {
        return "in use by " + holder.path().filename().string();
    }
    return {};
}

Error busy(const std::string& path, const struct stat& status)
{
    std::string who = S_ISBLK(status.st_mode) ? kernelHolding(status) : std::string();
    if (who.empty()) {
        const std::string process = processHolding(status);
        who = process.empty() ? "in use by another owner" : "in use " + process;
    }
    return Error(ErrorCode::DeviceBusy, std::move(who), {.path = path});
}

/// A block device: O_EXCL keeps mounts and other exclusive users away; where another reader of ours
/// has it already, we share.
Result<UniqueFd>
claimBlockDevice(const std::string& path, const struct stat& status, Access access, int lock)
{
    const int mode = access == Access::WriteExclusive ? O_RDWR : O_RDONLY;
    UniqueFd exclusive(reopen(lock, mode | O_EXCL | O_CLOEXEC));
    if (exclusive.isOpen()) {
        return exclusive;
    }
    const int error = errno;
    if (error == EBUSY) {
        if (access == Access::ReadShared && othersHoldLock(lock)) {
            return UniqueFd();
        }
        return fail(busy(path, status));
    }
    return fail(systemError(error, "open", path));
}

} // namespace

Result<Claim> claim(const std::string& path, const struct stat& status, Access access, int file)
{
    if (access == Access::Probe) {
        return Claim();
    }
    const bool writing = access == Access::WriteExclusive;
    Claim claim{.lock = UniqueFd(reopen(file, (writing ? O_RDWR : O_RDONLY) | O_CLOEXEC)),
                .exclusive = {}};
    if (!claim.lock.isOpen()) {
        return fail(systemError(errno, "open", path));
    }
    const int error = tryLock(claim.lock.get(), writing ? Lock::Exclusive : Lock::Shared);
    if (error == EAGAIN || error == EACCES) {
        return fail(busy(path, status));
    }
    // A file system that knows no locks is good enough to read from, not to write to.
    if (error != 0 && writing) {
        return fail(systemError(error, "lock", path));
    }
    if (S_ISBLK(status.st_mode)) {
        claim.exclusive = MP_TRY(claimBlockDevice(path, status, access, claim.lock.get()));
    }
    return claim;
}

} // namespace millpond::device::detail
