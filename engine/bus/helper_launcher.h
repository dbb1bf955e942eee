// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "bus/client.h"
#include "bus/unique_fd.h"

#include <string>

// Private mode's rendezvous. The helper holds SOCKET.lock for as long as it lives, so that a second
// one gives up; a client that starts a helper holds SOCKET.start meanwhile, so that two do not.

namespace millpond::bus {

/// Makes the folder of a socket (mode 0700) if need be, and refuses one that another user could
/// have prepared (NotPermitted): a symbolic link, another owner, or others may write.
[[nodiscard]] Status prepareSocketFolder(const std::string& socketPath);

/// The folder for files of this user that live until the next boot: $XDG_RUNTIME_DIR,
/// /run/user/UID, or /tmp/millpond-UID.
[[nodiscard]] std::string runtimeFolder();

/// Connects, and makes sure that the other end is this user's or root's. ConnectionLost when nobody
/// listens.
[[nodiscard]] Result<UniqueFd> connectToSocket(const std::string& socketPath);

/// The uid at the other end of a connected unix socket.
[[nodiscard]] Result<std::uint32_t> peerUid(int socket);

/// Connects to a private helper; starts one when none listens and the options allow it.
[[nodiscard]] Result<UniqueFd> reachPrivateHelper(const ConnectOptions& options);

} // namespace millpond::bus
