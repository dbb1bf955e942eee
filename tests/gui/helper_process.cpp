// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/helper_process.h"

#include <QDeadlineTimer>
#include <QThread>

#include <algorithm>
#include <csignal>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace millpond::test {

pid_t processBehind(const QString& socket)
{
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    const QByteArray path = socket.toUtf8();
    std::copy_n(path.cbegin(),
                std::min<qsizetype>(path.size(), sizeof(address.sun_path) - 1),
                address.sun_path);
    ucred credentials = {};
    socklen_t size = sizeof(credentials);
    const bool known =
        ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
        ::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0;
    ::close(fd);
    return known ? credentials.pid : -1;
}

bool isAlive(pid_t process)
{
    return ::kill(process, 0) == 0;
}

bool endHelper(const QString& socket)
{
    const pid_t helper = processBehind(socket);
    if (helper <= 0) {
        return true;
    }
    ::kill(helper, SIGTERM);
    const QDeadlineTimer deadline(15'000);
    while (isAlive(helper) && !deadline.hasExpired()) {
        QThread::msleep(20);
    }
    return !isAlive(helper);
}

} // namespace millpond::test
