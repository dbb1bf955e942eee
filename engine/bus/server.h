// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "bus/event_loop.h"
#include "bus/message.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

struct sd_bus;
struct sd_bus_slot;
struct sd_bus_vtable;

namespace millpond::bus {

class Connection;
class ServerObject;

namespace detail {
/// The user data of every vtable.
struct Target
{
    Connection* connection = nullptr;
    ServerObject* object = nullptr;
};

void dispatchCall(sd_bus_message* message, void* userdata);
int dispatchGet(const char* property, sd_bus_message* reply, void* userdata);
} // namespace detail

/// A method call that waits for its answer, which may come later. The loop's thread only. A call
/// that is destroyed unanswered gets an error, so no caller waits in vain.
class Call
{
public:
    Call(Message message, std::weak_ptr<Connection> connection);
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call();

    [[nodiscard]] std::string_view method() const { return m_message.member(); }

    [[nodiscard]] std::string_view path() const { return m_message.path(); }

    [[nodiscard]] std::string_view interface() const { return m_message.interface(); }

    [[nodiscard]] Message& arguments() { return m_message; }

    /// Null when the caller is gone.
    [[nodiscard]] std::shared_ptr<Connection> connection() const { return m_connection.lock(); }

    [[nodiscard]] std::string sender() const { return std::string(m_message.sender()); }

    /// The caller is ready to wait while polkit asks a person.
    [[nodiscard]] bool mayAsk() const;

    template <class... Values> void reply(const Values&... values)
    {
        Result<Message> answer = makeReply();
        if (!answer) {
            return;
        }
        if (const Status added = answer->addAll(values...); !added) {
            fail(added.error());
            return;
        }
        send(*answer);
    }

    void fail(const Error& error);

private:
    [[nodiscard]] Result<Message> makeReply();
    void send(const Message& answer);

    Message m_message;
    std::weak_ptr<Connection> m_connection;
    bool m_answered = false;
};

using CallRef = std::shared_ptr<Call>;

/// What stands behind an object path.
class ServerObject
{
public:
    virtual ~ServerObject() = default;
    virtual void onCall(const CallRef& call) = 0;
    /// Adds the value of a property to `reply`.
    [[nodiscard]] virtual Status onGet(std::string_view property, Message& reply) = 0;
};

/// One end of a connection that serves objects: the system bus, or one peer. Made and used on the
/// loop's thread.
class Connection : public std::enable_shared_from_this<Connection>
{
public:
    /// The system bus.
    [[nodiscard]] static Result<std::shared_ptr<Connection>> system(EventLoop& loop);
    /// A connected unix socket at whose other end a client is; its uid was checked.
    [[nodiscard]] static Result<std::shared_ptr<Connection>>
    peer(EventLoop& loop, UniqueFd socket, std::uint32_t uid);
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection();

    [[nodiscard]] bool isPeer() const { return m_isPeer; }

    /// Of a peer.
    [[nodiscard]] std::uint32_t peerUid() const { return m_uid; }

    /// `object` outlives the connection.
    Status addObject(const char* path,
                     const char* interface,
                     const sd_bus_vtable* vtable,
                     ServerObject& object);
    /// All objects below `prefix`; `find` answers null for paths that do not exist, `list` names
    /// them.
    using Find = std::function<ServerObject*(std::string_view path)>;
    using List = std::function<std::vector<std::string>()>;
    Status addObjectsBelow(const char* prefix,
                           const char* interface,
                           const sd_bus_vtable* vtable,
                           Find find,
                           List list);

    /// Own the well-known name; AlreadyExists when another helper does.
    Status requestName(const char* name);

    template <class... Values>
    Status emit(const std::string& path,
                const char* interface,
                const char* member,
                const Values&... values)
    {
        Message signal = MP_TRY(newSignal(path, interface, member));
        MP_TRY(signal.addAll(values...));
        return send(signal);
    }

    [[nodiscard]] Result<Message>
    newCall(const char* destination, const char* path, const char* interface, const char* member);
    /// `done` gets the answer or an error, on the loop's thread, at the deadline at the latest;
    /// never when the connection ends first.
    using Answer = std::function<void(Result<Message>)>;
    Status callAsync(const Message& call, std::chrono::milliseconds deadline, Answer done);

    /// Called once when the other end has gone.
    void onDisconnected(EventLoop::Action action);
    /// A signal of the bus itself or of another service.
    Status onSignal(const char* sender,
                    const char* interface,
                    const char* member,
                    std::function<void(Message&)> action);

    [[nodiscard]] sd_bus* raw() const { return m_bus; }

private:
    struct Registered;

    Connection() = default;
    [[nodiscard]] Result<Message>
    newSignal(const std::string& path, const char* interface, const char* member);
    Status send(const Message& message);
    Status attach(EventLoop& loop);
    void processBuffered();
    Status lookOnceConnected(EventLoop& loop);

    sd_bus* m_bus = nullptr;
    bool m_isPeer = false;
    std::uint32_t m_uid = 0;
    std::vector<std::unique_ptr<detail::Target>> m_targets;
    std::vector<std::unique_ptr<Registered>> m_registered;
};

} // namespace millpond::bus
