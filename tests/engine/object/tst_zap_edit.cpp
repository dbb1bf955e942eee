// SPDX-License-Identifier: GPL-3.0-or-later
// ZAPs are changed at random next to a std::map and after every round read back through
// object::Zap and verified whole, as they grow from micro to large tables; damaged ZAPs must be
// refused without a crash. Costs of single changes are counted.
#include "engine/object/memory_zap_blocks.h"
#include "object/detail/micro_zap_edit.h"
#include "object/detail/name_folding.h"
#include "object/detail/zap_edit.h"
#include "object/zap.h"
#include "support/seed.h"

#include "base/clock.h"

#include <QtTest>

#include <chrono>
#include <unordered_map>

using namespace millpond;
using namespace millpond::test;
using object::Zap;
using object::ZapEntry;
using object::ZapValue;
using object::detail::PutMode;
using object::detail::ZapEdit;
using object::detail::ZapKey;

namespace {

constexpr std::uint64_t kSalt = 0x123456789abcdef1U;

struct Value
{
    std::uint8_t integerBytes = 8;
    std::vector<std::uint64_t> integers;
    bool operator==(const Value&) const = default;
};

using Model = std::map<std::string, Value>; ///< words of keys are joined by '/'

std::string keyText(const ZapEntry& entry)
{
    std::string text = entry.name;
    for (const std::uint64_t word : entry.key) {
        text += "/" + std::to_string(word);
    }
    return text;
}

/// Empty when the ZAP holds just the model and is sound.
QString difference(const MemoryZapBlocks& blocks, const Model& model, const OrderChoice& order)
{
    MemoryBlocks memory;
    const auto objset = blocks.objectSet(memory, order);
    const Zap zap = Zap::open(*objset, ObjectId(MemoryZapBlocks::kObject)).value();
    const auto problems = zap.verify().value();
    if (!problems.empty()) {
        return QString::fromStdString(problems.front());
    }
    Model found;
    QString twice;
    const Status walked = zap.forEach([&](const ZapEntry& entry) -> Result<bool> {
        const bool fresh =
            found.emplace(keyText(entry), Value{entry.integerBytes, entry.values}).second;
        if (!fresh) {
            twice = "twice: " + QString::fromStdString(keyText(entry));
        }
        return true;
    });
    if (!walked || !twice.isEmpty()) {
        return walked ? twice : QString::fromStdString(walked.error().toText());
    }
    if (zap.count().value() != model.size()) {
        return "the count is wrong";
    }
    return found == model ? QString() : QStringLiteral("the entries are others");
}

ZapValue valueOf(const Value& value)
{
    return ZapValue::integers(value.integers, value.integerBytes);
}

std::uint64_t maskOf(std::uint8_t bytes)
{
    return bytes == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * bytes)) - 1;
}

Value randomValue(SeededRandom& random, bool simple)
{
    if (simple) {
        return {8, {random.next()}};
    }
    Value value;
    value.integerBytes = static_cast<std::uint8_t>(1U << random.next() % 4);
    const std::size_t count = random.next() % 8 == 0 ? random.next() % 1000 : random.next() % 12;
    for (std::size_t i = 0; i < count; ++i) {
        value.integers.push_back(random.next() & maskOf(value.integerBytes));
    }
    return value;
}

std::string randomName(SeededRandom& random, std::size_t names, std::size_t longest)
{
    std::string name = "n" + std::to_string(random.next() % names);
    // The same number always gives the same length.
    const std::size_t length = std::hash<std::string>()(name) % longest;
    while (name.size() < length) {
        name += static_cast<char>('a' + name.size() % 26);
    }
    return name;
}

} // namespace

class tst_ZapEdit : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void random_data();
    void random();
    void words_data();
    void words();
    void collisions();
    void upgrades_data();
    void upgrades();
    void cursorsStay();
    void foldedNames();
    void refusals();
    void growth();
    void byteOrder();
    void damage();
    void failingReads();
};

void tst_ZapEdit::random_data()
{
    QTest::addColumn<int>("names");
    QTest::addColumn<int>("longest");
    QTest::addColumn<bool>("simple");
    QTest::newRow("micro") << 300 << 20 << true;
    QTest::newRow("micro that grows") << 3000 << 40 << true;
    QTest::newRow("values of all kinds") << 300 << 20 << false;
    QTest::newRow("long names") << 2000 << 250 << true;
    QTest::newRow("large") << 5000 << 60 << false;
}

