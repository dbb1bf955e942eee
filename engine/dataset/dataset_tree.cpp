// SPDX-License-Identifier: GPL-3.0-or-later
//
// The dataset layer: theory.
//
// Purpose. Names and relations of the object sets of a pool: filesystems, volumes, snapshots,
// clones, bookmarks, what they may and do take, and their settings. It stands on the MOS, the
// pool's own object set, and gives object sets to posix/ and volume/.
//
// Terms. A directory (dsl_dir) is a place in the tree of names. It has one live dataset, its head,
// and snapshots. A dataset (dsl_dataset) is one object set: a head or a snapshot. A clone is a
// directory whose head began as somebody's snapshot, its origin.
//
// On disk. Object 1 of the MOS names the root directory. A directory is an object with a bonus
// buffer (format::DslDirPhys) that points to a ZAP of children by name, a ZAP of settings, and the
// head. A head points to a ZAP of snapshot numbers by name. Snapshots and the head form a chain by
// txg (previous, next snapshot). In newer pools both kinds of objects may be ZAPs as well, with
// fields of later features.
//
//      directory "pool" ── head ──previous──► snapshot ──previous──► ... ──► $ORIGIN@$ORIGIN
//          │  └─ settings     └─ snapshot names, bookmarks, deadlist, root block pointer
//          └─ children: "home", "$MOS", ...
//
// In memory. Immutable values handed out by shared_ptr, made when first asked for. Directories are
// kept for good: they are needed again for every name and every inherited setting, and they are few
// beside snapshots. Datasets are kept up to a bound. When pools can be written, a new txg makes new
// values; whoever holds an old one goes on seeing the old txg.
//
// Invariants.
//   INV-1  A Directory's parent chain ends at the root, and a directory has one parent and one
//   name:
//          checked when it is loaded, so that a walk over children visits each once and ends.
//   INV-2  A Dataset's directory is the one its own bytes name.
//   INV-3  Depth is at most kMaxDepth: names have 255 bytes at most.
//
// Concurrency. Everything may be called from any thread. One mutex (rank dataset, a leaf) guards
// the maps and is never held while reading; two threads may read the same object, the first to
// finish wins.
//
// Failure. Bytes that contradict each other are BadDataset with the object in question. Nothing is
// half-remembered: a failed read leaves the maps as they were.
//
// Cost. A directory or dataset is one dnode of the MOS, 32 of which share a block; listing a tree
// is one pass over them and their ZAPs. About 600 bytes of memory for each.
//
// Sources for the layouts and meanings: OpenZFS dsl_dir.c, dsl_dataset.c, dsl_prop.c,
// dsl_deadlist.c, bpobj.c, bptree.c, dsl_bookmark.c, dsl_userhold.c, and libzfs_dataset.c for what
// is shown.
#include "dataset/dataset_tree.h"

#include "object/zap.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::dataset {

using format::ObjectType;
using object::DnodeRef;
using object::ObjectSet;
using object::Zap;
using object::ZapEntry;

