// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: what is written to files, cut off and punched out of them reads back as from plain
// bytes, while it is in memory and after every sync; block sizes grow by OpenZFS' rule; a call that
// may not wait and would have to changes nothing; whatever txg a power cut leaves, a file that was
// being shortened is a beginning of itself; threads write different parts at once, and an append is
// whole. Method: random operations against a model in pages; single cases; threads.
#include "engine/posix/writable_file_system.h"
#include "support/mp_ok.h"
#include "support/seed.h"

#include <QTest>

#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <thread>

using namespace millpond;
using namespace millpond::posix;
using namespace millpond::test;
using format::ZnodeFlag;

namespace {

constexpr block::ReadContext kNoWait{.wait = block::Wait::CachedOnly};
constexpr std::uint64_t kFar = std::uint64_t{1} << 40U;

std::vector<std::byte> pattern(std::size_t size, std::uint64_t seed)
{
    SeededRandom random(seed);
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) {
        byte = std::byte(static_cast<std::uint8_t>(random.next() | 1U));
    }
    return bytes;
}

/// The bytes of one file: pages, zeroes elsewhere.
class Model
{
public:
    static constexpr std::uint64_t kPage = 4096;

    [[nodiscard]] std::uint64_t size() const { return m_size; }

    void write(std::uint64_t offset, Bytes data)
    {
        forPages(offset, offset + data.size(), [&](std::uint64_t at, std::uint64_t count) {
            Page& page = m_pages[at / kPage];
            std::memcpy(page.data() + at % kPage, data.data() + (at - offset), count);
        });
        m_size = std::max(m_size, offset + data.size());
    }

    void punch(std::uint64_t offset, std::uint64_t end)
    {
        end = std::min(end, m_size);
        for (auto at = m_pages.lower_bound(offset / kPage);
             at != m_pages.end() && at->first * kPage < end;) {
            const std::uint64_t begin = at->first * kPage;
            const std::uint64_t from = std::max(begin, offset);
            const std::uint64_t to = std::min(begin + kPage, end);
            std::memset(at->second.data() + (from - begin), 0, to > from ? to - from : 0);
            at = to - from == kPage ? m_pages.erase(at) : std::next(at);
        }
    }

    void resize(std::uint64_t size)
    {
        if (size < m_size) {
            punch(size, m_size);
        }
        m_size = size;
    }

    [[nodiscard]] std::vector<std::byte> read(std::uint64_t offset, std::uint64_t count) const
    {
        std::vector<std::byte> bytes(offset < m_size ? std::min(count, m_size - offset) : 0);
        forPages(offset, offset + bytes.size(), [&](std::uint64_t at, std::uint64_t part) {
            if (const auto page = m_pages.find(at / kPage); page != m_pages.end()) {
                std::memcpy(bytes.data() + (at - offset), page->second.data() + at % kPage, part);
            }
        });
        return bytes;
    }

