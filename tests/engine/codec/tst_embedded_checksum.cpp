// SPDX-License-Identifier: GPL-3.0-or-later
// A sealed block verifies in its place and nowhere else, in either byte order (the big-endian ones
// are made here, from the layout); every flipped bit is seen; lengths and used lengths that do not
// fit are refused.
#include "codec/checksum.h"
#include "codec/detail/fletcher.h"
#include "codec_data.h"
#include "support/seed.h"

#include <QTest>

using namespace millpond;
using namespace millpond::codec;
using namespace millpond::test;

namespace {

constexpr std::array kEmbedded{ChecksumAlgorithm::Label,
                               ChecksumAlgorithm::GangHeader,
                               ChecksumAlgorithm::Zilog,
                               ChecksumAlgorithm::Zilog2};
constexpr Checksum kVerifier{{0x1122334455667788, 2, 3, 0x99aabbccddeeff00}};
constexpr std::size_t kUsedOffset = 136;

/// A block of 8 KiB that says it uses `used` bytes, should it be taken for a log block.
Octets logBlock(std::uint64_t used, ByteOrder order)
{
    SeededRandom random(testSeed());
    Octets block = randomOctets(8192, random);
    store(block, kUsedOffset, used, order);
    return block;
}

/// What a big-endian machine writes, from the format's definition.
Octets sealedBigEndian(ChecksumAlgorithm algorithm, Octets block)
{
    const bool inHeader = algorithm == ChecksumAlgorithm::Zilog2;
    const std::size_t magicOffset = inHeader ? 144 : block.size() - 40;
    const std::size_t summed = inHeader ? 4096 : block.size();
    store(block, magicOffset, std::uint64_t{0x0210da7ab10c7a11}, ByteOrder::Big);
    for (std::size_t i = 0; i < 4; ++i) {
        store(block, magicOffset + 8 + 8 * i, kVerifier.words[i], ByteOrder::Big);
    }
    const auto plain = algorithm == ChecksumAlgorithm::Zilog    ? ChecksumAlgorithm::Fletcher2
                       : algorithm == ChecksumAlgorithm::Zilog2 ? ChecksumAlgorithm::Fletcher4
                                                                : ChecksumAlgorithm::Sha256;
    const Checksum sum = *computeChecksum(plain, Bytes(block).first(summed), ByteOrder::Big);
    for (std::size_t i = 0; i < 4; ++i) {
        store(block, magicOffset + 8 + 8 * i, sum.words[i], ByteOrder::Big);
    }
    return block;
}

void expectMismatch(const Result<ByteOrder>& result)
{
    QVERIFY(!result);
    QVERIFY(result.error().is(ErrorCode::ChecksumMismatch));
}

} // namespace