namespace {

constexpr std::size_t kMaxNameBytes = 255;        // of a dataset, with the pool's name
constexpr unsigned kMaxDepth = 128;               // INV-3: every level costs a byte and a slash
constexpr std::size_t kMaxCachedDatasets = 65536; // about 30 MiB

Error badDataset(ObjectId object, std::string what)
{
    return Error(ErrorCode::BadDataset, std::move(what), {.object = object});
}

std::unexpected<Error> noSuchDataset(std::string_view name)
{
    return fail(ErrorCode::NoSuchDataset, "dataset does not exist", {.dataset = std::string(name)});
}

/// Children that belong to the pool itself, or to a receive that is under way.
bool isHidden(std::string_view name)
{
    return name.find_first_of("$%") != std::string_view::npos;
}

std::optional<std::uint64_t> firstNumber(const ZapEntry& entry)
{
    return entry.integerBytes == 8 && !entry.values.empty() ? std::optional(entry.values.front())
                                                            : std::nullopt;
}

/// Fields of later features, where the directory is a ZAP too.
Status
readExtensions(ObjectSet& mos, DnodeRef dnode, Directory& directory, const ReadContext& context)
{
    const Zap zap = MP_TRY(Zap::open(mos, std::move(dnode), context));
    return zap.forEach(
        [&](const ZapEntry& entry) -> Result<bool> {
            const auto number = firstNumber(entry);
            if (entry.name == format::kDirFilesystemCount) {
                directory.filesystemCount = number;
            } else if (entry.name == format::kDirSnapshotCount) {
                directory.snapshotCount = number;
            } else if (entry.name == format::kDirSnapshotsChanged) {
                directory.snapshotsChanged = number;
            } else if (entry.name == format::kDirCryptoKey && number) {
                directory.cryptoKey = ObjectId(*number);
            } else if (entry.name == format::kDirLivelist && number) {
                directory.livelist = ObjectId(*number);
            }
            return true;
        },
        context);
}

struct SplitName
{
    std::string_view path;     ///< "pool/a/b"
    char separator = 0;        ///< '@', '#' or none
    std::string_view lastPart; ///< behind the separator
};

Result<SplitName> splitName(std::string_view name)
{
    SplitName split{.path = name};
    const std::size_t at = name.find_first_of("@#");
    if (at != std::string_view::npos) {
        split = {name.substr(0, at), name[at], name.substr(at + 1)};
    }
    const bool badTail =
        split.separator != 0 &&
        (split.lastPart.empty() || split.lastPart.find_first_of("@#/") != std::string_view::npos);
    if (split.path.empty() || name.size() > kMaxNameBytes || split.path.front() == '/' ||
        split.path.back() == '/' || split.path.find("//") != std::string_view::npos || badTail) {
        return fail(ErrorCode::InvalidName, "invalid dataset name", {.dataset = std::string(name)});
    }
    return split;
}

} // namespace

std::string_view Directory::leafName() const
{
    const std::string_view all(name);
    return parent ? all.substr(parent->name.size() + 1) : all;
}

std::string Dataset::name() const
{
    return isSnapshot() ? fmt::format("{}@{}", directory->name, snapshot) : directory->name;
}

std::string Bookmark::name() const
{
    return fmt::format("{}#{}", directory->name, bookmark);
}

std::string Node::name() const
{
    return bookmark ? bookmark->name() : dataset->name();
}

DatasetTree::DatasetTree(std::shared_ptr<ObjectSet> mos, std::string poolName)
    : m_mos(std::move(mos))
    , m_poolName(std::move(poolName))
{
}

DatasetTree::~DatasetTree() = default;

Result<std::shared_ptr<DatasetTree>>
DatasetTree::open(std::shared_ptr<ObjectSet> mos, std::string poolName, const ReadContext& context)
{
    std::shared_ptr<DatasetTree> tree(new DatasetTree(std::move(mos), std::move(poolName)));
    const Zap directory = MP_TRY(Zap::open(tree->mos(), format::kPoolDirectoryObject, context));
    const ObjectId root(MP_TRY(directory.number(format::kPoolRootDataset, context)));
    tree->m_root = MP_TRY(tree->loadDirectory(root, {nullptr, tree->m_poolName}, context));
    return tree;
}

DirectoryRef DatasetTree::cachedDirectory(ObjectId object) const
{
    const MutexLock lock(m_mutex);
    const auto found = m_directories.find(object);
    return found == m_directories.end() ? nullptr : found->second;
}

DatasetRef DatasetTree::cachedDataset(ObjsetId id) const
{
    const MutexLock lock(m_mutex);
    const auto found = m_datasets.find(id);
    return found == m_datasets.end() ? nullptr : found->second;
}

Result<DirectoryRef>
DatasetTree::loadDirectory(ObjectId object, const Place& place, const ReadContext& context)
{
    const ObjectId parentObject = place.parent ? place.parent->object : ObjectId(0);
    if (const DirectoryRef cached = cachedDirectory(object)) {
        if (cached->phys.parent != parentObject || cached->leafName() != place.leafName) {
            return fail(badDataset(object, "a dataset directory appears in two places")); // INV-1
        }
        return cached;
    }
    const DnodeRef dnode = MP_TRY(m_mos->dnode(object, context));
    auto directory = std::make_shared<Directory>();
    directory->object = object;
    directory->parent = place.parent;
    directory->phys = MP_TRY(format::DslDirPhys::decode(dnode->bonus, dnode->order));
    directory->depth = place.parent ? place.parent->depth + 1 : 0;
    directory->name = place.parent ? fmt::format("{}/{}", place.parent->name, place.leafName)
                                   : std::string(place.leafName);
    if (directory->phys.parent != parentObject) // INV-1
    {
        return fail(
            badDataset(object, "a dataset directory does not name the parent it is found in"));
    }
    if (directory->depth > kMaxDepth || place.leafName.empty()) // INV-3
    {
        return fail(badDataset(object, "dataset directories are nested too deeply"));
    }
    if (dnode->type != format::number(ObjectType::DslDir)) {
        MP_TRY(readExtensions(*m_mos, dnode, *directory, context));
    }
    const MutexLock lock(m_mutex);
    return m_directories.emplace(object, std::move(directory)).first->second;
}

