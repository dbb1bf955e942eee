// SPDX-License-Identifier: GPL-3.0-or-later
// Theory of IoQueue (part of runtime/; the layer's statement is in thread_pool.cpp)
//
// Purpose. Keep several reads and writes in flight for a caller that then waits for them all: the
// columns of a raidz row, the copies of a block, blocks read ahead.
//
// Two back ends with the same behaviour. io_uring: the caller fills and submits the ring under a
// mutex, one thread reaps completions and calls them. Threads: a queue, and a few threads that
// pread and pwrite; for kernels and containers where io_uring is switched off.
//
// INV-1 Every request submitted is completed exactly once, also by the destructor.
// INV-2 A transfer is whole or an error: short counts are continued, the end of file is an error.
// INV-3 Requests in flight never exceed `depth`; the submitter waits. A completion therefore must
//       not submit to the same queue.
//
// Cost. io_uring: one system call a batch, one thread switch a completion. Threads: one switch to
// begin and one to end. A single read that its caller waits for is cheaper as a plain pread;
// devices do that.
#include "runtime/io_queue.h"

#include "runtime/detail/io_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

namespace millpond::runtime {

namespace {
constexpr unsigned kMaxDepth = 4096;
constexpr unsigned kMaxThreads = 256;
} // namespace

Result<std::unique_ptr<IoQueue>> IoQueue::create(const IoQueueOptions& options)
{
    if (options.depth == 0 || options.depth > kMaxDepth || options.threads == 0 ||
        options.threads > kMaxThreads) {
        return fail(ErrorCode::InvalidArgument, "I/O queue: depth or threads out of range");
    }
    switch (options.backend) {
    case IoBackend::Uring:
        return detail::createUringQueue(options);
    case IoBackend::Threads:
        return detail::createThreadQueue(options);
    case IoBackend::Auto:
        break;
    }
    auto queue = detail::createUringQueue(options);
    return queue ? std::move(queue) : detail::createThreadQueue(options);
}

Status runBlocking(IoRequest request)
{
    detail::IoState state(std::move(request));
    std::optional<Status> end;
    while (!end) {
        end = state.advance(detail::issueBlocking(state));
    }
    return *std::move(end);
}

namespace {
/// Pieces of one system call; a page of them.
constexpr std::size_t kMaxPieces = 256;

/// The first pieces without their first `done` bytes. Returns how many.
std::size_t fillVectors(std::span<const MutableBytes> into,
                        std::size_t done,
                        std::array<iovec, kMaxPieces>& vectors)
{
    std::size_t count = 0;
    for (const MutableBytes& piece : into.first(std::min(into.size(), kMaxPieces))) {
        const std::size_t skip = std::min(done, piece.size());
        done -= skip;
        if (skip < piece.size()) {
            vectors[count++] = {piece.data() + skip, piece.size() - skip};
        }
    }
    return count;
}
} // namespace

Status readScattered(int file,
                     ByteOffset offset,
                     std::span<const MutableBytes> into,
                     const std::string& path)
{
    std::array<iovec, kMaxPieces> vectors{};
    std::uint64_t at = offset.value();
    std::size_t done = 0; // of the first piece
    for (;;) {
        while (!into.empty() && done >= into.front().size()) {
            done -= into.front().size();
            into = into.subspan(1);
        }
        if (into.empty()) {
            return {};
        }
        const std::size_t count = fillVectors(into, done, vectors);
        const ssize_t got =
            preadv(file, vectors.data(), static_cast<int>(count), static_cast<off_t>(at));
        if (got > 0) {
            at += static_cast<std::uint64_t>(got);
            done += static_cast<std::size_t>(got);
        } else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
            return fail(ErrorCode::DeviceIo,
                        fmt::format("cannot read at {}: {}",
                                    at,
                                    got == 0 ? "end of file" : std::strerror(errno)),
                        {.path = path});
        }
    }
}

namespace detail {

std::size_t IoState::size() const
{
    switch (m_request.op) {
    case IoOp::Read:
        return m_request.into.size();
    case IoOp::Write:
        return m_request.from.size();
    case IoOp::Sync:
        break;
    }
    return 0;
}

Status IoState::failed(const std::string& why) const
{
    const std::string path = m_request.path != nullptr ? *m_request.path : std::string();
    if (m_request.op == IoOp::Sync) {
        return fail(ErrorCode::DeviceIo, "cannot flush: " + why, {.path = path});
    }
    return fail(ErrorCode::DeviceIo,
                fmt::format("cannot {} {} bytes at {}: {}",
                            m_request.op == IoOp::Read ? "read" : "write",
                            size(),
                            m_request.offset.value(),
                            why),
                {.path = path});
}

std::optional<Status> IoState::advance(std::int64_t result)
{
    if (result == -EINTR || result == -EAGAIN) {
        return std::nullopt;
    }
    if (result < 0) {
        return failed(std::strerror(static_cast<int>(-result)));
    }
    if (m_request.op == IoOp::Sync) {
        return Status();
    }
    m_done += static_cast<std::size_t>(result);
    if (m_done >= size()) {
        return Status();
    }
    if (result == 0) {
        return failed(m_request.op == IoOp::Read ? "end of file" : "nothing was written");
    }
    return std::nullopt;
}

std::int64_t issueBlocking(const IoState& state)
{
    const IoRequest& request = state.request();
    std::int64_t count = 0;
    switch (request.op) {
    case IoOp::Read:
        count = pread(request.file,
                      state.restInto().data(),
                      state.restInto().size(),
                      static_cast<off_t>(state.restOffset()));
        break;
    case IoOp::Write:
        count = pwrite(request.file,
                       state.restFrom().data(),
                       state.restFrom().size(),
                       static_cast<off_t>(state.restOffset()));
        break;
    case IoOp::Sync:
        count = fsync(request.file);
        break;
    }
    return count < 0 ? -errno : count;
}

} // namespace detail

} // namespace millpond::runtime
