// SPDX-License-Identifier: GPL-3.0-or-later
//
// One mount's conversation with the kernel: theory.
//
// Purpose. libfuse's low-level interface on one side, View on the other: requests come in, are
// answered from memory where they can be, and parked where they would wait.
//
// In memory. The descriptor of /dev/fuse, some threads that read it, an eventfd that ends them.
// Requests under way hold copies of their arguments; libfuse's buffer is the thread's and reused.
//
// Invariants.
//   INV-1 A thread that reads the descriptor never waits for a device. Every request first runs
//         under Wait::CachedOnly; on WouldBlock it goes to the workers, which run it once more and
//         reply. So stat() of what is known is fast however slow the disks are, and a read that
//         waits keeps nobody but its reader.
//   INV-2 Every request is answered exactly once: work either replies and succeeds, or fails and
//         has not replied.
//   INV-3 No lock is held while the kernel is told to forget something, and no request does that:
//         the kernel may make the teller wait for a request.
//   INV-4 A request that has changed something is not run again: what comes after the change in it
//         does not answer WouldBlock. (A write is one change, or waits from the beginning.)
//   INV-5 The session outlives its parked requests: its end waits for them. Handles that the kernel
//         never gave back (it does not when we end first) end with the session.
//
// What the kernel may keep. Everything changes through the kernel, but for which datasets are
// shown: attributes, names, missing names, links, pages and listings stay in its caches as long as
// it likes; a dataset that is shown or hidden is a name that is forgotten. Only names of datasets
// that fold case or normalise are asked for every time, and for some seconds after a change the
// attributes, whose blocks are counted when their txg is on disk.
//
// What is agreed on (INIT). Reads of up to 1 MiB (libfuse asks for 256 pages because its buffer has
// them), several at once; listings with attributes where the kernel sees a use; links cached;
// handles for NFS; ioctls on folders; POSIX ACLs where the kernel is to check them. For writing:
// the writeback cache, opening and emptying in one request, and the umask left to us, because a
// default ACL overrules it. What libfuse 3.14 cannot say is in wire.cpp.
//
// Writing. The kernel gathers pages and writes them when it likes, with its own idea of a file's
// size and times, which it tells us. That is right while there is room: pages it has accepted must
// not be lost. So a file is opened past its cache where the dataset has little room or wants every
// write on the disk at once (8.2), and what a mount may have dirty is bounded. Where somebody asks
// for data and holes of a file whose pages we may not have, the kernel is first made to write them,
// by a thread of its own (8.1). Nothing is to be done at close(): the kernel has written its pages
// by then, so there is no such request. fsync waits until its txg is on disk.
//
// Nodes. What the kernel knows or has open may lose its names and lives on (node_uses.h); it is
// freed when the kernel forgets it, by a worker where that takes long.
//
// Reading. The kernel's read-ahead is limited (read_ahead_kb), a disk array's appetite is not: each
// handle watches its reads (read_ahead.h) and has the blocks ahead fetched into the engine's cache.
// What is not known yet is where those blocks are, when their indirect block is not in memory: then
// a worker fetches that first. A reply is sent from the cached blocks themselves, which stay as
// long as it takes.
//
// Failure. An Error becomes an errno (base/error_code.h); damage and device errors are logged with
// dataset, object and block. When the kernel ends the conversation, the threads end and `ended` is
// told. When we end it first, whoever has files open gets ENOTCONN.
//
// Cost. One copy, by the kernel, from the cached blocks to its pages.
//
// Sources: libfuse 3.14 fuse_lowlevel.h; Linux Documentation/filesystems/fuse.
#include "fuse/session_reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>

