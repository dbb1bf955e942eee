// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/log.h"
#include "base/result.h"
#include "bus/event_loop.h"
#include "bus/unique_fd.h"

#include <functional>
#include <memory>
#include <string>

namespace millpond::daemon {

/// Private mode's door: a unix socket in a folder of this user alone. Lets in this user and root,
/// by the uid the kernel tells. Holds SOCKET.lock, so that there is one helper a socket.
class PrivateListener
{
public:
    using OnPeer = std::function<void(bus::UniqueFd socket, std::uint32_t uid)>;

    /// AlreadyExists when another helper holds the lock.
    [[nodiscard]] static Result<std::unique_ptr<PrivateListener>>
    create(bus::EventLoop& loop, const std::string& socketPath, Log& log, OnPeer onPeer);
    ~PrivateListener(); ///< removes the socket
    PrivateListener(const PrivateListener&) = delete;
    PrivateListener& operator=(const PrivateListener&) = delete;

private:
    PrivateListener(std::string socketPath, Log& log, OnPeer onPeer);
    [[nodiscard]] Status lock();
    [[nodiscard]] Status listen();
    void accept();

    const std::string m_path;
    Log& m_log;
    OnPeer m_onPeer;
    bus::UniqueFd m_lock;
    bus::UniqueFd m_socket;
    bus::EventLoop::Source m_source;
};

} // namespace millpond::daemon
