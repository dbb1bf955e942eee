// SPDX-License-Identifier: GPL-3.0-or-later
// File systems made by hand, in both layouts of attributes and both byte orders, read back; and
// what is wrong on disk (names, modes, rings of parents, versions) must be refused without harm.
#include "engine/posix/file_system_builder.h"

#include "format/nvlist.h"
#include "format/zap.h"
#include "object/zap.h"

#include <QtTest>

#include <limits>
#include <sys/sysmacros.h>

using namespace millpond;
using namespace millpond::test;
using posix::FileSystem;
using posix::FileType;
using FileSystemRef = std::shared_ptr<FileSystem>;

namespace {

constexpr ObjectId kRoot{3};
constexpr ObjectId kFile{8};
constexpr ObjectId kLink{9};
constexpr ObjectId kLongLink{10};
constexpr ObjectId kDevice{11};
constexpr ObjectId kSub{12};
constexpr ObjectId kDeep{13};
constexpr std::uint64_t kFileBytes = 1500; // in blocks of 512, the middle one a hole

const std::string kLongTarget(600, 'x');

ByteVector filled(char c, std::size_t size)
{
    return ByteVector(size, std::byte(c));
}

/// "file", "link", "longlink", "device", "sub/deep".
void addUsualFiles(FileSystemBuilder& builder)
{
    builder.addDirectory(3,
                         {{"file", directoryValue(8, 8)},
                          {"link", directoryValue(9, 10)},
                          {"longlink", directoryValue(10, 10)},
                          {"device", directoryValue(11, 2)},
                          {"sub", directoryValue(12, 4)}},
                         {.mode = 0755, .links = 3});
    FileSpec file{
        .mode = 0100640, .size = kFileBytes, .links = 2, .uid = (5ULL << 32) + 1001, .gid = 1002};
    file.data.blocks[0] = filled('a', 512);
    file.data.blocks[2] = filled('c', 512);
    builder.addFile(8, file);
    builder.addFile(9, {.mode = 0120777, .size = 6, .link = "target"});
    FileSpec longLink{.mode = 0120777, .size = kLongTarget.size()};
    longLink.data.blockBytes = 1024;
    longLink.data.blocks[0] = bytesFrom(kLongTarget);
    longLink.data.blocks[0].resize(1024);
    builder.addFile(10, longLink);
    builder.addFile(11, {.mode = 0020600, .rdev = (8U << 20) | 17U});
    builder.addDirectory(12, {{"deep", directoryValue(13, 8)}}, {.mode = 0700, .links = 2});
    builder.addFile(13, {.parent = 12});
}

QString textOf(const Result<std::string>& text)
{
    return text ? QString::fromStdString(*text)
                : QStringLiteral("error: ") + QString::fromStdString(text.error().toText());
}

#define MP_GET(name, expression)                                                                   \
    auto name##Result = (expression);                                                              \
    QVERIFY2(name##Result.has_value(), name##Result ? "" : name##Result.error().toText().c_str()); \
    auto& name = *name##Result

#define MP_FAILS(code, expression)                                                                 \
    do {                                                                                           \
        const auto result = (expression);                                                          \
        QVERIFY(!result.has_value());                                                              \
        QVERIFY2(result.error().is(ErrorCode::code), result.error().toText().c_str());             \
    } while (false)

} // namespace

class tst_FileSystem : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void layouts_data();

    void attributes_data() { layouts_data(); }

    void attributes();

    void lookups_data() { layouts_data(); }

    void lookups();

    void listing_data() { layouts_data(); }

    void listing();

    void links_data() { layouts_data(); }

    void links();

    void reading_data() { layouts_data(); }

    void reading();

    void holes_data() { layouts_data(); }

    void holes();

    void paths_data() { layouts_data(); }

    void paths();

    void xattrsInDirectory_data() { layouts_data(); }

    void xattrsInDirectory();
    void xattrsInAttributes();
    void options();
    void ignoresCase();

    void neverWaits_data() { layouts_data(); }

    void neverWaits();
    void extremeTimes();
    void badNames();
    void badFiles();
    void badMasters();
    void ringOfParents();

private:
    FileSystemRef open(const posix::ShowOptions& show = {});

    MemoryBlocks m_blocks;
};

