// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace millpond::format {

enum class PropertyScope : std::uint8_t
{
    Dataset,
    Pool,
    Vdev,
};

enum class PropertyKind : std::uint8_t
{
    Number,
    Text,
    Index, ///< a number with names for its values
};

enum class PropertyMode : std::uint8_t
{
    ReadOnly,
    Default,     ///< settable, not inherited
    Inherit,     ///< settable, inherited by children
    Once,        ///< fixed at creation, inherited or not by then
    OnceDefault, ///< fixed at creation, not inherited
};

/// Which datasets have it, as bits.
struct PropertyTypes
{
    static constexpr std::uint8_t kFilesystem = 1;
    static constexpr std::uint8_t kSnapshot = 2;
    static constexpr std::uint8_t kVolume = 4;
    static constexpr std::uint8_t kBookmark = 8;
    static constexpr std::uint8_t kDataset = kFilesystem | kSnapshot | kVolume;
    static constexpr std::uint8_t kPool = 16;
    static constexpr std::uint8_t kVdev = 32;
};

/// How the number is written for people.
enum class NumberStyle : std::uint8_t
{
    Plain,         ///< as it is: guids, transaction groups
    Count,         ///< 1.50K; below 1024 as it is
    Bytes,         ///< 1.50M; below 1024 with B
    BytesOrNone,   ///< 0 is "none" for people
    CountOrNone,   ///< the largest number is "none", for programs too
    BytesOrDash,   ///< 0 is "-", for programs too
    Ratio,         ///< hundredths: 1.52x
    Percent,       ///< 12%
    PercentOrDash, ///< the largest number is "-"
    PercentAlways, ///< 12% for programs too; the largest number is "-"
    PlainOrDash,   ///< the largest number is "-"
    Date,          ///< seconds since 1970: "Tue Nov 30 19:27 2026"
    DateSeconds,   ///< the same with seconds
    Version,       ///< "-" from 5000 on
    QuotaOrAuto,   ///< 0 "none", the largest "auto"
    State,         ///< a vdev's state
};

struct IndexValue
{
    std::string_view name;
    std::uint64_t value;
};

struct Property
{
    std::string_view name;
    PropertyKind kind = PropertyKind::Number;
    PropertyMode mode = PropertyMode::ReadOnly;
    std::uint8_t types = 0; ///< PropertyTypes
    bool visible = true;    ///< part of `get all`
    bool rightAligned = false;
    bool flexibleWidth = false; ///< the column grows with its values although it is a number
    NumberStyle style = NumberStyle::Plain;
    std::uint64_t defaultNumber = 0;
    std::string_view defaultText; ///< empty: "-" is shown
    std::string_view heading;
    std::string_view values;           ///< "on | off", for usage texts
    std::span<const IndexValue> index; ///< the first name of a value is the one printed
    /// Pool configuration and labels, kept in the master node, computed: not in the property ZAP.
    bool inMasterNode = false;
};

/// In the order of `zfs get all`, `zpool get all`.
[[nodiscard]] std::span<const Property> properties(PropertyScope scope);
/// By name, or by a column heading's short form ("avail", "refer", "rdonly", ...); null when
/// unknown.
[[nodiscard]] const Property* findProperty(PropertyScope scope, std::string_view name);
[[nodiscard]] std::optional<std::uint64_t> indexValue(const Property& property,
                                                      std::string_view name);
[[nodiscard]] std::optional<std::string_view> indexName(const Property& property,
                                                        std::uint64_t value);
/// The prefixes userused@, userquota@ and kin, written@.
[[nodiscard]] bool isSpaceProperty(std::string_view name);

/// As `zfs get -p` prints it: what travels on the bus.
[[nodiscard]] std::string rawPropertyText(const Property& property, std::uint64_t value);
/// As `zfs get` prints it for people.
[[nodiscard]] std::string formatProperty(const Property& property, std::uint64_t value);
/// The same from the raw text; text that is no number passes unchanged.
[[nodiscard]] std::string formatProperty(const Property& property, std::string_view raw);
/// For userused@ and kin, written@: bytes (1.50M); objects: counts; others unchanged.
[[nodiscard]] std::string formatSpaceProperty(std::string_view name, std::string_view raw);

/// Five characters at most: 1.50M, 12K, 1023. `formatBytes` adds B below 1024.
[[nodiscard]] std::string formatCount(std::uint64_t value);
[[nodiscard]] std::string formatBytes(std::uint64_t value);
/// Nanoseconds, five characters at most: 15ms; "-" for 0.
[[nodiscard]] std::string formatDuration(std::uint64_t nanoseconds);
/// 1.5M, 512, 2T: binary units as the command lines take them. InvalidArgument.
[[nodiscard]] Result<std::uint64_t> parseBytes(std::string_view text);

/// The width of a column before its values are seen.
[[nodiscard]] std::size_t columnWidth(const Property& property);

} // namespace millpond::format
