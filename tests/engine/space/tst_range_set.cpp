// SPDX-License-Identifier: GPL-3.0-or-later
// Property: a RangeSet answers like a plain array of booleans whatever is added and removed, and
// keeps its ranges disjoint, ordered and apart. Method: random operations beside the array.
#include "base/clock.h"
#include "space/range_set.h"

#include <QTest>

#include <numeric>
#include <vector>

using namespace millpond;
using millpond::space::Range;
using millpond::space::RangeSet;

class TestRangeSet : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void likeAnArray();
    void manyRangesInAnyOrder();
    void withinGivesTheParts();

private:
    static void compare(const RangeSet& set, const std::vector<bool>& model);
};

void TestRangeSet::compare(const RangeSet& set, const std::vector<bool>& model)
{
    std::vector<bool> seen(model.size(), false);
    std::uint64_t lastEnd = 0;
    bool first = true;
    set.forEach([&](Range range) {
        QVERIFY(range.start < range.end);
        QVERIFY(first || range.start > lastEnd);
        first = false;
        lastEnd = range.end;
        for (std::uint64_t i = range.start; i < range.end; ++i) {
            seen[i] = true;
        }
    });
    QVERIFY(seen == model);
    QCOMPARE(set.total(), static_cast<std::uint64_t>(std::count(model.begin(), model.end(), true)));
}

void TestRangeSet::likeAnArray()
{
    constexpr std::uint64_t kSize = 4000;
    SeededRandom random(7);
    RangeSet set;
    std::vector<bool> model(kSize, false);
    for (int step = 0; step < 20000; ++step) {
        const std::uint64_t start = random.next() % kSize;
        const std::uint64_t end = std::min(kSize, start + 1 + random.next() % 6);
        const bool add = random.next() % 2 == 0;
        std::uint64_t there = 0;
        for (std::uint64_t i = start; i < end; ++i) {
            there += model[i] ? 1 : 0;
            model[i] = add;
        }
        const std::uint64_t size = end - start;
        QCOMPARE(set.contains({start, end}), there == size);
        QCOMPARE(set.overlaps({start, end}), there != 0);
        QCOMPARE(add ? set.add({start, end}) : set.remove({start, end}),
                 add ? there : size - there);
        if (step % 500 == 0) {
            compare(set, model);
        }
    }
    compare(set, model);
}

void TestRangeSet::manyRangesInAnyOrder()
{
    // 100,000 single-member ranges in shuffled order, then the gaps filled: one range remains.
    constexpr std::uint64_t kRanges = 100'000;
    SeededRandom random(11);
    std::vector<std::uint64_t> order(kRanges);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    for (std::size_t i = order.size() - 1; i > 0; --i) {
        std::swap(order[i], order[random.next() % (i + 1)]);
    }
    RangeSet set;
    for (const std::uint64_t i : order) {
        QCOMPARE(set.add({2 * i, 2 * i + 1}), std::uint64_t{0});
    }
    QCOMPARE(set.rangeCount(), std::size_t{kRanges});
    for (const std::uint64_t i : order) {
        QCOMPARE(set.add({2 * i + 1, 2 * i + 2}), std::uint64_t{0});
    }
    QCOMPARE(set.rangeCount(), std::size_t{1});
    QCOMPARE(set.total(), 2 * kRanges);
    QCOMPARE(set.highest().value(), 2 * kRanges - 1);
    QCOMPARE(set.remove({0, 2 * kRanges + 5}), std::uint64_t{5});
    QVERIFY(set.empty());
    QVERIFY(!set.lowest().has_value());
}

void TestRangeSet::withinGivesTheParts()
{
    RangeSet set;
    set.add({10, 20});
    set.add({30, 40});
    std::vector<Range> parts;
    set.forEachWithin({15, 35}, [&](Range range) { parts.push_back(range); });
    QCOMPARE(parts.size(), std::size_t{2});
    QVERIFY((parts[0] == Range{15, 20}));
    QVERIFY((parts[1] == Range{30, 35}));
}

QTEST_GUILESS_MAIN(TestRangeSet)
#include "tst_range_set.moc"
