// SPDX-License-Identifier: GPL-3.0-or-later
#include "bus/server.h"

#include "base/check.h"
#include "bus/client.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

namespace millpond::bus {

namespace {
Status busStatus(int result, const char* call)
{
    if (result < 0) {
        return fail(ErrorCode::ConnectionLost, fmt::format("{}: {}", call, std::strerror(-result)));
    }
    return {};
}

void freeAction(void* userdata)
{
    delete static_cast<std::function<void(Message&)>*>(userdata);
}

int runAction(sd_bus_message* message, void* userdata, sd_bus_error*)
{
    Message shared = Message::share(message);
    (*static_cast<std::function<void(Message&)>*>(userdata))(shared);
    return 0;
}
} // namespace

// --- Call --------------------------------------------------------------------------------------

Call::Call(Message message, std::weak_ptr<Connection> connection)
    : m_message(std::move(message))
    , m_connection(std::move(connection))
{
}

Call::~Call()
{
    if (!m_answered) {
        fail(Error(ErrorCode::Cancelled, "the helper is stopping"));
    }
}

bool Call::mayAsk() const
{
    return sd_bus_message_get_allow_interactive_authorization(m_message.raw()) > 0;
}

Result<Message> Call::makeReply()
{
    sd_bus_message* reply = nullptr;
    MP_TRY(busStatus(sd_bus_message_new_method_return(m_message.raw(), &reply), "reply"));
    return Message::adopt(reply);
}

void Call::send(const Message& answer)
{
    m_answered = true;
    if (const auto connection = m_connection.lock()) {
        // A caller that has gone meanwhile is no failure of ours.
        (void)sd_bus_send(connection->raw(), answer.raw(), nullptr);
    }
}

void Call::fail(const Error& error)
{
    m_answered = true;
    if (const auto connection = m_connection.lock()) {
        (void)sd_bus_reply_method_errorf(
            m_message.raw(), busErrorName(error.code()).c_str(), "%s", error.toText().c_str());
    }
}

// --- Connection --------------------------------------------------------------------------------

struct Connection::Registered
{
    detail::Target target; ///< its object is what find() found just before the handler runs
    Find find;
    List list;

    static int
    onFind(sd_bus*, const char* path, const char*, void* userdata, void** found, sd_bus_error*)
    {
        auto* self = static_cast<Registered*>(userdata);
        self->target.object = self->find(path);
        *found = &self->target;
        return self->target.object == nullptr ? 0 : 1;
    }

