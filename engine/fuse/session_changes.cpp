// SPDX-License-Identifier: GPL-3.0-or-later
//
// Requests that change something. Theory statement: session.cpp.
#include "fuse/session_reply.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <linux/falloc.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/xattr.h>

namespace millpond::fuse {

namespace {
constexpr std::uint32_t kPermissions = 07777;
/// What one copy_file_range() does at most; the caller asks again for the rest.
constexpr std::uint64_t kMaxCopy = 64 * MiB;
constexpr std::uint64_t kCopyPiece = 4 * MiB;

posix::NewFile newFile(fuse_req_t request, mode_t mode)
{
    constexpr unsigned kTypeShift = 12;
    const fuse_ctx* caller = fuse_req_ctx(request);
    posix::NewFile file;
    file.type = static_cast<posix::FileType>((mode & S_IFMT) >> kTypeShift);
    file.mode = mode & kPermissions;
    file.umask = caller->umask;
    file.uid = caller->uid;
    file.gid = caller->gid;
    return file;
}

posix::Time timeOf(const timespec& time)
{
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

posix::AttributeSettings settingsOf(const struct stat& wanted, int which)
{
    const auto has = [which](int flag) { return (which & flag) != 0; };
    const posix::Time now = std::chrono::system_clock::now().time_since_epoch();
    posix::AttributeSettings settings;
    if (has(FUSE_SET_ATTR_MODE)) {
        settings.mode = wanted.st_mode & kPermissions;
    }
    if (has(FUSE_SET_ATTR_UID)) {
        settings.uid = wanted.st_uid;
    }
    if (has(FUSE_SET_ATTR_GID)) {
        settings.gid = wanted.st_gid;
    }
    if (has(FUSE_SET_ATTR_SIZE)) {
        settings.size = static_cast<std::uint64_t>(wanted.st_size);
    }
    if (has(FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_ATIME_NOW)) {
        settings.accessed = has(FUSE_SET_ATTR_ATIME_NOW) ? now : timeOf(wanted.st_atim);
    }
    if (has(FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW)) {
        settings.modified = has(FUSE_SET_ATTR_MTIME_NOW) ? now : timeOf(wanted.st_mtim);
    }
    if (has(FUSE_SET_ATTR_CTIME)) {
        settings.changed = timeOf(wanted.st_ctim);
    }
    settings.dropPrivileges = (wanted.st_mode & Wire::kDropPrivileges) != 0;
    return settings;
}

/// A range of a file as the kernel gives it.
std::optional<std::pair<ByteOffset, ByteCount>> rangeOf(off_t offset, off_t length)
{
    off_t end = 0;
    if (offset < 0 || length < 0 || __builtin_add_overflow(offset, length, &end)) {
        return std::nullopt;
    }
    return std::pair(ByteOffset(static_cast<std::uint64_t>(offset)),
                     ByteCount(static_cast<std::uint64_t>(length)));
}

struct CopyEnd
{
    Handle* handle;
    std::uint64_t offset;
};

/// Copies what is there of `size` bytes; holes become holes.
Result<std::uint64_t>
copyRange(const CopyEnd& from, const CopyEnd& to, std::uint64_t size, const ReadContext& context)
{
    posix::FileSystemWriter& writer = *to.handle->writer();
    std::uint64_t copied = 0;
    while (copied < size) {
        const auto pieces = MP_TRY(
            from.handle->fileSystem()->readPieces(from.handle->object(),
                                                  ByteOffset(from.offset + copied),
                                                  ByteCount(std::min(kCopyPiece, size - copied)),
                                                  context));
        std::uint64_t read = 0;
        for (const posix::FileSystem::Piece& piece : pieces) {
            const ByteOffset at(to.offset + copied + read);
            if (piece.block) {
                (void)MP_TRY(writer.write(
                    to.handle->object(),
                    {.offset = at, .data = piece.block->bytes().subspan(piece.offset, piece.size)},
                    context));
            } else {
                MP_TRY(writer.punch(to.handle->object(), at, ByteCount(piece.size), context));
                MP_TRY(writer.extend(to.handle->object(), at.value() + piece.size, context));
            }
            read += piece.size;
        }
        if (read == 0) {
            break;
        }
        copied += read;
    }
    return copied;
}

Status fallocateNow(
    Handle& handle, int mode, ByteOffset offset, ByteCount size, const ReadContext& context)
{
    posix::FileSystemWriter& writer = *handle.writer();
    const bool keepsSize = (mode & FALLOC_FL_KEEP_SIZE) != 0;
    const int kind = mode & ~FALLOC_FL_KEEP_SIZE;
    const bool punches = kind == FALLOC_FL_PUNCH_HOLE && keepsSize;
    if (kind != 0 && kind != FALLOC_FL_ZERO_RANGE && !punches) {
        return fail(ErrorCode::UnsupportedFeature, "no such kind of fallocate here");
    }
    if (kind != 0) {
        MP_TRY(writer.punch(handle.object(), offset, size, context));
    }
    // Nothing is reserved: space can't be, where nothing is overwritten in place.
    return keepsSize ? Status()
                     : writer.extend(handle.object(), offset.value() + size.value(), context);
}

using Entry = View::Entry;
} // namespace

void Session::Changes::addTo(fuse_lowlevel_ops& operations)
{
    using R = Reply;
    static constexpr auto make =
        [](fuse_req_t request, fuse_ino_t parent, const char* name, posix::NewFile file) {
            R::change(request,
                      [request, parent, name = std::string(name), file = std::move(file)](
                          const ReadContext& context) -> Status {
                          const Entry entry =
                              MP_TRY(R::view(request).create({parent, name}, file, context));
                          return R::entry(request, entry);
                      });
        };
    operations.mknod =
        [](fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode, dev_t device) {
            posix::NewFile file = newFile(request, mode);
            file.rdev = device;
            make(request, parent, name, std::move(file));
        };
    operations.mkdir = [](fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode) {
        make(request, parent, name, newFile(request, (mode & kPermissions) | S_IFDIR));
    };
    operations.symlink =
        [](fuse_req_t request, const char* target, fuse_ino_t parent, const char* name) {
            posix::NewFile file = newFile(request, S_IFLNK | ACCESSPERMS);
            file.umask = 0;
            file.linkTarget = target;
            make(request, parent, name, std::move(file));
        };
    operations.link = [](fuse_req_t request, fuse_ino_t node, fuse_ino_t parent, const char* name) {
        R::change(request,
                  [request, node, parent, name = std::string(name)](
                      const ReadContext& context) -> Status {
                      const Entry entry =
                          MP_TRY(R::view(request).link(node, {parent, name}, context));
                      return R::entry(request, entry);
                  });
    };
    operations.unlink = [](fuse_req_t request, fuse_ino_t parent, const char* name) {
        R::change(
            request,
            [request, parent, name = std::string(name)](const ReadContext& context) -> Status {
                MP_TRY(R::view(request).unlink({parent, name}, context));
                return R::done(request);
            });
    };
    operations.rmdir = [](fuse_req_t request, fuse_ino_t parent, const char* name) {
        R::change(
            request,
            [request, parent, name = std::string(name)](const ReadContext& context) -> Status {
                MP_TRY(R::view(request).removeDirectory({parent, name}, context));
                return R::done(request);
            });
    };
    operations.rename = [](fuse_req_t request,
                           fuse_ino_t parent,
                           const char* name,
                           fuse_ino_t newParent,
                           const char* newName,
                           unsigned flags) {
        posix::RenameMode mode = posix::RenameMode::Replace;
        if (flags == RENAME_NOREPLACE) {
            mode = posix::RenameMode::NoReplace;
        } else if (flags == RENAME_EXCHANGE) {
            mode = posix::RenameMode::Exchange;
        } else if (flags != 0) {
            fuse_reply_err(request, EINVAL);
            return;
        }
        R::change(request,
                  [request,
                   parent,
                   newParent,
                   mode,
                   name = std::string(name),
                   newName = std::string(newName)](const ReadContext& context) -> Status {
                      MP_TRY(R::view(request).rename(
                          {parent, name}, {newParent, newName}, mode, context));
                      return R::done(request);
                  });
    };
    operations.create = create;
    operations.setattr =
        [](fuse_req_t request, fuse_ino_t node, struct stat* wanted, int which, fuse_file_info*) {
            R::change(request,
                      [request, node, settings = settingsOf(*wanted, which)](
                          const ReadContext& context) -> Status {
                          const struct stat now =
                              MP_TRY(R::view(request).setAttributes(node, settings, context));
                          fuse_reply_attr(request, &now, attributesStay(now));
                          return {};
                      });
        };
    operations.setxattr = setxattr;
    operations.removexattr = [](fuse_req_t request, fuse_ino_t node, const char* name) {
        R::change(request,
                  [request, node, name = std::string(name)](const ReadContext& context) -> Status {
                      MP_TRY(R::view(request).removeXattr(node, name, context));
                      return R::done(request);
                  });
    };
    operations.write = write;
    operations.fsync = fsync;
    operations.fsyncdir = fsync;
    operations.fallocate = fallocate;
    operations.copy_file_range = copyFileRange;
}

void Session::Changes::create(
    fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode, fuse_file_info* info)
{
    const bool unnamed = (info->flags & O_TMPFILE) == O_TMPFILE;
    Reply::change(request,
                  [request,
                   parent,
                   unnamed,
                   name = std::string(name),
                   info = *info,
                   file = newFile(request, (mode & kPermissions) | S_IFREG)](
                      const ReadContext& context) mutable -> Status {
                      View& view = Reply::view(request);
                      const Entry entry =
                          MP_TRY(unnamed ? view.createUnnamed(parent, file, context)
                                         : view.create({parent, name}, file, context));
                      // It is made: from here on nothing may want to be done once more.
                      auto handle = view.openNew(entry, {});
                      if (!handle) {
                          return fail(std::move(handle).error());
                      }
                      Reply::decideCaching(Reply::of(request), info, **handle);
                      Reply::created(request, entry, info, std::move(*handle));
                      return {};
                  });
}

void Session::Changes::setxattr(fuse_req_t request,
                                fuse_ino_t node,
                                const char* name,
                                const char* value,
                                std::size_t size,
                                int flags)
{
    const posix::XattrMode mode = (flags & XATTR_CREATE) != 0    ? posix::XattrMode::Create
                                  : (flags & XATTR_REPLACE) != 0 ? posix::XattrMode::Replace
                                                                 : posix::XattrMode::Set;
    const Bytes given = std::as_bytes(std::span(value, size));
    Reply::change(request,
                  [request,
                   node,
                   mode,
                   name = std::string(name),
                   bytes = std::vector<std::byte>(given.begin(), given.end())](
                      const ReadContext& context) -> Status {
                      MP_TRY(Reply::view(request).setXattr(node, name, bytes, mode, context));
                      return Reply::done(request);
                  });
}

Status Session::Changes::writeNow(fuse_req_t request,
                                  const Writing& writing,
                                  Bytes data,
                                  const ReadContext& context)
{
    Handle& handle = *writing.handle;
    Result<ByteOffset> written = handle.writer()->write(
        handle.object(),
        {.offset = writing.offset, .data = data, .dropPrivileges = writing.dropPrivileges},
        context);
    if (!written) {
        // Of an error of its own pages, close() tells only whether it is ENOSPC.
        if (writing.fromCache && written.error().is(ErrorCode::QuotaExceeded)) {
            return fail(ErrorCode::NoSpace, "the quota is used up");
        }
        return fail(std::move(written).error());
    }
    fuse_reply_write(request, data.size());
    return {};
}

void Session::Changes::write(fuse_req_t request,
                             fuse_ino_t,
                             const char* bytes,
                             std::size_t size,
                             off_t offset,
                             fuse_file_info* info)
{
    Handle* handle = handleOf(info);
    if (handle->writer() == nullptr || offset < 0) {
        fuse_reply_err(request, handle->writer() == nullptr ? EROFS : EINVAL);
        return;
    }
    const Writing writing{.handle = handle,
                          .offset = ByteOffset(static_cast<std::uint64_t>(offset)),
                          .fromCache = info->writepage != 0,
                          .dropPrivileges =
                              (static_cast<unsigned>(info->flags) & Wire::kDropPrivileges) != 0};
    const Bytes data = std::as_bytes(std::span(bytes, size));
    const bool always = handle->open()->state().syncAlways;
    Status done = fail(ErrorCode::WouldBlock, "has to be permanent first");
    if (!always) {
        done = writeNow(request, writing, data, {.wait = block::Wait::CachedOnly});
    }
    if (done) {
        return;
    }
    if (!done.error().is(ErrorCode::WouldBlock)) {
        Reply::failure(request, done.error());
        return;
    }
    // The bytes are in a buffer that the next request comes into.
    Reply::parked(
        request,
        [request, writing, always, copy = std::vector<std::byte>(data.begin(), data.end())](
            const ReadContext& context) -> Status {
            if (!always) {
                return writeNow(request, writing, copy, context);
            }
            (void)MP_TRY(writing.handle->writer()->write(
                writing.handle->object(),
                {.offset = writing.offset, .data = copy, .dropPrivileges = writing.dropPrivileges},
                context));
            MP_TRY(Reply::view(request).sync(*writing.handle, context));
            fuse_reply_write(request, copy.size());
            return {};
        },
        Lane::Changing);
}

void Session::Changes::fsync(fuse_req_t request, fuse_ino_t, int, fuse_file_info* info)
{
    Reply::change(request,
                  [request, handle = handleOf(info)](const ReadContext& context) -> Status {
                      MP_TRY(Reply::view(request).sync(*handle, context));
                      return Reply::done(request);
                  });
}

void Session::Changes::fallocate(
    fuse_req_t request, fuse_ino_t, int mode, off_t offset, off_t length, fuse_file_info* info)
{
    Handle* handle = handleOf(info);
    const auto range = rangeOf(offset, length);
    if (handle->writer() == nullptr || !range) {
        fuse_reply_err(request, handle->writer() == nullptr ? EROFS : EFBIG);
        return;
    }
    Reply::change(request, [request, handle, mode, range](const ReadContext& context) -> Status {
        MP_TRY(fallocateNow(*handle, mode, range->first, range->second, context));
        return Reply::done(request);
    });
}

void Session::Changes::copyFileRange(fuse_req_t request,
                                     fuse_ino_t,
                                     off_t fromOffset,
                                     fuse_file_info* fromInfo,
                                     fuse_ino_t,
                                     off_t toOffset,
                                     fuse_file_info* toInfo,
                                     std::size_t length,
                                     int flags)
{
    Handle* from = handleOf(fromInfo);
    Handle* to = handleOf(toInfo);
    const auto size = static_cast<off_t>(std::min<std::uint64_t>(length, kMaxCopy));
    const auto source = rangeOf(fromOffset, size);
    const auto target = rangeOf(toOffset, size);
    if (from->fileSystem() == nullptr || to->writer() == nullptr || !source || !target ||
        flags != 0) {
        fuse_reply_err(request, EINVAL);
        return;
    }
    Reply::parked(
        request,
        [request,
         source = CopyEnd{from, source->first.value()},
         target = CopyEnd{to, target->first.value()},
         size](const ReadContext& context) -> Status {
            const std::uint64_t copied =
                MP_TRY(copyRange(source, target, static_cast<std::uint64_t>(size), context));
            fuse_reply_write(request, copied);
            return {};
        },
        Lane::Changing);
}

bool Session::Changes::setFlags(fuse_req_t request,
                                fuse_ino_t node,
                                unsigned command,
                                Bytes argument)
{
    const bool extended = command == FS_IOC_FSSETXATTR;
    if (!extended && command != FS_IOC_SETFLAGS) {
        return false;
    }
    View::Flags flags;
    if (extended) {
        fsxattr given = {};
        std::memcpy(&given, argument.data(), std::min(argument.size(), sizeof(given)));
        flags.xflags = given.fsx_xflags;
        flags.projectId = given.fsx_projid;
    } else {
        std::memcpy(
            &flags.fileFlags, argument.data(), std::min(argument.size(), sizeof(flags.fileFlags)));
    }
    Reply::change(request, [request, node, flags, extended](const ReadContext& context) -> Status {
        MP_TRY(Reply::view(request).setFlags(node, flags, extended, context));
        fuse_reply_ioctl(request, 0, nullptr, 0);
        return {};
    });
    return true;
}

} // namespace millpond::fuse
