// SPDX-License-Identifier: GPL-3.0-or-later
#include "posix/detail/znode.h"

#include <sys/sysmacros.h>

#include <algorithm>
#include <limits>

namespace millpond::posix::detail {

using format::ObjectType;
using format::ZnodeFlag;
using object::AttributeTable;
using object::AttributeValue;
using object::Dnode;

namespace {

constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;
constexpr unsigned kTypeShift = 12; // of the mode
constexpr std::uint32_t kModeMask = 0xffff;
// Linux' own device numbers: twelve bits of major above twenty of minor.
constexpr unsigned kMinorBits = 20;

std::unexpected<Error> bad(const Dnode& dnode, std::string what)
{
    return fail(
        ErrorCode::BadAttributes, std::move(what), {.objset = dnode.objset, .object = dnode.id});
}

/// Seconds of any size are stored; what does not fit 64 bits of nanoseconds becomes the nearest
/// that does (the years 1677 to 2262).
Time timeOf(std::uint64_t seconds, std::uint64_t nanoseconds)
{
    using Limits = std::numeric_limits<std::int64_t>;
    const auto whole = static_cast<std::int64_t>(seconds);
    const auto part = static_cast<std::int64_t>(std::min(nanoseconds, kNanosecondsPerSecond - 1));
    std::int64_t total = 0;
    if (__builtin_mul_overflow(whole, static_cast<std::int64_t>(kNanosecondsPerSecond), &total) ||
        __builtin_add_overflow(total, part, &total)) {
        total = whole < 0 ? Limits::min() : Limits::max();
    }
    return Time(total);
}

Result<FileType> typeOf(std::uint64_t mode, const Dnode& dnode)
{
    switch (const auto type = static_cast<FileType>((mode & kModeMask) >> kTypeShift)) {
    case FileType::Fifo:
    case FileType::CharacterDevice:
    case FileType::Directory:
    case FileType::BlockDevice:
    case FileType::Regular:
    case FileType::Link:
    case FileType::Socket:
    case FileType::Door:
    case FileType::EventPort:
        return type;
    default:
        return bad(dnode, "a file of no known type");
    }
}

/// As OpenZFS on Linux shows it: the low half of what is stored, taken as Linux' own number.
/// (Solaris keeps the major number in the upper half; its numbers mean nothing on Linux anyway.)
std::uint64_t deviceNumber(std::uint64_t stored)
{
    const auto number = static_cast<std::uint32_t>(stored);
    return makedev(number >> kMinorBits, number & ((1U << kMinorBits) - 1));
}

/// What both layouts have in common, from plain numbers.
struct Numbers
{
    std::uint64_t mode = 0, size = 0, links = 0, uid = 0, gid = 0, parent = 0, flags = 0,
                  generation = 0;
    std::uint64_t xattr = 0, rdev = 0, project = 0;
};

Result<Znode> fill(const Dnode& dnode, const Numbers& numbers)
{
    Znode znode;
    Attributes& attributes = znode.attributes;
    attributes.object = dnode.id;
    attributes.type = MP_TRY(typeOf(numbers.mode, dnode));
    attributes.mode = static_cast<std::uint32_t>(numbers.mode & kModeMask);
    attributes.uid = static_cast<std::uint32_t>(numbers.uid); // of a FUID: the relative id
    attributes.gid = static_cast<std::uint32_t>(numbers.gid);
    znode.rawUid = numbers.uid;
    znode.rawGid = numbers.gid;
    attributes.size = numbers.size;
    attributes.links = static_cast<std::uint32_t>(numbers.links);
    setSpaceUsed(attributes, dnode);
    attributes.generation = numbers.generation;
    attributes.flags = numbers.flags;
    attributes.parent = ObjectId(numbers.parent);
    attributes.xattrDirectory = ObjectId(numbers.xattr);
    if ((numbers.flags & ZnodeFlag::kProjectId) != 0) {
        attributes.projectId = static_cast<std::uint32_t>(numbers.project);
    }
    const bool isDevice =
        attributes.type == FileType::CharacterDevice || attributes.type == FileType::BlockDevice;
    attributes.rdev = isDevice ? deviceNumber(numbers.rdev) : 0;
    return znode;
}

/// Reads single attributes out of a file's set.
class Reader
{
public:
    Reader(AttributeTable::Values values, const Dnode& dnode)
        : m_values(std::move(values))
        , m_dnode(dnode)
    {
    }

    [[nodiscard]] const AttributeValue* find(std::string_view name) const
    {
        const auto found = m_values.find(name);
        return found == m_values.end() ? nullptr : &found->second;
    }

    /// 0 when absent.
    [[nodiscard]] std::uint64_t number(std::string_view name) const
    {
        const AttributeValue* value = find(name);
        return value != nullptr && value->bytes.size() >= sizeof(std::uint64_t)
                   ? load<std::uint64_t>(value->bytes, 0, value->order)
                   : 0;
    }

    [[nodiscard]] Time time(std::string_view name) const
    {
        const AttributeValue* value = find(name);
        return value != nullptr && value->bytes.size() >= 2 * sizeof(std::uint64_t)
                   ? timeOf(load<std::uint64_t>(value->bytes, 0, value->order),
                            load<std::uint64_t>(value->bytes, sizeof(std::uint64_t), value->order))
                   : Time();
    }

