// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/authority.h"

#include <fmt/format.h>

#include <systemd/sd-bus.h>

namespace millpond::daemon {

namespace {
using std::chrono::milliseconds;

constexpr milliseconds kBusDeadline{5'000};
/// A person may have to type a password.
constexpr milliseconds kAskDeadline{120'000};
constexpr std::size_t kMaxKnownUids = 1024;

Error refusal(Action action, std::string_view why)
{
    return {ErrorCode::NotAuthorized,
            fmt::format("permission denied: {} ({})", why, actionName(action))};
}

/// CheckAuthorization(subject (sa{sv}), action s, details a{ss}, flags u, cancellation s)
Status fillQuestion(bus::Message& question, const std::string& sender, Action action, bool mayAsk)
{
    const int added = sd_bus_message_append(question.raw(),
                                            "(sa{sv})sa{ss}us",
                                            "system-bus-name",
                                            1,
                                            "name",
                                            "s",
                                            sender.c_str(),
                                            actionName(action),
                                            0,
                                            mayAsk ? 1U : 0U,
                                            "");
    if (added < 0) {
        return fail(systemError(-added, "cannot ask polkit", ""));
    }
    return {};
}

/// The answer: (is_authorized b, is_challenge b, details a{ss})
Status readAnswer(bus::Message& answer, Action action)
{
    bool authorized = false;
    bool challenge = false;
    MP_TRY(answer.enter('r', "bba{ss}"));
    MP_TRY(answer.take(authorized));
    MP_TRY(answer.take(challenge));
    if (authorized) {
        return {};
    }
    return fail(refusal(action,
                        challenge ? "authentication is needed, and nobody could be asked"
                                  : "polkit says no"));
}
} // namespace

const char* actionName(Action action)
{
    switch (action) {
    case Action::ReadStatus:
        return "org.millpond.read-status";
    case Action::ImportExport:
        return "org.millpond.import-export";
    case Action::DestroyData:
        return "org.millpond.destroy-data";
    case Action::SystemDevices:
        return "org.millpond.system-devices";
    case Action::ManageUsers:
        return "org.millpond.manage-users";
    }
    return "org.millpond.destroy-data";
}

void PeerAuthority::check(const bus::CallRef& call, Action action, Decided decided)
{
    const auto connection = call->connection();
    if (!connection || !connection->isPeer()) {
        decided(fail(refusal(action, "not a peer of this helper")));
        return;
    }
    decided(Caller{connection->peerUid()});
}

void PolkitAuthority::check(const bus::CallRef& call, Action action, Decided decided)
{
    withUid(call, [this, call, action, decided = std::move(decided)](Result<Caller> caller) {
        if (!caller || caller->uid == 0) {
            decided(std::move(caller));
            return;
        }
        askPolkit(call, action, *caller, decided);
    });
}

void PolkitAuthority::withUid(const bus::CallRef& call, Decided next)
{
    const std::string sender = call->sender();
    if (const auto known = m_uids.find(sender); known != m_uids.end()) {
        next(Caller{known->second});
        return;
    }
    const auto connection = call->connection();
    if (!connection) {
        return; // the bus has gone, and with it whoever waits
    }
    const auto answered = [this, sender, next](Result<bus::Message> answer) {
        std::uint32_t uid = 0;
        if (!answer) {
            next(fail(answer.error()));
            return;
        }
        if (const Status read = answer->take(uid); !read) {
            next(fail(read.error()));
            return;
        }
        if (m_uids.size() >= kMaxKnownUids) {
            m_uids.clear();
        }
        m_uids[sender] = uid;
        next(Caller{uid});
    };
    Result<bus::Message> question = connection->newCall("org.freedesktop.DBus",
                                                        "/org/freedesktop/DBus",
                                                        "org.freedesktop.DBus",
                                                        "GetConnectionUnixUser");
    Status sent = question ? question->add(sender) : Status(fail(question.error()));
    sent = sent ? connection->callAsync(*question, kBusDeadline, answered) : sent;
    if (!sent) {
        next(fail(sent.error()));
    }
}

void PolkitAuthority::askPolkit(const bus::CallRef& call,
                                Action action,
                                Caller caller,
                                Decided decided)
{
    const auto connection = call->connection();
    if (!connection) {
        return;
    }
    const auto answered = [action, caller, decided](Result<bus::Message> answer) {
        if (!answer) {
            const bool absent = answer.error().is(ErrorCode::ConnectionLost);
            decided(fail(refusal(
                action, absent ? "polkit does not run, so only root may" : answer.error().what())));
            return;
        }
        const Status verdict = readAnswer(*answer, action);
        decided(verdict ? Result<Caller>(caller) : Result<Caller>(fail(verdict.error())));
    };
    Result<bus::Message> question = connection->newCall("org.freedesktop.PolicyKit1",
                                                        "/org/freedesktop/PolicyKit1/Authority",
                                                        "org.freedesktop.PolicyKit1.Authority",
                                                        "CheckAuthorization");
    const bool mayAsk = call->mayAsk();
    Status sent = question ? fillQuestion(*question, call->sender(), action, mayAsk)
                           : Status(fail(question.error()));
    sent = sent ? connection->callAsync(*question, mayAsk ? kAskDeadline : kBusDeadline, answered)
                : sent;
    if (!sent) {
        decided(fail(refusal(action, sent.error().what())));
    }
}

} // namespace millpond::daemon
