// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: names and the life of what they lead to are as POSIX has it and as OpenZFS keeps it on
// disk; a call that fails, or would have to wait, changes nothing. Method: single cases; every read
// of every operation fails in turn. (Everything together: tst_writer_tree.cpp.)
#include "base/check.h"
#include "base/cursor.h"
#include "engine/posix/file_system_audit.h"
#include "format/zap.h"
#include "object/zap.h"
#include "object/zap_writer.h"
#include "support/mp_ok.h"

#include <QTest>

#include <fmt/format.h>
#include <map>
#include <sys/stat.h>

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

} // namespace

class TestWriterNames : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void newFileSystem();
    void newFilesAttributes();
    void inheritance();
    void defaultAcl();
    void projects();
    void flagsThatForbid();
    void namesThatCanNotBe();
    void longNames();
    void namesWithoutCase();
    void namesOfMixedCase();
    void normalizedNames();
    void symbolicLinks();
    void openFilesSurvive();
    void unnamedFiles();
    void largeFilesGoInPieces();
    void filesFullOfHolesGo();
    void xattrsGoWithTheirFile();
    void readOnly();
    void refusedSpace();
    void failuresLeaveNothing_data();
    void failuresLeaveNothing();
    void nothingWaits();
    void blocksAfterSync();
    void oldZnodesAreConverted();
};

void TestWriterNames::newFileSystem()
{
    WritableOptions options;
    options.spec.rootUid = 7;
    options.spec.rootGid = 8;
    options.spec.rootMode = 01750;
    options.spec.now = std::chrono::seconds(5);
    WritableFileSystem system(options);
    MP_OK(system.syncAll());
    const auto files = system.frozen();
    MP_OK(files);
    QCOMPARE((*files)->version(), std::uint64_t{5});
    const auto root = (*files)->attributes((*files)->root());
    MP_OK(root);
    QCOMPARE((*root)->mode, std::uint32_t{S_IFDIR | 01750});
    QCOMPARE((*root)->uid, 7U);
    QCOMPARE((*root)->gid, 8U);
    QCOMPARE((*root)->links, std::uint64_t{2});
    QCOMPARE((*root)->size, std::uint64_t{2});
    QCOMPARE((*root)->parent, (*files)->root());
    QCOMPARE((*root)->created, Time(std::chrono::seconds(5)));
    NO_PROBLEM(auditFrozen(system));
    NO_PROBLEM(system.problems());
}

void TestWriterNames::newFilesAttributes()
{
    WritableFileSystem system;
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    system.clock().advance(std::chrono::nanoseconds(123'456'789));
    NewFile spec = file(04640);
    spec.uid = 1000;
    spec.gid = 100;
    spec.umask = 022;
    const auto made = writer.create({root, "file"}, spec);
    MP_OK(made);
    const Time now = system.clock().wall();
    for (const bool synced : {false, true}) {
        if (synced) {
            MP_OK(system.syncAll());
        }
        const auto files = synced ? system.frozen().value() : writer.files();
        const auto attributes = files->attributes((*made)->object);
        MP_OK(attributes);
        const Attributes& is = **attributes;
        QCOMPARE(is.mode, std::uint32_t{S_IFREG | 04640});
        QCOMPARE(is.uid, 1000U);
        QCOMPARE(is.gid, 100U);
        QCOMPARE(is.links, std::uint64_t{1});
        QCOMPARE(is.size, std::uint64_t{0});
        QCOMPARE(is.parent, root);
        QCOMPARE(is.generation, std::uint64_t{4});
        QCOMPARE(is.blocks512, std::uint64_t{1});
        QCOMPARE(is.created, now);
        QCOMPARE(is.modified, now);
        QCOMPARE(is.changed, now);
        QCOMPARE(is.accessed, now);
        QCOMPARE(is.flags,
                 ZnodeFlag::kArchive | ZnodeFlag::kModified | ZnodeFlag::kProjectId |
                     ZnodeFlag::kAclTrivial);
        QCOMPARE(files->attributes(root).value()->size, std::uint64_t{3});
        QCOMPARE(files->attributes(root).value()->modified, now);
        const auto aces = files->nfsv4Acl((*made)->object);
        MP_OK(aces);
        QCOMPARE(aces->size(), std::size_t{3});
    }
    QVERIFY(writer.group() == Txg(4));
}

