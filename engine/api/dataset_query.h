// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/types.h"

#include <optional>
#include <string>
#include <vector>

namespace millpond::api {

enum class DatasetKind : std::uint8_t
{
    Filesystem = 1,
    Volume = 2,
    Snapshot = 4,
    Bookmark = 8
};

/// Where a property's value comes from, in the words of `zfs get`.
enum class SourceKind : std::uint8_t
{
    None, ///< "-": not a setting
    Default,
    Local,
    Inherited, ///< "inherited from X"
    Received,
    Temporary
};

struct PropertyValue
{
    std::string name;
    std::string value; ///< as `zfs get -p` prints it
    SourceKind source = SourceKind::None;
    std::string inheritedFrom;
    std::string received; ///< the received value where there is one, else "-"
};

struct DatasetRow
{
    std::string name;
    DatasetKind kind = DatasetKind::Filesystem;
    std::vector<PropertyValue> properties; ///< in the order asked for
};

/// Which datasets and which properties. An unknown name is NoSuchDataset.
struct DatasetQuery
{
    std::vector<std::string> roots; ///< empty: every pool's root, recursing
    bool recurse = false;
    std::optional<unsigned> depth; ///< limits the recursion: 0 is the roots themselves
    unsigned kinds = 1 | 2;        ///< DatasetKind values added up
    std::vector<std::string>
        properties; ///< native or user property names; "all" for all that apply
};

struct Hold
{
    std::string snapshot, tag;
    std::uint64_t time = 0; ///< seconds since 1970
};

} // namespace millpond::api