Result<DatasetRef> DatasetTree::loadDataset(ObjsetId id,
                                            const DirectoryRef& directory,
                                            std::string_view snapshotName,
                                            const ReadContext& context)
{
    const ObjectId object(id.value());
    DatasetRef known = cachedDataset(id);
    if (!known) {
        const DnodeRef dnode = MP_TRY(m_mos->dnode(object, context));
        auto dataset = std::make_shared<Dataset>();
        dataset->id = id;
        dataset->directory = directory;
        dataset->snapshot = snapshotName;
        dataset->phys = MP_TRY(format::DslDatasetPhys::decode(dnode->bonus, dnode->order));
        dataset->extensible = dnode->type != format::number(ObjectType::DslDataset);
        known = std::move(dataset);
    }
    if (known->phys.directory != directory->object || known->isSnapshot() == snapshotName.empty() ||
        known->snapshot != snapshotName) // INV-2
    {
        return fail(badDataset(object, "a dataset is not what the directory that names it says"));
    }
    const MutexLock lock(m_mutex);
    if (m_datasets.size() >= kMaxCachedDatasets) {
        m_datasets.clear();
    }
    return m_datasets.emplace(id, std::move(known)).first->second;
}

Result<DirectoryRef> DatasetTree::findDirectory(std::string_view name, const ReadContext& context)
{
    const SplitName split = MP_TRY(splitName(name));
    std::string_view rest = split.path;
    const std::string_view pool = rest.substr(0, rest.find('/'));
    if (split.separator != 0 || pool != m_poolName || isHidden(name)) {
        return noSuchDataset(name);
    }
    DirectoryRef directory = m_root;
    rest.remove_prefix(pool.size());
    while (!rest.empty()) {
        rest.remove_prefix(1);
        const std::string_view leaf = rest.substr(0, rest.find('/'));
        rest.remove_prefix(leaf.size());
        const Zap zap = MP_TRY(Zap::open(*m_mos, directory->phys.childDirectories, context));
        const auto child = zap.number(leaf, context);
        if (!child) {
            return child.error().is(ErrorCode::NoSuchEntry) ? noSuchDataset(name)
                                                            : fail(child.error());
        }
        directory = MP_TRY(loadDirectory(ObjectId(*child), {directory, leaf}, context));
    }
    return directory;
}

Result<Node> DatasetTree::find(std::string_view name, const ReadContext& context)
{
    const SplitName split = MP_TRY(splitName(name));
    const DirectoryRef directory = MP_TRY(findDirectory(split.path, context));
    switch (split.separator) {
    case '@':
        return findSnapshot(directory, split.lastPart, context);
    case '#':
        return findBookmark(directory, split.lastPart, context);
    default:
        return node(MP_TRY(head(directory, context)), context);
    }
}

Result<Node> DatasetTree::findSnapshot(const DirectoryRef& directory,
                                       std::string_view name,
                                       const ReadContext& context)
{
    return node(MP_TRY(snapshot(directory, name, context)), context);
}

Result<Node> DatasetTree::findBookmark(const DirectoryRef& directory,
                                       std::string_view name,
                                       const ReadContext& context)
{
    for (Bookmark& bookmark : MP_TRY(bookmarks(directory, context))) {
        if (bookmark.bookmark == name) {
            return Node{Kind::Bookmark, Kind::Filesystem, directory, nullptr, std::move(bookmark)};
        }
    }
    return noSuchDataset(fmt::format("{}#{}", directory->name, name));
}

