// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuse/session_reply.h"

#include <ctime>

namespace millpond::fuse {

double attributesStay(const struct stat& attributes)
{
    // How many blocks a file has is known when its txg is on disk; until then it is asked for anew.
    constexpr time_t kUntilSynced = 15;
    constexpr double kShort = 1.0;
    timespec now = {};
    (void)::clock_gettime(CLOCK_REALTIME, &now);
    return attributes.st_ctim.tv_sec + kUntilSynced < now.tv_sec ? kForever : kShort;
}

double attributesStay(const View::Entry& entry)
{
    return entry.open ? attributesStay(entry.attributes) : kForever;
}

fuse_entry_param parameters(const View::Entry& entry)
{
    fuse_entry_param out = {};
    out.ino = entry.nodeId;
    out.generation = entry.generation;
    out.attr = entry.attributes;
    out.attr_timeout = attributesStay(entry);
    out.entry_timeout = entry.nameMayStay ? kForever : 0;
    return out;
}

void Session::Reply::complain(Session& session, const Error& error)
{
    const ErrorClass kind = error.errorClass();
    if (session.m_options.log != nullptr &&
        (kind == ErrorClass::Corrupt || kind == ErrorClass::Io)) {
        session.m_options.log->print(LogLevel::Warning, "{}", error.toText());
    }
}

void Session::Reply::failure(fuse_req_t request, const Error& error)
{
    complain(of(request), error);
    fuse_reply_err(request, errorErrno(error.code()));
}

Status Session::Reply::sized(fuse_req_t request, Bytes value, std::size_t size)
{
    if (size == 0) {
        fuse_reply_xattr(request, value.size());
    } else if (value.size() > size) {
        return fail(ErrorCode::BufferTooSmall, "the value is longer than asked for");
    } else {
        fuse_reply_buf(request, std::bit_cast<const char*>(value.data()), value.size());
    }
    return {};
}

Status Session::Reply::entry(fuse_req_t request, const View::Entry& entry)
{
    Session& session = of(request);
    session.m_view.uses().add(entry.nodeId, entry.open, entry.object, entry.isRetained);
    const fuse_entry_param found = parameters(entry);
    if (fuse_reply_entry(request, &found) != 0) {
        forgotten(session, entry.nodeId, 1); // the caller has gone
    }
    return {};
}

Handle* Session::Reply::keep(Session& session, std::unique_ptr<Handle> handle)
{
    Handle* raw = handle.get();
    const MutexLock lock(session.m_mutex);
    session.m_handles[raw] = std::move(handle);
    return raw;
}

void Session::Reply::opened(fuse_req_t request, fuse_file_info info, std::unique_ptr<Handle> handle)
{
    Session& session = of(request);
    Handle* raw = keep(session, std::move(handle));
    info.fh = std::bit_cast<std::uint64_t>(raw);
    if (fuse_reply_open(request, &info) != 0) {
        closed(session, raw); // the caller has gone: nobody will release it
    }
}

void Session::Reply::created(fuse_req_t request,
                             const View::Entry& entry,
                             fuse_file_info info,
                             std::unique_ptr<Handle> handle)
{
    Session& session = of(request);
    Handle* raw = keep(session, std::move(handle));
    info.fh = std::bit_cast<std::uint64_t>(raw);
    session.m_view.uses().add(entry.nodeId, entry.open, entry.object, entry.isRetained);
    const fuse_entry_param made = parameters(entry);
    if (fuse_reply_create(request, &made, &info) != 0) {
        closed(session, raw);
        forgotten(session, entry.nodeId, 1);
    }
}

void Session::Reply::closed(Session& session, Handle* handle)
{
    std::unique_ptr<Handle> own;
    {
        const MutexLock lock(session.m_mutex);
        const auto known = session.m_handles.find(handle);
        if (known == session.m_handles.end()) {
            return;
        }
        own = std::move(known->second);
        session.m_handles.erase(known);
    }
    const OpenFileSystemRef open = own->open();
    own.reset();
    session.drainSoon(open);
}

void Session::Reply::forgotten(Session& session, std::uint64_t nodeId, std::uint64_t times)
{
    session.drainSoon(session.m_view.uses().forget(nodeId, times));
}

void Session::Reply::decideCaching(Session& session, fuse_file_info& info, Handle& handle)
{
    info.keep_cache = 1;
    if (handle.writer() == nullptr) {
        info.noflush = 1;
        return;
    }
    if ((info.flags & O_ACCMODE) == O_RDONLY) {
        return;
    }
    session.lookSoon(handle.open());
    if (View::mayCacheWrites(handle)) {
        handle.setCachedWriter(session.m_view.uses());
    } else {
        info.direct_io = 1;
    }
}

} // namespace millpond::fuse
