// SPDX-License-Identifier: GPL-3.0-or-later
// Theory of device/
//
// Purpose. Where bytes are kept: disks, partitions, image files, memory; what is on them, and who
// uses them. Nothing here knows what a pool is, but that libblkid can name one.
//
// In memory. A FileDevice holds up to four descriptors of one file: one for buffered and, where the
// file system can, one for direct reads and writes (O_DIRECT: what we cache, we cache decompressed,
// in block/; the kernel need not keep it as well), one that carries the lock, and for a block
// device the exclusive one.
//
// INV-1 A writer is alone; readers that must not see changes share. Image files: a lock of the open
//       file description (F_OFD_SETLK), which unlike a process' lock survives other descriptors
//       being closed and also holds between two engines in one process. Block devices: the same on
//       the device node, and O_EXCL, which mount, swap, LVM and MD respect. When a reader finds the
//       device exclusively held, a reader's lock on the node tells that it is one of us.
// INV-2 Where there is direct I/O, nothing goes through the page cache: a request that it cannot
//       serve (offset, size or memory not aligned) takes a detour through memory of ours. A direct
//       write that meets a page in use makes the kernel report EIO to the next flush, although
//       nothing is lost; and that would be a device error.
// INV-3 All descriptors of a device are of the file that was opened first, whatever its name means
//       by now: they are opened anew through /proc/self/fd.
// INV-4 A transfer is whole or an error that names the path.
//
// Direct I/O's alignment is found by trying at open: 512, then 4096 bytes; the structure that tells
// it (STATX_DIOALIGN) is younger than Debian 12's C library.
//
// Concurrency. Everything from any thread; a FileDevice is immutable once open.
//
// Failure. A device that vanishes answers EIO or ENODEV: DeviceIo. A failed flush is final, because
// the kernel reports lost pages once only.
//
// Cost. read() and readScattered(): one system call in the caller. submit(): the I/O queue, no
// copy.
//
// Sources. open(2), fcntl(2) "Open file description locks", linux/fs.h (BLKSSZGET and kin).
#include "device/file_device.h"

#include "base/buffer.h"
#include "device/detail/ownership.h"
#include "device/detail/unique_fd.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <vector>

namespace millpond::device {

namespace {

using detail::UniqueFd;

struct Geometry
{
    ByteCount size;
    ByteCount logicalSector{512};
    ByteCount physicalSector{512};
};

struct Opened
{
    std::string path;
    bool writable = false;
    bool isBlockDevice = false;
    Geometry geometry;
    UniqueFd buffered;
    UniqueFd direct; ///< not open: not possible or not wanted
    std::size_t directAlignment = 0;
    detail::Claim claim;
    runtime::IoQueue* queue = nullptr;
};

class FileDevice final : public BlockDevice
{
public:
    explicit FileDevice(Opened opened)
        : m_opened(std::move(opened))
    {
    }

    [[nodiscard]] const std::string& path() const override { return m_opened.path; }

    [[nodiscard]] ByteCount size() const override { return m_opened.geometry.size; }

    [[nodiscard]] ByteCount logicalSector() const override
    {
        return m_opened.geometry.logicalSector;
    }

    [[nodiscard]] ByteCount physicalSector() const override
    {
        return m_opened.geometry.physicalSector;
    }

    [[nodiscard]] bool writable() const override { return m_opened.writable; }

    [[nodiscard]] Status read(ByteOffset offset, MutableBytes into) override
    {
        MP_TRY(checkRange(*this, offset, into.size()));
        if (!needsDetour(offset, into.data(), into.size())) {
            return runtime::runBlocking(readRequest(offset, into, nullptr));
        }
        const Detour detour = MP_TRY(makeDetour(offset, into.size()));
        MP_TRY(runtime::runBlocking(readRequest(detour.offset, detour.memory, nullptr)));
        detour.copyTo(into);
        return {};
    }

    [[nodiscard]] Status readScattered(ByteOffset offset,
                                       std::span<const MutableBytes> into) override;

    [[nodiscard]] Status write(ByteOffset offset, Bytes from) override
    {
        MP_TRY(checkWrite(offset, from));
        if (!needsDetour(offset, from.data(), from.size())) {
            return runtime::runBlocking(writeRequest(offset, from, nullptr));
        }
        const Detour detour = MP_TRY(makeDetour(offset, from.size()));
        detour.copyFrom(from);
        return runtime::runBlocking(writeRequest(offset, detour.memory, nullptr));
    }

