// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/service.h"

#include "bus/client.h"
#include "daemon/version.h"

// Theory: the helper.
//
// Purpose. One process hosts the engine, serves the mounts and answers over D-Bus; window and
// command lines hold no pool code. System mode: root, the system bus, polkit. Private mode: one
// user, a unix socket.
//
// Threads. (1) The loop's thread owns every connection, message, job object and timer, and never
// waits: it reads arguments, asks for authorisation (asynchronously, with a deadline), queues work
// and sends answers. (2) The executor's threads do what may block: engine, mounts, devices. (3) A
// second executor runs jobs, so that hours of checking leave the first one free. (4) FUSE and
// engine threads of their own.
//
// Invariants
//   INV-1  A bus::Call never leaves the loop's thread; work is tied to it by number (m_pending).
//   INV-2  Every call is answered: by its work, by a refusal, or, when the helper ends, by
//   Cancelled. INV-3  No method reaches its work without Authority::check() having said yes to its
//   action. INV-4  Nothing below an own mount is opened or looked at (safe_path.h). INV-5  Only the
//   start list and a caller make a pool be imported.
//
// A call: onCall() -> Method (shape) -> Authority::check() -> queue() -> work -> finish().
// Queues are bounded: a call that finds the executor's queue full is refused with TooMany.
//
// Failure. A helper that is killed leaves the kernel's mounts to the watcher (mount_watcher.h),
// which detaches them; image files and devices are let go by the kernel. SIGTERM: no new calls,
// jobs are cancelled, mounts go (lazily after 10 s), pools are exported, exit 0 (helper.cpp).

namespace millpond::daemon {

Service::Service(Parts parts, MethodTable methods)
    : m_parts(std::move(parts))
    , m_methods(std::move(methods))
{
}

void Service::onCall(const bus::CallRef& call)
{
    if (m_stopping) {
        call->fail(Error(ErrorCode::Cancelled, "the helper is stopping"));
        return;
    }
    const auto method = m_methods.find(call->method());
    if (method == m_methods.end()) {
        call->fail(Error(ErrorCode::UnsupportedMethod, std::string(call->method())));
        return;
    }
    Result<Prepared> prepared = method->second(*call);
    if (!prepared) {
        call->fail(prepared.error());
        return;
    }
    const std::uint64_t id = ++m_last;
    m_pending.emplace(id, call);
    const Action action = prepared->action;
    m_parts.authority.check(
        call, action, [this, id, prepared = std::move(*prepared)](Result<Caller> caller) {
            authorised(id, prepared, std::move(caller));
        });
}

void Service::authorised(std::uint64_t id, const Prepared& prepared, Result<Caller> caller)
{
    if (!caller) {
        finish(id, fail(caller.error()));
        return;
    }
    const std::optional<Action> further =
        prepared.escalate ? prepared.escalate(*caller) : std::nullopt;
    const auto pending = m_pending.find(id);
    if (!further || pending == m_pending.end()) {
        queue(id, *caller, prepared.work);
        return;
    }
    const bus::CallRef call = pending->second;
    m_parts.authority.check(call, *further, [this, id, work = prepared.work](Result<Caller> again) {
        if (again) {
            queue(id, *again, work);
        } else {
            finish(id, fail(again.error()));
        }
    });
}

void Service::queue(std::uint64_t id, const Caller& caller, const Prepared::Work& work)
{
    runtime::Task task = [this, id, caller, work] {
        Result<Reply> reply = work(caller);
        m_parts.loop.post([this, id, reply = std::move(reply)] { finish(id, reply); });
    };
    if (!m_parts.executor.tryPost(task)) {
        finish(id, fail(ErrorCode::TooMany, "the helper has too much to do; try again"));
    }
}

void Service::finish(std::uint64_t id, const Result<Reply>& reply)
{
    const auto pending = m_pending.find(id);
    if (pending == m_pending.end()) {
        return;
    }
    const bus::CallRef call = pending->second;
    m_pending.erase(pending);
    if (reply) {
        (*reply)(*call);
    } else {
        m_parts.log.print(LogLevel::Debug, "{} failed: {}", call->method(), reply.error().toText());
        call->fail(reply.error());
    }
    m_parts.onAnswered();
}

Status Service::onGet(std::string_view property, bus::Message& reply)
{
    if (property == "InterfaceVersion") {
        return reply.add(bus::kInterfaceVersion);
    }
    if (property == "Version") {
        return reply.add(kVersion);
    }
    if (property == "Mode") {
        return reply.add(m_parts.mode);
    }
    return fail(ErrorCode::NoSuchProperty, std::string(property));
}

} // namespace millpond::daemon
