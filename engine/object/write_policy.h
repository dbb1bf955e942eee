// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "block/block_writer.h"
#include "codec/compression.h"
#include "format/block_pointer.h"

#include <cstdint>

namespace millpond::object {

enum class RedundantMetadata : std::uint8_t // the property's numbers
{
    All = 0,
    Most = 1,
    Some = 2,
    None = 3,
};

/// A dataset's properties as far as they decide how blocks are stored. The defaults are the
/// properties' defaults.
struct WriteSettings
{
    format::ChecksumType checksum = format::ChecksumType::On;
    format::CompressionType compression = format::CompressionType::On;
    codec::ZstdLevel zstdLevel = codec::kZstdDefaultLevel;
    unsigned copies = 1;
    RedundantMetadata redundantMetadata = RedundantMetadata::All;
    /// What compression=on, and metadata, means: Lz4 where the feature is enabled, else Lzjb.
    format::CompressionType defaultCompression = format::CompressionType::Lz4;
    bool embeddedData = true; ///< the pool has the feature enabled
    /// There is a special vdev in the normal class' stead for metadata; and for data blocks up to
    /// this many bytes [special_small_blocks].
    bool specialClass = false;
    std::uint32_t specialSmallBlocks = 0;
    /// Copies at most: 3 but for old pools [spa_max_replication].
    unsigned maxCopies = 3;

    /// Of the pool's own object set: everything in three copies.
    [[nodiscard]] static WriteSettings forMos();
};

/// Which block it is that is to be stored.
struct WriteTarget
{
    std::uint8_t type = 0; ///< of the object; of a spill block its bonus type
    unsigned level = 0;
    bool spill = false;
    std::uint32_t blockBytes = 0;
    /// The dnode's own choice: numbers of ChecksumType and CompressionType, Inherit mostly.
    std::uint8_t dnodeChecksum = 0;
    std::uint8_t dnodeCompression = 0;
};

/// How a block is stored [dmu_write_policy]. The fill count is the caller's.
[[nodiscard]] block::WriteProperties writePolicy(const WriteSettings& settings,
                                                 const WriteTarget& target);

} // namespace millpond::object