    [[nodiscard]] Status flush() override { return runtime::runBlocking(syncRequest(nullptr)); }

    [[nodiscard]] Status discard(ByteOffset offset, ByteCount count) override;
    void submit(std::span<DeviceRequest> batch) override;

private:
    /// Memory that direct I/O can use, for a range that covers what was asked for.
    struct Detour
    {
        std::shared_ptr<Buffer> owner;
        MutableBytes memory;
        ByteOffset offset;
        std::size_t skip = 0; ///< bytes in front of what was asked for

        void copyTo(MutableBytes into) const
        {
            std::memcpy(into.data(), memory.data() + skip, into.size());
        }

        void copyFrom(Bytes from) const { std::memcpy(memory.data(), from.data(), from.size()); }
    };

    [[nodiscard]] bool isAligned(ByteOffset offset, const void* memory, std::size_t size) const;
    [[nodiscard]] bool needsDetour(ByteOffset offset, const void* memory, std::size_t size) const;
    [[nodiscard]] Result<Detour> makeDetour(ByteOffset offset, std::size_t size) const;
    [[nodiscard]] Status addRequest(DeviceRequest& request,
                                    std::vector<runtime::IoRequest>& requests) const;
    [[nodiscard]] int fileFor(ByteOffset offset, const void* memory, std::size_t size) const;
    [[nodiscard]] Status checkWrite(ByteOffset offset, Bytes from) const;

    [[nodiscard]] runtime::IoRequest
    readRequest(ByteOffset offset, MutableBytes into, runtime::IoCompletion done) const
    {
        return {.op = runtime::IoOp::Read,
                .file = fileFor(offset, into.data(), into.size()),
                .offset = offset,
                .into = into,
                .from = {},
                .path = &m_opened.path,
                .done = std::move(done)};
    }

    [[nodiscard]] runtime::IoRequest
    writeRequest(ByteOffset offset, Bytes from, runtime::IoCompletion done) const
    {
        return {.op = runtime::IoOp::Write,
                .file = fileFor(offset, from.data(), from.size()),
                .offset = offset,
                .into = {},
                .from = from,
                .path = &m_opened.path,
                .done = std::move(done)};
    }

    [[nodiscard]] runtime::IoRequest syncRequest(runtime::IoCompletion done) const
    {
        return {.op = runtime::IoOp::Sync,
                .file = m_opened.buffered.get(),
                .offset = {},
                .into = {},
                .from = {},
                .path = &m_opened.path,
                .done = std::move(done)};
    }

