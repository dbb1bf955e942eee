// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/check/file_checks.h"

#include "format/dnode.h"
#include "format/znode.h"
#include "object/zap.h"
#include "posix/file_system.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <unordered_map>

namespace millpond::pool {

namespace {
using format::ObjectType;

constexpr block::ReadContext kOnce{.wait = block::Wait::MayBlock, .keep = true};
constexpr std::size_t kEntriesAtOnce = 512;
/// A directory counts itself, its name in its parent, and its subdirectories' "..".
constexpr std::uint64_t kDirectoryLinks = 2;
/// And its size, in entries, counts "." and "..".
constexpr std::uint64_t kDirectoryEntries = 2;

/// What is known of one object. Kept small: there may be very many.
struct Seen
{
    std::uint32_t names = 0; ///< entries that lead here
    std::uint32_t subdirectories = 0;
    std::uint32_t links = 0; ///< as recorded
    bool exists = false;
    bool isDirectory = false;
    bool excused = false; ///< has no name, rightly: root, xattr directories, waiting to be deleted
};

/// By object number, in blocks that are made when first touched: numbers are dense, but come from a
/// disk.
class SeenTable
{
public:
    Seen& operator[](ObjectId id)
    {
        auto& block = m_blocks[id.value() / kBlock];
        if (block == nullptr) {
            block = std::make_unique<std::array<Seen, kBlock>>();
        }
        return (*block)[id.value() % kBlock];
    }

    template <class Visitor> void forEach(Visitor&& visit) const
    {
        for (const auto& [index, block] : m_blocks) {
            for (std::size_t i = 0; i < kBlock; ++i) {
                visit(ObjectId(index * kBlock + i), (*block)[i]);
            }
        }
    }

private:
    static constexpr std::size_t kBlock = 1024;
    std::unordered_map<std::uint64_t, std::unique_ptr<std::array<Seen, kBlock>>> m_blocks;
};

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

class Checking
{
public:
    Checking(Reporter& reporter, object::ObjectSet& objset, posix::FileSystem& files)
        : m_reporter(reporter)
        , m_objset(objset)
        , m_files(files)
    {
    }

    Status run();

private:
    Status objects();
    Status object(const object::DnodeRef& dnode);
    Status excuseListed(ObjectId set);
    Status directory(const posix::Attributes& attributes);
    void entry(ObjectId directory, const posix::DirectoryEntry& entry);
    void charge(const object::Dnode& dnode, const posix::Attributes& attributes);
    void compareLinks();
    Status compareSpace();
    void compareSpace(posix::SpaceKind kind, std::string_view who);

    struct Use
    {
        std::uint64_t bytes = 0, objects = 0;
    };

    using Uses = std::unordered_map<std::uint64_t, Use>;

    [[nodiscard]] block::Bookmark at(ObjectId object) const
    {
        return {m_objset.id(), object, Level(), BlockIndex()};
    }

