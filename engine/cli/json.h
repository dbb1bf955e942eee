// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "bus/records.h"
#include "cli/option_parser.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millpond::cli {

/// A JSON value that keeps the order of its members: what scripts see should not jump about.
class Json
{
public:
    static Json text(std::string_view value);
    static Json number(std::uint64_t value);
    /// A number in decimal digits.
    static Json digits(std::string_view value);
    static Json object();
    static Json array();

    /// Of an object.
    Json& set(std::string_view key, Json value);

    Json& set(std::string_view key, std::string_view value) { return set(key, text(value)); }

    /// Of an object: in place of the member of that name, if there is one.
    void replace(std::string_view key, Json value);

    /// Has no members.
    [[nodiscard]] bool empty() const { return m_members.empty(); }

    /// The member, made as an object when it is not there.
    Json& member(std::string_view key);

    /// Of an array.
    void add(Json value);

    [[nodiscard]] std::string toText() const;

private:
    void append(std::string& out) const;

    enum class Kind : std::uint8_t
    {
        Scalar,
        Object,
        Array
    };

    Kind m_kind = Kind::Scalar;
    std::string m_scalar;                                ///< as printed
    std::vector<std::pair<std::string, Json>> m_members; ///< of an array: without keys
};

/// What every JSON document of the command lines begins with.
[[nodiscard]] Json jsonDocument(std::string_view command);
/// {"type": "LOCAL", "data": "-"}
[[nodiscard]] Json jsonSource(std::string_view source, std::string_view inheritedFrom);
/// The value of a property: a number when it is all digits and --json-int asks for numbers.
[[nodiscard]] Json jsonValue(std::string_view value, bool asInteger);
/// A number, or its digits as text: as --json-int asks.
[[nodiscard]] Json jsonNumber(std::uint64_t value, bool asInteger);

/// {"value": ..., "source": {...}}
[[nodiscard]] Json jsonProperty(std::string_view value,
                                std::string_view source,
                                std::string_view inheritedFrom,
                                bool asInteger);
/// What every document has of a pool in front of what was asked for.
[[nodiscard]] Json poolJson(const bus::PoolRow& row, bool withType, bool asInteger);
/// For -T: the member "time".
void addTimestamp(Json& document, std::string_view kind, bool asInteger);
/// --json-int ('I'), --json-flat-vdevs ('F') and --json-pool-key-guid ('K') need -j.
[[nodiscard]] Status checkJsonOptions(const ParsedOptions& options);

[[nodiscard]] std::string upperCase(std::string_view text);

} // namespace millpond::cli
