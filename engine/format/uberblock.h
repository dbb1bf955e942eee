// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/result.h"
#include "base/types.h"
#include "format/block_pointer.h"

#include <compare>
#include <optional>
#include <string>

namespace millpond::format {

/// The root of a pool as of one txg [uberblock_t]; the first 216 bytes of a ring slot, in the
/// writer's order: 0 magic, 8 version, 16 txg, 24 guid sum, 32 timestamp, 40 root pointer (128),
/// 168 software version, 176 MMP magic, 184 MMP delay, 192 MMP configuration, 200 checkpoint txg,
/// 208 raidz reflow.
struct Uberblock
{
    static constexpr std::size_t kBytes = 216;
    static constexpr std::uint64_t kMagic = 0x00bab10cULL;
    static constexpr std::uint64_t kMmpMagic = 0xa11cea11ULL;

    ByteOrder order = ByteOrder::Little; ///< of the writer
    std::uint64_t version = 0;           ///< pool version: 1 to 28, or 5000
    Txg txg;
    std::uint64_t guidSum = 0;         ///< of all vdevs' guids, wrapping
    std::uint64_t timestamp = 0;       ///< seconds since 1970
    BlockPointer root;                 ///< of the pool's object set (MOS)
    std::uint64_t softwareVersion = 0; ///< newest pool version the writer knew; 0 in old pools
    /// Multihost protection; meaningful only when hasMmp().
    std::uint64_t mmpMagic = 0;
    std::uint64_t mmpDelay = 0; ///< nanoseconds since the last write; 0: off
    std::uint64_t mmpConfig = 0;
    std::uint64_t checkpointTxg = 0; ///< not 0: this uberblock is a checkpoint, once of this txg
    std::uint64_t raidzReflow = 0;

    /// BadUberblock for a wrong magic, version 0, or a senseless root pointer. The slot's checksum is the
    /// caller's to verify, and whether the version is supported the importer's.
    [[nodiscard]] static Result<Uberblock> decode(Bytes slot);
    /// The first 216 bytes of `slot`, in `order`.
    void encode(MutableBytes slot) const;

    [[nodiscard]] bool hasMmp() const { return mmpMagic == kMmpMagic; }

    [[nodiscard]] bool mmpActive() const { return hasMmp() && mmpDelay != 0; }

    [[nodiscard]] std::optional<std::uint64_t> mmpIntervalMs() const;
    [[nodiscard]] std::optional<std::uint64_t> mmpSequence() const;
    [[nodiscard]] std::optional<std::uint64_t> mmpFailIntervals() const;

    [[nodiscard]] ByteOffset reflowOffset() const; ///< raidz expansion: moved up to here

    [[nodiscard]] std::uint64_t reflowScratchState() const { return raidzReflow >> 55; }

    /// Greater: newer, to be preferred. By txg, then timestamp, then MMP sequence.
    [[nodiscard]] std::strong_ordering compareAge(const Uberblock& other) const;
    [[nodiscard]] std::string toText() const;
};

} // namespace millpond::format
