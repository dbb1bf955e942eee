// SPDX-License-Identifier: GPL-3.0-or-later
// The digests are those of the published vectors; checksums read them as words the way the writer
// did; no single flipped bit goes unnoticed; what is not a checksum is refused.
#include "codec/checksum.h"
#include "codec/detail/edonr.h"
#include "codec/detail/skein.h"
#include "codec_data.h"
#include "support/seed.h"

#include <QTest>

using namespace millpond;
using namespace millpond::codec;
using namespace millpond::test;

namespace {

constexpr std::array kPlain{ChecksumAlgorithm::Fletcher2,
                            ChecksumAlgorithm::Fletcher4,
                            ChecksumAlgorithm::Sha256,
                            ChecksumAlgorithm::Sha512,
                            ChecksumAlgorithm::Skein,
                            ChecksumAlgorithm::EdonR,
                            ChecksumAlgorithm::Blake3};

ChecksumSalt testSalt()
{
    std::array<std::byte, 32> salt;
    for (std::size_t i = 0; i < salt.size(); ++i) {
        salt[i] = static_cast<std::byte>(i * 7 + 1);
    }
    return ChecksumSalt(salt);
}

std::string hex(std::span<const std::uint64_t> words)
{
    return hexOfWords<std::uint64_t>(words);
}

std::string skeinHex(Bytes message, std::uint64_t outputBits)
{
    const auto digest =
        codec::detail::skein512(codec::detail::skein512Start({}, outputBits), message);
    return hex(digest).substr(0, outputBits / 4);
}

/// FF FE FD … as in the appendix of the Skein paper.
Octets countdown(std::size_t size)
{
    Octets octets(size);
    for (std::size_t i = 0; i < size; ++i) {
        octets[i] = static_cast<std::byte>(0xff - i);
    }
    return octets;
}

} // namespace