    const Opened m_opened;
};

bool FileDevice::isAligned(ByteOffset offset, const void* memory, std::size_t size) const
{
    const std::uint64_t bits = offset.value() | size | reinterpret_cast<std::uintptr_t>(memory);
    return (bits & (m_opened.directAlignment - 1)) == 0;
}

/// The last bytes of a device whose size is odd can't be had by direct I/O at all. They are never
/// part of a pool.
bool FileDevice::needsDetour(ByteOffset offset, const void* memory, std::size_t size) const
{
    return m_opened.direct.isOpen() && !isAligned(offset, memory, size) &&
           alignUp(offset.value() + size, m_opened.directAlignment) <= this->size().value();
}

Result<FileDevice::Detour> FileDevice::makeDetour(ByteOffset offset, std::size_t size) const
{
    const std::uint64_t start = offset.value() & ~(m_opened.directAlignment - 1);
    const std::uint64_t end = alignUp(offset.value() + size, m_opened.directAlignment);
    const auto length = static_cast<std::size_t>(end - start);
    // Smaller buffers are not aligned.
    auto owner =
        std::make_shared<Buffer>(MP_TRY(Buffer::create(std::max(length, Buffer::kAlignment))));
    const MutableBytes memory = owner->bytes().first(length);
    return Detour{std::move(owner),
                  memory,
                  ByteOffset(start),
                  static_cast<std::size_t>(offset.value() - start)};
}

int FileDevice::fileFor(ByteOffset offset, const void* memory, std::size_t size) const
{
    return m_opened.direct.isOpen() && isAligned(offset, memory, size) ? m_opened.direct.get()
                                                                       : m_opened.buffered.get();
}

Status FileDevice::readScattered(ByteOffset offset, std::span<const MutableBytes> into)
{
    std::size_t size = 0;
    bool aligned = true; // where every piece begins and ends, every system call can begin
    for (const MutableBytes& piece : into) {
        aligned = aligned && isAligned(offset + ByteCount(size), piece.data(), piece.size());
        size += piece.size();
    }
    MP_TRY(checkRange(*this, offset, size));
    if (!m_opened.direct.isOpen()) {
        return runtime::readScattered(m_opened.buffered.get(), offset, into, m_opened.path);
    }
    return aligned ? runtime::readScattered(m_opened.direct.get(), offset, into, m_opened.path)
                   : BlockDevice::readScattered(offset, into);
}

Status FileDevice::checkWrite(ByteOffset offset, Bytes from) const
{
    if (!m_opened.writable) {
        return fail(ErrorCode::ReadOnly, "opened for reading only", {.path = path()});
    }
    const std::uint64_t sector = logicalSector().value();
    if (offset.value() % sector != 0 || from.size() % sector != 0) {
        return fail(
            ErrorCode::InvalidArgument, "a write that is not of whole sectors", {.path = path()});
    }
    return checkRange(*this, offset, from.size());
}

Status FileDevice::discard(ByteOffset offset, ByteCount count)
{
    MP_TRY(checkRange(*this, offset, count.value()));
    if (!m_opened.writable) {
        return fail(ErrorCode::ReadOnly, "opened for reading only", {.path = path()});
    }
    int failed = 0;
    if (m_opened.isBlockDevice) {
        std::uint64_t range[2] = {offset.value(), count.value()};
        failed = ioctl(m_opened.buffered.get(), BLKDISCARD, range);
    } else {
        failed = fallocate(m_opened.buffered.get(),
                           FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                           static_cast<off_t>(offset.value()),
                           static_cast<off_t>(count.value()));
    }
    if (failed == 0) {
        return {};
    }
    if (errno == EOPNOTSUPP) {
        return fail(ErrorCode::UnsupportedMethod, "cannot discard", {.path = path()});
    }
    return fail(systemError(errno, "discard", path()));
}

Status FileDevice::addRequest(DeviceRequest& request,
                              std::vector<runtime::IoRequest>& requests) const
{
    const auto add = [&](runtime::IoRequest made) { requests.push_back(std::move(made)); };
    switch (request.op) {
    case runtime::IoOp::Read: {
        const MutableBytes into = request.into;
        MP_TRY(checkRange(*this, request.offset, into.size()));
        if (!needsDetour(request.offset, into.data(), into.size())) {
            add(readRequest(request.offset, into, std::move(request.done)));
            return {};
        }
        Detour detour = MP_TRY(makeDetour(request.offset, into.size()));
        const MutableBytes memory = detour.memory;
        add(readRequest(detour.offset,
                        memory,
                        [detour, into, done = std::move(request.done)](Status status) mutable {
                            if (status) {
                                detour.copyTo(into);
                            }
                            done(std::move(status));
                        }));
        return {};
    }
    case runtime::IoOp::Write: {
        const Bytes from = request.from;
        MP_TRY(checkWrite(request.offset, from));
        if (!needsDetour(request.offset, from.data(), from.size())) {
            add(writeRequest(request.offset, from, std::move(request.done)));
            return {};
        }
        Detour detour = MP_TRY(makeDetour(request.offset, from.size()));
        detour.copyFrom(from);
        const Bytes memory = detour.memory;
        add(writeRequest(request.offset,
                         memory,
                         [detour, done = std::move(request.done)](Status status) mutable {
                             done(std::move(status));
                         }));
        return {};
    }
    case runtime::IoOp::Sync:
        add(syncRequest(std::move(request.done)));
        return {};
    }
    return {};
}

void FileDevice::submit(std::span<DeviceRequest> batch)
{
    if (m_opened.queue == nullptr) {
        BlockDevice::submit(batch);
        return;
    }
    std::vector<runtime::IoRequest> requests;
    requests.reserve(batch.size());
    for (DeviceRequest& request : batch) {
        if (Status possible = addRequest(request, requests); !possible) {
            request.done(std::move(possible));
        }
    }
    m_opened.queue->submit(requests);
}

Error openError(int error, const std::string& path)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENXIO:
    case ENODEV:
    case ENOMEDIUM:
        return Error(ErrorCode::NoSuchDevice, "no such device or file", {.path = path});
    case EACCES:
    case EPERM:
        return Error(ErrorCode::NotPermitted, "no permission to open", {.path = path});
    case EROFS:
        return Error(ErrorCode::ReadOnly, "on a read-only file system", {.path = path});
    case EBUSY:
        return Error(ErrorCode::DeviceBusy, "in use by another owner", {.path = path});
    default:
        return systemError(error, "open", path);
    }
}

