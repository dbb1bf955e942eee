// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "runtime/io_queue.h"

#include <optional>

namespace millpond::runtime::detail {

/// A request in flight: how far it has come. Both back ends drive it.
class IoState
{
public:
    IoState() = default;

    explicit IoState(IoRequest request)
        : m_request(std::move(request))
    {
    }

    [[nodiscard]] const IoRequest& request() const { return m_request; }

    /// What is still to be transferred.
    [[nodiscard]] MutableBytes restInto() const { return m_request.into.subspan(m_done); }

    [[nodiscard]] Bytes restFrom() const { return m_request.from.subspan(m_done); }

    [[nodiscard]] std::uint64_t restOffset() const { return m_request.offset.value() + m_done; }

    /// `result` is what the system call returned: a count, or -errno. Nothing while more is to be
    /// transferred: then the rest is to be issued again.
    [[nodiscard]] std::optional<Status> advance(std::int64_t result);

    /// Calls the completion.
    void finish(Status status) { m_request.done(std::move(status)); }

private:
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] Status failed(const std::string& why) const;

    IoRequest m_request;
    std::size_t m_done = 0;
};

/// The system call of the request's rest, in this thread: a count, or -errno.
[[nodiscard]] std::int64_t issueBlocking(const IoState& state);

[[nodiscard]] Result<std::unique_ptr<IoQueue>> createUringQueue(const IoQueueOptions& options);
[[nodiscard]] Result<std::unique_ptr<IoQueue>> createThreadQueue(const IoQueueOptions& options);

} // namespace millpond::runtime::detail
