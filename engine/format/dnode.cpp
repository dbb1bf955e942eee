// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/dnode.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::format {

namespace {

struct TypeFacts
{
    Layout layout;
    bool metadata;
    bool encrypted;
    std::string_view name;
};

// By number. OpenZFS: module/zfs/dmu.c. The names are those zdb prints, which people search for.
constexpr std::array<TypeFacts, kObjectTypes> kTypes = {{
    {Layout::Uint8, true, false, "unallocated"},
    {Layout::Zap, true, false, "object directory"},
    {Layout::Uint64, true, false, "object array"},
    {Layout::Uint8, true, false, "packed nvlist"},
    {Layout::Uint64, true, false, "packed nvlist size"},
    {Layout::Uint64, true, false, "bpobj"},
    {Layout::Uint64, true, false, "bpobj header"},
    {Layout::Uint64, true, false, "SPA space map header"},
    {Layout::Uint64, true, false, "SPA space map"},
    {Layout::Uint64, true, true, "ZIL intent log"},
    {Layout::Dnode, true, true, "DMU dnode"},
    {Layout::Objset, true, false, "DMU objset"},
    {Layout::Uint64, true, false, "DSL directory"},
    {Layout::Zap, true, false, "DSL directory child map"},
    {Layout::Zap, true, false, "DSL dataset snap map"},
    {Layout::Zap, true, false, "DSL props"},
    {Layout::Uint64, true, false, "DSL dataset"},
    {Layout::Znode, true, false, "ZFS znode"},
    {Layout::OldAcl, true, true, "ZFS V0 ACL"},
    {Layout::Uint8, false, true, "ZFS plain file"},
    {Layout::Zap, true, true, "ZFS directory"},
    {Layout::Zap, true, false, "ZFS master node"},
    {Layout::Zap, true, true, "ZFS delete queue"},
    {Layout::Uint8, false, true, "zvol object"},
    {Layout::Zap, true, false, "zvol prop"},
    {Layout::Uint8, false, true, "other uint8[]"},
    {Layout::Uint64, false, true, "other uint64[]"},
    {Layout::Zap, true, false, "other ZAP"},
    {Layout::Zap, true, false, "persistent error log"},
    {Layout::Uint8, true, false, "SPA history"},
    {Layout::Uint64, true, false, "SPA history offsets"},
    {Layout::Zap, true, false, "Pool properties"},
    {Layout::Zap, true, false, "DSL permissions"},
    {Layout::Acl, true, true, "ZFS ACL"},
    {Layout::Uint8, true, true, "ZFS SYSACL"},
    {Layout::Uint8, true, true, "FUID table"},
    {Layout::Uint64, true, false, "FUID table size"},
    {Layout::Zap, true, false, "DSL dataset next clones"},
    {Layout::Zap, true, false, "scan work queue"},
    {Layout::Zap, true, true, "ZFS user/group/project used"},
    {Layout::Zap, true, true, "ZFS user/group/project quota"},
    {Layout::Zap, true, false, "snapshot refcount tags"},
    {Layout::Zap, true, false, "DDT ZAP algorithm"},
    {Layout::Zap, true, false, "DDT statistics"},
    {Layout::Uint8, true, true, "System attributes"},
    {Layout::Zap, true, true, "SA master node"},
    {Layout::Zap, true, true, "SA attr registration"},
    {Layout::Zap, true, true, "SA attr layouts"},
    {Layout::Zap, true, false, "scan translations"},
    {Layout::Uint8, false, true, "deduplicated block"},
    {Layout::Zap, true, false, "DSL deadlist map"},
    {Layout::Uint64, true, false, "DSL deadlist map hdr"},
    {Layout::Zap, true, false, "DSL dir clones"},
    {Layout::Uint64, true, false, "bpobj subobj"},
}};

constexpr std::array<std::array<std::string_view, 2>, kLayouts> kNewTypeNames = {{
    {"uint8 data", "uint8 metadata"},
    {"uint16 data", "uint16 metadata"},
    {"uint32 data", "uint32 metadata"},
    {"uint64 data", "uint64 metadata"},
    {"zap data", "zap metadata"},
    {"dnode data", "dnode metadata"},
    {"objset data", "objset metadata"},
    {"znode data", "znode metadata"},
    {"oldacl data", "oldacl metadata"},
    {"acl data", "acl metadata"},
}};

bool isNewType(std::uint8_t type)
{
    return (type & kNewType) != 0;
}

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadDnode, std::move(what));
}

