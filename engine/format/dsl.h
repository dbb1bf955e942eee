// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/result.h"
#include "base/types.h"
#include "format/block_pointer.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millpond::format {

// Structures of the pool's own object set (MOS): mostly bonus buffers of 64-bit words.

/// Object 1 of the MOS, a ZAP with these names.
inline constexpr ObjectId kPoolDirectoryObject{1};
inline constexpr std::string_view kPoolConfig = "config";
inline constexpr std::string_view kPoolRootDataset = "root_dataset";
inline constexpr std::string_view kPoolFeaturesForWrite = "features_for_write";
inline constexpr std::string_view kPoolFeaturesForRead = "features_for_read";
inline constexpr std::string_view kPoolFeatureDescriptions = "feature_descriptions";
inline constexpr std::string_view kPoolFeatureEnabledTxg = "feature_enabled_txg";
inline constexpr std::string_view kPoolSyncBpObject = "sync_bplist";
inline constexpr std::string_view kPoolErrorLogScrub = "errlog_scrub";
inline constexpr std::string_view kPoolErrorLogLast = "errlog_last";
inline constexpr std::string_view kPoolSpares = "spares";
inline constexpr std::string_view kPoolL2Cache = "l2cache";
inline constexpr std::string_view kPoolDeflate = "deflate";
inline constexpr std::string_view kPoolHistory = "history";
inline constexpr std::string_view kPoolProperties = "pool_props";
inline constexpr std::string_view kPoolTemporaryUserRefs = "tmp_userrefs";
inline constexpr std::string_view kPoolCreationVersion = "creation_version";
inline constexpr std::string_view kPoolScan = "scan";
inline constexpr std::string_view kPoolErrorScrub = "error_scrub";
inline constexpr std::string_view kPoolLastScrubbedTxg = "last_scrubbed_txg";
inline constexpr std::string_view kPoolFreeBpObject = "free_bpobj";
inline constexpr std::string_view kPoolBpTree = "bptree_obj";
inline constexpr std::string_view kPoolEmptyBpObject = "empty_bpobj";
inline constexpr std::string_view kPoolChecksumSalt = "org.illumos:checksum_salt";
inline constexpr std::string_view kPoolVdevZapMap = "com.delphix:vdev_zap_map";
inline constexpr std::string_view kPoolRemoving = "com.delphix:removing";
inline constexpr std::string_view kPoolObsoleteBpObject = "com.delphix:obsolete_bpobj";
inline constexpr std::string_view kPoolCondensingIndirect = "com.delphix:condensing_indirect";
inline constexpr std::string_view kPoolCheckpoint = "com.delphix:zpool_checkpoint";
inline constexpr std::string_view kPoolLogSpaceMaps = "com.delphix:log_spacemap_zap";
inline constexpr std::string_view kPoolDeletedClones = "com.delphix:deleted_clones";
inline constexpr std::size_t kChecksumSaltBytes = 32;

/// Keys of a top-level vdev's ZAP.
inline constexpr std::string_view kVdevUnflushedTxgs = "com.delphix:ms_unflushed_phys_txgs";
inline constexpr std::string_view kVdevIndirectObsoleteSpaceMap =
    "com.delphix:indirect_obsolete_sm";
inline constexpr std::string_view kVdevObsoleteCountsPrecise =
    "com.delphix:obsolete_counts_are_precise";
inline constexpr std::string_view kVdevCheckpointSpaceMap = "com.delphix:pool_checkpoint_sm";
inline constexpr std::string_view kVdevAllocationBias = "org.zfsonlinux:allocation_bias";
inline constexpr std::string_view kVdevRaidzExpandState = "org.openzfs:raidz_expand_state";

