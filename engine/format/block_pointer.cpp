// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/block_pointer.h"

#include "format/dnode.h"

#include <fmt/format.h>

namespace millpond::format {

namespace {

constexpr std::size_t kPropertyWord = 6;
constexpr std::size_t kPhysicalBirthWord = 9;
constexpr std::size_t kBirthWord = 10;
constexpr std::size_t kFillWord = 11;
constexpr std::size_t kEncryptedDvas = 2; ///< the third holds salt and IV
/// DVA offsets are 63 bits of sectors on disk; bytes must fit 63 bits.
constexpr std::uint64_t kMaxOffsetSectors = std::uint64_t{1} << 54;

constexpr std::array<std::string_view, kChecksumTypes> kChecksumNames = {
    "inherit",
    "on",
    "off",
    "label",
    "gang_header",
    "zilog",
    "fletcher2",
    "fletcher4",
    "sha256",
    "zilog2",
    "noparity",
    "sha512",
    "skein",
    "edonr",
    "blake3",
};

constexpr std::array<std::string_view, kCompressionTypes> kCompressionNames = {
    "inherit",
    "on",
    "uncompressed",
    "lzjb",
    "empty",
    "gzip-1",
    "gzip-2",
    "gzip-3",
    "gzip-4",
    "gzip-5",
    "gzip-6",
    "gzip-7",
    "gzip-8",
    "gzip-9",
    "zle",
    "lz4",
    "zstd",
};

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadBlockPointer, std::move(what));
}

Status checkDva(const Dva& dva, const BlockPointer& pointer, std::uint32_t vdevs, std::size_t index)
{
    const std::uint64_t sectors = bits(pointer.words[index * 2 + 1], 0, 63);
    if (sectors >= kMaxOffsetSectors) {
        return bad(fmt::format("copy {} at impossible offset {:#x} sectors", index, sectors));
    }
    if (dva.vdev.value() >= vdevs) {
        return bad(fmt::format("copy {} on unknown vdev {}", index, dva.vdev.value()));
    }
    if (!dva.gang && dva.allocated < pointer.physicalSize()) {
        return bad(fmt::format("copy {} has {} bytes allocated for {} stored",
                               index,
                               dva.allocated.value(),
                               pointer.physicalSize().value()));
    }
    return {};
}

Status checkEmbedded(const BlockPointer& pointer)
{
    if (pointer.embeddedType() == EmbeddedType::Redacted) {
        return {};
    }
    if (pointer.embeddedType() != EmbeddedType::Data) {
        return bad(fmt::format("unknown kind of embedded data {}",
                               static_cast<unsigned>(pointer.embeddedType())));
    }
    if (auto payload = pointer.embeddedPayload(); !payload) {
        return fail(std::move(payload).error());
    }
    return {};
}

Status checkStored(const BlockPointer& pointer, std::uint32_t vdevs)
{
    const auto checksum = static_cast<std::uint8_t>(pointer.checksumType());
    if (checksum >= kChecksumTypes || checksum < static_cast<std::uint8_t>(ChecksumType::Off)) {
        return bad(fmt::format("unknown checksum {}", checksum));
    }
    if (pointer.physicalSize() > pointer.logicalSize()) {
        return bad(fmt::format("stored size {} exceeds logical size {}",
                               pointer.physicalSize().value(),
                               pointer.logicalSize().value()));
    }
    const std::size_t copies = pointer.dvaCount();
    if (copies == 0) {
        return bad("no copy is allocated");
    }
    for (std::size_t i = 0; i < copies; ++i) {
        const Dva dva = pointer.dva(i);
        if (dva.allocated.value() == 0) {
            return bad(fmt::format("copy {} is missing before a later one", i));
        }
        MP_TRY(checkDva(dva, pointer, vdevs, i));
    }
    return {};
}