void TestWriterNames::inheritance()
{
    WritableFileSystem system;
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    NewFile shared = directory(02775);
    shared.gid = 50;
    const auto parent = writer.create({root, "shared"}, shared);
    MP_OK(parent);
    NewFile below = directory();
    below.gid = 100;
    const auto child = writer.create({(*parent)->object, "d"}, below);
    MP_OK(child);
    QCOMPARE((*child)->gid, 50U);
    QCOMPARE((*child)->mode & 07777U, 02755U);
    const auto inner = writer.create({(*parent)->object, "f"}, file());
    MP_OK(inner);
    QCOMPARE((*inner)->gid, 50U);
    QCOMPARE((*inner)->mode & 07777U, 0644U);
}

void TestWriterNames::defaultAcl()
{
    WritableOptions options;
    options.write.posixAcls = true;
    WritableFileSystem system(options);
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    using Tag = AclEntry::Tag;
    const std::vector<AclEntry> acl = {{Tag::UserObject, 0, 7},
                                       {Tag::User, 1000, 7},
                                       {Tag::GroupObject, 0, 5},
                                       {Tag::Mask, 0, 7},
                                       {Tag::Other, 0, 4}};
    MP_OK(writer.setDefaultAcl(root, acl));
    NewFile spec = file(0666);
    spec.umask = 077; // has no say
    const auto made = writer.create({root, "f"}, spec);
    MP_OK(made);
    QCOMPARE((*made)->mode & 07777U, 0664U);
    QVERIFY((*made)->hasAccessAcl);
    const auto access = system.files().accessAcl((*made)->object);
    MP_OK(access);
    QCOMPARE(access->size(), std::size_t{5});
    QCOMPARE(int((*access)[0].permissions), 6);
    QCOMPARE(int((*access)[1].permissions), 7);
    QCOMPARE(int((*access)[3].permissions), 6);
    QCOMPARE(int((*access)[4].permissions), 4);
    const auto inner = writer.create({root, "d"}, directory());
    MP_OK(inner);
    QCOMPARE(system.files().defaultAcl((*inner)->object).value().size(), std::size_t{5});
    // A default ACL that says no more than a mode leaves nothing behind.
    const std::vector<AclEntry> small = {
        {Tag::UserObject, 0, 6}, {Tag::GroupObject, 0, 4}, {Tag::Other, 0, 0}};
    MP_OK(writer.setDefaultAcl(root, small));
    const auto plain = writer.create({root, "g"}, spec);
    MP_OK(plain);
    QCOMPARE((*plain)->mode & 07777U, 0640U);
    QVERIFY(!(*plain)->hasAccessAcl);
}

void TestWriterNames::projects()
{
    WritableFileSystem system;
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    const ObjectId project = writer.create({root, "project"}, directory()).value()->object;
    AttributeSettings settings;
    settings.flags = ZnodeFlag::kProjectInherit;
    settings.projectId = 9;
    MP_OK(writer.setAttributes(project, settings));
    const auto inner = writer.create({project, "f"}, file());
    MP_OK(inner);
    QCOMPARE((*inner)->projectId, 9U);
    QVERIFY(((*inner)->flags & ZnodeFlag::kProjectInherit) != 0);
    const auto outer = writer.create({root, "g"}, file());
    MP_OK(outer);
    QCOMPARE((*outer)->projectId, 0U);
    // Into a project only what is of it, out of it everything.
    QVERIFY(writer.link((*outer)->object, {project, "g"}).error().is(ErrorCode::CrossesBoundary));
    QVERIFY(writer.rename({root, "g"}, {project, "g"}).error().is(ErrorCode::CrossesBoundary));
    QVERIFY(writer.rename({project, "f"}, {root, "g"}, RenameMode::Exchange)
                .error()
                .is(ErrorCode::CrossesBoundary));
    MP_OK(writer.link((*inner)->object, {root, "f"}));
    MP_OK(writer.rename({project, "f"}, {root, "h"}));
    NO_PROBLEM(audit(system));
}

