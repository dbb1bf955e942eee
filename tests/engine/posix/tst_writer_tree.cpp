// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: a tree of files stays one, at any time, after every sync and after power cuts, whatever
// is tried; threads that do all this at once leave one in which everything fits. Method: random
// operations against a model; threads, then a walk over all objects.
#include "engine/posix/file_system_audit.h"
#include "object/zap.h"
#include "support/mp_ok.h"
#include "support/seed.h"

#include <QTest>

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <atomic>
#include <ctime>
#include <thread>

using namespace millpond;
using namespace millpond::posix;
using namespace millpond::test;
using format::ZnodeFlag;

namespace {

constexpr block::ReadContext kNoWait{.wait = block::Wait::CachedOnly};

NewFile file(std::uint32_t mode = 0644)
{
    return {.type = FileType::Regular, .mode = mode};
}

NewFile directory(std::uint32_t mode = 0755)
{
    return {.type = FileType::Directory, .mode = mode};
}

// --- The model ---

struct Node
{
    FileType type = FileType::Regular;
    std::uint32_t uid = 0;
    std::uint64_t links = 0; ///< names
    std::uint64_t parent = 0;
    std::map<std::string, std::uint64_t> entries;
    std::string target;
    std::uint64_t held = 0;
};

/// A tree of files as POSIX describes it.
struct Model
{
    std::map<std::uint64_t, Node> nodes;
    std::uint64_t root = 0;

    [[nodiscard]] std::uint64_t find(std::uint64_t directory, const std::string& name) const
    {
        const auto& entries = nodes.at(directory).entries;
        const auto found = entries.find(name);
        return found == entries.end() ? 0 : found->second;
    }

    [[nodiscard]] bool isDirectory(std::uint64_t object) const
    {
        return nodes.at(object).type == FileType::Directory;
    }

    [[nodiscard]] bool isBelow(std::uint64_t directory, std::uint64_t object) const
    {
        for (std::uint64_t at = directory;; at = nodes.at(at).parent) {
            if (at == object) {
                return true;
            }
            if (at == root) {
                return false;
            }
        }
    }

    void dropName(std::uint64_t object)
    {
        Node& node = nodes.at(object);
        if (--node.links == 0 && node.held == 0) {
            nodes.erase(object);
        }
    }

    [[nodiscard]] std::set<std::uint64_t> unlinked() const
    {
        std::set<std::uint64_t> result;
        for (const auto& [object, node] : nodes) {
            if (node.links == 0) {
                result.insert(object);
            }
        }
        return result;
    }
};

std::string compare(const Model& model, FileSystem& files)
{
    for (const auto& [object, node] : model.nodes) {
        const auto attributes = files.attributes(ObjectId(object));
        if (!attributes) {
            return attributes.error().toText();
        }
        const Attributes& is = **attributes;
        if (is.type != node.type || is.uid != node.uid) {
            return fmt::format("object {}: another type or owner", object);
        }
        if (node.type != FileType::Directory) {
            if (is.links != node.links) {
                return fmt::format("object {}: {} links, not {}", object, is.links, node.links);
            }
            const auto target = files.readLink(ObjectId(object));
            if (node.type == FileType::Link && (!target || *target != node.target)) {
                return fmt::format("object {}: another target", object);
            }
            continue;
        }
        const auto listed = files.list(ObjectId(object), object::Zap::kBegin, 100000);
        if (!listed) {
            return listed.error().toText();
        }
        std::map<std::string, std::uint64_t> entries;
        for (const DirectoryEntry& entry : *listed) {
            entries[entry.name] = entry.object.value();
            const auto found = files.lookup(ObjectId(object), entry.name);
            if (!found || found->object != entry.object) {
                return "an entry that is listed is not found: " + entry.name;
            }
        }
        if (entries != node.entries) {
            return fmt::format(
                "directory {}: {} entries, not {}", object, entries.size(), node.entries.size());
        }
    }
    return {};
}

/// Random operations on a file system and the model at the same time.
class Play
{
public:
    Play(WritableFileSystem& system, std::uint64_t seed)
        : m_system(system)
        , m_random(seed)
    {
        m_model.root = system.files().root().value();
        m_model.nodes[m_model.root] = {
            .type = FileType::Directory, .links = 1, .parent = m_model.root};
    }

