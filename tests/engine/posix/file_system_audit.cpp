// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/posix/file_system_audit.h"

#include "object/zap.h"

#include <fmt/format.h>

#include <map>

namespace millpond::test {

using namespace posix;

namespace {

class Audit
{
public:
    Audit(object::ObjectSet& objset, FileSystem& files, std::set<std::uint64_t> unlinked)
        : m_objset(objset)
        , m_files(files)
        , m_unlinked(std::move(unlinked))
    {
    }

    std::string run()
    {
        const std::uint64_t root = m_files.root().value();
        m_found[root] = {.links = 1, .parents = {root}}; // its name is that of nothing
        walk(root, 0);
        checkQueue();
        for (const auto& [object, seen] : m_found) {
            check(object, seen);
        }
        countObjects();
        checkAccounts();
        return m_problem;
    }

private:
    struct Seen
    {
        std::uint64_t links = 0;
        std::set<std::uint64_t> parents;
        std::uint64_t entries = 0;
        std::uint64_t subdirectories = 0;
    };

    void problem(const std::string& text)
    {
        if (m_problem.empty()) {
            m_problem = text;
        }
    }

    void walk(std::uint64_t at, int depth)
    {
        if (depth > 200) {
            problem("a loop");
            return;
        }
        const auto entries = m_files.list(ObjectId(at), object::Zap::kBegin, 1'000'000);
        if (!entries) {
            problem(entries.error().toText());
            return;
        }
        for (const DirectoryEntry& entry : *entries) {
            const std::uint64_t object = entry.object.value();
            ++m_found[at].entries;
            Seen& seen = m_found[object];
            ++seen.links;
            seen.parents.insert(at);
            const auto attributes = m_files.attributes(entry.object);
            if (!attributes) {
                problem(fmt::format(
                    "{} leads to nothing: {}", entry.name, attributes.error().toText()));
                continue;
            }
            if ((*attributes)->type != entry.type) {
                problem(entry.name + " is of another type than its entry says");
            }
            if (entry.type == FileType::Directory) {
                ++m_found[at].subdirectories;
                if (seen.links > 1) {
                    problem("a directory with two names");
                    continue;
                }
                walk(object, depth + 1);
            }
        }
    }

    void check(std::uint64_t object, const Seen& seen)
    {
        const auto attributes = m_files.attributes(ObjectId(object));
        if (!attributes) {
            problem(attributes.error().toText());
            return;
        }
        const Attributes& is = **attributes;
        const bool isDirectory = is.type == FileType::Directory;
        const std::uint64_t links = isDirectory ? 2 + seen.subdirectories : seen.links;
        if (is.links != links) {
            problem(fmt::format("object {} has {} links instead of {}", object, is.links, links));
        }
        if (isDirectory && is.size != seen.entries + 2) {
            problem(fmt::format("directory {} has size {}", object, is.size));
        }
        // Of a file with several names it is the directory of one that it had.
        if (seen.links == 1 && isDirectory && !seen.parents.contains(is.parent.value())) {
            problem(fmt::format("object {} has the parent {}", object, is.parent.value()));
        }
        ++m_owned[is.uid];
        if (is.xattrDirectory.value() != 0) {
            hide(is.xattrDirectory);
        }
    }

    /// What holds a file's extended attributes has no names.
    void hide(ObjectId directory)
    {
        std::vector<ObjectId> hidden{directory};
        const auto entries = m_files.list(directory, object::Zap::kBegin, 1'000'000);
        for (const DirectoryEntry& entry : entries ? *entries : std::vector<DirectoryEntry>()) {
            hidden.push_back(entry.object);
        }
        for (const ObjectId object : hidden) {
            const auto attributes = m_files.attributes(object);
            if (!attributes || (*attributes)->links == 0) {
                problem(fmt::format("the hidden object {} is gone", object.value()));
                continue;
            }
            m_hidden.insert(object.value());
            ++m_owned[(*attributes)->uid];
        }
    }

    void countObjects()
    {
        ObjectId at(0);
        for (;;) {
            const auto next = m_objset.nextObject(at);
            if (!next || !*next) {
                break;
            }
            at = **next;
            const auto dnode = m_objset.dnode(at);
            if (!dnode) {
                problem(dnode.error().toText());
                continue;
            }
            const bool isFile =
                (*dnode)->bonusType == format::number(format::ObjectType::SystemAttributes);
            if (isFile && !m_found.contains(at.value()) && !m_unlinked.contains(at.value()) &&
                !m_hidden.contains(at.value())) {
                problem(fmt::format("object {} belongs to nobody", at.value()));
            }
        }
    }

    void checkQueue()
    {
        const auto master = object::Zap::open(m_objset, format::kMasterNodeObject);
        const ObjectId queue(master.value().number(format::kMasterUnlinkedSet).value());
        const auto zap = object::Zap::open(m_objset, queue);
        std::set<std::uint64_t> queued;
        const Status listed =
            zap.value().forEach([&](const object::ZapEntry& entry) -> Result<bool> {
                queued.insert(entry.first());
                return true;
            });
        if (!listed || queued != m_unlinked) {
            problem(fmt::format(
                "{} objects are queued instead of {}", queued.size(), m_unlinked.size()));
        }
        for (const std::uint64_t object : m_unlinked) {
            const auto attributes = m_files.attributes(ObjectId(object));
            if (!attributes || (*attributes)->links != 0) {
                problem(fmt::format("the unlinked object {} is gone or has links", object));
            } else {
                ++m_owned[(*attributes)->uid];
            }
        }
    }

    /// Only a synced object set has counted.
    void checkAccounts()
    {
        if (dynamic_cast<object::LiveObjectSet*>(&m_objset) != nullptr) {
            return;
        }
        std::map<std::uint64_t, std::uint64_t> counted;
        const auto accounts = m_files.spaceUse(SpaceKind::User);
        if (!accounts) {
            problem(accounts.error().toText());
            return;
        }
        for (const SpaceUse& use : *accounts) {
            if (use.objectsUsed != 0) {
                counted[use.id] = use.objectsUsed;
            }
        }
        if (counted != m_owned) {
            problem(
                fmt::format("accounts of {} users instead of {}", counted.size(), m_owned.size()));
        }
    }

    object::ObjectSet& m_objset;
    FileSystem& m_files;
    std::set<std::uint64_t> m_unlinked;
    std::map<std::uint64_t, Seen> m_found;
    std::map<std::uint64_t, std::uint64_t> m_owned;
    std::set<std::uint64_t> m_hidden;
    std::string m_problem;
};

} // namespace

std::string audit(WritableFileSystem& system, const std::set<std::uint64_t>& unlinked)
{
    return Audit(system.objset(), system.files(), unlinked).run();
}

std::string auditFrozen(WritableFileSystem& system, const std::set<std::uint64_t>& unlinked)
{
    const auto objset = system.frozenObjset();
    const auto files = system.frozen();
    if (!objset || !files) {
        return "the synced file system can't be opened";
    }
    return Audit(**objset, **files, unlinked).run();
}

} // namespace millpond::test