class TestChecksum : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void sha2Vectors()
    {
        // FIPS 180-4 examples for "abc".
        const Octets abc = octetsOf("abc");
        const Checksum sha256Words = *computeChecksum(ChecksumAlgorithm::Sha256, abc, kHostOrder);
        const Checksum expected{
            {0xba7816bf8f01cfea, 0x414140de5dae2223, 0xb00361a396177a9c, 0xb410ff61f20015ad}};
        QVERIFY(sha256Words == expected);
        QCOMPARE(sha256(abc).front(), std::byte{0xba});

        const Octets digest =
            fromHex("53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23");
        for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
            const Checksum sha512 = *computeChecksum(ChecksumAlgorithm::Sha512, abc, order);
            for (std::size_t i = 0; i < 4; ++i) {
                QCOMPARE(sha512.words[i], load<std::uint64_t>(digest, 8 * i, order));
            }
        }
    }

    void skeinVectors()
    {
        // Chaining value for 256 bits of output (appendix B) and digests (appendix C) of the paper.
        const codec::detail::SkeinState start{0xCCD044A12FDB3E13,
                                              0xE83590301A79A9EB,
                                              0x55AEA0614F816E6F,
                                              0x2A2767A4AE9B94DB,
                                              0xEC06025E74DD7683,
                                              0xE7A436CDC4746251,
                                              0xC36FBAF9393AD185,
                                              0x3EEDBA1833EDFC13};
        QVERIFY(codec::detail::skein512Start({}, 256) == start);
        QCOMPARE(skeinHex(countdown(1), 512),
                 std::string("71b7bce6fe6452227b9ced6014249e5bf9a9754c3ad618ccc4e0aae16b316cc8"
                             "ca698d864307ed3e80b6ef1570812ac5272dc409b5a012df2a579102f340617a"));
        QCOMPARE(skeinHex(countdown(64), 512),
                 std::string("45863ba3be0c4dfc27e75d358496f4ac9a736a505d9313b42b2f5eada79fc17f"
                             "63861e947afb1d056aa199575ad3f8c9a3cc1780b5e5fa4cae050e989876625b"));
        QCOMPARE(skeinHex(countdown(128), 512),
                 std::string("91cca510c263c4ddd010530a33073309628631f308747e1bcbaa90e451cab92e"
                             "5188087af4188773a332303e6667a7a210856f742139000071f48e8ba2a5adb7"));
    }

    void edonrVectors()
    {
        QCOMPARE(hex(codec::detail::edonr512(octetsOf("abc"))),
                 std::string("1b14db155f1d406594b8cef70a4362ec6b5de6a5daf50ec999e987c19d3049e2"
                             "de5977bb05b1bb220050a1ea5b46a9f1740acafbf6b45032adc90c628372c22b"));
        QCOMPARE(
            hex(codec::detail::edonr512(octetsOf(
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqkl"
                "mnopqrlmnopqrsmnopqrstnopqrstu"))),
            std::string("5351070dc51c3b2baca5a60d0252ccb4e4921a96fe5a69e76dad48fd21a0845a"
                        "d57f880b3e4a907bc503151842bb949e1cba7439a6409a34b8436cb46921583c"));
    }

    void edonrInParts()
    {
        SeededRandom random(testSeed());
        const Octets data = randomOctets(1000, random);
        for (std::size_t size = 128; size < data.size(); ++size) {
            const Bytes message = Bytes(data).first(size);
            const auto pipe = codec::detail::edonr512FirstBlock(message.first<128>());
            QVERIFY(codec::detail::edonr512After(pipe, message.subspan(128)) ==
                    codec::detail::edonr512(message));
        }
    }

    void digestsFollowTheWriter()
    {
        const ChecksumSalt salt = testSalt();
        SeededRandom random(testSeed());
        const Octets data = randomOctets(4096, random);
        for (const ChecksumAlgorithm algorithm : kPlain) {
            const Checksum little = *computeChecksum(algorithm, data, ByteOrder::Little, &salt);
            const Checksum big = *computeChecksum(algorithm, data, ByteOrder::Big, &salt);
            const bool digest = algorithm == ChecksumAlgorithm::Sha512 || isSalted(algorithm);
            for (std::size_t i = 0; i < 4; ++i) {
                QCOMPARE(big.words[i] == swapBytes(little.words[i]), digest);
            }
            QCOMPARE(big == little, algorithm == ChecksumAlgorithm::Sha256);
        }
    }

    void saltMatters()
    {
        const ChecksumSalt salt = testSalt();
        const ChecksumSalt other(std::array<std::byte, 32>{});
        const Octets data(512);
        for (const ChecksumAlgorithm algorithm : kPlain) {
            const Checksum one = *computeChecksum(algorithm, data, kHostOrder, &salt);
            const Checksum two = *computeChecksum(algorithm, data, kHostOrder, &other);
            QCOMPARE(one == two, !isSalted(algorithm));
        }
    }

    void everyFlippedBitIsSeen()
    {
        const ChecksumSalt salt = testSalt();
        ChecksumContext context;
        SeededRandom random(testSeed());
        Octets data = randomOctets(512, random);
        for (const ChecksumAlgorithm algorithm : kPlain) {
            const Checksum good =
                *computeChecksum(algorithm, data, ByteOrder::Little, &salt, context);
            QVERIFY(verifyChecksum(algorithm, data, ByteOrder::Little, good, &salt, context));
            for (std::size_t bit = 0; bit < 8 * data.size(); ++bit) {
                const std::byte mask{static_cast<unsigned char>(1U << bit % 8)};
                data[bit / 8] ^= mask;
                const Status status =
                    verifyChecksum(algorithm, data, ByteOrder::Little, good, &salt, context);
                data[bit / 8] ^= mask;
                QVERIFY(!status && status.error().is(ErrorCode::ChecksumMismatch));
            }
        }
    }

    void offIsZero()
    {
        const Octets data(512, std::byte{1});
        QVERIFY(*computeChecksum(ChecksumAlgorithm::Off, data, kHostOrder) == Checksum{});
        QVERIFY(*computeChecksum(ChecksumAlgorithm::NoParity, data, kHostOrder) == Checksum{});
    }

    void refusals()
    {
        const ChecksumSalt salt = testSalt();
        const Octets data(512);
        for (unsigned number = 0; number < 256; ++number) {
            const auto algorithm = static_cast<ChecksumAlgorithm>(number);
            const auto result = computeChecksum(algorithm, data, kHostOrder, &salt);
            if (number < 2 || number > 14) {
                QVERIFY(!result && result.error().is(ErrorCode::UnsupportedFeature));
            } else {
                QCOMPARE(result.has_value(), !isEmbedded(algorithm));
                QVERIFY(checksumName(algorithm) != "unknown");
            }
            if (isSalted(algorithm)) {
                const auto unsalted = computeChecksum(algorithm, data, kHostOrder);
                QVERIFY(!unsalted && unsalted.error().is(ErrorCode::InvalidArgument));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestChecksum)
#include "tst_checksum.moc"