/// Keys of a leaf's ZAP, and where a configuration names that ZAP.
inline constexpr std::string_view kVdevRootZap = "com.klarasystems:vdev_zap_root";
inline constexpr std::string_view kVdevTopZap = "com.delphix:vdev_zap_top";
inline constexpr std::string_view kVdevLeafZap = "com.delphix:vdev_zap_leaf";
inline constexpr std::string_view kLeafInitializeState = "com.delphix:vdev_initialize_state";
inline constexpr std::string_view kLeafInitializeTime = "com.delphix:vdev_initialize_action_time";
inline constexpr std::string_view kLeafInitializeOffset = "com.delphix:next_offset_to_initialize";
inline constexpr std::string_view kLeafTrimState = "org.zfsonlinux:vdev_trim_state";
inline constexpr std::string_view kLeafTrimTime = "org.zfsonlinux:vdev_trim_action_time";
inline constexpr std::string_view kLeafTrimOffset = "org.zfsonlinux:next_offset_to_trim";

/// Names of the pool's hidden datasets, children of the root dataset's directory.
inline constexpr std::string_view kMosDirectory = "$MOS";
inline constexpr std::string_view kOriginDirectory = "$ORIGIN";
inline constexpr std::string_view kFreeDirectory = "$FREE";
inline constexpr std::string_view kLeakDirectory = "$LEAK";

/// Keys of a dataset directory turned into a ZAP (feature extensible_dataset).
inline constexpr std::string_view kDirFilesystemCount = "com.joyent:filesystem_count";
inline constexpr std::string_view kDirSnapshotCount = "com.joyent:snapshot_count";
inline constexpr std::string_view kDirCryptoKey = "com.datto:crypto_key_obj";
inline constexpr std::string_view kDirLivelist = "com.delphix:livelist";
inline constexpr std::string_view kDirSnapshotsChanged = "com.ixsystems:snapshots_changed";
/// Keys of a dataset turned into a ZAP. Features active for a dataset stand there by their guid.
inline constexpr std::string_view kDatasetBookmarks = "com.delphix:bookmarks";
inline constexpr std::string_view kDatasetLargeDnode = "org.zfsonlinux:large_dnode";
inline constexpr std::string_view kDatasetResumeFromGuid = "com.delphix:resume_fromguid";
inline constexpr std::string_view kDatasetResumeToName = "com.delphix:resume_toname";
inline constexpr std::string_view kDatasetResumeToGuid = "com.delphix:resume_toguid";
inline constexpr std::string_view kDatasetResumeObject = "com.delphix:resume_object";
inline constexpr std::string_view kDatasetResumeOffset = "com.delphix:resume_offset";
inline constexpr std::string_view kDatasetResumeBytes = "com.delphix:resume_bytes";
inline constexpr std::string_view kDatasetResumeLargeBlock = "com.delphix:resume_largeblockok";
inline constexpr std::string_view kDatasetResumeEmbed = "com.delphix:resume_embedok";
inline constexpr std::string_view kDatasetResumeCompress = "com.delphix:resume_compressok";
inline constexpr std::string_view kDatasetResumeRaw = "com.datto:resume_rawok";
inline constexpr std::string_view kDatasetRemapDeadlist = "com.delphix:remap_deadlist";
inline constexpr std::string_view kDatasetResumeRedactSnaps =
    "com.delphix:resume_redact_book_snaps";
inline constexpr std::string_view kDatasetIvsetGuid = "com.datto:ivset_guid";

/// Suffixes in property ZAPs: what was received, inherited on purpose, or is an internal entry.
inline constexpr std::string_view kPropertyReceivedSuffix = "$recvd";
inline constexpr std::string_view kPropertyInheritSuffix = "$inherit";
inline constexpr std::string_view kPropertyHasReceived = "$hasrecvd";
inline constexpr std::string_view kPropertyIterator = "$iuv";

/// Which part of a directory's space is what.
enum class DirUsed : std::uint8_t
{
    Head = 0,
    Snapshots = 1,
    Children = 2,
    ChildReservations = 3,
    RefReservation = 4,
};

