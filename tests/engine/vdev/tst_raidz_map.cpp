// SPDX-License-Identifier: GPL-3.0-or-later
// Property: columns lie where OpenZFS puts them, and sizes come out as DVAs record them. Method:
// tables worked out by hand, and a slow model that places sector after sector.
#include "pool_of_memory.h"
#include "vdev/detail/raidz_map.h"

using namespace millpond;
using namespace millpond::vdev::detail;

class TestRaidzMap : public QObject
{
    Q_OBJECT

private:
    struct Row
    {
        std::uint32_t child;
        std::uint64_t offset;
        std::size_t size;
    };

    static void compare(const RaidzMap& map, const std::vector<Row>& expected)
    {
        QCOMPARE(map.columns.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            QCOMPARE(map.columns[i].child, expected[i].child);
            QCOMPARE(map.columns[i].offset.value(), expected[i].offset);
            QCOMPARE(map.columns[i].size, expected[i].size);
        }
    }

private Q_SLOTS:

    void byHand()
    {
        // Three children, single parity, 512-byte sectors. DVA offset 0, five data sectors:
        //   child   0   1   2
        //   row 0   P   d0  d3
        //   row 1   P   d1  d4
        //   row 2   P   d2
        compare(raidzMap({3, 1, Ashift(9)}, ByteOffset(0), 5 * 512),
                {{0, 0, 1536}, {1, 0, 1536}, {2, 0, 1024}});
        // Beginning at sector 4 (child 1 of row 1), one data sector: parity on child 1, data on 2.
        compare(raidzMap({3, 1, Ashift(9)}, ByteOffset(4 * 512), 512),
                {{1, 512, 512}, {2, 512, 512}});
        // Beginning at sector 5: parity on child 2 of row 1, data wraps to child 0 of row 2.
        compare(raidzMap({3, 1, Ashift(9)}, ByteOffset(5 * 512), 512),
                {{2, 512, 512}, {0, 1024, 512}});
        // Five children, double parity, 4 KiB sectors, DVA offset 12 KiB: sector 3, two data
        // sectors: P on 3, Q on 4, d0 and d1 on 0 and 1 of the next row.
        compare(raidzMap({5, 2, Ashift(12)}, ByteOffset(3 * 4096), 2 * 4096),
                {{3, 0, 4096}, {4, 0, 4096}, {0, 4096, 4096}, {1, 4096, 4096}});
    }

    void singleParityChangesPlacesInOddMegabytes()
    {
        const ByteOffset odd(MiB + 512 * 4); // sector 2052 = 684 rows of 3
        compare(raidzMap({3, 1, Ashift(9)}, odd, 1024),
                {{1, 684 * 512, 512}, {0, 684 * 512, 512}, {2, 684 * 512, 512}});
        // Only for single parity.
        QCOMPARE(raidzMap({4, 2, Ashift(9)}, odd, 1024).columns[0].child, 0U);
    }

    void allocatedSizes()
    {
        // The well-known table for 4 KiB sectors: one data sector on raidz1 takes two, on raidz2
        // three, on raidz3 four.
        QCOMPARE(raidzAllocatedSize({5, 1, Ashift(12)}, ByteCount(4096)).value(), 2U * 4096);
        QCOMPARE(raidzAllocatedSize({5, 2, Ashift(12)}, ByteCount(1)).value(), 3U * 4096);
        QCOMPARE(raidzAllocatedSize({5, 3, Ashift(12)}, ByteCount(4096)).value(), 4U * 4096);
        // 128 KiB on raidz1 of 4: 32 data, 11 parity, padded from 43 to 44.
        QCOMPARE(raidzAllocatedSize({4, 1, Ashift(12)}, ByteCount(128 * KiB)).value(), 44U * 4096);
        // 128 KiB on raidz2 of 6: 32 data, 16 parity, 48 is a multiple of 3.
        QCOMPARE(raidzAllocatedSize({6, 2, Ashift(12)}, ByteCount(128 * KiB)).value(), 48U * 4096);
        // 8 KiB on raidz2 of 6: 2 data, 2 parity, padded from 4 to 6.
        QCOMPARE(raidzAllocatedSize({6, 2, Ashift(12)}, ByteCount(8 * KiB)).value(), 6U * 4096);
    }

    void likeTheSlowModel()
    {
        for (std::uint32_t parity = 1; parity <= 3; ++parity) {
            for (std::uint32_t width = parity + 1; width <= parity + 7; ++width) {
                for (std::size_t sectors = 1; sectors <= 40; ++sectors) {
                    for (const std::uint64_t first : {0U, 1U, 5U, 255U, 256U, 257U, 300U, 1023U}) {
                        compareWithModel({width, parity, Ashift(12)}, first * 4096, sectors * 4096);
                    }
                }
            }
        }
    }

private:
    static void
    compareWithModel(const RaidzGeometry& geometry, std::uint64_t offset, std::size_t size)
    {
        const unsigned ashift = geometry.ashift.value();
        const auto model =
            test::modelLayout(geometry.width, geometry.parity, ashift, offset, size >> ashift);
        const RaidzMap map = raidzMap(geometry, ByteOffset(offset), size);
        QCOMPARE(map.columns.size(), model.size());
        std::size_t inData = 0;
        for (std::size_t i = 0; i < model.size(); ++i) {
            QCOMPARE(std::size_t{map.columns[i].child}, model[i].child);
            QCOMPARE(map.columns[i].offset.value(), model[i].offset);
            QCOMPARE(map.columns[i].size, model[i].sectors << ashift);
            if (i >= geometry.parity) {
                QCOMPARE(map.columns[i].inData, inData);
                inData += map.columns[i].size;
            }
        }
        QCOMPARE(inData, size);
    }
};

QTEST_GUILESS_MAIN(TestRaidzMap)
#include "tst_raidz_map.moc"
