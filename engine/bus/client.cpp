// SPDX-License-Identifier: GPL-3.0-or-later
#include "bus/client.h"

#include "bus/helper_launcher.h"
#include "bus/message.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <systemd/sd-bus.h>

namespace millpond::bus {

namespace {
using std::chrono::milliseconds;

constexpr milliseconds kConnectDeadline{25'000};

std::string_view environment(const char* name)
{
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nothing here sets it
    return value == nullptr ? std::string_view() : std::string_view(value);
}

Error lost(int result, std::string_view what)
{
    return {ErrorCode::ConnectionLost, fmt::format("{}: {}", what, std::strerror(-result))};
}

/// Reads the list of names that a method of the bus driver answers; empty on any failure.
bool listHasName(sd_bus* bus, const char* method, const char* name)
{
    sd_bus_message* raw = nullptr;
    const int called = sd_bus_call_method(bus,
                                          "org.freedesktop.DBus",
                                          "/org/freedesktop/DBus",
                                          "org.freedesktop.DBus",
                                          method,
                                          nullptr,
                                          &raw,
                                          nullptr);
    if (called < 0) {
        return false;
    }
    Message reply = Message::adopt(raw);
    std::vector<std::string> names;
    if (!reply.take(names)) {
        return false;
    }
    return std::ranges::find(names, name) != names.end();
}

/// A system service that is running, or that D-Bus would start.
bool systemBusKnowsHelper()
{
    sd_bus* bus = nullptr;
    if (sd_bus_open_system(&bus) < 0) {
        return false;
    }
    const bool known = listHasName(bus, "ListActivatableNames", kBusName) ||
                       listHasName(bus, "ListNames", kBusName);
    sd_bus_flush_close_unref(bus);
    return known;
}
} // namespace

struct Client::State
{
    sd_bus* bus = nullptr;
    bool system = false;
    milliseconds deadline{};
    HelperFacts facts;
    std::deque<Signal> signals;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    ~State() { sd_bus_flush_close_unref(bus); }

    Status open(const ConnectOptions& options);
    Status openPrivate(const ConnectOptions& options);
    Status watch();
    Status checkVersion();
    static int onMessage(sd_bus_message* message, void* userdata, sd_bus_error*);
    void collect(Message& message);

    [[nodiscard]] Result<Message>
    newCall(const std::string& path, const char* interface, const char* member);
    [[nodiscard]] Result<Message> send(const Message& call, milliseconds within);

    template <class... Values>
    Result<Message> callAt(const std::string& path,
                           const char* interface,
                           const char* member,
                           const Values&... values)
    {
        Message call = MP_TRY(newCall(path, interface, member));
        MP_TRY(call.addAll(values...));
        return send(call, deadline);
    }

    template <class... Values> Result<Message> call(const char* member, const Values&... values)
    {
        return callAt(kManagerPath, kManagerInterface, member, values...);
    }

    template <class... Values>
    Result<Document> document(const char* member, const Values&... values)
    {
        Message reply = MP_TRY(call(member, values...));
        return takeDocument(reply);
    }

