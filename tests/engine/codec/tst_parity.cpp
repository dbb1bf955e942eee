// SPDX-License-Identifier: GPL-3.0-or-later
// Parity equals that of a slow model of the field, written here from its definition; every set of
// missing columns that parity allows is rebuilt, with every choice of parity, also where columns
// are of unequal length; buffers are written only inside the missing columns.
#include "codec/parity.h"
#include "codec_data.h"
#include "support/seed.h"

#include <QTest>

#include <bit>

using namespace millpond;
using namespace millpond::codec;
using namespace millpond::test;

namespace {

unsigned modelTimesTwo(unsigned x)
{
    return (x & 0x80) != 0 ? (x * 2 ^ 0x11d) : x * 2;
}

/// Horner's rule with generator 1, 2 or 4 for P, Q, R, one byte at a time.
Octets modelParity(const std::vector<Octets>& data, unsigned row, std::size_t size)
{
    Octets parity(size);
    for (std::size_t at = 0; at < size; ++at) {
        unsigned sum = 0;
        for (const Octets& column : data) {
            for (unsigned i = 0; i < row; ++i) {
                sum = modelTimesTwo(sum);
            }
            sum ^= at < column.size() ? std::to_integer<unsigned>(column[at]) : 0;
        }
        parity[at] = static_cast<std::byte>(sum);
    }
    return parity;
}

/// Parity columns, then data; the first `longer` data columns are one sector longer.
std::vector<Octets> makeRow(std::size_t parityCount,
                            std::size_t dataCount,
                            std::size_t shortSize,
                            std::size_t longer,
                            Random& random)
{
    std::vector<Octets> data;
    for (std::size_t i = 0; i < dataCount; ++i) {
        data.push_back(randomOctets(shortSize + (i < longer ? 512 : 0), random));
    }
    std::vector<Octets> row;
    for (unsigned i = 0; i < parityCount; ++i) {
        row.push_back(modelParity(data, i, data[0].size()));
    }
    row.insert(row.end(), data.begin(), data.end());
    return row;
}

std::vector<MutableBytes> spansOf(std::vector<Octets>& row)
{
    return {row.begin(), row.end()};
}

/// Overwrites the missing columns, rebuilds and compares everything.
bool rebuilds(const std::vector<Octets>& good,
              std::size_t parityCount,
              std::span<const std::size_t> missing,
              ParityMask use)
{
    std::vector<Octets> row = good;
    for (const std::size_t index : missing) {
        std::ranges::fill(row[index], std::byte{0xdb});
    }
    const Status status = reconstruct(parityCount, spansOf(row), missing, use);
    return status && row == good;
}

std::vector<std::size_t> indexesIn(unsigned set)
{
    std::vector<std::size_t> indexes;
    for (std::size_t i = 0; i < 32; ++i) {
        if ((set >> i & 1) != 0) {
            indexes.push_back(i);
        }
    }
    return indexes;
}

void expectInvalid(const Status& status)
{
    QVERIFY(!status);
    QVERIFY(status.error().is(ErrorCode::InvalidArgument));
}

} // namespace