Result<std::vector<DirectoryRef>> DatasetTree::allChildren(const DirectoryRef& directory,
                                                           const ReadContext& context)
{
    std::vector<DirectoryRef> children;
    if (directory->phys.childDirectories.value() == 0) {
        return children;
    }
    const Zap zap = MP_TRY(Zap::open(*m_mos, directory->phys.childDirectories, context));
    MP_TRY(zap.forEach(
        [&](const ZapEntry& entry) -> Result<bool> {
            const ObjectId object(entry.first());
            children.push_back(MP_TRY(loadDirectory(object, {directory, entry.name}, context)));
            return true;
        },
        context));
    std::ranges::sort(children, {}, [](const DirectoryRef& child) { return child->leafName(); });
    return children;
}

Result<std::vector<DirectoryRef>> DatasetTree::children(const DirectoryRef& directory,
                                                        const ReadContext& context)
{
    auto children = MP_TRY(allChildren(directory, context));
    std::erase_if(children, [](const DirectoryRef& child) { return isHidden(child->leafName()); });
    return children;
}

Result<DatasetRef> DatasetTree::head(const DirectoryRef& directory, const ReadContext& context)
{
    const ObjectId object = directory->phys.headDataset;
    if (object.value() == 0) {
        return noSuchDataset(directory->name);
    }
    return loadDataset(ObjsetId(object.value()), directory, {}, context);
}

Result<std::vector<DatasetRef>> DatasetTree::allSnapshots(const DirectoryRef& directory,
                                                          const ReadContext& context)
{
    std::vector<DatasetRef> snapshots;
    if (directory->phys.headDataset.value() == 0) {
        return snapshots;
    }
    const DatasetRef live = MP_TRY(head(directory, context));
    if (live->phys.snapshotNames.value() == 0) {
        return snapshots;
    }
    const Zap zap = MP_TRY(Zap::open(*m_mos, live->phys.snapshotNames, context));
    MP_TRY(zap.forEach(
        [&](const ZapEntry& entry) -> Result<bool> {
            const ObjsetId id(entry.first());
            snapshots.push_back(MP_TRY(loadDataset(id, directory, entry.name, context)));
            return true;
        },
        context));
    std::ranges::sort(snapshots, {}, [](const DatasetRef& snapshot) {
        return std::pair<Txg, std::string_view>(snapshot->phys.creationTxg, snapshot->snapshot);
    });
    return snapshots;
}

Result<std::vector<DatasetRef>> DatasetTree::snapshots(const DirectoryRef& directory,
                                                       const ReadContext& context)
{
    auto snapshots = MP_TRY(allSnapshots(directory, context));
    std::erase_if(snapshots,
                  [](const DatasetRef& snapshot) { return isHidden(snapshot->snapshot); });
    return snapshots;
}

Result<DatasetRef> DatasetTree::snapshot(const DirectoryRef& directory,
                                         std::string_view name,
                                         const ReadContext& context)
{
    const auto missing = [&] { return noSuchDataset(fmt::format("{}@{}", directory->name, name)); };
    const DatasetRef live = MP_TRY(head(directory, context));
    if (live->phys.snapshotNames.value() == 0 || isHidden(name)) {
        return missing();
    }
    const Zap zap = MP_TRY(Zap::open(*m_mos, live->phys.snapshotNames, context));
    const bool ignoreCase = (live->phys.flags & format::DatasetFlag::kIgnoreCase) != 0;
    const auto entry =
        ignoreCase ? zap.lookup(name, {.ignoreCase = true}, context) : zap.lookup(name, context);
    if (!entry) {
        return entry.error().is(ErrorCode::NoSuchEntry) ? missing() : fail(entry.error());
    }
    return loadDataset(ObjsetId(entry->first()), directory, entry->name, context);
}

Result<std::vector<Bookmark>> DatasetTree::bookmarks(const DirectoryRef& directory,
                                                     const ReadContext& context)
{
    std::vector<Bookmark> bookmarks;
    const DatasetRef live = MP_TRY(head(directory, context));
    if (!live->extensible) {
        return bookmarks;
    }
    const Zap fields = MP_TRY(Zap::open(*m_mos, ObjectId(live->id.value()), context));
    const auto object = fields.number(format::kDatasetBookmarks, context);
    if (!object) {
        if (object.error().is(ErrorCode::NoSuchEntry)) {
            return bookmarks;
        }
        return fail(object.error());
    }
    const Zap zap = MP_TRY(Zap::open(*m_mos, ObjectId(*object), context));
    MP_TRY(zap.forEach(
        [&](const ZapEntry& entry) -> Result<bool> {
            auto phys = MP_TRY(format::BookmarkPhys::decode(entry.values));
            bookmarks.push_back({directory, entry.name, phys});
            return true;
        },
        context));
    std::ranges::sort(bookmarks, {}, &Bookmark::bookmark);
    return bookmarks;
}

