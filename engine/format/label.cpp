// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/label.h"

#include "base/cursor.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::format {

namespace {

constexpr unsigned kMinSlotShift = 10;
constexpr unsigned kMaxSlotShift = 13;

constexpr std::array<std::string_view, 8> kPoolStateNames = {"ACTIVE",
                                                             "EXPORTED",
                                                             "DESTROYED",
                                                             "SPARE",
                                                             "L2CACHE",
                                                             "UNINITIALIZED",
                                                             "UNAVAIL",
                                                             "POTENTIALLY_ACTIVE"};

} // namespace

Result<ByteOffset> labelOffset(ByteCount deviceSize, std::size_t label)
{
    MP_CHECK(label < kLabels);
    const std::uint64_t size = labelledSize(deviceSize.value());
    if (size < kLabels * kLabelBytes) {
        return fail(ErrorCode::BadLabel,
                    fmt::format("a device of {} bytes has no room for labels", deviceSize.value()));
    }
    const std::uint64_t front = label < kLabels / 2 ? 0 : size - kLabels * kLabelBytes;
    return ByteOffset(front + label * kLabelBytes);
}

Result<ByteCount> allocatableSize(ByteCount deviceSize)
{
    const std::uint64_t size = labelledSize(deviceSize.value());
    if (size <= kLabelStartBytes + kLabelEndBytes) {
        return fail(ErrorCode::DeviceTooSmall,
                    fmt::format("a device of {} bytes has no room for data", deviceSize.value()));
    }
    return ByteCount(size - kLabelStartBytes - kLabelEndBytes);
}

UberblockRing::UberblockRing(Ashift ashift)
    : slotBytes(
          std::size_t{1} << std::clamp<unsigned>(ashift.value(), kMinSlotShift, kMaxSlotShift))
    , slots(kUberblockRingBytes / slotBytes)
{
}

Result<EmbeddedChecksum> EmbeddedChecksum::decode(Bytes block)
{
    if (block.size() < kBytes) {
        return fail(ErrorCode::BadLabel, "no room for an embedded checksum");
    }
    const Bytes tail = block.last(kBytes);
    EmbeddedChecksum checksum;
    if (load<std::uint64_t>(tail, 0, ByteOrder::Little) == kMagic) {
        checksum.order = ByteOrder::Little;
    } else if (load<std::uint64_t>(tail, 0, ByteOrder::Big) == kMagic) {
        checksum.order = ByteOrder::Big;
    } else {
        return fail(ErrorCode::BadLabel, "no embedded checksum");
    }
    for (std::size_t i = 0; i < checksum.words.size(); ++i) {
        checksum.words[i] = load<std::uint64_t>(tail, 8 + i * 8, checksum.order);
    }
    return checksum;
}

void EmbeddedChecksum::encode(MutableBytes block) const
{
    MP_CHECK(block.size() >= kBytes);
    const MutableBytes tail = block.last(kBytes);
    store<std::uint64_t>(tail, 0, kMagic, order);
    for (std::size_t i = 0; i < words.size(); ++i) {
        store(tail, 8 + i * 8, words[i], order);
    }
}

Result<NvList> decodeLabelNvlist(Bytes region)
{
    if (region.size() != kLabelNvlistBytes) {
        return fail(ErrorCode::BadLabel,
                    fmt::format("{} bytes are no label configuration", region.size()));
    }
    return NvList::decode(region.first(kLabelNvlistBytes - EmbeddedChecksum::kBytes));
}

std::string_view poolStateName(PoolState state)
{
    const auto index = static_cast<std::uint64_t>(state);
    return index < kPoolStateNames.size() ? kPoolStateNames[index] : "UNKNOWN";
}

Result<BootEnvironment> BootEnvironment::decode(Bytes area)
{
    if (area.size() != kBootEnvBytes) {
        return fail(ErrorCode::BadLabel,
                    fmt::format("{} bytes are no boot environment", area.size()));
    }
    // Written in the writer's order, but the kinds are so few that either order tells.
    std::uint64_t kind = load<std::uint64_t>(area, 0, ByteOrder::Little);
    if (kind > 1) {
        kind = load<std::uint64_t>(area, 0, ByteOrder::Big);
    }
    const Bytes content = area.subspan(8, kBootEnvBytes - 8 - EmbeddedChecksum::kBytes);
    BootEnvironment environment;
    environment.kind = BootEnvironmentKind(kind);
    switch (environment.kind) {
    case BootEnvironmentKind::RawText:
        environment.text = std::string(textOf(content));
        return environment;
    case BootEnvironmentKind::Nvlist:
        environment.list = MP_TRY(NvList::decode(content));
        return environment;
    }
    return fail(ErrorCode::BadLabel, fmt::format("boot environment of unknown kind {}", kind));
}

} // namespace millpond::format
