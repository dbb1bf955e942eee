// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"

#include <atomic>
#include <cstdint>
#include <sys/types.h>
#include <sys/uio.h>

struct fuse_session;

namespace millpond::fuse {

/// What passes between the kernel and libfuse, where libfuse 3.14 does not know what the kernel
/// can. Theory statement: wire.cpp. Thread-safe.
class Wire
{
public:
    /// Set in the flags of a write or open, or in the mode of a setattr: setuid and setgid are to
    /// be dropped.
    static constexpr std::uint32_t kDropPrivileges = std::uint32_t{1} << 30U;

    /// Has libfuse read and write through this; the session's user data is a WireOwner.
    [[nodiscard]] static bool attach(fuse_session* session, int fd);

private:
    void onRequest(MutableBytes request);
    void onReply(const iovec* pieces, int count);

    static ssize_t read(int fd, void* buffer, std::size_t size, void* owner);
    static ssize_t write(int fd, iovec* pieces, int count, void* owner);

    std::atomic<std::uint64_t> m_greeting = 0; ///< number of the INIT request; 0: none under way
    std::uint64_t m_offered = 0;               ///< flags of it
};

/// What the user data of a libfuse session has to be (derive from it).
struct WireOwner
{
    Wire wire;
};

} // namespace millpond::fuse