void TestWriterNames::flagsThatForbid()
{
    WritableFileSystem system;
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    const ObjectId kept = writer.create({root, "kept"}, directory()).value()->object;
    const ObjectId inner = writer.create({kept, "f"}, file()).value()->object;
    const ObjectId other = writer.create({root, "other"}, file()).value()->object;
    const auto forbidden = [&](const auto& result) {
        return !result && result.error().is(ErrorCode::NotPermitted);
    };
    const auto setFlags = [&](ObjectId object, std::uint64_t flags) {
        AttributeSettings settings;
        settings.flags = flags;
        return writer.setAttributes(object, settings);
    };
    MP_OK(setFlags(kept, ZnodeFlag::kImmutable));
    QVERIFY(forbidden(writer.create({kept, "g"}, file())));
    QVERIFY(forbidden(writer.createUnnamed(kept, file())));
    QVERIFY(forbidden(writer.link(other, {kept, "g"})));
    QVERIFY(forbidden(writer.unlink({kept, "f"})));
    QVERIFY(forbidden(writer.rename({kept, "f"}, {root, "f"})));
    QVERIFY(forbidden(writer.rename({root, "other"}, {kept, "other"})));
    QVERIFY(forbidden(writer.rename({root, "kept"}, {root, "x"})));
    QVERIFY(forbidden(writer.removeDirectory({root, "kept"})));
    MP_OK(setFlags(kept, ZnodeFlag::kAppendOnly));
    MP_OK(writer.create({kept, "g"}, file()));
    QVERIFY(forbidden(writer.unlink({kept, "g"})));
    MP_OK(setFlags(kept, 0));
    for (const std::uint64_t flag :
         {ZnodeFlag::kImmutable, ZnodeFlag::kAppendOnly, ZnodeFlag::kNoUnlink}) {
        MP_OK(setFlags(inner, flag));
        QVERIFY(forbidden(writer.unlink({kept, "f"})));
        QVERIFY(forbidden(writer.rename({kept, "f"}, {root, "f"})));
        QVERIFY(forbidden(writer.rename({root, "other"}, {kept, "f"})));
        QCOMPARE(forbidden(writer.link(inner, {root, fmt::format("link{}", flag)})),
                 flag != ZnodeFlag::kNoUnlink);
    }
    NO_PROBLEM(audit(system));
}

void TestWriterNames::namesThatCanNotBe()
{
    WritableOptions options;
    options.spec.utf8Only = true;
    WritableFileSystem system(options);
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    const auto error = [&](std::string_view name) {
        return writer.create({root, name}, file()).error().code();
    };
    QVERIFY(error("") == ErrorCode::InvalidName);
    QVERIFY(error(".") == ErrorCode::InvalidName);
    QVERIFY(error("..") == ErrorCode::InvalidName);
    QVERIFY(error("a/b") == ErrorCode::InvalidName);
    QVERIFY(error(std::string_view("a\0b", 3)) == ErrorCode::InvalidName);
    QVERIFY(error(std::string(256, 'x')) == ErrorCode::NameTooLong);
    QVERIFY(error(".zfs") == ErrorCode::AlreadyExists);
    for (const char* bad : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
        QVERIFY(error(bad) == ErrorCode::NotUtf8);
    }
    MP_OK(writer.create({root, std::string(255, 'x')}, file()));
    MP_OK(writer.create({root, "\xf0\x9f\x98\x80 \xe2\x82\xac \xc3\xa4"}, file()));
    const ObjectId inner = writer.create({root, "d"}, directory()).value()->object;
    const ObjectId plain = writer.create({inner, ".zfs"}, file()).value()->object;
    QVERIFY(writer.create({plain, "x"}, file()).error().is(ErrorCode::NotDirectory));
    NewFile link{.type = FileType::Link};
    QVERIFY(writer.create({inner, "l"}, link).error().is(ErrorCode::InvalidArgument));
    link.linkTarget = std::string(4096, 'x');
    QVERIFY(writer.create({inner, "l"}, link).error().is(ErrorCode::NameTooLong));
    NO_PROBLEM(audit(system));
}

