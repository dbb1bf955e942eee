// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: extended attributes read back as from a plain map, whichever of the two styles each is
// in, and each is in one of them only; attributes change as Linux has it and bring along what has
// to fit them: NFSv4 entries, POSIX ACLs, owners of hidden files; a call that fails changes
// nothing. Method: random operations against a map, with syncs and power cuts; single cases;
// failures of every read.
#include "engine/posix/writable_file_system.h"
#include "format/nvlist.h"
#include "object/attribute_writer.h"
#include "object/zap.h"
#include "posix/detail/mode_acl.h"
#include "support/mp_ok.h"
#include "support/seed.h"

#include <QTest>

#include <fmt/format.h>
#include <sys/stat.h>

#include <map>

using namespace millpond;
using namespace millpond::posix;
using namespace millpond::test;
using format::ZnodeFlag;
using Tag = AclEntry::Tag;

namespace {

constexpr block::ReadContext kNoWait{.wait = block::Wait::CachedOnly};

using Value = std::vector<std::byte>;

Value randomValue(SeededRandom& random, std::size_t size)
{
    Value bytes(size);
    for (std::byte& byte : bytes) {
        byte = std::byte(static_cast<std::uint8_t>(random.next()));
    }
    return bytes;
}

bool isError(const auto& result, ErrorCode code)
{
    return !result && result.error().is(code);
}

struct OneFile
{
    explicit OneFile(WritableOptions options = {}, FileType type = FileType::Regular)
        : fs(std::move(options))
        , object((*fs.writer().create({fs.files().root(), "file"},
                                      {.type = type, .mode = 0644, .uid = 7, .gid = 8}))
                     ->object)
    {
    }

    [[nodiscard]] FileSystemWriter& writer() { return fs.writer(); }

    [[nodiscard]] std::shared_ptr<const Attributes> attributes()
    {
        return *fs.files().attributes(object);
    }

    [[nodiscard]] std::uint32_t mode() { return attributes()->mode & 07777; }

    WritableFileSystem fs;
    ObjectId object;
};

// --- Where an attribute is ---

std::set<std::string> namesListed(object::ObjectSet& objset, ObjectId object)
{
    std::set<std::string> names;
    const auto dnode = objset.dnode(object);
    const auto saObject =
        object::Zap::open(objset, format::kMasterNodeObject)->number(format::kMasterSaAttributes);
    const auto table = object::AttributeTable::open(objset, ObjectId(*saObject));
    const auto values = table->read(objset, **dnode);
    if (const auto list = values->find(format::kZplDxattr); list != values->end()) {
        const auto decoded = format::NvList::decode(list->second.bytes);
        for (const format::NvPair& pair : decoded->pairs()) {
            names.insert(pair.name);
        }
    }
    return names;
}

std::set<std::string> namesFiled(object::ObjectSet& objset, FileSystem& files, ObjectId object)
{
    std::set<std::string> names;
    const ObjectId directory = (*files.attributes(object))->xattrDirectory;
    if (directory.value() != 0) {
        const auto entries = object::Zap::open(objset, directory)->list(object::Zap::kBegin, 1000);
        for (const auto& [next, entry] : entries->entries) {
            names.insert(entry.name);
        }
        if ((*files.attributes(directory))->size != names.size() + 2) {
            names.insert("the directory's size is wrong");
        }
    }
    return names;
}

/// Random changes of the attributes of few files.
class XattrTester
{
public:
    XattrTester(std::uint64_t seed, bool listed)
        : m_random(seed)
        , m_fs(options(listed))
    {
        for (int i = 0; i < 3; ++i) {
            const NewFile spec{.type = i == 2 ? FileType::Directory : FileType::Regular};
            const auto made =
                m_fs.writer().create({m_fs.files().root(), fmt::format("{}", i)}, spec);
            m_files.push_back({(*made)->object, {}, {}});
        }
        (void)m_fs.syncAll(); // for power cuts to have something to go back to
    }

