// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace millpond::format {

namespace {

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadLog, std::move(what));
}

// By number, as `zpool history -i` shows them. OpenZFS: cmd/zpool, module/zfs/spa_history.c of pool
// version 28.
constexpr std::array<std::string_view, 41> kEventNames = {
    "invalid event",
    "pool create",
    "vdev add",
    "pool remove",
    "pool destroy",
    "pool export",
    "pool import",
    "vdev attach",
    "vdev replace",
    "vdev detach",
    "vdev online",
    "vdev offline",
    "vdev upgrade",
    "pool clear",
    "pool scrub",
    "pool property set",
    "create",
    "clone",
    "destroy",
    "destroy_begin_sync",
    "inherit",
    "property set",
    "quota set",
    "permission update",
    "permission remove",
    "permission who remove",
    "promote",
    "receive",
    "rename",
    "reservation set",
    "replay_inc_sync",
    "replay_full_sync",
    "rollback",
    "snapshot",
    "filesystem version upgrade",
    "refquota set",
    "refreservation set",
    "pool scrub done",
    "user hold",
    "user release",
    "pool split",
};

} // namespace

Result<HistoryPhys> HistoryPhys::decode(Bytes bonus, ByteOrder order)
{
    if (bonus.size() < kBytes) {
        return bad(fmt::format("{} bytes are no history", bonus.size()));
    }
    const auto word = [&](std::size_t index) {
        return load<std::uint64_t>(bonus, index * 8, order);
    };
    const HistoryPhys history{word(0), word(1), word(2), word(3), word(4)};
    const bool ordered = history.poolCreateEnd <= history.physicalMaximum &&
                         history.begin >= history.poolCreateEnd && history.end >= history.begin;
    if (!ordered || history.end - history.begin > history.physicalMaximum - history.poolCreateEnd) {
        return bad(fmt::format("history from {} to {} in a ring from {} to {}",
                               history.begin,
                               history.end,
                               history.poolCreateEnd,
                               history.physicalMaximum));
    }
    return history;
}

void HistoryPhys::encode(MutableBytes out, ByteOrder order) const
{
    MP_CHECK(out.size() >= kBytes);
    store(out, 0, poolCreateEnd, order);
    store(out, 8, physicalMaximum, order);
    store(out, 16, begin, order);
    store(out, 24, end, order);
    store(out, 32, recordsLost, order);
}

std::uint64_t HistoryPhys::physical(std::uint64_t logical) const
{
    const std::uint64_t ring = physicalMaximum - poolCreateEnd;
    if (logical < poolCreateEnd || ring == 0) {
        return std::min(logical, poolCreateEnd);
    }
    return (logical - poolCreateEnd) % ring + poolCreateEnd;
}

std::string_view historyEventName(std::uint64_t event)
{
    return event < kEventNames.size() ? kEventNames[event] : std::string_view();
}

Result<std::optional<NvList>> HistoryReader::next()
{
    constexpr std::size_t kLengthBytes = 8;
    const Bytes rest = m_bytes.subspan(m_position);
    if (rest.size() < kLengthBytes) {
        return std::optional<NvList>();
    }
    const auto length = load<std::uint64_t>(rest, 0, ByteOrder::Little);
    if (length == 0 || length > kMaxRecordBytes) {
        return bad(fmt::format("history record of {} bytes", length));
    }
    if (length > rest.size() - kLengthBytes) {
        return std::optional<NvList>();
    }
    m_position += kLengthBytes + length;
    return std::optional(MP_TRY(NvList::decode(rest.subspan(kLengthBytes, length))));
}

} // namespace millpond::format
