// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/property.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>

namespace millpond::format {

namespace {

constexpr std::uint64_t kLargest = ~std::uint64_t{0};
constexpr std::uint64_t kFirstFeatureVersion = 5000;
constexpr std::size_t kNarrowNumber = 5; ///< characters of a number for people
constexpr std::size_t kHealthWidth = 8;

constexpr std::array<std::string_view, 7> kUnits = {"", "K", "M", "G", "T", "P", "E"};
constexpr std::array<std::string_view, 4> kTimeUnits = {"ns", "us", "ms", "s"};
constexpr std::string_view kUnitLetters = "BKMGTPEZ";
constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::array<std::string_view, 8> kStates = {
    "UNKNOWN", "OFFLINE", "OFFLINE", "REMOVED", "UNAVAIL", "FAULTED", "DEGRADED", "ONLINE"};
constexpr std::array<std::string_view, 14> kSpacePrefixes = {"userused@",
                                                             "userquota@",
                                                             "groupused@",
                                                             "groupquota@",
                                                             "userobjused@",
                                                             "userobjquota@",
                                                             "groupobjused@",
                                                             "groupobjquota@",
                                                             "projectused@",
                                                             "projectquota@",
                                                             "projectobjused@",
                                                             "projectobjquota@",
                                                             "written@",
                                                             "written#"};

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool equalsLowered(std::string_view heading, std::string_view name)
{
    return std::ranges::equal(heading, name, {}, lower);
}

std::optional<std::uint64_t> parseNumber(std::string_view text)
{
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole ? std::optional(value) : std::nullopt;
}

/// A power of two exactly, else the most decimals that fit five characters.
std::string narrow(std::uint64_t value, std::string_view unitOfOnes)
{
    std::size_t unit = 0;
    std::uint64_t rest = value;
    while (rest >= 1024 && unit + 1 < kUnits.size()) {
        rest /= 1024;
        ++unit;
    }
    const std::string_view letter = unit == 0 ? unitOfOnes : kUnits[unit];
    const std::uint64_t base = std::uint64_t{1} << (unit * 10);
    if (value % base == 0) {
        return fmt::format("{}{}", rest, letter);
    }
    std::string text;
    for (int decimals = 2; decimals >= 0; --decimals) {
        text = fmt::format(
            "{:.{}f}{}", static_cast<double>(value) / static_cast<double>(base), decimals, letter);
        if (text.size() <= kNarrowNumber) {
            break;
        }
    }
    return text;
}

/// The month and day names are not the locale's: programs read them.
std::string dateText(std::uint64_t seconds, bool withSeconds)
{
    const auto time = static_cast<std::time_t>(seconds);
    std::tm parts{};
    if (localtime_r(&time, &parts) == nullptr) {
        return fmt::format("{}", seconds);
    }
    const std::string clock =
        withSeconds ? fmt::format("{:2}:{:02}:{:02}", parts.tm_hour, parts.tm_min, parts.tm_sec)
                    : fmt::format("{:2}:{:02}", parts.tm_hour, parts.tm_min);
    return fmt::format("{} {} {:2} {} {}",
                       kDays[static_cast<std::size_t>(parts.tm_wday)],
                       kMonths[static_cast<std::size_t>(parts.tm_mon)],
                       parts.tm_mday,
                       clock,
                       parts.tm_year + 1900);
}

std::string dashOr(bool dash, std::string text)
{
    return dash ? "-" : std::move(text);
}

std::string rawNumber(NumberStyle style, std::uint64_t value)
{
    const std::string plain = fmt::format("{}", value);
    switch (style) {
    case NumberStyle::CountOrNone:
        return value == kLargest ? "none" : plain;
    case NumberStyle::BytesOrDash:
        return dashOr(value == 0, plain);
    case NumberStyle::PercentOrDash:
    case NumberStyle::PlainOrDash:
        return dashOr(value == kLargest, plain);
    case NumberStyle::PercentAlways:
        return dashOr(value == kLargest, plain + "%");
    case NumberStyle::Version:
        return dashOr(value >= kFirstFeatureVersion, plain);
    case NumberStyle::QuotaOrAuto:
        return value == kLargest ? "auto" : plain;
    case NumberStyle::Ratio:
        return fmt::format("{}.{:02}", value / 100, value % 100);
    default:
        return plain;
    }
}

std::string numberForPeople(NumberStyle style, std::uint64_t value)
{
    switch (style) {
    case NumberStyle::Plain:
    case NumberStyle::PlainOrDash:
    case NumberStyle::Version:
    case NumberStyle::PercentAlways:
        return rawNumber(style, value);
    case NumberStyle::Count:
        return formatCount(value);
    case NumberStyle::Bytes:
        return formatBytes(value);
    case NumberStyle::BytesOrNone:
        return value == 0 ? "none" : formatBytes(value);
    case NumberStyle::CountOrNone:
        return value == kLargest ? "none" : formatCount(value);
    case NumberStyle::BytesOrDash:
        return dashOr(value == 0, formatBytes(value));
    case NumberStyle::Ratio:
        return rawNumber(style, value) + "x";
    case NumberStyle::Percent:
        return fmt::format("{}%", value);
    case NumberStyle::PercentOrDash:
        return dashOr(value == kLargest, fmt::format("{}%", value));
    case NumberStyle::Date:
        return dateText(value, false);
    case NumberStyle::DateSeconds:
        return dateText(value, true);
    case NumberStyle::QuotaOrAuto:
        if (value == 0) {
            return "none";
        }
        return value == kLargest ? "auto" : formatCount(value);
    case NumberStyle::State:
        return std::string(value < kStates.size() ? kStates[value] : kStates[0]);
    }
    return rawNumber(style, value);
}

} // namespace

const Property* findProperty(PropertyScope scope, std::string_view name)
{
    const std::span<const Property> all = properties(scope);
    const auto found = std::ranges::find_if(all, [name](const Property& p) {
        return p.name == name || equalsLowered(p.heading, name);
    });
    return found != all.end() ? &*found : nullptr;
}

std::optional<std::uint64_t> indexValue(const Property& property, std::string_view name)
{
    const auto found = std::ranges::find(property.index, name, &IndexValue::name);
    return found != property.index.end() ? std::optional(found->value) : std::nullopt;
}

std::optional<std::string_view> indexName(const Property& property, std::uint64_t value)
{
    const auto found = std::ranges::find(property.index, value, &IndexValue::value);
    return found != property.index.end() ? std::optional(found->name) : std::nullopt;
}

bool isSpaceProperty(std::string_view name)
{
    return std::ranges::any_of(
        kSpacePrefixes, [name](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string rawPropertyText(const Property& property, std::uint64_t value)
{
    if (property.kind == PropertyKind::Index) {
        const auto name = indexName(property, value);
        return name ? std::string(*name) : fmt::format("{}", value);
    }
    return rawNumber(property.style, value);
}

std::string formatProperty(const Property& property, std::uint64_t value)
{
    return property.kind == PropertyKind::Index ? rawPropertyText(property, value)
                                                : numberForPeople(property.style, value);
}

std::string formatProperty(const Property& property, std::string_view raw)
{
    if (property.kind != PropertyKind::Number) {
        return std::string(raw);
    }
    if (property.style == NumberStyle::Ratio) {
        const bool number = !raw.empty() && raw.front() >= '0' && raw.front() <= '9';
        return number ? fmt::format("{}x", raw) : std::string(raw);
    }
    const auto value = parseNumber(raw);
    return value ? numberForPeople(property.style, *value) : std::string(raw);
}

std::string formatSpaceProperty(std::string_view name, std::string_view raw)
{
    const auto value = parseNumber(raw);
    if (!value) {
        return std::string(raw);
    }
    if (*value == 0 && name.find("quota@") != std::string_view::npos) {
        return "none";
    }
    return name.find("obj") < name.find('@') ? formatCount(*value) : formatBytes(*value);
}

std::string formatCount(std::uint64_t value)
{
    return narrow(value, "");
}

std::string formatBytes(std::uint64_t value)
{
    return narrow(value, "B");
}

std::string formatDuration(std::uint64_t nanoseconds)
{
    if (nanoseconds == 0) {
        return "-";
    }
    std::size_t unit = 0;
    while (nanoseconds >= 1000 && unit + 1 < kTimeUnits.size()) {
        nanoseconds /= 1000;
        ++unit;
    }
    return fmt::format("{}{}", nanoseconds, kTimeUnits[unit]);
}

Result<std::uint64_t> parseBytes(std::string_view text)
{
    const auto bad = [text] {
        return fail(ErrorCode::InvalidArgument, fmt::format("'{}' is no size", text));
    };
    const std::size_t digits = text.find_first_not_of("0123456789.");
    const std::string_view number = text.substr(0, digits);
    std::string suffix(digits == std::string_view::npos ? std::string_view() : text.substr(digits));
    std::ranges::transform(suffix, suffix.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    unsigned shift = 0;
    if (!suffix.empty()) {
        const std::size_t unit = kUnitLetters.find(suffix[0]);
        const std::string_view tail = std::string_view(suffix).substr(1);
        if (unit == std::string_view::npos || (!tail.empty() && tail != "B" && tail != "IB") ||
            (unit == 0 && !tail.empty())) {
            return bad();
        }
        shift = static_cast<unsigned>(unit) * 10;
    }
    if (const auto whole = parseNumber(number)) {
        std::uint64_t size = 0;
        if (*whole != 0 &&
            (shift >= 64 || !checkedMultiply(*whole, std::uint64_t{1} << shift, size))) {
            return fail(ErrorCode::InvalidArgument, fmt::format("'{}' is too large", text));
        }
        return size;
    }
    double fraction = 0;
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), fraction);
    if (number.empty() || error != std::errc() || end != number.data() + number.size()) {
        return bad();
    }
    const double size = std::ldexp(fraction, static_cast<int>(shift));
    if (!(size >= 0 && size < std::ldexp(1.0, 64))) {
        return fail(ErrorCode::InvalidArgument, fmt::format("'{}' is too large", text));
    }
    return static_cast<std::uint64_t>(size);
}

std::size_t columnWidth(const Property& property)
{
    std::size_t width = property.heading.size();
    if (property.name == "health") {
        return std::max(width, kHealthWidth);
    }
    if (property.kind == PropertyKind::Number) {
        return std::max(width, kNarrowNumber);
    }
    for (const IndexValue& value : property.index) {
        width = std::max(width, value.name.size());
    }
    return width;
}

} // namespace millpond::format
