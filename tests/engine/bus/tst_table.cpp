// SPDX-License-Identifier: GPL-3.0-or-later
// Property: a table document gives back what was put in; bytes that are none are refused, never
// read past their end; a big one is read fast. Method: round trips, damage at every place,
// descriptors without seals.
#include "bus/records.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace millpond;
using namespace millpond::bus;

namespace {
std::vector<std::byte> smallDocument()
{
    DocumentWriter writer(42);
    RowWriter<HoldRow> holds(writer);
    holds.append({.snapshot = "tank@a", .tag = "keep", .time = 1'700'000'000});
    holds.append({.snapshot = "tank@b", .tag = "keep", .time = kUnknown});
    const Column columns[] = {{"text", ColumnType::Text},
                              {"number", ColumnType::Unsigned},
                              {"balance", ColumnType::Signed},
                              {"flag", ColumnType::Flag}};
    TableWriter& table = writer.addTable("mixed", columns);
    for (int i = 0; i < 3; ++i) {
        table.add(std::string_view("\xff\x00x", 3));
        table.add(std::uint64_t{7} << 40U);
        table.add(std::int64_t{-1 - i});
        table.add(i == 1);
    }
    return *writer.finish();
}

/// Reads every cell; the sum keeps the compiler from leaving that out.
std::size_t readAll(const Document& document)
{
    std::size_t sum = 0;
    for (std::size_t t = 0; t < document.tables(); ++t) {
        const Table& table = document.table(t);
        for (std::size_t c = 0; c < table.columns(); ++c) {
            for (std::size_t r = 0; r < table.rows(); ++r) {
                switch (table.column(c).type) {
                case ColumnType::Text:
                    sum += table.text(r, c).size();
                    break;
                case ColumnType::Unsigned:
                    sum += table.unsignedAt(r, c) & 1U;
                    break;
                case ColumnType::Signed:
                    sum += table.signedAt(r, c) > 0 ? 1 : 0;
                    break;
                case ColumnType::Flag:
                    sum += table.flagAt(r, c) ? 1 : 0;
                    break;
                }
            }
        }
    }
    return sum;
}
} // namespace

class TestTable : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesBackWhatWasPutIn();
    void emptyDocument();
    void recordsNeedTheirColumns();
    void truncatedAtEveryLength();
    void everyByteDamaged();
    void memfdIsSealed();
    void unsealedDescriptorIsRefused();
    void tooLargeIsRefused();
    void bigPropertyTableIsFast();
};

void TestTable::givesBackWhatWasPutIn()
{
    const std::vector<std::byte> bytes = smallDocument();
    const auto document = Document::parse(bytes);
    QVERIFY(document.has_value());
    QCOMPARE(document->generation(), std::uint64_t{42});
    const auto rows = Rows<HoldRow>::of(*document);
    QVERIFY(rows.has_value());
    QCOMPARE(rows->size(), std::size_t{2});
    QVERIFY((*rows)[0].snapshot == "tank@a");
    QVERIFY((*rows)[1].tag == "keep");
    QCOMPARE((*rows)[1].time, kUnknown);
    const Table* mixed = document->find("mixed");
    QVERIFY(mixed != nullptr);
    QVERIFY(mixed->text(2, 0) == std::string_view("\xff\x00x", 3));
    QCOMPARE(mixed->unsignedAt(0, 1), std::uint64_t{7} << 40U);
    QCOMPARE(mixed->signedAt(2, 2), std::int64_t{-3});
    QVERIFY(mixed->flagAt(1, 3) && !mixed->flagAt(2, 3));
    QVERIFY(mixed->textId(0, 0) == mixed->textId(1, 0)); // stored once
    QVERIFY(document->find("other") == nullptr);
}

void TestTable::emptyDocument()
{
    DocumentWriter writer(1);
    const auto bytes = writer.finish();
    QVERIFY(bytes.has_value());
    const auto document = Document::parse(*bytes);
    QVERIFY(document.has_value());
    QCOMPARE(document->tables(), std::size_t{0});
    QCOMPARE(Document().tables(), std::size_t{0});
}

void TestTable::recordsNeedTheirColumns()
{
    DocumentWriter writer(1);
    const Column columns[] = {{"snapshot", ColumnType::Text},
                              {"tag", ColumnType::Unsigned},
                              {"time", ColumnType::Unsigned}};
    (void)writer.addTable("holds", columns);
    const auto bytes = writer.finish();
    const auto document = Document::parse(*bytes);
    QVERIFY(document.has_value());
    const auto rows = Rows<HoldRow>::of(*document);
    QVERIFY(!rows && rows.error().is(ErrorCode::BadMessage));
    const auto none = Rows<MountRow>::of(*document);
    QVERIFY(!none && none.error().is(ErrorCode::BadMessage));
}

void TestTable::truncatedAtEveryLength()
{
    const std::vector<std::byte> bytes = smallDocument();
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        // A heap copy of exactly that size: a sanitizer sees any step beyond.
        const std::vector<std::byte> part(bytes.begin(), bytes.begin() + std::ptrdiff_t(length));
        QVERIFY(!Document::parse(part));
    }
}