Result<std::vector<Hold>> DatasetTree::holds(const Dataset& snapshot, const ReadContext& context)
{
    std::vector<Hold> holds;
    if (snapshot.phys.userRefs.value() == 0) {
        return holds;
    }
    const Zap zap = MP_TRY(Zap::open(*m_mos, snapshot.phys.userRefs, context));
    MP_TRY(zap.forEach(
        [&](const ZapEntry& entry) -> Result<bool> {
            holds.push_back({entry.name, entry.first()});
            return true;
        },
        context));
    std::ranges::sort(holds, {}, &Hold::tag);
    return holds;
}

Result<DatasetRef> DatasetTree::origin(const Directory& directory, const ReadContext& context)
{
    if (directory.phys.origin.value() == 0) {
        return DatasetRef();
    }
    DatasetRef origin = MP_TRY(dataset(ObjsetId(directory.phys.origin.value()), context));
    // Newer pools make every dataset a clone of an empty one of their own.
    return origin->directory->leafName() == format::kOriginDirectory ? DatasetRef() : origin;
}

Result<std::optional<std::vector<std::string>>>
DatasetTree::recordedClones(const Dataset& snapshot, const ReadContext& context)
{
    // An old fault of other writers left entries out: the list is believed only when it is
    // complete.
    const ObjectId object = snapshot.phys.nextClones;
    if (object.value() == 0) {
        return std::nullopt;
    }
    const Zap zap = MP_TRY(Zap::open(*m_mos, object, context));
    if (MP_TRY(zap.count(context)) != snapshot.phys.childCount - 1) {
        return std::nullopt;
    }
    std::vector<std::string> names;
    MP_TRY(zap.forEach(
        [&](const ZapEntry& entry) -> Result<bool> {
            names.push_back(MP_TRY(dataset(ObjsetId(entry.first()), context))->directory->name);
            return true;
        },
        context));
    return names;
}

Result<std::shared_ptr<const DatasetTree::ClonesByOrigin>>
DatasetTree::clonesBySearch(const ReadContext& context)
{
    {
        const MutexLock lock(m_mutex);
        if (m_clones) {
            return m_clones;
        }
    }
    auto clones = std::make_shared<ClonesByOrigin>();
    std::vector<DirectoryRef> pending{m_root};
    while (!pending.empty()) // ends by INV-1
    {
        const DirectoryRef directory = std::move(pending.back());
        pending.pop_back();
        if (directory->phys.origin.value() != 0) {
            (*clones)[ObjsetId(directory->phys.origin.value())].push_back(directory->name);
        }
        auto below = MP_TRY(children(directory, context));
        pending.insert(pending.end(), below.rbegin(), below.rend());
    }
    const MutexLock lock(m_mutex);
    m_clones = clones;
    return m_clones;
}

Result<std::vector<std::string>> DatasetTree::clones(const Dataset& snapshot,
                                                     const ReadContext& context)
{
    std::vector<std::string> none;
    if (snapshot.phys.childCount <= 1) {
        return none;
    }
    if (auto recorded = MP_TRY(recordedClones(snapshot, context))) {
        return std::move(*recorded);
    }
    const auto all = MP_TRY(clonesBySearch(context));
    const auto found = all->find(snapshot.id);
    return found == all->end() ? none : found->second;
}

Result<DirectoryRef> DatasetTree::directory(ObjectId object, const ReadContext& context)
{
    return directoryAt(object, 0, context);
}

// NOLINTNEXTLINE(misc-no-recursion): up to the root, kMaxDepth steps at most
Result<DirectoryRef>
DatasetTree::directoryAt(ObjectId object, unsigned depth, const ReadContext& context)
{
    if (DirectoryRef cached = cachedDirectory(object)) {
        return cached;
    }
    if (depth > kMaxDepth) {
        return fail(badDataset(object, "dataset directories are nested too deeply")); // INV-3
    }
    const DnodeRef dnode = MP_TRY(m_mos->dnode(object, context));
    const auto phys = MP_TRY(format::DslDirPhys::decode(dnode->bonus, dnode->order));
    if (phys.parent.value() == 0) {
        return fail(badDataset(object, "a dataset directory without a parent is not the root"));
    }
    // Names are kept by the parent only. Loading all its children makes later questions cheap.
    const DirectoryRef parent = MP_TRY(directoryAt(phys.parent, depth + 1, context));
    MP_TRY(allChildren(parent, context));
    if (DirectoryRef found = cachedDirectory(object)) {
        return found;
    }
    return fail(badDataset(object, "a dataset directory is unknown to its parent"));
}