void TestWriterNames::longNames()
{
    WritableOptions options;
    options.write.longNames = true;
    WritableFileSystem system(options);
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    MP_OK(writer.create({root, std::string(255, 'a')}, file()));
    QVERIFY(!writer.usedLongNames());
    for (std::size_t size = 256; size <= 1023; size += 59) {
        MP_OK(writer.create({root, std::string(size, 'b')}, file()));
    }
    QVERIFY(writer.usedLongNames());
    const std::string tooLong(1024, 'b');
    QVERIFY(writer.create({root, tooLong}, file()).error().is(ErrorCode::NameTooLong));
    const std::string renamed(1023, 'c');
    MP_OK(writer.rename({root, std::string(256, 'b')}, {root, renamed}));
    MP_OK(system.syncAll());
    MP_OK(system.frozen().value()->lookup(root, renamed));
    NO_PROBLEM(auditFrozen(system));
}

void TestWriterNames::namesWithoutCase()
{
    WritableOptions options;
    options.spec.caseSensitivity = 1;
    WritableFileSystem system(options);
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    const auto stored = [&](const char* name) {
        return QString::fromStdString(system.files().lookup(root, name).value().name);
    };
    const ObjectId object = writer.create({root, "ReadMe"}, file()).value()->object;
    QVERIFY(writer.create({root, "README"}, file()).error().is(ErrorCode::AlreadyExists));
    QCOMPARE(system.files().lookup(root, "readme").value().object, object);
    // One name written otherwise is changed.
    const auto renamed = writer.rename({root, "readme"}, {root, "README"}, RenameMode::NoReplace);
    MP_OK(renamed);
    QVERIFY(!renamed->replaced);
    QCOMPARE(stored("readme"), QString("README"));
    const ObjectId other = writer.create({root, "Other"}, file()).value()->object;
    const auto over = writer.rename({root, "OTHER"}, {root, "ReadMe"});
    MP_OK(over);
    QCOMPARE(over->replaced.value(), object);
    QCOMPARE(system.files().lookup(root, "readme").value().object, other);
    QCOMPARE(stored("readme"), QString("ReadMe"));
    MP_OK(writer.unlink({root, "README"}));
    QCOMPARE(system.files().attributes(root).value()->size, std::uint64_t{2});
    for (int i = 0; i < 300; ++i) { // names of so many bytes need a large table
        MP_OK(writer.create({root, fmt::format("{}{}", std::string(60, 'n'), i)}, file()));
    }
    for (int i = 0; i < 300; i += 7) {
        const std::string name = fmt::format("{}{}", std::string(60, 'N'), i);
        QVERIFY(writer.create({root, name}, file()).error().is(ErrorCode::AlreadyExists));
        MP_OK(writer.unlink({root, name}));
    }
    NO_PROBLEM(audit(system));
}

void TestWriterNames::namesOfMixedCase()
{
    WritableOptions options;
    options.spec.caseSensitivity = 2;
    WritableFileSystem system(options);
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    MP_OK(writer.create({root, "a"}, file()));
    MP_OK(writer.create({root, "A"}, file()));
    MP_OK(writer.unlink({root, "A"}));
    MP_OK(system.files().lookup(root, "a"));
    QVERIFY(!system.files().lookup(root, "A"));
    NO_PROBLEM(audit(system));
}

void TestWriterNames::normalizedNames()
{
    WritableOptions options;
    options.spec.normalization = format::NormalizationFlag::kFormC;
    WritableFileSystem system(options);
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    const std::string composed = "\xc3\xa4";    // a with two dots
    const std::string decomposed = "a\xcc\x88"; // a and two dots
    MP_OK(writer.create({root, composed}, file()));
    QVERIFY(writer.create({root, decomposed}, file()).error().is(ErrorCode::AlreadyExists));
    MP_OK(writer.rename({root, decomposed}, {root, decomposed}));
    QCOMPARE(system.files().lookup(root, composed).value().name, decomposed);
    MP_OK(writer.unlink({root, composed}));
    QVERIFY(writer.create({root, "\xff"}, file()).error().is(ErrorCode::NotUtf8));
    NO_PROBLEM(audit(system));
}