    Reporter& m_reporter;
    object::ObjectSet& m_objset;
    posix::FileSystem& m_files;
    SeenTable m_seen;
    std::array<Uses, 3> m_uses; ///< by posix::SpaceKind
    bool m_unreadable = false;  ///< something could not be read: absences prove nothing then
};

void Checking::charge(const object::Dnode& dnode, const posix::Attributes& attributes)
{
    const bool bytes = (dnode.flags & format::DnodeFlag::kUserUsedAccounted) != 0;
    const bool objects = (dnode.flags & format::DnodeFlag::kUserObjectAccounted) != 0;
    const std::array<std::uint64_t, 3> ids = {attributes.uid, attributes.gid, attributes.projectId};
    for (std::size_t kind = 0; kind < ids.size(); ++kind) {
        Use& use = m_uses[kind][ids[kind]];
        use.bytes += bytes ? dnode.usedBytes + format::kDnodeSlotBytes : 0;
        use.objects += objects ? 1 : 0;
    }
}

void Checking::entry(ObjectId directory, const posix::DirectoryEntry& entry)
{
    Seen& target = m_seen[entry.object];
    ++target.names;
    if (entry.type == posix::FileType::Directory) {
        ++m_seen[directory].subdirectories;
    }
    const auto attributes = m_files.attributes(entry.object, kOnce);
    if (!attributes) {
        const bool gone = attributes.error().is(ErrorCode::NoSuchObject);
        m_unreadable = m_unreadable || !gone;
        m_reporter.report(
            CheckFinding::Kind::Directory,
            at(directory),
            fmt::format("its entry \"{}\" leads to object {}: {}",
                        entry.name,
                        entry.object.value(),
                        gone ? "there is no such object" : attributes.error().what()));
        return;
    }
    if (entry.type != posix::FileType::Unknown && entry.type != (*attributes)->type) {
        m_reporter.report(CheckFinding::Kind::Directory,
                          at(directory),
                          fmt::format("its entry \"{}\" is of another type than object {}",
                                      entry.name,
                                      entry.object.value()));
    }
}

Status Checking::directory(const posix::Attributes& attributes)
{
    std::uint64_t cursor = object::Zap::kBegin;
    std::uint64_t count = 0;
    while (true) {
        MP_TRY(m_reporter.proceed());
        const auto entries = m_files.list(attributes.object, cursor, kEntriesAtOnce, kOnce);
        if (!entries) {
            m_unreadable = true;
            m_reporter.report(entries.error(), at(attributes.object));
            return {};
        }
        for (const posix::DirectoryEntry& found : *entries) {
            entry(attributes.object, found);
        }
        count += entries->size();
        if (entries->empty() || entries->back().next == object::Zap::kEnd) {
            break;
        }
        cursor = entries->back().next;
    }
    if (attributes.size != count + kDirectoryEntries) {
        m_reporter.report(CheckFinding::Kind::Accounting,
                          at(attributes.object),
                          fmt::format("it has {} entries, its size says {}",
                                      count + kDirectoryEntries,
                                      attributes.size));
    }
    return {};
}

Status Checking::object(const object::DnodeRef& dnode)
{
    if (isZap(*dnode)) {
        MP_TRY(checkZap(m_objset, dnode, m_reporter));
    }
    if (dnode->type == static_cast<std::uint8_t>(ObjectType::UnlinkedSet) ||
        dnode->type == static_cast<std::uint8_t>(ObjectType::MasterNode)) {
        return excuseListed(dnode->id);
    }
    const bool isFile = dnode->type == static_cast<std::uint8_t>(ObjectType::PlainFile);
    const bool isDirectory = dnode->type == static_cast<std::uint8_t>(ObjectType::Directory);
    if (!isFile && !isDirectory) {
        return {};
    }
    const auto attributes = m_files.attributes(dnode->id, kOnce);
    if (!attributes) {
        m_unreadable = true;
        m_reporter.report(attributes.error(), at(dnode->id));
        return {};
    }
    Seen& seen = m_seen[dnode->id];
    seen.exists = true;
    seen.isDirectory = isDirectory;
    seen.links = static_cast<std::uint32_t>((*attributes)->links);
    if ((*attributes)->xattrDirectory != ObjectId()) {
        m_seen[(*attributes)->xattrDirectory].excused = true;
    }
    charge(*dnode, **attributes);
    return isDirectory ? directory(**attributes) : Status();
}

/// What the set of unlinked objects and the master node lead to (the root, the shares' directory)
/// has no name, rightly.
Status Checking::excuseListed(ObjectId set)
{
    const auto zap = object::Zap::open(m_objset, set);
    if (!zap) {
        return {}; // Reported as a ZAP.
    }
    return zap->forEach([&](const object::ZapEntry& entry) -> Result<bool> {
        m_seen[ObjectId(entry.first())].excused = true;
        return true;
    });
}

Status Checking::objects()
{
    ObjectId last;
    while (true) {
        MP_TRY(m_reporter.proceed());
        const auto next = m_objset.nextObject(last, kOnce);
        if (!next) {
            m_unreadable = true;
            m_reporter.report(next.error(), at(last));
            return {};
        }
        if (!*next) {
            return {};
        }
        last = **next;
        const auto dnode = m_objset.dnode(last, kOnce);
        if (!dnode) {
            m_unreadable = true;
            m_reporter.report(dnode.error(), at(last));
            continue;
        }
        MP_TRY(object(*dnode));
    }
}

void Checking::compareLinks()
{
    m_seen.forEach([&](ObjectId id, const Seen& seen) {
        if (!seen.exists) {
            return;
        }
        const std::uint64_t expected =
            seen.isDirectory ? kDirectoryLinks + seen.subdirectories : seen.names;
        if (seen.links != expected && !(seen.excused && seen.names == 0)) {
            m_reporter.report(
                CheckFinding::Kind::LinkCount,
                at(id),
                fmt::format("its link count is {}, it should be {}", seen.links, expected));
        }
        if (seen.names == 0 && !seen.excused) {
            m_reporter.report(
                CheckFinding::Kind::Directory, at(id), "no directory has an entry for it");
        }
        if (seen.isDirectory && seen.names > 1) {
            m_reporter.report(CheckFinding::Kind::Directory,
                              at(id),
                              fmt::format("{} entries lead to this directory", seen.names));
        }
    });
}

void Checking::compareSpace(posix::SpaceKind kind, std::string_view who)
{
    const auto recorded = m_files.spaceUse(kind);
    if (!recorded) {
        m_reporter.report(recorded.error(), {m_objset.id(), ObjectId(), Level(), BlockIndex()});
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
                {m_objset.id(), ObjectId(), Level(), BlockIndex()},
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
                {m_objset.id(), ObjectId(), Level(), BlockIndex()},
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
    if (m_objset.userUsedDnode() != nullptr) {
        compareSpace(posix::SpaceKind::User, "user");
    }
    if (m_objset.groupUsedDnode() != nullptr) {
        compareSpace(posix::SpaceKind::Group, "group");
    }
    if (m_objset.projectUsedDnode() != nullptr) {
        compareSpace(posix::SpaceKind::Project, "project");
    }
    return {};
}

Status Checking::run()
{
    m_seen[m_files.root()].excused = true;
    MP_TRY(objects());
    if (m_unreadable) {
        return {}; // Told already; counting what could not be read would only repeat it.
    }
    compareLinks();
    return compareSpace();
}
} // namespace

Status checkFiles(const Pool& pool, Reporter& reporter, const dataset::Dataset& dataset)
{
    const block::Bookmark where{dataset.id, ObjectId(), Level(), BlockIndex()};
    auto objset = pool.datasets().openObjset(dataset);
    if (!objset) {
        reporter.report(objset.error(), where);
        return {};
    }
    if ((*objset)->header().type != format::ObjsetType::Filesystem) {
        return {};
    }
    const auto files = posix::FileSystem::open(*objset);
    if (!files) {
        reporter.report(files.error(), where);
        return {};
    }
    return Checking(reporter, **objset, **files).run();
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
