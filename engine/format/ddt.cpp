// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/ddt.h"

#include "format/dnode.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::format {

namespace {

constexpr std::uint8_t kFunctionMask = 0x7f;
constexpr std::uint8_t kLittleEndianBit = 0x80;
constexpr std::size_t kLegacyVariantBytes = 64;
constexpr std::size_t kRecordHeaderBytes = 8;
constexpr std::array<std::string_view, kDdtClasses> kClassNames = {"ditto", "duplicate", "unique"};

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadBlockPointer, std::move(what));
}

DdtPhys physAt(Bytes bytes, ByteOrder order)
{
    const auto word = [&](std::size_t index) {
        return load<std::uint64_t>(bytes, index * 8, order);
    };
    DdtPhys phys;
    for (std::size_t i = 0; i < phys.dvas.size(); ++i) {
        phys.dvas[i] = Dva::decode(word(i * 2), word(i * 2 + 1));
    }
    phys.references = word(6);
    phys.physicalBirth = Txg(word(7));
    return phys;
}

std::uint64_t placeWord(const Dva& dva)
{
    return std::uint64_t{dva.vdev.value()} << 32 | dva.allocated.value() >> kSectorShift;
}

std::uint64_t offsetWord(const Dva& dva)
{
    return std::uint64_t{dva.gang ? 1U : 0U} << 63 | dva.offset.value() >> kSectorShift;
}

} // namespace

std::string ddtObjectName(ChecksumType checksum, DdtClass ddtClass)
{
    const auto index = static_cast<std::size_t>(ddtClass);
    MP_CHECK(index < kClassNames.size());
    return fmt::format("DDT-{}-zap-{}", checksumName(checksum), kClassNames[index]);
}

std::string ddtDirectoryName(ChecksumType checksum)
{
    return fmt::format("DDT-{}", checksumName(checksum));
}

std::string ddtLogName(ChecksumType checksum, unsigned index)
{
    return fmt::format("DDT-log-{}-{}", checksumName(checksum), index);
}

ByteCount DdtKey::logicalSize() const
{
    return ByteCount((bits(properties, 0, 16) + 1) << kSectorShift);
}

ByteCount DdtKey::physicalSize() const
{
    return ByteCount((bits(properties, 16, 16) + 1) << kSectorShift);
}

Result<DdtKey> DdtKey::decode(std::span<const std::uint64_t> words)
{
    if (words.size() != kWords) {
        return bad(fmt::format("dedup key of {} words", words.size()));
    }
    return DdtKey{{words[0], words[1], words[2], words[3]}, words[4]};
}

Result<DdtKey> DdtKey::decode(Bytes bytes, ByteOrder order)
{
    if (bytes.size() < kBytes) {
        return bad(fmt::format("dedup key of {} bytes", bytes.size()));
    }
    std::array<std::uint64_t, kWords> words{};
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = load<std::uint64_t>(bytes, i * 8, order);
    }
    return decode(words);
}

DdtKey DdtKey::of(const BlockPointer& pointer)
{
    const std::uint64_t properties =
        bits(pointer.words[6], 0, 39) | std::uint64_t{pointer.usesCrypt() ? 1U : 0U} << 39;
    return {pointer.checksum(), properties};
}

Result<DdtEntry> DdtEntry::decode(Bytes bytes, ByteOrder order)
{
    DdtEntry entry;
    if (bytes.size() == kFlatBytes) {
        entry.flat = true;
        entry.variants.push_back(physAt(bytes, order));
        entry.variants[0].classStart = load<std::uint64_t>(bytes, 64, order);
        return entry;
    }
    if (bytes.size() != kLegacyBytes) {
        return bad(fmt::format("dedup entry of {} bytes", bytes.size()));
    }
    for (std::size_t i = 0; i < kLegacyVariants; ++i) {
        entry.variants.push_back(
            physAt(bytes.subspan(i * kLegacyVariantBytes, kLegacyVariantBytes), order));
    }
    return entry;
}

