// SPDX-License-Identifier: GPL-3.0-or-later
// ZAPs of every shape, made by hand in both byte orders, are looked up and walked in pieces of
// every size with real hash collisions; each kind of damage must be reported by verify(), and
// random damage must never crash, hang or repeat without end.
#include "engine/object/zap_builder.h"
#include "format/zap.h"
#include "object/zap.h"
#include "support/seed.h"

#include "base/clock.h"

#include <QtTest>

#include <algorithm>
#include <set>
#include <unordered_map>

using namespace millpond;
using namespace millpond::test;
using object::NameMatching;
using object::Zap;
using object::ZapEntry;

namespace {

constexpr std::uint64_t kFormD = format::NormalizationFlag::kFormD;
constexpr std::uint64_t kToUpper = format::NormalizationFlag::kToUpper;

/// Pairs of names with the same hash for the default salt: 28 bits, so a few among so many.
const std::vector<ZapItem>& collidingItems()
{
    static const std::vector<ZapItem> items = [] {
        SeededRandom random(1); // counted names would hardly collide: CRCs tell close names apart
        std::unordered_map<std::uint64_t, std::string> seen;
        std::vector<ZapItem> found;
        while (found.size() < 12) {
            const std::string name = "f" + std::to_string(random.next());
            const auto [at, fresh] = seen.emplace(format::zapHash(ZapShape().salt, name, 0), name);
            if (!fresh && at->second != name) {
                found.push_back({.name = at->second, .key = {}, .values = {found.size()}});
                found.push_back({.name = name, .key = {}, .values = {found.size()}});
            }
        }
        return found;
    }();
    return items;
}

std::vector<ZapItem> plainItems(std::size_t count)
{
    std::vector<ZapItem> items;
    for (std::size_t i = 0; i < count; ++i) {
        items.push_back(
            {.name = "entry number " + std::to_string(i), .key = {}, .values = {i * 3}});
    }
    return items;
}

std::string keyOf(const ZapItem& item)
{
    std::string text = item.name;
    for (const std::uint64_t word : item.key) {
        text += "/" + std::to_string(word);
    }
    return text;
}

std::string keyOf(const ZapEntry& entry)
{
    return keyOf(ZapItem{.name = entry.name, .key = entry.key, .values = {}});
}

} // namespace

class tst_Zap : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void shapes_data();

    void finds_data() { shapes_data(); }

    void finds();

    void walksInPieces_data() { shapes_data(); }

    void walksInPieces();

    void isSound_data() { shapes_data(); }

    void isSound();

    void survivesAnyCursor_data() { shapes_data(); }

    void survivesAnyCursor();
    void sameOrderMicroAndFat();
    void sharedPlacesNeitherSkipNorRepeat();
    void valuesOfEveryWidth();
    void wordKeys();
    void foldedNames();
    void foldedByOtherTables();
    void refusesWhatIsNoZap();
    void verifyFindsDamage_data();
    void verifyFindsDamage();
    void hugeTableEnds();
    void survivesRandomDamage();

private:
    MemoryBlocks m_blocks;
    std::shared_ptr<object::ObjectSet> m_objset;

    object::DnodeRef dnodeOf(TreeSpec& spec)
    {
        return makeDnode({.type = spec.type, .bonus = {}, .spill = {}},
                         spec,
                         buildTree(m_blocks, spec),
                         ObjectId(9));
    }

    std::optional<Zap> opened(TreeSpec& spec)
    {
        auto zap = Zap::open(*m_objset, dnodeOf(spec));
        if (!zap) {
            qWarning("%s", zap.error().toText().c_str());
            return std::nullopt;
        }
        return *zap;
    }

    std::vector<ZapItem> m_items;
    std::optional<Zap> shapeFromRow();
};

void tst_Zap::init()
{
    m_blocks = MemoryBlocks();
    ObjsetBuilder builder(m_blocks);
    builder.add(1, {}, {});
    m_objset = *object::ObjectSet::open(m_blocks, builder.build(), ObjsetId(77));
}