namespace millpond::fuse {

namespace {
using block::Wait;

constexpr std::size_t kMaxRead = 4 * MiB;
constexpr std::size_t kMaxListing = 1 * MiB;
constexpr std::size_t kMaxXattrNames = 64 * KiB; ///< as Linux allows
/// Pieces of a reply that go to the kernel as they are; it takes 1024, libfuse adds one.
constexpr std::size_t kMaxVectors = 512;
constexpr unsigned kBackground = 64; ///< reads ahead the kernel may have under way

/// What holes read as.
constexpr std::array<std::byte, 128 * KiB> kZeroes{};
} // namespace

/// What libfuse calls.
struct Session::Operations
{
    static void init(void* session, fuse_conn_info* connection)
    {
        auto& self = *static_cast<Session*>(static_cast<WireOwner*>(session));
        const auto want = [connection](unsigned capability) {
            connection->want |= connection->capable & capability;
        };
        want(FUSE_CAP_ASYNC_READ | FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_READDIRPLUS |
             FUSE_CAP_READDIRPLUS_AUTO | FUSE_CAP_CACHE_SYMLINKS | FUSE_CAP_EXPORT_SUPPORT |
             FUSE_CAP_IOCTL_DIR);
        if (self.m_options.kernelChecksAccess) {
            want(FUSE_CAP_POSIX_ACL);
        }
        if (self.m_options.writable) { // (the umask is ours to apply: an ACL may overrule it)
            want(FUSE_CAP_WRITEBACK_CACHE | FUSE_CAP_ATOMIC_O_TRUNC | FUSE_CAP_DONT_MASK);
        }
        // Replies come from memory, and requests are small.
        connection->want &= ~static_cast<unsigned>(FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE |
                                                   FUSE_CAP_SPLICE_MOVE);
        connection->max_background = kBackground;
        connection->congestion_threshold = kBackground * 3 / 4;
        self.m_greeted.store(true);
    }

    static void lookup(fuse_req_t request, fuse_ino_t parent, const char* name)
    {
        Reply::to(
            request,
            [request, parent, name = std::string(name)](const ReadContext& context) -> Status {
                View& view = Reply::view(request);
                const auto entry = view.lookup(parent, name, context);
                if (entry) {
                    return Reply::entry(request, *entry);
                }
                if (!entry.error().is(ErrorCode::NoSuchEntry) || !view.missingNamesStay(parent)) {
                    return fail(entry.error());
                }
                fuse_entry_param missing = {};
                missing.entry_timeout = kForever;
                fuse_reply_entry(request, &missing);
                return {};
            });
    }

    static void getattr(fuse_req_t request, fuse_ino_t node, fuse_file_info*)
    {
        Reply::to(request, [request, node](const ReadContext& context) -> Status {
            View& view = Reply::view(request);
            const struct stat attributes = MP_TRY(view.attributes(node, context));
            fuse_reply_attr(request,
                            &attributes,
                            Reply::of(request).m_options.writable ? attributesStay(attributes)
                                                                  : kForever);
            return {};
        });
    }

    static void readlink(fuse_req_t request, fuse_ino_t node)
    {
        Reply::to(request, [request, node](const ReadContext& context) -> Status {
            const std::string target = MP_TRY(Reply::view(request).readLink(node, context));
            fuse_reply_readlink(request, target.c_str());
            return {};
        });
    }

    static void open(fuse_req_t request, fuse_ino_t node, fuse_file_info* info)
    {
        Reply::change(request,
                      [request, node, info = *info](const ReadContext& context) mutable -> Status {
                          View& view = Reply::view(request);
                          auto handle = view.open(node, context);
                          if (!handle) {
                              return fail(std::move(handle).error());
                          }
                          const bool truncates = (info.flags & O_TRUNC) != 0;
                          const posix::FileSystemWriter* writer = (*handle)->writer();
                          if ((writer == nullptr || writer->options().readOnly) &&
                              ((info.flags & O_ACCMODE) != O_RDONLY || truncates)) {
                              return fail(ErrorCode::ReadOnly, "nothing can be changed here");
                          }
                          if (truncates) {
                              posix::AttributeSettings empty;
                              empty.size = 0;
                              empty.dropPrivileges =
                                  (static_cast<unsigned>(info.flags) & Wire::kDropPrivileges) != 0;
                              (void)MP_TRY(view.setAttributes(node, empty, context));
                          }
                          Reply::decideCaching(Reply::of(request), info, **handle);
                          Reply::opened(request, info, std::move(*handle));
                          return {};
                      });
    }

    static void opendir(fuse_req_t request, fuse_ino_t node, fuse_file_info* info)
    {
        info->keep_cache = 1;
        info->cache_readdir = 1;
        openNode(request, node, *info);
    }

    static void openNode(fuse_req_t request, fuse_ino_t node, const fuse_file_info& info)
    {
        Reply::to(request, [request, node, info](const ReadContext& context) -> Status {
            auto handle = Reply::view(request).open(node, context);
            if (!handle) {
                return fail(std::move(handle).error());
            }
            Reply::opened(request, info, std::move(*handle));
            return {};
        });
    }

    static void release(fuse_req_t request, fuse_ino_t, fuse_file_info* info)
    {
        Reply::closed(Reply::of(request), handleOf(info));
        fuse_reply_err(request, 0);
    }

