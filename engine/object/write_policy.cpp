// SPDX-License-Identifier: GPL-3.0-or-later
//
// Which checksum, compression and number of copies a block gets. Facts: OpenZFS module/zfs/dmu.c
// (dmu_write_policy), zio_checksum.c and zio_compress.c (what inherit and on mean), zio.c (which
// blocks may be embedded), spa_misc.c (spa_preferred_class), include/sys/dmu.h (critical types).

#include "object/write_policy.h"

#include "format/dnode.h"

#include <algorithm>

namespace millpond::object {

using format::ChecksumType;
using format::CompressionType;
using format::ObjectType;

namespace {

/// Indirect blocks from this level on get another copy with redundant_metadata=most.
constexpr unsigned kMostDittoLevel = 2;

bool isType(std::uint8_t type, ObjectType which)
{
    return type == format::number(which);
}

ChecksumType dataChecksum(const WriteSettings& settings, std::uint8_t own)
{
    auto chosen = static_cast<ChecksumType>(own);
    if (chosen == ChecksumType::Inherit) {
        chosen = settings.checksum;
    }
    return chosen == ChecksumType::On || chosen == ChecksumType::Inherit ? ChecksumType::Fletcher4
                                                                         : chosen;
}

/// Metadata is never without a checksum, nor with one too weak for it.
ChecksumType metadataChecksum(ChecksumType dataset)
{
    switch (dataset) {
    case ChecksumType::Fletcher4:
    case ChecksumType::Sha256:
    case ChecksumType::Sha512:
    case ChecksumType::Skein:
    case ChecksumType::EdonR:
    case ChecksumType::Blake3:
        return dataset;
    default:
        return ChecksumType::Fletcher4;
    }
}

bool isCollisionResistant(ChecksumType checksum)
{
    return checksum == ChecksumType::Sha256 || checksum == ChecksumType::Sha512 ||
           checksum == ChecksumType::Skein || checksum == ChecksumType::EdonR ||
           checksum == ChecksumType::Blake3;
}

CompressionType dataCompression(const WriteSettings& settings, std::uint8_t own)
{
    auto chosen = static_cast<CompressionType>(own);
    if (chosen == CompressionType::Inherit) {
        chosen = settings.compression;
    }
    return chosen == CompressionType::On || chosen == CompressionType::Inherit
               ? settings.defaultCompression
               : chosen;
}

/// Metadata but for what belongs to one file or a few: their dnodes, attributes, directories.
bool isCritical(std::uint8_t type, unsigned level)
{
    return format::isMetadataType(type) && (!isType(type, ObjectType::Dnode) || level > 0) &&
           !isType(type, ObjectType::Directory) && !isType(type, ObjectType::SystemAttributes);
}

bool wantsDitto(const WriteSettings& settings, const WriteTarget& target)
{
    switch (settings.redundantMetadata) {
    case RedundantMetadata::All:
        return true;
    case RedundantMetadata::Most:
        return target.level >= kMostDittoLevel || target.spill ||
               format::isMetadataType(target.type);
    case RedundantMetadata::Some:
        return isCritical(target.type, target.level);
    case RedundantMetadata::None:
        break;
    }
    return false;
}

} // namespace

WriteSettings WriteSettings::forMos()
{
    WriteSettings settings;
    settings.checksum = ChecksumType::Fletcher4;
    settings.compression = CompressionType::On;
    settings.copies = settings.maxCopies;
    return settings;
}

block::WriteProperties writePolicy(const WriteSettings& settings, const WriteTarget& target)
{
    block::WriteProperties properties;
    properties.type = target.type;
    properties.level = Level(static_cast<std::uint8_t>(target.level));
    properties.zstdLevel = settings.zstdLevel;
    unsigned copies = settings.copies;
    const bool metadata = target.level > 0 || target.spill || format::isMetadataType(target.type);
    if (metadata) {
        properties.compression = settings.defaultCompression;
        properties.checksum = metadataChecksum(dataChecksum(settings, 0));
        copies += wantsDitto(settings, target) ? 1U : 0U;
    } else {
        properties.compression = dataCompression(settings, target.dnodeCompression);
        properties.checksum = dataChecksum(settings, target.dnodeChecksum);
        properties.nopwrite = isCollisionResistant(properties.checksum) &&
                              properties.compression != CompressionType::Off;
    }
    properties.copies = std::min(copies, settings.maxCopies);
    const bool keepsCounts =
        isType(target.type, ObjectType::Dnode) || isType(target.type, ObjectType::Objset);
    properties.mayEmbed = settings.embeddedData && target.level == 0 && !keepsCounts;
    const bool smallData = isType(target.type, ObjectType::PlainFile) && target.level == 0 &&
                           target.blockBytes <= settings.specialSmallBlocks;
    if (settings.specialClass && (metadata || smallData)) {
        properties.allocationClass = vdev::AllocationClass::Special;
    }
    return properties;
}

} // namespace millpond::object