void TestWriterNames::symbolicLinks()
{
    WritableFileSystem system;
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    std::map<std::size_t, ObjectId> links;
    for (const std::size_t size : {1, 30, 60, 61, 100, 255, 4095}) { // some in a spill block
        const NewFile spec{
            .type = FileType::Link, .mode = 0777, .linkTarget = std::string(size, 't')};
        const auto link = writer.create({root, fmt::format("link{}", size)}, spec);
        MP_OK(link);
        QCOMPARE((*link)->size, std::uint64_t{size});
        links[size] = (*link)->object;
    }
    MP_OK(system.syncAll());
    const auto frozen = system.frozen().value();
    for (const auto& [size, link] : links) {
        QCOMPARE(system.files().readLink(link).value(), std::string(size, 't'));
        QCOMPARE(frozen->readLink(link).value(), std::string(size, 't'));
        MP_OK(writer.link(link, {root, fmt::format("second{}", size)}));
        QCOMPARE(system.files().readLink(link).value(), std::string(size, 't'));
    }
    NO_PROBLEM(audit(system));
}

void TestWriterNames::openFilesSurvive()
{
    WritableFileSystem system;
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    const ObjectId open = writer.create({root, "open"}, file()).value()->object;
    writer.retain(open);
    writer.retain(open);
    MP_OK(writer.unlink({root, "open"}));
    QCOMPARE(system.files().attributes(open).value()->links, std::uint64_t{0});
    MP_OK(writer.write(open, {.offset = ByteOffset(0), .data = bytesOf("still here")}));
    MP_OK(system.syncAll());
    NO_PROBLEM(auditFrozen(system, {open.value()}));
    QVERIFY(!writer.drainUnlinked().value());
    writer.release(open);
    MP_OK(system.files().attributes(open));
    MP_OK(writer.link(open, {root, "again"})); // as linkat() of /proc/self/fd
    MP_OK(writer.unlink({root, "again"}));
    writer.release(open);
    QVERIFY(system.files().attributes(open).error().is(ErrorCode::NoSuchObject));
    QVERIFY(writer.link(open, {root, "gone"}).error().is(ErrorCode::NoSuchObject));
    MP_OK(system.syncAll());
    NO_PROBLEM(auditFrozen(system));
    // A directory that is somebody's working directory.
    const ObjectId cwd = writer.create({root, "cwd"}, directory()).value()->object;
    writer.retain(cwd);
    MP_OK(writer.removeDirectory({root, "cwd"}));
    QVERIFY(writer.create({cwd, "f"}, file()).error().is(ErrorCode::NoSuchEntry));
    NO_PROBLEM(audit(system, {cwd.value()}));
    writer.release(cwd);
    NO_PROBLEM(audit(system));
    NO_PROBLEM(system.problems());
}

void TestWriterNames::unnamedFiles()
{
    WritableFileSystem system;
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    const ObjectId named = writer.createUnnamed(root, file()).value()->object;
    const ObjectId lost = writer.createUnnamed(root, file()).value()->object;
    QCOMPARE(system.files().attributes(root).value()->size, std::uint64_t{2});
    NO_PROBLEM(audit(system, {named.value(), lost.value()}));
    MP_OK(writer.link(named, {root, "named"}));
    QCOMPARE(system.files().attributes(named).value()->links, std::uint64_t{1});
    writer.release(named);
    writer.release(lost);
    MP_OK(system.syncAll());
    NO_PROBLEM(auditFrozen(system));
    QVERIFY(writer.createUnnamed(root, directory()).error().is(ErrorCode::InvalidArgument));
}