/// A dataset directory [dsl_dir_phys_t]: 32 words (256 bytes) in the order of the fields, zero at
/// the end.
struct DslDirPhys
{
    static constexpr std::size_t kBytes = 256;
    static constexpr std::uint64_t kUsedBreakdown = 1; ///< flags: usedBreakdown is kept

    std::uint64_t creationTime = 0; ///< seconds since 1970
    ObjectId headDataset;
    ObjectId parent;           ///< directory; 0 for the root
    ObjectId origin;           ///< snapshot this is a clone of; 0: none
    ObjectId childDirectories; ///< ZAP
    std::uint64_t usedBytes = 0;
    std::uint64_t compressedBytes = 0;
    std::uint64_t uncompressedBytes = 0;
    std::uint64_t quota = 0;
    std::uint64_t reserved = 0;
    ObjectId properties;  ///< ZAP
    ObjectId permissions; ///< ZAP; 0: none
    std::uint64_t flags = 0;
    std::array<std::uint64_t, 5> usedBreakdown{}; ///< by DirUsed
    ObjectId clones;                              ///< ZAP; 0: none

    /// BadDataset when shorter.
    [[nodiscard]] static Result<DslDirPhys> decode(Bytes bonus, ByteOrder order);
    void encode(MutableBytes out, ByteOrder order = ByteOrder::Little) const; ///< kBytes
    [[nodiscard]] std::string toText() const;
};

struct DatasetFlag
{
    static constexpr std::uint64_t kInconsistent = 1; ///< being received or destroyed
    static constexpr std::uint64_t kNoPromote = 2;
    static constexpr std::uint64_t kUniqueAccurate = 4;
    static constexpr std::uint64_t kDeferDestroy = 8;
    static constexpr std::uint64_t kIgnoreCase = 1ULL
                                                 << 16; ///< snapshot names compare without case
};

/// A dataset [dsl_dataset_phys_t], head or snapshot: 320 bytes: 16 words, block pointer (128), 3
/// words, zero.
struct DslDatasetPhys
{
    static constexpr std::size_t kBytes = 320;

    ObjectId directory;
    ObjectId previousSnapshot;
    Txg previousSnapshotTxg;
    ObjectId nextSnapshot;
    ObjectId snapshotNames;         ///< ZAP; 0 for snapshots: this tells them apart
    std::uint64_t childCount = 0;   ///< of a snapshot: next ones (head, snapshot, clones)
    std::uint64_t creationTime = 0; ///< seconds since 1970
    Txg creationTxg;
    ObjectId deadlist;
    std::uint64_t referencedBytes = 0;
    std::uint64_t compressedBytes = 0;
    std::uint64_t uncompressedBytes = 0;
    std::uint64_t uniqueBytes = 0;
    std::uint64_t fsidGuid = 0;
    std::uint64_t guid = 0;
    std::uint64_t flags = 0;     ///< DatasetFlag
    BlockPointer root;           ///< of the object set; a hole: nothing written yet
    ObjectId nextClones;         ///< ZAP; 0: none
    ObjectId snapshotProperties; ///< ZAP; 0: none
    ObjectId userRefs;           ///< ZAP of holds; 0: none

    [[nodiscard]] bool isSnapshot() const { return childCount != 0; }

    /// BadDataset when shorter, or the root pointer does not validate.
    [[nodiscard]] static Result<DslDatasetPhys> decode(Bytes bonus, ByteOrder order);
    void encode(MutableBytes out, ByteOrder order = ByteOrder::Little) const; ///< kBytes
    [[nodiscard]] std::string toText() const;
};

/// A deadlist's bonus [dsl_deadlist_phys_t] (320 bytes: used, compressed, uncompressed, zero); the
/// object itself is a ZAP: hex txg -> bpobj. Before pool version 26 the deadlist is a bpobj itself.
struct DeadlistPhys
{
    static constexpr std::size_t kBytes = 320;

