// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "bus/new_dataset.h"
#include "bus/unique_fd.h"

#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

struct sd_bus_message;

namespace millpond::bus {

using TextPairs = std::vector<std::pair<std::string, std::string>>;

/// An object path, to tell it from a text.
struct ObjectPath
{
    std::string value;
};

/// One D-Bus message; owns a reference. The thread of its connection only.
class Message
{
public:
    Message() = default;

    /// Takes over a reference.
    [[nodiscard]] static Message adopt(sd_bus_message* message) { return Message(message); }

    /// Takes a further reference.
    [[nodiscard]] static Message share(sd_bus_message* message);

    Message(Message&& other) noexcept
        : m_message(std::exchange(other.m_message, nullptr))
    {
    }

    Message& operator=(Message&& other) noexcept;
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;
    ~Message();

    [[nodiscard]] sd_bus_message* raw() const { return m_message; }

    [[nodiscard]] std::string_view member() const;
    [[nodiscard]] std::string_view interface() const;
    [[nodiscard]] std::string_view path() const;
    [[nodiscard]] std::string_view sender() const; ///< empty on a peer-to-peer connection

    // Writing, in the order of the signature. A descriptor is duplicated.
    Status add(std::string_view value);

    Status add(const char* value) { return add(std::string_view(value)); }

    Status add(const std::string& value) { return add(std::string_view(value)); }

    Status add(const ObjectPath& value);
    Status add(std::uint32_t value);
    Status add(std::uint64_t value);
    Status add(bool value);
    Status add(const UniqueFd& value);
    Status add(const std::vector<std::string>& values);
    Status add(const std::vector<std::uint64_t>& values);
    Status add(const TextPairs& values);
    Status add(const std::vector<NewDataset>& values);

    template <class... Values> Status addAll(const Values&... values)
    {
        Status status;
        (void)((status = add(values), status.has_value()) && ...);
        return status;
    }

    /// Reads the values in the order of the signature; BadMessage when the message has others.
    template <class... Values> Result<std::tuple<Values...>> read()
    {
        std::tuple<Values...> values;
        const Status status = std::apply(
            [this](Values&... each) {
                Status sofar;
                (void)((sofar = take(each), sofar.has_value()) && ...);
                return sofar;
            },
            values);
        if (!status) {
            return fail(status.error());
        }
        return values;
    }

    Status take(std::string& value);
    Status take(ObjectPath& value);
    Status take(std::uint32_t& value);
    Status take(std::uint64_t& value);
    Status take(bool& value);
    Status take(UniqueFd& value); ///< a duplicate
    Status take(std::vector<std::string>& values);
    Status take(std::vector<std::uint64_t>& values);
    Status take(TextPairs& values);
    Status take(std::vector<NewDataset>& values);

    /// A property's value inside a variant of that signature.
    template <class Value> Status takeVariant(const char* signature, Value& value)
    {
        MP_TRY(enter('v', signature));
        MP_TRY(take(value));
        return leave();
    }

    Status enter(char container, const char* contents);
    Status leave();

    /// Nothing when this is no error; else the error in our codes (see ErrorCode and kErrorPrefix).
    [[nodiscard]] Status asStatus() const;

private:
    explicit Message(sd_bus_message* message)
        : m_message(message)
    {
    }

    sd_bus_message* m_message = nullptr;
};

/// A D-Bus error name and text in our codes.
[[nodiscard]] Error errorFromBus(std::string_view name, std::string_view text);
/// The D-Bus name of an error code.
[[nodiscard]] std::string busErrorName(ErrorCode code);

} // namespace millpond::bus
