// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/uberblock.h"

#include <fmt/format.h>

namespace millpond::format {

namespace {

constexpr std::size_t kRootOffset = 40;
constexpr std::uint64_t kMmpIntervalValid = 1;
constexpr std::uint64_t kMmpSequenceValid = 2;
constexpr std::uint64_t kMmpFailIntervalsValid = 4;

Result<ByteOrder> orderOf(Bytes slot)
{
    if (load<std::uint64_t>(slot, 0, ByteOrder::Little) == Uberblock::kMagic) {
        return ByteOrder::Little;
    }
    if (load<std::uint64_t>(slot, 0, ByteOrder::Big) == Uberblock::kMagic) {
        return ByteOrder::Big;
    }
    return fail(ErrorCode::BadUberblock, "no uberblock here");
}

Status check(const Uberblock& uberblock)
{
    // A version from the future is the importer's to refuse, with the pool's name.
    if (uberblock.version == 0) {
        return fail(ErrorCode::BadUberblock, "uberblock of version 0");
    }
    if (uberblock.root.isHole() || uberblock.root.isEmbedded()) {
        return fail(ErrorCode::BadUberblock, "uberblock that points nowhere");
    }
    if (auto valid = uberblock.root.validate(); !valid) {
        return fail(ErrorCode::BadUberblock,
                    "uberblock with a broken pointer: " + valid.error().what());
    }
    return {};
}

} // namespace

Result<Uberblock> Uberblock::decode(Bytes slot)
{
    if (slot.size() < kBytes) {
        return fail(ErrorCode::BadUberblock, fmt::format("{} bytes are no uberblock", slot.size()));
    }
    const ByteOrder order = MP_TRY(orderOf(slot));
    const auto word = [&](std::size_t at) { return load<std::uint64_t>(slot, at, order); };
    Uberblock uberblock;
    uberblock.order = order;
    uberblock.version = word(8);
    uberblock.txg = Txg(word(16));
    uberblock.guidSum = word(24);
    uberblock.timestamp = word(32);
    uberblock.root = BlockPointer::at(slot, kRootOffset, order);
    uberblock.softwareVersion = word(168);
    uberblock.mmpMagic = word(176);
    uberblock.mmpDelay = word(184);
    uberblock.mmpConfig = word(192);
    uberblock.checkpointTxg = word(200);
    uberblock.raidzReflow = word(208);
    MP_TRY(check(uberblock));
    return uberblock;
}

void Uberblock::encode(MutableBytes slot) const
{
    MP_CHECK(slot.size() >= kBytes);
    const auto put = [&](std::size_t at, std::uint64_t value) { store(slot, at, value, order); };
    put(0, kMagic);
    put(8, version);
    put(16, txg.value());
    put(24, guidSum);
    put(32, timestamp);
    root.encode(slot.subspan(kRootOffset), order);
    put(168, softwareVersion);
    put(176, mmpMagic);
    put(184, mmpDelay);
    put(192, mmpConfig);
    put(200, checkpointTxg);
    put(208, raidzReflow);
}

std::optional<std::uint64_t> Uberblock::mmpIntervalMs() const
{
    if (!hasMmp() || (mmpConfig & kMmpIntervalValid) == 0) {
        return std::nullopt;
    }
    return bits(mmpConfig, 8, 24);
}

std::optional<std::uint64_t> Uberblock::mmpSequence() const
{
    if (!hasMmp() || (mmpConfig & kMmpSequenceValid) == 0) {
        return std::nullopt;
    }
    return bits(mmpConfig, 32, 16);
}

std::optional<std::uint64_t> Uberblock::mmpFailIntervals() const
{
    if (!hasMmp() || (mmpConfig & kMmpFailIntervalsValid) == 0) {
        return std::nullopt;
    }
    return bits(mmpConfig, 48, 16);
}

ByteOffset Uberblock::reflowOffset() const
{
    return ByteOffset(bits(raidzReflow, 0, 55) << kSectorShift);
}

std::strong_ordering Uberblock::compareAge(const Uberblock& other) const
{
    if (const auto byTxg = txg <=> other.txg; byTxg != 0) {
        return byTxg;
    }
    if (const auto byTime = timestamp <=> other.timestamp; byTime != 0) {
        return byTime;
    }
    return mmpSequence().value_or(0) <=> other.mmpSequence().value_or(0);
}

std::string Uberblock::toText() const
{
    std::string text = fmt::format("uberblock {} version={} txg={} guid_sum={} timestamp={} "
                                   "software={} checkpoint={} root={}",
                                   order == ByteOrder::Little ? "LE" : "BE",
                                   version,
                                   txg.value(),
                                   guidSum,
                                   timestamp,
                                   softwareVersion,
                                   checkpointTxg,
                                   root.toText());
    if (hasMmp()) {
        text += fmt::format(" mmp delay={} config={:#x}", mmpDelay, mmpConfig);
    }
    if (raidzReflow != 0) {
        text += fmt::format(
            " reflow state={} offset={:#x}", reflowScratchState(), reflowOffset().value());
    }
    return text;
}

} // namespace millpond::format