void tst_Zap::shapes_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("order"); // 0 little, 1 big, 2 mixed
    for (const char* kind : {"micro",
                             "large micro",
                             "one leaf",
                             "many leaves",
                             "external table",
                             "growing table",
                             "uneven",
                             "collisions"}) {
        for (const int order : {0, 1, 2}) {
            QTest::addRow("%s, order %d", kind, order) << kind << order;
        }
    }
}

std::optional<Zap> tst_Zap::shapeFromRow()
{
    const QString kind = *static_cast<QString*>(QTest::qData("kind", QMetaType::QString));
    const int order = *static_cast<int*>(QTest::qData("order", QMetaType::Int));
    ZapShape shape;
    shape.order = order == 0   ? always(ByteOrder::Little)
                  : order == 1 ? always(ByteOrder::Big)
                               : alternating();
    TreeSpec spec;
    if (kind.endsWith("micro")) {
        const bool large = kind.startsWith("large");
        shape.blockBytes = large ? 128 * 1024 : 8192;
        m_items = large ? plainItems(2047) : plainItems(100);
        spec = buildMicroZap(m_items, shape);
    } else {
        m_items = kind == "collisions" ? collidingItems() : plainItems(700);
        if (kind == "one leaf") {
            m_items.resize(30);
        }
        if (kind == "many leaves") {
            shape.minDepth = 6;
        }
        if (kind == "external table") {
            shape.minTableShift = 11;
        }
        if (kind == "growing table") {
            shape.minTableShift = 12;
            shape.growing = true;
        }
        if (kind == "uneven") { // what begins with one prefix is split deeper
            std::erase_if(m_items, [&](const ZapItem& item) {
                return format::zapHash(shape.salt, item.name, 0) >> 62U != 0 &&
                       item.name.back() != '7';
            });
        }
        spec = buildFatZap(m_items, shape);
    }
    return opened(spec);
}

void tst_Zap::finds()
{
    const auto zap = shapeFromRow();
    QVERIFY(zap);
    for (const ZapItem& item : m_items) {
        const auto entry = zap->lookup(item.name);
        QVERIFY2(entry, item.name.c_str());
        QCOMPARE(entry->name, item.name);
        QVERIFY(entry->values == item.values);
        QCOMPARE(*zap->number(item.name), item.values.front());
    }
    for (const char* absent : {"", "entry number", "entry number 0 ", "Entry number 1", "x"}) {
        const auto entry = zap->lookup(absent);
        QVERIFY(!entry);
        QVERIFY(entry.error().is(ErrorCode::NoSuchEntry));
    }
    QVERIFY(zap->lookup(std::string(3000, 'x')).error().is(ErrorCode::NoSuchEntry));
    QCOMPARE(*zap->count(), m_items.size());
}

void tst_Zap::walksInPieces()
{
    const auto zap = shapeFromRow();
    QVERIFY(zap);
    std::set<std::string> expected;
    for (const ZapItem& item : m_items) {
        expected.insert(item.name);
    }
    QCOMPARE(expected.size(), m_items.size());
    std::vector<std::string> firstOrder;
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{100'000}}) {
        if (piece == 1 && m_items.size() > 1000) {
            continue;
        }
        std::vector<std::string> order;
        std::uint64_t cursor = Zap::kBegin;
        std::uint64_t last = 0;
        while (cursor != Zap::kEnd) {
            const auto entries = zap->list(cursor, piece);
            QVERIFY(entries);
            QVERIFY(entries->entries.size() <= piece);
            QVERIFY(!entries->entries.empty() || entries->next == Zap::kEnd);
            for (const auto& [after, entry] : entries->entries) {
                QVERIFY(after > last);
                last = after;
                order.push_back(entry.name);
            }
            // Going on after the last entry is the same as `next`.
            if (entries->next != Zap::kEnd) {
                QCOMPARE(entries->next, entries->entries.back().first);
            }
            cursor = entries->next;
        }
        QVERIFY(std::set<std::string>(order.begin(), order.end()) == expected);
        QCOMPARE(order.size(), expected.size());
        QVERIFY(firstOrder.empty() || firstOrder == order);
        firstOrder = order;
    }
    std::size_t visited = 0;
    QVERIFY(zap->forEach([&](const ZapEntry&) -> Result<bool> { return ++visited < 5; }));
    QCOMPARE(visited, 5U);
}