std::string copiesText(const BlockPointer& pointer)
{
    std::string text;
    for (std::size_t i = 0; i < pointer.dvaCount(); ++i) {
        text += fmt::format("DVA[{}]=<{}> ", i, pointer.dva(i).toText());
    }
    return text;
}

} // namespace

std::string_view checksumName(ChecksumType type)
{
    const auto index = static_cast<std::size_t>(type);
    return index < kChecksumNames.size() ? kChecksumNames[index] : "unknown";
}

std::string_view compressionName(CompressionType type)
{
    const auto index = static_cast<std::size_t>(type);
    return index < kCompressionNames.size() ? kCompressionNames[index] : "unknown";
}

Dva Dva::decode(std::uint64_t place, std::uint64_t offset)
{
    return {VdevId(static_cast<std::uint32_t>(bits(place, 32, 24))),
            ByteOffset(bits(offset, 0, 63) << kSectorShift),
            ByteCount(bits(place, 0, 24) << kSectorShift),
            bits(offset, 63, 1) != 0};
}

std::string Dva::toText() const
{
    return fmt::format(
        "{}:{:x}:{:x}{}", vdev.value(), offset.value(), allocated.value(), gang ? " gang" : "");
}

BlockPointer BlockPointer::at(Bytes bytes, std::size_t offset, ByteOrder order)
{
    MP_DCHECK(offset + kBytes <= bytes.size());
    BlockPointer pointer;
    for (std::size_t i = 0; i < pointer.words.size(); ++i) {
        pointer.words[i] = load<std::uint64_t>(bytes, offset + i * 8, order);
    }
    return pointer;
}

Result<BlockPointer> BlockPointer::decode(Bytes bytes, ByteOrder order)
{
    if (bytes.size() < kBytes) {
        return bad(fmt::format("{} bytes are no block pointer", bytes.size()));
    }
    return at(bytes, 0, order);
}

void BlockPointer::encode(MutableBytes out, ByteOrder order) const
{
    MP_CHECK(out.size() >= kBytes);
    for (std::size_t i = 0; i < words.size(); ++i) {
        store(out, i * 8, words[i], order);
    }
}

bool BlockPointer::isEncrypted() const
{
    return usesCrypt() && level().value() == 0 && isEncryptedType(type());
}

bool BlockPointer::isAuthenticated() const
{
    return usesCrypt() && level().value() == 0 && !isEncryptedType(type());
}

bool BlockPointer::hasIndirectMacChecksum() const
{
    return usesCrypt() && level().value() > 0;
}

ByteCount BlockPointer::logicalSize() const
{
    if (!isEmbedded()) {
        return ByteCount((bits(words[kPropertyWord], 0, 16) + 1) << kSectorShift);
    }
    return embeddedType() == EmbeddedType::Data ? ByteCount(bits(words[kPropertyWord], 0, 25) + 1)
                                                : ByteCount();
}

ByteCount BlockPointer::physicalSize() const
{
    return isEmbedded() ? ByteCount()
                        : ByteCount((bits(words[kPropertyWord], 16, 16) + 1) << kSectorShift);
}

ByteCount BlockPointer::allocatedSize() const
{
    ByteCount sum;
    for (std::size_t i = 0; i < dvaCount(); ++i) {
        sum += dva(i).allocated;
    }
    return sum;
}

std::size_t BlockPointer::dvaCount() const
{
    if (isEmbedded()) {
        return 0;
    }
    std::size_t count = isEncrypted() ? kEncryptedDvas : kDvas;
    while (count > 0 && bits(words[(count - 1) * 2], 0, 24) == 0) {
        --count;
    }
    return count;
}

Dva BlockPointer::dva(std::size_t index) const
{
    MP_DCHECK(index < kDvas);
    return Dva::decode(words[index * 2], words[index * 2 + 1]);
}

Txg BlockPointer::physicalBirth() const
{
    return isEmbedded() || words[kPhysicalBirthWord] == 0 ? birth()
                                                          : Txg(words[kPhysicalBirthWord]);
}