    std::uint64_t usedBytes = 0;
    std::uint64_t compressedBytes = 0;
    std::uint64_t uncompressedBytes = 0;

    [[nodiscard]] static Result<DeadlistPhys> decode(Bytes bonus, ByteOrder order); ///< BadDataset
    void encode(MutableBytes out, ByteOrder order = ByteOrder::Little) const;       ///< kBytes
};

/// A list of block pointers [bpobj_phys_t]: bonus of 2, 4, 6 or 7 words; the object holds the
/// pointers.
struct BpObjectPhys
{
    static constexpr std::size_t kBytesV0 = 16;
    static constexpr std::size_t kBytesV1 = 32;
    static constexpr std::size_t kBytesV2 = 48;
    static constexpr std::size_t kBytesV3 = 56;

    std::uint64_t pointers = 0;
    std::uint64_t bytes = 0;
    std::uint64_t compressedBytes = 0;   ///< from V1
    std::uint64_t uncompressedBytes = 0; ///< from V1
    ObjectId subobjects;                 ///< from V2: object with an array of bpobj numbers
    std::uint64_t subobjectCount = 0;    ///< from V2
    std::uint64_t freedCount = 0;        ///< from V3 (livelists): pointers that are frees
    std::size_t sizeBytes = 0;           ///< which of the sizes was there

    [[nodiscard]] bool hasCompressed() const { return sizeBytes >= kBytesV1; }

    [[nodiscard]] bool hasSubobjects() const { return sizeBytes >= kBytesV2; }

    [[nodiscard]] static Result<BpObjectPhys> decode(Bytes bonus, ByteOrder order); ///< BadDataset
    void encode(MutableBytes out, ByteOrder order = ByteOrder::Little) const;       ///< sizeBytes
};

/// A bookmark: value of the bookmark ZAP (named by its name), 3 or 12 words.
struct BookmarkPhys
{
    static constexpr std::size_t kWordsV1 = 3;
    static constexpr std::size_t kWordsV2 = 12;
    static constexpr std::uint64_t kHasFreedBeforeNext = 1;
    static constexpr std::uint64_t kSnapshotExists = 2;

    std::uint64_t guid = 0;
    Txg creationTxg;
    std::uint64_t creationTime = 0;
    ObjectId redaction; ///< 0: no redaction list
    std::uint64_t flags = 0;
    std::uint64_t referencedBytes = 0;
    std::uint64_t compressedBytes = 0;
    std::uint64_t uncompressedBytes = 0;
    std::uint64_t referencedFreedBeforeNext = 0;
    std::uint64_t compressedFreedBeforeNext = 0;
    std::uint64_t uncompressedFreedBeforeNext = 0;
    std::uint64_t ivsetGuid = 0;
    std::size_t words = kWordsV1;

    /// BadDataset for another number of words.
    [[nodiscard]] static Result<BookmarkPhys> decode(std::span<const std::uint64_t> words);
    [[nodiscard]] std::vector<std::uint64_t> encode() const;
};

/// Freed trees [bptree_phys_t], bonus: begin, end, bytes, compressed, uncompressed; entries of 168
/// bytes in the object: block pointer, birth txg, bookmark.
struct BpTreePhys
{
    static constexpr std::size_t kBytes = 40;

    std::uint64_t begin = 0; ///< index of the first entry not done
    std::uint64_t end = 0;   ///< index behind the last
    std::uint64_t bytes = 0;
    std::uint64_t compressedBytes = 0;
    std::uint64_t uncompressedBytes = 0;

    [[nodiscard]] static Result<BpTreePhys> decode(Bytes bonus, ByteOrder order); ///< BadDataset
    void encode(MutableBytes out, ByteOrder order = ByteOrder::Little) const;     ///< kBytes
};

/// A place in an object set, as stored.
struct BookmarkPosition
{
    std::uint64_t objset = 0;
    std::uint64_t object = 0;
    std::int64_t level = 0; ///< -1: the object set's root block; -2: the intent log
    std::uint64_t block = 0;
};

