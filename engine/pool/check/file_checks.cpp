// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/check/file_checks.h"

#include "format/dnode.h"
#include "format/zap.h"
#include "format/znode.h"
#include "object/zap.h"
#include "pool/check/seen_table.h"
#include "pool/check/tree_difference.h"
#include "posix/file_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

// Theory of checking files.
//
// Purpose. Whether the filesystems of a chain, oldest snapshot first, the live one last, agree with
// themselves: what leads to an object and what the object says of itself.
//
// Method. One table of objects goes through the chain. From one dataset to the next only the
// differences are taken in: dnode blocks and blocks of directories whose pointers are not equal,
// the old one's content taken back, the new one's added. So a block is read once for each of the
// snapshots between which it appeared and vanished, however many share it; the work is what the
// snapshots hold together, not their number times the live filesystem. The first of a chain is
// taken in whole; so is the first of a clone's.
//
// What is compared, and where. In a snapshot the objects that have changed since the one before, so
// that each fault is told where it begins; in the live filesystem every object, so that what is
// wrong there is told whether snapshots share it or not.
//
// INV-1 After each dataset the table holds what a walk of that dataset alone would give.
// INV-2 Once something of a chain could not be read, absences prove nothing: the rest of its
//       snapshots is passed over, and the live filesystem begins a table of its own.
//
// Not seen. In a snapshot that is not the first of its chain: the pointer tables, hash chains and
// counts of ZAPs with more than kWholeZapBlocks blocks (their changed leaves are decoded, and
// their entries counted against the directory's size; in the live filesystem all is verified). An
// entry whose type became wrong because the object changed, not the entry, shows in link counts of
// directories only. A block that a snapshot does not share with its neighbour although its birth
// says so is taken in here, but its copies are not verified (block_walk.h). The set of users is
// compared where ids are plain numbers.
//
// Memory: twenty-five bytes an object of one filesystem, eight for each directory that has changed.
//
// Sources: OpenZFS module/zfs/zfs_znode.c, zfs_dir.c (links, sizes, xattr directories),
// module/os/linux/zfs/zfs_vfsops_os.c (accounting).

namespace millpond::pool {

namespace {
using format::ObjectType;

/// A directory counts itself, its name in its parent, and its subdirectories' "..".
constexpr std::uint32_t kDirectoryLinks = 2;
/// And its size, in entries, counts "." and "..".
constexpr std::uint64_t kDirectoryEntries = 2;
/// Some 20,000 entries: larger ZAPs are not verified as a whole for each snapshot that touches
/// them.
constexpr std::uint64_t kWholeZapBlocks = 64;

Status checkZap(object::ObjectSet& objset, const object::DnodeRef& dnode, Reporter& reporter)
{
    const block::Bookmark where{objset.id(), dnode->id, Level(), BlockIndex()};
    const auto zap = object::Zap::open(objset, dnode);
    if (!zap) {
        reporter.report(zap.error(), where);
        return {};
    }
    const auto problems = zap->verify();
    if (!problems) {
        reporter.report(problems.error(), where);
        return {};
    }
    for (const std::string& problem : *problems) {
        reporter.report(CheckFinding::Kind::Structure, where, problem);
    }
    return {};
}

bool isZap(const object::Dnode& dnode)
{
    return format::objectLayout(dnode.type) == format::Layout::Zap;
}

/// One dataset of the chain, opened. Empty: before the first one.
struct Layer
{
    dataset::DatasetRef dataset;
    std::shared_ptr<object::ObjectSet> objset;
    std::shared_ptr<posix::FileSystem> files;

