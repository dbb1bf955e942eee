// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "bus/server.h"
#include "bus/table.h"
#include "daemon/authority.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace millpond::daemon {

/// Sends the answer, on the loop's thread.
using Reply = std::function<void(bus::Call&)>;

/// A call whose shape was checked.
struct Prepared
{
    /// On the executor.
    using Work = std::function<Result<Reply>(const Caller&)>;

    Action action = Action::DestroyData;
    Work work;
    /// A further action this caller needs; loop thread.
    std::function<std::optional<Action>(const Caller&)> escalate;
};

/// Reads and checks the arguments; loop thread, must not wait.
using Method = std::function<Result<Prepared>(bus::Call&)>;
using MethodTable = std::map<std::string, Method, std::less<>>;

template <class... Values> Reply replyWith(Values... values)
{
    return [... values = std::move(values)](bus::Call& call) { call.reply(values...); };
}

/// The document as a sealed memfd.
[[nodiscard]] inline Result<Reply> replyWithDocument(bus::DocumentWriter& document)
{
    auto fd = std::make_shared<bus::UniqueFd>(MP_TRY(document.finishToMemfd()));
    return Reply([fd](bus::Call& call) { call.reply(*fd); });
}

} // namespace millpond::daemon
