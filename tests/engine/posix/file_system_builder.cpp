// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/posix/file_system_builder.h"

#include "format/sa.h"
#include "format/zap.h"
#include "format/znode.h"

#include <algorithm>

namespace millpond::test {

namespace {

constexpr std::uint64_t kAttributeMaster = 900;
constexpr std::uint64_t kRegistry = 901;
constexpr std::uint64_t kLayouts = 902;
constexpr std::uint16_t kLayout = 2;
constexpr std::uint64_t kDirectoryMode = 040000;

// The one layout in use; numbers are those of the registry made below.
constexpr std::string_view kOrder[] = {"ZPL_MODE",
                                       "ZPL_SIZE",
                                       "ZPL_GEN",
                                       "ZPL_UID",
                                       "ZPL_GID",
                                       "ZPL_PARENT",
                                       "ZPL_FLAGS",
                                       "ZPL_ATIME",
                                       "ZPL_MTIME",
                                       "ZPL_CTIME",
                                       "ZPL_CRTIME",
                                       "ZPL_LINKS",
                                       "ZPL_XATTR",
                                       "ZPL_RDEV",
                                       "ZPL_PROJID",
                                       "ZPL_SYMLINK",
                                       "ZPL_DXATTR"};

ByteVector oldZnode(const FileSpec& file, ByteOrder order)
{
    format::ZnodePhys znode;
    znode.accessed = znode.modified = znode.changed =
        znode.created = {file.mtime[0], file.mtime[1]};
    znode.generation = file.generation;
    znode.mode = file.mode;
    znode.size = file.size;
    znode.parent = file.parent;
    znode.links = file.links;
    znode.xattr = file.xattrDirectory;
    znode.rdev = file.rdev;
    znode.flags = file.flags;
    znode.uid = file.uid;
    znode.gid = file.gid;
    ByteVector bytes(format::ZnodePhys::kBytes);
    znode.encode(bytes, order);
    const ByteVector link = bytesFrom(file.link);
    bytes.insert(bytes.end(), link.begin(), link.end());
    return bytes;
}

ByteVector systemAttributes(const FileSpec& file, ByteOrder order)
{
    format::SaHeader header;
    header.layout = kLayout;
    header.sizeBytes = 16; // two lengths, rounded up
    header.lengths = {static_cast<std::uint16_t>(file.link.size()),
                      static_cast<std::uint16_t>(file.xattrList.size()),
                      0,
                      0,
                      0};
    ByteVector bytes(header.sizeBytes);
    header.encode(bytes, order);
    const auto number = [&](std::uint64_t value) {
        bytes.resize(bytes.size() + 8);
        put64(bytes, bytes.size() - 8, value, order);
    };
    const auto raw = [&](const ByteVector& value) {
        bytes.insert(bytes.end(), value.begin(), value.end());
        bytes.resize(alignUp(bytes.size(), 8));
    };
    for (const std::uint64_t value :
         {file.mode, file.size, file.generation, file.uid, file.gid, file.parent, file.flags}) {
        number(value);
    }
    for (int i = 0; i < 4; ++i) {
        number(file.mtime[0]);
        number(file.mtime[1]);
    }
    for (const std::uint64_t value : {file.links, file.xattrDirectory, file.rdev, file.project}) {
        number(value);
    }
    raw(bytesFrom(file.link));
    raw(file.xattrList);
    return bytes;
}

} // namespace

FileSystemBuilder::FileSystemBuilder(MemoryBlocks& blocks, AttributeLayout layout, ByteOrder order)
    : m_blocks(blocks)
    , m_objects(blocks, always(order))
    , m_layout(layout)
    , m_order(order)
{
    m_master["ROOT"] = 3;
    m_master["DELETE_QUEUE"] = 2;
    m_master["VERSION"] = layout == AttributeLayout::OldZnode ? 3 : 5;
    if (layout == AttributeLayout::SystemAttributes) {
        m_master["SA_ATTRS"] = kAttributeMaster;
        addAttributeTables();
    }
    addTable(2, {});
}

void FileSystemBuilder::setMaster(const std::string& name, std::uint64_t value)
{
    m_master[name] = value;
}

TreeSpec FileSystemBuilder::tableOf(const Names& names, std::uint64_t normalization) const
{
    std::vector<ZapItem> items;
    bool micro = true;
    for (const auto& [name, value] : names) {
        items.push_back({.name = name, .values = {value}});
        micro = micro && name.size() < format::kMicroZapNameBytes;
    }
    const ZapShape shape{
        .normalization = normalization, .blockBytes = 16384, .order = always(m_order)};
    return micro && items.size() < 200 ? buildMicroZap(items, shape) : buildFatZap(items, shape);
}

void FileSystemBuilder::addTable(std::uint64_t object, const Names& names)
{
    TreeSpec spec = tableOf(names, 0);
    m_objects.add(object, {.type = format::number(format::ObjectType::OtherZap)}, spec);
}

void FileSystemBuilder::addAttributeTables()
{
    addTable(kAttributeMaster, {{"REGISTRY", kRegistry}, {"LAYOUTS", kLayouts}});
    Names registry;
    std::vector<std::uint64_t> layout;
    std::uint16_t next = 0;
    for (const std::string_view name : kOrder) {
        const auto all = format::zplAttributes();
        const auto* known = &*std::ranges::find(all, name, &format::ZplAttribute::name);
        registry.emplace_back(
            std::string(name),
            format::SaAttributeInfo{next, known->length, known->byteswap}.encode());
        layout.push_back(next++);
    }
    addTable(kRegistry, registry);
    std::vector<ZapItem> layouts{
        {.name = std::to_string(kLayout), .integerBytes = 2, .values = layout}};
    const TreeSpec spec = buildFatZap(layouts, {.blockBytes = 16384, .order = always(m_order)});
    m_objects.add(kLayouts, {.type = format::number(format::ObjectType::SaLayouts)}, spec);
}

DnodeSpec FileSystemBuilder::dnodeOf(const FileSpec& file, std::uint8_t type) const
{
    const bool old = m_layout == AttributeLayout::OldZnode;
    DnodeSpec dnode;
    dnode.type = type;
    dnode.bonusType =
        format::number(old ? format::ObjectType::Znode : format::ObjectType::SystemAttributes);
    dnode.bonus = old ? oldZnode(file, m_order) : systemAttributes(file, m_order);
    // Beside header and one pointer; a larger one takes the numbers behind it.
    constexpr std::size_t kRoom =
        format::kDnodeSlotBytes - format::kDnodeHeaderBytes - format::BlockPointer::kBytes;
    dnode.slots = dnode.bonus.size() > kRoom ? 2 : 1;
    return dnode;
}

void FileSystemBuilder::addFile(std::uint64_t object, const FileSpec& file)
{
    TreeSpec data = file.data;
    data.order = always(m_order);
    m_objects.add(object, dnodeOf(file, format::number(format::ObjectType::PlainFile)), data);
}

void FileSystemBuilder::addDirectory(std::uint64_t object, const Names& names, FileSpec spec)
{
    spec.mode = kDirectoryMode | (spec.mode & 07777);
    spec.size = names.size() + 2;
    const TreeSpec table = tableOf(names, m_normalization);
    m_objects.add(object, dnodeOf(spec, format::number(format::ObjectType::Directory)), table);
}

std::shared_ptr<object::ObjectSet> FileSystemBuilder::buildObjset()
{
    addTable(1, Names(m_master.begin(), m_master.end()));
    auto objset = object::ObjectSet::open(m_blocks, m_objects.build(), ObjsetId(21));
    return objset ? *objset : nullptr;
}

Result<std::shared_ptr<posix::FileSystem>> FileSystemBuilder::build(const posix::ShowOptions& show)
{
    auto objset = buildObjset();
    if (!objset) {
        return fail(ErrorCode::BadObjset, "the test made no object set");
    }
    return posix::FileSystem::open(std::move(objset), show);
}

} // namespace millpond::test