    [[nodiscard]] const Model& model() const { return m_model; }

    void setModel(Model model) { m_model = std::move(model); }

    /// Nothing when the answer is what it has to be.
    std::string step()
    {
        switch (below(14)) {
        case 0:
        case 1:
        case 2:
            return create(directory());
        case 3:
        case 4:
            return create(file());
        case 5:
            return create({.type = FileType::Link, .mode = 0777, .linkTarget = name() + "/x"});
        case 6:
            return create({.type = FileType::CharacterDevice, .mode = 0600, .rdev = makedev(4, 7)});
        case 7:
            return link();
        case 8:
            return remove(false);
        case 9:
            return remove(true);
        case 10:
            return hold();
        case 11:
            return unnamed();
        default:
            return rename();
        }
    }

    /// Whoever held something is gone.
    void forgetHolders()
    {
        for (auto at = m_model.nodes.begin(); at != m_model.nodes.end();) {
            at->second.held = 0;
            at = at->second.links == 0 ? m_model.nodes.erase(at) : std::next(at);
        }
    }

private:
    std::uint64_t below(std::uint64_t limit) { return m_random.next() % limit; }

    std::string name()
    {
        const std::uint64_t which = below(12);
        return which == 0 ? std::string(200, 'n') : fmt::format("name{}", which);
    }

    std::uint64_t any(bool directory)
    {
        std::vector<std::uint64_t> found;
        for (const auto& [object, node] : m_model.nodes) {
            if (!directory || (node.type == FileType::Directory && node.links != 0)) {
                found.push_back(object);
            }
        }
        return found[below(found.size())];
    }

    template <class T>
    static std::string expect(const char* what, const Result<T>& is, std::optional<ErrorCode> error)
    {
        if (is.has_value() != !error.has_value()) {
            return fmt::format("{}: {}", what, is ? "no error" : is.error().toText());
        }
        return error && is.error().code() != *error
                   ? fmt::format("{}: {}", what, is.error().toText())
                   : "";
    }

    std::string create(NewFile what)
    {
        const std::uint64_t parent = any(true);
        const std::string as = name();
        what.uid = static_cast<std::uint32_t>(below(3));
        std::optional<ErrorCode> error;
        if (m_model.find(parent, as) != 0) {
            error = ErrorCode::AlreadyExists;
        }
        const auto made = m_system.writer().create({ObjectId(parent), as}, what);
        if (std::string problem = expect("create", made, error); !problem.empty() || error) {
            return problem;
        }
        const std::uint64_t object = (*made)->object.value();
        m_model.nodes[parent].entries[as] = object;
        m_model.nodes[object] = {.type = what.type,
                                 .uid = what.uid,
                                 .links = 1,
                                 .parent = parent,
                                 .target = what.linkTarget};
        return {};
    }

    std::string unnamed()
    {
        const std::uint64_t parent = any(true);
        const auto made = m_system.writer().createUnnamed(ObjectId(parent), file());
        if (!made) {
            return made.error().toText();
        }
        m_model.nodes[(*made)->object.value()] = {.parent = parent, .held = 1};
        return {};
    }

    std::string link()
    {
        const std::uint64_t parent = any(true);
        const std::uint64_t object = any(false);
        const std::string as = name();
        std::optional<ErrorCode> error;
        if (m_model.isDirectory(object)) {
            error = ErrorCode::NotPermitted;
        } else if (m_model.find(parent, as) != 0) {
            error = ErrorCode::AlreadyExists;
        }
        const auto made = m_system.writer().link(ObjectId(object), {ObjectId(parent), as});
        if (std::string problem = expect("link", made, error); !problem.empty() || error) {
            return problem;
        }
        m_model.nodes[parent].entries[as] = object;
        ++m_model.nodes[object].links;
        return {};
    }