void tst_ZapEdit::random()
{
    QFETCH(const int, names);
    QFETCH(const int, longest);
    QFETCH(const bool, simple);
    SeededRandom random(testSeed());
    MemoryZapBlocks blocks;
    ZapEdit edit(blocks);
    QVERIFY(edit.initialize({.salt = kSalt}).has_value());
    Model model;
    for (int round = 0; round < 4; ++round) {
        for (int i = 0; i < names; ++i) {
            const std::string name = randomName(
                random, static_cast<std::size_t>(names), static_cast<std::size_t>(longest));
            const Value value = randomValue(random, simple);
            // Rounds grow and shrink by turns.
            const auto kind = random.next() % 8;
            if (kind < (round % 2 == 0 ? 3U : 1U)) {
                const Status added = edit.put(ZapKey(name), valueOf(value), PutMode::Add);
                const bool fresh = model.emplace(name, value).second;
                QCOMPARE(added.has_value(), fresh);
                QVERIFY(fresh || added.error().is(ErrorCode::AlreadyExists));
            } else if (kind < 4) {
                QVERIFY(edit.put(ZapKey(name), valueOf(value), PutMode::Update).has_value());
                model.insert_or_assign(name, value);
            } else {
                const Status removed = edit.remove(ZapKey(name));
                QCOMPARE(removed.has_value(), model.erase(name) == 1);
                QVERIFY(removed || removed.error().is(ErrorCode::NoSuchEntry));
            }
        }
        const OrderChoice order = round % 2 == 0 ? always(ByteOrder::Little) : alternating();
        QCOMPARE(difference(blocks, model, order), QString());
    }
}

void tst_ZapEdit::words_data()
{
    QTest::addColumn<quint64>("flags");
    QTest::newRow("hashed") << quint64{format::ZapFlag::kUint64Key | format::ZapFlag::kHash64};
    QTest::newRow("hashed before") << quint64{
        format::ZapFlag::kUint64Key | format::ZapFlag::kHash64 | format::ZapFlag::kPreHashed};
}

void tst_ZapEdit::words()
{
    QFETCH(const quint64, flags);
    SeededRandom random(testSeed());
    MemoryZapBlocks blocks(16384);
    ZapEdit edit(blocks);
    QVERIFY(edit.initialize({.salt = kSalt, .flags = flags}).has_value());
    Model model;
    std::vector<std::vector<std::uint64_t>> keys;
    for (int i = 0; i < 3000; ++i) {
        keys.push_back({random.next(), random.next() % 5, random.next()});
        const Value value = randomValue(random, i % 3 != 0);
        QVERIFY(edit.put(ZapKey(keys.back()), valueOf(value), PutMode::Add).has_value());
        std::string text;
        for (const std::uint64_t word : keys.back()) {
            text += "/" + std::to_string(word);
        }
        model.emplace(text, value);
        if (i % 4 == 3) {
            const std::vector<std::uint64_t> key = keys[random.next() % keys.size()];
            std::string gone;
            for (const std::uint64_t word : key) {
                gone += "/" + std::to_string(word);
            }
            QCOMPARE(edit.remove(ZapKey(key)).has_value(), model.erase(gone) == 1);
        }
    }
    QCOMPARE(difference(blocks, model, alternating()), QString());
    QVERIFY(edit.put(ZapKey("text"), 1, PutMode::Add).error().is(ErrorCode::InvalidArgument));
}

void tst_ZapEdit::collisions()
{
    // Words that are their own hash: as many of one hash as one likes.
    const std::uint64_t flags =
        format::ZapFlag::kUint64Key | format::ZapFlag::kPreHashed | format::ZapFlag::kHash64;
    MemoryZapBlocks blocks(16384);
    ZapEdit edit(blocks);
    QVERIFY(edit.initialize({.salt = kSalt, .flags = flags}).has_value());
    Model model;
    const std::uint64_t hash = 0xabcdef0123450000U;
    const auto add = [&](std::uint64_t second) {
        const std::vector<std::uint64_t> key{hash, second};
        const Status status = edit.put(ZapKey(key), second, PutMode::Add);
        if (status) {
            model.emplace("/" + std::to_string(hash) + "/" + std::to_string(second),
                          Value{8, {second}});
        }
        return status;
    };
    for (std::uint64_t i = 0; i < 100; ++i) {
        QVERIFY(add(i).has_value());
    }
    for (std::uint64_t i = 10; i < 100; i += 7) { // numbers that are free again are taken again
        const std::vector<std::uint64_t> key{hash, i};
        QVERIFY(edit.remove(ZapKey(key)).has_value());
        model.erase("/" + std::to_string(hash) + "/" + std::to_string(i));
    }
    for (std::uint64_t i = 1000; i < 1020; ++i) {
        QVERIFY(add(i).has_value());
    }
    QCOMPARE(difference(blocks, model, always(ByteOrder::Little)), QString());
    // A leaf's worth and no more: refused, and the ZAP stays sound.
    std::uint64_t i = 5000;
    Status status;
    while ((status = add(i)).has_value() && i < 6000) {
        ++i;
    }
    QVERIFY(!status);
    QCOMPARE(status.error().code(), ErrorCode::TooMany);
    QCOMPARE(difference(blocks, model, always(ByteOrder::Little)), QString());
}

