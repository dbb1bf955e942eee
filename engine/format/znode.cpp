// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/znode.h"

#include "base/cursor.h"
#include "format/nvlist.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::format {

namespace {

constexpr std::size_t kOldAceBytes = 12;
constexpr std::size_t kAceHeaderBytes = 8;
constexpr std::size_t kPlainAceBytes = 16;
constexpr std::size_t kObjectAceBytes = 48;

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadAttributes, std::move(what));
}

constexpr std::array<ZplAttribute, 22> kAttributes = {{
    {kZplAtime, 16, SaByteswap::Uint64Array},    {kZplMtime, 16, SaByteswap::Uint64Array},
    {kZplCtime, 16, SaByteswap::Uint64Array},    {kZplCrtime, 16, SaByteswap::Uint64Array},
    {kZplGen, 8, SaByteswap::Uint64Array},       {kZplMode, 8, SaByteswap::Uint64Array},
    {kZplSize, 8, SaByteswap::Uint64Array},      {kZplParent, 8, SaByteswap::Uint64Array},
    {kZplLinks, 8, SaByteswap::Uint64Array},     {kZplXattr, 8, SaByteswap::Uint64Array},
    {kZplRdev, 8, SaByteswap::Uint64Array},      {kZplFlags, 8, SaByteswap::Uint64Array},
    {kZplUid, 8, SaByteswap::Uint64Array},       {kZplGid, 8, SaByteswap::Uint64Array},
    {kZplPad, 32, SaByteswap::Uint64Array},      {kZplZnodeAcl, 88, SaByteswap::Uint8Array},
    {kZplDaclCount, 8, SaByteswap::Uint64Array}, {kZplSymlink, 0, SaByteswap::Uint8Array},
    {kZplScanStamp, 32, SaByteswap::Uint8Array}, {kZplDaclAces, 0, SaByteswap::Acl},
    {kZplDxattr, 0, SaByteswap::Uint8Array},     {kZplProjectId, 8, SaByteswap::Uint64Array},
}};

std::size_t aceBytes(const Ace& ace, AclVersion version)
{
    if (version == AclVersion::Initial) {
        return kOldAceBytes;
    }
    if (!ace.hasWho()) {
        return kAceHeaderBytes;
    }
    return ace.isObject() ? kObjectAceBytes : kPlainAceBytes;
}

Ace takeOldAce(Cursor& cursor)
{
    Ace ace;
    ace.who = cursor.take<std::uint32_t>();
    ace.access = cursor.take<std::uint32_t>();
    ace.flags = cursor.take<std::uint16_t>();
    ace.type = cursor.take<std::uint16_t>();
    return ace;
}

Ace takeAce(Cursor& cursor)
{
    Ace ace;
    ace.type = cursor.take<std::uint16_t>();
    ace.flags = cursor.take<std::uint16_t>();
    ace.access = cursor.take<std::uint32_t>();
    if (ace.hasWho()) {
        ace.who = cursor.take<std::uint64_t>();
    }
    if (ace.isObject()) {
        std::ranges::copy(cursor.takeBytes(ace.objectType.size()), ace.objectType.begin());
        std::ranges::copy(cursor.takeBytes(ace.inheritedObjectType.size()),
                          ace.inheritedObjectType.begin());
    }
    return ace;
}

void putOldAce(const Ace& ace, MutableBytes out, ByteOrder order)
{
    store(out, 0, static_cast<std::uint32_t>(ace.who), order);
    store(out, 4, ace.access, order);
    store(out, 8, ace.flags, order);
    store(out, 10, ace.type, order);
}

void putAce(const Ace& ace, MutableBytes out, ByteOrder order)
{
    store(out, 0, ace.type, order);
    store(out, 2, ace.flags, order);
    store(out, 4, ace.access, order);
    if (ace.hasWho()) {
        store(out, 8, ace.who, order);
    }
    if (ace.isObject()) {
        std::ranges::copy(ace.objectType, out.subspan(16).begin());
        std::ranges::copy(ace.inheritedObjectType, out.subspan(32).begin());
    }
}

/// The words of an old znode in their order; one list serves both directions.
template <class Znode, class Visit> void forEachWord(Znode& znode, const Visit& visit)
{
    for (auto* time : {&znode.accessed, &znode.modified, &znode.changed, &znode.created}) {
        visit(time->seconds);
        visit(time->nanoseconds);
    }
    visit(znode.generation);
    visit(znode.mode);
    visit(znode.size);
    visit(znode.parent);
    visit(znode.links);
    visit(znode.xattr);
    visit(znode.rdev);
    visit(znode.flags);
    visit(znode.uid);
    visit(znode.gid);
    visit(znode.zap);
}

} // namespace

std::span<const ZplAttribute> zplAttributes()
{
    return kAttributes;
}

bool Ace::isObject() const
{
    return type >= AceType::kAllowObject && type <= AceType::kAlarmObject;
}