void tst_Zap::isSound()
{
    const auto zap = shapeFromRow();
    QVERIFY(zap);
    const auto problems = zap->verify();
    QVERIFY(problems);
    QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().c_str());
}

void tst_Zap::survivesAnyCursor()
{
    const auto zap = shapeFromRow();
    QVERIFY(zap);
    SeededRandom random(testSeed());
    for (int i = 0; i < 50; ++i) {
        const std::uint64_t cursor = random.next() >> (random.next() % 64);
        const auto entries = zap->list(cursor, 3);
        QVERIFY(entries);
        for (const auto& [after, entry] : entries->entries) {
            QVERIFY(after > cursor);
        }
    }
    QVERIFY(zap->list(Zap::kEnd, 3)->entries.empty());
    QVERIFY(zap->list(Zap::kEnd - 1, 3)->entries.empty());
    QCOMPARE(zap->list(Zap::kBegin, 0)->entries.size(), 1U);
}

void tst_Zap::sameOrderMicroAndFat()
{
    // A directory that grows from micro to fat while it is being read must not be read twice.
    std::vector<ZapItem> items = plainItems(60);
    TreeSpec micro = buildMicroZap(items, {});
    TreeSpec fat = buildFatZap(items, {.minDepth = 3});
    const auto before = opened(micro);
    const auto after = opened(fat);
    const auto first = before->list(Zap::kBegin, 1000);
    const auto second = after->list(Zap::kBegin, 1000);
    QCOMPARE(first->entries.size(), 60U);
    for (std::size_t i = 0; i < 60; ++i) {
        QCOMPARE(first->entries[i].first, second->entries[i].first);
        QCOMPARE(first->entries[i].second.name, second->entries[i].second.name);
    }
}

void tst_Zap::sharedPlacesNeitherSkipNorRepeat()
{
    std::vector<ZapItem> items = collidingItems();
    TreeSpec spec = buildMicroZap(items, {});
    for (std::size_t slot = 0; slot < items.size(); ++slot) { // all collision numbers equal
        put32(spec.blocks[0], 64 + slot * 64 + 8, 0, ByteOrder::Little);
    }
    const auto zap = opened(spec);
    std::set<std::string> names;
    std::uint64_t cursor = Zap::kBegin;
    for (int step = 0; cursor != Zap::kEnd && step < 20; ++step) {
        const auto entries = zap->list(cursor, 1);
        QVERIFY(names.insert(entries->entries.front().second.name).second);
        cursor = entries->next;
    }
    QCOMPARE(names.size(), items.size());
    QVERIFY(!zap->verify()->empty());
}

void tst_Zap::valuesOfEveryWidth()
{
    std::vector<ZapItem> items = {
        {.name = "text", .key = {}, .integerBytes = 1, .values = {'a', 'b', 'c', 0}},
        {.name = "bytes",
         .key = {},
         .integerBytes = 1,
         .values = std::vector<std::uint64_t>(700, 200)},
        {.name = "shorts", .key = {}, .integerBytes = 2, .values = {1, 0xfedc}},
        {.name = "words", .key = {}, .integerBytes = 4, .values = {0xfedcba98, 2, 3}},
        {.name = "longs", .key = {}, .integerBytes = 8, .values = {~std::uint64_t{0}, 1}},
        {.name = "none", .key = {}, .integerBytes = 8, .values = {}},
        {.name = std::string(255, 'n'), .key = {}, .integerBytes = 8, .values = {5}},
        {.name = std::string(1000, 'n'), .key = {}, .integerBytes = 8, .values = {6}},
    };
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
        TreeSpec spec = buildFatZap(items, {.order = always(order)});
        const auto zap = opened(spec);
        for (const ZapItem& item : items) {
            const auto entry = zap->lookup(item.name);
            QVERIFY(entry);
            QCOMPARE(entry->integerBytes, item.integerBytes);
            QVERIFY(entry->values == item.values);
        }
        QCOMPARE(zap->lookup("text")->text(), std::string("abc"));
        QCOMPARE(zap->lookup("longs")->text(), std::string());
        QVERIFY(zap->number("none").error().is(ErrorCode::BadZap));
        QVERIFY(zap->verify()->empty());
    }
}