class TestParity : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void generation()
    {
        SeededRandom random(testSeed());
        for (std::size_t parityCount = 1; parityCount <= kMaxParity; ++parityCount) {
            for (const std::size_t dataCount : {1U, 2U, 3U, 5U, 8U, 17U, 120U, 255U}) {
                const std::size_t size = dataCount > 20 ? 512 : 2048;
                const auto good = makeRow(parityCount, dataCount, size, dataCount / 2, random);
                std::vector<Bytes> data(good.begin() + static_cast<std::ptrdiff_t>(parityCount),
                                        good.end());
                std::vector<Octets> parity(parityCount, Octets(good[0].size(), std::byte{0xdb}));
                QVERIFY(generateParity(data, spansOf(parity)));
                QVERIFY(std::equal(parity.begin(), parity.end(), good.begin()));
            }
        }
    }

    void oddSizes()
    {
        SeededRandom random(testSeed());
        for (std::size_t size = 1; size < 200; ++size) {
            std::vector<Octets> data;
            for (const std::size_t length : {size, size / 2, std::size_t{0}, size - 1}) {
                data.push_back(randomOctets(length, random));
            }
            std::vector<Octets> row;
            for (unsigned i = 0; i < 3; ++i) {
                row.push_back(modelParity(data, i, size + 7)); // parity may be longer
            }
            row.insert(row.end(), data.begin(), data.end());
            QVERIFY(rebuilds(row, 3, std::array<std::size_t, 3>{0, 1, 2}, kAnyParity));
            QVERIFY(rebuilds(row, 3, std::array<std::size_t, 3>{3, 4, 6}, kAnyParity));
            QVERIFY(rebuilds(row, 3, std::array<std::size_t, 4>{3, 4, 5, 6}, kAnyParity));
        }
    }

    void alignedAndNot()
    {
        // Plain xor goes another way when all buffers are aligned: every length, both ways.
        SeededRandom random(testSeed());
        constexpr std::size_t kRoom = 512;
        for (const std::size_t shift : {0U, 1U}) {
            for (std::size_t size = 1; size < kRoom - 1; ++size) {
                struct alignas(64) Room
                {
                    std::array<std::byte, kRoom> bytes{};
                };

                std::array<Room, 4> rooms;
                std::vector<MutableBytes> columns;
                std::vector<Octets> data;
                for (Room& room : rooms) {
                    columns.push_back(MutableBytes(room.bytes).subspan(shift, size));
                }
                for (std::size_t i = 1; i < columns.size(); ++i) {
                    data.push_back(randomOctets(size, random));
                    std::ranges::copy(data.back(), columns[i].begin());
                }
                const std::vector<Bytes> sources(columns.begin() + 1, columns.end());
                QVERIFY(generateParity(sources, std::span(columns).first(1)));
                QVERIFY(std::ranges::equal(columns[0], modelParity(data, 0, size)));
                std::ranges::fill(columns[2], std::byte{0xdb});
                QVERIFY(reconstruct(1, columns, std::array<std::size_t, 1>{2}));
                QVERIFY(std::ranges::equal(columns[2], data[1]));
                for (const Room& room : rooms) {
                    QCOMPARE(room.bytes[shift + size], std::byte{0}); // nothing behind the column
                }
            }
        }
    }

    void everyCombination_data()
    {
        QTest::addColumn<int>("parityCount");
        QTest::addColumn<int>("dataCount");
        for (const int parityCount : {1, 2, 3}) {
            for (const int dataCount : {1, 2, 4, 7}) {
                QTest::addRow("%d+%d", dataCount, parityCount) << parityCount << dataCount;
            }
        }
    }

    void everyCombination()
    {
        QFETCH(int, parityCount);
        QFETCH(int, dataCount);
        const auto parity = static_cast<std::size_t>(parityCount);
        const auto count = static_cast<std::size_t>(dataCount);
        SeededRandom random(testSeed());
        for (std::size_t longer = 0; longer < count; ++longer) {
            const auto good = makeRow(parity, count, 512, longer, random);
            for (unsigned set = 0; set < 1U << good.size(); ++set) {
                const auto missing = indexesIn(set);
                for (unsigned use = 0; use < 8; ++use) {
                    const unsigned usable = use & ~set & ((1U << parity) - 1);
                    const int missingData = std::popcount(set >> parity);
                    const bool possible = std::popcount(usable) >= missingData;
                    if (!possible && std::popcount(set) > 4) {
                        continue; // hopeless ones are many and alike
                    }
                    const ParityMask mask(static_cast<std::uint8_t>(use));
                    QCOMPARE(rebuilds(good, parity, missing, mask), possible);
                }
            }
        }
    }

    void wideRow()
    {
        SeededRandom random(testSeed());
        const auto good = makeRow(3, 255, 512, 100, random);
        for (int round = 0; round < 60; ++round) {
            std::array<std::size_t, 3> missing{};
            while (missing[0] == missing[1] || missing[1] == missing[2] ||
                   missing[0] == missing[2]) {
                std::ranges::generate(missing, [&] { return random.next() % good.size(); });
            }
            QVERIFY(rebuilds(good, 3, missing, kAnyParity));
        }
    }

    void refusals()
    {
        SeededRandom random(testSeed());
        auto row = makeRow(2, 3, 512, 1, random);
        const auto columns = spansOf(row);
        using Indexes = std::vector<std::size_t>;
        expectInvalid(reconstruct(2, columns, Indexes{2, 3, 4}));
        expectInvalid(reconstruct(2, columns, Indexes{0, 2, 3}));
        expectInvalid(reconstruct(2, columns, Indexes{2, 2}));
        expectInvalid(reconstruct(2, columns, Indexes{5}));
        expectInvalid(reconstruct(0, columns, Indexes{2}));
        expectInvalid(reconstruct(4, columns, Indexes{4}));
        expectInvalid(reconstruct(5, columns, Indexes{}));
        expectInvalid(reconstruct(9, columns, Indexes{}));
        expectInvalid(reconstruct(1, {}, Indexes{}));

        auto shortParity = columns;
        shortParity[1] = shortParity[1].first(512);
        expectInvalid(reconstruct(2, shortParity, Indexes{2}));

        std::vector<Bytes> tooMany(256, columns[2]);
        expectInvalid(generateParity(tooMany, columns));
        expectInvalid(generateParity({}, std::span(columns).first(2)));
        const std::vector<Bytes> one{columns[2]};
        expectInvalid(generateParity(one, {}));
        expectInvalid(generateParity(one, columns));
    }
};

QTEST_GUILESS_MAIN(TestParity)
#include "tst_parity.moc"
