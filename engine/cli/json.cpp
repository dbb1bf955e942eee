// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace millpond::cli {

namespace {
std::string quoted(std::string_view value)
{
    std::string out = "\"";
    for (const char c : value) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (byte < 0x20) {
            out += fmt::format("\\u{:04x}", byte);
        } else {
            out += c;
        }
    }
    return out + "\"";
}
} // namespace

Json Json::text(std::string_view value)
{
    Json json;
    json.m_scalar = quoted(value);
    return json;
}

Json Json::number(std::uint64_t value)
{
    Json json;
    json.m_scalar = std::to_string(value);
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
        out += named ? quoted(m_members[i].first) + ":" : std::string();
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
    std::string type(source == "-" ? "none" : source);
    std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) {
        return static_cast<char>(std::toupper(c));
    });
    Json json = Json::object();
    json.set("type", type).set("data", inheritedFrom.empty() ? "-" : inheritedFrom);
    return json;
}

Json jsonNumber(std::uint64_t value, bool asInteger)
{
    return asInteger ? Json::number(value) : Json::text(std::to_string(value));
}

} // namespace millpond::cli