void tst_Zap::wordKeys()
{
    SeededRandom random(7);
    for (const std::uint64_t extra : {std::uint64_t{0}, format::ZapFlag::kPreHashed}) {
        std::vector<ZapItem> items;
        for (std::uint64_t i = 0; i < 400; ++i) {
            items.push_back({.name = {},
                             .key = {random.next(), i, random.next(), 0},
                             .integerBytes = 1,
                             .values = {i & 0xff, 1}});
        }
        const std::uint64_t flags = format::ZapFlag::kHash64 | format::ZapFlag::kUint64Key | extra;
        TreeSpec spec = buildFatZap(items, {.flags = flags, .order = alternating()});
        const auto zap = opened(spec);
        for (const ZapItem& item : items) {
            const auto entry = zap->lookup(item.key);
            QVERIFY(entry);
            QVERIFY(entry->key == item.key);
            QVERIFY(entry->name.empty());
            QVERIFY(entry->values == item.values);
        }
        const std::vector<std::uint64_t> absent = {1, 2, 3, 4};
        QVERIFY(zap->lookup(absent).error().is(ErrorCode::NoSuchEntry));
        QVERIFY(zap->lookup(std::span<const std::uint64_t>()).error().is(ErrorCode::NoSuchEntry));
        QVERIFY(zap->lookup("name").error().is(ErrorCode::NoSuchEntry));
        std::set<std::string> seen;
        std::uint64_t cursor = Zap::kBegin;
        while (cursor != Zap::kEnd) {
            const auto entries = zap->list(cursor, 3);
            QVERIFY(entries);
            for (const auto& [after, entry] : entries->entries) {
                QVERIFY(seen.insert(keyOf(entry)).second);
            }
            cursor = entries->next;
        }
        QCOMPARE(seen.size(), items.size());
        QVERIFY(zap->verify()->empty());
    }
}

void tst_Zap::foldedNames()
{
    const NameMatching caseless{.ignoreCase = true, .normalization = 0};
    const NameMatching formD{.ignoreCase = false, .normalization = kFormD};
    for (const bool fat : {false, true}) {
        std::vector<ZapItem> items = plainItems(fat ? 500 : 50);
        items.push_back({.name = "ReadMe", .key = {}, .values = {1}});
        items.push_back({.name = "\u00c4rger", .key = {}, .values = {2}}); // composed
        items.push_back({.name = "bad\xff\xfe name", .key = {}, .values = {3}});
        const ZapShape shape{.normalization = kFormD | kToUpper, .blockBytes = 32768};
        TreeSpec spec = fat ? buildFatZap(items, shape) : buildMicroZap(items, shape);
        const auto zap = opened(spec);
        QVERIFY(zap->verify()->empty());
        QCOMPARE(*zap->number("ReadMe"), 1U);
        QVERIFY(zap->lookup("README").error().is(ErrorCode::NoSuchEntry));
        QCOMPARE(zap->lookup("rEADmE", caseless)->name, std::string("ReadMe"));
        QVERIFY(zap->lookup("rEADmE", formD).error().is(ErrorCode::NoSuchEntry));
        QCOMPARE(zap->lookup("A\u0308rger", formD)->first(), 2U);
        QVERIFY(zap->lookup("A\u0308rger").error().is(ErrorCode::NoSuchEntry));
        QCOMPARE(zap->lookup("\u00e4RGER", {.ignoreCase = true, .normalization = kFormD})->first(),
                 2U);
        QCOMPARE(zap->lookup("BAD\xff\xfe NAME", caseless)->first(), 3U);
        std::size_t listed = 0;
        QVERIFY(zap->forEach([&](const ZapEntry&) -> Result<bool> { return ++listed > 0; }));
        QCOMPARE(listed, items.size());
    }
}

