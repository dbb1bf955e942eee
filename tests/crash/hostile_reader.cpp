// SPDX-License-Identifier: GPL-3.0-or-later
// The child of tst_hostile: imports a damaged pool, asks everything that can be asked, reads every
// file, runs check. Errors are expected; ends with 0 when it got to the end. Ends with 3, and says
// which, when an error about damaged data does not name where it is.
// usage: hostile_reader FOLDER POOL
#include "api/engine.h"
#include "object/zap.h"
#include "posix/file_system.h"
#include "volume/volume.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

using namespace millpond;

namespace {
/// What was met; printed at the end, so that a run shows whether damage was reached at all.
struct Tally
{
    static constexpr std::size_t kShown = 20;
    std::size_t files = 0;
    std::uint64_t bytes = 0;
    std::size_t errors = 0;
    std::size_t unnamed = 0;

    void error(const Error& error, bool mustNameObject)
    {
        if (++errors <= kShown) {
            fmt::print("{}: {}\n", errorName(error.code()), error.toText());
        }
        const bool damage = error.errorClass() == ErrorClass::Corrupt;
        const ErrorContext& where = error.where();
        if (damage && mustNameObject &&
            (!where.object || (!where.objset && where.dataset.empty()))) {
            ++unnamed;
            fmt::print(stderr,
                       "does not name its place: {}: {}\n",
                       errorName(error.code()),
                       error.toText());
        }
    }
};

constexpr std::size_t kMaxFiles = 50'000; // more than any golden pool has in one dataset
constexpr std::size_t kMaxPaths = 100;    // each is a walk through the directory the file is in
constexpr std::uint64_t kMaxBytesPerFile = 64 * MiB;

/// Walks one filesystem, going on after errors. Damaged directories may form circles.
class Walker
{
public:
    Walker(posix::FileSystem& fileSystem, Tally& tally)
        : m_fileSystem(fileSystem)
        , m_tally(tally)
        , m_buffer(128 * KiB)
    {
    }

    void walk()
    {
        visit(m_fileSystem.root());
        while (!m_directories.empty() && m_seen.size() < kMaxFiles) {
            const ObjectId directory = m_directories.back();
            m_directories.pop_back();
            list(directory);
        }
        for (const auto kind :
             {posix::SpaceKind::User, posix::SpaceKind::Group, posix::SpaceKind::Project}) {
            note(m_fileSystem.spaceUse(kind));
        }
    }

private:
    template <class T> void note(const Result<T>& result)
    {
        if (!result) {
            m_tally.error(result.error(), true);
        }
    }

    void list(ObjectId directory)
    {
        std::uint64_t cursor = object::Zap::kBegin;
        while (m_seen.size() < kMaxFiles) {
            const auto entries = m_fileSystem.list(directory, cursor, 256);
            note(entries);
            if (!entries || entries->empty()) {
                return;
            }
            for (const posix::DirectoryEntry& entry : *entries) {
                note(m_fileSystem.lookup(directory, entry.name));
                visit(entry.object);
            }
            cursor = entries->back().next;
        }
    }

    void visit(ObjectId object)
    {
        if (!m_seen.insert(object).second) {
            return;
        }
        ++m_tally.files;
        const auto attributes = m_fileSystem.attributes(object);
        note(attributes);
        if (!attributes) {
            return;
        }
        switch ((*attributes)->type) {
        case posix::FileType::Directory:
            m_directories.push_back(object);
            break;
        case posix::FileType::Link:
            note(m_fileSystem.readLink(object));
            break;
        case posix::FileType::Regular:
            readContent(object);
            break;
        default:
            break;
        }
        readXattrs(object);
        note(m_fileSystem.accessAcl(object));
        note(m_fileSystem.defaultAcl(object));
        if (m_seen.size() <= kMaxPaths) {
            note(m_fileSystem.pathOf(object));
        }
    }

    void readContent(ObjectId object)
    {
        for (std::uint64_t at = 0; at < kMaxBytesPerFile; at += m_buffer.size()) {
            const auto got = m_fileSystem.read(object, ByteOffset(at), m_buffer);
            note(got);
            m_tally.bytes += got ? *got : 0;
            if (got && *got < m_buffer.size()) {
                break;
            }
        }
        ByteOffset at(0);
        for (int segment = 0; segment < 100; ++segment) {
            const auto data = m_fileSystem.seekData(object, at);
            note(data);
            if (!data || !*data) {
                return;
            }
            const auto hole = m_fileSystem.seekHole(object, **data);
            note(hole);
            if (!hole || !*hole || **hole <= **data) {
                return;
            }
            at = **hole;
        }
    }

