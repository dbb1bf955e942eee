// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fuse/kernel_mount.h"
#include "fuse/tree.h"

namespace millpond::fuse {

/// How the datasets of one pool find their places.
struct PlacementRules
{
    /// Set: all of them below this folder, by their names, whatever their mountpoint says. Empty:
    /// as their properties say.
    std::string base;
    bool readOnly = true;      ///< the pool is
    bool restricted = false;   ///< nosuid and nodev whatever the properties say
    bool oneMountOnly = false; ///< no mounts within the mount (private mode: fusermount3 cannot)
    KernelOptions asked;       ///< as after `mount -o`
};

/// Options as after `mount -o`: those that restrict, and those that say nothing here. Anything else
/// is InvalidArgument; rw is ReadOnly where the pool is.
[[nodiscard]] Result<KernelOptions> parseMountOptions(std::string_view text, bool readOnlyPool);

/// Where a dataset is to be seen. NotPermitted-like errors where it is nowhere to be seen:
/// InvalidArgument for canmount=off, mountpoint none or legacy; Encrypted.
[[nodiscard]] Result<std::string> placeOf(const DatasetInfo& info, const PlacementRules& rules);

[[nodiscard]] KernelOptions kernelOptionsOf(const DatasetInfo& info, const PlacementRules& rules);

/// A kernel mount as far as it matters for placing a dataset.
struct MountSite
{
    std::string root; ///< dataset
    std::string path;
    KernelOptions options;
};

enum class PlaceKind : std::uint8_t
{
    Inside, ///< shown in that mount
    Nested, ///< a kernel mount of its own, on a folder of that mount
    Own     ///< a kernel mount of its own, on a folder of another file system
};

/// What becomes of `info`, to be seen at `path`, when `site` is the mount it would be in: the one
/// whose root is its nearest ancestor, null when there is none.
[[nodiscard]] PlaceKind placeKind(const DatasetInfo& info,
                                  const std::string& path,
                                  const PlacementRules& rules,
                                  const MountSite* site);

/// Where `dataset` stands in a mount of its ancestor `root` at `path`.
[[nodiscard]] std::string
pathBelow(const std::string& path, const std::string& root, const std::string& dataset);
[[nodiscard]] bool isDatasetAtOrBelow(std::string_view name, std::string_view ancestor);
[[nodiscard]] bool isPathAtOrBelow(std::string_view path, std::string_view folder);

} // namespace millpond::fuse