    static void
    read(fuse_req_t request, fuse_ino_t, std::size_t size, off_t offset, fuse_file_info* info)
    {
        Handle* handle = handleOf(info);
        posix::FileSystem* fileSystem = handle->fileSystem();
        if (fileSystem == nullptr || offset < 0) {
            fuse_reply_err(request, fileSystem == nullptr ? EISDIR : EINVAL);
            return;
        }
        const ByteOffset from(static_cast<std::uint64_t>(offset));
        const ByteCount count(std::min(size, kMaxRead));
        if (const auto ahead = handle->readAhead.onRead(from, count)) {
            readAhead(Reply::of(request), *handle, *ahead);
        }
        Reply::to(request, [request, handle, from, count](const ReadContext& context) {
            return readNow(request, *handle, from, count, context);
        });
    }

    static Status readNow(fuse_req_t request,
                          Handle& handle,
                          ByteOffset from,
                          ByteCount count,
                          const ReadContext& context)
    {
        const auto pieces =
            MP_TRY(handle.fileSystem()->readPieces(handle.object(), from, count, context));
        std::vector<iovec> vectors;
        for (const posix::FileSystem::Piece& piece : pieces) {
            if (piece.block) {
                vectors.push_back(toVector(piece.block->bytes().subspan(piece.offset, piece.size)));
                continue;
            }
            for (std::size_t left = piece.size; left > 0;) {
                const std::size_t zeroes = std::min(left, kZeroes.size());
                vectors.push_back(toVector(std::span(kZeroes).first(zeroes)));
                left -= zeroes;
            }
        }
        if (vectors.size() <= kMaxVectors) {
            fuse_reply_iov(request, vectors.data(), static_cast<int>(vectors.size()));
            return {};
        }
        std::vector<char> joined;
        joined.reserve(static_cast<std::size_t>(count.value()));
        for (const iovec& vector : vectors) {
            const char* begin = static_cast<const char*>(vector.iov_base);
            joined.insert(joined.end(), begin, begin + vector.iov_len);
        }
        fuse_reply_buf(request, joined.data(), joined.size());
        return {};
    }

    static iovec toVector(Bytes bytes)
    {
        return {const_cast<std::byte*>(bytes.data()), bytes.size()}; // only read from
    }

    /// What will be read next, fetched by this thread or, where even finding it waits, by a worker.
    static void readAhead(Session& session, const Handle& handle, const ReadAhead::Range& ahead)
    {
        const auto fetch =
            [files = handle.open()->files, object = handle.object(), ahead](Wait wait) {
                return files->prefetch(object, ahead.offset, ahead.size, {.wait = wait});
            };
        const Status begun = fetch(Wait::CachedOnly);
        if (begun || !begun.error().is(ErrorCode::WouldBlock)) {
            return; // who reads there will meet the error
        }
        session.park(Lane::Reading, [fetch] { (void)fetch(Wait::MayBlock); });
    }

    static void
    readdir(fuse_req_t request, fuse_ino_t node, std::size_t size, off_t offset, fuse_file_info*)
    {
        list(request, node, size, offset, false);
    }

    static void readdirplus(
        fuse_req_t request, fuse_ino_t node, std::size_t size, off_t offset, fuse_file_info*)
    {
        list(request, node, size, offset, true);
    }

    static void
    list(fuse_req_t request, fuse_ino_t node, std::size_t size, off_t offset, bool details)
    {
        const std::size_t room = std::min(size, kMaxListing);
        const auto cookie = static_cast<std::uint64_t>(offset);
        Reply::to(
            request, [request, node, room, cookie, details](const ReadContext& context) -> Status {
                View& view = Reply::view(request);
                std::vector<char> buffer(room);
                std::size_t used = 0;
                std::vector<std::uint64_t> told; // nodes that the kernel knows once more
                const auto add = [&](const View::Listed& listed) {
                    const fuse_entry_param entry = parameters(listed.entry);
                    const auto next = static_cast<off_t>(listed.cookie);
                    char* at = buffer.data() + used;
                    const std::size_t taken =
                        details
                            ? fuse_add_direntry_plus(
                                  request, at, room - used, listed.name.c_str(), &entry, next)
                            : fuse_add_direntry(
                                  request, at, room - used, listed.name.c_str(), &entry.attr, next);
                    if (taken > room - used) {
                        return false;
                    }
                    used += taken;
                    if (details && listed.entry.open) {
                        view.uses().add(
                            listed.entry.nodeId, listed.entry.open, listed.entry.object);
                        told.push_back(listed.entry.nodeId);
                    }
                    return true;
                };
                const auto takeBack = [&] {
                    for (const std::uint64_t known : told) {
                        Reply::forgotten(Reply::of(request), known, 1);
                    }
                };
                const Status listed = view.list(node, cookie, details, add, context);
                // What was listed before the damage is shown; the next call meets it again.
                if (!listed && (used == 0 || listed.error().is(ErrorCode::WouldBlock))) {
                    takeBack();
                    return listed;
                }
                if (fuse_reply_buf(request, buffer.data(), used) != 0) {
                    takeBack();
                }
                return {};
            });
    }

