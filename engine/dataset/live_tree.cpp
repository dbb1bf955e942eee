// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/live_tree.h"

#include "dataset/detail/available.h"
#include "dataset/detail/extensible.h"
#include "dataset/detail/stored_settings.h"
#include "format/feature.h"
#include "format/name.h"
#include "format/zap.h"
#include "object/zap.h"
#include "object/zap_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

// Theory of the dataset layer, writing.
//
// Purpose. Keeps the directories and datasets of a pool while transaction groups are written: who
// uses how much, what is created, renamed, destroyed, set. dataset_tree.cpp is the other half: it
// reads one synced txg and never changes.
//
// In memory. One LiveDirectory and LiveDataset for each that was touched, with its bonus buffer
// decoded. They are the truth while the pool is open; flush() writes the changed ones into the MOS,
// once a pass, before the MOS itself is written.
//
// INV-1 A directory's `used` is the sum of its breakdown (pools from version 13 on).
// INV-2 What a directory counts is counted in every ancestor, at least as much as its reservation.
// INV-3 `unique` of a head is what freeing it would give back: blocks born after its previous
//       snapshot.
// INV-4 Readers of figures see a whole change or none: figures change under one mutex.
//
// Syncing context only, one thread; figures may be read by anybody. A crash leaves the last synced
// txg. Cost: proportional to what is touched and its depth in the tree.
//
// Sources: OpenZFS module/zfs/dsl_dir.c, dsl_dataset.c, dsl_destroy.c, dsl_prop.c, dsl_pool.c.

namespace millpond::dataset {

using format::DirUsed;
using format::DslDatasetPhys;
using format::DslDirPhys;
using format::ObjectType;
using object::ObjectSpec;
using object::Zap;
using object::ZapEntry;
using object::ZapValue;
using object::ZapWriter;

namespace {
constexpr std::uint64_t kVersionNextClones = 11;
constexpr std::uint64_t kVersionDirClones = 26;
constexpr std::uint64_t kVersionUniqueAccurate = 9;
/// The origin's snapshot is older than any block of a pool.
constexpr Txg kOriginTxg{1};
/// A pool's first txg [TXG_INITIAL]: what is made in it counts as made with the origin.
constexpr Txg kFirstTxg{4};
constexpr std::uint64_t kFsidMask = (std::uint64_t{1} << 56) - 1;

/// Of names of the pool's own directories.
constexpr std::string_view kOwnPrefix = "$";

std::size_t index(DirUsed kind)
{
    return static_cast<std::size_t>(kind);
}

std::uint64_t plus(std::uint64_t value, std::int64_t delta)
{
    return value + static_cast<std::uint64_t>(delta); // modulo 2^64
}

std::int64_t difference(std::uint64_t a, std::uint64_t b)
{
    return static_cast<std::int64_t>(a - b);
}

/// What the parent counts more when something of `used` bytes grows by `delta`.
std::int64_t countedMore(std::uint64_t used, std::uint64_t reserved, std::int64_t delta)
{
    return difference(std::max(plus(used, delta), reserved), std::max(used, reserved));
}

bool hasBreakdown(const LiveDirectory& directory)
{
    return (directory.phys.flags & DslDirPhys::kUsedBreakdown) != 0;
}

} // namespace

LiveTree::LiveTree(LiveTreePorts ports)
    : m_ports(std::move(ports))
    , m_lists{m_ports.mos, m_ports.features, m_ports.version, m_ports.charged}
{
}

LiveTree::~LiveTree() = default;

std::uint64_t LiveTree::nowSeconds() const
{
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::seconds>(m_ports.clock.wall()).count());
}

// --- Opening ---

