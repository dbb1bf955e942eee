// SPDX-License-Identifier: GPL-3.0-or-later
// What is compressed comes back, for every algorithm, several kinds of data and sizes, into space
// that is just enough; streams written down by hand from the formats are read right; cut off or
// damaged input is either refused or fills the output, never more (the buffers are of exact size,
// so that AddressSanitizer sees one byte too far).
#include "codec/compression.h"
#include "codec_data.h"
#include "support/seed.h"

#include <QTest>

using namespace millpond;
using namespace millpond::codec;
using namespace millpond::test;

namespace {

constexpr std::array kAlgorithms{CompressionAlgorithm::Lzjb,
                                 CompressionAlgorithm::Gzip1,
                                 CompressionAlgorithm::Gzip6,
                                 CompressionAlgorithm::Gzip9,
                                 CompressionAlgorithm::Zle,
                                 CompressionAlgorithm::Lz4,
                                 CompressionAlgorithm::Zstd};

Octets compressed(CompressionAlgorithm algorithm, Bytes data)
{
    Octets out(2 * data.size() + 1024);
    const auto size = compress(algorithm, data, out);
    if (!size || !*size) {
        qFatal("compression failed");
    }
    out.resize(**size);
    return out;
}

void expectData(CompressionAlgorithm algorithm, Bytes stream, Bytes data)
{
    Octets out(data.size());
    const Status status = decompress(algorithm, stream, out);
    QVERIFY2(status, status ? "" : status.error().what().c_str());
    QVERIFY(std::ranges::equal(out, data));
}

void expectRefused(CompressionAlgorithm algorithm, Bytes stream, std::size_t size)
{
    Octets out(size);
    const Status status = decompress(algorithm, stream, out);
    QVERIFY(!status);
    QVERIFY(status.error().is(ErrorCode::BadCompression));
}

std::vector<Octets> inputs(Random& random)
{
    std::vector<Octets> all;
    for (const std::size_t size : {1U, 2U, 3U, 7U, 64U, 65U, 512U, 4096U, 131072U}) {
        all.push_back(Octets(size));
        all.push_back(Octets(size, std::byte{'x'}));
        all.push_back(randomOctets(size, random));
        all.push_back(textLikeOctets(size, random));
    }
    // Runs of zeros of every length around zle's limits, and single zeros inside literals.
    Octets runs;
    for (std::size_t zeros = 0; zeros < 400; zeros += (zeros < 4 ? 1 : 31)) {
        runs.resize(runs.size() + zeros);
        runs.insert(runs.end(), 1 + zeros % 130, std::byte{7});
    }
    all.push_back(runs);
    return all;
}

} // namespace