    /// Some that is not zero at or after an offset.
    [[nodiscard]] std::optional<std::uint64_t> nextByte(std::uint64_t offset) const
    {
        for (auto at = m_pages.lower_bound(offset / kPage); at != m_pages.end(); ++at) {
            for (std::uint64_t i = 0; i < kPage; ++i) {
                const std::uint64_t here = at->first * kPage + i;
                if (here >= offset && here < m_size && at->second[i] != std::byte{0}) {
                    return here;
                }
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::vector<std::uint64_t> pages() const
    {
        std::vector<std::uint64_t> starts;
        for (const auto& [page, bytes] : m_pages) {
            starts.push_back(page * kPage);
        }
        return starts;
    }

private:
    using Page = std::array<std::byte, kPage>;

    template <class Visit>
    static void forPages(std::uint64_t begin, std::uint64_t end, const Visit& visit)
    {
        for (std::uint64_t at = begin; at < end;) {
            const std::uint64_t count = std::min(kPage - at % kPage, end - at);
            visit(at, count);
            at += count;
        }
    }

    std::uint64_t m_size = 0;
    std::map<std::uint64_t, Page> m_pages;
};

/// Empty when a file reads as its model says: a window around each page, the end, what lies before
/// it; and its data and holes.
std::string compare(FileSystem& files, ObjectId object, const Model& model)
{
    const auto attributes = files.attributes(object);
    if (!attributes) {
        return attributes.error().toText();
    }
    if ((*attributes)->size != model.size()) {
        return fmt::format("size {} and not {}", (*attributes)->size, model.size());
    }
    std::vector<std::uint64_t> windows = model.pages();
    windows.push_back(model.size() > 3000 ? model.size() - 3000 : 0);
    windows.push_back(model.size() / 2);
    for (const std::uint64_t at : windows) {
        const std::uint64_t begin = at > 1000 ? at - 1000 : 0;
        std::vector<std::byte> bytes(Model::kPage + 2000);
        const auto count = files.read(object, ByteOffset(begin), bytes);
        if (!count) {
            return count.error().toText();
        }
        bytes.resize(*count);
        const std::vector<std::byte> expected = model.read(begin, Model::kPage + 2000);
        if (bytes != expected) {
            const auto differs = std::ranges::mismatch(bytes, expected).in1 - bytes.begin();
            return fmt::format("{} bytes from {} differ at {} (of {})",
                               bytes.size(),
                               begin,
                               begin + static_cast<std::uint64_t>(differs),
                               expected.size());
        }
    }
    std::uint64_t at = 0;
    for (int steps = 0; at < model.size(); ++steps) {
        const auto data = files.seekData(object, ByteOffset(at));
        if (!data) {
            return data.error().toText();
        }
        const std::optional<std::uint64_t> byte = model.nextByte(at);
        const std::uint64_t from = *data ? (*data)->value() : model.size();
        if (byte && *byte < from) {
            return fmt::format("data at {} in a hole {}..{}", *byte, at, from);
        }
        if (!*data) {
            break;
        }
        const auto hole = files.seekHole(object, **data);
        if (!hole || !*hole || (*hole)->value() <= from || steps > 100'000) {
            return fmt::format("no end of the data from {}", from);
        }
        at = (*hole)->value();
    }
    return {};
}

/// Random operations on few files.
class Tester
{
public:
    Tester(std::uint64_t seed, WritableOptions options)
        : m_random(seed)
        , m_record(options.write.recordBytes)
        , m_fs(std::move(options))
    {
        for (int i = 0; i < 3; ++i) {
            const auto made = m_fs.writer().create({m_fs.files().root(), std::to_string(i)}, {});
            m_files.emplace_back((*made)->object, Model());
        }
    }

    std::string step()
    {
        auto& [object, model] = m_files[below(m_files.size())];
        m_fs.clock().advance(std::chrono::milliseconds(1));
        FileSystemWriter& writer = m_fs.writer();
        switch (below(14)) {
        case 0: {
            const std::uint64_t size = place(model);
            m_what = fmt::format("truncate {} from {}", size, model.size());
            model.resize(size);
            return text(writer.truncate(object, size));
        }
        case 1: {
            const std::uint64_t size = place(model);
            m_what = fmt::format("extend to {}", size);
            model.resize(std::max(size, model.size()));
            return text(writer.extend(object, size));
        }
        case 2:
        case 3: {
            const std::uint64_t offset = place(model);
            const std::uint64_t size = below(8) == 0 ? place(model) + 1 : 1 + below(3 * m_record);
            m_what = fmt::format("punch {} at {}", size, offset);
            model.punch(offset, offset + size);
            return text(writer.punch(object, ByteOffset(offset), ByteCount(size)));
        }
        case 4: {
            m_what = "sync";
            const Status synced = m_fs.syncAll();
            return synced ? compareFrozen() : synced.error().toText();
        }
        case 5: {
            m_what = "other record size";
            WriteOptions options = writer.options();
            options.recordBytes = below(2) == 0 ? m_record : m_record / 2;
            writer.setOptions(options);
            return {};
        }
        case 6:
            m_what = "append";
            return write(object, model, model.size(), true);
        default:
            m_what = "write";
            return write(object, model, place(model), false);
        }
    }

    std::string look()
    {
        const auto& [object, model] = m_files[below(m_files.size())];
        return compare(m_fs.files(), object, model);
    }

    std::string finish()
    {
        for (const auto& [object, model] : m_files) {
            if (std::string problem = compare(m_fs.files(), object, model); !problem.empty()) {
                return problem;
            }
        }
        const Status synced = m_fs.syncAll();
        const std::string problem = synced ? compareFrozen() : synced.error().toText();
        return problem.empty() ? m_fs.problems() : problem;
    }

    [[nodiscard]] const std::string& what() const { return m_what; }

private:
    std::uint64_t below(std::uint64_t limit) { return m_random.next() % limit; }

    static std::string text(const Status& status)
    {
        return status ? std::string() : status.error().toText();
    }

    /// Near something that matters.
    std::uint64_t place(const Model& model)
    {
        const std::array<std::uint64_t, 8> marks = {0,
                                                    512 * below(20),
                                                    m_record / 2 * below(6),
                                                    m_record * below(12),
                                                    m_record * 8 * below(20),
                                                    model.size(),
                                                    kFar,
                                                    kFar + m_record * below(3)};
        const std::uint64_t mark = marks.at(below(below(10) == 0 ? 8 : 6));
        const std::uint64_t off = below(3) == 0 ? 0 : below(40);
        return below(2) == 0 || mark < off ? mark + off : mark - off;
    }

    std::string write(ObjectId object, Model& model, std::uint64_t offset, bool append)
    {
        const std::array<std::uint64_t, 5> sizes = {
            1 + below(100), 512 * (1 + below(4)), m_record, m_record * 3, 1 + below(2 * m_record)};
        const auto data = pattern(sizes.at(below(sizes.size())), m_random.next());
        m_what += fmt::format(" {} at {}", data.size(), offset);
        model.write(offset, data);
        const auto at = m_fs.writer().write(
            object, {.offset = ByteOffset(append ? 7 : offset), .data = data, .append = append});
        if (!at) {
            return at.error().toText();
        }
        return at->value() == offset ? std::string() : "written elsewhere";
    }

    std::string compareFrozen()
    {
        const auto files = m_fs.frozen();
        if (!files) {
            return files.error().toText();
        }
        for (const auto& [object, model] : m_files) {
            if (std::string problem = compare(**files, object, model); !problem.empty()) {
                return "after a sync: " + problem;
            }
        }
        return {};
    }

    SeededRandom m_random;
    std::uint64_t m_record;
    WritableFileSystem m_fs;
    std::vector<std::pair<ObjectId, Model>> m_files;
    std::string m_what;
};

/// A file system with one file in it.
struct OneFile
{
    explicit OneFile(WritableOptions options = {})
        : fs(std::move(options))
        , object((*fs.writer().create({fs.files().root(), "file"}, {.mode = 0644}))->object)
    {
    }

    [[nodiscard]] Result<ByteOffset>
    write(std::uint64_t offset, Bytes data, const block::ReadContext& context = {})
    {
        return fs.writer().write(object, {.offset = ByteOffset(offset), .data = data}, context);
    }

    [[nodiscard]] std::uint32_t blockBytes()
    {
        return (*fs.objset().dnode(object))->dataBlockBytes;
    }

    [[nodiscard]] std::shared_ptr<const Attributes> attributes()
    {
        return *fs.files().attributes(object);
    }

    [[nodiscard]] std::vector<std::byte> read(std::uint64_t offset, std::size_t count)
    {
        std::vector<std::byte> bytes(count);
        bytes.resize(*fs.files().read(object, ByteOffset(offset), bytes));
        return bytes;
    }

    WritableFileSystem fs;
    ObjectId object;
};

bool isError(const auto& result, ErrorCode code)
{
    return !result && result.error().is(code);
}

} // namespace

class TestWriterContents : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void model_data();
    void model();
    void blockSizes();
    void blocksReplacedAreNotRead();
    void times();
    void privileges();
    void refusals();
    void noWaiting();
    void writesLargerThanMemory();
    void shortenedInPieces();
    void punchedInPieces();
    void farHoles();
    void threads();
    void seekWhileSyncing();
};

void TestWriterContents::model_data()
{
    QTest::addColumn<quint32>("record");
    QTest::addColumn<int>("indirectShift");
    QTest::addColumn<int>("steps");
    QTest::newRow("512") << 512U << 10 << 2500;
    QTest::newRow("4K") << 4096U << 12 << 1000;
    QTest::newRow("128K") << 131072U << 17 << 300;
    QTest::newRow("1M") << 1048576U << 17 << 100;
}

void TestWriterContents::model()
{
    QFETCH(quint32, record);
    QFETCH(int, indirectShift);
    QFETCH(int, steps);
    WritableOptions options;
    options.write.recordBytes = record;
    options.indirectShift = static_cast<std::uint8_t>(indirectShift);
    options.cleanObjects = 2;
    Tester tester(testSeed(), std::move(options));
    for (int step = 0; step < steps; ++step) {
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

void TestWriterContents::blockSizes()
{
    struct Write
    {
        std::uint32_t record;
        std::uint64_t end; ///< 0: extend to a GiB
        std::uint32_t expected;
    };

    const std::vector<std::vector<Write>> cases = {
        {{131072, 1, 512},
         {131072, 513, 1024},
         {131072, 100'000, 100'352},
         {131072, 131'072, 131'072}},
        {{131072, 131'073, 131'072}, {1048576, 2'000'000, 131'072}},
        {{131072, 600, 1024}, {131072, 0, 131'072}},
        // The only block of a longer file stays as it is.
        {{131072, 131'072, 131'072}, {131072, 0, 131'072}, {1048576, 500, 131'072}},
        {{131072, 131'072, 131'072}, {1048576, 200'000, 200'192}},
        // Larger than the record size by now: to the next power of two.
        {{1048576, 300'000, 300'032}, {131072, 400'000, 400'384}, {131072, 700'000, 524'288}},
        {{16777216, 5'000'000, 5'000'192}, {16777216, 20'000'000, 16'777'216}},
        {{512, 5000, 512}, {131072, 6000, 512}},
    };
    for (const std::vector<Write>& writes : cases) {
        OneFile file;
        for (const Write& write : writes) {
            file.fs.writer().setOptions({.recordBytes = write.record});
            if (write.end == 0) {
                MP_OK(file.fs.writer().extend(file.object, 1 * GiB));
            } else {
                const auto data = pattern(std::min<std::uint64_t>(write.end, 100), write.end);
                MP_OK(file.write(write.end - data.size(), data));
                QVERIFY(file.read(write.end - data.size(), data.size()) == data);
            }
            QCOMPARE(file.blockBytes(), write.expected);
            MP_OK(file.fs.syncAll());
        }
    }
}

void TestWriterContents::blocksReplacedAreNotRead()
{
    OneFile file;
    const auto data = pattern(300'000, 1);
    MP_OK(file.write(0, data));
    MP_OK(file.fs.syncAll());
    (void)file.attributes(); // the dnode is in memory
    file.fs.source().setColdCache(true);
    file.fs.source().failAfter(0);
    // Whole blocks; and all the file has of its last block.
    const auto other = pattern(300'000 - 131'072, 2);
    MP_OK(file.write(131'072, other, kNoWait));
    MP_OK(file.write(0, pattern(131'072, 3), kNoWait));
    file.fs.source().failAfter(-1);
    MP_OK(file.fs.syncAll());
    file.fs.source().setColdCache(false);
    QVERIFY(file.read(131'072, 500'000) == other);
    QVERIFY(file.read(0, 131'072) == pattern(131'072, 3));
}

void TestWriterContents::times()
{
    OneFile file;
    const auto before = file.attributes();
    const auto tick = [&] { file.fs.clock().advance(std::chrono::seconds(1)); };
    const auto isStamped = [&] {
        const auto now = file.attributes();
        const bool flagged =
            (now->flags & ZnodeFlag::kArchive) != 0 && (now->flags & ZnodeFlag::kModified) != 0;
        return now->modified == file.fs.clock().wall() && now->changed == now->modified &&
               now->accessed == before->accessed && flagged;
    };
    tick();
    MP_OK(file.write(0, pattern(10, 1)));
    QVERIFY(isStamped());
    tick();
    MP_OK(file.fs.writer().truncate(file.object, 10)); // the same size is a change, too
    QVERIFY(isStamped());
    tick();
    MP_OK(file.fs.writer().extend(file.object, 100));
    QVERIFY(isStamped());
    tick();
    MP_OK(file.fs.writer().punch(file.object, ByteOffset(5), ByteCount(2)));
    QVERIFY(isStamped());
    tick();
    // No change at all.
    MP_OK(file.fs.writer().extend(file.object, 50));
    MP_OK(file.fs.writer().punch(file.object, ByteOffset(200), ByteCount(2)));
    MP_OK(file.write(0, {}));
    QVERIFY(!isStamped());
    QCOMPARE(file.attributes()->size, 100U);
}

void TestWriterContents::privileges()
{
    struct Case
    {
        std::uint32_t mode, after;
    };

    const std::string capability = "security.capability";
    for (const Case& each : {Case{06755, 0755},
                             Case{06644, 02644}, // setgid of what no group executes is no privilege
                             Case{02710, 0710},
                             Case{0755, 0755}}) {
        for (const bool listed : {true, false}) {
            WritableOptions options;
            options.write.xattrsInAttributes = listed;
            OneFile file(options);
            MP_OK(file.fs.writer().setAttributes(file.object, {.mode = each.mode}));
            MP_OK(file.fs.writer().setXattr(file.object, capability, pattern(20, 1)));
            MP_OK(file.write(0, pattern(100, 1)));
            QCOMPARE(file.attributes()->mode & 07777, each.mode);
            QVERIFY(isError(file.fs.files().xattr(file.object, capability),
                            ErrorCode::NoSuchAttribute));
            MP_OK(file.fs.writer().write(
                file.object, {.data = pattern(3, 1), .append = true, .dropPrivileges = true}));
            QCOMPARE(file.attributes()->mode & 07777, each.after);

            MP_OK(file.fs.writer().setAttributes(file.object, {.mode = each.mode}));
            MP_OK(file.fs.writer().setXattr(file.object, capability, pattern(20, 1)));
            MP_OK(file.fs.writer().setAttributes(file.object, {.size = 5}));
            QCOMPARE(file.attributes()->mode & 07777, each.mode);
            QVERIFY(isError(file.fs.files().xattr(file.object, capability),
                            ErrorCode::NoSuchAttribute));
            MP_OK(file.fs.writer().setAttributes(file.object, {.size = 3, .dropPrivileges = true}));
            QCOMPARE(file.attributes()->mode & 07777, each.after);
        }
    }
}

void TestWriterContents::refusals()
{
    OneFile file;
    FileSystemWriter& writer = file.fs.writer();
    const ObjectId root = file.fs.files().root();
    const auto data = pattern(100, 1);
    const auto all = [&](ObjectId object, ErrorCode code) {
        return isError(writer.write(object, {.data = data}), code) &&
               isError(writer.truncate(object, 5), code) &&
               isError(writer.extend(object, 500), code) &&
               isError(writer.punch(object, ByteOffset(0), ByteCount(5)), code);
    };
    QVERIFY(all(root, ErrorCode::IsDirectory));
    const auto fifo = writer.create({root, "fifo"}, {.type = FileType::Fifo});
    MP_OK(fifo);
    QVERIFY(all((*fifo)->object, ErrorCode::InvalidArgument));
    QVERIFY(all(ObjectId(12345), ErrorCode::NoSuchObject));

    constexpr std::uint64_t kMost = (std::uint64_t{1} << 63U) - 1;
    QVERIFY(isError(file.write(kMost - 99, data), ErrorCode::TooLarge));
    QVERIFY(isError(file.write(~std::uint64_t{0} - 5, data), ErrorCode::TooLarge));
    QVERIFY(isError(writer.truncate(file.object, kMost + 1), ErrorCode::TooLarge));
    QCOMPARE(file.attributes()->size, 0U);
    MP_OK(file.write(kMost - 100, data));
    QCOMPARE(file.attributes()->size, kMost);
    QVERIFY(file.read(kMost - 100, 1000) == data);
    QVERIFY(
        isError(writer.write(file.object, {.data = data, .append = true}), ErrorCode::TooLarge));
    MP_OK(writer.truncate(file.object, 50));
    MP_OK(file.fs.syncAll());
    QVERIFY(file.read(0, 1000) == std::vector<std::byte>(50));

    MP_OK(writer.setAttributes(file.object, {.flags = ZnodeFlag::kAppendOnly}));
    QVERIFY(isError(file.write(49, data), ErrorCode::NotPermitted));
    QVERIFY(isError(writer.truncate(file.object, 60), ErrorCode::NotPermitted));
    QVERIFY(
        isError(writer.punch(file.object, ByteOffset(0), ByteCount(5)), ErrorCode::NotPermitted));
    MP_OK(writer.write(file.object, {.data = data, .append = true}));
    QCOMPARE(file.attributes()->size, 150U);
    MP_OK(writer.setAttributes(file.object, {.flags = ZnodeFlag::kImmutable}));
    QVERIFY(all(file.object, ErrorCode::NotPermitted));
    MP_OK(writer.setAttributes(file.object, {.flags = 0}));

    WriteOptions options = writer.options();
    options.readOnly = true;
    writer.setOptions(options);
    QVERIFY(all(file.object, ErrorCode::ReadOnly));
    QCOMPARE(file.attributes()->size, 150U);
}

void TestWriterContents::noWaiting()
{
    OneFile file;
    FileSystemWriter& writer = file.fs.writer();
    const auto before = pattern(400'000, 1);
    MP_OK(file.write(0, before));
    MP_OK(file.fs.syncAll());
    const auto cold = [&] {
        file.fs.source().setColdCache(true);
        (void)file.attributes();
    };
    const auto unchanged = [&] {
        const bool clean = !file.fs.objset().isDirty(file.object);
        file.fs.source().setColdCache(false);
        return clean && file.read(0, 500'000) == before;
    };
    cold();
    QVERIFY(isError(file.write(131'000, pattern(200'000, 2), kNoWait), ErrorCode::WouldBlock));
    QVERIFY(unchanged());
    cold();
    QVERIFY(isError(writer.truncate(file.object, 131'000, kNoWait), ErrorCode::WouldBlock));
    QVERIFY(unchanged());
    cold();
    QVERIFY(isError(writer.punch(file.object, ByteOffset(131'000), ByteCount(131'000), kNoWait),
                    ErrorCode::WouldBlock));
    QVERIFY(unchanged());
    QVERIFY(isError(file.write(0, pattern(8 * MiB, 1), kNoWait), ErrorCode::WouldBlock));
    QVERIFY(unchanged());
    MP_OK(writer.truncate(file.object, 131'000, kNoWait)); // was read above
    QVERIFY(file.read(0, 500'000) ==
            std::vector<std::byte>(before.begin(), before.begin() + 131'000));

    // Growing the only block reads it.
    const auto small = writer.create({file.fs.files().root(), "small"}, {});
    MP_OK(small);
    MP_OK(writer.write((*small)->object, {.data = pattern(1000, 1)}));
    MP_OK(file.fs.syncAll());
    file.fs.source().setColdCache(true);
    QVERIFY(isError(writer.write((*small)->object,
                                 {.offset = ByteOffset(3000), .data = pattern(1000, 1)},
                                 kNoWait),
                    ErrorCode::WouldBlock));
    QVERIFY(isError(writer.extend((*small)->object, 5000, kNoWait), ErrorCode::WouldBlock));
    QVERIFY(!file.fs.objset().isDirty((*small)->object));
}

/// A write of more than may be dirty comes through in pieces, while txgs sync.
void TestWriterContents::writesLargerThanMemory()
{
    WritableOptions options;
    options.drive = txg::Drive::Threads;
    options.dirtyMax = ByteCount(12 * MiB);
    OneFile file(options);
    const auto data = pattern(50 * MiB, 1);
    MP_OK(file.write(1000, data));
    QVERIFY(file.read(1000, data.size() + 10) == data);
    QVERIFY(file.fs.groups().figures().txgs > 2);
    MP_OK(file.fs.syncAll());
    std::vector<std::byte> frozen(data.size());
    MP_OK((*file.fs.frozen())->read(file.object, ByteOffset(1000), frozen));
    QVERIFY(frozen == data);
}

/// Whatever sync was the last one, the file is a beginning of what it was.
void TestWriterContents::shortenedInPieces()
{
    OneFile* watched = nullptr;
    Model model;
    std::vector<std::uint64_t> sizes;
    std::string problem;
    WritableOptions options;
    options.write.recordBytes = 512;
    options.indirectShift = 10; // an indirect block is 4 KiB of a file, a piece 1 MiB
    options.afterSync = [&] {
        if (watched == nullptr || !problem.empty()) {
            return;
        }
        const auto files = watched->fs.frozen();
        const auto attributes = (*files)->attributes(watched->object);
        Model beginning = model;
        beginning.resize((*attributes)->size);
        problem = compare(**files, watched->object, beginning);
        sizes.push_back((*attributes)->size);
    };
    OneFile file(options);
    for (std::uint64_t at = 0; at < 20 * MiB; at += 64 * KiB) {
        const auto data = pattern(700, at);
        model.write(at, data);
        MP_OK(file.write(at, data));
    }
    MP_OK(file.fs.syncAll());
    watched = &file;
    MP_OK(file.fs.writer().truncate(file.object, 100'000));
    MP_OK(file.fs.syncAll());
    QCOMPARE(QString::fromStdString(problem), QString());
    QVERIFY2(sizes.size() > 3, fmt::format("{} syncs", sizes.size()).c_str());
    QVERIFY(std::ranges::is_sorted(sizes, std::greater()));
    model.resize(100'000);
    QCOMPARE(QString::fromStdString(compare(file.fs.files(), file.object, model)), QString());
    // Nothing of what was cut off comes back.
    watched = nullptr;
    model.resize(20 * MiB);
    MP_OK(file.fs.writer().extend(file.object, 20 * MiB));
    QCOMPARE(QString::fromStdString(compare(file.fs.files(), file.object, model)), QString());
    QCOMPARE(QString::fromStdString(file.fs.problems()), QString());
}

void TestWriterContents::punchedInPieces()
{
    WritableOptions options;
    options.write.recordBytes = 512;
    options.indirectShift = 10;
    OneFile file(options);
    Model model;
    for (std::uint64_t at = 0; at < 12 * MiB; at += 64 * KiB) {
        const auto data = pattern(700, at);
        model.write(at, data);
        MP_OK(file.write(at, data));
    }
    MP_OK(file.fs.syncAll());
    const std::uint64_t before = file.fs.groups().figures().txgs;
    MP_OK(file.fs.writer().punch(file.object, ByteOffset(300), ByteCount(11 * MiB)));
    model.punch(300, 300 + 11 * MiB);
    QVERIFY(file.fs.groups().figures().txgs > before);
    QCOMPARE(QString::fromStdString(compare(file.fs.files(), file.object, model)), QString());
    MP_OK(file.fs.syncAll());
    QCOMPARE(QString::fromStdString(compare(**file.fs.frozen(), file.object, model)), QString());
    QVERIFY(
        isError(file.fs.writer().punch(file.object, ByteOffset(0), ByteCount(12 * MiB), kNoWait),
                ErrorCode::WouldBlock));
}

/// Little data far apart costs little, whatever is done to it.
void TestWriterContents::farHoles()
{
    OneFile file;
    Model model;
    for (const unsigned shift : {20U, 40U, 50U, 62U}) {
        const auto data = pattern(1000, shift);
        model.write(std::uint64_t{1} << shift, data);
        MP_OK(file.write(std::uint64_t{1} << shift, data));
    }
    MP_OK(file.fs.syncAll());
    MP_OK(
        file.fs.writer().punch(file.object, ByteOffset(kFar), ByteCount(std::uint64_t{1} << 60U)));
    model.punch(kFar, kFar + (std::uint64_t{1} << 60U));
    QCOMPARE(QString::fromStdString(compare(file.fs.files(), file.object, model)), QString());
    MP_OK(file.fs.writer().truncate(file.object, MiB + 500));
    model.resize(MiB + 500);
    MP_OK(file.fs.syncAll());
    QCOMPARE(QString::fromStdString(compare(file.fs.files(), file.object, model)), QString());
    QVERIFY(file.fs.groups().figures().txgs < 60);
}

/// Writers with a part each, appenders to one file, one who cuts a file off again and again, and
/// readers; txgs sync all the time.
void TestWriterContents::threads()
{
    constexpr std::uint64_t kPart = 300'000; // no multiple of the record
    constexpr std::size_t kWriters = 3;
    constexpr std::size_t kLine = 1000;
    WritableOptions options;
    options.drive = txg::Drive::Threads;
    options.write.recordBytes = 16384;
    OneFile file(options);
    FileSystemWriter& writer = file.fs.writer();
    const ObjectId root = file.fs.files().root();
    const ObjectId lines = (*writer.create({root, "lines"}, {}))->object;
    const ObjectId wave = (*writer.create({root, "wave"}, {}))->object;
    std::atomic<bool> stop{false};
    std::atomic<int> problems{0};
    std::vector<std::string> messages(16);
    std::atomic<std::size_t> nextMessage{0};
    const auto check = [&](const auto& result) {
        if (!result) {
            ++problems;
            if (const std::size_t place = nextMessage++; place < messages.size()) {
                messages[place] = result.error().toText();
            }
        }
    };
    std::vector<Model> models(kWriters);
    std::vector<std::thread> threads;
    for (std::size_t w = 0; w < kWriters; ++w) {
        threads.emplace_back([&, w] {
            SeededRandom random(testSeed() + w);
            for (std::uint64_t round = 1; !stop; ++round) {
                const std::uint64_t offset = random.next() % kPart;
                const auto data =
                    pattern(1 + random.next() % std::min<std::uint64_t>(kPart - offset, 60'000),
                            random.next());
                models[w].write(w * kPart + offset, data);
                check(file.write(w * kPart + offset, data));
                const std::vector<std::byte> line(kLine, std::byte(static_cast<std::uint8_t>(w)));
                check(writer.write(lines, {.data = line, .append = true}));
                const std::vector<std::byte> same(40'000, std::byte{7});
                check(writer.write(wave, {.offset = ByteOffset(random.next() % 99), .data = same}));
            }
        });
    }
    threads.emplace_back([&] {
        SeededRandom random(testSeed() + 77);
        while (!stop) {
            check(writer.truncate(wave, random.next() % 50'000));
            check(writer.punch(lines, ByteOffset(1 * GiB), ByteCount(5)));
            std::this_thread::yield();
        }
    });
    threads.emplace_back([&] {
        std::vector<std::byte> bytes(100'000);
        while (!stop) {
            check(file.fs.files().read(lines, ByteOffset(0), bytes));
            const auto count = file.fs.files().read(wave, ByteOffset(99), bytes);
            check(count);
            // Never anything but what was written, or a hole.
            for (std::size_t i = 0; count && i < *count; ++i) {
                if (bytes[i] != std::byte{7} && bytes[i] != std::byte{0}) {
                    ++problems;
                    break;
                }
            }
        }
    });
    for (int i = 0; i < 40; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        check(file.fs.syncAll());
    }
    stop = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    QCOMPARE(QString::fromStdString(messages[0]), QString());
    QCOMPARE(problems.load(), 0);
    MP_OK(file.fs.syncAll());
    const auto frozen = file.fs.frozen();
    MP_OK(frozen);
    for (std::size_t w = 0; w < kWriters; ++w) {
        std::vector<std::byte> part(kPart);
        const std::size_t count = *(*frozen)->read(file.object, ByteOffset(w * kPart), part);
        std::vector<std::byte> expected = models[w].read(w * kPart, kPart);
        expected.resize(count);
        part.resize(count);
        QVERIFY2(part == expected, fmt::format("part {} differs", w).c_str());
    }
    const std::uint64_t size = (*(*frozen)->attributes(lines))->size;
    QCOMPARE(size % kLine, 0U);
    std::vector<std::byte> all(size);
    MP_OK((*frozen)->read(lines, ByteOffset(0), all));
    for (std::size_t at = 0; at < size; at += kLine) {
        const auto line = std::span(all).subspan(at, kLine);
        QVERIFY(std::ranges::count(line, line.front()) == kLine);
    }
    QCOMPARE(QString::fromStdString(file.fs.problems()), QString());
}

/// Data and holes are found, and right, while syncs replace the blocks that lead to them.
void TestWriterContents::seekWhileSyncing()
{
    WritableOptions options;
    options.drive = txg::Drive::Threads;
    options.write.recordBytes = 512;
    options.indirectShift = 10;
    OneFile file(options);
    // Every second stretch of 8 KiB is data, always; what moves is in the others.
    constexpr std::uint64_t kStretch = 8192;
    constexpr std::uint64_t kStretches = 64;
    for (std::uint64_t i = 0; i < kStretches; i += 2) {
        MP_OK(file.write(i * kStretch, pattern(kStretch, i)));
    }
    MP_OK(file.write(kStretches * kStretch, pattern(10, 1)));
    std::atomic<bool> stop{false};
    std::atomic<int> problems{0};
    std::string message;
    std::thread mover([&] {
        SeededRandom random(testSeed());
        while (!stop) {
            const std::uint64_t i = random.next() % kStretches;
            const Status done =
                i % 2 == 0 ? (file.write(i * kStretch, pattern(kStretch, i)) ? Status() : Status())
                           : file.fs.writer().punch(file.object,
                                                    ByteOffset(i * kStretch + 512),
                                                    ByteCount(kStretch - 1024));
            problems += done ? 0 : 1;
            if (i % 2 != 0) {
                const auto wrote = file.write(i * kStretch + 1024, pattern(1024, i));
                problems += wrote ? 0 : 1;
            }
        }
    });
    std::thread seeker([&] {
        SeededRandom random(testSeed() + 1);
        while (!stop && problems == 0) {
            const std::uint64_t i = random.next() % kStretches / 2 * 2;
            const ByteOffset inside(i * kStretch + random.next() % kStretch);
            const auto data = file.fs.files().seekData(file.object, inside);
            const auto hole = file.fs.files().seekHole(file.object, ByteOffset(i * kStretch));
            if (!data || !*data || **data != inside || !hole || !*hole ||
                (*hole)->value() < (i + 1) * kStretch) {
                message = !data   ? data.error().toText()
                          : !hole ? hole.error().toText()
                                  : fmt::format("at {}", inside.value());
                ++problems;
            }
        }
    });
    for (int i = 0; i < 150 && problems == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        problems += file.fs.syncAll() ? 0 : 1;
    }
    stop = true;
    mover.join();
    seeker.join();
    QCOMPARE(QString::fromStdString(message), QString());
    QCOMPARE(problems.load(), 0);
}

QTEST_GUILESS_MAIN(TestWriterContents)
#include "tst_writer_contents.moc"