std::uint64_t BlockPointer::fill() const
{
    if (isEmbedded()) {
        return 1;
    }
    return isEncrypted() ? bits(words[kFillWord], 0, 32) : words[kFillWord];
}

std::array<std::byte, 12> BlockPointer::initVector() const
{
    // Bytes in the writer's memory order, which is what was given to the cipher.
    std::array<std::byte, 12> iv{};
    store<std::uint64_t>(iv, 0, words[5], byteOrder());
    store(iv, 8, static_cast<std::uint32_t>(bits(words[kFillWord], 32, 32)), byteOrder());
    return iv;
}

std::array<std::byte, 16> BlockPointer::authenticationCode() const
{
    std::array<std::byte, 16> code{};
    store<std::uint64_t>(code, 0, words[14], byteOrder());
    store<std::uint64_t>(code, 8, words[15], byteOrder());
    return code;
}

Result<BlockPointer::Payload> BlockPointer::embeddedPayload() const
{
    if (!isEmbedded() || embeddedType() != EmbeddedType::Data) {
        return bad("holds no embedded data");
    }
    Payload payload;
    payload.size = bits(words[kPropertyWord], 25, 7) + 1;
    if (payload.size > kMaxEmbeddedBytes) {
        return bad(fmt::format("{} bytes of embedded data do not fit", payload.size));
    }
    // Low byte of each word first, whatever the byte order: the words were swapped with the
    // pointer.
    std::size_t at = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i != kPropertyWord && i != kBirthWord) {
            store(payload.bytes, at, words[i], ByteOrder::Little);
            at += 8;
        }
    }
    return payload;
}

Status BlockPointer::validate(std::uint32_t vdevs) const
{
    if (!isValidObjectType(type())) {
        return bad(fmt::format("unknown object type {}", type()));
    }
    if (static_cast<std::uint8_t>(compression()) >= kCompressionTypes) {
        return bad(fmt::format("unknown compression {}", static_cast<std::uint8_t>(compression())));
    }
    if (logicalSize().value() > kMaxBlockBytes) {
        return bad(fmt::format("logical size {} too large", logicalSize().value()));
    }
    if (isEmbedded()) {
        return checkEmbedded(*this);
    }
    return isHole() ? Status() : checkStored(*this, vdevs);
}

std::string BlockPointer::toText() const
{
    const std::string what = fmt::format("[L{} {}]", level().value(), objectTypeName(type()));
    if (isRedacted()) {
        return fmt::format("REDACTED {} birth={}L", what, birth().value());
    }
    if (isEmbedded()) {
        const auto payload = embeddedPayload();
        return fmt::format("EMBEDDED {} et={} {} size={:x}L/{:x}P birth={}L",
                           what,
                           static_cast<unsigned>(embeddedType()),
                           compressionName(compression()),
                           logicalSize().value(),
                           payload ? payload->size : 0,
                           birth().value());
    }
    if (isHole()) {
        return fmt::format(
            "HOLE {} size={:x}L birth={}L", what, logicalSize().value(), birth().value());
    }
    const ChecksumWords sum = checksum();
    return fmt::format("{}{} {} {} {} {} {} {} size={:x}L/{:x}P birth={}L/{}P fill={} "
                       "cksum={:x}:{:x}:{:x}:{:x}",
                       copiesText(*this),
                       what,
                       checksumName(checksumType()),
                       compressionName(compression()),
                       isEncrypted()       ? "encrypted"
                       : isAuthenticated() ? "authenticated"
                       : usesCrypt()       ? "indirect-MAC"
                                           : "unencrypted",
                       byteOrder() == ByteOrder::Little ? "LE" : "BE",
                       isGang() ? "gang" : "contiguous",
                       isDedup() ? "dedup" : "unique",
                       logicalSize().value(),
                       physicalSize().value(),
                       birth().value(),
                       physicalBirth().value(),
                       fill(),
                       sum[0],
                       sum[1],
                       sum[2],
                       sum[3]);
}

} // namespace millpond::format