void TestWriterNames::largeFilesGoInPieces()
{
    WritableOptions options;
    options.write.recordBytes = 512;
    WritableFileSystem system(options);
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    const ObjectId large = writer.create({root, "large"}, file()).value()->object;
    const std::vector<std::byte> content(6 * MiB, std::byte{7}); // 12288 blocks
    MP_OK(writer.write(large, {.offset = ByteOffset(0), .data = content}));
    MP_OK(system.syncAll());
    MP_OK(system.writer().unlink({root, "large"}));
    NO_PROBLEM(audit(system, {large.value()}));
    int steps = 0;
    while (system.writer().drainUnlinked(1).value()) {
        ++steps;
        MP_OK(system.syncAll());
        if (steps == 2) {
            MP_OK(system.crash()); // then it goes on
        }
    }
    QVERIFY(steps >= 3);
    MP_OK(system.syncAll());
    NO_PROBLEM(auditFrozen(system));
    NO_PROBLEM(system.problems());
    QVERIFY(system.pool().inUse().size() < 50);
}

void TestWriterNames::filesFullOfHolesGo()
{
    WritableOptions options;
    options.write.recordBytes = 512;
    WritableFileSystem system(options);
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    const ObjectId sparse = writer.create({root, "sparse"}, file()).value()->object;
    for (const unsigned shift : {0U, 30U, 55U}) {
        const ByteOffset at(std::uint64_t{1} << shift);
        MP_OK(writer.write(sparse, {.offset = at, .data = bytesOf("x")}));
    }
    MP_OK(system.syncAll());
    writer.retain(sparse);
    MP_OK(writer.unlink({root, "sparse"}));
    writer.release(sparse);
    int steps = 0;
    while (writer.drainUnlinked(1).value()) {
        QVERIFY(++steps < 20);
    }
    MP_OK(system.syncAll());
    NO_PROBLEM(auditFrozen(system));
    QVERIFY(system.pool().inUse().size() < 50);
}

void TestWriterNames::xattrsGoWithTheirFile()
{
    WritableOptions options;
    options.write.xattrsInAttributes = false;
    WritableFileSystem system(options);
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    const ObjectId object = writer.create({root, "f"}, file()).value()->object;
    for (int i = 0; i < 150; ++i) {
        MP_OK(writer.setXattr(object, fmt::format("user.{}", i), bytesOf("value")));
    }
    MP_OK(system.syncAll());
    MP_OK(writer.unlink({root, "f"}));
    while (writer.drainUnlinked(1).value()) {
        MP_OK(system.syncAll());
    }
    NO_PROBLEM(audit(system));
    MP_OK(system.syncAll());
    NO_PROBLEM(auditFrozen(system));
    NO_PROBLEM(system.problems());
}

void TestWriterNames::readOnly()
{
    WritableFileSystem system;
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    const ObjectId object = writer.create({root, "f"}, file()).value()->object;
    writer.retain(object);
    MP_OK(writer.unlink({root, "f"}));
    MP_OK(writer.create({root, "g"}, file()));
    WriteOptions options = writer.options();
    options.readOnly = true;
    writer.setOptions(options);
    QVERIFY(writer.create({root, "h"}, file()).error().is(ErrorCode::ReadOnly));
    QVERIFY(writer.unlink({root, "g"}).error().is(ErrorCode::ReadOnly));
    QVERIFY(writer.rename({root, "g"}, {root, "h"}).error().is(ErrorCode::ReadOnly));
    writer.release(object); // the engine's own
    QVERIFY(system.files().attributes(object).error().is(ErrorCode::NoSuchObject));
}

void TestWriterNames::refusedSpace()
{
    WritableFileSystem system;
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    MP_OK(writer.create({root, "f"}, file()));
    WriteOptions options = writer.options();
    options.admit = [](Txg, ByteCount, bool freeing) {
        return freeing ? Status() : Status(fail(ErrorCode::QuotaExceeded, "full"));
    };
    writer.setOptions(options);
    QVERIFY(writer.create({root, "g"}, file()).error().is(ErrorCode::QuotaExceeded));
    MP_OK(writer.unlink({root, "f"}));
    NO_PROBLEM(audit(system));
}