Status LiveTree::create(Txg txg)
{
    const ObjectId object = MP_TRY(makeDirectoryObject(ObjectId(0), txg));
    ZapWriter zaps(m_ports.mos, txg);
    MP_TRY(zaps.add(format::kPoolDirectoryObject, format::kPoolRootDataset, object.value()));
    m_root = MP_TRY(loadDirectory(object, m_ports.poolName));
    m_mosDirectory = MP_TRY(createDirectory(*m_root, format::kMosDirectory, txg));
    if (m_ports.version >= format::kVersionDeadlists) {
        m_freeDirectory = MP_TRY(createDirectory(*m_root, format::kFreeDirectory, txg));
    }
    if (m_ports.version >= format::kVersionOrigin) {
        LiveDirectory* directory = MP_TRY(createDirectory(*m_root, format::kOriginDirectory, txg));
        LiveDataset* head = MP_TRY(createDataset(*directory, nullptr, txg));
        m_origin = MP_TRY(snapshotOrigin(*head, txg));
    }
    return {};
}

Status LiveTree::open()
{
    const Zap directory = MP_TRY(Zap::open(m_ports.mos, format::kPoolDirectoryObject));
    const ObjectId root(MP_TRY(directory.number(format::kPoolRootDataset)));
    m_root = MP_TRY(loadDirectory(root, m_ports.poolName));
    m_mosDirectory = MP_TRY(child(*m_root, format::kMosDirectory));
    if (m_ports.version >= format::kVersionDeadlists) {
        m_freeDirectory = MP_TRY(child(*m_root, format::kFreeDirectory));
    }
    if (m_ports.version >= format::kVersionOrigin) {
        LiveDirectory* origin = MP_TRY(child(*m_root, format::kOriginDirectory));
        const LiveDataset* head = MP_TRY(this->head(*origin));
        m_origin = MP_TRY(dataset(ObjsetId(head->phys.previousSnapshot.value())));
    }
    return {};
}

Result<LiveDirectory*> LiveTree::loadDirectory(ObjectId object, std::string name)
{
    {
        const MutexLock lock(m_mutex);
        if (const auto known = m_directories.find(object); known != m_directories.end()) {
            return known->second.get();
        }
    }
    const object::DnodeRef dnode = MP_TRY(m_ports.mos.dnode(object));
    auto made = std::make_unique<LiveDirectory>();
    made->object = object;
    made->name = std::move(name);
    made->phys = MP_TRY(DslDirPhys::decode(dnode->bonus, dnode->order));
    if (made->phys.parent.value() != 0) {
        made->parent = MP_TRY(directory(made->phys.parent));
        if (made->name.empty()) {
            made->name = MP_TRY(nameIn(made->phys.parent, object));
        }
    }
    if (made->phys.origin.value() != 0) {
        const object::DnodeRef origin = MP_TRY(m_ports.mos.dnode(made->phys.origin));
        made->originTxg = MP_TRY(DslDatasetPhys::decode(origin->bonus, origin->order)).creationTxg;
    }
    const MutexLock lock(m_mutex);
    return m_directories.emplace(object, std::move(made)).first->second.get();
}

/// A chain of parents is no longer than names allow: a longer one is damage.
Result<LiveDirectory*> LiveTree::directory(ObjectId object)
{
    std::vector<ObjectId> chain;
    for (ObjectId at = object; at.value() != 0;) {
        {
            const MutexLock lock(m_mutex);
            if (m_directories.contains(at)) {
                break;
            }
        }
        if (chain.size() > format::kMaxDatasetDepth) {
            return fail(Error(ErrorCode::BadDataset, "directories are nested too deep")
                            .at({.object = object}));
        }
        chain.push_back(at);
        const object::DnodeRef dnode = MP_TRY(m_ports.mos.dnode(at));
        at = MP_TRY(DslDirPhys::decode(dnode->bonus, dnode->order)).parent;
    }
    while (chain.size() > 1) {
        MP_TRY(loadDirectory(chain.back(), ""));
        chain.pop_back();
    }
    return loadDirectory(object, "");
}

Result<std::string> LiveTree::nameIn(ObjectId parent, ObjectId child)
{
    const LiveDirectory* above = MP_TRY(directory(parent));
    const Zap names = MP_TRY(Zap::open(m_ports.mos, above->phys.childDirectories));
    std::string found;
    MP_TRY(names.forEach([&](const ZapEntry& entry) -> Result<bool> {
        if (entry.first() == child.value()) {
            found = entry.name;
        }
        return found.empty();
    }));
    if (found.empty()) {
        return fail(Error(ErrorCode::BadDataset, "a directory that its parent does not know")
                        .at({.object = child}));
    }
    return found;
}