void tst_Zap::foldedByOtherTables()
{
    // The writer folded this name in some way that is not ours, so its hash is another.
    std::vector<ZapItem> items = plainItems(300);
    items.push_back({.name = "\u00fcber", .key = {}, .values = {4}});
    TreeSpec spec = buildFatZap(items, {.normalization = 0});
    put64(spec.blocks[0], 11 * 8, kFormD | kToUpper, ByteOrder::Little);
    const auto zap = opened(spec);
    QCOMPARE(zap->lookup("\u00fcber")->first(), 4U);
    QCOMPARE(zap->lookup("U\u0308BER", {.ignoreCase = true, .normalization = kFormD})->first(), 4U);
}

void tst_Zap::refusesWhatIsNoZap()
{
    TreeSpec empty;
    empty.type = format::number(format::ObjectType::Directory);
    QVERIFY(Zap::open(*m_objset, dnodeOf(empty)).error().is(ErrorCode::BadZap));
    empty.blocks[0] = ByteVector(512);
    QVERIFY(Zap::open(*m_objset, dnodeOf(empty)).error().is(ErrorCode::BadZap));
    std::vector<ZapItem> items = plainItems(3);
    TreeSpec plain = buildMicroZap(items, {});
    plain.type = format::number(format::ObjectType::PlainFile);
    QVERIFY(Zap::open(*m_objset, dnodeOf(plain)).error().is(ErrorCode::BadZap));
    QVERIFY(Zap::open(*m_objset, ObjectId(12345)).error().is(ErrorCode::NoSuchObject));
}

namespace {

using Damage = std::function<void(TreeSpec&)>;

void poke64(TreeSpec& spec, std::uint64_t block, std::size_t offset, std::uint64_t value)
{
    put64(spec.blocks.at(block), offset, value, ByteOrder::Little);
}

void poke16(TreeSpec& spec, std::uint64_t block, std::size_t offset, std::uint16_t value)
{
    put16(spec.blocks.at(block), offset, value, ByteOrder::Little);
}

// Offsets for blocks of 4096 bytes: hash table at 48 (128 slots), chunks at 304.
constexpr std::size_t kChunks = 304;

const std::vector<std::pair<const char*, Damage>>& damages()
{
    static const std::vector<std::pair<const char*, Damage>> all = {
        {"entries in header", [](TreeSpec& s) { poke64(s, 0, 9 * 8, 3); }},
        {"leaves in header", [](TreeSpec& s) { poke64(s, 0, 8 * 8, 3); }},
        {"free block", [](TreeSpec& s) { poke64(s, 0, 7 * 8, 2); }},
        {"leaf unreachable", [](TreeSpec& s) { poke64(s, 0, 2048 + 8, 2); }},
        {"pointer to header", [](TreeSpec& s) { poke64(s, 0, 2048, 0); }},
        {"pointer past the end", [](TreeSpec& s) { poke64(s, 0, 2048, 1U << 30U); }},
        {"leaf entries", [](TreeSpec& s) { poke16(s, 1, 30, 77); }},
        {"leaf free count", [](TreeSpec& s) { poke16(s, 1, 28, 1); }},
        {"leaf free list", [](TreeSpec& s) { poke16(s, 1, 34, 0xffff); }},
        {"leaf prefix", [](TreeSpec& s) { poke64(s, 1, 16, 5); }},
        {"leaf prefix length", [](TreeSpec& s) { poke16(s, 1, 32, 40); }},
        {"leaf magic", [](TreeSpec& s) { poke64(s, 2, 24, 0); }},
        {"entry's hash", [](TreeSpec& s) { poke64(s, 1, kChunks + 16, 1U << 20U); }},
        {"entry's chain", [](TreeSpec& s) { poke16(s, 1, kChunks + 2, 0); }},
        {"entry's value", [](TreeSpec& s) { poke16(s, 1, kChunks + 8, 0); }},
        {"entry's name", [](TreeSpec& s) { poke16(s, 1, kChunks + 4, 9999); }},
        {"entry's name length", [](TreeSpec& s) { poke16(s, 1, kChunks + 6, 5000); }},
        {"a letter", [](TreeSpec& s) { s.blocks.at(1).at(kChunks + 24 + 3) ^= std::byte{1}; }},
        {"leaf missing", [](TreeSpec& s) { s.blocks.erase(2); }},
    };
    return all;
}

} // namespace