void tst_ZapEdit::upgrades_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("integerBytes");
    QTest::addColumn<int>("count");
    QTest::addColumn<bool>("fat");
    QTest::newRow("49 bytes of name") << QString(49, 'x') << 8 << 1 << false;
    QTest::newRow("50 bytes of name") << QString(50, 'x') << 8 << 1 << true;
    QTest::newRow("two words") << QStringLiteral("x") << 8 << 2 << true;
    QTest::newRow("no words") << QStringLiteral("x") << 8 << 0 << true;
    QTest::newRow("bytes") << QStringLiteral("x") << 1 << 8 << true;
}

void tst_ZapEdit::upgrades()
{
    QFETCH(const QString, name);
    QFETCH(const int, integerBytes);
    QFETCH(const int, count);
    QFETCH(const bool, fat);
    MemoryZapBlocks blocks;
    ZapEdit edit(blocks);
    QVERIFY(edit.initialize({.salt = kSalt}).has_value());
    Model model;
    for (std::uint64_t i = 0; i < 100; ++i) {
        const std::string other = "other" + std::to_string(i);
        QVERIFY(edit.put(ZapKey(other), i, PutMode::Update).has_value());
        model.emplace(other, Value{8, {i}});
    }
    QCOMPARE(blocks.blocks.size(), std::size_t{1});
    const Value value{static_cast<std::uint8_t>(integerBytes),
                      std::vector<std::uint64_t>(static_cast<std::size_t>(count), 7)};
    const std::string text = name.toStdString();
    QVERIFY(edit.put(ZapKey(text), valueOf(value), PutMode::Add).has_value());
    model.emplace(text, value);
    QCOMPARE(blocks.blocks.size() > 1, fat);
    QVERIFY(!fat || blocks.blockBytes() == 16384);
    QCOMPARE(difference(blocks, model, always(ByteOrder::Little)), QString());
}

void tst_ZapEdit::cursorsStay()
{
    MemoryZapBlocks blocks;
    ZapEdit edit(blocks);
    QVERIFY(edit.initialize({.salt = kSalt}).has_value());
    const auto cursors = [&] {
        MemoryBlocks memory;
        const auto objset = blocks.objectSet(memory, always(ByteOrder::Little));
        const Zap zap = Zap::open(*objset, ObjectId(MemoryZapBlocks::kObject)).value();
        std::map<std::string, std::uint64_t> all;
        std::uint64_t at = Zap::kBegin;
        while (at != Zap::kEnd) {
            const Zap::Entries entries = zap.list(at, 100).value();
            for (const auto& [cursor, entry] : entries.entries) {
                all.emplace(entry.name, cursor);
            }
            at = entries.next;
        }
        return all;
    };
    std::map<std::string, std::uint64_t> first;
    for (int i = 0; i < 5000; ++i) {
        QVERIFY(edit.put(ZapKey("file" + std::to_string(i)), 1, PutMode::Add).has_value());
        if (i == 500) {
            first = cursors();
        }
    }
    QVERIFY(blocks.blocks.size() > 10);
    const auto later = cursors();
    QCOMPARE(later.size(), std::size_t{5000});
    for (const auto& [name, cursor] : first) {
        QCOMPARE(later.at(name), cursor);
    }
}