void tst_FileSystem::layouts_data()
{
    QTest::addColumn<int>("layout");
    QTest::addColumn<bool>("bigEndian");
    for (const auto layout : {AttributeLayout::OldZnode, AttributeLayout::SystemAttributes}) {
        for (const bool big : {false, true}) {
            const char* name =
                layout == AttributeLayout::OldZnode ? "old znode" : "system attributes";
            QTest::addRow("%s %s", name, big ? "big" : "little") << static_cast<int>(layout) << big;
        }
    }
}

FileSystemRef tst_FileSystem::open(const posix::ShowOptions& show)
{
    QFETCH(int, layout);
    QFETCH(bool, bigEndian);
    m_blocks = MemoryBlocks();
    FileSystemBuilder builder(m_blocks,
                              static_cast<AttributeLayout>(layout),
                              bigEndian ? ByteOrder::Big : ByteOrder::Little);
    addUsualFiles(builder);
    auto fileSystem = builder.build(show);
    if (!fileSystem) {
        qWarning("%s", fileSystem.error().toText().c_str());
        return nullptr;
    }
    return *fileSystem;
}

void tst_FileSystem::attributes()
{
    const FileSystemRef fs = open();
    QVERIFY(fs);
    QCOMPARE(fs->root().value(), kRoot.value());
    MP_GET(file, fs->attributes(kFile));
    QVERIFY(file->type == FileType::Regular);
    QCOMPARE(file->mode, 0100640U);
    QCOMPARE(file->uid, 1001U); // the domain of a FUID is not shown
    QCOMPARE(file->gid, 1002U);
    QCOMPARE(file->size, kFileBytes);
    QCOMPARE(file->links, std::uint64_t{2});
    QCOMPARE(file->blockSize, 512U);
    QCOMPARE(file->generation, std::uint64_t{7});
    QCOMPARE(file->parent.value(), kRoot.value());
    QVERIFY(file->modified == std::chrono::seconds(1'700'000'000) + std::chrono::nanoseconds(123));
    QVERIFY(!file->hasAccessAcl);
    MP_GET(again, fs->attributes(kFile));
    QCOMPARE(again.get(), file.get()); // from the cache
    MP_GET(device, fs->attributes(kDevice));
    QVERIFY(device->type == FileType::CharacterDevice);
    QCOMPARE(device->rdev, std::uint64_t{makedev(8, 17)});
    MP_GET(root, fs->attributes(kRoot));
    QVERIFY(root->type == FileType::Directory);
    QCOMPARE(root->size, std::uint64_t{7});
    QCOMPARE(root->rdev, std::uint64_t{0});
    MP_FAILS(NoSuchObject, fs->attributes(ObjectId(77)));
    MP_FAILS(NoSuchObject, fs->attributes(ObjectId(2))); // an object, but no file
}

void tst_FileSystem::lookups()
{
    const FileSystemRef fs = open();
    QVERIFY(fs);
    MP_GET(file, fs->lookup(kRoot, "file"));
    QCOMPARE(file.object.value(), kFile.value());
    QVERIFY(file.type == FileType::Regular);
    MP_FAILS(NoSuchEntry, fs->lookup(kRoot, "File"));
    MP_FAILS(NoSuchEntry, fs->lookup(kRoot, ""));
    MP_FAILS(NoSuchEntry, fs->lookup(kRoot, ".."));
    MP_FAILS(NoSuchEntry, fs->lookup(kRoot, "a/b"));
    MP_FAILS(NotDirectory, fs->lookup(kFile, "x"));
    MP_FAILS(NoSuchObject, fs->lookup(ObjectId(500), "x"));
}

void tst_FileSystem::listing()
{
    const FileSystemRef fs = open();
    QVERIFY(fs);
    // One at a time and all at once give the same.
    QStringList single;
    std::uint64_t cursor = object::Zap::kBegin;
    for (int i = 0; i < 10; ++i) {
        MP_GET(entries, fs->list(kRoot, cursor, 1));
        if (entries.empty()) {
            break;
        }
        single << QString::fromStdString(entries.front().name);
        cursor = entries.front().next;
    }
    QStringList whole;
    MP_GET(all, fs->list(kRoot, object::Zap::kBegin, 100));
    for (const auto& entry : all) {
        whole << QString::fromStdString(entry.name);
    }
    QCOMPARE(single, whole);
    whole.sort();
    QCOMPARE(whole, (QStringList{"device", "file", "link", "longlink", "sub"}));
    MP_FAILS(NotDirectory, fs->list(kFile, object::Zap::kBegin, 1));
}

void tst_FileSystem::links()
{
    const FileSystemRef fs = open();
    QVERIFY(fs);
    QCOMPARE(textOf(fs->readLink(kLink)), QStringLiteral("target"));
    QCOMPARE(textOf(fs->readLink(kLongLink)), QString::fromStdString(kLongTarget));
    MP_FAILS(NotLink, fs->readLink(kFile));
}

void tst_FileSystem::reading()
{
    const FileSystemRef fs = open();
    QVERIFY(fs);
    ByteVector buffer(4000, std::byte(0xee));
    MP_GET(count, fs->read(kFile, ByteOffset(0), buffer));
    QCOMPARE(count, std::size_t{kFileBytes});
    ByteVector expected = filled('a', 512);
    expected.resize(1024); // the hole
    expected.resize(kFileBytes, std::byte('c'));
    QVERIFY(std::equal(expected.begin(), expected.end(), buffer.begin()));
    QCOMPARE(buffer[kFileBytes], std::byte(0xee)); // nothing behind the end is touched
    MP_GET(some, fs->read(kFile, ByteOffset(1020), MutableBytes(buffer).first(10)));
    QCOMPARE(some, std::size_t{10});
    QCOMPARE(buffer[3], std::byte(0));
    QCOMPARE(buffer[4], std::byte('c'));
    MP_GET(atEnd, fs->read(kFile, ByteOffset(kFileBytes), buffer));
    QCOMPARE(atEnd, std::size_t{0});
    MP_GET(farOut, fs->read(kFile, ByteOffset(std::numeric_limits<std::uint64_t>::max()), buffer));
    QCOMPARE(farOut, std::size_t{0});
    MP_FAILS(IsDirectory, fs->read(kRoot, ByteOffset(0), buffer));
    MP_FAILS(InvalidArgument, fs->read(kDevice, ByteOffset(0), buffer));
}

void tst_FileSystem::holes()
{
    const FileSystemRef fs = open();
    QVERIFY(fs);
    const auto offset = [](const Result<std::optional<ByteOffset>>& found) {
        return found && *found ? static_cast<qint64>((*found)->value()) : qint64{-1};
    };
    QCOMPARE(offset(fs->seekData(kFile, ByteOffset(0))), qint64{0});
    QCOMPARE(offset(fs->seekHole(kFile, ByteOffset(0))), qint64{512});
    QCOMPARE(offset(fs->seekData(kFile, ByteOffset(512))), qint64{1024});
    QCOMPARE(offset(fs->seekHole(kFile, ByteOffset(1100))), qint64{kFileBytes}); // its end counts
    QCOMPARE(offset(fs->seekData(kFile, ByteOffset(kFileBytes))), qint64{-1});
    QCOMPARE(offset(fs->seekHole(kFile, ByteOffset(kFileBytes))), qint64{-1});
}

void tst_FileSystem::paths()
{
    const FileSystemRef fs = open();
    QVERIFY(fs);
    QCOMPARE(textOf(fs->pathOf(kRoot)), QStringLiteral("/"));
    QCOMPARE(textOf(fs->pathOf(kFile)), QStringLiteral("/file"));
    QCOMPARE(textOf(fs->pathOf(kDeep)), QStringLiteral("/sub/deep"));
    MP_FAILS(NoSuchObject, fs->pathOf(ObjectId(500)));
}

void tst_FileSystem::xattrsInDirectory()
{
    QFETCH(int, layout);
    QFETCH(bool, bigEndian);
    MemoryBlocks blocks;
    FileSystemBuilder builder(blocks,
                              static_cast<AttributeLayout>(layout),
                              bigEndian ? ByteOrder::Big : ByteOrder::Little);
    builder.addDirectory(3, {{"file", directoryValue(8, 8)}});
    builder.addFile(8, {.xattrDirectory = 20});
    constexpr std::uint64_t kXattrFlag = 1;
    builder.addDirectory(20,
                         {{"user.a", directoryValue(21, 8)},
                          {"bare", directoryValue(21, 8)},
                          {"trusted.t", directoryValue(21, 8)},
                          {"freebsd:system:x", directoryValue(21, 8)},
                          {"system.posix_acl_access", directoryValue(22, 8)}},
                         {.parent = 8, .flags = kXattrFlag});
    FileSpec value{.size = 5, .parent = 20, .flags = kXattrFlag};
    value.data.blocks[0] = bytesFrom("hello");
    value.data.blocks[0].resize(512);
    builder.addFile(21, value);
    FileSpec acl{.size = 12, .parent = 20, .flags = kXattrFlag};
    acl.data.blocks[0] = ByteVector(512);
    put32(acl.data.blocks[0], 0, 2, ByteOrder::Little);
    put16(acl.data.blocks[0], 4, 2, ByteOrder::Little);
    put16(acl.data.blocks[0], 6, 6, ByteOrder::Little);
    put32(acl.data.blocks[0], 8, 1001, ByteOrder::Little);
    builder.addFile(22, acl);
    MP_GET(fs, builder.build());

    MP_GET(names, fs->xattrNames(kFile));
    std::ranges::sort(names);
    QCOMPARE(names, (std::vector<std::string>{"trusted.t", "user.a", "user.bare"}));
    for (const char* name : {"user.a", "user.bare", "trusted.t"}) {
        MP_GET(bytes, fs->xattr(kFile, name));
        QVERIFY(bytes == bytesFrom("hello"));
    }
    MP_FAILS(NoSuchAttribute, fs->xattr(kFile, "user.b"));
    MP_FAILS(NoSuchAttribute, fs->xattr(kFile, "user.trusted.t"));
    MP_FAILS(NoSuchAttribute, fs->xattr(kFile, "system.posix_acl_access"));
    MP_FAILS(NoSuchAttribute, fs->xattr(kRoot, "user.a"));
    MP_GET(entries, fs->accessAcl(kFile));
    QCOMPARE(entries.size(), std::size_t{1});
    QCOMPARE(entries[0].id, 1001U);
    QCOMPARE(entries[0].permissions, std::uint8_t{6});
    MP_GET(none, fs->defaultAcl(kFile));
    QVERIFY(none.empty());
    MP_GET(attributes, fs->attributes(kFile));
    QVERIFY(attributes->hasAccessAcl);
    QCOMPARE(textOf(fs->pathOf(ObjectId(21))).section('/', 0, 2),
             QStringLiteral("/file/<xattrdir>"));
}

void tst_FileSystem::xattrsInAttributes()
{
    MemoryBlocks blocks;
    FileSystemBuilder builder(blocks, AttributeLayout::SystemAttributes, ByteOrder::Little);
    builder.addDirectory(3, {{"file", directoryValue(8, 8)}});
    format::NvList list;
    list.set("user.a",
             format::NvValue::bytes(format::NvType::ByteArray, bytesFrom("from the list")));
    builder.addFile(8, {.xattrDirectory = 20, .xattrList = list.encode()});
    builder.addDirectory(20,
                         {{"user.a", directoryValue(21, 8)}, {"user.b", directoryValue(21, 8)}});
    FileSpec value{.size = 3};
    value.data.blocks[0] = bytesFrom("dir");
    value.data.blocks[0].resize(512);
    builder.addFile(21, value);
    builder.addFile(9, {.xattrList = bytesFrom("this is no packed list")});
    MP_GET(fs, builder.build());

    MP_GET(names, fs->xattrNames(kFile));
    QCOMPARE(names, (std::vector<std::string>{"user.a", "user.b"}));
    MP_GET(first, fs->xattr(kFile, "user.a"));
    QVERIFY(first == bytesFrom("from the list")); // the list goes first
    MP_GET(second, fs->xattr(kFile, "user.b"));
    QVERIFY(second == bytesFrom("dir"));
    // A broken list spoils the attributes, not the file.
    QVERIFY(fs->attributes(kLink).has_value());
    QVERIFY(!fs->xattrNames(kLink).has_value());
    QVERIFY(!fs->xattr(kLink, "user.a").has_value());
}

void tst_FileSystem::options()
{
    MemoryBlocks blocks;
    FileSystemBuilder builder(blocks, AttributeLayout::SystemAttributes, ByteOrder::Little);
    format::NvList list;
    ByteVector acl(12);
    put32(acl, 0, 2, ByteOrder::Little);
    put16(acl, 4, 1, ByteOrder::Little);
    list.set("system.posix_acl_access", format::NvValue::bytes(format::NvType::ByteArray, acl));
    list.set("user.a", format::NvValue::bytes(format::NvType::ByteArray, bytesFrom("1")));
    list.set("trusted.a", format::NvValue::bytes(format::NvType::ByteArray, bytesFrom("2")));
    builder.addDirectory(3, {}, {.links = 2});
    builder.addFile(8, {.xattrList = list.encode()});
    MP_GET(fs,
           builder.build(
               {.posixAcls = false, .userAttributes = false, .snapshotDirectoryVisible = true}));
    MP_GET(names, fs->xattrNames(kFile));
    QCOMPARE(names, std::vector<std::string>{"trusted.a"});
    MP_FAILS(NoSuchAttribute, fs->xattr(kFile, "user.a"));
    QVERIFY(fs->xattr(kFile, "trusted.a").has_value());
    MP_GET(entries, fs->accessAcl(kFile));
    QVERIFY(entries.empty());
    MP_GET(file, fs->attributes(kFile));
    QVERIFY(!file->hasAccessAcl);
    MP_GET(root, fs->attributes(kRoot));
    QCOMPARE(root->links, std::uint64_t{3}); // .zfs is one more
}

void tst_FileSystem::ignoresCase()
{
    MemoryBlocks blocks;
    FileSystemBuilder builder(blocks, AttributeLayout::SystemAttributes, ByteOrder::Little);
    builder.setMaster("casesensitivity", 1);
    builder.setNormalization(format::NormalizationFlag::kToUpper);
    builder.addDirectory(3, {{"MixedCase", directoryValue(8, 8)}, {"other", directoryValue(8, 8)}});
    builder.addFile(8, {});
    MP_GET(fs, builder.build());
    QVERIFY(fs->ignoresCase());
    QVERIFY(!fs->normalizes());
    for (const char* name : {"MixedCase", "mixedcase", "MIXEDCASE"}) {
        MP_GET(found, fs->lookup(kRoot, name));
        QCOMPARE(found.name, std::string("MixedCase")); // as stored
    }
    MP_FAILS(NoSuchEntry, fs->lookup(kRoot, "mixed"));
}

void tst_FileSystem::neverWaits()
{
    const FileSystemRef fs = open();
    QVERIFY(fs);
    m_blocks.setCold(true);
    const block::ReadContext cachedOnly{.wait = block::Wait::CachedOnly};
    ByteVector buffer(16);
    // All dnodes here share the block that was read to open the file system; nothing else is known
    // yet.
    QVERIFY(fs->attributes(kFile, cachedOnly).has_value());
    MP_FAILS(WouldBlock, fs->lookup(kRoot, "file", cachedOnly));
    MP_FAILS(WouldBlock, fs->list(kRoot, object::Zap::kBegin, 10, cachedOnly));
    MP_FAILS(WouldBlock, fs->read(kFile, ByteOffset(0), buffer, cachedOnly));
    MP_FAILS(WouldBlock, fs->readLink(kLongLink, cachedOnly));
    MP_FAILS(WouldBlock, fs->pathOf(kDeep, cachedOnly));
    // Once somebody waited for it, it is there.
    QVERIFY(fs->lookup(kRoot, "file").has_value());
    QVERIFY(fs->read(kFile, ByteOffset(0), buffer).has_value());
    QVERIFY(fs->lookup(kRoot, "file", cachedOnly).has_value());
    QVERIFY(fs->read(kFile, ByteOffset(0), buffer, cachedOnly).has_value());
}

void tst_FileSystem::extremeTimes()
{
    MemoryBlocks blocks;
    FileSystemBuilder builder(blocks, AttributeLayout::SystemAttributes, ByteOrder::Little);
    builder.addDirectory(3, {});
    builder.addFile(8, {.mtime = {~std::uint64_t{0}, 999'999'999}}); // a nanosecond before 1970
    builder.addFile(9, {.mtime = {std::uint64_t{1} << 62, 0}});
    builder.addFile(10, {.mtime = {std::uint64_t{1} << 63, ~std::uint64_t{0}}});
    MP_GET(fs, builder.build());
    MP_GET(before, fs->attributes(ObjectId(8)));
    QCOMPARE(before->modified.count(), std::int64_t{-1});
    MP_GET(late, fs->attributes(ObjectId(9)));
    QCOMPARE(late->modified.count(), std::numeric_limits<std::int64_t>::max());
    MP_GET(early, fs->attributes(ObjectId(10)));
    QCOMPARE(early->modified.count(), std::numeric_limits<std::int64_t>::min());
}

void tst_FileSystem::badNames()
{
    for (const std::string& name : {std::string("a/b"), std::string("."), std::string("..")}) {
        MemoryBlocks blocks;
        FileSystemBuilder builder(blocks, AttributeLayout::OldZnode, ByteOrder::Little);
        builder.addDirectory(3, {{name, directoryValue(8, 8)}});
        MP_GET(fs, builder.build());
        MP_FAILS(BadDirectory, fs->list(kRoot, object::Zap::kBegin, 10));
    }
}

void tst_FileSystem::badFiles()
{
    MemoryBlocks blocks;
    FileSystemBuilder builder(blocks, AttributeLayout::OldZnode, ByteOrder::Little);
    builder.addDirectory(3, {});
    builder.addFile(8, {.mode = 0}); // no type at all
    builder.addFile(9, {.mode = 0170644});
    builder.addFile(10, {.mode = 0120777, .size = std::uint64_t{1} << 40}); // a link of a terabyte
    builder.addRaw(
        11, {.bonusType = format::number(format::ObjectType::Znode), .bonus = ByteVector(100)}, {});
    builder.addFile(12, {.size = ~std::uint64_t{0}});
    builder.addFile(13, {.xattrDirectory = 8});
    MP_GET(fs, builder.build());
    MP_FAILS(BadAttributes, fs->attributes(ObjectId(8)));
    MP_FAILS(BadAttributes, fs->attributes(ObjectId(9)));
    MP_FAILS(BadAttributes, fs->readLink(ObjectId(10)));
    MP_FAILS(BadAttributes, fs->attributes(ObjectId(11)));
    ByteVector buffer(100, std::byte(1));
    MP_GET(count, fs->read(ObjectId(12), ByteOffset(std::uint64_t{1} << 60), buffer));
    QCOMPARE(count, buffer.size()); // a file of 16 EiB: zeroes
    QVERIFY(buffer == ByteVector(100));
    QVERIFY(fs->attributes(ObjectId(13)).has_value()); // its attributes lead nowhere
    QVERIFY(!fs->xattrNames(ObjectId(13)).has_value());
}

void tst_FileSystem::badMasters()
{
    for (const std::uint64_t version : {std::uint64_t{0}, std::uint64_t{6}, ~std::uint64_t{0}}) {
        MemoryBlocks blocks;
        FileSystemBuilder builder(blocks, AttributeLayout::OldZnode, ByteOrder::Little);
        builder.setMaster("VERSION", version);
        MP_FAILS(UnsupportedVersion, builder.build());
    }
    MemoryBlocks blocks;
    FileSystemBuilder builder(blocks, AttributeLayout::OldZnode, ByteOrder::Little);
    builder.setMaster("SA_ATTRS", 77);
    QVERIFY(!builder.build().has_value());
}

void tst_FileSystem::ringOfParents()
{
    MemoryBlocks blocks;
    FileSystemBuilder builder(blocks, AttributeLayout::OldZnode, ByteOrder::Little);
    builder.addDirectory(3, {});
    builder.addDirectory(20, {{"b", directoryValue(21, 4)}}, {.parent = 21});
    builder.addDirectory(21, {{"a", directoryValue(20, 4)}}, {.parent = 20});
    builder.addFile(22, {.parent = 3}); // no entry leads to it
    MP_GET(fs, builder.build());
    MP_FAILS(NoSuchEntry, fs->pathOf(ObjectId(20)));
    MP_FAILS(NoSuchEntry, fs->pathOf(ObjectId(22)));
}

QTEST_GUILESS_MAIN(tst_FileSystem)
#include "tst_file_system.moc"