    std::string step()
    {
        switch (below(24)) {
        case 0: {
            const Status synced = m_fs.syncAll();
            for (File& file : m_files) {
                file.synced = file.values;
            }
            return synced ? compareFrozen() : synced.error().toText();
        }
        case 1: {
            const Status crashed = m_fs.crash();
            for (File& file : m_files) {
                file.values = file.synced;
            }
            return crashed ? std::string() : crashed.error().toText();
        }
        case 2: {
            WriteOptions changed = m_fs.writer().options();
            changed.xattrsInAttributes = below(2) == 0;
            m_fs.writer().setOptions(changed);
            return {};
        }
        case 3:
        case 4:
        case 5:
        case 6:
            return remove(m_files[below(m_files.size())]);
        default:
            return set(m_files[below(m_files.size())]);
        }
    }

    std::string look()
    {
        const File& file = m_files[below(m_files.size())];
        return compare(m_fs.objset(), m_fs.files(), file, file.values);
    }

    std::string finish()
    {
        const Status synced = m_fs.syncAll();
        return synced ? m_fs.problems() : synced.error().toText();
    }

    [[nodiscard]] const std::string& what() const { return m_what; }

private:
    using Values = std::map<std::string, Value>;

    struct File
    {
        ObjectId object;
        Values values;
        Values synced;
    };

    static WritableOptions options(bool listed)
    {
        WritableOptions options;
        options.write.xattrsInAttributes = listed;
        options.write.recordBytes = 8192;
        options.cleanObjects = 2;
        return options;
    }

    std::uint64_t below(std::uint64_t limit) { return m_random.next() % limit; }

    std::string name()
    {
        const std::array<std::string, 4> kinds = {"user.", "trusted.", "security.", "user.z"};
        return kinds.at(below(kinds.size())) + std::to_string(below(6));
    }

    std::string set(File& file)
    {
        const std::array<std::size_t, 8> sizes = {
            0, below(30), below(300), below(3000), 12'000, 32'768, 32'769, 65'536};
        const std::string key = name();
        const Value value = randomValue(m_random, sizes.at(below(below(4) == 0 ? 8 : 4)));
        const auto mode = static_cast<XattrMode>(below(3));
        m_what = fmt::format("set {} of {} to {} bytes, mode {}",
                             key,
                             file.object.value(),
                             value.size(),
                             static_cast<int>(mode));
        const Status done = m_fs.writer().setXattr(file.object, key, value, mode);
        const bool exists = file.values.contains(key);
        if (mode == XattrMode::Create && exists) {
            return isError(done, ErrorCode::AlreadyExists) ? "" : "made again";
        }
        if (mode == XattrMode::Replace && !exists) {
            return isError(done, ErrorCode::NoSuchAttribute) ? "" : "replaced nothing";
        }
        file.values[key] = value;
        return done ? std::string() : done.error().toText();
    }

    std::string remove(File& file)
    {
        const std::string key = name();
        m_what = fmt::format("remove {} of {}", key, file.object.value());
        const Status done = m_fs.writer().removeXattr(file.object, key);
        if (file.values.erase(key) == 0) {
            return isError(done, ErrorCode::NoSuchAttribute) ? "" : "removed nothing";
        }
        return done ? std::string() : done.error().toText();
    }

    std::string compareFrozen()
    {
        const auto objset = m_fs.frozenObjset();
        const auto files = m_fs.frozen();
        if (!objset || !files) {
            return "can't be opened";
        }
        for (const File& file : m_files) {
            if (std::string problem = compare(**objset, **files, file, file.values);
                !problem.empty()) {
                return "after a sync: " + problem;
            }
        }
        return {};
    }

    static std::string
    compare(object::ObjectSet& objset, FileSystem& files, const File& file, const Values& values)
    {
        const auto names = files.xattrNames(file.object);
        if (!names) {
            return names.error().toText();
        }
        if (names->size() != values.size()) {
            return fmt::format("{} names and not {}", names->size(), values.size());
        }
        for (const auto& [key, value] : values) {
            const auto stored = files.xattr(file.object, key);
            if (!stored || *stored != value) {
                return stored ? key + " has another value" : stored.error().toText();
            }
        }
        const auto listed = namesListed(objset, file.object);
        const auto filed = namesFiled(objset, files, file.object);
        if (listed.size() + filed.size() != values.size()) {
            return "an attribute is in both places";
        }
        return {};
    }