    void readXattrs(ObjectId object)
    {
        const auto names = m_fileSystem.xattrNames(object);
        note(names);
        if (names) {
            for (const std::string& name : *names) {
                note(m_fileSystem.xattr(object, name));
            }
        }
    }

    posix::FileSystem& m_fileSystem;
    Tally& m_tally;
    std::vector<std::byte> m_buffer;
    std::vector<ObjectId> m_directories;
    std::set<ObjectId> m_seen;
};

template <class T> void note(Tally& tally, const Result<T>& result)
{
    if (!result) {
        tally.error(result.error(), false);
    }
}

void readVolume(api::Pool& pool, const std::string& name, Tally& tally)
{
    const auto volume = pool.volume(name);
    note(tally, volume);
    if (!volume) {
        return;
    }
    std::vector<std::byte> buffer(128 * KiB);
    const std::uint64_t size = std::min((*volume)->size().value(), kMaxBytesPerFile);
    for (std::uint64_t at = 0; at + buffer.size() <= size; at += buffer.size()) {
        const Status status = (*volume)->read(ByteOffset(at), buffer);
        if (!status) {
            tally.error(status.error(), true);
        }
    }
}

void readDataset(api::Pool& pool, const api::DatasetRow& row, Tally& tally)
{
    note(tally, pool.facts(row.name));
    if (row.kind == api::DatasetKind::Filesystem || row.kind == api::DatasetKind::Volume) {
        note(tally, pool.children(row.name));
        note(tally, pool.snapshots(row.name));
    }
    if (row.kind == api::DatasetKind::Snapshot) {
        note(tally, pool.holds(row.name));
    }
    if (row.kind == api::DatasetKind::Bookmark) {
        return;
    }
    const auto fileSystem = pool.fileSystem(row.name);
    if (fileSystem) {
        Walker(**fileSystem, tally).walk();
    } else if (fileSystem.error().is(ErrorCode::InvalidArgument)) {
        readVolume(pool, row.name, tally);
    } else {
        tally.error(fileSystem.error(), false);
    }
}

void readPool(api::Pool& pool, Tally& tally)
{
    note(tally, pool.status());
    note(tally, pool.properties({}));
    note(tally, pool.history());
    (void)pool.iostat();
    api::DatasetQuery query;
    query.roots = {pool.name()};
    query.recurse = true;
    query.kinds = 15;
    query.properties = {"all"};
    const auto rows = pool.datasets(query);
    note(tally, rows);
    if (rows) {
        for (const api::DatasetRow& row : *rows) {
            readDataset(pool, row, tally);
        }
    } else {
        readDataset(pool, {pool.name(), api::DatasetKind::Filesystem, {}}, tally);
    }
}
} // namespace

int main(int argc, char** argv)
{
    if (argc != 3) {
        fmt::print(stderr, "usage: hostile_reader FOLDER POOL\n");
        return 2;
    }
    api::EngineOptions options;
    options.hostName = "hostile";
    options.hostId = 1;
    options.cacheBytes = 32 * MiB;
    options.workers = 2;
    const auto engine = api::Engine::create(std::move(options));
    if (!engine) {
        fmt::print(stderr, "{}\n", engine.error().toText());
        return 2;
    }
    api::ScanRequest where;
    where.directories = {argv[1]};
    Tally tally;
    note(tally, (*engine)->scan(where));
    api::ImportRequest request;
    request.pool = argv[2];
    request.where = where;
    request.force = true;
    {
        const auto pool = (*engine)->importPool(request);
        if (pool) {
            readPool(**pool, tally);
        } else {
            tally.error(pool.error(), false);
            fmt::print("not imported: {}\n", pool.error().toText());
        }
    }
    (void)(*engine)->exportPool(argv[2], true);
    api::Progress progress;
    const auto report =
        (*engine)->check({argv[2], where}, progress, [](const api::CheckProblem&) {});
    note(tally, report);
    fmt::print("files {} bytes {} errors {} check {}\n",
               tally.files,
               tally.bytes,
               tally.errors,
               report ? std::to_string(report->problemCount) : report.error().toText());
    return tally.unnamed == 0 ? 0 : 3;
}