namespace {

/// Two directories, "a" of files and "b" of directories, with tables of several blocks; nothing of
/// it in memory.
struct TwoDirectories
{
    TwoDirectories()
        : system({.write = {.xattrsInAttributes = false}, .cleanObjects = 2})
    {
        const ObjectId root = system.files().root();
        a = system.writer().create({root, "a"}, directory()).value()->object;
        b = system.writer().create({root, "b"}, directory()).value()->object;
        for (int i = 0; i < kEntries; ++i) {
            const std::string name = std::string(60, 'f') + std::to_string(i);
            MP_CHECK(system.writer().create({a, name}, file()).has_value());
            MP_CHECK(system.writer().create({b, name}, directory()).has_value());
        }
        // Found out of reach only when the name is gone already: its dnode is in another block.
        const ObjectId file7 = system.files().lookup(a, name7()).value().object;
        MP_CHECK(system.writer().setXattr(file7, "user.x", bytesOf("value")).has_value());
        MP_CHECK(system.syncAll().has_value());
        MP_CHECK(system.crash().has_value());
    }

    [[nodiscard]] static std::string name7() { return std::string(60, 'f') + "7"; }

    static constexpr int kEntries = 24;
    WritableFileSystem system;
    ObjectId a;
    ObjectId b;
};

Status attempt(int operation, const TwoDirectories& two, FileSystemWriter& writer)
{
    const auto asStatus = [](const auto& result) {
        return result ? Status() : Status(std::unexpected(result.error()));
    };
    const std::string name = TwoDirectories::name7();
    switch (operation) {
    case 0:
        return asStatus(writer.create({two.a, std::string(60, 'g')}, directory()));
    case 1:
        return asStatus(writer.unlink({two.a, name}));
    case 2:
        return asStatus(writer.removeDirectory({two.b, name}));
    case 3:
        return asStatus(writer.rename({two.a, name}, {two.b, "new"}));
    case 4:
        return asStatus(writer.rename({two.a, name}, {two.b, name}, RenameMode::Exchange));
    case 5:
        return asStatus(writer.rename({two.b, name}, {two.a, "new"}));
    default:
        return asStatus(writer.rename({two.a, std::string(60, 'f') + "8"}, {two.a, name}));
    }
}

} // namespace

void TestWriterNames::failuresLeaveNothing_data()
{
    QTest::addColumn<int>("operation");
    int operation = 0;
    for (const char* name :
         {"create", "unlink", "remove", "move a file", "exchange", "move", "replace"}) {
        QTest::newRow(name) << operation++;
    }
}

/// Every read of the operation fails in turn.
void TestWriterNames::failuresLeaveNothing()
{
    QFETCH(int, operation);
    constexpr int kMostReads = 60;
    for (int reads = 0; reads < kMostReads; ++reads) {
        TwoDirectories two;
        WritableFileSystem& system = two.system;
        system.source().failAfter(reads);
        const Status status = attempt(operation, two, system.writer());
        system.source().failAfter(-1);
        while (status && system.writer().drainUnlinked().value()) {
        }
        const std::string live = audit(system);
        QVERIFY2(live.empty(), fmt::format("read {}: {}", reads, live).c_str());
        MP_OK(system.syncAll());
        const std::string synced = auditFrozen(system);
        QVERIFY2(synced.empty(), fmt::format("read {}: {}", reads, synced).c_str());
        if (status) {
            QVERIFY(reads > 3);
            return;
        }
        for (const ObjectId object : {two.a, two.b}) {
            const auto listed = system.files().list(object, object::Zap::kBegin, 1000);
            MP_OK(listed);
            QCOMPARE(listed->size(), std::size_t{TwoDirectories::kEntries});
        }
    }
    QFAIL("it never succeeds");
}