Result<std::string>
DatasetTree::snapshotNameOf(const DirectoryRef& directory, ObjsetId id, const ReadContext& context)
{
    const DatasetRef live = MP_TRY(head(directory, context));
    std::optional<std::string> name;
    if (live->phys.snapshotNames.value() != 0) {
        const Zap zap = MP_TRY(Zap::open(*m_mos, live->phys.snapshotNames, context));
        MP_TRY(zap.forEach(
            [&](const ZapEntry& entry) -> Result<bool> {
                if (entry.first() == id.value()) {
                    name = entry.name;
                }
                return !name;
            },
            context));
    }
    if (!name) {
        return fail(badDataset(ObjectId(id.value()), "a snapshot is unknown to its dataset"));
    }
    return std::move(*name);
}

Result<format::DslDatasetPhys> DatasetTree::stored(ObjsetId id, const ReadContext& context)
{
    if (const DatasetRef cached = cachedDataset(id)) {
        return cached->phys;
    }
    const auto missing = [&] {
        return fail(ErrorCode::NoSuchDataset, "dataset does not exist", {.objset = id});
    };
    const auto dnode = m_mos->dnode(ObjectId(id.value()), context);
    if (!dnode) {
        return dnode.error().is(ErrorCode::NoSuchObject) ? missing() : fail(dnode.error());
    }
    if ((*dnode)->bonusType != format::number(ObjectType::DslDataset)) {
        return missing();
    }
    return format::DslDatasetPhys::decode((*dnode)->bonus, (*dnode)->order);
}

Result<DatasetRef> DatasetTree::dataset(ObjsetId id, const ReadContext& context)
{
    if (DatasetRef cached = cachedDataset(id)) {
        return cached;
    }
    const auto phys = MP_TRY(stored(id, context));
    const DirectoryRef place = MP_TRY(directory(phys.directory, context));
    const std::string name =
        phys.isSnapshot() ? MP_TRY(snapshotNameOf(place, id, context)) : std::string();
    return loadDataset(id, place, name, context);
}

Result<Kind> DatasetTree::content(const Dataset& dataset, const ReadContext& context)
{
    {
        const MutexLock lock(m_mutex);
        const auto found = m_contents.find(dataset.directory->object);
        if (found != m_contents.end()) {
            return found->second;
        }
    }
    // A snapshot holds what its head holds, so one block answers for all of them.
    const DatasetRef live = MP_TRY(head(dataset.directory, context));
    const Dataset& asked = live->phys.root.isHole() ? dataset : *live;
    Kind kind = Kind::Filesystem;
    if (!asked.phys.root.isHole()) {
        const auto objset = MP_TRY(openObjset(asked, context));
        kind =
            objset->header().type == format::ObjsetType::Volume ? Kind::Volume : Kind::Filesystem;
    }
    const MutexLock lock(m_mutex);
    return m_contents.emplace(dataset.directory->object, kind).first->second;
}

Result<Node> DatasetTree::node(const DatasetRef& dataset, const ReadContext& context)
{
    const Kind holds = MP_TRY(content(*dataset, context));
    return Node{dataset->isSnapshot() ? Kind::Snapshot : holds,
                holds,
                dataset->directory,
                dataset,
                std::nullopt};
}

Result<std::shared_ptr<ObjectSet>> DatasetTree::openObjset(const Dataset& dataset,
                                                           const ReadContext& context)
{
    if (dataset.phys.root.isHole()) {
        return fail(ErrorCode::BadDataset,
                    "the dataset has no content yet",
                    {.objset = dataset.id, .dataset = dataset.name()});
    }
    auto objset = ObjectSet::open(m_mos->source(), dataset.phys.root, dataset.id, context);
    if (!objset) {
        return fail(std::move(objset).error().at({.dataset = dataset.name()}));
    }
    return objset;
}

} // namespace millpond::dataset
