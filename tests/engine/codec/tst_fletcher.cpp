// SPDX-License-Identifier: GPL-3.0-or-later
// Every path gives the sums of the definition, for every length around the vectors' widths, at any
// alignment, in either byte order, and however the input is cut into parts. The definition is
// written down here a second time; known sums of a short input keep both honest.
#include "codec/detail/fletcher.h"
#include "codec_data.h"
#include "support/seed.h"

#include <QTest>

using namespace millpond;
using namespace millpond::codec::detail;
using namespace millpond::test;

namespace {

using Sums = std::array<std::uint64_t, 4>;

Sums fletcher4ByDefinition(Bytes data, ByteOrder order)
{
    Sums sums{};
    for (std::size_t i = 0; i < data.size() / 4; ++i) {
        sums[0] += load<std::uint32_t>(data, 4 * i, order);
        sums[1] += sums[0];
        sums[2] += sums[1];
        sums[3] += sums[2];
    }
    return sums;
}

Sums fletcher2ByDefinition(Bytes data, ByteOrder order)
{
    Sums sums{};
    for (std::size_t i = 0; i < data.size() / 16; ++i) {
        sums[0] += load<std::uint64_t>(data, 16 * i, order);
        sums[1] += load<std::uint64_t>(data, 16 * i + 8, order);
        sums[2] += sums[0];
        sums[3] += sums[1];
    }
    return sums;
}

template <class Fletcher> Sums sumsOf(Bytes data, ByteOrder order, Path path)
{
    Fletcher fletcher;
    fletcher.update(data, order, path);
    return fletcher.words();
}

template <class Fletcher> Sums sumsInParts(Bytes data, ByteOrder order, std::size_t part)
{
    Fletcher fletcher;
    for (std::size_t offset = 0; offset < data.size(); offset += part) {
        fletcher.update(data.subspan(offset, std::min(part, data.size() - offset)), order);
    }
    return fletcher.words();
}

constexpr std::array kOrders{ByteOrder::Little, ByteOrder::Big};
constexpr std::array kPaths{Path::Best, Path::Baseline, Path::Scalar};

} // namespace

class TestFletcher : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void knownSums()
    {
        Octets data(32);
        for (std::size_t i = 0; i < 8; ++i) {
            store<std::uint32_t>(data, 4 * i, static_cast<std::uint32_t>(i + 1));
        }
        // Sums of 1..8, of their running sums, and so on: binomial numbers C(9,2) to C(12,5).
        const Sums four{36, 120, 330, 792};
        QVERIFY(sumsOf<Fletcher4>(data, ByteOrder::Little, Path::Best) == four);
        const std::uint64_t high = std::uint64_t{1} << 32;
        const Sums two{1 + 2 * high + 5 + 6 * high,
                       3 + 4 * high + 7 + 8 * high,
                       2 * (1 + 2 * high) + 5 + 6 * high,
                       2 * (3 + 4 * high) + 7 + 8 * high};
        QVERIFY(sumsOf<Fletcher2>(data, ByteOrder::Little, Path::Best) == two);
    }

    void pathsAgree()
    {
        SeededRandom random(testSeed());
        const Octets buffer = randomOctets(1024, random);
        for (std::size_t shift = 0; shift < 33; shift += 11) {
            for (std::size_t size = 0; size < 400; ++size) {
                const Bytes data = Bytes(buffer).subspan(shift, size);
                for (const ByteOrder order : kOrders) {
                    for (const Path path : kPaths) {
                        QVERIFY(sumsOf<Fletcher4>(data, order, path) ==
                                fletcher4ByDefinition(data, order));
                        QVERIFY(sumsOf<Fletcher2>(data, order, path) ==
                                fletcher2ByDefinition(data, order));
                    }
                }
            }
        }
    }

    void largestBlock()
    {
        // 16 MiB of the largest words: every sum wraps around many times.
        const Octets data(16 * MiB, std::byte{0xff});
        QVERIFY(sumsOf<Fletcher4>(data, ByteOrder::Little, Path::Best) ==
                fletcher4ByDefinition(data, ByteOrder::Little));
        QVERIFY(sumsOf<Fletcher2>(data, ByteOrder::Little, Path::Best) ==
                fletcher2ByDefinition(data, ByteOrder::Little));
        // Joined to a short part before it, where the factors of the join are largest.
        for (const std::size_t first : {48U, 64U}) {
            Fletcher4 joined;
            joined.update(Bytes(data).first(first), ByteOrder::Little);
            joined.update(Bytes(data).subspan(first), ByteOrder::Little);
            QVERIFY(joined.words() == fletcher4ByDefinition(data, ByteOrder::Little));
        }
    }

    void partsJoin()
    {
        SeededRandom random(testSeed());
        const Octets data = randomOctets(9 * 1024, random);
        for (const std::size_t part : {16U, 48U, 64U, 112U, 2048U, 4096U, 9000U / 16 * 16}) {
            for (const ByteOrder order : kOrders) {
                QVERIFY(sumsInParts<Fletcher4>(data, order, part) ==
                        fletcher4ByDefinition(data, order));
                QVERIFY(sumsInParts<Fletcher2>(data, order, part) ==
                        fletcher2ByDefinition(data, order));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestFletcher)
#include "tst_fletcher.moc"