class TestEmbeddedChecksum : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void bothOrders()
    {
        for (const ChecksumAlgorithm algorithm : kEmbedded) {
            Octets little = logBlock(3000, ByteOrder::Little);
            QVERIFY(sealEmbedded(algorithm, little, kVerifier));
            const Octets before = little;
            const auto order = verifyEmbedded(algorithm, little, kVerifier);
            QVERIFY(order && *order == ByteOrder::Little);
            QVERIFY(little == before);

            const Octets big = sealedBigEndian(algorithm, logBlock(3000, ByteOrder::Big));
            const auto bigOrder = verifyEmbedded(algorithm, big, kVerifier);
            QVERIFY(bigOrder && *bigOrder == ByteOrder::Big);
        }
    }

    void elsewhereItFails()
    {
        Octets label(1024, std::byte{5});
        QVERIFY(
            sealEmbedded(ChecksumAlgorithm::Label, label, labelVerifier(ByteOffset(128 * KiB))));
        QVERIFY(verifyLabelBlock(label, ByteOffset(128 * KiB)));
        expectMismatch(verifyLabelBlock(label, ByteOffset(129 * KiB)));

        Octets gang(512, std::byte{6});
        const Checksum place = gangVerifier(VdevId(1), ByteOffset(0x4000), Txg(77));
        QVERIFY(sealEmbedded(ChecksumAlgorithm::GangHeader, gang, place));
        QVERIFY(verifyGangHeader(gang, VdevId(1), ByteOffset(0x4000), Txg(77)));
        expectMismatch(verifyGangHeader(gang, VdevId(0), ByteOffset(0x4000), Txg(77)));
        expectMismatch(verifyGangHeader(gang, VdevId(1), ByteOffset(0x4200), Txg(77)));
        expectMismatch(verifyGangHeader(gang, VdevId(1), ByteOffset(0x4000), Txg(78)));

        for (const auto algorithm : {ChecksumAlgorithm::Zilog, ChecksumAlgorithm::Zilog2}) {
            Octets log = logBlock(8192, ByteOrder::Little);
            QVERIFY(sealEmbedded(algorithm, log, kVerifier));
            QVERIFY(verifyLogBlock(algorithm, log, kVerifier));
            Checksum next = kVerifier;
            ++next.words[3];
            expectMismatch(verifyLogBlock(algorithm, log, next));
        }
        QVERIFY(!verifyLogBlock(ChecksumAlgorithm::Label, label, kVerifier));
    }

    void everyFlippedBitIsSeen()
    {
        ChecksumContext context;
        for (const ChecksumAlgorithm algorithm : kEmbedded) {
            Octets block = logBlock(4096, ByteOrder::Little);
            block.resize(4096);
            QVERIFY(sealEmbedded(algorithm, block, kVerifier));
            for (std::size_t bit = 0; bit < 8 * block.size(); bit += 3) {
                const std::byte mask{static_cast<unsigned char>(1U << bit % 8)};
                block[bit / 8] ^= mask;
                const auto result = verifyEmbedded(algorithm, block, kVerifier, context);
                block[bit / 8] ^= mask;
                // The used length is rounded up before anything is summed over it, and is itself
                // part of what is summed.
                QVERIFY(!result && result.error().is(ErrorCode::ChecksumMismatch));
            }
        }
    }

    void bytesBehindTheUsedPartDoNotCount()
    {
        Octets block = logBlock(100, ByteOrder::Little);
        QVERIFY(sealEmbedded(ChecksumAlgorithm::Zilog2, block, kVerifier));
        block[4096] ^= std::byte{1};
        QVERIFY(verifyLogBlock(ChecksumAlgorithm::Zilog2, block, kVerifier));
        block[4095] ^= std::byte{1};
        expectMismatch(verifyLogBlock(ChecksumAlgorithm::Zilog2, block, kVerifier));
    }

    void impossibleLengths()
    {
        for (const std::uint64_t used :
             {std::uint64_t{0}, std::uint64_t{8193}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
            Octets block = logBlock(100, ByteOrder::Little);
            QVERIFY(sealEmbedded(ChecksumAlgorithm::Zilog2, block, kVerifier));
            store(block, kUsedOffset, used);
            expectMismatch(verifyLogBlock(ChecksumAlgorithm::Zilog2, block, kVerifier));
            QVERIFY(!sealEmbedded(ChecksumAlgorithm::Zilog2, block, kVerifier));
        }
    }

    void truncation()
    {
        for (const ChecksumAlgorithm algorithm : kEmbedded) {
            Octets block = logBlock(4096, ByteOrder::Little);
            block.resize(4096);
            QVERIFY(sealEmbedded(algorithm, block, kVerifier));
            for (std::size_t size = 0; size < block.size(); ++size) {
                const Octets cut(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(size));
                expectMismatch(verifyEmbedded(algorithm, cut, kVerifier));
            }
        }
    }

    void notEmbedded()
    {
        const Octets block(512);
        const auto result = verifyEmbedded(ChecksumAlgorithm::Sha256, block, kVerifier);
        QVERIFY(!result && result.error().is(ErrorCode::InvalidArgument));
    }
};

QTEST_GUILESS_MAIN(TestEmbeddedChecksum)
#include "tst_embedded_checksum.moc"
