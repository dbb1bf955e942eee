// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "codec/checksum.h"
#include "format/block_pointer.h"

#include <span>

// Block pointers as a writer makes them: little-endian, neither deduplicated nor encrypted.

namespace millpond::block {

struct PointerSpec
{
    std::uint8_t type = 0;
    Level level;
    format::ChecksumType checksum = format::ChecksumType::Off;
    format::CompressionType compression = format::CompressionType::Off;
    ByteCount logicalSize;  ///< multiples of 512, 512 to format::kMaxBlockBytes
    ByteCount physicalSize; ///< of a hole: not looked at
    Txg birth;
    std::uint64_t fill = 0;
};

/// Of a block that is stored: everything but its places and checksum.
[[nodiscard]] format::BlockPointer storedPointer(const PointerSpec& spec);

/// In place of a block that was freed or is all zeroes: tells when it became so [hole_birth].
[[nodiscard]] format::BlockPointer holePointer(const PointerSpec& spec);

/// Holds its block itself: `payload` is 1 to 112 bytes, compressed as the spec says. The spec's
/// checksum, physical size and fill are not looked at; the logical size may be any up to 32 MiB.
[[nodiscard]] format::BlockPointer embeddedPointer(const PointerSpec& spec, Bytes payload);

/// `copy` < BlockPointer::kDvas.
void setDva(format::BlockPointer& pointer, std::size_t copy, const format::Dva& dva);
void setChecksum(format::BlockPointer& pointer, const codec::Checksum& checksum);

} // namespace millpond::block