    static void statfs(fuse_req_t request, fuse_ino_t node)
    {
        Reply::to(request, [request, node](const ReadContext& context) -> Status {
            const struct statvfs space = MP_TRY(Reply::view(request).space(node, context));
            fuse_reply_statfs(request, &space);
            return {};
        });
    }

    static void getxattr(fuse_req_t request, fuse_ino_t node, const char* name, std::size_t size)
    {
        Reply::to(
            request,
            [request, node, name = std::string(name), size](const ReadContext& context) -> Status {
                const auto value = MP_TRY(Reply::view(request).xattr(node, name, context));
                return Reply::sized(request, value, size);
            });
    }

    static void listxattr(fuse_req_t request, fuse_ino_t node, std::size_t size)
    {
        Reply::to(request, [request, node, size](const ReadContext& context) -> Status {
            const std::string names = MP_TRY(Reply::view(request).xattrNames(node, context));
            if (names.size() > kMaxXattrNames) {
                return fail(ErrorCode::TooMany, "more attribute names than Linux can list");
            }
            return Reply::sized(request, std::as_bytes(std::span(names)), size);
        });
    }

    static void
    lseek(fuse_req_t request, fuse_ino_t, off_t offset, int whence, fuse_file_info* info)
    {
        Handle* handle = handleOf(info);
        if (handle->fileSystem() == nullptr || offset < 0 ||
            (whence != SEEK_DATA && whence != SEEK_HOLE)) {
            fuse_reply_err(request, EINVAL);
            return;
        }
        const auto find = [request, handle, offset, whence] {
            Reply::to(request, [request, handle, offset, whence](const ReadContext& context) {
                return seekNow(request, *handle, offset, whence, context);
            });
        };
        if (Reply::view(request).uses().hasCachedWriter(handle->nodeId())) { // 8.1
            Reply::of(request).flushPages(handle->nodeId(), find);
        } else {
            find();
        }
    }

    static Status seekNow(
        fuse_req_t request, Handle& handle, off_t offset, int whence, const ReadContext& context)
    {
        const ByteOffset from(static_cast<std::uint64_t>(offset));
        posix::FileSystem& fileSystem = *handle.fileSystem();
        const auto found =
            MP_TRY(whence == SEEK_DATA ? fileSystem.seekData(handle.object(), from, context)
                                       : fileSystem.seekHole(handle.object(), from, context));
        if (found) {
            fuse_reply_lseek(request, static_cast<off_t>(found->value()));
        } else {
            fuse_reply_err(request, ENXIO);
        }
        return {};
    }

    static void ioctl(fuse_req_t request,
                      fuse_ino_t node,
                      unsigned command,
                      void*,
                      fuse_file_info*,
                      unsigned flags,
                      const void* argument,
                      std::size_t argumentSize,
                      std::size_t room)
    {
        const Bytes given(static_cast<const std::byte*>(argument), argumentSize);
        if ((flags & FUSE_IOCTL_COMPAT) == 0 && Changes::setFlags(request, node, command, given)) {
            return;
        }
        const bool known = command == FS_IOC_GETFLAGS || command == FS_IOC_FSGETXATTR;
        if (!known || (flags & FUSE_IOCTL_COMPAT) != 0) {
            fuse_reply_err(request, ENOTTY);
            return;
        }
        Reply::to(request, [request, node, command, room](const ReadContext& context) -> Status {
            const View::Flags shown = MP_TRY(Reply::view(request).flags(node, context));
            std::array<std::byte, sizeof(fsxattr)> answer{};
            std::size_t size = sizeof(shown.fileFlags);
            if (command == FS_IOC_GETFLAGS) {
                std::memcpy(answer.data(), &shown.fileFlags, size);
            } else {
                fsxattr extended = {};
                extended.fsx_xflags = shown.xflags;
                extended.fsx_projid = shown.projectId;
                size = sizeof(extended);
                std::memcpy(answer.data(), &extended, size);
            }
            fuse_reply_ioctl(request, 0, answer.data(), std::min(size, room));
            return {};
        });
    }

