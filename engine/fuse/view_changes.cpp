// SPDX-License-Identifier: GPL-3.0-or-later
//
// Changes by the kernel's numbers. What is in no dataset can't be changed, and neither can the
// places of datasets, which are no entries of their parents' directories.
#include "fuse/posix_acl_value.h"
#include "fuse/view.h"

namespace millpond::fuse {

namespace {
constexpr std::string_view kControlName = ".zfs";
/// From here on a dataset has room for pages that the kernel keeps without asking us. More than it
/// may have dirty (kernel_mount.h).
constexpr std::uint64_t kRoomForCache = 1 * GiB;

std::unexpected<Error> readOnly()
{
    return fail(ErrorCode::ReadOnly, "nothing can be changed here");
}
} // namespace

Result<View::Located> View::locateWritable(std::uint64_t nodeId, const ReadContext& context)
{
    Located located = MP_TRY(locate(nodeId, context));
    if (located.writer() == nullptr) {
        return readOnly();
    }
    return located;
}

Result<View::Located> View::directoryOf(const Place& place, const ReadContext& context)
{
    Located directory = MP_TRY(locateWritable(place.parent, context));
    const bool isRoot = directory.node.object == directory.fileSystem->root();
    if (isRoot && (place.name == kControlName ||
                   m_tree.child(directory.node.objset, place.name).has_value())) {
        return fail(ErrorCode::AlreadyExists, "the name is a dataset's or .zfs");
    }
    return directory;
}

Result<View::Located> View::directoryOfEntry(const Place& place, const ReadContext& context)
{
    Result<Located> directory = directoryOf(place, context);
    if (!directory && directory.error().is(ErrorCode::AlreadyExists)) {
        return fail(ErrorCode::DatasetBusy, "the name is a dataset's or .zfs");
    }
    return directory;
}

Result<View::Entry> View::entryOf(const Located& directory, const Attributes& attributes)
{
    const Node node{NodeKind::Object, directory.node.objset, attributes.object};
    const std::optional<std::uint64_t> nodeId = m_tree.numbers().nodeId(node);
    if (!nodeId) {
        return fail(ErrorCode::TooLarge,
                    "the object's number does not fit a node's",
                    {.objset = node.objset, .object = node.object});
    }
    Entry entry;
    entry.nodeId = *nodeId;
    entry.generation = attributes.generation;
    entry.attributes = shownStat(attributes, node);
    entry.nameMayStay = !directory.fileSystem->ignoresCase() && !directory.fileSystem->normalizes();
    entry.open = directory.open;
    entry.object = attributes.object;
    return entry;
}

Result<View::Entry>
View::create(const Place& place, const posix::NewFile& file, const ReadContext& context)
{
    const Located directory = MP_TRY(directoryOf(place, context));
    const auto made =
        MP_TRY(directory.writer()->create({directory.node.object, place.name}, file, context));
    return entryOf(directory, *made);
}

Result<View::Entry>
View::createUnnamed(std::uint64_t parent, const posix::NewFile& file, const ReadContext& context)
{
    const Located directory = MP_TRY(locateWritable(parent, context));
    const auto made =
        MP_TRY(directory.writer()->createUnnamed(directory.node.object, file, context));
    directory.open->mayHaveUnlinked.store(true);
    Result<Entry> entry = entryOf(directory, *made);
    if (!entry) {
        directory.writer()->release(made->object);
        return entry;
    }
    entry->isRetained = true;
    return entry;
}

Result<View::Entry> View::link(std::uint64_t nodeId, const Place& place, const ReadContext& context)
{
    const Located directory = MP_TRY(directoryOf(place, context));
    const Located file = MP_TRY(locateWritable(nodeId, context));
    if (file.open != directory.open) {
        return fail(ErrorCode::CrossesBoundary, "the file is in another dataset");
    }
    const auto linked = MP_TRY(
        directory.writer()->link(file.node.object, {directory.node.object, place.name}, context));
    return entryOf(directory, *linked);
}

Status View::unlink(const Place& place, const ReadContext& context)
{
    const Located directory = MP_TRY(directoryOfEntry(place, context));
    directory.open->mayHaveUnlinked.store(true);
    (void)MP_TRY(directory.writer()->unlink({directory.node.object, place.name}, context));
    return {};
}

Status View::removeDirectory(const Place& place, const ReadContext& context)
{
    const Located directory = MP_TRY(directoryOfEntry(place, context));
    directory.open->mayHaveUnlinked.store(true);
    (void)MP_TRY(directory.writer()->removeDirectory({directory.node.object, place.name}, context));
    return {};
}

Status
View::rename(const Place& from, const Place& to, posix::RenameMode mode, const ReadContext& context)
{
    const Located source = MP_TRY(directoryOfEntry(from, context));
    const Located target = MP_TRY(directoryOfEntry(to, context));
    if (source.open != target.open) {
        return fail(ErrorCode::CrossesBoundary, "the directories are in different datasets");
    }
    source.open->mayHaveUnlinked.store(true);
    (void)MP_TRY(source.writer()->rename(
        {source.node.object, from.name}, {target.node.object, to.name}, mode, context));
    return {};
}

Result<struct stat> View::setAttributes(std::uint64_t nodeId,
                                        const posix::AttributeSettings& settings,
                                        const ReadContext& context)
{
    const Located file = MP_TRY(locateWritable(nodeId, context));
    const auto attributes =
        MP_TRY(file.writer()->setAttributes(file.node.object, settings, context));
    return shownStat(*attributes, file.node);
}

Status View::setXattr(std::uint64_t nodeId,
                      const std::string& name,
                      Bytes value,
                      posix::XattrMode mode,
                      const ReadContext& context)
{
    const Located file = MP_TRY(locateWritable(nodeId, context));
    const ObjectId object = file.node.object;
    if (name != kAccessAclName && name != kDefaultAclName) {
        return file.writer()->setXattr(object, name, value, mode, context);
    }
    const std::vector<posix::AclEntry> acl = MP_TRY(posixAclEntries(value));
    return name == kAccessAclName ? file.writer()->setAccessAcl(object, acl, context)
                                  : file.writer()->setDefaultAcl(object, acl, context);
}

Status View::removeXattr(std::uint64_t nodeId, const std::string& name, const ReadContext& context)
{
    const Located file = MP_TRY(locateWritable(nodeId, context));
    const ObjectId object = file.node.object;
    if (name == kAccessAclName) {
        return file.writer()->setAccessAcl(object, {}, context);
    }
    return name == kDefaultAclName ? file.writer()->setDefaultAcl(object, {}, context)
                                   : file.writer()->removeXattr(object, name, context);
}

Result<std::unique_ptr<Handle>> View::openNew(const Entry& entry, const ReadContext& context)
{
    Located file = MP_TRY(locate(entry.nodeId, context));
    return std::make_unique<Handle>(
        std::move(file.open), entry.nodeId, entry.object, std::move(file.place.open));
}

Status View::sync(const Handle& handle, const ReadContext& context)
{
    return handle.open() ? m_tree.fileSystems().sync(*handle.open(), context) : Status();
}

bool View::mayCacheWrites(const Handle& handle)
{
    const WriteState state = handle.open()->state();
    return !state.syncAlways && state.available >= kRoomForCache;
}

} // namespace millpond::fuse