Result<LiveDirectory*> LiveTree::child(LiveDirectory& parent, std::string_view name)
{
    const Zap names = MP_TRY(Zap::open(m_ports.mos, parent.phys.childDirectories));
    const auto object = names.number(name);
    if (!object) {
        if (object.error().is(ErrorCode::NoSuchEntry)) {
            return fail(ErrorCode::NoSuchDataset, fmt::format("no such dataset: {}", name));
        }
        return fail(object.error());
    }
    return loadDirectory(ObjectId(*object), std::string(name));
}

Result<LiveDirectory*> LiveTree::find(std::string_view name)
{
    MP_TRY(format::checkName(name, format::NameKind::Filesystem));
    LiveDirectory* at = m_root;
    std::size_t slash = name.find('/');
    while (slash != std::string_view::npos) {
        name.remove_prefix(slash + 1);
        slash = name.find('/');
        at = MP_TRY(child(*at, name.substr(0, slash)));
    }
    return at;
}

Result<LiveDataset*> LiveTree::dataset(ObjsetId id)
{
    {
        const MutexLock lock(m_mutex);
        if (const auto known = m_datasets.find(id); known != m_datasets.end()) {
            return known->second.get();
        }
    }
    const object::DnodeRef dnode = MP_TRY(m_ports.mos.dnode(ObjectId(id.value())));
    auto made = std::make_unique<LiveDataset>();
    made->id = id;
    made->phys = MP_TRY(DslDatasetPhys::decode(dnode->bonus, dnode->order));
    made->directory = MP_TRY(directory(made->phys.directory));
    if (!made->phys.isSnapshot()) {
        const ObjectId properties = made->directory->phys.properties;
        made->refQuota = MP_TRY(detail::ownNumber(m_lists, properties, detail::kRefQuota));
        made->refReservation =
            MP_TRY(detail::ownNumber(m_lists, properties, detail::kRefReservation));
    }
    MP_TRY(readFeatures(*made));
    const MutexLock lock(m_mutex);
    return m_datasets.emplace(id, std::move(made)).first->second.get();
}

/// They stand among the dataset's fields by their guids.
Status LiveTree::readFeatures(LiveDataset& dataset)
{
    const ObjectId object(dataset.id.value());
    if (!MP_TRY(detail::isExtensible(m_lists, object))) {
        return {};
    }
    const Zap fields = MP_TRY(Zap::open(m_ports.mos, object));
    return fields.forEach([&](const ZapEntry& entry) -> Result<bool> {
        const format::Feature* feature = format::featureByGuid(entry.name);
        if (feature != nullptr && feature->perDataset) {
            dataset.features.push_back(feature);
        }
        return true;
    });
}

Result<LiveDataset*> LiveTree::head(LiveDirectory& directory)
{
    if (directory.phys.headDataset.value() == 0) {
        return fail(ErrorCode::NoSuchDataset,
                    fmt::format("\"{}\" is the pool's own, and no dataset", directory.name));
    }
    return dataset(ObjsetId(directory.phys.headDataset.value()));
}

Result<std::vector<std::string>> LiveTree::childNames(LiveDirectory& directory)
{
    std::vector<std::string> names;
    const Zap children = MP_TRY(Zap::open(m_ports.mos, directory.phys.childDirectories));
    MP_TRY(children.forEach([&](const ZapEntry& entry) -> Result<bool> {
        names.push_back(entry.name);
        return true;
    }));
    return names;
}

// --- Creating ---

/// An object that is all bonus buffer.
template <class Phys>
Result<ObjectId> LiveTree::makeObject(ObjectType type, const Phys& phys, Txg txg)
{
    std::vector<std::byte> bonus(Phys::kBytes);
    phys.encode(bonus);
    return m_ports.mos.allocateObject(txg,
                                      ObjectSpec{.type = format::number(type),
                                                 .bonusType = format::number(type),
                                                 .bonus = bonus});
}