    static void forget(fuse_req_t request, fuse_ino_t node, std::uint64_t times)
    {
        Reply::forgotten(Reply::of(request), node, times);
        fuse_reply_none(request);
    }

    static void forgetMany(fuse_req_t request, std::size_t count, fuse_forget_data* nodes)
    {
        for (const fuse_forget_data& node : std::span(nodes, count)) {
            Reply::forgotten(Reply::of(request), node.ino, node.nlookup);
        }
        fuse_reply_none(request);
    }

    static fuse_lowlevel_ops table()
    {
        fuse_lowlevel_ops operations = {};
        operations.init = init;
        operations.lookup = lookup;
        operations.getattr = getattr;
        operations.readlink = readlink;
        operations.open = open;
        operations.read = read;
        operations.release = release;
        operations.opendir = opendir;
        operations.readdir = readdir;
        operations.readdirplus = readdirplus;
        operations.releasedir = release;
        operations.statfs = statfs;
        operations.getxattr = getxattr;
        operations.listxattr = listxattr;
        operations.lseek = lseek;
        operations.ioctl = ioctl;
        operations.forget = forget;
        operations.forget_multi = forgetMany;
        Changes::addTo(operations);
        return operations;
    }
};

Session::Session(View& view, Options options)
    : m_view(view)
    , m_options(std::move(options))
{
}

Result<std::unique_ptr<Session>> Session::start(FileDescriptor fuse, View& view, Options options)
{
    std::unique_ptr<Session> session(new Session(view, std::move(options)));
    MP_TRY(session->open(std::move(fuse)));
    return session;
}

Status Session::open(FileDescriptor fuse)
{
    std::string name = "millpond";
    char* words[] = {name.data(), nullptr};
    fuse_args arguments = FUSE_ARGS_INIT(1, words);
    const fuse_lowlevel_ops operations = Operations::table();
    m_stop = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    m_session = fuse_session_new(
        &arguments, &operations, sizeof(operations), static_cast<WireOwner*>(this));
    // Several threads wait for the same requests; who comes too late must not get stuck.
    const int flags = ::fcntl(fuse.get(), F_GETFL);
    if (m_stop.get() < 0 || m_session == nullptr || flags < 0 ||
        ::fcntl(fuse.get(), F_SETFL, flags | O_NONBLOCK) != 0) {
        return fail(ErrorCode::System, "cannot set up a FUSE session");
    }
    if (!Wire::attach(m_session, fuse.get())) {
        return fail(ErrorCode::System, "libfuse does not take the descriptor of the mount");
    }
    (void)fuse.release(); // the session's now
    if (m_options.writable) {
        m_teller = std::thread([this] { tellKernel(); });
    }
    m_running.store(m_options.threads);
    for (unsigned i = 0; i < m_options.threads; ++i) {
        m_threads.emplace_back([this] { serve(); });
    }
    return {};
}

Session::~Session()
{
    stopTelling(); // first: it may be waiting for requests
    m_stopping.store(true);
    const std::uint64_t one = 1;
    (void)!::write(m_stop.get(), &one, sizeof(one));
    for (std::thread& thread : m_threads) {
        thread.join();
    }
    {
        const MutexLock lock(m_mutex); // INV-5
        while (m_parked != 0) {
            m_changed.wait(m_mutex);
        }
    }
    if (m_session != nullptr) {
        fuse_session_destroy(m_session);
    }
}

void Session::park(Lane lane, runtime::Task work)
{
    {
        const MutexLock lock(m_mutex);
        ++m_parked;
    }
    runtime::Executor* const changers =
        m_options.changers == nullptr ? m_options.workers : m_options.changers;
    (lane == Lane::Changing ? changers : m_options.workers)
        ->post([this, work = std::move(work)]() mutable {
            work();
            const MutexLock lock(m_mutex);
            --m_parked;
            m_changed.notifyAll();
        });
}

void Session::drainSoon(const OpenFileSystemRef& open)
{
    if (!open || !open->writer || !open->mayHaveUnlinked.load() || m_stopping.load() ||
        open->drainQueued.exchange(true)) {
        return;
    }
    park(Lane::Changing, [this, open] {
        open->drainQueued.store(false); // before: what is released from now on is not overlooked
        const Result<bool> more = open->writer->drainUnlinked();
        if (more && *more) {
            drainSoon(open);
        } else if (!more) {
            Reply::complain(*this, more.error());
        }
    });
}

void Session::lookSoon(const OpenFileSystemRef& open)
{
    if (!open->isStateOld() || open->lookQueued.exchange(true)) {
        return;
    }
    park(Lane::Reading, [this, open] {
        if (const Status looked = m_view.fileSystems().look(*open); !looked) {
            Reply::complain(*this, looked.error());
        }
        open->lookQueued.store(false);
    });
}

void Session::flushPages(std::uint64_t node, std::function<void()> then)
{
    const MutexLock lock(m_telling);
    m_flushes.push_back({node, std::move(then)});
    m_toTell.notifyAll();
}

void Session::tellKernel()
{
    for (;;) {
        Flush next;
        {
            const MutexLock lock(m_telling);
            while (m_flushes.empty() && !m_stopTelling) {
                m_toTell.wait(m_telling);
            }
            if (m_flushes.empty()) {
                return;
            }
            next = std::move(m_flushes.front());
            m_flushes.pop_front();
        }
        forget(next.node);
        next.then();
    }
}

void Session::stopTelling()
{
    {
        const MutexLock lock(m_telling);
        m_stopTelling = true;
        m_toTell.notifyAll();
    }
    if (m_teller.joinable()) {
        m_teller.join();
    }
}

bool Session::waitForRequest(int poll) const
{
    std::array<epoll_event, 2> events{};
    const int count = ::epoll_wait(poll, events.data(), events.size(), -1);
    if (count < 0) {
        return errno == EINTR;
    }
    return std::none_of(events.begin(), events.begin() + count, [this](const epoll_event& event) {
        return event.data.fd == m_stop.get();
    });
}

void Session::serve()
{
    const FileDescriptor poll(::epoll_create1(EPOLL_CLOEXEC));
    const int fuse = fuse_session_fd(m_session);
    for (const auto& [fd, mode] : {std::pair(fuse, EPOLLIN | EPOLLEXCLUSIVE),
                                   std::pair(m_stop.get(), EPOLLIN | EPOLLEXCLUSIVE * 0)}) {
        epoll_event event = {};
        event.events = static_cast<std::uint32_t>(mode);
        event.data.fd = fd;
        (void)::epoll_ctl(poll.get(), EPOLL_CTL_ADD, fd, &event);
    }
    fuse_buf buffer = {};
    bool greeted = false;
    while (!m_stopping.load()) {
        const int got = fuse_session_receive_buf(m_session, &buffer);
        if (got == -EAGAIN) {
            if (!waitForRequest(poll.get())) {
                break;
            }
            continue;
        }
        if (got == -EINTR) {
            continue;
        }
        if (got <= 0) {
            break; // unmounted
        }
        fuse_session_process_buf(m_session, &buffer);
        if (!greeted && m_greeted.load()) {
            // Only now the kernel has taken the answer to INIT (if it was this thread that gave it;
            // else it will have by the time the other one comes here).
            greeted = true;
            const MutexLock lock(m_mutex);
            m_ready = true;
            m_changed.notifyAll();
        }
    }
    std::free(buffer.mem); // NOLINT(cppcoreguidelines-no-malloc): libfuse's
    onThreadEnd();
}

void Session::onThreadEnd()
{
    // One that sees the end wakes the others.
    const std::uint64_t one = 1;
    (void)!::write(m_stop.get(), &one, sizeof(one));
    if (m_running.fetch_sub(1) == 1 && !m_stopping.load() && m_options.ended) {
        m_options.ended();
    }
}

bool Session::waitUntilReady(std::chrono::milliseconds patience)
{
    const auto deadline = std::chrono::steady_clock::now() + patience;
    const MutexLock lock(m_mutex);
    while (!m_ready) {
        const auto left = deadline - std::chrono::steady_clock::now();
        if (left <= std::chrono::nanoseconds(0)) {
            return false;
        }
        (void)m_changed.waitFor(m_mutex, left);
    }
    return true;
}

void Session::forget(std::uint64_t parent, const std::string& name)
{
    (void)fuse_lowlevel_notify_inval_entry(m_session, parent, name.c_str(), name.size());
    forget(parent);
}

void Session::forget(std::uint64_t node)
{
    (void)fuse_lowlevel_notify_inval_inode(m_session, node, 0, 0);
}

} // namespace millpond::fuse