int modeFor(bool writable)
{
    return (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
}

/// O_NONBLOCK so that a fifo does not wait: the kind is checked before anything else is done.
Result<UniqueFd> openFirst(const std::string& path, bool writable)
{
    UniqueFd file(open(path.c_str(), modeFor(writable)));
    if (!file.isOpen()) {
        return fail(openError(errno, path));
    }
    return file;
}

Result<struct stat> kindChecked(int file, const std::string& path)
{
    struct stat status = {};
    if (fstat(file, &status) != 0) {
        return fail(systemError(errno, "fstat", path));
    }
    if (!S_ISREG(status.st_mode) && !S_ISBLK(status.st_mode)) {
        return fail(
            ErrorCode::InvalidArgument, "neither a file nor a block device", {.path = path});
    }
    return status;
}

Result<Geometry> geometryOf(int file, const struct stat& status, const std::string& path)
{
    if (S_ISREG(status.st_mode)) {
        return Geometry{.size = ByteCount(static_cast<std::uint64_t>(status.st_size))};
    }
    std::uint64_t size = 0;
    int logical = 0;
    unsigned physical = 0;
    if (ioctl(file, BLKGETSIZE64, &size) != 0 || ioctl(file, BLKSSZGET, &logical) != 0 ||
        ioctl(file, BLKPBSZGET, &physical) != 0 || logical <= 0) {
        return fail(systemError(errno, "ioctl", path));
    }
    return Geometry{.size = ByteCount(size),
                    .logicalSector = ByteCount(static_cast<std::uint64_t>(logical)),
                    .physicalSector = ByteCount(physical)};
}

/// A read at an aligned offset's sector tells whether the alignment is good enough. 0: not even
/// 4096 is.
std::size_t findAlignment(int file, ByteCount size, std::size_t smallest)
{
    Result<Buffer> buffer = Buffer::create(2 * Buffer::kAlignment);
    if (!buffer) {
        return 0;
    }
    for (std::size_t alignment = smallest; alignment <= Buffer::kAlignment; alignment *= 2) {
        if (size.value() < 2 * alignment) {
            return 0;
        }
        std::byte* memory = buffer->bytes().data() + alignment;
        if (pread(file, memory, alignment, static_cast<off_t>(alignment)) ==
            static_cast<ssize_t>(alignment)) {
            return alignment;
        }
    }
    return 0;
}

void tryDirect(Opened& opened)
{
    UniqueFd direct(detail::reopen(opened.buffered.get(), modeFor(opened.writable) | O_DIRECT));
    if (!direct.isOpen()) {
        return;
    }
    opened.directAlignment =
        findAlignment(direct.get(), opened.geometry.size, opened.geometry.logicalSector.value());
    const bool canWrite = opened.directAlignment <= opened.geometry.logicalSector.value();
    if (opened.directAlignment != 0 && (canWrite || !opened.writable)) {
        opened.direct = std::move(direct);
    }
}

} // namespace

Result<DeviceRef> openFileDevice(const std::string& path, const FileDeviceOptions& options)
{
    Opened opened;
    opened.path = path;
    opened.writable = options.access == Access::WriteExclusive;
    opened.queue = options.queue;
    opened.buffered = MP_TRY(openFirst(path, opened.writable));
    const struct stat status = MP_TRY(kindChecked(opened.buffered.get(), path));
    opened.isBlockDevice = S_ISBLK(status.st_mode);
    opened.claim = MP_TRY(detail::claim(path, status, options.access, opened.buffered.get()));
    opened.geometry = MP_TRY(geometryOf(opened.buffered.get(), status, path));
    if (options.pageCache == PageCache::Bypass) {
        tryDirect(opened);
    }
    return std::make_shared<FileDevice>(std::move(opened));
}

} // namespace millpond::device