void tst_ZapEdit::foldedNames()
{
    const std::uint64_t folding =
        format::NormalizationFlag::kFormD | format::NormalizationFlag::kToUpper;
    MemoryZapBlocks blocks;
    ZapEdit edit(blocks);
    QVERIFY(edit.initialize({.salt = kSalt, .normalization = folding}).has_value());
    Model model;
    for (const std::string name :
         {"Readme", "README", "readme", "\xc3\xa9t\xc3\xa9", "e\xcc\x81t\xc3\xa9"}) {
        QVERIFY(edit.put(ZapKey(name), 1, PutMode::Add).has_value());
        QVERIFY(edit.put(ZapKey(name), 1, PutMode::Add).error().is(ErrorCode::AlreadyExists));
        model.emplace(name, Value{8, {1}});
    }
    QCOMPARE(difference(blocks, model, always(ByteOrder::Little)), QString());
    const std::string longName(80, 'z');
    QVERIFY(edit.put(ZapKey(longName), 2, PutMode::Add).has_value());
    model.emplace(longName, Value{8, {2}});
    QCOMPARE(difference(blocks, model, always(ByteOrder::Little)), QString());
    {
        MemoryBlocks memory;
        const auto objset = blocks.objectSet(memory, always(ByteOrder::Little));
        const Zap zap = Zap::open(*objset, ObjectId(MemoryZapBlocks::kObject)).value();
        QVERIFY(zap.lookup("rEADME", {.ignoreCase = true, .normalization = 0x10}).has_value());
        QVERIFY(!zap.lookup("rEADME").has_value());
    }
    QVERIFY(edit.remove(ZapKey("README")).has_value());
    model.erase("README");
    QCOMPARE(difference(blocks, model, always(ByteOrder::Little)), QString());

    // A name that another writer hashed by tables of its own is found all the same.
    object::detail::FatZapEdit fat(blocks);
    const std::string foreign = "\xc3\xbc"
                                "ber";
    QVERIFY(fat.put(ZapKey(foreign), {ZapValue(3).stored(), 8}, PutMode::Add).has_value());
    auto& leaf = blocks.blocks.at(1);
    const std::uint64_t hash =
        format::zapHash(kSalt, object::detail::foldName(foreign, folding), 0);
    for (std::size_t at = 0; at + 8 <= leaf.size(); at += 8) {
        if (load<std::uint64_t>(leaf, at, ByteOrder::Little) == hash) {
            store(leaf, at, hash ^ (std::uint64_t{1} << 40)); // the same chain, another hash
        }
    }
    QVERIFY(edit.put(ZapKey(foreign), 4, PutMode::Update).has_value());
    QVERIFY(edit.remove(ZapKey(foreign)).has_value());
    QVERIFY(edit.remove(ZapKey(foreign)).error().is(ErrorCode::NoSuchEntry));
    QCOMPARE(difference(blocks, model, always(ByteOrder::Little)), QString());
}

void tst_ZapEdit::refusals()
{
    MemoryZapBlocks blocks;
    ZapEdit edit(blocks);
    QVERIFY(edit.initialize({.salt = kSalt}).has_value());
    QVERIFY(edit.put(ZapKey(""), 1, PutMode::Add).error().is(ErrorCode::InvalidName));
    const std::string longest(255, 'x');
    QVERIFY(edit.put(ZapKey(longest), 1, PutMode::Add).has_value());
    QVERIFY(edit.put(ZapKey(longest + "x"), 1, PutMode::Add).error().is(ErrorCode::NameTooLong));
    const std::vector<std::byte> large(8192);
    QVERIFY(edit.put(ZapKey("large"), ZapValue::bytes(large), PutMode::Add).has_value());
    const std::vector<std::byte> larger(8193);
    QVERIFY(edit.put(ZapKey("larger"), ZapValue::bytes(larger), PutMode::Add)
                .error()
                .is(ErrorCode::TooLarge));
    Model model{{longest, {8, {1}}}, {"large", {1, std::vector<std::uint64_t>(8192)}}};
    QCOMPARE(difference(blocks, model, always(ByteOrder::Little)), QString());

    MemoryZapBlocks directory(512, true);
    ZapEdit inDirectory(directory);
    QVERIFY(inDirectory.initialize({.salt = kSalt}).has_value());
    const std::string veryLong(1023, 'x');
    QVERIFY(inDirectory.put(ZapKey(veryLong), 1, PutMode::Add).has_value());
    QVERIFY(inDirectory.put(ZapKey(veryLong + "x"), 1, PutMode::Add)
                .error()
                .is(ErrorCode::NameTooLong));
    model = {{veryLong, {8, {1}}}};
    QCOMPARE(difference(directory, model, always(ByteOrder::Little)), QString());
}