bool Ace::hasWho() const
{
    if (type != AceType::kAllow && type != AceType::kDeny) {
        return true;
    }
    const std::uint16_t whose = flags & AceFlag::kWho;
    return whose != AceFlag::kOwner && whose != AceFlag::kEveryone &&
           whose != (AceFlag::kGroup | AceFlag::kIdentifierGroup);
}

Result<std::vector<Ace>>
decodeAces(Bytes bytes, std::uint64_t count, AclVersion version, ByteOrder order)
{
    if (count > kMaxAces) {
        return bad(fmt::format("ACL of {} entries", count));
    }
    Cursor cursor(bytes, order);
    std::vector<Ace> aces;
    aces.reserve(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        aces.push_back(version == AclVersion::Initial ? takeOldAce(cursor) : takeAce(cursor));
        if (!cursor.ok()) {
            return bad(fmt::format("ACL cut off after {} of {} entries", i, count));
        }
    }
    return aces;
}

std::vector<std::byte> encodeAces(std::span<const Ace> aces, AclVersion version, ByteOrder order)
{
    std::vector<std::byte> bytes;
    for (const Ace& ace : aces) {
        const std::size_t at = bytes.size();
        bytes.resize(at + aceBytes(ace, version));
        const MutableBytes out = MutableBytes(bytes).subspan(at);
        version == AclVersion::Initial ? putOldAce(ace, out, order) : putAce(ace, out, order);
    }
    return bytes;
}

Result<ZnodeAcl> ZnodeAcl::decode(Bytes bytes, ByteOrder order)
{
    if (bytes.size() < kBytes) {
        return bad(fmt::format("{} bytes are no ACL", bytes.size()));
    }
    ZnodeAcl acl;
    acl.external = ObjectId(load<std::uint64_t>(bytes, 0, order));
    const auto sizeOrCount = load<std::uint32_t>(bytes, 8, order);
    acl.version = AclVersion(load<std::uint16_t>(bytes, 12, order));
    if (acl.version > AclVersion::Fuid) {
        return bad(fmt::format("ACL of unknown version {}", static_cast<unsigned>(acl.version)));
    }
    const bool initial = acl.version == AclVersion::Initial;
    acl.count = initial ? sizeOrCount : load<std::uint16_t>(bytes, 14, order);
    acl.sizeBytes = initial ? sizeOrCount * static_cast<std::uint32_t>(kOldAceBytes) : sizeOrCount;
    if (acl.external == ObjectId(0)) {
        acl.aces =
            MP_TRY(decodeAces(bytes.subspan(16, kInlineBytes), acl.count, acl.version, order));
    } else if (acl.count > kMaxAces) {
        return bad(fmt::format("ACL of {} entries", acl.count));
    }
    return acl;
}

Result<ZnodePhys> ZnodePhys::decode(Bytes bonus, ByteOrder order)
{
    if (bonus.size() < kBytes) {
        return bad(fmt::format("{} bytes are no znode", bonus.size()));
    }
    ZnodePhys znode;
    std::size_t at = 0;
    forEachWord(znode, [&](std::uint64_t& word) {
        word = load<std::uint64_t>(bonus, at, order);
        at += 8;
    });
    return znode;
}

void ZnodePhys::encode(MutableBytes out, ByteOrder order) const
{
    MP_CHECK(out.size() >= kBytes);
    std::size_t at = 0;
    forEachWord(*this, [&](const std::uint64_t& word) {
        store(out, at, word, order);
        at += 8;
    });
    std::ranges::fill(out.subspan(at, kAclOffset - at), std::byte{0});
}

std::string ZnodePhys::toText() const
{
    return fmt::format("znode mode={:o} size={} uid={} gid={} links={} parent={} gen={} xattr={} "
                       "rdev={:#x} flags={:#x} mtime={}.{:09}",
                       mode,
                       size,
                       uid,
                       gid,
                       links,
                       parent,
                       generation,
                       xattr,
                       rdev,
                       flags,
                       static_cast<std::int64_t>(modified.seconds),
                       modified.nanoseconds);
}

Result<std::vector<std::string>> decodeFuidTable(Bytes table)
{
    const NvList list = MP_TRY(NvList::decode(table));
    // Indices count from 1 without gaps, in any order.
    const std::span<const NvList> entries = list.listArray(kFuidArray);
    std::vector<std::string> domains(entries.size() + 1);
    for (const NvList& entry : entries) {
        const auto index = entry.u64(kFuidIndex);
        const auto domain = entry.text(kFuidDomain);
        if (!index || !domain || *index == 0 || *index >= domains.size()) {
            return bad("broken entry in the table of domains");
        }
        domains[*index] = *domain;
    }
    return domains;
}

DeviceNumber decodeDeviceNumber(std::uint64_t stored)
{
    if (stored >> 32 != 0) {
        return {static_cast<std::uint32_t>(stored >> 32), static_cast<std::uint32_t>(stored)};
    }
    // Linux stores its kernel's form: 12 bits of major, 20 of minor.
    return {static_cast<std::uint32_t>(bits(stored, 20, 12)),
            static_cast<std::uint32_t>(bits(stored, 0, 20))};
}

} // namespace millpond::format
