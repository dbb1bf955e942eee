// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/history_writer.h"

#include "format/dsl.h"
#include "object/zap_writer.h"

#include <algorithm>

// Sources: OpenZFS module/zfs/spa_history.c.

namespace millpond::pool {

using format::HistoryPhys;
using format::NvList;
using format::ObjectType;

namespace {
constexpr std::uint64_t kMinBytes = 128 * KiB;
constexpr std::uint64_t kMaxBytes = 1 * GiB;
constexpr std::uint64_t kShareOfPool = 1000;
constexpr std::uint32_t kBlockBytes = 128 * 1024;
constexpr std::size_t kLengthBytes = sizeof(std::uint64_t);
/// Longer commands are cut: one record must not push all others out.
constexpr std::size_t kMaxCommand = 8 * 1024;
} // namespace

Status HistoryWriter::create(std::uint64_t poolBytes, Txg txg)
{
    const HistoryPhys phys{.physicalMaximum =
                               std::clamp(poolBytes / kShareOfPool, kMinBytes, kMaxBytes)};
    std::array<std::byte, HistoryPhys::kBytes> bonus{};
    phys.encode(bonus);
    m_object = MP_TRY(m_mos.allocateObject(
        txg,
        object::ObjectSpec{.type = format::number(ObjectType::History),
                           .bonusType = format::number(ObjectType::HistoryOffsets),
                           .bonus = bonus,
                           .dataBlockBytes = kBlockBytes}));
    object::ZapWriter zaps(m_mos, txg);
    return zaps.add(format::kPoolDirectoryObject, format::kPoolHistory, m_object.value());
}

NvList HistoryWriter::newRecord() const
{
    NvList record;
    record.setU64(format::kHistoryTime,
                  static_cast<std::uint64_t>(
                      std::chrono::duration_cast<std::chrono::seconds>(m_clock.wall()).count()));
    record.setText(format::kHistoryHost, m_host);
    return record;
}

Status HistoryWriter::addCommand(std::string_view command, std::uint64_t user, Txg txg)
{
    NvList record = newRecord();
    record.setText(format::kHistoryCommand, command.substr(0, kMaxCommand));
    record.setU64(format::kHistoryWho, user);
    return add(record, true, txg);
}

Status HistoryWriter::addEvent(const InternalEvent& event, Txg txg)
{
    NvList record = newRecord();
    record.setText(format::kHistoryInternalName, event.name);
    record.setU64(format::kHistoryTxg, txg.value());
    record.setText(format::kHistoryInternalText, event.text);
    if (!event.dataset.empty()) {
        record.setText(format::kHistoryDatasetName, event.dataset);
        record.setU64(format::kHistoryDatasetId, event.objset.value());
    }
    return add(record, false, txg);
}

Status HistoryWriter::add(const NvList& record, bool isCommand, Txg txg)
{
    if (m_object.value() == 0) {
        return {};
    }
    const std::vector<std::byte> packed = record.encode();
    std::vector<std::byte> bytes(kLengthBytes);
    store<std::uint64_t>(bytes, 0, packed.size(), ByteOrder::Little);
    bytes.insert(bytes.end(), packed.begin(), packed.end());

    const object::DnodeRef dnode = MP_TRY(m_mos.dnode(m_object));
    HistoryPhys phys = MP_TRY(HistoryPhys::decode(dnode->bonus, dnode->order));
    const std::uint64_t ring = phys.physicalMaximum - phys.poolCreateEnd;
    if (bytes.size() >= ring) {
        return {}; // it never fits
    }
    while (ring - (phys.end - phys.begin) <= bytes.size()) {
        MP_TRY(dropOldest(*dnode, phys));
    }
    MP_TRY(write(phys, bytes, txg));
    phys.end += bytes.size();
    if (isCommand && phys.poolCreateEnd == 0) {
        phys.poolCreateEnd = phys.end;
        phys.begin = phys.end;
    }
    std::vector<std::byte> bonus(HistoryPhys::kBytes);
    phys.encode(bonus, dnode->order);
    return m_mos.setBonus(txg, m_object, dnode->bonusType, bonus);
}

Status HistoryWriter::dropOldest(const object::Dnode& dnode, HistoryPhys& phys) const
{
    std::array<std::byte, kLengthBytes> length{};
    const std::uint64_t at = phys.physical(phys.begin);
    const std::uint64_t first = std::min<std::uint64_t>(kLengthBytes, phys.physicalMaximum - at);
    const MutableBytes all(length);
    MP_TRY(m_mos.read(dnode, ByteOffset(at), all.first(static_cast<std::size_t>(first))));
    if (first < kLengthBytes) {
        MP_TRY(m_mos.read(
            dnode, ByteOffset(phys.poolCreateEnd), all.subspan(static_cast<std::size_t>(first))));
    }
    const auto record = load<std::uint64_t>(length, 0, ByteOrder::Little);
    const std::uint64_t held = phys.end - phys.begin;
    if (record > held || held - record < kLengthBytes) {
        phys.begin = phys.end; // damaged: begin anew
    } else {
        phys.begin += kLengthBytes + record;
    }
    ++phys.recordsLost;
    return {};
}

Status HistoryWriter::write(const HistoryPhys& phys, Bytes bytes, Txg txg)
{
    const std::uint64_t at = phys.physical(phys.end);
    const std::size_t first =
        static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), phys.physicalMaximum - at));
    MP_TRY(m_mos.write(txg, m_object, ByteOffset(at), bytes.first(first)));
    return first == bytes.size()
               ? Status()
               : m_mos.write(txg, m_object, ByteOffset(phys.poolCreateEnd), bytes.subspan(first));
}

} // namespace millpond::pool