void TestTable::everyByteDamaged()
{
    const std::vector<std::byte> good = smallDocument();
    std::size_t sum = 0;
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (const unsigned value : {0x00U, 0x01U, 0x7fU, 0x80U, 0xffU}) {
            std::vector<std::byte> bytes = good;
            bytes[at] = std::byte(value);
            if (const auto document = Document::parse(bytes)) {
                sum += readAll(*document);
            }
        }
    }
    QVERIFY(sum > 0);
}

void TestTable::memfdIsSealed()
{
    DocumentWriter writer(7);
    RowWriter<HoldRow>(writer).append({.snapshot = "a@b", .tag = "c", .time = 1});
    auto fd = writer.finishToMemfd();
    QVERIFY(fd.has_value());
    const char byte = 0;
    QVERIFY(::pwrite(fd->get(), &byte, 1, 0) < 0);
    QVERIFY(::ftruncate(fd->get(), 0) < 0);
    auto document = Document::open(fd->get());
    QVERIFY(document.has_value());
    fd->reset();
    const Document copy = *document;
    document = Document();
    QVERIFY((*Rows<HoldRow>::of(copy))[0].tag == "c");
}

void TestTable::unsealedDescriptorIsRefused()
{
    const std::vector<std::byte> bytes = smallDocument();
    const UniqueFd open(::memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    QCOMPARE(::write(open.get(), bytes.data(), bytes.size()), ssize_t(bytes.size()));
    QVERIFY(!Document::open(open.get()));
    // Sealed against writing, but it may still shrink under our mapping.
    QCOMPARE(::fcntl(open.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW), 0);
    QVERIFY(!Document::open(open.get()));
    QCOMPARE(::fcntl(open.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
    QVERIFY(Document::open(open.get()).has_value());
    const UniqueFd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
    QVERIFY(!Document::open(file.get()));
    QVERIFY(!Document::open(-1));
}

void TestTable::tooLargeIsRefused()
{
    DocumentWriter writer(1);
    const Column column[] = {{"n", ColumnType::Unsigned}};
    for (std::uint32_t i = 0; i <= kMaxTables; ++i) {
        (void)writer.addTable("t", column);
    }
    const auto bytes = writer.finish();
    QVERIFY(!bytes && bytes.error().is(ErrorCode::TooLarge));
}

void TestTable::bigPropertyTableIsFast()
{
    constexpr int kDatasets = 10'000;
    constexpr int kProperties = 70;
    DocumentWriter writer(1);
    RowWriter<DatasetPropertyRow> rows(writer);
    for (int d = 0; d < kDatasets; ++d) {
        const std::string dataset = "tank/home/user" + std::to_string(d);
        for (int p = 0; p < kProperties; ++p) {
            const std::string property = "property" + std::to_string(p);
            const std::string value = std::to_string(std::int64_t{d} * p);
            rows.append({.dataset = dataset,
                         .type = "filesystem",
                         .property = property,
                         .value = value,
                         .source = p % 2 == 0 ? "default" : "inherited",
                         .inheritedFrom = "tank",
                         .received = "-"});
        }
    }
    auto fd = writer.finishToMemfd();
    QVERIFY(fd.has_value());
    QElapsedTimer timer;
    timer.start();
    const auto document = Document::open(fd->get());
    QVERIFY(document.has_value());
    const auto read = Rows<DatasetPropertyRow>::of(*document);
    QVERIFY(read.has_value());
    QCOMPARE(read->size(), std::size_t(kDatasets) * kProperties);
    const qint64 openedMs = timer.elapsed();
    std::size_t sum = 0;
    for (const DatasetPropertyRow row : *read) {
        sum += row.dataset.size() + row.value.size() + row.source.size();
    }
    QVERIFY(sum > 0);
    qInfo("opened and checked in %lld ms, all 4.9 million cells read after %lld ms",
          static_cast<long long>(openedMs),
          static_cast<long long>(timer.elapsed()));
    QVERIFY(openedMs < 100);
}

QTEST_GUILESS_MAIN(TestTable)
#include "tst_table.moc"
