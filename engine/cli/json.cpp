// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/json.h"

#include "cli/table_printer.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::cli {

namespace {
/// How many bytes of `text` are one character of UTF-8; 0 where they are none.
std::size_t characterBytes(std::string_view text)
{
    const auto byte = [&text](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const unsigned lead = byte(0);
    if (lead < 0x80) {
        return 1;
    }
    const std::size_t count = lead < 0xC2   ? 0
                              : lead < 0xE0 ? 2
                              : lead < 0xF0 ? 3
                              : lead < 0xF5 ? 4
                                            : 0;
    for (std::size_t i = 1; i < count; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) {
            return 0;
        }
    }
    // Longer than need be, a surrogate, or beyond Unicode.
    const bool bad = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
                     (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F);
    return bad ? 0 : count;
}

/// Bytes that are no UTF-8, which names of files and datasets may hold, become U+FFFD: one of them
/// must not make the whole document unreadable.
std::string quotedText(std::string_view value)
{
    std::string out = "\"";
    for (std::size_t at = 0; at < value.size();) {
        const std::size_t count = characterBytes(value.substr(at));
        const char c = value[at];
        if (count != 1) {
            out += count == 0 ? "\uFFFD" : value.substr(at, count);
        } else if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
        at += count == 0 ? 1 : count;
    }
    return out + "\"";
}
} // namespace

Json Json::text(std::string_view value)
{
    Json json;
    json.m_scalar = quotedText(value);
    return json;
}

Json Json::number(std::uint64_t value)
{
    Json json;
    json.m_scalar = std::to_string(value);
    return json;
}

Json Json::digits(std::string_view value)
{
    Json json;
    json.m_scalar = value;
    return json;
}

Json Json::object()
{
    Json json;
    json.m_kind = Kind::Object;
    return json;
}

Json Json::array()
{
    Json json;
    json.m_kind = Kind::Array;
    return json;
}

void Json::add(Json value)
{
    m_members.emplace_back(std::string(), std::move(value));
}

Json& Json::set(std::string_view key, Json value)
{
    m_members.emplace_back(std::string(key), std::move(value));
    return *this;
}

void Json::replace(std::string_view key, Json value)
{
    std::erase_if(m_members, [key](const auto& member) { return member.first == key; });
    set(key, std::move(value));
}

Json& Json::member(std::string_view key)
{
    // Looked for from the back: members are added in runs.
    const auto found = std::find_if(m_members.rbegin(),
                                    m_members.rend(),
                                    [key](const auto& member) { return member.first == key; });
    if (found != m_members.rend()) {
        return found->second;
    }
    return m_members.emplace_back(std::string(key), object()).second;
}

void Json::append(std::string& out) const // NOLINT(misc-no-recursion): as deep as it was built
{
    if (m_kind == Kind::Scalar) {
        out += m_scalar;
        return;
    }
    const bool named = m_kind == Kind::Object;
    out += named ? '{' : '[';
    for (std::size_t i = 0; i < m_members.size(); ++i) {
        out += i == 0 ? "" : ",";
        out += named ? quotedText(m_members[i].first) + ":" : std::string();
        m_members[i].second.append(out);
    }
    out += named ? '}' : ']';
}

std::string Json::toText() const
{
    std::string out;
    append(out);
    return out + "\n";
}

Json jsonDocument(std::string_view command)
{
    Json version = Json::object();
    version.set("command", command)
        .set("vers_major", Json::number(0))
        .set("vers_minor", Json::number(1));
    Json document = Json::object();
    document.set("output_version", std::move(version));
    return document;
}

Json jsonSource(std::string_view source, std::string_view inheritedFrom)
{
    const std::string type = upperCase(source == "-" ? "none" : source);
    Json json = Json::object();
    json.set("type", type).set("data", inheritedFrom.empty() ? "-" : inheritedFrom);
    return json;
}

Json jsonValue(std::string_view value, bool asInteger)
{
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    const bool number = asInteger && !value.empty() && value.size() <= 20 &&
                        std::all_of(value.begin(), value.end(), isDigit);
    if (!number) {
        return Json::text(value);
    }
    value.remove_prefix(std::min(value.find_first_not_of('0'), value.size() - 1));
    return Json::digits(value);
}

Json jsonNumber(std::uint64_t value, bool asInteger)
{
    return asInteger ? Json::number(value) : Json::text(std::to_string(value));
}

Json jsonProperty(std::string_view value,
                  std::string_view source,
                  std::string_view inheritedFrom,
                  bool asInteger)
{
    Json json = Json::object();
    json.set("value", jsonValue(value, asInteger));
    json.set("source", jsonSource(source, inheritedFrom));
    return json;
}

Json poolJson(const bus::PoolRow& row, bool withType, bool asInteger)
{
    // These two are what the software knows, not what the pool has.
    constexpr std::uint64_t kPoolVersion = 5000, kFilesystemVersion = 5;
    Json pool = Json::object();
    pool.set("name", row.name);
    if (withType) {
        pool.set("type", "POOL");
    }
    pool.set("state", row.state);
    pool.set("pool_guid", jsonNumber(row.guid, asInteger));
    if (row.txg != 0) {
        pool.set("txg", jsonNumber(row.txg, asInteger));
    }
    pool.set("spa_version", jsonNumber(kPoolVersion, asInteger));
    pool.set("zpl_version", jsonNumber(kFilesystemVersion, asInteger));
    return pool;
}

void addTimestamp(Json& document, std::string_view kind, bool asInteger)
{
    std::string line = timestampLine(kind);
    if (!line.empty()) {
        line.pop_back();
        document.set("time", asInteger ? Json::number(secondsNow()) : Json::text(line));
    }
}

Status checkJsonOptions(const ParsedOptions& options)
{
    struct Dependent
    {
        char letter;
        std::string_view name;
    };

    constexpr Dependent kDependent[] = {
        {'F', "--json-flat-vdevs"}, {'I', "--json-int"}, {'K', "json-pool-key-guid"}};
    for (const Dependent& option : kDependent) {
        if (options.has(option.letter) && !options.has('j')) {
            return fail(ErrorCode::InvalidArgument,
                        fmt::format("'{}' only works with '-j' option\n", option.name));
        }
    }
    return {};
}

std::string upperCase(std::string_view text)
{
    std::string upper(text);
    std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return upper;
}

} // namespace millpond::cli