Result<ObjectId> LiveTree::makeDirectoryObject(ObjectId parent, Txg txg)
{
    ZapWriter zaps(m_ports.mos, txg);
    DslDirPhys phys;
    phys.creationTime = nowSeconds();
    phys.parent = parent;
    phys.properties = MP_TRY(zaps.create({.type = format::number(ObjectType::DslProperties)}));
    phys.childDirectories =
        MP_TRY(zaps.create({.type = format::number(ObjectType::DslDirChildMap)}));
    if (m_ports.version >= format::kVersionUsedBreakdown) {
        phys.flags |= DslDirPhys::kUsedBreakdown;
    }
    return makeObject(ObjectType::DslDir, phys, txg);
}

Result<LiveDirectory*>
LiveTree::createDirectory(LiveDirectory& parent, std::string_view name, Txg txg)
{
    {
        const Zap names = MP_TRY(Zap::open(m_ports.mos, parent.phys.childDirectories));
        if (names.lookup(name)) {
            return fail(ErrorCode::AlreadyExists,
                        fmt::format("a dataset \"{}\" is there already", name));
        }
    }
    const ObjectId object = MP_TRY(makeDirectoryObject(parent.object, txg));
    ZapWriter zaps(m_ports.mos, txg);
    MP_TRY(zaps.add(parent.phys.childDirectories, name, object.value()));
    if (!name.starts_with(kOwnPrefix)) {
        MP_TRY(countBelow(parent, format::kDirFilesystemCount, 1, txg));
    }
    return loadDirectory(object, std::string(name));
}

Result<LiveDataset*> LiveTree::createHead(LiveDirectory& directory, Txg txg)
{
    return createDataset(directory, m_origin, txg);
}

Result<LiveDataset*> LiveTree::createDataset(LiveDirectory& directory, LiveDataset* origin, Txg txg)
{
    ZapWriter zaps(m_ports.mos, txg);
    DeadlistWriter deadlists(m_lists, txg);
    DslDatasetPhys phys;
    phys.directory = directory.object;
    phys.fsidGuid = m_ports.random.next() & kFsidMask;
    phys.guid = m_ports.random.next();
    phys.creationTime = nowSeconds();
    phys.creationTxg = txg == kFirstTxg ? kOriginTxg : txg;
    phys.snapshotNames =
        MP_TRY(zaps.create({.type = format::number(ObjectType::DslDatasetSnapMap),
                            .normalization = format::NormalizationFlag::kToUpper}));
    if (m_ports.version >= kVersionUniqueAccurate) {
        phys.flags |= format::DatasetFlag::kUniqueAccurate;
    }
    if (origin == nullptr) {
        phys.deadlist = MP_TRY(deadlists.create());
    } else {
        const LiveDataset* originHead = MP_TRY(head(*origin->directory));
        phys.previousSnapshot = ObjectId(origin->id.value());
        phys.previousSnapshotTxg = origin->phys.creationTxg;
        phys.referencedBytes = origin->phys.referencedBytes;
        phys.compressedBytes = origin->phys.compressedBytes;
        phys.uncompressedBytes = origin->phys.uncompressedBytes;
        phys.root = origin->phys.root;
        phys.deadlist =
            MP_TRY(deadlists.cloneGroups(originHead->phys.deadlist, phys.previousSnapshotTxg));
    }
    const ObjectId object = MP_TRY(makeObject(ObjectType::DslDataset, phys, txg));
    {
        const MutexLock lock(m_mutex);
        directory.phys.headDataset = object;
        markDirty(directory);
    }
    LiveDataset* made = MP_TRY(dataset(ObjsetId(object.value())));
    if (origin != nullptr) {
        MP_TRY(joinOrigin(*made, *origin, txg));
        for (const format::Feature* feature : origin->features) {
            MP_TRY(activateFeature(*made, *feature, txg));
        }
    }
    return made;
}

