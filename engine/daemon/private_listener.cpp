// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/private_listener.h"

#include "bus/helper_launcher.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace millpond::daemon {

namespace {
constexpr int kBacklog = 64;
} // namespace

PrivateListener::PrivateListener(std::string socketPath, Log& log, OnPeer onPeer)
    : m_path(std::move(socketPath))
    , m_log(log)
    , m_onPeer(std::move(onPeer))
{
}

PrivateListener::~PrivateListener()
{
    m_source.reset();
    if (m_socket.valid()) {
        (void)::unlink(m_path.c_str());
    }
}

Result<std::unique_ptr<PrivateListener>> PrivateListener::create(bus::EventLoop& loop,
                                                                 const std::string& socketPath,
                                                                 Log& log,
                                                                 OnPeer onPeer)
{
    std::unique_ptr<PrivateListener> listener(
        new PrivateListener(socketPath, log, std::move(onPeer)));
    MP_TRY(bus::prepareSocketFolder(socketPath));
    MP_TRY(listener->lock());
    MP_TRY(listener->listen());
    listener->m_source = MP_TRY(
        loop.whenReadable(listener->m_socket.get(), [self = listener.get()] { self->accept(); }));
    return listener;
}

Status PrivateListener::lock()
{
    const std::string path = m_path + ".lock";
    m_lock = bus::UniqueFd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!m_lock.valid()) {
        return fail(systemError(errno, "open", path));
    }
    if (::flock(m_lock.get(), LOCK_EX | LOCK_NB) != 0) {
        return fail(ErrorCode::AlreadyExists,
                    fmt::format("another helper already serves {}", m_path));
    }
    return {};
}

Status PrivateListener::listen()
{
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (m_path.size() >= sizeof(address.sun_path)) {
        return fail(ErrorCode::NameTooLong, fmt::format("the socket path {} is too long", m_path));
    }
    std::memcpy(address.sun_path, m_path.c_str(), m_path.size());
    bus::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.valid()) {
        return fail(systemError(errno, "socket", ""));
    }
    // We hold the lock: a socket that is there belongs to a helper that was killed.
    (void)::unlink(m_path.c_str());
    const mode_t mask = ::umask(0177);
    const int bound =
        ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    (void)::umask(mask);
    if (bound != 0 || ::listen(socket.get(), kBacklog) != 0) {
        return fail(systemError(errno, "bind", m_path));
    }
    m_socket = std::move(socket);
    return {};
}

void PrivateListener::accept()
{
    bus::UniqueFd peer(::accept4(m_socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!peer.valid()) {
        return; // it went away again
    }
    const Result<std::uint32_t> uid = bus::peerUid(peer.get());
    if (!uid || (*uid != ::geteuid() && *uid != 0)) {
        m_log.print(LogLevel::Warning,
                    "refused a connection of uid {}",
                    uid ? std::to_string(*uid) : std::string("unknown"));
        return;
    }
    m_onPeer(std::move(peer), *uid);
}

} // namespace millpond::daemon
