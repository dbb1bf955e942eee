// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#define FUSE_USE_VERSION 35

#include "fuse/session.h"

#include <fuse_lowlevel.h>

#include <bit>
#include <cerrno>

// What the parts of a session that libfuse calls have in common. Theory statement: session.cpp.

namespace millpond::fuse {

/// "As long as it likes": a year, in seconds.
inline constexpr double kForever = 365.0 * 24 * 3600;

/// How long the kernel may keep attributes, in seconds.
[[nodiscard]] double attributesStay(const View::Entry& entry);
[[nodiscard]] double attributesStay(const struct stat& attributes);
[[nodiscard]] fuse_entry_param parameters(const View::Entry& entry);

[[nodiscard]] inline Handle* handleOf(const fuse_file_info* info)
{
    return std::bit_cast<Handle*>(info->fh);
}

/// Runs the work of a request and sees to it that it is answered.
struct Session::Reply
{
    template <class Work> static void to(fuse_req_t request, Work work, Lane lane = Lane::Reading)
    {
        const Status done = work(ReadContext{.wait = block::Wait::CachedOnly});
        if (done) {
            return;
        }
        if (!done.error().is(ErrorCode::WouldBlock)) {
            failure(request, done.error());
            return;
        }
        parked(request, std::move(work), lane);
    }

    /// What changes something.
    template <class Work> static void change(fuse_req_t request, Work work)
    {
        to(request, std::move(work), Lane::Changing);
    }

    /// What is known to wait.
    template <class Work> static void parked(fuse_req_t request, Work work, Lane lane)
    {
        of(request).park(lane, [request, work = std::move(work)]() mutable {
            const Status late = work(ReadContext{.wait = block::Wait::MayBlock});
            if (!late) {
                failure(request, late.error());
            }
        });
    }

    static Session& of(fuse_req_t request)
    {
        return *static_cast<Session*>(static_cast<WireOwner*>(fuse_req_userdata(request)));
    }

    static View& view(fuse_req_t request) { return of(request).m_view; }

    static void failure(fuse_req_t request, const Error& error);
    /// Logs what is wrong with the pool.
    static void complain(Session& session, const Error& error);

    static Status done(fuse_req_t request)
    {
        fuse_reply_err(request, 0);
        return {};
    }

    /// The usual answer to a question for the size, and to one for the value.
    static Status sized(fuse_req_t request, Bytes value, std::size_t size);
    static Status entry(fuse_req_t request, const View::Entry& entry);
    static void opened(fuse_req_t request, fuse_file_info info, std::unique_ptr<Handle> handle);
    static void created(fuse_req_t request,
                        const View::Entry& entry,
                        fuse_file_info info,
                        std::unique_ptr<Handle> handle);
    static void closed(Session& session, Handle* handle);
    /// The kernel knows an object no longer.
    static void forgotten(Session& session, std::uint64_t nodeId, std::uint64_t times);

    /// Whether the kernel is to keep pages of a file that is opened with these flags; counts its
    /// writers.
    static void decideCaching(Session& session, fuse_file_info& info, Handle& handle);

private:
    static Handle* keep(Session& session, std::unique_ptr<Handle> handle);
};

/// What libfuse calls to have something changed.
struct Session::Changes
{
    static void addTo(fuse_lowlevel_ops& operations);
    /// The part of an ioctl that sets flags; false when `command` is none.
    static bool setFlags(fuse_req_t request, fuse_ino_t node, unsigned command, Bytes argument);

private:
    struct Writing
    {
        Handle* handle;
        ByteOffset offset;
        bool fromCache;
        bool dropPrivileges;
    };

    static Status
    writeNow(fuse_req_t request, const Writing& writing, Bytes data, const ReadContext& context);

    static void create(
        fuse_req_t request, fuse_ino_t parent, const char* name, mode_t mode, fuse_file_info* info);
    static void setxattr(fuse_req_t request,
                         fuse_ino_t node,
                         const char* name,
                         const char* value,
                         std::size_t size,
                         int flags);
    static void write(fuse_req_t request,
                      fuse_ino_t node,
                      const char* bytes,
                      std::size_t size,
                      off_t offset,
                      fuse_file_info* info);
    static void fsync(fuse_req_t request, fuse_ino_t node, int dataOnly, fuse_file_info* info);
    static void fallocate(fuse_req_t request,
                          fuse_ino_t node,
                          int mode,
                          off_t offset,
                          off_t length,
                          fuse_file_info* info);
    static void copyFileRange(fuse_req_t request,
                              fuse_ino_t from,
                              off_t fromOffset,
                              fuse_file_info* fromInfo,
                              fuse_ino_t to,
                              off_t toOffset,
                              fuse_file_info* toInfo,
                              std::size_t length,
                              int flags);
};

} // namespace millpond::fuse