    std::string remove(bool directory)
    {
        const std::uint64_t parent = any(true);
        const std::string as = name();
        const std::uint64_t object = m_model.find(parent, as);
        std::optional<ErrorCode> error;
        if (object == 0) {
            error = ErrorCode::NoSuchEntry;
        } else if (m_model.isDirectory(object) != directory) {
            error = directory ? ErrorCode::NotDirectory : ErrorCode::IsDirectory;
        } else if (directory && !m_model.nodes[object].entries.empty()) {
            error = ErrorCode::NotEmpty;
        }
        const DirectoryPlace place{ObjectId(parent), as};
        const auto removed =
            directory ? m_system.writer().removeDirectory(place) : m_system.writer().unlink(place);
        if (std::string problem = expect("remove", removed, error); !problem.empty() || error) {
            return problem;
        }
        m_model.nodes[parent].entries.erase(as);
        m_model.dropName(object);
        return removed->value() == object ? "" : "another object was removed";
    }

    /// Somebody opens or closes something.
    std::string hold()
    {
        const std::uint64_t object = any(false);
        Node& node = m_model.nodes[object];
        if (node.held == 0) {
            m_system.writer().retain(ObjectId(object));
            ++node.held;
            return {};
        }
        m_system.writer().release(ObjectId(object));
        if (--node.held == 0 && node.links == 0) {
            m_model.nodes.erase(object);
        }
        return {};
    }

    std::string rename()
    {
        const std::uint64_t from = any(true);
        const std::uint64_t to = below(2) == 0 ? from : any(true);
        const std::string as = name();
        const std::string into = name();
        const auto mode = static_cast<RenameMode>(below(3));
        const std::uint64_t source = m_model.find(from, as);
        const std::uint64_t target = m_model.find(to, into);
        const std::optional<ErrorCode> error = renameError(from, source, to, target, mode);
        const auto renamed =
            m_system.writer().rename({ObjectId(from), as}, {ObjectId(to), into}, mode);
        if (std::string problem = expect("rename", renamed, error); !problem.empty() || error) {
            return problem;
        }
        if (source == target) {
            return {};
        }
        m_model.nodes[to].entries[into] = source;
        m_model.nodes[source].parent = to;
        if (mode == RenameMode::Exchange) {
            m_model.nodes[from].entries[as] = target;
            m_model.nodes[target].parent = from;
        } else {
            m_model.nodes[from].entries.erase(as);
            if (target != 0) {
                m_model.dropName(target);
            }
        }
        return {};
    }

    [[nodiscard]] std::optional<ErrorCode> renameError(std::uint64_t from,
                                                       std::uint64_t source,
                                                       std::uint64_t to,
                                                       std::uint64_t target,
                                                       RenameMode mode) const
    {
        if (source == 0) {
            return ErrorCode::NoSuchEntry;
        }
        if (target != 0 && mode == RenameMode::NoReplace) {
            return ErrorCode::AlreadyExists;
        }
        if (source == target) {
            return std::nullopt;
        }
        if (target == 0 && mode == RenameMode::Exchange) {
            return ErrorCode::NoSuchEntry;
        }
        if (m_model.isDirectory(source) && from != to && m_model.isBelow(to, source)) {
            return ErrorCode::InvalidArgument;
        }
        if (target == 0) {
            return std::nullopt;
        }
        if (mode == RenameMode::Exchange) {
            return m_model.isDirectory(target) && from != to && m_model.isBelow(from, target)
                       ? std::optional(ErrorCode::InvalidArgument)
                       : std::nullopt;
        }
        if (m_model.isDirectory(source) != m_model.isDirectory(target)) {
            return m_model.isDirectory(source) ? ErrorCode::NotDirectory : ErrorCode::IsDirectory;
        }
        if (m_model.isDirectory(target) && !m_model.nodes.at(target).entries.empty()) {
            return ErrorCode::NotEmpty;
        }
        return std::nullopt;
    }