    /// NoSuchObject is no error: there is no such version then.
    [[nodiscard]] Result<ObjectVersion> version(ObjectId id) const
    {
        if (objset == nullptr) {
            return ObjectVersion();
        }
        auto dnode = objset->dnode(id);
        if (dnode) {
            return ObjectVersion{objset.get(), std::move(*dnode)};
        }
        if (dnode.error().is(ErrorCode::NoSuchObject)) {
            return ObjectVersion();
        }
        return fail(std::move(dnode).error());
    }
};

bool isType(const object::Dnode& dnode, ObjectType type)
{
    return dnode.type == format::number(type);
}

/// Objects whose entries lead to others.
bool hasEntries(const object::Dnode& dnode)
{
    return isType(dnode, ObjectType::Directory) || isType(dnode, ObjectType::UnlinkedSet) ||
           isType(dnode, ObjectType::MasterNode);
}

/// Of a ZAP's block; the name only when it is asked for.
using EntryVisitor = FunctionRef<void(std::uint64_t value, FunctionRef<std::string()> name)>;

Status microEntries(const object::ObjectSet::Block& block, EntryVisitor visit)
{
    const auto view = MP_TRY(format::MicroZapView::create(block.data->bytes(), block.order));
    for (std::size_t slot = 0; slot < view.slots(); ++slot) {
        if (const auto entry = view.entry(slot)) {
            visit(entry->value, [&] { return std::string(entry->name); });
        }
    }
    return {};
}

/// Every entry in one block of a ZAP: of a micro ZAP all, of a fat one those of a leaf.
Status entriesOf(const ObjectVersion& zap, BlockIndex index, EntryVisitor visit)
{
    const auto block = MP_TRY(zap.objset->readBlock(*zap.dnode, index));
    if (block.data == nullptr || block.data->size() < sizeof(std::uint64_t)) {
        return {};
    }
    const auto kind = load<std::uint64_t>(block.data->bytes(), 0, block.order);
    if (kind == format::kZapMicroBlock && index == BlockIndex(0)) {
        return microEntries(block, visit);
    }
    if (kind != format::kZapLeafBlock) {
        return {}; // The header, or part of the pointer table.
    }
    const auto leaf = MP_TRY(format::ZapLeafView::create(block.data->bytes(), block.order));
    const auto entries = MP_TRY(leaf.entries());
    for (const format::ZapLeafView::Entry& entry : entries) {
        const auto values = MP_TRY(leaf.values(entry));
        visit(values.empty() ? 0 : values.front(), [&] { return leaf.name(entry).value_or("?"); });
    }
    return {};
}

void sortOnce(std::vector<ObjectId>& ids)
{
    std::ranges::sort(ids);
    const auto rest = std::ranges::unique(ids);
    ids.erase(rest.begin(), rest.end());
}

class Checking
{
public:
    Checking(const Pool& pool, Reporter& reporter, std::uint64_t atMost)
        : m_pool(pool)
        , m_reporter(reporter)
        , m_atMost(atMost)
    {
    }

    Status run(const Chain& chain);

private:
    [[nodiscard]] bool open(const dataset::DatasetRef& dataset);
    Status step();
    Status objects();
    Status objectsOf(const Layer& layer, BlockIndex block, std::uint32_t sign);
    Status object(const Layer& layer, const object::Dnode& dnode, std::uint32_t sign);
    Status zaps();
    Status zap(ObjectId id);
    Status takeEntries(const ObjectVersion& zap, BlockIndex index, std::uint32_t sign);
    void entry(const object::Dnode& from,
               std::uint64_t value,
               std::uint32_t sign,
               FunctionRef<std::string()> name);
    void checkEntry(ObjectId directory, const format::DirectoryValue& value, std::string name);
    Status verifyZap(const ObjectVersion& zap, bool changed);
    void
    charge(const object::Dnode& dnode, const posix::Attributes& attributes, std::uint32_t sign);
    Status compareLinks();
    void compareLinks(ObjectId id, const Seen& seen);
    Status nameDangling();
    Status compareSpace();
    void compareSpace(posix::SpaceKind kind, std::string_view who);
    void complain(const Error& error, ObjectId object);

    struct Use
    {
        std::uint64_t bytes = 0, objects = 0;
    };

    using Uses = std::unordered_map<std::uint64_t, Use>;

    [[nodiscard]] block::Bookmark at(ObjectId object) const
    {
        return {m_now.objset->id(), object, Level(), BlockIndex()};
    }

    /// To be changed, and so to be compared.
    Seen& touch(ObjectId id)
    {
        if (!comparesAll()) {
            m_touched.push_back(id);
        }
        return m_seen[id];
    }

    [[nodiscard]] bool isFirst() const { return m_before.objset == nullptr; }

    [[nodiscard]] bool comparesAll() const { return isFirst() || m_isLive; }

