// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "bus/server.h"

#include <functional>
#include <string>
#include <unordered_map>

namespace millpond::daemon {

/// One per class of risk; the names are those of dist/org.millpond.policy.
enum class Action : std::uint8_t
{
    ReadStatus,    ///< org.millpond.read-status
    ImportExport,  ///< org.millpond.import-export: changes that can be taken back
    DestroyData,   ///< org.millpond.destroy-data
    SystemDevices, ///< org.millpond.system-devices
    ManageUsers,   ///< org.millpond.manage-users
};

[[nodiscard]] const char* actionName(Action action);

/// Who calls, as the bus or the kernel knows it.
struct Caller
{
    std::uint32_t uid = 0;
};

/// Decides whether a call may go on. Loop thread only.
class Authority
{
public:
    using Decided = std::function<void(Result<Caller>)>;

    virtual ~Authority() = default;
    /// `decided` is called once, now or later; NotAuthorized with a text for people when the answer
    /// is no.
    virtual void check(const bus::CallRef& call, Action action, Decided decided) = 0;
};

/// Private mode: a peer was let in because of its uid, and may do everything.
class PeerAuthority final : public Authority
{
public:
    void check(const bus::CallRef& call, Action action, Decided decided) override;
};

/// System mode: root may do everything, for anybody else polkit decides. No polkit: no.
class PolkitAuthority final : public Authority
{
public:
    void check(const bus::CallRef& call, Action action, Decided decided) override;

private:
    void withUid(const bus::CallRef& call, Decided next);
    void askPolkit(const bus::CallRef& call, Action action, Caller caller, Decided decided);

    /// Unique names are never used twice on a bus, so an answer stays right.
    std::unordered_map<std::string, std::uint32_t> m_uids;
};

} // namespace millpond::daemon
