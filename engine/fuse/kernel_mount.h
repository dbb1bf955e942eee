// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/types.h"

#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace millpond::fuse {

class FileDescriptor
{
public:
    FileDescriptor() = default;

    explicit FileDescriptor(int fd)
        : m_fd(fd)
    {
    }

    FileDescriptor(FileDescriptor&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
    {
    }

    FileDescriptor& operator=(FileDescriptor&& other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }

    ~FileDescriptor()
    {
        if (m_fd >= 0) {
            (void)::close(m_fd);
        }
    }

    [[nodiscard]] int get() const { return m_fd; }

    [[nodiscard]] int release() { return std::exchange(m_fd, -1); }

private:
    int m_fd = -1;
};

/// What the kernel is told of a mount.
struct KernelOptions
{
    bool readOnly = true;
    bool noSuid = false, noDevices = false, noExec = false;

    bool operator==(const KernelOptions&) const = default;
    /// "ro,nosuid,nodev"
    [[nodiscard]] std::string toText() const;
};

/// A folder that is about to be mounted on.
struct MountFolder
{
    FileDescriptor folder;            ///< O_PATH
    std::string path;                 ///< without links
    std::vector<std::string> created; ///< folders that were made for it, outermost first
};

/// Opens `path` (absolute), making it and what leads to it where missing. A folder that is not
/// empty is refused (AlreadyExists), with `overlay` only where the system lives.
[[nodiscard]] Result<MountFolder> prepareMountFolder(const std::string& path, bool overlay);
/// Removes folders that prepareMountFolder() made, as far as they are empty.
void removeMountFolders(const std::vector<std::string>& created);

/// mount(2) by root, with permissions checked by the kernel, for everybody. The descriptor speaks
/// FUSE; closing it ends the mount's life. `source` shows as its device, type is fuse.zfs.
[[nodiscard]] Result<FileDescriptor>
mountAsRoot(int folder, const std::string& source, const KernelOptions& options);
/// The same through fusermount3, for the calling user alone; it adds nosuid and nodev by itself.
[[nodiscard]] Result<FileDescriptor>
mountAsUser(const std::string& path, const std::string& source, const KernelOptions& options);

/// DatasetBusy while something in it is in use, unless `lazily`.
[[nodiscard]] Status unmountAsRoot(const std::string& path, bool lazily);
[[nodiscard]] Status unmountAsUser(const std::string& path, bool lazily);

/// "MAJOR:MINOR" of the FUSE mount on top at `path`, from the mount table; empty where there is
/// none. Looks at no path.
[[nodiscard]] std::string deviceOfMount(const std::string& path);
/// How much the kernel reads ahead on that device; root only, best effort.
void setReadAhead(const std::string& device, unsigned kibibytes);
/// How much of it the kernel keeps that we have not got yet: up to `most`, without the short rein
/// that FUSE has by itself. Root only, best effort.
void setDirtyLimit(const std::string& device, ByteCount most);

} // namespace millpond::fuse
