// SPDX-License-Identifier: GPL-3.0-or-later
#include "bus/message.h"

#include "bus/client.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <fcntl.h>
#include <systemd/sd-bus.h>

namespace millpond::bus {

namespace {
/// Most elements of an array that a caller may send; lists of that length come as documents.
constexpr std::size_t kMaxElements = 200'000;

std::string_view orEmpty(const char* text)
{
    return text == nullptr ? std::string_view() : std::string_view(text);
}

Status written(int result)
{
    if (result < 0) {
        return fail(ErrorCode::BadMessage,
                    fmt::format("cannot put together a message: {}", std::strerror(-result)));
    }
    return {};
}

/// sd-bus answers 0 for "there is no further value", which is as wrong here as an error.
Status taken(int result)
{
    if (result <= 0) {
        return fail(ErrorCode::BadMessage, "the message has other values than expected");
    }
    return {};
}

struct KnownError
{
    std::string_view name;
    ErrorCode code;
};

constexpr std::array kForeignErrors = {
    KnownError{SD_BUS_ERROR_NO_REPLY, ErrorCode::TimedOut},
    KnownError{SD_BUS_ERROR_TIMEOUT, ErrorCode::TimedOut},
    KnownError{"org.freedesktop.DBus.Error.TimedOut", ErrorCode::TimedOut},
    KnownError{SD_BUS_ERROR_DISCONNECTED, ErrorCode::ConnectionLost},
    KnownError{SD_BUS_ERROR_NO_SERVER, ErrorCode::ConnectionLost},
    KnownError{SD_BUS_ERROR_SERVICE_UNKNOWN, ErrorCode::ConnectionLost},
    KnownError{SD_BUS_ERROR_NAME_HAS_NO_OWNER, ErrorCode::ConnectionLost},
    KnownError{SD_BUS_ERROR_ACCESS_DENIED, ErrorCode::NotAuthorized},
    KnownError{SD_BUS_ERROR_INTERACTIVE_AUTHORIZATION_REQUIRED, ErrorCode::NotAuthorized},
    KnownError{SD_BUS_ERROR_INVALID_ARGS, ErrorCode::InvalidArgument},
    KnownError{SD_BUS_ERROR_INVALID_SIGNATURE, ErrorCode::InvalidArgument},
    KnownError{SD_BUS_ERROR_UNKNOWN_METHOD, ErrorCode::UnsupportedMethod},
    KnownError{SD_BUS_ERROR_UNKNOWN_INTERFACE, ErrorCode::UnsupportedMethod},
    KnownError{SD_BUS_ERROR_UNKNOWN_PROPERTY, ErrorCode::UnsupportedMethod},
    KnownError{SD_BUS_ERROR_UNKNOWN_OBJECT, ErrorCode::NoSuchJob},
    KnownError{SD_BUS_ERROR_LIMITS_EXCEEDED, ErrorCode::TooMany},
    KnownError{SD_BUS_ERROR_NO_MEMORY, ErrorCode::OutOfMemory},
};
} // namespace

Error errorFromBus(std::string_view name, std::string_view text)
{
    if (name.starts_with(kErrorPrefix)) {
        return {errorCodeFromName(name.substr(std::strlen(kErrorPrefix))), std::string(text)};
    }
    for (const KnownError& known : kForeignErrors) {
        if (known.name == name) {
            return {known.code, std::string(text)};
        }
    }
    return {ErrorCode::System, fmt::format("{}: {}", name, text)};
}

std::string busErrorName(ErrorCode code)
{
    return fmt::format("{}{}", kErrorPrefix, errorName(code));
}

Message Message::share(sd_bus_message* message)
{
    return Message(sd_bus_message_ref(message));
}

Message& Message::operator=(Message&& other) noexcept
{
    if (this != &other) {
        sd_bus_message_unref(m_message);
        m_message = std::exchange(other.m_message, nullptr);
    }
    return *this;
}

Message::~Message()
{
    sd_bus_message_unref(m_message);
}

std::string_view Message::member() const
{
    return orEmpty(sd_bus_message_get_member(m_message));
}

std::string_view Message::interface() const
{
    return orEmpty(sd_bus_message_get_interface(m_message));
}

std::string_view Message::path() const
{
    return orEmpty(sd_bus_message_get_path(m_message));
}

std::string_view Message::sender() const
{
    return orEmpty(sd_bus_message_get_sender(m_message));
}

Status Message::add(std::string_view value)
{
    // D-Bus texts are UTF-8 without NUL; sd-bus checks. Bytes of a pool travel in documents.
    return written(
        sd_bus_message_append_basic(m_message, SD_BUS_TYPE_STRING, std::string(value).c_str()));
}

Status Message::add(const ObjectPath& value)
{
    return written(
        sd_bus_message_append_basic(m_message, SD_BUS_TYPE_OBJECT_PATH, value.value.c_str()));
}

Status Message::add(std::uint32_t value)
{
    return written(sd_bus_message_append_basic(m_message, SD_BUS_TYPE_UINT32, &value));
}

Status Message::add(std::uint64_t value)
{
    return written(sd_bus_message_append_basic(m_message, SD_BUS_TYPE_UINT64, &value));
}

Status Message::add(bool value)
{
    const int flag = value ? 1 : 0;
    return written(sd_bus_message_append_basic(m_message, SD_BUS_TYPE_BOOLEAN, &flag));
}

Status Message::add(const UniqueFd& value)
{
    const int fd = value.get();
    return written(sd_bus_message_append_basic(m_message, SD_BUS_TYPE_UNIX_FD, &fd));
}

Status Message::add(const std::vector<std::string>& values)
{
    MP_TRY(written(sd_bus_message_open_container(m_message, SD_BUS_TYPE_ARRAY, "s")));
    for (const std::string& value : values) {
        MP_TRY(add(std::string_view(value)));
    }
    return written(sd_bus_message_close_container(m_message));
}

Status Message::add(const std::vector<std::uint64_t>& values)
{
    return written(sd_bus_message_append_array(
        m_message, SD_BUS_TYPE_UINT64, values.data(), values.size() * sizeof(std::uint64_t)));
}

Status Message::add(const TextPairs& values)
{
    MP_TRY(written(sd_bus_message_open_container(m_message, SD_BUS_TYPE_ARRAY, "(ss)")));
    for (const auto& [first, second] : values) {
        MP_TRY(written(sd_bus_message_append(m_message, "(ss)", first.c_str(), second.c_str())));
    }
    return written(sd_bus_message_close_container(m_message));
}

Status Message::add(const std::vector<NewDataset>& values)
{
    MP_TRY(written(sd_bus_message_open_container(m_message, SD_BUS_TYPE_ARRAY, "(sa(ss)uuu)")));
    for (const NewDataset& value : values) {
        MP_TRY(written(sd_bus_message_open_container(m_message, SD_BUS_TYPE_STRUCT, "sa(ss)uuu")));
        MP_TRY(addAll(value.name, value.properties, value.uid, value.gid, value.mode));
        MP_TRY(written(sd_bus_message_close_container(m_message)));
    }
    return written(sd_bus_message_close_container(m_message));
}

Status Message::take(std::string& value)
{
    const char* text = nullptr;
    MP_TRY(taken(sd_bus_message_read_basic(m_message, SD_BUS_TYPE_STRING, &text)));
    value = text;
    return {};
}

Status Message::take(ObjectPath& value)
{
    const char* text = nullptr;
    MP_TRY(taken(sd_bus_message_read_basic(m_message, SD_BUS_TYPE_OBJECT_PATH, &text)));
    value.value = text;
    return {};
}

Status Message::take(std::uint32_t& value)
{
    return taken(sd_bus_message_read_basic(m_message, SD_BUS_TYPE_UINT32, &value));
}

Status Message::take(std::uint64_t& value)
{
    return taken(sd_bus_message_read_basic(m_message, SD_BUS_TYPE_UINT64, &value));
}

Status Message::take(bool& value)
{
    int flag = 0;
    MP_TRY(taken(sd_bus_message_read_basic(m_message, SD_BUS_TYPE_BOOLEAN, &flag)));
    value = flag != 0;
    return {};
}

Status Message::take(UniqueFd& value)
{
    int fd = -1; // belongs to the message
    MP_TRY(taken(sd_bus_message_read_basic(m_message, SD_BUS_TYPE_UNIX_FD, &fd)));
    value = UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
    if (!value.valid()) {
        return fail(systemError(errno, "F_DUPFD_CLOEXEC", "message"));
    }
    return {};
}

Status Message::take(std::vector<std::string>& values)
{
    MP_TRY(enter(SD_BUS_TYPE_ARRAY, "s"));
    const char* text = nullptr;
    int more = 0;
    while ((more = sd_bus_message_read_basic(m_message, SD_BUS_TYPE_STRING, &text)) > 0) {
        if (values.size() == kMaxElements) {
            return fail(ErrorCode::TooMany, "a list that is too long");
        }
        values.emplace_back(text);
    }
    MP_TRY(written(more));
    return leave();
}

Status Message::take(std::vector<std::uint64_t>& values)
{
    const void* data = nullptr;
    std::size_t size = 0;
    MP_TRY(taken(sd_bus_message_read_array(m_message, SD_BUS_TYPE_UINT64, &data, &size)));
    values.resize(size / sizeof(std::uint64_t));
    if (!values.empty()) {
        std::memcpy(values.data(), data, size);
    }
    return {};
}

Status Message::take(TextPairs& values)
{
    MP_TRY(enter(SD_BUS_TYPE_ARRAY, "(ss)"));
    const char* first = nullptr;
    const char* second = nullptr;
    int more = 0;
    while ((more = sd_bus_message_read(m_message, "(ss)", &first, &second)) > 0) {
        if (values.size() == kMaxElements) {
            return fail(ErrorCode::TooMany, "a list that is too long");
        }
        values.emplace_back(first, second);
    }
    MP_TRY(written(more));
    return leave();
}

Status Message::take(std::vector<NewDataset>& values)
{
    MP_TRY(enter(SD_BUS_TYPE_ARRAY, "(sa(ss)uuu)"));
    int more = 0;
    while ((more = sd_bus_message_enter_container(m_message, SD_BUS_TYPE_STRUCT, "sa(ss)uuu")) >
           0) {
        if (values.size() == kMaxElements) {
            return fail(ErrorCode::TooMany, "a list that is too long");
        }
        NewDataset& value = values.emplace_back();
        MP_TRY(take(value.name));
        MP_TRY(take(value.properties));
        MP_TRY(take(value.uid));
        MP_TRY(take(value.gid));
        MP_TRY(take(value.mode));
        MP_TRY(leave());
    }
    MP_TRY(written(more));
    return leave();
}

Status Message::enter(char container, const char* contents)
{
    return taken(sd_bus_message_enter_container(m_message, container, contents));
}

Status Message::leave()
{
    return written(sd_bus_message_exit_container(m_message));
}

Status Message::asStatus() const
{
    const sd_bus_error* error = sd_bus_message_get_error(m_message);
    if (error == nullptr) {
        return {};
    }
    return fail(errorFromBus(orEmpty(error->name), orEmpty(error->message)));
}

} // namespace millpond::bus