    SeededRandom m_random;
    WritableFileSystem m_fs;
    std::vector<File> m_files;
    std::string m_what;
};

std::string aclText(const std::vector<AclEntry>& acl)
{
    std::string text;
    for (const AclEntry& entry : acl) {
        text += fmt::format("{}:{}:{} ", static_cast<int>(entry.tag), entry.id, entry.permissions);
    }
    return text;
}

} // namespace

class TestWriterAttributes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void xattrsAsAMap_data();
    void xattrsAsAMap();
    void stylesOfXattrs();
    void namesOfXattrs();
    void failuresChangeNothing();
    void modes();
    void nfsv4Entries();
    void owners();
    void times();
    void flags();
    void projects();
    void accessAcl();
    void defaultAcl();
};

void TestWriterAttributes::xattrsAsAMap_data()
{
    QTest::addColumn<bool>("listed");
    QTest::newRow("sa") << true;
    QTest::newRow("dir") << false;
}

void TestWriterAttributes::xattrsAsAMap()
{
    QFETCH(bool, listed);
    XattrTester tester(testSeed(), listed);
    for (int step = 0; step < 300; ++step) {
        std::string problem = tester.step();
        if (problem.empty()) {
            problem = tester.look();
        }
        if (!problem.empty()) {
            QFAIL(fmt::format("step {}: {}: {}", step, tester.what(), problem).c_str());
        }
    }
    QCOMPARE(QString::fromStdString(tester.finish()), QString());
}

