// SPDX-License-Identifier: GPL-3.0-or-later
// Property: labels and ring slots are where the format says for any device size and ashift;
// uberblocks read in both orders, and the newest is chosen by txg, time and MMP sequence.
#include "engine/format/bytes_by_hand.h"
#include "format/label.h"
#include "format/uberblock.h"

#include <QTest>

#include <algorithm>

using namespace millpond;
using namespace millpond::format;
using namespace millpond::test;

class TestLabel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void offsets();
    void ring();
    void embeddedChecksum();
    void labelNvlist();
    void bootEnvironment();
    void uberblock();
    void uberblockChoice();
    void uberblockRefused();
};

namespace {

Hand uberblockExample(ByteOrder order)
{
    Hand hand(order);
    hand.words({0x00bab10c, 5000, 1234, 0xfedcba9876543210, 1700000000});
    hand << plainPointerWords(0x4000, 11);
    hand.words({5000,
                0xa11cea11,
                1000000,
                std::uint64_t{10} << 48 | std::uint64_t{77} << 32 | 1000 << 8 | 7});
    hand.words({0, std::uint64_t{2} << 55 | 64});
    return hand;
}

} // namespace

void TestLabel::offsets()
{
    const ByteCount size(100 * MiB + 12345);
    QCOMPARE(labelOffset(size, 0)->value(), 0U);
    QCOMPARE(labelOffset(size, 1)->value(), 256 * KiB);
    QCOMPARE(labelOffset(size, 2)->value(), 100 * MiB - 512 * KiB);
    QCOMPARE(labelOffset(size, 3)->value(), 100 * MiB - 256 * KiB);
    QCOMPARE(allocatableSize(size)->value(), 100 * MiB - 4 * MiB - 512 * KiB);
    QVERIFY(!labelOffset(ByteCount(1 * MiB - 1), 0));
    QCOMPARE(labelOffset(ByteCount(1 * MiB), 2)->value(), 512 * KiB);
    QVERIFY(!allocatableSize(ByteCount(4 * MiB + 512 * KiB)));
    QVERIFY(allocatableSize(ByteCount(4 * MiB + 768 * KiB)));
}

void TestLabel::ring()
{
    const std::array<std::array<std::size_t, 3>, 5> expected = {
        {{0, 1024, 128}, {9, 1024, 128}, {12, 4096, 32}, {13, 8192, 16}, {16, 8192, 16}}};
    for (const auto& [ashift, bytes, count] : expected) {
        const UberblockRing ring{Ashift(static_cast<std::uint8_t>(ashift))};
        QCOMPARE(ring.slotBytes, bytes);
        QCOMPARE(ring.slots, count);
        QCOMPARE(ring.offset(1).value(), 128 * KiB + bytes);
    }
}

void TestLabel::embeddedChecksum()
{
    for (const ByteOrder order : kBothOrders) {
        Hand hand(order);
        hand.zeroes(60).words({0x0210da7ab10c7a11, 1, 2, 3, 4});
        const auto checksum = EmbeddedChecksum::decode(hand.bytes());
        QVERIFY(checksum && checksum->order == order && checksum->words[3] == 4);
        std::vector<std::byte> out(100);
        checksum->encode(out);
        QVERIFY(out == hand.bytes());
    }
    const std::vector<std::byte> blank(512);
    QVERIFY(!EmbeddedChecksum::decode(blank));
    QVERIFY(!EmbeddedChecksum::decode(Bytes(blank).first(39)));
}

void TestLabel::labelNvlist()
{
    NvList list;
    list.setText("name", "tank");
    std::vector<std::byte> region = list.encode();
    region.resize(kLabelNvlistBytes);
    const auto decoded = decodeLabelNvlist(region);
    QVERIFY(decoded && *decoded == list);
    region.pop_back();
    QVERIFY(!decodeLabelNvlist(region));
}

void TestLabel::bootEnvironment()
{
    for (const ByteOrder order : kBothOrders) {
        Hand raw(order);
        raw.u64(0).text("saved_entry=1\n").upTo(kBootEnvBytes);
        const auto text = BootEnvironment::decode(raw.bytes());
        QVERIFY(text && text->text == "saved_entry=1\n");
        NvList list;
        list.setText("bootonce", "zfs:tank/be:");
        Hand packed(order);
        packed.u64(1).raw(list.encode()).upTo(kBootEnvBytes);
        const auto environment = BootEnvironment::decode(packed.bytes());
        QVERIFY(environment && environment->list == list);
        Hand other(order);
        other.u64(2).upTo(kBootEnvBytes);
        QVERIFY(!BootEnvironment::decode(other.bytes()));
    }
}

void TestLabel::uberblock()
{
    for (const ByteOrder order : kBothOrders) {
        const Hand hand = uberblockExample(order);
        QCOMPARE(hand.size(), Uberblock::kBytes);
        const auto uberblock = Uberblock::decode(hand.bytes());
        QVERIFY2(uberblock.has_value(), uberblock ? "" : uberblock.error().what().c_str());
        QVERIFY(uberblock->order == order);
        QCOMPARE(uberblock->version, 5000U);
        QCOMPARE(uberblock->txg, Txg(1234));
        QCOMPARE(uberblock->timestamp, 1700000000U);
        QCOMPARE(uberblock->root.dva(0).offset.value(), 0x4000U);
        QVERIFY(uberblock->hasMmp() && uberblock->mmpActive());
        QCOMPARE(uberblock->mmpIntervalMs().value_or(0), 1000U);
        QCOMPARE(uberblock->mmpSequence().value_or(0), 77U);
        QCOMPARE(uberblock->mmpFailIntervals().value_or(0), 10U);
        QCOMPARE(uberblock->reflowOffset().value(), 64U * 512);
        QCOMPARE(uberblock->reflowScratchState(), 2U);
        std::vector<std::byte> out(Uberblock::kBytes);
        uberblock->encode(out);
        QVERIFY(out == hand.bytes());
        QVERIFY(refusesPrefixes(hand.bytes(), [](Bytes b) { return Uberblock::decode(b); }));
    }
}

void TestLabel::uberblockChoice()
{
    const Uberblock base = *Uberblock::decode(uberblockExample(ByteOrder::Little).bytes());
    Uberblock other = base;
    QVERIFY(base.compareAge(other) == 0);
    other.mmpConfig += std::uint64_t{1} << 32;
    QVERIFY(other.compareAge(base) > 0);
    other.mmpMagic = 0; // without MMP the sequence counts as zero
    QVERIFY(other.compareAge(base) < 0);
    other.timestamp += 1;
    QVERIFY(other.compareAge(base) > 0);
    other.txg = Txg(1233);
    QVERIFY(other.compareAge(base) < 0);
}

void TestLabel::uberblockRefused()
{
    for (const ByteOrder order : kBothOrders) {
        const auto refused = [order](std::size_t at, std::uint64_t value) {
            Hand hand = uberblockExample(order);
            hand.put(at, value);
            const auto uberblock = Uberblock::decode(hand.bytes());
            return !uberblock && uberblock.error().is(ErrorCode::BadUberblock);
        };
        QVERIFY(refused(0, 0x00bab10d));
        QVERIFY(refused(8, 0));
        QVERIFY(!refused(8, 5001));              // from the future: the importer says so
        QVERIFY(refused(88, ~std::uint64_t{0})); // the pointer's properties
        QVERIFY(refused(40, 0));                 // no copy
    }
}

QTEST_GUILESS_MAIN(TestLabel)
#include "tst_format_label.moc"