    static int onList(sd_bus*, const char*, void* userdata, char*** nodes, sd_bus_error*)
    {
        const std::vector<std::string> paths = static_cast<Registered*>(userdata)->list();
        // sd-bus frees this with free().
        auto** texts = static_cast<char**>(std::calloc(paths.size() + 1, sizeof(char*)));
        if (texts == nullptr) {
            return -ENOMEM;
        }
        for (std::size_t i = 0; i < paths.size(); ++i) {
            texts[i] = ::strdup(paths[i].c_str());
        }
        *nodes = texts;
        return 0;
    }
};

namespace detail {
void dispatchCall(sd_bus_message* message, void* userdata)
{
    const auto* target = static_cast<const Target*>(userdata);
    target->object->onCall(
        std::make_shared<Call>(Message::share(message), target->connection->weak_from_this()));
}

int dispatchGet(const char* property, sd_bus_message* reply, void* userdata)
{
    const auto* target = static_cast<const Target*>(userdata);
    Message message = Message::share(reply);
    return target->object->onGet(property, message) ? 1 : -EIO;
}
} // namespace detail

Status Connection::attach(EventLoop& loop)
{
    MP_TRY(busStatus(sd_bus_attach_event(m_bus, loop.raw(), SD_EVENT_PRIORITY_NORMAL),
                     "sd_bus_attach_event"));
    return busStatus(sd_bus_set_exit_on_disconnect(m_bus, 0), "sd_bus_set_exit_on_disconnect");
}

Result<std::shared_ptr<Connection>> Connection::system(EventLoop& loop)
{
    std::shared_ptr<Connection> connection(new Connection);
    MP_TRY(busStatus(sd_bus_open_system(&connection->m_bus), "cannot reach the system bus"));
    MP_TRY(connection->attach(loop));
    return connection;
}

Result<std::shared_ptr<Connection>>
Connection::peer(EventLoop& loop, UniqueFd socket, std::uint32_t uid)
{
    std::shared_ptr<Connection> connection(new Connection);
    connection->m_isPeer = true;
    connection->m_uid = uid;
    sd_id128_t id = {};
    MP_TRY(busStatus(sd_id128_randomize(&id), "sd_id128_randomize"));
    MP_TRY(busStatus(sd_bus_new(&connection->m_bus), "sd_bus_new"));
    sd_bus* bus = connection->m_bus;
    MP_TRY(busStatus(sd_bus_set_fd(bus, socket.get(), socket.get()), "sd_bus_set_fd"));
    (void)socket.release();
    MP_TRY(busStatus(sd_bus_set_server(bus, 1, id), "sd_bus_set_server"));
    MP_TRY(busStatus(sd_bus_negotiate_fds(bus, 1), "sd_bus_negotiate_fds"));
    MP_TRY(busStatus(sd_bus_set_connected_signal(bus, 1), "sd_bus_set_connected_signal"));
    MP_TRY(busStatus(sd_bus_start(bus), "sd_bus_start"));
    MP_TRY(connection->attach(loop));
    MP_TRY(connection->lookOnceConnected(loop));
    return connection;
}

Status Connection::lookOnceConnected(EventLoop& loop)
{
    // A client need not wait for the end of the handshake before its first call. When both arrive
    // in one read, sd-bus keeps the call without knowing that it has one, and the descriptor stays
    // silent until the client sends something else: so look once more.
    return onSignal(nullptr,
                    "org.freedesktop.DBus.Local",
                    "Connected",
                    [&loop, self = weak_from_this()](Message&) {
                        loop.post([self] {
                            const auto connection = self.lock();
                            while (connection && sd_bus_process(connection->m_bus, nullptr) > 0) {
                            }
                        });
                    });
}

void Connection::processBuffered()
{
    // libdbus sends the first call together with the end of the handshake. sd-bus reads both in one
    // go, and would look at the call only when more bytes arrive.
    constexpr int kEnough = 16;
    for (int i = 0; i < kEnough && sd_bus_process(m_bus, nullptr) > 0; ++i) {
    }
}

Connection::~Connection()
{
    if (m_bus != nullptr) {
        sd_bus_flush(m_bus);
        sd_bus_detach_event(m_bus);
        sd_bus_close_unref(m_bus);
    }
}

Status Connection::addObject(const char* path,
                             const char* interface,
                             const sd_bus_vtable* vtable,
                             ServerObject& object)
{
    auto target = std::make_unique<detail::Target>(detail::Target{this, &object});
    MP_TRY(
        busStatus(sd_bus_add_object_vtable(m_bus, nullptr, path, interface, vtable, target.get()),
                  "sd_bus_add_object_vtable"));
    m_targets.push_back(std::move(target));
    return {};
}

Status Connection::addObjectsBelow(
    const char* prefix, const char* interface, const sd_bus_vtable* vtable, Find find, List list)
{
    auto registered = std::make_unique<Registered>();
    registered->target.connection = this;
    registered->find = std::move(find);
    registered->list = std::move(list);
    MP_TRY(busStatus(
        sd_bus_add_fallback_vtable(
            m_bus, nullptr, prefix, interface, vtable, Registered::onFind, registered.get()),
        "sd_bus_add_fallback_vtable"));
    MP_TRY(busStatus(
        sd_bus_add_node_enumerator(m_bus, nullptr, prefix, Registered::onList, registered.get()),
        "sd_bus_add_node_enumerator"));
    m_registered.push_back(std::move(registered));
    return {};
}

Status Connection::requestName(const char* name)
{
    const int result = sd_bus_request_name(m_bus, name, 0);
    if (result == -EEXIST || result == -EALREADY) {
        return fail(ErrorCode::AlreadyExists,
                    fmt::format("another helper owns {} on this bus", name));
    }
    return busStatus(result, "sd_bus_request_name");
}

Result<Message>
Connection::newSignal(const std::string& path, const char* interface, const char* member)
{
    sd_bus_message* signal = nullptr;
    MP_TRY(busStatus(sd_bus_message_new_signal(m_bus, &signal, path.c_str(), interface, member),
                     "signal"));
    return Message::adopt(signal);
}

Status Connection::send(const Message& message)
{
    return busStatus(sd_bus_send(m_bus, message.raw(), nullptr), "sd_bus_send");
}

Result<Message> Connection::newCall(const char* destination,
                                    const char* path,
                                    const char* interface,
                                    const char* member)
{
    sd_bus_message* call = nullptr;
    MP_TRY(busStatus(
        sd_bus_message_new_method_call(m_bus, &call, destination, path, interface, member),
        "method call"));
    return Message::adopt(call);
}

Status Connection::callAsync(const Message& call, std::chrono::milliseconds deadline, Answer done)
{
    auto* action = new std::function<void(Message&)>([done = std::move(done)](Message& answer) {
        const Status status = answer.asStatus();
        done(status ? Result<Message>(std::move(answer))
                    : Result<Message>(std::unexpected(status.error())));
    });
    sd_bus_slot* slot = nullptr;
    const auto microseconds =
        static_cast<std::uint64_t>(std::chrono::microseconds(deadline).count());
    const int sent = sd_bus_call_async(m_bus, &slot, call.raw(), runAction, action, microseconds);
    if (sent < 0) {
        delete action;
        return busStatus(sent, "sd_bus_call_async");
    }
    // The slot lives on in the bus until the answer came, and then frees the action.
    sd_bus_slot_set_destroy_callback(slot, freeAction);
    sd_bus_slot_set_floating(slot, 1);
    sd_bus_slot_unref(slot);
    return {};
}

void Connection::onDisconnected(EventLoop::Action action)
{
    (void)onSignal(nullptr,
                   "org.freedesktop.DBus.Local",
                   "Disconnected",
                   [action = std::move(action)](Message&) { action(); });
}

Status Connection::onSignal(const char* sender,
                            const char* interface,
                            const char* member,
                            std::function<void(Message&)> action)
{
    auto* kept = new std::function<void(Message&)>(std::move(action));
    sd_bus_slot* slot = nullptr;
    const int added = sd_bus_match_signal_async(
        m_bus, &slot, sender, nullptr, interface, member, runAction, nullptr, kept);
    if (added < 0) {
        delete kept;
        return busStatus(added, "sd_bus_match_signal");
    }
    sd_bus_slot_set_destroy_callback(slot, freeAction);
    sd_bus_slot_set_floating(slot, 1);
    sd_bus_slot_unref(slot);
    return {};
}

} // namespace millpond::bus