    static Result<Document> takeDocument(Message& reply)
    {
        UniqueFd fd;
        MP_TRY(reply.take(fd));
        return Document::open(fd.get());
    }
};

Status Client::State::open(const ConnectOptions& options)
{
    deadline = options.callDeadline;
    if (resolveMode(options) == HelperMode::Private) {
        MP_TRY(openPrivate(options));
    } else {
        system = true;
        const int opened = sd_bus_open_system(&bus);
        if (opened < 0) {
            return fail(lost(opened, "cannot reach the system bus"));
        }
        (void)sd_bus_set_allow_interactive_authorization(bus, options.interactive ? 1 : 0);
    }
    MP_TRY(checkVersion());
    return watch();
}

Status Client::State::openPrivate(const ConnectOptions& options)
{
    UniqueFd socket = MP_TRY(reachPrivateHelper(options));
    int result = sd_bus_new(&bus);
    if (result >= 0) {
        result = sd_bus_set_fd(bus, socket.get(), socket.get());
    }
    if (result >= 0) {
        (void)socket.release();
        result = sd_bus_negotiate_fds(bus, 1);
    }
    if (result >= 0) {
        result = sd_bus_start(bus);
    }
    if (result < 0) {
        return fail(lost(result, "cannot talk to the helper"));
    }
    return {};
}

Status Client::State::checkVersion()
{
    Message ask = MP_TRY(newCall(kManagerPath, "org.freedesktop.DBus.Properties", "GetAll"));
    MP_TRY(ask.add(kManagerInterface));
    Result<Message> answer = send(ask, kConnectDeadline);
    if (!answer) {
        // A helper so different that it has no such interface, or not even such an object.
        if (answer.error().is(ErrorCode::UnsupportedMethod) ||
            answer.error().is(ErrorCode::NoSuchJob)) {
            return fail(ErrorCode::UnsupportedVersion,
                        fmt::format("the running helper does not know {}: it is of another "
                                    "version than this program; stop it, then try again",
                                    kManagerInterface));
        }
        return fail(answer.error());
    }
    MP_TRY(answer->enter('a', "{sv}"));
    while (answer->enter('e', "sv")) {
        std::string name;
        MP_TRY(answer->take(name));
        if (name == "InterfaceVersion") {
            MP_TRY(answer->takeVariant("u", facts.interfaceVersion));
        } else if (name == "Version" || name == "Mode") {
            MP_TRY(answer->takeVariant("s", name == "Mode" ? facts.mode : facts.version));
        } else {
            (void)sd_bus_message_skip(answer->raw(), "v");
        }
        MP_TRY(answer->leave());
    }
    if (facts.interfaceVersion != kInterfaceVersion) {
        return fail(ErrorCode::UnsupportedVersion,
                    fmt::format("this program speaks version {} of the helper's interface, the "
                                "running helper (millpondd {}) speaks version {}; stop the helper "
                                "or use the programs that belong to it",
                                kInterfaceVersion,
                                facts.version,
                                facts.interfaceVersion));
    }
    return {};
}

Status Client::State::watch()
{
    if (system) {
        for (const char* interface : {kManagerInterface, kJobInterface}) {
            const std::string match =
                fmt::format("type='signal',sender='{}',interface='{}'", kBusName, interface);
            const int added = sd_bus_add_match(bus, nullptr, match.c_str(), onMessage, this);
            if (added < 0) {
                return fail(lost(added, "cannot watch the helper's signals"));
            }
        }
        return {};
    }
    const int added = sd_bus_add_filter(bus, nullptr, onMessage, this);
    return added < 0 ? Status(fail(lost(added, "sd_bus_add_filter"))) : Status();
}

int Client::State::onMessage(sd_bus_message* message, void* userdata, sd_bus_error*)
{
    std::uint8_t type = 0;
    if (sd_bus_message_get_type(message, &type) >= 0 && type == SD_BUS_MESSAGE_SIGNAL) {
        Message shared = Message::share(message);
        static_cast<State*>(userdata)->collect(shared);
    }
    return 0;
}

void Client::State::collect(Message& message)
{
    struct Known
    {
        std::string_view member;
        Signal::Kind kind;
    };

    static constexpr Known kKnown[] = {
        {"PoolsChanged", Signal::Kind::PoolsChanged},
        {"DatasetsChanged", Signal::Kind::DatasetsChanged},
        {"MountsChanged", Signal::Kind::MountsChanged},
        {"DevicesChanged", Signal::Kind::DevicesChanged},
        {"EventsAdded", Signal::Kind::EventsAdded},
        {"JobAdded", Signal::Kind::JobAdded},
        {"Changed", Signal::Kind::JobChanged},
        {"JobRemoved", Signal::Kind::JobRemoved},
    };
    const auto* known = std::ranges::find(kKnown, message.member(), &Known::member);
    if (known == std::end(kKnown) || !message.interface().starts_with("org.millpond.")) {
        return;
    }
    Signal signal;
    signal.kind = known->kind;
    Status read;
    switch (known->kind) {
    case Signal::Kind::PoolsChanged: {
        std::vector<std::uint64_t> guids;
        read = message.take(signal.generation);
        read = read ? message.take(guids) : read;
        for (const std::uint64_t guid : guids) {
            signal.ids.push_back(std::to_string(guid));
        }
        break;
    }
    case Signal::Kind::EventsAdded:
        read = message.take(signal.generation);
        break;
    case Signal::Kind::JobAdded:
    case Signal::Kind::JobRemoved: {
        ObjectPath path;
        read = message.take(path);
        signal.ids.push_back(path.value);
        break;
    }
    case Signal::Kind::JobChanged:
        signal.ids.emplace_back(message.path());
        break;
    default:
        read = message.take(signal.generation);
        read = read ? message.take(signal.ids) : read;
        break;
    }
    if (read) {
        // Signals only say that something is to be fetched anew: a reader far behind loses nothing.
        constexpr std::size_t kMaxSignals = 4096;
        if (signals.size() == kMaxSignals) {
            signals.pop_front();
        }
        signals.push_back(std::move(signal));
    }
}

Result<Message>
Client::State::newCall(const std::string& path, const char* interface, const char* member)
{
    sd_bus_message* call = nullptr;
    const int made = sd_bus_message_new_method_call(
        bus, &call, system ? kBusName : nullptr, path.c_str(), interface, member);
    if (made < 0) {
        return fail(made == -EINVAL
                        ? Error(ErrorCode::InvalidArgument, "not an object path: " + path)
                        : lost(made, "the helper is gone"));
    }
    return Message::adopt(call);
}

Result<Message> Client::State::send(const Message& call, milliseconds within)
{
    sd_bus_error error = {};
    sd_bus_message* reply = nullptr;
    const auto microseconds = static_cast<std::uint64_t>(std::chrono::microseconds(within).count());
    const int result = sd_bus_call(bus, call.raw(), microseconds, &error, &reply);
    if (result >= 0) {
        return Message::adopt(reply);
    }
    if (result == -ETIMEDOUT) {
        sd_bus_error_free(&error);
        return fail(ErrorCode::TimedOut, "the helper did not answer in time");
    }
    if (result == -ECONNRESET || result == -ENOTCONN || result == -EPIPE || error.name == nullptr) {
        sd_bus_error_free(&error);
        return fail(lost(result, "the helper is gone"));
    }
    Error ours = errorFromBus(error.name, error.message == nullptr ? "" : error.message);
    sd_bus_error_free(&error);
    return fail(std::move(ours));
}

// --- the public face ---------------------------------------------------------------------------

HelperMode resolveMode(const ConnectOptions& options)
{
    if (options.mode != HelperMode::Auto) {
        return options.mode;
    }
    if (!options.socketPath.empty() || !environment("MILLPOND_SOCKET").empty() ||
        environment("MILLPOND_MODE") == "private") {
        return HelperMode::Private;
    }
    if (environment("MILLPOND_MODE") == "system" || systemBusKnowsHelper()) {
        return HelperMode::System;
    }
    return HelperMode::Private;
}

Client::Client(std::unique_ptr<State> state)
    : m_state(std::move(state))
{
}

Client::Client(Client&&) noexcept = default;
Client& Client::operator=(Client&&) noexcept = default;
Client::~Client() = default;

Result<Client> Client::connect(const ConnectOptions& options)
{
    auto state = std::make_unique<State>();
    MP_TRY(state->open(options));
    return Client(std::move(state));
}

const HelperFacts& Client::helper() const
{
    return m_state->facts;
}

Result<Document> Client::scan(const ScanQuery& query)
{
    return m_state->document("Scan", query.searchPaths, query.destroyedToo);
}

Result<ImportAnswer> Client::importPool(const ImportOrder& order)
{
    Message reply = MP_TRY(m_state->call("Import",
                                         order.pool,
                                         order.newName,
                                         order.searchPaths,
                                         order.altroot,
                                         order.properties,
                                         order.readOnly,
                                         order.force,
                                         order.mount,
                                         order.missingLogOk));
    ImportAnswer answer;
    MP_TRY(reply.take(answer.name));
    MP_TRY(reply.take(answer.guid));
    MP_TRY(reply.take(answer.changed));
    answer.mounts = MP_TRY(State::takeDocument(reply));
    return answer;
}

Status Client::exportPool(const std::string& pool, bool force)
{
    MP_TRY(m_state->call("Export", pool, force));
    return {};
}

Result<CreatePoolAnswer> Client::createPool(const CreatePoolOrder& order)
{
    Message reply = MP_TRY(m_state->call("CreatePool",
                                         order.name,
                                         order.vdevs,
                                         order.properties,
                                         order.fileSystemProperties,
                                         order.noFeatures,
                                         order.altroot,
                                         order.force,
                                         order.mount,
                                         order.command));
    CreatePoolAnswer answer;
    MP_TRY(reply.take(answer.guid));
    answer.mounts = MP_TRY(State::takeDocument(reply));
    return answer;
}

Status Client::destroyPool(const std::string& pool, bool force)
{
    MP_TRY(m_state->call("DestroyPool", pool, force));
    return {};
}

Status Client::sync(const std::vector<std::string>& pools)
{
    MP_TRY(m_state->call("Sync", pools));
    return {};
}

Result<Document> Client::createDatasets(const std::vector<NewDataset>& datasets,
                                        bool mount,
                                        const std::string& command)
{
    return m_state->document("CreateDatasets", datasets, mount, command);
}

Status Client::destroyDatasets(const std::vector<std::string>& datasets,
                               bool force,
                               const std::string& command)
{
    MP_TRY(m_state->call("DestroyDatasets", datasets, force, command));
    return {};
}

Result<Document> Client::renameDataset(const RenameOrder& order)
{
    return m_state->document(
        "RenameDataset", order.dataset, order.newName, order.force, order.mount, order.command);
}

Result<Document>
Client::setProperties(const std::vector<std::string>& datasets,
                      const std::vector<std::pair<std::string, std::string>>& properties,
                      bool mount,
                      const std::string& command)
{
    return m_state->document("SetProperties", datasets, properties, mount, command);
}

Result<Document> Client::inheritProperty(const std::vector<std::string>& datasets,
                                         const std::string& property,
                                         bool received,
                                         const std::string& command)
{
    return m_state->document("InheritProperty", datasets, property, received, command);
}

Result<Document> Client::poolProperties(const std::vector<std::string>& pools,
                                        const std::vector<std::string>& properties)
{
    return m_state->document("PoolProperties", pools, properties);
}

Result<Document> Client::vdevProperties(const std::string& pool,
                                        const std::vector<std::string>& properties)
{
    return m_state->document("VdevProperties", pool, properties);
}

Result<Document> Client::poolStatus(const std::vector<std::string>& pools)
{
    return m_state->document("PoolStatus", pools);
}

Result<Document> Client::history(const std::vector<std::string>& pools)
{
    return m_state->document("PoolHistory", pools);
}

Result<Document> Client::iostat(const std::vector<std::string>& pools)
{
    return m_state->document("Iostat", pools);
}

Result<Document> Client::events(std::uint64_t after)
{
    return m_state->document("Events", after);
}

Result<std::uint64_t> Client::clearEvents()
{
    Message reply = MP_TRY(m_state->call("ClearEvents"));
    std::uint64_t count = 0;
    MP_TRY(reply.take(count));
    return count;
}

Result<Document> Client::startPools()
{
    return m_state->document("StartPools");
}

Result<bool> Client::setOpenAtStart(const std::string& pool, bool enabled)
{
    Message reply = MP_TRY(m_state->call("SetOpenAtStart", pool, enabled));
    bool changed = false;
    MP_TRY(reply.take(changed));
    return changed;
}

Result<Document> Client::datasetProperties(const DatasetPropertyQuery& query)
{
    return m_state->document("DatasetProperties",
                             query.roots,
                             query.recurse,
                             query.depth,
                             query.types,
                             query.properties);
}

Result<Document> Client::holds(const std::vector<std::string>& snapshots, bool recursive)
{
    return m_state->document("Holds", snapshots, recursive);
}

Result<Document> Client::mount(const MountOrder& order)
{
    return m_state->document("Mount", order.datasets, order.options, order.overlay, order.force);
}

Result<Document> Client::unmount(const UnmountOrder& order)
{
    return m_state->document("Unmount", order.targets, order.force);
}

Result<Document> Client::mounts()
{
    return m_state->document("Mounts");
}

Result<Document> Client::devices()
{
    return m_state->document("Devices");
}

Result<std::string> Client::startCheck(const CheckOrder& order)
{
    Message reply = MP_TRY(m_state->call("StartCheck", order.pool, order.searchPaths));
    ObjectPath path;
    MP_TRY(reply.take(path));
    return path.value;
}

Result<Document> Client::jobs()
{
    return m_state->document("Jobs");
}

Result<JobStatus> Client::jobStatus(const std::string& jobPath)
{
    const Document list = MP_TRY(jobs());
    const Rows<JobRow> rows = MP_TRY(Rows<JobRow>::of(list));
    for (const JobRow row : rows) {
        if (row.path != jobPath) {
            continue;
        }
        JobStatus status;
        status.path = row.path;
        status.kind = row.kind;
        status.title = row.title;
        status.state = row.state;
        status.unit = row.unit;
        status.errorName = row.errorName;
        status.errorText = row.errorText;
        status.done = row.done;
        status.total = row.total;
        status.rate = row.rate;
        status.secondsLeft = row.secondsLeft;
        status.started = row.started;
        status.ended = row.ended;
        return status;
    }
    return fail(ErrorCode::NoSuchJob, fmt::format("the helper has no job {}", jobPath));
}

Result<Document> Client::jobOutput(const std::string& jobPath, std::uint64_t firstRow)
{
    Message reply = MP_TRY(m_state->callAt(jobPath, kJobInterface, "Output", firstRow));
    return State::takeDocument(reply);
}

Status Client::cancelJob(const std::string& jobPath)
{
    MP_TRY(m_state->callAt(jobPath, kJobInterface, "Cancel"));
    return {};
}

Result<JobStatus> Client::waitForJob(const std::string& jobPath,
                                     const std::function<bool(const JobStatus&)>& progress)
{
    constexpr milliseconds kStep{500};
    for (;;) {
        JobStatus status = MP_TRY(jobStatus(jobPath));
        if (!progress(status)) {
            return fail(ErrorCode::Cancelled, "no longer waiting");
        }
        if (status.finished()) {
            return status;
        }
        // The end of a job is signalled at once; anything else wakes us early, which does no harm.
        const Result<Signal> signal = nextSignal(kStep);
        if (!signal && !signal.error().is(ErrorCode::TimedOut)) {
            return fail(signal.error());
        }
    }
}

Result<Signal> Client::nextSignal(milliseconds wait)
{
    const auto end = std::chrono::steady_clock::now() + wait;
    for (;;) {
        if (!m_state->signals.empty()) {
            Signal signal = std::move(m_state->signals.front());
            m_state->signals.pop_front();
            return signal;
        }
        const int processed = sd_bus_process(m_state->bus, nullptr);
        if (processed < 0) {
            return fail(lost(processed, "the helper is gone"));
        }
        if (processed > 0) {
            continue;
        }
        const auto left = end - std::chrono::steady_clock::now();
        if (left.count() <= 0) {
            return fail(ErrorCode::TimedOut, "no signal came");
        }
        const auto microseconds = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(left).count());
        const int waited = sd_bus_wait(m_state->bus, microseconds);
        if (waited < 0 && waited != -EINTR) {
            return fail(lost(waited, "the helper is gone"));
        }
    }
}

int Client::fileDescriptor() const
{
    return sd_bus_get_fd(m_state->bus);
}

} // namespace millpond::bus