void tst_Zap::verifyFindsDamage_data()
{
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < damages().size(); ++i) {
        QTest::newRow(damages()[i].first) << static_cast<int>(i);
    }
}

void tst_Zap::verifyFindsDamage()
{
    QFETCH(const int, index);
    std::vector<ZapItem> items = plainItems(200);
    TreeSpec spec = buildFatZap(items, {.minDepth = 7, .minTableShift = 8});
    damages()[static_cast<std::size_t>(index)].second(spec);
    const auto zap = opened(spec);
    QVERIFY(zap);
    const auto problems = zap->verify();
    QVERIFY(problems);
    QVERIFY(!problems->empty());
    QVERIFY(problems->size() <= 100);
    for (const std::string& problem : *problems) {
        qDebug("%s", problem.c_str());
    }
}

void tst_Zap::hugeTableEnds()
{
    std::vector<ZapItem> items = plainItems(30);
    TreeSpec spec = buildFatZap(items, {});
    poke64(spec, 0, 2 * 8, 1);
    poke64(spec, 0, 3 * 8, std::uint64_t{1} << 40U);
    poke64(spec, 0, 4 * 8, 47);
    const auto zap = opened(spec);
    QVERIFY(!zap->verify()->empty());
    QVERIFY(!zap->list(Zap::kBegin, 10));
    poke64(spec, 0, 3 * 8, 0);
    QVERIFY(!opened(spec)->list(Zap::kBegin, 10));
}

void tst_Zap::survivesRandomDamage()
{
    SeededRandom random(testSeed());
    for (int round = 0; round < 100; ++round) {
        std::vector<ZapItem> items = plainItems(120);
        ZapShape shape{.blockBytes = 2048, .minTableShift = round % 2 == 0 ? 0U : 9U};
        TreeSpec spec = buildFatZap(items, shape);
        for (int i = 0; i < 8; ++i) {
            auto block = spec.blocks.begin();
            std::advance(block, static_cast<std::ptrdiff_t>(random.next() % spec.blocks.size()));
            // Mostly in the structures, not in names.
            const std::size_t at = random.next() % (random.next() % 4 == 0 ? 2048 : 400);
            block->second[at] = std::byte(random.next());
        }
        const auto zap = Zap::open(*m_objset, dnodeOf(spec));
        if (!zap) {
            continue;
        }
        (void)zap->verify();
        for (const ZapItem& item : items) {
            (void)zap->lookup(item.name);
        }
        std::uint64_t cursor = Zap::kBegin;
        int steps = 0;
        while (cursor != Zap::kEnd) {
            const auto entries = zap->list(cursor, 5);
            if (!entries) {
                break;
            }
            QVERIFY(entries->next > cursor);
            cursor = entries->next;
            QVERIFY(++steps < 2000);
        }
    }
}

QTEST_GUILESS_MAIN(tst_Zap)
#include "tst_zap.moc"