Status LiveTree::joinOrigin(LiveDataset& dataset, LiveDataset& origin, Txg txg)
{
    ZapWriter zaps(m_ports.mos, txg);
    ObjectId nextClones = origin.phys.nextClones;
    if (m_ports.version >= kVersionNextClones) {
        if (nextClones.value() == 0) {
            nextClones = MP_TRY(zaps.create({.type = format::number(ObjectType::NextClones)}));
        }
        MP_TRY(zaps.addNumber(nextClones, dataset.id.value()));
    }
    ObjectId clones = origin.directory->phys.clones;
    if (m_ports.version >= kVersionDirClones) {
        if (clones.value() == 0) {
            clones = MP_TRY(zaps.create({.type = format::number(ObjectType::DslClones)}));
        }
        MP_TRY(zaps.addNumber(clones, dataset.id.value()));
    }
    const MutexLock lock(m_mutex);
    ++origin.phys.childCount;
    origin.phys.nextClones = nextClones;
    origin.directory->phys.clones = clones;
    dataset.directory->phys.origin = ObjectId(origin.id.value());
    dataset.directory->originTxg = origin.phys.creationTxg;
    markDirty(origin);
    markDirty(*origin.directory);
    markDirty(*dataset.directory);
    return {};
}

/// The one snapshot that this layer makes itself: of the pool's empty origin.
Result<LiveDataset*> LiveTree::snapshotOrigin(LiveDataset& head, Txg txg)
{
    DeadlistWriter deadlists(m_lists, txg);
    DslDatasetPhys phys = head.phys;
    phys.fsidGuid = m_ports.random.next() & kFsidMask;
    phys.guid = m_ports.random.next();
    phys.nextSnapshot = ObjectId(head.id.value());
    phys.childCount = 1;
    phys.creationTxg = kOriginTxg;
    phys.snapshotNames = ObjectId(0);
    phys.uniqueBytes = 0;
    const ObjectId object = MP_TRY(makeObject(ObjectType::DslDataset, phys, txg));
    const ObjectId deadlist = MP_TRY(deadlists.cloneGroups(phys.deadlist, Txg(~std::uint64_t{0})));
    MP_TRY(deadlists.addGroup(deadlist, phys.previousSnapshotTxg));
    ZapWriter zaps(m_ports.mos, txg);
    MP_TRY(zaps.add(head.phys.snapshotNames, format::kOriginDirectory, object.value()));
    {
        const MutexLock lock(m_mutex);
        head.phys.deadlist = deadlist;
        head.phys.previousSnapshot = object;
        head.phys.previousSnapshotTxg = kOriginTxg;
        head.phys.uniqueBytes = 0;
        markDirty(head);
    }
    return dataset(ObjsetId(object.value()));
}

// --- Figures ---

void LiveTree::markDirty(LiveDirectory& directory)
{
    if (!directory.dirty) {
        directory.dirty = true;
        m_dirtyDirectories.push_back(&directory);
    }
}

void LiveTree::markDirty(LiveDataset& dataset)
{
    if (!dataset.dirty) {
        dataset.dirty = true;
        m_dirtyDatasets.push_back(&dataset);
    }
}

/// Upwards, one level after the other: what a level counts more is what its parent gets, first as
/// reserved, of which `used` then is really used.
void LiveTree::use(LiveDirectory& directory, DirUsed kind, const SpaceDelta& delta)
{
    std::int64_t counted = delta.used;
    std::int64_t used = 0; // of `counted`, moved on from reserved to used
    LiveDirectory* at = &directory;
    DirUsed as = kind;
    while (at != nullptr) {
        DslDirPhys& phys = at->phys;
        const std::int64_t more = countedMore(phys.usedBytes, phys.reserved, counted);
        phys.usedBytes = plus(phys.usedBytes, counted);
        phys.compressedBytes = plus(phys.compressedBytes, delta.compressed);
        phys.uncompressedBytes = plus(phys.uncompressedBytes, delta.uncompressed);
        if (hasBreakdown(*at)) {
            auto& breakdown = phys.usedBreakdown;
            if (at == &directory) {
                breakdown[index(as)] = plus(breakdown[index(as)], counted);
            } else {
                std::uint64_t& reserved = breakdown[index(DirUsed::ChildReservations)];
                std::uint64_t& children = breakdown[index(DirUsed::Children)];
                reserved = plus(reserved, counted - used);
                children = plus(children, used);
            }
        }
        markDirty(*at);
        used = counted;
        counted = more;
        at = at->parent;
    }
}