    const Pool& m_pool;
    Reporter& m_reporter;
    std::uint64_t m_atMost;
    Layer m_before, m_now;
    bool m_isLive = false;
    SeenTable m_seen;
    std::array<Uses, 3> m_uses;  ///< by posix::SpaceKind
    std::set<ObjectId> m_partly; ///< ZAPs of which only parts have been verified
    // Of one step:
    std::vector<ObjectId> m_touched;
    std::vector<ObjectId> m_zaps;                  ///< in dnode blocks that have changed
    std::unordered_set<std::uint64_t> m_dangling;  ///< named already
    std::unordered_set<std::uint64_t> m_toBeNamed; ///< dangling by entries that have not changed
    bool m_unreadable = false; ///< something could not be read: absences prove nothing then
};

void Checking::complain(const Error& error, ObjectId object)
{
    m_unreadable = true;
    m_reporter.report(error, at(object));
}

void Checking::charge(const object::Dnode& dnode,
                      const posix::Attributes& attributes,
                      std::uint32_t sign)
{
    const bool bytes = (dnode.flags & format::DnodeFlag::kUserUsedAccounted) != 0;
    const bool objects = (dnode.flags & format::DnodeFlag::kUserObjectAccounted) != 0;
    const auto times = static_cast<std::uint64_t>(static_cast<std::int32_t>(sign));
    const std::array<std::uint64_t, 3> ids = {attributes.uid, attributes.gid, attributes.projectId};
    for (std::size_t kind = 0; kind < ids.size(); ++kind) {
        Use& use = m_uses[kind][ids[kind]];
        use.bytes += bytes ? (dnode.usedBytes + format::kDnodeSlotBytes) * times : 0;
        use.objects += objects ? times : 0;
    }
}

/// Takes an object in, or back with `sign` -1.
Status Checking::object(const Layer& layer, const object::Dnode& dnode, std::uint32_t sign)
{
    if (isZap(dnode)) {
        m_zaps.push_back(dnode.id);
    }
    const bool isDirectory = isType(dnode, ObjectType::Directory);
    if (!isDirectory && !isType(dnode, ObjectType::PlainFile)) {
        return {};
    }
    const auto attributes = layer.files->attributes(dnode.id);
    if (!attributes) {
        complain(attributes.error(), dnode.id);
        return {};
    }
    Seen& seen = touch(dnode.id);
    seen.exists = sign == 1;
    seen.isDirectory = isDirectory;
    seen.type = static_cast<std::uint8_t>((*attributes)->type);
    seen.links = static_cast<std::uint32_t>((*attributes)->links);
    charge(dnode, **attributes, sign);
    if ((*attributes)->xattrDirectory != ObjectId()) {
        Seen& xattrs = touch((*attributes)->xattrDirectory);
        xattrs.excuses = static_cast<std::uint16_t>(xattrs.excuses + sign);
    }
    return {};
}

Status Checking::objectsOf(const Layer& layer, BlockIndex block, std::uint32_t sign)
{
    const std::uint64_t perBlock =
        layer.objset->metaDnode()->dataBlockBytes / format::kDnodeSlotBytes;
    for (std::uint64_t i = 0; i < perBlock; ++i) {
        const ObjectId id(block.value() * perBlock + i);
        if (id == format::kMetaDnodeObject) {
            continue;
        }
        const auto version = layer.version(id);
        if (!version) {
            complain(version.error(), id);
            if (version.error().errorClass() == ErrorClass::Io ||
                version.error().is(ErrorCode::ChecksumMismatch)) {
                return {}; // The block, not the dnode: once is enough.
            }
        } else if (version->dnode != nullptr) {
            MP_TRY(object(layer, *version->dnode, sign));
        }
    }
    return m_reporter.proceed();
}

/// Every object whose dnode's block has changed: first all of it back, then in, because an object's
/// old and new place in the table are one.
Status Checking::objects()
{
    const auto meta = [](const Layer& layer) {
        return layer.objset == nullptr
                   ? ObjectVersion()
                   : ObjectVersion{layer.objset.get(), layer.objset->metaDnode()};
    };
    return forEachDifference(
        meta(m_before), meta(m_now), m_atMost, [&](const BlockDifference& block) -> Status {
            if (block.inOld) {
                MP_TRY(objectsOf(m_before, block.index, static_cast<std::uint32_t>(-1)));
            }
            return block.inNew ? objectsOf(m_now, block.index, 1) : m_reporter.proceed();
        });
}

void Checking::checkEntry(ObjectId directory, const format::DirectoryValue& value, std::string name)
{
    const Seen& target = m_seen[value.object];
    if (!target.exists) {
        m_dangling.insert(value.object.value());
        m_reporter.report(
            CheckFinding::Kind::Directory,
            at(directory),
            fmt::format("its entry \"{}\" leads to object {}: there is no such object",
                        name,
                        value.object.value()));
    } else if (value.type != 0 && value.type != target.type) {
        m_reporter.report(CheckFinding::Kind::Directory,
                          at(directory),
                          fmt::format("its entry \"{}\" is of another type than object {}",
                                      name,
                                      value.object.value()));
    }
}

void Checking::entry(const object::Dnode& from,
                     std::uint64_t value,
                     std::uint32_t sign,
                     FunctionRef<std::string()> name)
{
    if (!isType(from, ObjectType::Directory)) {
        // What the set of unlinked objects and the master node lead to has no name, rightly.
        const bool leads = isType(from, ObjectType::UnlinkedSet) || [&] {
            const std::string key = name();
            return key == format::kMasterRoot || key == format::kMasterShares;
        }();
        if (leads) {
            Seen& target = touch(ObjectId(value));
            target.excuses = static_cast<std::uint16_t>(target.excuses + sign);
        }
        return;
    }
    const auto decoded = format::DirectoryValue::decode(value);
    touch(decoded.object).names += sign;
    Seen& directory = touch(from.id);
    directory.entries += sign;
    if (decoded.type == static_cast<std::uint8_t>(posix::FileType::Directory)) {
        directory.subdirectories += sign;
    }
    const Seen& target = m_seen[decoded.object];
    const bool wrong = !target.exists || (decoded.type != 0 && decoded.type != target.type);
    if (sign == 1 && wrong && !m_unreadable) {
        checkEntry(from.id, decoded, name());
    }
}

Status Checking::takeEntries(const ObjectVersion& zap, BlockIndex index, std::uint32_t sign)
{
    const Status taken =
        entriesOf(zap, index, [&](std::uint64_t value, FunctionRef<std::string()> name) {
            entry(*zap.dnode, value, sign, name);
        });
    if (!taken) {
        complain(taken.error(), zap.dnode->id);
    }
    return m_reporter.proceed();
}

Status Checking::verifyZap(const ObjectVersion& zap, bool changed)
{
    if (!changed) {
        return {};
    }
    if (!comparesAll() && zap.dnode->maxBlockId >= kWholeZapBlocks) {
        m_partly.insert(zap.dnode->id);
        return {};
    }
    m_partly.erase(zap.dnode->id);
    return checkZap(*m_now.objset, zap.dnode, m_reporter);
}

Status Checking::zap(ObjectId id)
{
    const auto before = m_before.version(id);
    const auto now = m_now.version(id);
    if (!before || !now) {
        return {}; // Reported with the objects.
    }
    const auto part = [](const ObjectVersion& version, auto&& wanted) {
        return version.dnode != nullptr && wanted(*version.dnode) ? version : ObjectVersion();
    };
    bool changed = false;
    const auto from = part(*before, isZap);
    const auto to = part(*now, isZap);
    const Status compared =
        forEachDifference(from, to, m_atMost, [&](const BlockDifference& block) -> Status {
            changed = true;
            if (block.inOld && hasEntries(*from.dnode)) {
                MP_TRY(takeEntries(from, block.index, static_cast<std::uint32_t>(-1)));
            }
            return block.inNew && hasEntries(*to.dnode) ? takeEntries(to, block.index, 1)
                                                        : m_reporter.proceed();
        });
    if (!compared) {
        if (compared.error().is(ErrorCode::Cancelled)) {
            return compared;
        }
        complain(compared.error(), id);
        return {};
    }
    if (to.dnode == nullptr) {
        return {};
    }
    MP_TRY(verifyZap(to, changed));
    const auto attributes = isType(*to.dnode, ObjectType::Directory)
                                ? m_now.files->attributes(id)
                                : Result<std::shared_ptr<const posix::Attributes>>(
                                      fail(ErrorCode::NotDirectory, "not a directory"));
    const std::uint64_t size = std::uint64_t{m_seen[id].entries} + kDirectoryEntries;
    if (attributes && !m_unreadable && (*attributes)->size != size) {
        m_reporter.report(
            CheckFinding::Kind::Accounting,
            at(id),
            fmt::format("it has {} entries, its size says {}", size, (*attributes)->size));
    }
    return {};
}

Status Checking::zaps()
{
    sortOnce(m_zaps);
    for (const ObjectId id : m_zaps) {
        MP_TRY(m_reporter.proceed());
        MP_TRY(zap(id));
    }
    if (m_isLive) {
        const std::set<ObjectId> partly = std::move(m_partly);
        m_partly.clear();
        for (const ObjectId id : partly) {
            const auto version = m_now.version(id);
            if (version && version->dnode != nullptr && isZap(*version->dnode)) {
                MP_TRY(checkZap(*m_now.objset, version->dnode, m_reporter));
            }
        }
    }
    return {};
}

void Checking::compareLinks(ObjectId id, const Seen& seen)
{
    if (!seen.exists) {
        if (seen.names != 0 && !m_dangling.contains(id.value())) {
            m_toBeNamed.insert(id.value());
        }
        return;
    }
    const std::uint32_t expected =
        seen.isDirectory ? kDirectoryLinks + seen.subdirectories : seen.names;
    const bool excused = seen.excuses != 0;
    if (seen.links != expected && !(excused && seen.names == 0)) {
        m_reporter.report(
            CheckFinding::Kind::LinkCount,
            at(id),
            fmt::format("its link count is {}, it should be {}", seen.links, expected));
    }
    if (seen.names == 0 && !excused) {
        m_reporter.report(
            CheckFinding::Kind::Directory, at(id), "no directory has an entry for it");
    }
    if (seen.isDirectory && seen.names > 1) {
        m_reporter.report(CheckFinding::Kind::Directory,
                          at(id),
                          fmt::format("{} entries lead to this directory", seen.names));
    }
}

Status Checking::compareLinks()
{
    if (comparesAll()) {
        m_seen.forEach([&](ObjectId id, const Seen& seen) { compareLinks(id, seen); });
    } else {
        sortOnce(m_touched);
        for (const ObjectId id : m_touched) {
            compareLinks(id, m_seen[id]);
        }
    }
    return m_toBeNamed.empty() ? m_reporter.proceed() : nameDangling();
}

/// An object went, and directories that have not changed still lead to it: looks through all.
Status Checking::nameDangling()
{
    ObjectId last;
    while (true) {
        MP_TRY(m_reporter.proceed());
        const auto next = m_now.objset->nextObject(last);
        if (!next || !*next) {
            return {};
        }
        last = **next;
        const auto version = m_now.version(last);
        if (!version || version->dnode == nullptr ||
            !isType(*version->dnode, ObjectType::Directory)) {
            continue;
        }
        const auto look = [&](const BlockDifference& block) {
            return entriesOf(
                *version, block.index, [&](std::uint64_t value, FunctionRef<std::string()> name) {
                    const auto decoded = format::DirectoryValue::decode(value);
                    if (m_toBeNamed.contains(decoded.object.value())) {
                        checkEntry(last, decoded, name());
                    }
                });
        };
        // What can't be read was told before.
        (void)forEachDifference({}, *version, m_atMost, look);
    }
}

void Checking::compareSpace(posix::SpaceKind kind, std::string_view who)
{
    const auto recorded = m_now.files->spaceUse(kind);
    if (!recorded) {
        m_reporter.report(recorded.error(),
                          {m_now.objset->id(), ObjectId(), Level(), BlockIndex()});
        return;
    }
    Uses found = m_uses[static_cast<std::size_t>(kind)];
    for (const posix::SpaceUse& use : *recorded) {
        if (!use.domain.empty()) {
            return; // Ids of a Windows domain have no number here to compare by.
        }
        const Use mine = found[use.id];
        found.erase(use.id);
        if (mine.bytes != use.used || mine.objects != use.objectsUsed) {
            m_reporter.report(
                CheckFinding::Kind::Accounting,
                {m_now.objset->id(), ObjectId(), Level(), BlockIndex()},
                fmt::format("{} {} uses {} bytes in {} objects, the table says {} in {}",
                            who,
                            use.id,
                            mine.bytes,
                            mine.objects,
                            use.used,
                            use.objectsUsed));
        }
    }
    for (const auto& [id, use] : found) {
        if (use.bytes != 0 || use.objects != 0) {
            m_reporter.report(
                CheckFinding::Kind::Accounting,
                {m_now.objset->id(), ObjectId(), Level(), BlockIndex()},
                fmt::format("{} {} uses {} bytes in {} objects, the table does not have it",
                            who,
                            id,
                            use.bytes,
                            use.objects));
        }
    }
}

Status Checking::compareSpace()
{
    if (m_now.objset->userUsedDnode() != nullptr) {
        compareSpace(posix::SpaceKind::User, "user");
    }
    if (m_now.objset->groupUsedDnode() != nullptr) {
        compareSpace(posix::SpaceKind::Group, "group");
    }
    if (m_now.objset->projectUsedDnode() != nullptr) {
        compareSpace(posix::SpaceKind::Project, "project");
    }
    return {};
}

Status Checking::step()
{
    m_touched.clear();
    m_zaps.clear();
    m_dangling.clear();
    m_toBeNamed.clear();
    const Status taken = objects();
    if (!taken) {
        if (taken.error().is(ErrorCode::Cancelled)) {
            return taken;
        }
        complain(taken.error(), format::kMetaDnodeObject);
    }
    MP_TRY(zaps());
    if (m_unreadable) {
        return {}; // Told already; counting what could not be read would only repeat it.
    }
    MP_TRY(compareLinks());
    return compareSpace();
}

/// False: nothing to check there.
bool Checking::open(const dataset::DatasetRef& dataset)
{
    const block::Bookmark where{dataset->id, ObjectId(), Level(), BlockIndex()};
    auto objset = m_pool.datasets().openObjset(*dataset);
    if (!objset) {
        m_unreadable = true;
        m_reporter.report(objset.error(), where);
        return false;
    }
    if ((*objset)->header().type != format::ObjsetType::Filesystem) {
        return false;
    }
    auto files = posix::FileSystem::open(*objset);
    if (!files) {
        m_unreadable = true;
        m_reporter.report(files.error(), where);
        return false;
    }
    m_now = {dataset, std::move(*objset), std::move(*files)};
    return true;
}

Status Checking::run(const Chain& chain)
{
    for (std::size_t i = 0; i < chain.datasets.size(); ++i) {
        MP_TRY(m_reporter.proceed());
        m_isLive = chain.hasHead && i + 1 == chain.datasets.size();
        if (m_unreadable && !m_isLive) {
            continue; // INV-2
        }
        if (m_unreadable) {
            m_unreadable = false;
            m_before = {};
            m_seen.clear();
            m_partly.clear();
            m_uses = {};
        }
        if (chain.datasets[i]->phys.root.isHole() || !open(chain.datasets[i])) {
            continue;
        }
        MP_TRY(step());
        m_before = std::move(m_now);
    }
    return {};
}
} // namespace

Status checkFiles(const Pool& pool, Reporter& reporter, const Chain& chain, std::uint64_t atMost)
{
    return Checking(pool, reporter, atMost).run(chain);
}

Status checkZaps(object::ObjectSet& objset, Reporter& reporter)
{
    ObjectId last;
    while (true) {
        MP_TRY(reporter.proceed());
        const auto next = objset.nextObject(last);
        if (!next) {
            reporter.report(next.error(), {objset.id(), last, Level(), BlockIndex()});
            return {};
        }
        if (!*next) {
            return {};
        }
        last = **next;
        const auto dnode = objset.dnode(last);
        if (dnode && isZap(**dnode)) {
            MP_TRY(checkZap(objset, *dnode, reporter));
        }
    }
}

} // namespace millpond::pool
