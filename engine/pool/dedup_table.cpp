// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/dedup_table.h"

#include "codec/compression.h"

#include <algorithm>
#include <map>

namespace millpond::pool {

namespace {
constexpr format::DdtClass kClasses[] = {
    format::DdtClass::Ditto, format::DdtClass::Duplicate, format::DdtClass::Unique};

using Names = std::function<Result<std::optional<std::uint64_t>>(std::string_view)>;

/// With fast_dedup a table has a directory of its own, else its objects stand in the pool's.
Result<Names> namesOf(const Mos& mos, format::ChecksumType checksum)
{
    const auto directory = MP_TRY(mos.number(format::ddtDirectoryName(checksum)));
    if (!directory) {
        return Names([&mos](std::string_view name) { return mos.number(name); });
    }
    auto zap = std::make_shared<object::Zap>(
        MP_TRY(object::Zap::open(mos.objset(), ObjectId(*directory))));
    return Names([zap](std::string_view name) -> Result<std::optional<std::uint64_t>> {
        auto found = zap->number(name);
        if (!found && !found.error().is(ErrorCode::NoSuchEntry)) {
            return fail(std::move(found).error());
        }
        return found ? std::optional(*found) : std::nullopt;
    });
}

Result<format::DdtEntry> decodeStored(const object::ZapEntry& entry)
{
    std::vector<std::byte> value(entry.values.size());
    std::transform(entry.values.begin(), entry.values.end(), value.begin(), [](std::uint64_t byte) {
        return static_cast<std::byte>(byte);
    });
    const auto stored = MP_TRY(format::DdtStoredValue::decode(value));
    // An entry is of one of two sizes; the compressed form does not tell which.
    for (const std::size_t size : {format::DdtEntry::kFlatBytes, format::DdtEntry::kLegacyBytes}) {
        std::vector<std::byte> words(size);
        if (stored.compression == format::CompressionType::Off) {
            return format::DdtEntry::decode(stored.compressed, stored.order);
        }
        if (codec::decompress(static_cast<codec::CompressionAlgorithm>(stored.compression),
                              stored.compressed,
                              words)) {
            return format::DdtEntry::decode(words, stored.order);
        }
    }
    return fail(ErrorCode::BadCompression, "a dedup table entry that can't be decompressed");
}

Status
addLog(const Mos& mos, ObjectId log, const std::function<void(const format::DdtLogRecord&)>& visit)
{
    object::ObjectSet& objset = mos.objset();
    const object::DnodeRef dnode = MP_TRY(objset.dnode(log));
    const auto header = MP_TRY(format::DdtLogHeader::decode(dnode->bonus, dnode->order));
    for (std::uint64_t block = 0; block * dnode->dataBlockBytes < header.length; ++block) {
        const object::ObjectSet::Block bytes = MP_TRY(objset.readBlock(*dnode, BlockIndex(block)));
        if (bytes.data == nullptr) {
            continue;
        }
        for (const auto& record :
             MP_TRY(format::DdtLogRecord::decodeBlock(bytes.data->bytes(), bytes.order))) {
            visit(record);
        }
    }
    return {};
}

Status forEachStored(const Mos& mos,
                     ObjectId table,
                     const std::map<format::DdtKey, format::DdtEntry>& logged,
                     const std::function<Status(const format::DdtEntry&)>& visit)
{
    const object::Zap zap = MP_TRY(object::Zap::open(mos.objset(), table));
    return zap.forEach([&](const object::ZapEntry& entry) -> Result<bool> {
        const format::DdtKey key = MP_TRY(format::DdtKey::decode(entry.key));
        if (!logged.contains(key)) {
            MP_TRY(visit(MP_TRY(decodeStored(entry))));
        }
        return true;
    });
}
} // namespace

Status forEachDedupLogRecord(const Mos& mos,
                             format::ChecksumType checksum,
                             const std::function<void(const format::DdtLogRecord&)>& visit)
{
    if (!MP_TRY(mos.number(format::ddtDirectoryName(checksum)))) {
        return {}; // Logs came with the directory.
    }
    const Names number = MP_TRY(namesOf(mos, checksum));
    for (unsigned index = 0; index < 2; ++index) {
        if (const auto log = MP_TRY(number(format::ddtLogName(checksum, index)))) {
            MP_TRY(addLog(mos, ObjectId(*log), visit));
        }
    }
    return {};
}

Result<DedupTableSize> dedupTableSize(const Mos& mos, format::ChecksumType checksum)
{
    const Names number = MP_TRY(namesOf(mos, checksum));
    DedupTableSize size;
    for (const auto ddtClass : kClasses) {
        if (const auto table = MP_TRY(number(format::ddtObjectName(checksum, ddtClass)))) {
            const object::DnodeRef dnode = MP_TRY(mos.objset().dnode(ObjectId(*table)));
            size.diskBytes += dnode->usedBytes;
            for (const format::BlockPointer& pointer : dnode->pointers) {
                size.memoryBytes += pointer.fill() * dnode->dataBlockBytes;
            }
        }
    }
    return size;
}

Status forEachDedupEntry(const Mos& mos,
                         format::ChecksumType checksum,
                         const std::function<Status(const format::DdtEntry&)>& visit)
{
    std::map<format::DdtKey, format::DdtEntry> logged;
    MP_TRY(forEachDedupLogRecord(mos, checksum, [&](const format::DdtLogRecord& record) {
        logged.insert_or_assign(record.key, record.entry);
    }));
    const Names number = MP_TRY(namesOf(mos, checksum));
    for (const auto ddtClass : kClasses) {
        if (const auto table = MP_TRY(number(format::ddtObjectName(checksum, ddtClass)))) {
            MP_TRY(forEachStored(mos, ObjectId(*table), logged, visit));
        }
    }
    for (const auto& [key, entry] : logged) {
        MP_TRY(visit(entry));
    }
    return {};
}

} // namespace millpond::pool
