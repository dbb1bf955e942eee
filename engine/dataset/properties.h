// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/dataset_tree.h"
#include "dataset/deadlist.h"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace millpond::dataset {

/// Where a value comes from, in the words of `zfs get`.
enum class Source : std::uint8_t
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
    std::string value; ///< as `zfs get -p` prints it; "-" when it does not apply
    Source source = Source::None;
    std::string inheritedFrom;
    std::string received = "-"; ///< the value a receive brought, as the RECEIVED column shows it
};

/// What only the pool knows. All in bytes.
struct PoolSpace
{
    /// What datasets may use in all: the deflated size of the normal class, less what is deferred,
    /// less slop (OpenZFS: dsl_pool_adjustedsize with the normal check).
    std::uint64_t usable = 0;
};

/// What a dataset takes and may take. All in bytes.
struct Space
{
    std::uint64_t used = 0; ///< with snapshots, children and reservations; a snapshot: its own only
    std::uint64_t available = 0; ///< 0 for a snapshot
    std::uint64_t referenced = 0;
    std::uint64_t logicalReferenced = 0;
    std::uint64_t unique = 0;
    std::uint64_t refQuota = 0, refReservation = 0; ///< 0: none
    std::uint64_t objects = 0;                      ///< in its object set
    std::uint64_t objectsAvailable = 0;
};

/// How a dataset stands outside the pool: given by the caller, who knows of mounts and options.
struct Outside
{
    bool mounted = false;
    /// Values that hold for this mount only, by property name; they win over settings.
    std::map<std::string, std::string, std::less<>> temporary;
};

struct PropertyEnvironment
{
    PoolSpace space;
    std::string altroot; ///< put before mountpoints; empty: none
    /// Null: nothing is mounted, no temporary values. Called without locks held.
    std::function<Outside(const Directory&)> outside;
    /// What a block counts for, for written@ in pools before version 26; null: its allocated size.
    ChargedBytes charged;
    /// The id of a user or group given by name in "userused@alice"; null: numbers only.
    std::function<std::optional<std::uint64_t>(std::string_view name, bool isGroup)> idOf;
};

/// Properties of datasets as `zfs get -p` of OpenZFS 2.3 shows them. Thread-safe; reads settings
/// once per directory.
class Properties
{
public:
    Properties(std::shared_ptr<DatasetTree> tree, PropertyEnvironment environment);
    ~Properties();
    Properties(const Properties&) = delete;
    Properties& operator=(const Properties&) = delete;

    /// Every property that applies, in the order of `zfs get all`: native ones, then user
    /// properties by name.
    [[nodiscard]] Result<std::vector<PropertyValue>> all(const Node& node,
                                                         const ReadContext& context = {});
    /// The properties named, in that order; what does not apply is "-" from Source::None. Native,
    /// user
    /// ("a:b"), "written@snap", "userused@id" and kin. NoSuchProperty for a name that cannot be
    /// one.
    [[nodiscard]] Result<std::vector<PropertyValue>>
    select(const Node& node, std::span<const std::string> names, const ReadContext& context = {});
    [[nodiscard]] Result<PropertyValue>
    get(const Node& node, std::string_view name, const ReadContext& context = {});

    [[nodiscard]] Result<Space> space(const Dataset& dataset, const ReadContext& context = {});

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace millpond::dataset