std::size_t bonusOffset(const DnodeHeader& header)
{
    return kDnodeHeaderBytes + std::size_t{header.pointerCount} * BlockPointer::kBytes;
}

Status checkTree(const DnodeHeader& header)
{
    if (header.levels == 0 || header.levels > kMaxLevels) {
        return bad(fmt::format("dnode with {} levels", header.levels));
    }
    if (header.dataBlockSectors == 0 || header.dataBlockSectors * kSectorBytes > kMaxBlockBytes) {
        return bad(fmt::format("dnode with data blocks of {} sectors", header.dataBlockSectors));
    }
    if (header.levels > 1) {
        if (header.indirectShift < kMinIndirectShift || header.indirectShift > kMaxIndirectShift) {
            return bad(
                fmt::format("dnode with indirect blocks of 2^{} bytes", header.indirectShift));
        }
        // The deepest tree that 64-bit block numbers can need; more would shift by 64 or beyond.
        if ((header.levels - 1U) * (header.indirectShift - 7U) >= 64) {
            return bad(fmt::format(
                "dnode with {} levels of 2^{} bytes", header.levels, header.indirectShift));
        }
    }
    std::uint64_t size = 0;
    if (!checkedAdd(header.maxBlockId, 1, size) ||
        !checkedMultiply(size, header.dataBlockSectors * kSectorBytes, size)) {
        return bad(fmt::format("dnode with last block {}", header.maxBlockId));
    }
    return {};
}

Status checkParts(const DnodeHeader& header, std::size_t available)
{
    if (!isValidObjectType(header.type) || header.type == number(ObjectType::None)) {
        return bad(fmt::format("dnode of unknown type {}", header.type));
    }
    if (!isValidObjectType(header.bonusType)) {
        return bad(fmt::format("dnode with bonus of unknown type {}", header.bonusType));
    }
    if (header.pointerCount == 0 || header.pointerCount > kMaxDnodePointers) {
        return bad(fmt::format("dnode with {} block pointers", header.pointerCount));
    }
    const std::size_t size = (std::size_t{header.extraSlots} + 1) * kDnodeSlotBytes;
    if (size > kMaxDnodeBytes || size > available) {
        return bad(fmt::format("dnode of {} bytes where {} are", size, available));
    }
    const std::size_t spill =
        (header.flags & DnodeFlag::kSpillPointer) != 0 ? BlockPointer::kBytes : 0;
    if (bonusOffset(header) + header.bonusLength + spill > size) {
        return bad(fmt::format("dnode of {} bytes with {} pointers and a bonus of {}",
                               size,
                               header.pointerCount,
                               header.bonusLength));
    }
    return {};
}

} // namespace

bool isValidObjectType(std::uint8_t type)
{
    return isNewType(type) ? (type & kTypeLayoutMask) < kLayouts : type < kObjectTypes;
}

bool isMetadataType(std::uint8_t type)
{
    if (isNewType(type)) {
        return (type & kTypeMetadata) != 0;
    }
    return type < kObjectTypes && kTypes[type].metadata;
}

bool isEncryptedType(std::uint8_t type)
{
    if (isNewType(type)) {
        return (type & kTypeEncrypted) != 0;
    }
    return type < kObjectTypes && kTypes[type].encrypted;
}

Layout objectLayout(std::uint8_t type)
{
    if (!isValidObjectType(type)) {
        return Layout::Uint8;
    }
    return isNewType(type) ? Layout(type & kTypeLayoutMask) : kTypes[type].layout;
}

std::string_view objectTypeName(std::uint8_t type)
{
    if (!isValidObjectType(type)) {
        return "invalid type";
    }
    if (isNewType(type)) {
        return kNewTypeNames[type & kTypeLayoutMask][isMetadataType(type) ? 1 : 0];
    }
    return kTypes[type].name;
}