class TestCompression : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void roundTrip()
    {
        SeededRandom random(testSeed());
        Decompressor decompressor;
        Compressor compressor;
        for (const Octets& data : inputs(random)) {
            for (const CompressionAlgorithm algorithm : kAlgorithms) {
                Octets stream(2 * data.size() + 1024);
                const auto size = compressor.compress(algorithm, data, stream);
                QVERIFY(size && *size);
                stream.resize(**size);
                Octets padded = stream;
                padded.resize(alignUp(stream.size() + 1, 512)); // as rounded up to sectors
                Octets out(data.size());
                QVERIFY(decompressor.decompress(algorithm, stream, out));
                QVERIFY(out == data);
                QVERIFY(decompressor.decompress(algorithm, padded, out));
                QVERIFY(out == data);
            }
        }
    }

    void zstdLevels()
    {
        SeededRandom random(testSeed());
        const Octets data = textLikeOctets(16384, random);
        Compressor compressor;
        unsigned levels = 0;
        for (unsigned stored = 0; stored < 256; ++stored) {
            const ZstdLevel level(static_cast<std::uint8_t>(stored));
            Octets stream(data.size());
            const auto size = compressor.compress(CompressionAlgorithm::Zstd, data, stream, level);
            const auto libraryLevel = zstdLibraryLevel(level);
            QCOMPARE(size.has_value(), libraryLevel.has_value());
            if (!size) {
                QVERIFY(size.error().is(ErrorCode::InvalidArgument));
                continue;
            }
            ++levels;
            QVERIFY(zstdStoredLevel(*libraryLevel) == level);
            if (*size) {
                expectData(CompressionAlgorithm::Zstd, Bytes(stream).first(**size), data);
            }
        }
        QCOMPARE(levels, 19U + 21U);
        QVERIFY(!zstdStoredLevel(0));
        QVERIFY(!zstdStoredLevel(-11));
    }

    void justEnoughSpace()
    {
        SeededRandom random(testSeed());
        const Octets data = textLikeOctets(4096, random);
        for (const CompressionAlgorithm algorithm : kAlgorithms) {
            for (std::size_t space = 0; space < 4096; space += 1 + space / 16) {
                Octets out(space);
                const auto size = compress(algorithm, data, out);
                QVERIFY(size);
                if (*size) {
                    QVERIFY(**size <= space);
                    expectData(algorithm, Bytes(out).first(**size), data);
                }
            }
            Octets noise(4096 - 512);
            const auto size = compress(algorithm, randomOctets(4096, random), noise);
            QVERIFY(size && !*size); // does not fit
        }
    }

    void lzjbByHand()
    {
        // Map 0b1000: three literals, then a match at distance 3, seven long.
        const Octets stream = fromHex("08616263"
                                      "1003");
        expectData(CompressionAlgorithm::Lzjb, stream, octetsOf("abcabcabca"));
        // The last match may reach beyond the block.
        expectData(CompressionAlgorithm::Lzjb, stream, octetsOf("abcabc"));
        expectRefused(CompressionAlgorithm::Lzjb, stream, 11);
        expectRefused(CompressionAlgorithm::Lzjb,
                      fromHex("0861626310"
                              "04"),
                      10); // before the start
        expectRefused(CompressionAlgorithm::Lzjb,
                      fromHex("0861626310"
                              "00"),
                      10); // distance 0
    }

    void zleByHand()
    {
        // Three literals, four zeros, one literal, 192 zeros.
        Octets data = octetsOf("abc");
        data.resize(7);
        data.push_back(std::byte{'d'});
        data.resize(data.size() + 192);
        expectData(CompressionAlgorithm::Zle,
                   fromHex("02616263"
                           "43"
                           "0064"
                           "ff"),
                   data);
        expectRefused(CompressionAlgorithm::Zle,
                      fromHex("02616263"
                              "43"
                              "0064"
                              "ff"),
                      199);
        expectRefused(CompressionAlgorithm::Zle, fromHex("0261"), 3);
    }

    void lz4ByHand()
    {
        // Length 4, a token of three literals; anything behind it is padding.
        const Octets stream = fromHex("00000004"
                                      "30616263"
                                      "ffff");
        expectData(CompressionAlgorithm::Lz4, stream, octetsOf("abc"));
        expectRefused(CompressionAlgorithm::Lz4, stream, 4);
        expectRefused(CompressionAlgorithm::Lz4, stream, 2);
        expectRefused(CompressionAlgorithm::Lz4,
                      fromHex("00000007"
                              "30616263"
                              "ffff"),
                      3);
        expectRefused(CompressionAlgorithm::Lz4,
                      fromHex("ffffffff"
                              "30616263"
                              "ffff"),
                      3);
    }

    void zstdByHand()
    {
        // Frame without magic: descriptor 0x00 (no content size), window 1 KiB, then one raw last
        // block of three bytes. Level 3, zstd 1.4.5 (10405), as either kind of machine writes it.
        const std::string frame = "0000"
                                  "190000"
                                  "616263";
        for (const std::string meta : {"030028a5", "0028a503"}) {
            const Octets stream = fromHex("00000008" + meta + frame);
            expectData(CompressionAlgorithm::Zstd, stream, octetsOf("abc"));
            expectRefused(CompressionAlgorithm::Zstd, stream, 4);
            expectRefused(CompressionAlgorithm::Zstd, stream, 2);
        }
        expectRefused(CompressionAlgorithm::Zstd,
                      fromHex("00000009"
                              "030028a5" +
                              frame),
                      3);
        expectRefused(CompressionAlgorithm::Zstd,
                      fromHex("00000008"
                              "320028a5" +
                              frame),
                      3);
        expectRefused(CompressionAlgorithm::Zstd,
                      fromHex("00000008"
                              "000028a5" +
                              frame),
                      3);
    }

    void gzipIsZlib()
    {
        const Octets stream = compressed(CompressionAlgorithm::Gzip6, octetsOf("abc"));
        QCOMPARE(stream[0], std::byte{0x78}); // RFC 1950: deflate, 32 KiB window
        Octets damaged = stream;
        damaged.back() ^= std::byte{1}; // Adler-32
        expectRefused(CompressionAlgorithm::Gzip6, damaged, 3);
        expectRefused(CompressionAlgorithm::Gzip6, stream, 4);
        expectRefused(CompressionAlgorithm::Gzip6, stream, 2);
    }

    void truncation()
    {
        SeededRandom random(testSeed());
        const Octets data = textLikeOctets(2000, random);
        for (const CompressionAlgorithm algorithm : kAlgorithms) {
            const Octets stream = compressed(algorithm, data);
            for (std::size_t size = 0; size < stream.size(); ++size) {
                const Octets cut(stream.begin(),
                                 stream.begin() + static_cast<std::ptrdiff_t>(size));
                expectRefused(algorithm, cut, data.size());
            }
        }
    }

    void damage()
    {
        SeededRandom random(testSeed());
        Decompressor decompressor;
        const Octets data = textLikeOctets(1000, random);
        for (const CompressionAlgorithm algorithm : kAlgorithms) {
            Octets stream = compressed(algorithm, data);
            for (std::size_t bit = 0; bit < 8 * stream.size(); ++bit) {
                const std::byte mask{static_cast<unsigned char>(1U << bit % 8)};
                stream[bit / 8] ^= mask;
                Octets out(data.size());
                (void)decompressor.decompress(algorithm, stream, out);
                stream[bit / 8] ^= mask;
            }
            Octets out(data.size());
            QVERIFY(decompressor.decompress(algorithm, stream, out)); // the contexts recovered
            QVERIFY(out == data);
        }
    }

    void offCopies()
    {
        const Octets data = octetsOf("plain");
        expectData(CompressionAlgorithm::Off, data, data);
        expectRefused(CompressionAlgorithm::Off, data, 4);
        Octets small(4);
        const auto size = compress(CompressionAlgorithm::Off, data, small);
        QVERIFY(size && !*size);
    }

    void refusals()
    {
        const Octets data(512);
        Octets out(512);
        for (unsigned number = 0; number < 256; ++number) {
            const auto algorithm = static_cast<CompressionAlgorithm>(number);
            if (number < 2 || number == 4 || number > 16) {
                const Status status = decompress(algorithm, data, out);
                QVERIFY(!status && status.error().is(ErrorCode::UnsupportedFeature));
                const auto size = compress(algorithm, data, out);
                QVERIFY(!size && size.error().is(ErrorCode::UnsupportedFeature));
            }
            expectRefused(algorithm, {}, 512);
            expectRefused(algorithm, data, 0);
            QCOMPARE(compressionName(algorithm) == "unknown", number > 16);
        }
    }
};

QTEST_GUILESS_MAIN(TestCompression)
#include "tst_compression.moc"
