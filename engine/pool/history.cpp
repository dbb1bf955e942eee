// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/history.h"

#include "format/dsl.h"
#include "format/history.h"

#include <algorithm>

namespace millpond::pool {

namespace {
/// Pools keep at most 1 GiB of history; what is shown of it fits in memory: the newest part.
constexpr std::uint64_t kMaxBytes = 32 * MiB;

Status append(object::ObjectSet& mos,
              const object::Dnode& dnode,
              std::uint64_t from,
              std::uint64_t to,
              std::vector<std::byte>& bytes)
{
    const std::size_t old = bytes.size();
    bytes.resize(old + static_cast<std::size_t>(to - from));
    return mos.read(dnode, ByteOffset(from), MutableBytes(bytes).subspan(old));
}

void takeRecords(const std::vector<std::byte>& bytes, History& history)
{
    format::HistoryReader reader(bytes);
    while (true) {
        auto record = reader.next();
        if (!record) {
            history.damage = record.error().toText();
            return;
        }
        if (!*record) {
            return;
        }
        history.records.push_back(std::move(**record));
    }
}

/// The ring in logical order, in at most two pieces.
Status readRing(object::ObjectSet& mos,
                const object::Dnode& dnode,
                const format::HistoryPhys& phys,
                std::vector<std::byte>& bytes)
{
    std::uint64_t at = phys.begin;
    while (at < phys.end) {
        const std::uint64_t physical = phys.physical(at);
        const std::uint64_t piece = std::min(phys.end - at, phys.physicalMaximum - physical);
        MP_TRY(append(mos, dnode, physical, physical + piece, bytes));
        at += piece;
    }
    return {};
}
} // namespace

Result<History> readHistory(const Mos& mos)
{
    History history;
    const auto object = MP_TRY(mos.number(format::kPoolHistory));
    if (!object || *object == 0) {
        return history;
    }
    const object::DnodeRef dnode = MP_TRY(mos.objset().dnode(ObjectId(*object)));
    const auto phys = MP_TRY(format::HistoryPhys::decode(dnode->bonus, dnode->order));
    history.lost = phys.recordsLost;
    if (phys.bytes() > kMaxBytes) {
        return fail(
            ErrorCode::TooLarge, "the pool's history is longer than 32 MiB", {.object = dnode->id});
    }
    std::vector<std::byte> bytes;
    MP_TRY(append(mos.objset(), *dnode, 0, phys.poolCreateEnd, bytes));
    MP_TRY(readRing(mos.objset(), *dnode, phys, bytes));
    takeRecords(bytes, history);
    return history;
}

} // namespace millpond::pool