void LiveTree::useSpace(LiveDirectory& directory, DirUsed kind, const SpaceDelta& delta)
{
    const MutexLock lock(m_mutex);
    use(directory, kind, delta);
}

void LiveTree::move(LiveDirectory& directory, std::int64_t bytes, DirUsed from, DirUsed to)
{
    if (bytes == 0 || !hasBreakdown(directory)) {
        return;
    }
    auto& breakdown = directory.phys.usedBreakdown;
    breakdown[index(from)] = plus(breakdown[index(from)], -bytes);
    breakdown[index(to)] = plus(breakdown[index(to)], bytes);
    markDirty(directory);
}

void LiveTree::useMosSpace(const SpaceDelta& delta)
{
    useSpace(*m_mosDirectory, DirUsed::Head, delta);
}

void LiveTree::useFreeingSpace(const SpaceDelta& delta)
{
    if (m_freeDirectory != nullptr) {
        useSpace(*m_freeDirectory, DirUsed::Head, delta);
    }
}

void LiveTree::setRoot(LiveDataset& dataset, const format::BlockPointer& root)
{
    const MutexLock lock(m_mutex);
    dataset.phys.root = root;
    markDirty(dataset);
}

/// What the head's unique bytes count for in its directory: its reservation at least. The rest of
/// the reservation is counted as such; what fills it moves from there.
void LiveTree::useHead(LiveDataset& dataset, const SpaceDelta& delta)
{
    const std::int64_t counted =
        countedMore(dataset.phys.uniqueBytes, dataset.refReservation, delta.used);
    dataset.phys.uniqueBytes = plus(dataset.phys.uniqueBytes, delta.used);
    use(*dataset.directory,
        DirUsed::RefReservation,
        {counted, delta.compressed, delta.uncompressed});
    move(*dataset.directory, delta.used, DirUsed::RefReservation, DirUsed::Head);
    markDirty(dataset);
}

Status LiveTree::apply(LiveDataset& dataset, const BlockChanges& changes, Txg txg)
{
    LiveDataset* previous = nullptr;
    if (changes.uniqueToPrevious != 0) {
        previous = MP_TRY(this->dataset(ObjsetId(dataset.phys.previousSnapshot.value())));
    }
    for (const format::Feature* feature : changes.features) {
        MP_TRY(activateFeature(dataset, *feature, txg));
    }
    MP_TRY(DeadlistWriter(m_lists, txg).insert(dataset.phys.deadlist, changes.dead));
    MP_TRY(writeBookmarks(dataset, changes.bookmarks, txg));
    const MutexLock lock(m_mutex);
    SpaceDelta own = changes.born;
    own.add(changes.killedOwn.negated());
    useHead(dataset, own);
    SpaceDelta referenced = own;
    referenced.add(changes.killedShared.negated());
    DslDatasetPhys& phys = dataset.phys;
    phys.referencedBytes = plus(phys.referencedBytes, referenced.used);
    phys.compressedBytes = plus(phys.compressedBytes, referenced.compressed);
    phys.uncompressedBytes = plus(phys.uncompressedBytes, referenced.uncompressed);
    move(*dataset.directory,
         static_cast<std::int64_t>(changes.sharedAfterOrigin),
         DirUsed::Head,
         DirUsed::Snapshots);
    if (previous != nullptr) {
        previous->phys.uniqueBytes += changes.uniqueToPrevious;
        markDirty(*previous);
    }
    return {};
}

Status
LiveTree::writeBookmarks(LiveDataset& dataset, std::span<const BookmarkCount> bookmarks, Txg txg)
{
    if (std::ranges::none_of(bookmarks, &BookmarkCount::changed)) {
        return {};
    }
    const auto table =
        MP_TRY(detail::field(m_lists, ObjectId(dataset.id.value()), format::kDatasetBookmarks));
    ZapWriter zaps(m_ports.mos, txg);
    for (const BookmarkCount& bookmark : bookmarks) {
        if (bookmark.changed) {
            MP_TRY(zaps.update(ObjectId(table.value_or(0)),
                               bookmark.name,
                               ZapValue::integers(bookmark.phys.encode())));
        }
    }
    return {};
}

