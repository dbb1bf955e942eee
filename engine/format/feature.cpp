// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/feature.h"

#include <algorithm>
#include <array>

namespace millpond::format {

namespace {

constexpr unsigned kReadOnlyCompatible = 1;
constexpr unsigned kMos = 2;
constexpr unsigned kPerDataset = 4;
constexpr unsigned kActivateOnEnable = 8;
constexpr FeatureSupport kNone = FeatureSupport::None;
constexpr FeatureSupport kRead = FeatureSupport::ReadOnly;
constexpr FeatureSupport kWrite = FeatureSupport::Write;

constexpr std::array<std::string_view, 1> kNeedsEnabledTxg = {"enabled_txg"};
constexpr std::array<std::string_view, 1> kNeedsExtensibleDataset = {"extensible_dataset"};
constexpr std::array<std::string_view, 2> kNeedsExtensibleDatasetBookmarkV2 = {"extensible_dataset",
                                                                               "bookmark_v2"};
constexpr std::array<std::string_view, 2> kNeedsExtensibleDatasetDeviceRemoval = {
    "extensible_dataset", "device_removal"};
constexpr std::array<std::string_view, 2> kNeedsExtensibleDatasetBookmarks = {"extensible_dataset",
                                                                              "bookmarks"};
constexpr std::array<std::string_view, 3> kNeedsBookmarkV2ExtensibleDatasetBookmarks = {
    "bookmark_v2", "extensible_dataset", "bookmarks"};
constexpr std::array<std::string_view, 1> kNeedsSpacemapV2 = {"spacemap_v2"};
constexpr std::array<std::string_view, 1> kNeedsRedactionBookmarks = {"redaction_bookmarks"};
constexpr std::array<std::string_view, 2> kNeedsExtensibleDatasetLargeBlocks = {
    "extensible_dataset", "large_blocks"};

constexpr Feature make(std::string_view guid,
                       std::string_view name,
                       std::string_view description,
                       unsigned flags,
                       FeatureSupport support,
                       std::span<const std::string_view> depends)
{
    return {guid,
            name,
            description,
            (flags & kReadOnlyCompatible) != 0,
            (flags & kMos) != 0,
            (flags & kPerDataset) != 0,
            (flags & kActivateOnEnable) != 0,
            support,
            depends};
}

// In OpenZFS' order, which `zpool get all` and scripts show. Facts:
// module/zcommon/zfeature_common.c of 2.3.
constexpr std::array<Feature, 44> kFeatures = {{
    make("com.delphix:async_destroy",
         "async_destroy",
         "Destroying a filesystem returns at once and frees its space in the background.",
         kReadOnlyCompatible,
         kWrite,
         {}),
    make("com.delphix:empty_bpobj",
         "empty_bpobj",
         "Snapshots that free nothing share one empty list and take less space.",
         kReadOnlyCompatible,
         kWrite,
         {}),
    make("org.illumos:lz4_compress",
         "lz4_compress",
         "The LZ4 compression algorithm.",
         kActivateOnEnable,
         kWrite,
         {}),
    make("com.joyent:multi_vdev_crash_dump",
         "multi_vdev_crash_dump",
         "Crash dumps to pools of several devices (Solaris).",
         0,
         kRead,
         {}),
    make("com.delphix:spacemap_histogram",
         "spacemap_histogram",
         "Space maps keep a histogram of free runs, for better choices when allocating.",
         kReadOnlyCompatible,
         kWrite,
         {}),
    make("com.delphix:enabled_txg",
         "enabled_txg",
         "Remembers the transaction group in which each feature was enabled.",
         kReadOnlyCompatible,
         kWrite,
         {}),
    make("com.delphix:hole_birth",
         "hole_birth",
         "Holes remember when they were punched, so that incremental streams are smaller.",
         kMos | kActivateOnEnable,
         kWrite,
         kNeedsEnabledTxg),
    make("com.delphix:extensible_dataset",
         "extensible_dataset",
         "Datasets can carry additional entries, which other features build on.",
         0,
         kWrite,
         {}),
    make("com.delphix:embedded_data",
         "embedded_data",
         "Blocks that compress to 112 bytes or less live in their block pointer.",
         kMos | kActivateOnEnable,
         kWrite,
         {}),
    make("com.delphix:bookmarks",
         "bookmarks",
         "Bookmarks: a snapshot as the origin of incremental streams without its space.",
         kReadOnlyCompatible,
         kWrite,
         kNeedsExtensibleDataset),
    make("com.joyent:filesystem_limits",
         "filesystem_limits",
         "Limits on the number of filesystems and snapshots below a dataset.",
         kReadOnlyCompatible,
         kWrite,
         kNeedsExtensibleDataset),
    make("org.open-zfs:large_blocks",
         "large_blocks",
         "Record sizes above 128 KiB.",
         kPerDataset,
         kWrite,
         kNeedsExtensibleDataset),
    make("org.zfsonlinux:large_dnode",
         "large_dnode",
         "Dnodes larger than 512 bytes, with room for attributes.",
         kPerDataset,
         kWrite,
         kNeedsExtensibleDataset),
    make("org.illumos:sha512",
         "sha512",
         "The SHA-512/256 checksum.",
         kPerDataset,
         kWrite,
         kNeedsExtensibleDataset),
    make("org.illumos:skein",
         "skein",
         "The Skein checksum.",
         kPerDataset,
         kWrite,
         kNeedsExtensibleDataset),
    make("org.illumos:edonr",
         "edonr",
         "The Edon-R checksum.",
         kPerDataset,
         kWrite,
         kNeedsExtensibleDataset),
    make("org.zfsonlinux:userobj_accounting",
         "userobj_accounting",
         "Counts the objects of every user and group.",
         kReadOnlyCompatible | kPerDataset,
         kWrite,
         kNeedsExtensibleDataset),
    make("com.datto:encryption",
         "encryption",
         "Encrypted datasets.",
         kPerDataset,
         kNone,
         kNeedsExtensibleDatasetBookmarkV2),
    make("org.zfsonlinux:project_quota",
         "project_quota",
         "Space and object quotas of projects.",
         kReadOnlyCompatible | kPerDataset,
         kWrite,
         kNeedsExtensibleDataset),
    make("com.delphix:device_removal",
         "device_removal",
         "Top-level devices can be removed; their blocks are found through a mapping.",
         kMos,
         kNone,
         {}),
    make("com.delphix:obsolete_counts",
         "obsolete_counts",
         "Mappings of removed devices shrink as their blocks are freed.",
         kReadOnlyCompatible,
         kNone,
         kNeedsExtensibleDatasetDeviceRemoval),
    make("com.delphix:zpool_checkpoint",
         "zpool_checkpoint",
         "The state of the whole pool can be kept and gone back to.",
         kReadOnlyCompatible,
         kRead,
         {}),
    make("com.delphix:spacemap_v2",
         "spacemap_v2",
         "Space maps store large runs and far offsets in less space.",
         kReadOnlyCompatible | kActivateOnEnable,
         kWrite,
         {}),
    make("org.zfsonlinux:allocation_classes",
         "allocation_classes",
         "Separate devices for metadata, small blocks and dedup tables.",
         kReadOnlyCompatible,
         kWrite,
         {}),
    make("com.datto:resilver_defer",
         "resilver_defer",
         "A further resilver waits until the running one is done.",
         kReadOnlyCompatible,
         kWrite,
         {}),
    make("com.datto:bookmark_v2",
         "bookmark_v2",
         "Bookmarks that carry more than three words.",
         0,
         kWrite,
         kNeedsExtensibleDatasetBookmarks),
    make("com.delphix:redaction_bookmarks",
         "redaction_bookmarks",
         "Bookmarks with the list of blocks left out of a redacted stream.",
         0,
         kRead,
         kNeedsBookmarkV2ExtensibleDatasetBookmarks),
    make("com.delphix:redacted_datasets",
         "redacted_datasets",
         "Datasets received from redacted streams, whose left-out blocks cannot be read.",
         kPerDataset,
         kRead,
         kNeedsExtensibleDataset),
    make("com.delphix:bookmark_written",
         "bookmark_written",
         "Bookmarks know how much was written since.",
         0,
         kWrite,
         kNeedsBookmarkV2ExtensibleDatasetBookmarks),
    make("com.delphix:log_spacemap",
         "log_spacemap",
         "Space changes of all metaslabs go to one log and are flushed from time to time.",
         kReadOnlyCompatible,
         kWrite,
         kNeedsSpacemapV2),
    make("com.delphix:livelist",
         "livelist",
         "Clones keep a list of their own blocks and are destroyed faster.",
         kReadOnlyCompatible,
         kWrite,
         kNeedsExtensibleDataset),
    make("org.openzfs:device_rebuild",
         "device_rebuild",
         "Mirrors and draids can be rebuilt sequentially.",
         kReadOnlyCompatible,
         kWrite,
         {}),
    make("org.freebsd:zstd_compress",
         "zstd_compress",
         "The Zstandard compression algorithm.",
         kPerDataset,
         kWrite,
         kNeedsExtensibleDataset),
    make("org.openzfs:draid", "draid", "Distributed-spare raid.", kMos, kNone, {}),
    make("org.openzfs:zilsaxattr",
         "zilsaxattr",
         "Changes of extended attributes kept with the file are logged.",
         kReadOnlyCompatible | kPerDataset,
         kWrite,
         kNeedsExtensibleDataset),
    make("com.delphix:head_errlog",
         "head_errlog",
         "Error logs are kept for each dataset and follow its clones.",
         kActivateOnEnable,
         kWrite,
         {}),
    make("org.openzfs:blake3",
         "blake3",
         "The BLAKE3 checksum.",
         kPerDataset,
         kWrite,
         kNeedsExtensibleDataset),
    make("com.fudosecurity:block_cloning",
         "block_cloning",
         "Copies of files share blocks, counted in a reference table.",
         kReadOnlyCompatible,
         kRead,
         {}),
    make("com.klarasystems:vdev_zaps_v2",
         "vdev_zaps_v2",
         "Properties of the root device.",
         kMos,
         kWrite,
         {}),
    make("com.delphix:redaction_list_spill",
         "redaction_list_spill",
         "Redaction bookmarks of more snapshots than fit a dnode.",
         0,
         kWrite,
         kNeedsRedactionBookmarks),
    make("org.openzfs:raidz_expansion",
         "raidz_expansion",
         "Disks can be added to a raidz.",
         kMos,
         kNone,
         {}),
    make("com.klarasystems:fast_dedup",
         "fast_dedup",
         "Dedup tables with a log, a quota and smaller entries.",
         kReadOnlyCompatible,
         kRead,
         {}),
    make("org.zfsonlinux:longname",
         "longname",
         "File names of up to 1023 bytes.",
         kPerDataset,
         kWrite,
         kNeedsExtensibleDataset),
    make("com.klarasystems:large_microzap",
         "large_microzap",
         "Small directories keep their simple form up to a megabyte.",
         kReadOnlyCompatible | kPerDataset,
         kWrite,
         kNeedsExtensibleDatasetLargeBlocks),
}};

constexpr std::array<PoolVersion, 28> kPoolVersions = {{
    {1, "The first released version."},
    {2, "Metadata is kept in several copies (ditto blocks)."},
    {3, "Hot spares, and raidz with two parities."},
    {4, "The pool keeps a history of commands."},
    {5, "The gzip compression algorithm."},
    {6, "The pool property bootfs."},
    {7, "Separate devices for the intent log."},
    {8, "Rights can be delegated to users."},
    {9, "The properties refquota and refreservation."},
    {10, "Cache devices."},
    {11, "Faster scrubs."},
    {12, "Snapshots have properties."},
    {13, "Space used is broken down (the usedby properties)."},
    {14, "The value passthrough-x of aclinherit."},
    {15, "Space is counted by user and group."},
    {16, "The property stmf of Solaris."},
    {17, "Raidz with three parities."},
    {18, "Holds on snapshots."},
    {19, "Log devices can be removed."},
    {20, "The zle compression algorithm (runs of zeroes)."},
    {21, "Deduplication."},
    {22, "Received properties."},
    {23, "Smaller intent log blocks."},
    {24, "System attributes."},
    {25, "Better figures about scrubs."},
    {26, "Faster deletion of snapshots."},
    {27, "Faster creation of snapshots."},
    {28, "Several virtual devices of a pool can be replaced at once."},
}};

constexpr std::array<PoolVersion, 5> kFilesystemVersions = {{
    {1, "The first released version."},
    {2, "Directory entries carry the type of the file."},
    {3, "Names without regard to case, and users of other systems (FUID)."},
    {4, "Quotas of users and groups."},
    {5, "System attributes."},
}};

} // namespace

std::span<const Feature> features()
{
    return kFeatures;
}

const Feature* featureByGuid(std::string_view guid)
{
    const auto* found = std::ranges::find(kFeatures, guid, &Feature::guid);
    return found != kFeatures.end() ? found : nullptr;
}

const Feature* featureByName(std::string_view name)
{
    const auto* found = std::ranges::find(kFeatures, name, &Feature::name);
    return found != kFeatures.end() ? found : nullptr;
}

std::span<const PoolVersion> poolVersions()
{
    return kPoolVersions;
}

std::span<const PoolVersion> filesystemVersions()
{
    return kFilesystemVersions;
}

} // namespace millpond::format