BlockPointer DdtEntry::pointer(const DdtKey& key, ChecksumType checksum, std::size_t variant) const
{
    MP_CHECK(variant < variants.size());
    const DdtPhys& phys = variants[variant];
    BlockPointer pointer;
    for (std::size_t i = 0; i < BlockPointer::kDvas; ++i) {
        pointer.words[i * 2] = placeWord(phys.dvas[i]);
        pointer.words[i * 2 + 1] = offsetWord(phys.dvas[i]);
    }
    constexpr std::uint64_t kDedupBit = std::uint64_t{1} << 62;
    const std::uint64_t little = kHostOrder == ByteOrder::Little ? 1 : 0;
    pointer.words[6] = bits(key.properties, 0, 39) | static_cast<std::uint64_t>(checksum) << 40 |
                       std::uint64_t{number(ObjectType::Dedup)} << 48 |
                       std::uint64_t{key.encrypted() ? 1U : 0U} << 61 | kDedupBit | little << 63;
    pointer.words[10] = phys.physicalBirth.value();
    pointer.words[11] = 1;
    std::ranges::copy(key.checksum, pointer.words.begin() + 12);
    return pointer;
}

std::string DdtEntry::toText() const
{
    std::string text = flat ? "flat dedup entry" : "dedup entry";
    for (std::size_t i = 0; i < variants.size(); ++i) {
        if (variants[i].references != 0) {
            text += fmt::format(" [{}] refs={} birth={} at {}",
                                i,
                                variants[i].references,
                                variants[i].physicalBirth.value(),
                                variants[i].dvas[0].toText());
        }
    }
    return text;
}

Result<DdtStoredValue> DdtStoredValue::decode(Bytes value)
{
    if (value.empty()) {
        return bad("empty dedup entry");
    }
    const auto head = static_cast<std::uint8_t>(value[0]);
    return DdtStoredValue{CompressionType(head & kFunctionMask),
                          (head & kLittleEndianBit) != 0 ? ByteOrder::Little : ByteOrder::Big,
                          value.subspan(1)};
}

Result<DdtLogHeader> DdtLogHeader::decode(Bytes bonus, ByteOrder order)
{
    if (bonus.size() < kBytes) {
        return bad(fmt::format("{} bytes are no dedup log", bonus.size()));
    }
    const auto info = load<std::uint64_t>(bonus, 0, order);
    DdtLogHeader header;
    header.version = static_cast<std::uint8_t>(bits(info, 0, 8));
    header.flags = static_cast<std::uint8_t>(bits(info, 8, 8));
    header.length = load<std::uint64_t>(bonus, 8, order);
    header.firstTxg = Txg(load<std::uint64_t>(bonus, 16, order));
    header.checkpoint = MP_TRY(DdtKey::decode(bonus.subspan(24), order));
    return header;
}

Result<std::vector<DdtLogRecord>> DdtLogRecord::decodeBlock(Bytes block, ByteOrder order)
{
    std::vector<DdtLogRecord> records;
    while (block.size() >= kRecordHeaderBytes) {
        const auto info = load<std::uint64_t>(block, 0, order);
        const std::uint64_t type = bits(info, 0, 8);
        const std::size_t length = bits(info, 8, 16);
        if (type == 0) {
            break;
        }
        if (type != 1 || length < kRecordHeaderBytes + DdtKey::kBytes || length > block.size()) {
            return bad(fmt::format("dedup log record of type {} with {} bytes", type, length));
        }
        const std::uint64_t ddtClass = bits(info, 56, 8);
        if (ddtClass >= kDdtClasses) {
            return bad(fmt::format("dedup log record of class {}", ddtClass));
        }
        const Bytes payload = block.first(length).subspan(kRecordHeaderBytes);
        DdtLogRecord record;
        record.storageType = static_cast<std::uint8_t>(bits(info, 48, 8));
        record.ddtClass = DdtClass(ddtClass);
        record.key = MP_TRY(DdtKey::decode(payload, order));
        record.entry = MP_TRY(DdtEntry::decode(payload.subspan(DdtKey::kBytes), order));
        records.push_back(std::move(record));
        block = block.subspan(length);
    }
    return records;
}

} // namespace millpond::format