Result<DnodeHeader> decodeDnodeHeader(Bytes bytes, ByteOrder order)
{
    if (bytes.size() < kDnodeHeaderBytes) {
        return bad(fmt::format("{} bytes are no dnode", bytes.size()));
    }
    const auto byte = [&](std::size_t at) { return load<std::uint8_t>(bytes, at, order); };
    DnodeHeader header;
    header.type = byte(0);
    header.indirectShift = byte(1);
    header.levels = byte(2);
    header.pointerCount = byte(3);
    header.bonusType = byte(4);
    header.checksum = byte(5);
    header.compression = byte(6);
    header.flags = byte(7);
    header.dataBlockSectors = load<std::uint16_t>(bytes, 8, order);
    header.bonusLength = load<std::uint16_t>(bytes, 10, order);
    header.extraSlots = byte(12);
    header.maxBlockId = load<std::uint64_t>(bytes, 16, order);
    header.used = load<std::uint64_t>(bytes, 24, order);
    return header;
}

void encodeDnodeHeader(const DnodeHeader& header, MutableBytes out, ByteOrder order)
{
    MP_CHECK(out.size() >= kDnodeHeaderBytes);
    std::fill_n(out.begin(), kDnodeHeaderBytes, std::byte{0});
    const auto put = [&](std::size_t at, std::uint8_t value) { store(out, at, value, order); };
    put(0, header.type);
    put(1, header.indirectShift);
    put(2, header.levels);
    put(3, header.pointerCount);
    put(4, header.bonusType);
    put(5, header.checksum);
    put(6, header.compression);
    put(7, header.flags);
    store(out, 8, header.dataBlockSectors, order);
    store(out, 10, header.bonusLength, order);
    put(12, header.extraSlots);
    store(out, 16, header.maxBlockId, order);
    store(out, 24, header.used, order);
}

Result<DnodeView> DnodeView::create(Bytes bytes, ByteOrder order)
{
    const DnodeHeader header = MP_TRY(decodeDnodeHeader(bytes, order));
    MP_TRY(checkParts(header, bytes.size()));
    MP_TRY(checkTree(header));
    const std::size_t size = (std::size_t{header.extraSlots} + 1) * kDnodeSlotBytes;
    return DnodeView(bytes.first(size), order, header);
}

bool DnodeView::isFree(Bytes bytes)
{
    return bytes.size() < kDnodeSlotBytes || bytes[0] == std::byte{0};
}

ByteCount DnodeView::usedBytes() const
{
    const bool inBytes = (m_header.flags & DnodeFlag::kUsedBytes) != 0;
    return ByteCount(inBytes ? m_header.used : m_header.used << kSectorShift);
}

BlockPointer DnodeView::pointer(std::size_t index) const
{
    MP_CHECK(index < m_header.pointerCount);
    return BlockPointer::at(m_bytes, kDnodeHeaderBytes + index * BlockPointer::kBytes, m_order);
}

Bytes DnodeView::bonus() const
{
    return m_bytes.subspan(bonusOffset(m_header), m_header.bonusLength);
}

std::optional<BlockPointer> DnodeView::spill() const
{
    if (!hasSpill()) {
        return std::nullopt;
    }
    return BlockPointer::at(m_bytes, m_bytes.size() - BlockPointer::kBytes, m_order);
}

std::uint64_t DnodeView::pointersPerIndirect() const
{
    return m_header.indirectShift < 7 ? 1 : std::uint64_t{1} << (m_header.indirectShift - 7);
}

std::string DnodeView::toText() const
{
    std::string text =
        fmt::format("{} levels={} iblk={} dblk={} dnsize={} bonus={} ({}) used={} maxblkid={} "
                    "flags={:#x} checksum={} compression={}",
                    objectTypeName(m_header.type),
                    m_header.levels,
                    std::uint64_t{1} << std::min<unsigned>(m_header.indirectShift, 63),
                    dataBlockSize().value(),
                    sizeBytes(),
                    m_header.bonusLength,
                    objectTypeName(m_header.bonusType),
                    usedBytes().value(),
                    m_header.maxBlockId,
                    m_header.flags,
                    checksumName(ChecksumType(m_header.checksum)),
                    compressionName(CompressionType(m_header.compression)));
    for (std::size_t i = 0; i < m_header.pointerCount; ++i) {
        text += "\n    " + pointer(i).toText();
    }
    if (const auto spilled = spill()) {
        text += "\n    spill " + spilled->toText();
    }
    return text;
}

} // namespace millpond::format