    WritableFileSystem& m_system;
    SeededRandom m_random;
    Model m_model;
};

} // namespace

class TestWriterTree : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void randomOperations();
    void powerCuts();
    void threads();
    void largeDirectory();
};

void TestWriterTree::randomOperations()
{
    const std::uint64_t seed = testSeed();
    for (std::uint64_t round = 0; round < 2; ++round) {
        WritableOptions options;
        options.cleanObjects = round == 0 ? 1024 : 4;
        WritableFileSystem system(options);
        Play play(system, seed + round);
        for (int i = 0; i < 1000; ++i) {
            system.clock().advance(std::chrono::milliseconds(1));
            const std::string problem = play.step();
            QVERIFY2(problem.empty(), fmt::format("step {}: {}", i, problem).c_str());
            if (i % 100 == 99) {
                NO_PROBLEM(compare(play.model(), system.files()));
                MP_OK(system.writer().drainUnlinked());
                NO_PROBLEM(audit(system, play.model().unlinked()));
            }
            if (i % 250 == 150) {
                MP_OK(system.syncAll());
                NO_PROBLEM(compare(play.model(), *system.frozen().value()));
                NO_PROBLEM(auditFrozen(system, play.model().unlinked()));
                NO_PROBLEM(system.problems());
            }
        }
    }
}

void TestWriterTree::powerCuts()
{
    WritableFileSystem system;
    Play play(system, testSeed());
    Model synced = play.model();
    MP_OK(system.syncAll());
    for (int cut = 0; cut < 20; ++cut) {
        for (int i = 0; i < 120; ++i) {
            const std::string problem = play.step();
            QVERIFY2(problem.empty(), problem.c_str());
            if (i == 60) {
                MP_OK(system.syncAll());
                synced = play.model();
            }
        }
        MP_OK(system.crash());
        play.setModel(synced);
        // What was unlinked and in use is in the queue, as is what was left for later.
        play.forgetHolders();
        while (system.writer().drainUnlinked().value()) {
        }
        NO_PROBLEM(compare(play.model(), system.files()));
        NO_PROBLEM(audit(system));
        MP_OK(system.syncAll());
        synced = play.model();
        NO_PROBLEM(auditFrozen(system));
        NO_PROBLEM(system.problems());
    }
}