void tst_ZapEdit::growth()
{
    // Small blocks make large tables: 16 pointers to a header of 512 bytes.
    MemoryZapBlocks blocks(512);
    object::detail::FatZapEdit fat(blocks);
    QVERIFY(fat.initialize({.salt = kSalt}).has_value());
    Model model;
    std::size_t most = 0;
    bool growing = false;
    for (std::uint64_t i = 0; i < 8000; ++i) {
        const std::string name = "file" + std::to_string(i);
        const std::size_t before = blocks.changes;
        QVERIFY(fat.put(ZapKey(name), {ZapValue(i).stored(), 8}, PutMode::Add).has_value());
        most = std::max(most, blocks.changes - before);
        model.emplace(name, Value{8, {i}});
        const auto next = load<std::uint64_t>(blocks.blocks.at(0), 5 * 8, ByteOrder::Little);
        growing = growing || next != 0;
        if (next != 0 && i % 1024 == 0) {
            QCOMPARE(difference(blocks, model, alternating()), QString());
        }
    }
    QVERIFY(growing);
    QCOMPARE(difference(blocks, model, alternating()), QString());
    qInfo("at most %zu blocks changed by one call", most);
    for (std::uint64_t i = 0; i < 8000; i += 2) {
        QVERIFY(fat.remove(ZapKey("file" + std::to_string(i))).has_value());
        model.erase("file" + std::to_string(i));
    }
    QCOMPARE(difference(blocks, model, alternating()), QString());
}

void tst_ZapEdit::byteOrder()
{
    // There and back gives the same bytes for every kind of block.
    MemoryZapBlocks blocks;
    ZapEdit edit(blocks);
    QVERIFY(edit.initialize({.salt = kSalt}).has_value());
    for (int i = 0; i < 3000; ++i) {
        QVERIFY(edit.put(ZapKey("name" + std::to_string(i)), 1, PutMode::Add).has_value());
        if (i % 500 == 0) {
            for (const auto& [index, content] : blocks.blocks) {
                ByteVector copy = content;
                object::detail::swapZapBlock(copy, ByteOrder::Little);
                QVERIFY(copy != content);
                object::detail::swapZapBlock(copy, ByteOrder::Big);
                QVERIFY(copy == content);
            }
        }
    }
}

void tst_ZapEdit::damage()
{
    SeededRandom random(testSeed());
    for (const int entries : {20, 3000}) {
        MemoryZapBlocks sound;
        ZapEdit edit(sound);
        QVERIFY(edit.initialize({.salt = kSalt}).has_value());
        for (int i = 0; i < entries; ++i) {
            QVERIFY(edit.put(ZapKey("name" + std::to_string(i)), 1, PutMode::Add).has_value());
        }
        for (int round = 0; round < 60; ++round) {
            MemoryZapBlocks damaged = sound;
            for (auto& [index, content] : damaged.blocks) {
                for (int n = 0; n < 4; ++n) {
                    // Mostly in headers and tables, where it hurts.
                    const std::size_t range = n < 2 ? 128 : content.size();
                    content[random.next() % range] = static_cast<std::byte>(random.next());
                }
            }
            ZapEdit hostile(damaged);
            for (int n = 0; n < 60; ++n) {
                const std::string name = "name" + std::to_string(random.next() % 4000);
                switch (random.next() % 3) {
                case 0:
                    (void)hostile.put(ZapKey(name), 1, PutMode::Add);
                    break;
                case 1:
                    (void)hostile.put(ZapKey(name), ZapValue::text(name), PutMode::Update);
                    break;
                default:
                    (void)hostile.remove(ZapKey(name));
                }
            }
        }
    }
}

void tst_ZapEdit::failingReads()
{
    // Whichever read fails, the ZAP is sound afterwards and goes on working.
    for (std::size_t n = 0; n < 96; ++n) {
        MemoryZapBlocks blocks(512);
        object::detail::FatZapEdit fat(blocks);
        QVERIFY(fat.initialize({.salt = kSalt}).has_value());
        Model model;
        for (std::uint64_t i = 0; i < 300; ++i) {
            const std::string name = "file" + std::to_string(i);
            blocks.failAfter =
                i == 200 + n / 4 ? std::optional(blocks.reads + n % 16) : std::nullopt;
            Status added = fat.put(ZapKey(name), {ZapValue(i).stored(), 8}, PutMode::Add);
            if (blocks.failAfter && !added) {
                QVERIFY(added.error().is(ErrorCode::DeviceIo));
                blocks.failAfter.reset();
                QCOMPARE(difference(blocks, model, always(ByteOrder::Little)), QString());
                added = fat.put(ZapKey(name), {ZapValue(i).stored(), 8}, PutMode::Add);
            }
            QVERIFY(added.has_value());
            model.emplace(name, Value{8, {i}});
        }
        blocks.failAfter.reset();
        QCOMPARE(difference(blocks, model, always(ByteOrder::Little)), QString());
    }
}

QTEST_GUILESS_MAIN(tst_ZapEdit)
#include "tst_zap_edit.moc"