Status LiveTree::activateFeature(LiveDataset& dataset, const format::Feature& feature, Txg txg)
{
    if (std::ranges::find(dataset.features, &feature) != dataset.features.end()) {
        return {};
    }
    if (!m_ports.features.isEnabled(feature.name)) {
        return fail(ErrorCode::UnsupportedFeature,
                    fmt::format("a dataset needs feature {}, which the pool does not have enabled",
                                feature.name));
    }
    const ObjectId object(dataset.id.value());
    MP_TRY(m_ports.features.count(feature.name, 1, txg));
    MP_TRY(detail::makeExtensible(m_lists, object, txg));
    MP_TRY(ZapWriter(m_ports.mos, txg).add(object, feature.guid, 0));
    dataset.features.push_back(&feature);
    return {};
}

std::uint64_t LiveTree::availableLocked(const LiveDirectory& directory) const
{
    std::vector<detail::SpaceLevel> upwards;
    for (const LiveDirectory* at = &directory; at != nullptr; at = at->parent) {
        upwards.push_back(detail::SpaceLevel::of(at->phys));
    }
    return detail::availableAt(upwards, m_room.usable);
}

std::uint64_t LiveTree::available(const LiveDirectory& directory) const
{
    const MutexLock lock(m_mutex);
    return availableLocked(directory);
}

std::uint64_t LiveTree::availableToHead(const LiveDataset& dataset) const
{
    const MutexLock lock(m_mutex);
    std::uint64_t bytes = availableLocked(*dataset.directory);
    if (dataset.refReservation > dataset.phys.uniqueBytes) {
        bytes += dataset.refReservation - dataset.phys.uniqueBytes;
    }
    if (dataset.refQuota != 0) {
        const std::uint64_t referenced = dataset.phys.referencedBytes;
        bytes = std::min(bytes, dataset.refQuota - std::min(referenced, dataset.refQuota));
    }
    return bytes;
}

std::uint64_t LiveTree::referenced(const LiveDataset& dataset) const
{
    const MutexLock lock(m_mutex);
    return dataset.phys.referencedBytes;
}

void LiveTree::setRoom(const PoolRoom& room)
{
    const MutexLock lock(m_mutex);
    m_room = room;
}

// --- Writing it down ---

Status LiveTree::flush(Txg txg)
{
    std::vector<std::pair<ObjectId, DslDirPhys>> directories;
    std::vector<std::pair<ObjectId, DslDatasetPhys>> datasets;
    {
        const MutexLock lock(m_mutex);
        for (LiveDirectory* directory : m_dirtyDirectories) {
            if (std::exchange(directory->dirty, false)) { // else destroyed meanwhile
                directories.emplace_back(directory->object, directory->phys);
            }
        }
        for (LiveDataset* dataset : m_dirtyDatasets) {
            if (std::exchange(dataset->dirty, false)) {
                datasets.emplace_back(ObjectId(dataset->id.value()), dataset->phys);
            }
        }
        m_dirtyDirectories.clear();
        m_dirtyDatasets.clear();
    }
    for (const auto& [object, phys] : directories) {
        MP_TRY(writeBonus(object, phys, txg));
    }
    for (const auto& [object, phys] : datasets) {
        MP_TRY(writeBonus(object, phys, txg));
    }
    return {};
}

template <class Phys> Status LiveTree::writeBonus(ObjectId object, const Phys& phys, Txg txg)
{
    const object::DnodeRef dnode = MP_TRY(m_ports.mos.dnode(object));
    std::vector<std::byte> bonus(Phys::kBytes);
    phys.encode(bonus, dnode->order);
    return m_ports.mos.setBonus(txg, object, dnode->bonusType, bonus);
}

bool LiveTree::isDirty() const
{
    const MutexLock lock(m_mutex);
    return !m_dirtyDirectories.empty() || !m_dirtyDatasets.empty();
}

} // namespace millpond::dataset