void TestWriterTree::threads()
{
    WritableOptions options;
    options.drive = txg::Drive::Threads;
    WritableFileSystem system(options);
    FileSystemWriter& writer = system.writer();
    constexpr std::size_t kDirectories = 6;
    std::vector<ObjectId> directories{system.files().root()};
    for (std::size_t i = 1; i < kDirectories; ++i) {
        const auto made = writer.create({directories[i / 2], fmt::format("d{}", i)}, directory());
        MP_OK(made);
        directories.push_back((*made)->object);
    }
    std::atomic<int> unexpected = 0;
    std::atomic<bool> stop = false;
    Mutex textMutex;
    std::string text;
    const auto note = [&](const Error& error) {
        constexpr std::array kExpected = {ErrorCode::AlreadyExists,
                                          ErrorCode::NoSuchEntry,
                                          ErrorCode::NotEmpty,
                                          ErrorCode::IsDirectory,
                                          ErrorCode::NotDirectory,
                                          ErrorCode::NotPermitted,
                                          ErrorCode::InvalidArgument,
                                          ErrorCode::WouldBlock,
                                          ErrorCode::NoSuchObject};
        const bool outOfOrder = error.toText().find("after one in txg") != std::string::npos;
        if (outOfOrder || std::ranges::find(kExpected, error.code()) == kExpected.end()) {
            ++unexpected;
            const MutexLock lock(textMutex);
            text = error.toText();
        }
    };
    const auto work = [&](std::uint64_t seed) {
        SeededRandom random(seed);
        const auto pick = [&] { return directories[random.next() % directories.size()]; };
        for (int i = 0; i < 1500; ++i) {
            const std::string from = fmt::format("n{}", random.next() % 8);
            const std::string to = random.next() % 4 == 0
                                       ? fmt::format("d{}", 1 + random.next() % 5)
                                       : fmt::format("n{}", random.next() % 8);
            const std::string source =
                random.next() % 4 == 0 ? fmt::format("d{}", 1 + random.next() % 5) : from;
            const ObjectId a = pick();
            const ObjectId b = pick();
            const block::ReadContext context =
                random.next() % 3 == 0 ? kNoWait : block::ReadContext{};
            Status status;
            const auto keep = [&](const auto& result) {
                status = result ? Status() : Status(std::unexpected(result.error()));
            };
            switch (random.next() % 6) {
            case 0:
                keep(writer.create({a, from}, file(), context));
                break;
            case 1:
                keep(writer.unlink({a, from}, context));
                break;
            case 2:
            case 3:
                keep(writer.rename(
                    {a, source}, {b, to}, static_cast<RenameMode>(random.next() % 3), context));
                break;
            case 4: {
                const auto found = system.files().lookup(a, from);
                keep(found);
                if (found && found->type != FileType::Directory) {
                    keep(writer.link(found->object, {b, to}, context));
                }
                break;
            }
            default:
                keep(system.files().list(a, object::Zap::kBegin, 100));
                break;
            }
            if (!status) {
                note(status.error());
            }
        }
    };
    std::vector<std::thread> threads;
    for (std::uint64_t i = 0; i < 6; ++i) {
        threads.emplace_back(work, testSeed() + i);
    }
    std::thread syncer([&] {
        while (!stop) {
            if (!system.syncAll()) {
                ++unexpected;
                return;
            }
        }
    });
    for (std::thread& thread : threads) {
        thread.join();
    }
    stop = true;
    syncer.join();
    QVERIFY2(unexpected == 0, text.c_str());
    while (writer.drainUnlinked().value()) {
    }
    NO_PROBLEM(audit(system));
    MP_OK(system.syncAll());
    NO_PROBLEM(auditFrozen(system));
    NO_PROBLEM(system.problems());
}

/// Says what it costs; fails by no clock.
void TestWriterTree::largeDirectory()
{
    constexpr std::size_t kFiles = 10'000;
    WritableOptions options;
    options.cleanObjects = 16384;
    WritableFileSystem system(options);
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    const auto clock = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC * 1e6; };
    double began = clock();
    const auto lap = [&](const char* what) {
        const double now = clock();
        qInfo("%s: %.1f us each", what, (now - began) / kFiles);
        began = clock();
    };
    std::vector<ObjectId> made;
    for (std::size_t i = 0; i < kFiles; ++i) {
        const auto created = writer.create({root, fmt::format("file{}", i)}, file());
        MP_OK(created);
        made.push_back((*created)->object);
        writer.retain(made.back()); // as the kernel does
    }
    lap("create");
    MP_OK(system.syncAll());
    lap("sync");
    QCOMPARE(system.files().attributes(root).value()->size, std::uint64_t{kFiles + 2});
    NO_PROBLEM(auditFrozen(system));
    began = clock();
    for (std::size_t i = 0; i < kFiles; ++i) {
        MP_OK(writer.unlink({root, fmt::format("file{}", i)}));
        writer.release(made[i]);
    }
    lap("unlink");
    MP_OK(system.syncAll());
    NO_PROBLEM(auditFrozen(system));
    NO_PROBLEM(system.problems());
}

QTEST_GUILESS_MAIN(TestWriterTree)
#include "tst_writer_tree.moc"
