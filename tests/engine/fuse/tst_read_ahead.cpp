// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: a file read from front to back is asked for ahead, each byte once, within a bounded
// window, also when reads overtake each other; random reads ask for nothing. Method: sequences of
// reads, and what they ask for added up.
#include "fuse/read_ahead.h"

#include <QTest>

#include <vector>

using namespace millpond;
using fuse::ReadAhead;

namespace {
struct Asked
{
    std::uint64_t until = 0;
    std::uint64_t bytes = 0;
    bool overlaps = false;

    void add(const std::optional<ReadAhead::Range>& range)
    {
        if (range) {
            overlaps = overlaps || range->offset.value() < until;
            until = range->offset.value() + range->size.value();
            bytes += range->size.value();
        }
    }
};
} // namespace

class TestReadAhead : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void sequentialReadsGrowTheWindow()
    {
        ReadAhead ahead;
        Asked asked;
        for (std::uint64_t at = 0; at < 256 * MiB; at += MiB) {
            asked.add(ahead.onRead(ByteOffset(at), ByteCount(MiB)));
            QVERIFY(asked.until <= at + MiB + ReadAhead::kMaxWindow.value());
            if (at > 64 * MiB) {
                QVERIFY(asked.until >= at + MiB + ReadAhead::kMaxWindow.value() / 2);
            }
        }
        QVERIFY(!asked.overlaps);
        QVERIFY(asked.bytes <= 256 * MiB + ReadAhead::kMaxWindow.value());
        QCOMPARE(ahead.promised().value(), asked.until);
    }

    void readsMayOvertakeEachOther()
    {
        ReadAhead ahead;
        Asked asked;
        asked.add(ahead.onRead(ByteOffset(0), ByteCount(MiB)));
        asked.add(ahead.onRead(ByteOffset(MiB), ByteCount(MiB)));
        for (std::uint64_t at = 2 * MiB; at < 64 * MiB; at += 2 * MiB) {
            asked.add(ahead.onRead(ByteOffset(at + MiB), ByteCount(MiB)));
            asked.add(ahead.onRead(ByteOffset(at), ByteCount(MiB)));
        }
        QVERIFY(!asked.overlaps);
        QVERIFY(asked.until >= 64 * MiB + ReadAhead::kMaxWindow.value() / 2);
    }

    void smallReadsAskInPortions()
    {
        ReadAhead ahead;
        int times = 0;
        for (std::uint64_t at = 0; at < 64 * MiB; at += 4 * KiB) {
            times += ahead.onRead(ByteOffset(at), ByteCount(4 * KiB)) ? 1 : 0;
        }
        QVERIFY(times > 4);
        QVERIFY(times < 64);
    }

    void randomReadsAskForNothing()
    {
        ReadAhead ahead;
        (void)ahead.onRead(ByteOffset(500 * MiB), ByteCount(4 * KiB));
        for (const std::uint64_t at : {90U, 700U, 3U, 300U, 299U, 800U}) {
            QVERIFY(!ahead.onRead(ByteOffset(at * MiB), ByteCount(4 * KiB)));
        }
        // Until two follow on each other.
        QVERIFY(ahead.onRead(ByteOffset(800 * MiB + 4 * KiB), ByteCount(4 * KiB)));
    }

    void absurdOffsetsAreHarmless()
    {
        ReadAhead ahead;
        QVERIFY(!ahead.onRead(ByteOffset(~std::uint64_t{0}), ByteCount(4 * KiB)));
    }
};

QTEST_GUILESS_MAIN(TestReadAhead)
#include "tst_read_ahead.moc"