struct BpTreeEntry
{
    static constexpr std::size_t kBytes = 168;

    BlockPointer pointer;
    Txg birth; ///< only blocks born later are freed
    BookmarkPosition position;

    [[nodiscard]] static Result<BpTreeEntry> decode(Bytes bytes, ByteOrder order); ///< BadDataset
    void encode(MutableBytes out, ByteOrder order = ByteOrder::Little) const;      ///< kBytes
};

enum class ScanFunction : std::uint64_t
{
    None = 0,
    Scrub = 1,
    Resilver = 2,
    ErrorScrub = 3,
};

enum class ScanState : std::uint64_t
{
    None = 0,
    Scanning = 1,
    Finished = 2,
    Canceled = 3,
    ErrorScrubbing = 4,
};

/// The state of the last scrub or resilver [dsl_scan_phys_t]: the pool directory's "scan", 24
/// words.
struct ScanPhys
{
    static constexpr std::size_t kWords = 24;
    static constexpr std::uint64_t kFlagVisitAgain = 1;
    static constexpr std::uint64_t kFlagPaused = 2;

    ScanFunction function = ScanFunction::None;
    ScanState state = ScanState::None;
    ObjectId queue;
    Txg minTxg, maxTxg, currentMinTxg, currentMaxTxg;
    std::uint64_t startTime = 0, endTime = 0;                              ///< seconds since 1970
    std::uint64_t toExamine = 0, examined = 0, skipped = 0, processed = 0; ///< bytes
    std::uint64_t errors = 0;
    std::uint64_t ddtClassMax = 0;
    std::array<std::uint64_t, 4> ddtBookmark{};
    BookmarkPosition position;
    std::uint64_t flags = 0;

    /// BadDataset for fewer than kWords words.
    [[nodiscard]] static Result<ScanPhys> decode(std::span<const std::uint64_t> words);
    [[nodiscard]] std::string toText() const;
};

/// A redaction list's bonus: last object, last block, entries, snapshots, their guids.
struct RedactionListPhys
{
    std::uint64_t lastObject = 0;
    std::uint64_t lastBlock = 0;
    std::uint64_t entries = 0;
    std::vector<std::uint64_t> snapshotGuids;

    [[nodiscard]] static Result<RedactionListPhys> decode(Bytes bonus,
                                                          ByteOrder order); ///< BadDataset
};

/// State of a device removal (pool directory "com.delphix:removing", 7 words).
struct RemovingPhys
{
    static constexpr std::size_t kWords = 7;

    ScanState state = ScanState::None;
    std::uint64_t removingVdev = 0;
    std::uint64_t previousIndirectVdev = 0;
    std::uint64_t startTime = 0, endTime = 0;
    std::uint64_t toCopy = 0, copied = 0; ///< bytes

    [[nodiscard]] static Result<RemovingPhys> decode(std::span<const std::uint64_t> words);
};

/// One piece of an indirect vdev's mapping: 24 bytes in the mapping object: source, destination
/// DVA.
struct IndirectMappingEntry
{
    static constexpr std::size_t kBytes = 24;

    ByteOffset source; ///< in the removed vdev
    Dva destination;   ///< its size is the piece's

    [[nodiscard]] static Result<IndirectMappingEntry> decode(Bytes bytes, ByteOrder order);
};

/// Bonus of the mapping object, 3 or 4 words.
struct IndirectMappingPhys
{
    static constexpr std::size_t kBytesV0 = 24;
    static constexpr std::size_t kBytesV1 = 32;

    std::uint64_t maxOffset = 0;
    std::uint64_t bytesMapped = 0;
    std::uint64_t entries = 0;
    ObjectId counts; ///< 0: none

    [[nodiscard]] static Result<IndirectMappingPhys> decode(Bytes bonus, ByteOrder order);
};

} // namespace millpond::format
