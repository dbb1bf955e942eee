// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/types.h"
#include "format/block_pointer.h"
#include "format/nvlist.h"

#include <array>

namespace millpond::format {

/// A vdev label, 256 KiB, four on each leaf: two at the front, two at the end.
/// 0 blank (8K), 8K boot environment, 16K configuration nvlist (112K), 128K ring of uberblocks
/// (128K). Boot environment, nvlist and each uberblock slot end in an embedded checksum (40
/// bytes).
inline constexpr std::size_t kLabels = 4;
inline constexpr std::uint64_t kLabelBytes = 256 * KiB;
inline constexpr std::uint64_t kLabelPadBytes = 8 * KiB;
inline constexpr std::uint64_t kBootEnvOffset = 8 * KiB;
inline constexpr std::uint64_t kBootEnvBytes = 8 * KiB;
inline constexpr std::uint64_t kLabelNvlistOffset = 16 * KiB;
inline constexpr std::uint64_t kLabelNvlistBytes = 112 * KiB;
inline constexpr std::uint64_t kUberblockRingOffset = 128 * KiB;
inline constexpr std::uint64_t kUberblockRingBytes = 128 * KiB;
/// Two labels and 3.5 MiB for a boot loader: where a leaf's allocatable space begins. DVA offset 0.
inline constexpr std::uint64_t kLabelStartBytes = 4 * MiB;
inline constexpr std::uint64_t kLabelEndBytes = 2 * kLabelBytes;
/// The smallest device a pool accepts.
inline constexpr std::uint64_t kMinDeviceBytes = 64 * MiB;
/// Between the two front labels and the allocatable space. Raidz expansion uses it as scratch.
inline constexpr std::uint64_t kBootBlockOffset = 2 * kLabelBytes;
inline constexpr std::uint64_t kBootBlockBytes = 7 * 512 * KiB;

/// The part of a device its labels are counted from: rounded down to whole labels.
[[nodiscard]] constexpr std::uint64_t labelledSize(std::uint64_t deviceBytes)
{
    return deviceBytes & ~(kLabelBytes - 1);
}

/// Where label 0..3 of a device begins. BadLabel when the device has no room for four labels.
[[nodiscard]] Result<ByteOffset> labelOffset(ByteCount deviceSize, std::size_t label);
/// Bytes between the front and the end labels; DeviceTooSmall when there are none.
[[nodiscard]] Result<ByteCount> allocatableSize(ByteCount deviceSize);

/// Slots of the ring for a top-level vdev's ashift: 1 KiB to 8 KiB each.
struct UberblockRing
{
    explicit UberblockRing(Ashift ashift);
    std::size_t slotBytes;
    std::size_t slots;

    /// Inside the label. `slot` < slots.
    [[nodiscard]] ByteOffset offset(std::size_t slot) const
    {
        return ByteOffset(kUberblockRingOffset + slot * slotBytes);
    }
};

/// The checksum kept at the end of the block it covers [zio_eck_t]: magic, four words.
struct EmbeddedChecksum
{
    static constexpr std::size_t kBytes = 40;
    static constexpr std::uint64_t kMagic = 0x0210da7ab10c7a11ULL;

    ByteOrder order = ByteOrder::Little; ///< of the writer: of the words and of the bytes covered
    ChecksumWords words{};

    /// From the last 40 bytes of `block`. BadLabel when the magic is there in neither order.
    [[nodiscard]] static Result<EmbeddedChecksum> decode(Bytes block);
    void encode(MutableBytes block) const;
};

/// The configuration of one label: the nvlist in the 112 KiB region (whose checksum the caller has
/// verified). BadLabel or BadNvlist.
[[nodiscard]] Result<NvList> decodeLabelNvlist(Bytes region);

enum class PoolState : std::uint64_t
{
    Active = 0,
    Exported = 1,
    Destroyed = 2,
    Spare = 3,
    L2Cache = 4,
    Uninitialized = 5,
    Unavailable = 6,
    PotentiallyActive = 7,
};

[[nodiscard]] std::string_view poolStateName(PoolState state);

/// What the boot environment area holds.
enum class BootEnvironmentKind : std::uint64_t
{
    RawText = 0,
    Nvlist = 1,
};

struct BootEnvironment
{
    BootEnvironmentKind kind = BootEnvironmentKind::RawText;
    std::string text; ///< RawText
    NvList list;      ///< Nvlist

    /// From the 8 KiB area. BadLabel for an unknown kind.
    [[nodiscard]] static Result<BootEnvironment> decode(Bytes area);
};

} // namespace millpond::format
