// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuse/view.h"

#include "fuse/posix_acl_value.h"
#include "posix/space_figures.h"

#include <charconv>

namespace millpond::fuse {

namespace {
using posix::Attributes;

constexpr std::string_view kControlName = ".zfs";
constexpr std::string_view kSnapshotName = "snapshot";

std::unexpected<Error> stale()
{
    return fail(ErrorCode::NoSuchObject, "nothing of that number is shown here");
}

std::unexpected<Error> noEntry()
{
    return fail(ErrorCode::NoSuchEntry, "no such file or directory");
}

timespec toTimespec(posix::Time time)
{
    using std::chrono::seconds;
    const auto whole = std::chrono::floor<seconds>(time);
    return {whole.count(), (time - whole).count()};
}

struct stat toStat(const Attributes& attributes, std::uint64_t inode)
{
    struct stat out = {};
    out.st_ino = inode;
    out.st_mode = attributes.mode;
    out.st_nlink = attributes.links;
    out.st_uid = attributes.uid;
    out.st_gid = attributes.gid;
    out.st_rdev = attributes.rdev;
    out.st_size = static_cast<off_t>(attributes.size);
    out.st_blksize = static_cast<blksize_t>(attributes.blockSize);
    out.st_blocks = static_cast<blkcnt_t>(attributes.blocks512);
    out.st_atim = toTimespec(attributes.accessed);
    out.st_mtim = toTimespec(attributes.modified);
    out.st_ctim = toTimespec(attributes.changed);
    return out;
}

bool comparesBytes(const posix::FileSystem& fileSystem)
{
    return !fileSystem.ignoresCase() && !fileSystem.normalizes();
}

/// A number among a query's values; 0 where there is none.
std::uint64_t numberOf(const api::DatasetRow& row, std::string_view property)
{
    std::uint64_t number = 0;
    for (const api::PropertyValue& value : row.properties) {
        if (value.name == property) {
            (void)std::from_chars(
                value.value.data(), value.value.data() + value.value.size(), number);
        }
    }
    return number;
}
} // namespace

Handle::Handle(
    OpenFileSystemRef open, std::uint64_t nodeId, ObjectId object, OpenCount count, bool isRetained)
    : m_open(std::move(open))
    , m_nodeId(nodeId)
    , m_object(object)
    , m_count(std::move(count))
{
    m_count->fetch_add(1);
    if (writer() != nullptr && !isRetained) {
        writer()->retain(m_object);
    }
}

Handle::~Handle()
{
    if (m_uses != nullptr) {
        m_uses->removeCachedWriter(m_nodeId);
    }
    if (writer() != nullptr) {
        writer()->release(m_object);
    }
    m_count->fetch_sub(1);
}

void Handle::setCachedWriter(NodeUses& uses)
{
    m_uses = &uses;
    m_uses->addCachedWriter(m_nodeId);
}

Result<View::Located> View::locate(std::uint64_t nodeId, const ReadContext& context)
{
    const std::optional<Node> node = m_tree.numbers().node(nodeId);
    if (!node) {
        return stale();
    }
    return locate(*node, context);
}

Result<View::Located> View::locate(Node node, const ReadContext& context)
{
    std::optional<Tree::Place> place = m_tree.place(node.objset);
    const bool isFolder = node.kind == NodeKind::DatasetFolder;
    if (!place || (!place->shown && !isFolder) ||
        (place->isSnapshot && node.kind != NodeKind::Object)) {
        return stale();
    }
    Located located{node, std::move(*place), nullptr, nullptr, false};
    if (node.kind == NodeKind::Object || (isFolder && located.place.shown)) {
        located.open = MP_TRY(m_tree.fileSystems().get(node.objset, located.place.name, context));
        located.fileSystem = located.open->files;
        const ObjectId root = located.fileSystem->root();
        if (isFolder) {
            located.node = {NodeKind::Object, node.objset, root};
            if (node.objset == m_tree.numbers().root()) {
                m_tree.numbers().setRootObject(root);
            }
        }
        located.isDatasetRoot = !located.place.isSnapshot && located.node.object == root;
    }
    return located;
}

Result<View::Located> View::locateObject(std::uint64_t nodeId, const ReadContext& context)
{
    Located located = MP_TRY(locate(nodeId, context));
    if (!located.fileSystem) {
        return fail(ErrorCode::InvalidArgument, "a folder that is in no dataset");
    }
    return located;
}

struct stat View::folderStat(const Located& located) const
{
    constexpr nlink_t kFolderLinks = 2;
    struct stat out = {};
    out.st_ino = m_tree.numbers().inode(located.node);
    out.st_mode = S_IFDIR | 0555;
    out.st_nlink = kFolderLinks;
    out.st_uid = m_owner.user;
    out.st_gid = m_owner.group;
    out.st_size = 2;
    out.st_blksize = 512;
    const auto seconds = static_cast<time_t>(located.place.creationTime);
    out.st_atim = out.st_mtim = out.st_ctim = {seconds, 0};
    return out;
}

Result<struct stat> View::statOf(const Located& located, const ReadContext& context)
{
    if (!located.fileSystem) {
        return folderStat(located);
    }
    const auto attributes = MP_TRY(located.fileSystem->attributes(located.node.object, context));
    return shownStat(*attributes, located.node);
}

struct stat View::shownStat(const Attributes& attributes, const Node& node) const
{
    struct stat shown = toStat(attributes, m_tree.numbers().inode(node));
    // Whoever sees no blocks takes the file for one hole (8.1): what was written lately may not
    // have got any yet.
    if (shown.st_blocks == 0 && attributes.type == posix::FileType::Regular) {
        const std::optional<std::uint64_t> nodeId = m_tree.numbers().nodeId(node);
        const bool unflushed = nodeId && m_uses.hasCachedWriter(*nodeId);
        shown.st_blocks = unflushed ? 1 : 0;
    }
    return shown;
}

Result<View::Entry> View::entryOf(const Located& located, const ReadContext& context)
{
    Entry entry;
    if (located.fileSystem) {
        const auto attributes =
            MP_TRY(located.fileSystem->attributes(located.node.object, context));
        entry.attributes = shownStat(*attributes, located.node);
        entry.generation = attributes->generation;
        if (located.writer() != nullptr && located.node.object != located.fileSystem->root()) {
            entry.open = located.open;
            entry.object = located.node.object;
        }
    } else {
        entry.attributes = folderStat(located);
    }
    const std::optional<std::uint64_t> nodeId = m_tree.numbers().nodeId(located.node);
    if (!nodeId) {
        return fail(ErrorCode::TooLarge,
                    "the object's number does not fit a node's",
                    {.objset = located.node.objset, .object = located.node.object});
    }
    entry.nodeId = *nodeId;
    return entry;
}

Result<View::Located>
View::child(const Located& parent, std::string_view name, const ReadContext& context)
{
    const ObjsetId objset = parent.node.objset;
    switch (parent.node.kind) {
    case NodeKind::ControlDirectory:
        return name == kSnapshotName ? locate(Node{NodeKind::SnapshotFolder, objset, {}}, context)
                                     : noEntry();
    case NodeKind::SnapshotFolder: {
        const ObjsetId snapshot = MP_TRY(m_tree.snapshot(objset, name, context));
        const std::optional<Tree::Place> place = m_tree.place(snapshot);
        if (!place) {
            return stale();
        }
        const OpenFileSystemRef open =
            MP_TRY(m_tree.fileSystems().get(snapshot, place->name, context));
        return locate(Node{NodeKind::Object, snapshot, open->files->root()}, context);
    }
    case NodeKind::DatasetFolder:
    case NodeKind::Object:
        break;
    }
    if (parent.node.kind == NodeKind::DatasetFolder || parent.isDatasetRoot) {
        if (const std::optional<ObjsetId> dataset = m_tree.child(objset, name)) {
            return locate(Node{NodeKind::DatasetFolder, *dataset, {}}, context);
        }
    }
    if (!parent.fileSystem) {
        return noEntry();
    }
    if (name == kControlName && parent.node.object == parent.fileSystem->root()) {
        return parent.isDatasetRoot ? locate(Node{NodeKind::ControlDirectory, objset, {}}, context)
                                    : noEntry();
    }
    const posix::DirectoryEntry found =
        MP_TRY(parent.fileSystem->lookup(parent.node.object, name, context));
    return locate(Node{NodeKind::Object, objset, found.object}, context);
}

Result<View::Located> View::parentOf(const Located& located, const ReadContext& context)
{
    const ObjsetId objset = located.node.objset;
    switch (located.node.kind) {
    case NodeKind::ControlDirectory:
        return locate(Node{NodeKind::DatasetFolder, objset, {}}, context);
    case NodeKind::SnapshotFolder:
        return locate(Node{NodeKind::ControlDirectory, objset, {}}, context);
    case NodeKind::DatasetFolder:
    case NodeKind::Object:
        break;
    }
    const bool isRoot = !located.fileSystem || located.node.object == located.fileSystem->root();
    if (!isRoot) {
        const auto attributes =
            MP_TRY(located.fileSystem->attributes(located.node.object, context));
        return locate(Node{NodeKind::Object, objset, attributes->parent}, context);
    }
    if (located.place.isSnapshot) {
        return locate(Node{NodeKind::SnapshotFolder, located.place.parent, {}}, context);
    }
    return located.place.parent == ObjsetId()
               ? Result<Located>(located)
               : locate(Node{NodeKind::DatasetFolder, located.place.parent, {}}, context);
}

Result<View::Entry>
View::lookup(std::uint64_t parent, std::string_view name, const ReadContext& context)
{
    const Located from = MP_TRY(locate(parent, context));
    if (name == ".") {
        return entryOf(from, context);
    }
    if (name == "..") {
        return entryOf(MP_TRY(parentOf(from, context)), context);
    }
    Entry entry = MP_TRY(entryOf(MP_TRY(child(from, name, context)), context));
    entry.nameMayStay = !from.fileSystem || comparesBytes(*from.fileSystem);
    return entry;
}

bool View::missingNamesStay(std::uint64_t parent)
{
    const Result<Located> from = locate(parent, {.wait = block::Wait::CachedOnly});
    // A folder may become the real thing.
    return from && from->fileSystem && comparesBytes(*from->fileSystem);
}

Result<struct stat> View::attributes(std::uint64_t nodeId, const ReadContext& context)
{
    return statOf(MP_TRY(locate(nodeId, context)), context);
}

Result<std::string> View::readLink(std::uint64_t nodeId, const ReadContext& context)
{
    const Located located = MP_TRY(locateObject(nodeId, context));
    return located.fileSystem->readLink(located.node.object, context);
}

Result<std::unique_ptr<Handle>> View::open(std::uint64_t nodeId, const ReadContext& context)
{
    Located located = MP_TRY(locate(nodeId, context));
    return std::make_unique<Handle>(
        std::move(located.open), nodeId, located.node.object, std::move(located.place.open));
}

Result<std::string> View::xattrNames(std::uint64_t nodeId, const ReadContext& context)
{
    const Located located = MP_TRY(locate(nodeId, context));
    std::string list;
    if (!located.fileSystem) {
        return list;
    }
    posix::FileSystem& fileSystem = *located.fileSystem;
    const ObjectId object = located.node.object;
    const auto add = [&list](std::string_view name) {
        list += name;
        list += '\0';
    };
    for (const std::string& name : MP_TRY(fileSystem.xattrNames(object, context))) {
        add(name);
    }
    if (!MP_TRY(fileSystem.accessAcl(object, context)).empty()) {
        add(kAccessAclName);
    }
    if (!MP_TRY(fileSystem.defaultAcl(object, context)).empty()) {
        add(kDefaultAclName);
    }
    return list;
}

Result<std::vector<std::byte>>
View::xattr(std::uint64_t nodeId, const std::string& name, const ReadContext& context)
{
    const Located located = MP_TRY(locate(nodeId, context));
    const auto missing = [] { return fail(ErrorCode::NoSuchAttribute, "no such attribute"); };
    if (!located.fileSystem) {
        return missing();
    }
    posix::FileSystem& fileSystem = *located.fileSystem;
    const ObjectId object = located.node.object;
    if (name != kAccessAclName && name != kDefaultAclName) {
        return fileSystem.xattr(object, name, context);
    }
    const std::vector<posix::AclEntry> acl =
        MP_TRY(name == kAccessAclName ? fileSystem.accessAcl(object, context)
                                      : fileSystem.defaultAcl(object, context));
    if (acl.empty()) {
        return missing();
    }
    return posixAclValue(acl);
}

Result<struct statvfs> View::space(std::uint64_t nodeId, const ReadContext& context)
{
    constexpr unsigned long kLongestName = 255;
    constexpr std::uint64_t kMaxObjects = std::uint64_t{1} << 48U;
    if (context.wait == block::Wait::CachedOnly) {
        return fail(ErrorCode::WouldBlock, "figures of a dataset are not kept");
    }
    const Located located = MP_TRY(locate(nodeId, context));
    const std::string& name = located.place.name;
    const auto facts = MP_TRY(m_tree.pool().facts(name));
    dataset::Space space;
    space.referenced = facts.referenced;
    space.available = facts.available;
    space.objects = facts.files;
    space.objectsAvailable = kMaxObjects - std::min(kMaxObjects, facts.files);
    api::DatasetQuery query;
    query.roots = {name.substr(0, name.find('@'))};
    query.properties = {"recordsize"};
    const auto rows = MP_TRY(m_tree.pool().datasets(query));
    if (located.place.isSnapshot) { // what its dataset has left
        space.available = MP_TRY(m_tree.pool().facts(query.roots.front())).available;
    }
    const posix::SpaceFigures figures = posix::spaceFigures(
        space, ByteCount(rows.empty() ? 0 : numberOf(rows.front(), "recordsize")));
    struct statvfs out = {};
    out.f_bsize = out.f_frsize = figures.blockSize;
    out.f_blocks = figures.total;
    out.f_bfree = figures.free;
    out.f_bavail = figures.available;
    out.f_files = figures.files;
    out.f_ffree = out.f_favail = figures.filesFree;
    out.f_namemax = kLongestName;
    return out;
}

} // namespace millpond::fuse