void TestWriterNames::nothingWaits()
{
    WritableFileSystem system({.cleanObjects = 2});
    const ObjectId root = system.files().root();
    MP_OK(system.writer().create({root, "f"}, file()));
    MP_OK(system.syncAll());
    MP_OK(system.crash());
    FileSystemWriter& writer = system.writer();
    system.source().setColdCache(true);
    QVERIFY(writer.create({root, "g"}, file(), kNoWait).error().is(ErrorCode::WouldBlock));
    QVERIFY(writer.unlink({root, "f"}, kNoWait).error().is(ErrorCode::WouldBlock));
    QVERIFY(writer.group() == Txg(0));
    MP_OK(writer.create({root, "g"}, file()));
    MP_OK(writer.create({root, "h"}, file(), kNoWait)); // now everything is in memory
    {
        const auto hold = system.groups().hold({.dirtyEstimate = ByteCount(300 * MiB)});
        MP_OK(hold);
        QVERIFY(writer.create({root, "i"}, file(), kNoWait).error().is(ErrorCode::WouldBlock));
    }
    MP_OK(writer.create({root, "i"}, file(), kNoWait));
    NO_PROBLEM(audit(system));
}

void TestWriterNames::blocksAfterSync()
{
    WritableFileSystem system;
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    const ObjectId object = writer.create({root, "f"}, file()).value()->object;
    const std::vector<std::byte> content(20'000, std::byte{7});
    MP_OK(writer.write(object, {.offset = ByteOffset(0), .data = content}));
    QCOMPARE(system.files().attributes(object).value()->size, std::uint64_t{20'000});
    MP_OK(system.syncAll());
    // Nobody told, but the sync has given it space.
    QVERIFY(system.files().attributes(object).value()->blocks512 >= 40);
}

/// What a file system that was upgraded still has: attributes in the old layout.
void TestWriterNames::oldZnodesAreConverted()
{
    WritableFileSystem system;
    FileSystemWriter& writer = system.writer();
    const ObjectId root = system.files().root();
    ObjectId object;
    {
        const auto hold = system.groups().hold({});
        MP_OK(hold);
        format::ZnodePhys znode;
        znode.mode = S_IFLNK | 0777;
        znode.size = 6;
        znode.links = 1;
        znode.parent = root.value();
        znode.uid = 1001;
        znode.gid = 1002;
        znode.generation = 3;
        znode.modified = {1'600'000'000, 5};
        std::vector<std::byte> bonus(format::ZnodePhys::kBytes + znode.size);
        znode.encode(bonus, kHostOrder);
        std::ranges::copy(bytesOf("target"), bonus.end() - 6);
        object::ObjectSpec spec;
        spec.type = format::number(format::ObjectType::PlainFile);
        spec.bonusType = format::number(format::ObjectType::Znode);
        spec.bonus = bonus;
        object = system.objset().allocateObject(hold->txg(), spec).value();
        object::ZapWriter zaps(system.objset(), hold->txg());
        const format::DirectoryValue value{object, static_cast<std::uint8_t>(FileType::Link)};
        MP_OK(zaps.add(root, "old", value.encode()));
    }
    MP_OK(system.syncAll());
    QCOMPARE(system.files().attributes(object).value()->uid, 1001U);
    MP_OK(writer.rename({root, "old"}, {root, "new"}));
    MP_OK(system.syncAll());
    const auto frozen = system.frozen().value();
    QCOMPARE(int(system.frozenObjset().value()->dnode(object).value()->bonusType),
             int(format::number(format::ObjectType::SystemAttributes)));
    const auto attributes = frozen->attributes(object);
    MP_OK(attributes);
    QCOMPARE((*attributes)->mode, std::uint32_t{S_IFLNK | 0777});
    QCOMPARE((*attributes)->uid, 1001U);
    QCOMPARE((*attributes)->gid, 1002U);
    QCOMPARE((*attributes)->generation, std::uint64_t{3});
    QCOMPARE((*attributes)->modified, Time(1'600'000'000'000'000'005));
    QVERIFY(((*attributes)->flags & ZnodeFlag::kProjectId) != 0);
    QCOMPARE(frozen->readLink(object).value(), std::string("target"));
    MP_OK(writer.unlink({root, "new"}));
    QVERIFY(system.files().attributes(object).error().is(ErrorCode::NoSuchObject));
    NO_PROBLEM(system.problems());
}

QTEST_GUILESS_MAIN(TestWriterNames)
#include "tst_writer_names.moc"