void TestWriterAttributes::stylesOfXattrs()
{
    SeededRandom random(1);
    OneFile file;
    const auto listed = [&] { return namesListed(file.fs.objset(), file.object); };
    const auto filed = [&] { return namesFiled(file.fs.objset(), file.fs.files(), file.object); };
    using Names = std::set<std::string>;
    MP_OK(file.writer().setXattr(file.object, "user.a", randomValue(random, 100)));
    QCOMPARE(listed(), Names{"user.a"});
    MP_OK(file.writer().setXattr(file.object, "user.a", randomValue(random, 32'769)));
    QCOMPARE(listed(), Names());
    QCOMPARE(filed(), Names{"user.a"});
    MP_OK(file.writer().setXattr(file.object, "user.a", randomValue(random, 32'768)));
    QCOMPARE(listed(), Names{"user.a"});
    QCOMPARE(filed(), Names());
    // The list is full before its values are too large.
    MP_OK(file.writer().setXattr(file.object, "user.b", randomValue(random, 32'000)));
    MP_OK(file.writer().setXattr(file.object, "user.c", randomValue(random, 2'000)));
    QCOMPARE(listed(), (Names{"user.a", "user.b"}));
    QCOMPARE(filed(), Names{"user.c"});

    // What holds them.
    const ObjectId directory = file.attributes()->xattrDirectory;
    const auto hidden = *file.fs.files().attributes(directory);
    QCOMPARE(hidden->mode, std::uint32_t{S_IFDIR | S_ISVTX | 0777});
    QCOMPARE(hidden->parent, file.object);
    QCOMPARE(hidden->links, 2U);
    QCOMPARE(hidden->uid, 7U);
    QVERIFY((hidden->flags & ZnodeFlag::kXattr) != 0);
    const auto entry = *file.fs.files().lookup(directory, "user.c");
    QCOMPARE(entry.type, FileType::Regular);
    const auto holder = *file.fs.files().attributes(entry.object);
    QCOMPARE(holder->mode, std::uint32_t{S_IFREG | 0644});
    QCOMPARE(holder->parent, directory);
    QCOMPARE(holder->links, 1U);
    QCOMPARE(holder->size, 2000U);
    QCOMPARE(holder->gid, 8U);
    QVERIFY((holder->flags & ZnodeFlag::kXattr) != 0);

    // Removed, its object is gone; so is everything when the file is.
    MP_OK(file.writer().removeXattr(file.object, "user.c"));
    QVERIFY(isError(file.fs.objset().dnode(entry.object), ErrorCode::NoSuchObject));
    MP_OK(file.writer().setXattr(file.object, "user.c", randomValue(random, 40'000)));
    MP_OK(file.writer().unlink({file.fs.files().root(), "file"}));
    while (*file.writer().drainUnlinked()) {
    }
    QVERIFY(isError(file.fs.objset().dnode(directory), ErrorCode::NoSuchObject));
    MP_OK(file.fs.syncAll());
    QCOMPARE(QString::fromStdString(file.fs.problems()), QString());
}

void TestWriterAttributes::namesOfXattrs()
{
    WritableOptions options;
    OneFile file(options);
    const Value value(10, std::byte{1});
    const auto set = [&](std::string_view name) {
        return file.writer().setXattr(file.object, name, value);
    };
    QVERIFY(isError(set("user."), ErrorCode::InvalidName));
    QVERIFY(isError(set("user.trusted.x"), ErrorCode::InvalidName));
    QVERIFY(isError(set("system.x"), ErrorCode::UnsupportedFeature));
    QVERIFY(isError(set("system.posix_acl_access"), ErrorCode::UnsupportedFeature));
    QVERIFY(isError(set("user." + std::string(251, 'x')), ErrorCode::NameTooLong));
    MP_OK(set("user." + std::string(250, 'x')));
    QVERIFY(
        isError(file.writer().setXattr(file.object, "user.x", Value(65'537)), ErrorCode::TooLarge));
    MP_OK(file.writer().setAttributes(file.object, {.flags = ZnodeFlag::kImmutable}));
    QVERIFY(isError(set("user.x"), ErrorCode::NotPermitted));
    QVERIFY(isError(file.writer().removeXattr(file.object, "user.x"), ErrorCode::NotPermitted));

    options.show.userAttributes = false;
    OneFile other(options);
    QVERIFY(isError(other.writer().setXattr(other.object, "user.x", value),
                    ErrorCode::UnsupportedFeature));
    MP_OK(other.writer().setXattr(other.object, "trusted.x", value));
}

/// Each read fails once; and nothing is in memory when nothing may be waited for.
void TestWriterAttributes::failuresChangeNothing()
{
    SeededRandom random(1);
    WritableOptions options;
    options.write.posixAcls = true;
    options.cleanObjects = 2;
    OneFile file(options);
    const Value large = randomValue(random, 40'000);
    const Value small = randomValue(random, 1'000);
    MP_OK(file.writer().setXattr(file.object, "user.large", large));
    MP_OK(file.writer().setXattr(file.object, "user.small", small));
    MP_OK(file.fs.syncAll());
    const auto before = file.attributes();
    const std::vector<std::function<Status()>> changes = {
        [&] { return file.writer().setXattr(file.object, "user.large", small); },
        [&] { return file.writer().setXattr(file.object, "user.small", large); },
        [&] { return file.writer().removeXattr(file.object, "user.large"); },
        [&] {
            const auto done = file.writer().setAttributes(file.object, {.mode = 0600, .uid = 99});
            return done ? Status() : Status(std::unexpected(done.error()));
        },
    };
    for (const auto& change : changes) {
        for (int reads = 0;; ++reads) {
            MP_OK(file.fs.crash());
            file.fs.source().failAfter(reads);
            const Status done = change();
            file.fs.source().failAfter(-1);
            if (done) {
                break;
            }
            QVERIFY(done.error().is(ErrorCode::DeviceIo));
            QVERIFY(*file.fs.files().xattr(file.object, "user.large") == large);
            QVERIFY(*file.fs.files().xattr(file.object, "user.small") == small);
            QCOMPARE(file.attributes()->mode, before->mode);
            QCOMPARE(file.attributes()->uid, before->uid);
            QVERIFY(reads < 1000);
        }
    }
    MP_OK(file.fs.crash());
    file.fs.source().setColdCache(true);
    QVERIFY(isError(file.writer().setXattr(file.object, "user.large", small, {}, kNoWait),
                    ErrorCode::WouldBlock));
    QVERIFY(isError(file.writer().removeXattr(file.object, "user.small", kNoWait),
                    ErrorCode::WouldBlock));
    QVERIFY(isError(file.writer().setAttributes(file.object, {.uid = 5}, kNoWait),
                    ErrorCode::WouldBlock));
    QVERIFY(!file.fs.objset().isDirty(file.object));
}

void TestWriterAttributes::modes()
{
    for (const FileType type : {FileType::Regular, FileType::Directory}) {
        OneFile file({}, type);
        const bool isDirectory = type == FileType::Directory;
        for (std::uint32_t mode = 0; mode < 0777; mode += 5) {
            file.fs.clock().advance(std::chrono::seconds(1));
            const auto done = file.writer().setAttributes(file.object, {.mode = 07000 | mode});
            MP_OK(done);
            QCOMPARE((*done)->mode, (isDirectory ? S_IFDIR : S_IFREG) | 07000U | mode);
            QCOMPARE((*done)->changed, file.fs.clock().wall());
            const auto aces = *file.fs.files().nfsv4Acl(file.object);
            const posix::detail::AclOwner owner{7, 8};
            QCOMPARE(posix::detail::modeOfAces(aces, owner).permissions, mode);
            QVERIFY(posix::detail::isTrivial(aces));
            QVERIFY(((*done)->flags & ZnodeFlag::kAclTrivial) != 0);
            QCOMPARE(((*done)->flags & ZnodeFlag::kNoExecsDenied) != 0, (mode & 0111) == 0111);
        }
    }
}

/// What OpenZFS stores for some modes, written out; and what becomes of other entries.
void TestWriterAttributes::nfsv4Entries()
{
    using format::Ace;
    using format::AceFlag;
    using format::AceType;

    struct Entry
    {
        std::uint16_t type, flags;
        std::uint32_t access;
        bool operator==(const Entry&) const = default;
    };

    constexpr std::uint16_t kOwner = 0x1000;
    constexpr std::uint16_t kGroup = 0x2040;
    constexpr std::uint16_t kEveryone = 0x4000;
    const auto entries = [](std::uint32_t mode, bool isDirectory) {
        std::vector<Entry> result;
        for (const Ace& ace : posix::detail::acesOfMode(mode, isDirectory)) {
            result.push_back({ace.type, ace.flags, ace.access});
        }
        return result;
    };
    const std::vector<Entry> usual = {
        {0, kOwner, 0x1e019f}, {0, kGroup, 0x120089}, {0, kEveryone, 0x120089}};
    QVERIFY(entries(0644, false) == usual);
    const std::vector<Entry> directory = {
        {0, kOwner, 0x1e01ff}, {0, kGroup, 0x1200a9}, {0, kEveryone, 0x1200a9}};
    QVERIFY(entries(0755, true) == directory);
    const std::vector<Entry> crooked = {{0, kOwner, 0x2},
                                        {1, kOwner, 0x21},
                                        {1, kGroup, 0x26},
                                        {0, kOwner, 0x1e019e},
                                        {0, kGroup, 0x120089},
                                        {0, kEveryone, 0x1200ae}};
    QVERIFY(entries(0243, false) != crooked); // the owner's own write comes first, with append
    QCOMPARE(entries(0243, false).front().access, 0x6U);

    const Ace user{.type = AceType::kAllow, .flags = 0, .access = 0x7, .who = 42};
    const Ace heir{.type = AceType::kAllow,
                   .flags = kOwner | AceFlag::kFileInherit,
                   .access = 0x1,
                   .who = ~std::uint64_t{0}};
    const std::vector<Ace> more = {user, heir};
    QVERIFY(!posix::detail::isTrivial(more));
    QVERIFY(posix::detail::acesAfterChmod(more, 0640, true, AclMode::Discard) ==
            posix::detail::acesOfMode(0640, true));
    const auto kept = posix::detail::acesAfterChmod(more, 0640, true, AclMode::Passthrough);
    QCOMPARE(kept.size(), 5U);
    QVERIFY(kept[0] == user);
    QCOMPARE(kept[1].flags, std::uint16_t(heir.flags | AceFlag::kInheritOnly));
    QCOMPARE(posix::detail::acesAfterChmod(more, 0640, false, AclMode::Passthrough).size(), 4U);
    const auto masked = posix::detail::acesAfterChmod(more, 0640, false, AclMode::GroupMask);
    QCOMPARE(masked[0].access, 0x1U);
    // An entry of one user is the owner's, when it is he.
    QCOMPARE(posix::detail::modeOfAces(more, {42, 1}).permissions, 0600U);
    QCOMPARE(posix::detail::modeOfAces(more, {43, 1}).permissions, 0400U);
}

void TestWriterAttributes::owners()
{
    SeededRandom random(1);
    OneFile file;
    MP_OK(file.writer().setXattr(file.object, "user.large", randomValue(random, 40'000)));
    MP_OK(file.writer().setXattr(file.object, "security.capability", randomValue(random, 20)));
    MP_OK(file.writer().setAttributes(file.object, {.mode = 06755}));
    file.fs.clock().advance(std::chrono::seconds(1));
    const auto done = file.writer().setAttributes(file.object, {.uid = 1000, .gid = 2000});
    MP_OK(done);
    QCOMPARE((*done)->uid, 1000U);
    QCOMPARE((*done)->gid, 2000U);
    QCOMPARE((*done)->changed, file.fs.clock().wall());
    QVERIFY((*done)->modified != (*done)->changed);
    QCOMPARE(file.mode(), 0755U);
    QVERIFY(isError(file.fs.files().xattr(file.object, "security.capability"),
                    ErrorCode::NoSuchAttribute));
    // Hidden files go along.
    const ObjectId directory = (*done)->xattrDirectory;
    const ObjectId holder = file.fs.files().lookup(directory, "user.large")->object;
    for (const ObjectId hidden : {directory, holder}) {
        QCOMPARE((*file.fs.files().attributes(hidden))->uid, 1000U);
        QCOMPARE((*file.fs.files().attributes(hidden))->gid, 2000U);
    }
    // A mode given with it is the mode.
    MP_OK(file.writer().setAttributes(file.object, {.mode = 04711, .uid = 1}));
    QCOMPARE(file.mode(), 04711U);
    OneFile folder({}, FileType::Directory);
    MP_OK(folder.writer().setAttributes(folder.object, {.mode = 02775}));
    MP_OK(folder.writer().setAttributes(folder.object, {.gid = 5}));
    QCOMPARE(folder.mode(), 02775U);
    // It is charged to the new owner.
    MP_OK(file.fs.syncAll());
    const auto used = (*file.fs.frozen())->spaceUse(SpaceKind::User);
    MP_OK(used);
    QVERIFY(std::ranges::none_of(*used, [](const SpaceUse& use) { return use.id == 7; }));
    QVERIFY(std::ranges::any_of(
        *used, [](const SpaceUse& use) { return use.id == 1 && use.used > 40'000; }));
}

void TestWriterAttributes::times()
{
    OneFile file;
    const auto start = file.attributes();
    file.fs.clock().advance(std::chrono::seconds(10));
    // Access times alone are no change.
    auto done = file.writer().setAttributes(file.object, {.accessed = Time(5)});
    MP_OK(done);
    QCOMPARE((*done)->accessed, Time(5));
    QCOMPARE((*done)->changed, start->changed);
    QCOMPARE((*done)->flags, start->flags);
    done = file.writer().setAttributes(file.object,
                                       {.modified = Time(-1'500'000'000), .created = Time(-1)});
    MP_OK(done);
    QCOMPARE((*done)->modified, Time(-1'500'000'000));
    QCOMPARE((*done)->created, Time(-1));
    QCOMPARE((*done)->changed, file.fs.clock().wall());
    done = file.writer().setAttributes(file.object, {.size = 100, .modified = Time(77)});
    MP_OK(done);
    QCOMPARE((*done)->modified, Time(77));
    QCOMPARE((*done)->size, 100U);
    done = file.writer().setAttributes(file.object, {.accessed = Time(6), .changed = Time(8)});
    MP_OK(done);
    QCOMPARE((*done)->changed, Time(8));
    MP_OK(file.fs.syncAll());
    const auto frozen = *(*file.fs.frozen())->attributes(file.object);
    QCOMPARE(frozen->accessed, Time(6));
    QCOMPARE(frozen->modified, Time(77));
    QCOMPARE(frozen->created, Time(-1));
    QCOMPARE(frozen->changed, Time(8));
    // Nothing asked for, nothing changed.
    MP_OK(file.writer().setAttributes(file.object, {}));
    QVERIFY(!file.fs.objset().isDirty(file.object));
}

void TestWriterAttributes::flags()
{
    OneFile file;
    const std::uint64_t kept = file.attributes()->flags & ZnodeFlag::kAclTrivial;
    const auto set = [&](std::uint64_t flags) {
        return file.writer().setAttributes(file.object, {.flags = flags});
    };
    MP_OK(set(ZnodeFlag::kNoDump | ZnodeFlag::kHidden | ZnodeFlag::kXattr));
    QCOMPARE(file.attributes()->flags,
             kept | ZnodeFlag::kNoDump | ZnodeFlag::kHidden | ZnodeFlag::kProjectId |
                 ZnodeFlag::kModified);
    MP_OK(set(ZnodeFlag::kImmutable));
    for (const AttributeSettings& settings : {AttributeSettings{.mode = 0600},
                                              AttributeSettings{.uid = 5},
                                              AttributeSettings{.size = 5},
                                              AttributeSettings{.modified = Time(5)},
                                              AttributeSettings{.created = Time(5)}}) {
        QVERIFY(
            isError(file.writer().setAttributes(file.object, settings), ErrorCode::NotPermitted));
    }
    MP_OK(file.writer().setAttributes(file.object, {.accessed = Time(5)}));
    MP_OK(set(ZnodeFlag::kAppendOnly));
    QVERIFY(
        isError(file.writer().setAttributes(file.object, {.mode = 0600}), ErrorCode::NotPermitted));
    MP_OK(file.writer().setAttributes(file.object, {.modified = Time(5)}));
    MP_OK(set(0));
    MP_OK(file.writer().setAttributes(file.object, {.mode = 0600}));
    QCOMPARE(file.mode(), 0600U);
}

void TestWriterAttributes::projects()
{
    SeededRandom random(1);
    WritableOptions options;
    options.spec.projectIds = true;
    OneFile file(options);
    MP_OK(file.writer().setXattr(file.object, "user.large", randomValue(random, 40'000)));
    MP_OK(file.writer().setXattr(file.object, "user.small", randomValue(random, 4'000)));
    const auto done = file.writer().setAttributes(file.object, {.projectId = 77});
    MP_OK(done);
    QCOMPARE((*done)->projectId, 77U);
    QCOMPARE((*file.fs.files().attributes((*done)->xattrDirectory))->projectId, 77U);
    QVERIFY(isError(file.writer().setAttributes(file.object, {.projectId = ~0U}),
                    ErrorCode::InvalidArgument));
    const auto link = file.writer().create({file.fs.files().root(), "link"},
                                           {.type = FileType::Link, .linkTarget = "x"});
    MP_OK(link);
    QVERIFY(isError(file.writer().setAttributes((*link)->object, {.projectId = 1}),
                    ErrorCode::UnsupportedFeature));
    MP_OK(file.fs.syncAll());
    const auto used = (*file.fs.frozen())->spaceUse(SpaceKind::Project);
    MP_OK(used);
    QVERIFY(std::ranges::any_of(
        *used, [](const SpaceUse& use) { return use.id == 77 && use.used > 40'000; }));
}

void TestWriterAttributes::accessAcl()
{
    const std::vector<AclEntry> large = {{Tag::UserObject, 0, 7},
                                         {Tag::User, 1000, 6},
                                         {Tag::User, 2000, 4},
                                         {Tag::GroupObject, 0, 5},
                                         {Tag::Group, 100, 1},
                                         {Tag::Mask, 0, 6},
                                         {Tag::Other, 0, 1}};
    for (const bool listed : {true, false}) {
        WritableOptions options;
        options.write.posixAcls = true;
        options.write.xattrsInAttributes = listed;
        OneFile file(options);
        MP_OK(file.writer().setAttributes(file.object, {.mode = 04640}));
        std::vector<AclEntry> shuffled(large.rbegin(), large.rend());
        MP_OK(file.writer().setAccessAcl(file.object, shuffled));
        const auto stored = [&] { return aclText(*file.fs.files().accessAcl(file.object)); };
        QCOMPARE(stored(), aclText(large));
        QCOMPARE(file.mode(), 04761U); // the mask, not the group
        QVERIFY(file.attributes()->hasAccessAcl);
        QCOMPARE(file.fs.files().xattrNames(file.object)->size(), 0U);
        const auto aces = *file.fs.files().nfsv4Acl(file.object);
        QCOMPARE(posix::detail::modeOfAces(aces, {7, 8}).permissions, 0761U);
        // chmod changes owner, mask and others.
        MP_OK(file.writer().setAttributes(file.object, {.mode = 0604}));
        auto changed = large;
        changed[0].permissions = 6;
        changed[5].permissions = 0;
        changed[6].permissions = 4;
        QCOMPARE(stored(), aclText(changed));
        MP_OK(file.fs.syncAll());
        QCOMPARE(aclText(*(*file.fs.frozen())->accessAcl(file.object)), aclText(changed));
        // What a mode can say is not kept.
        const std::vector<AclEntry> plain = {
            {Tag::UserObject, 0, 6}, {Tag::GroupObject, 0, 4}, {Tag::Other, 0, 0}};
        MP_OK(file.writer().setAccessAcl(file.object, plain));
        QCOMPARE(stored(), std::string());
        QCOMPARE(file.mode(), 0640U);
        QVERIFY(!file.attributes()->hasAccessAcl);
        MP_OK(file.writer().setAccessAcl(file.object, large));
        MP_OK(file.writer().setAccessAcl(file.object, {}));
        QCOMPARE(stored(), std::string());
        QCOMPARE(file.mode(), 0761U);
        const auto refused = [&](std::vector<AclEntry> acl) {
            return isError(file.writer().setAccessAcl(file.object, acl),
                           ErrorCode::InvalidArgument);
        };
        QVERIFY(refused({{Tag::UserObject, 0, 7}}));
        QVERIFY(refused({{Tag::UserObject, 0, 7},
                         {Tag::User, 5, 7},
                         {Tag::GroupObject, 0, 7},
                         {Tag::Other, 0, 7}}));
        auto twice = large;
        twice.push_back({Tag::User, 2000, 1});
        QVERIFY(refused(twice));
        QVERIFY(isError(file.writer().setDefaultAcl(file.object, large), ErrorCode::NotAuthorized));
    }
    OneFile without;
    QVERIFY(isError(without.writer().setAccessAcl(without.object, large),
                    ErrorCode::UnsupportedFeature));
}

void TestWriterAttributes::defaultAcl()
{
    WritableOptions options;
    options.write.posixAcls = true;
    OneFile folder(options, FileType::Directory);
    const std::vector<AclEntry> acl = {
        {Tag::UserObject, 0, 7}, {Tag::GroupObject, 0, 5}, {Tag::Other, 0, 0}};
    MP_OK(folder.writer().setDefaultAcl(folder.object, acl));
    QCOMPARE(aclText(*folder.fs.files().defaultAcl(folder.object)), aclText(acl));
    QCOMPARE(folder.mode(), 0644U);
    MP_OK(folder.writer().setDefaultAcl(folder.object, {}));
    QCOMPARE(folder.fs.files().defaultAcl(folder.object)->size(), 0U);
    MP_OK(folder.writer().setDefaultAcl(folder.object, {}));
}

QTEST_GUILESS_MAIN(TestWriterAttributes)
#include "tst_writer_attributes.moc"