    [[nodiscard]] Status require() const
    {
        for (const std::string_view name : {format::kZplMode,
                                            format::kZplSize,
                                            format::kZplLinks,
                                            format::kZplParent,
                                            format::kZplUid,
                                            format::kZplGid}) {
            const AttributeValue* value = find(name);
            if (value == nullptr || value->bytes.size() < sizeof(std::uint64_t)) {
                return bad(m_dnode, "a file lacks the attribute " + std::string(name));
            }
        }
        return {};
    }

    /// Empty when absent.
    [[nodiscard]] std::vector<std::byte> take(std::string_view name)
    {
        const auto found = m_values.find(name);
        return found == m_values.end() ? std::vector<std::byte>() : std::move(found->second.bytes);
    }

private:
    AttributeTable::Values m_values;
    const Dnode& m_dnode;
};

Result<Znode> readSystemAttributes(object::ObjectSet& objset,
                                   const AttributeTable& table,
                                   const Dnode& dnode,
                                   const ReadContext& context)
{
    Reader reader(MP_TRY(table.read(objset, dnode, context)), dnode);
    MP_TRY(reader.require());
    Znode znode = MP_TRY(fill(dnode,
                              {.mode = reader.number(format::kZplMode),
                               .size = reader.number(format::kZplSize),
                               .links = reader.number(format::kZplLinks),
                               .uid = reader.number(format::kZplUid),
                               .gid = reader.number(format::kZplGid),
                               .parent = reader.number(format::kZplParent),
                               .flags = reader.number(format::kZplFlags),
                               .generation = reader.number(format::kZplGen),
                               .xattr = reader.number(format::kZplXattr),
                               .rdev = reader.number(format::kZplRdev),
                               .project = reader.number(format::kZplProjectId)}));
    Attributes& attributes = znode.attributes;
    attributes.accessed = reader.time(format::kZplAtime);
    attributes.modified = reader.time(format::kZplMtime);
    attributes.changed = reader.time(format::kZplCtime);
    attributes.created = reader.time(format::kZplCrtime);
    if (const AttributeValue* acl = reader.find(format::kZplDaclAces)) {
        znode.aclOrder = acl->order;
        znode.aclCount = reader.number(format::kZplDaclCount);
    }
    znode.acl = reader.take(format::kZplDaclAces);
    znode.link = reader.take(format::kZplSymlink);
    znode.xattrList = reader.take(format::kZplDxattr);
    return znode;
}

} // namespace

void setSpaceUsed(Attributes& attributes, const Dnode& dnode)
{
    // The dnode's own slots count as blocks; a half sector rounds up.
    attributes.blocks512 =
        (dnode.usedBytes + format::kSectorBytes / 2) / format::kSectorBytes + dnode.slots;
    attributes.blockSize = dnode.dataBlockBytes;
}

Result<Znode> decodeOldZnode(const Dnode& dnode)
{
    const auto phys = MP_TRY(format::ZnodePhys::decode(dnode.bonus, dnode.order));
    Znode znode = MP_TRY(fill(dnode,
                              {.mode = phys.mode,
                               .size = phys.size,
                               .links = phys.links,
                               .uid = phys.uid,
                               .gid = phys.gid,
                               .parent = phys.parent,
                               .flags = phys.flags,
                               .generation = phys.generation,
                               .xattr = phys.xattr,
                               .rdev = phys.rdev}));
    Attributes& attributes = znode.attributes;
    attributes.accessed = timeOf(phys.accessed.seconds, phys.accessed.nanoseconds);
    attributes.modified = timeOf(phys.modified.seconds, phys.modified.nanoseconds);
    attributes.changed = timeOf(phys.changed.seconds, phys.changed.nanoseconds);
    attributes.created = timeOf(phys.created.seconds, phys.created.nanoseconds);
    const Bytes bonus(dnode.bonus);
    const Bytes behind = bonus.subspan(format::ZnodePhys::kBytes);
    if (attributes.type == FileType::Link && phys.size <= behind.size()) {
        const Bytes target = behind.first(phys.size);
        znode.link.assign(target.begin(), target.end());
    }
    const Bytes acl = bonus.subspan(format::ZnodePhys::kAclOffset, format::ZnodeAcl::kBytes);
    znode.acl.assign(acl.begin(), acl.end());
    znode.aclIsOld = true;
    znode.aclOrder = dnode.order;
    return znode;
}

Result<Znode> readZnode(object::ObjectSet& objset,
                        const AttributeTable* table,
                        const Dnode& dnode,
                        const ReadContext& context)
{
    if (dnode.bonusType == format::number(ObjectType::Znode)) {
        return decodeOldZnode(dnode);
    }
    if (dnode.bonusType == format::number(ObjectType::SystemAttributes) && table != nullptr) {
        return readSystemAttributes(objset, *table, dnode, context);
    }
    return fail(ErrorCode::NoSuchObject,
                "the object is no file",
                {.objset = dnode.objset, .object = dnode.id});
}

} // namespace millpond::posix::detail
