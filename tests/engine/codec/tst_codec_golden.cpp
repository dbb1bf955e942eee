// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks, labels and log blocks that OpenZFS and Solaris wrote (little- and big-endian, with a
// pool's real salt) have the checksums that the pointers to them say; positions and checksums are
// as zdb prints them.
#include "codec/checksum.h"
#include "codec_data.h"
#include "support/pools.h"

#include <QFile>
#include <QTest>

using namespace millpond;
using namespace millpond::codec;
using namespace millpond::test;

namespace {

constexpr std::uint64_t kFirstByteOfVdev = 4 * MiB; ///< behind two labels and the boot area
constexpr std::uint64_t kLabelSize = 256 * KiB;
constexpr std::string_view kSaltOfIChecksum =
    "1ab10da1f341d1e2b3d413fb7c22aa70e6edb13d9361fb860f4be1769bde5f83";

struct Block
{
    ChecksumAlgorithm algorithm;
    std::uint64_t offsetInVdev;
    std::size_t size;
    Checksum checksum;
};

constexpr Block kIChecksum[] = {
    {ChecksumAlgorithm::Fletcher2,
     0x29aa00,
     512,
     {{0x4b4b4b4b4b4b4b4a, 0x4b4b4b4b4b4b4b4a, 0xd2d2d2d2d2d2d2ac, 0xd2d2d2d2d2d2d2ac}}},
    {ChecksumAlgorithm::Fletcher2,
     0x41d600,
     40448,
     {{0x9a04a540e5b4b2a3, 0x296634d6105c11ec, 0x5ce7ea00ffc62ce9, 0xba463da462e2cbf8}}},
    {ChecksumAlgorithm::Fletcher2,
     0x3eda00,
     131072,
     {{0x5e3a56254947b208, 0xcf87d83d72760c29, 0xba0ecb501af48840, 0x4ddcb9be8a42c588}}},
    {ChecksumAlgorithm::Fletcher4,
     0x0,
     512,
     {{0x0000000edf06cc35, 0x000004c70190cba9, 0x0000da8930fb6a8f, 0x001c4cd6e5958472}}},
    {ChecksumAlgorithm::Fletcher4,
     0x27c9800,
     1024,
     {{0x000000857dc09ab8, 0x00005a7c49639891, 0x0020658aa38e81f1, 0x081c9ef0d43fed4d}}},
    {ChecksumAlgorithm::Fletcher4,
     0xeea00,
     131072,
     {{0x00002ea381570c6b, 0x0ba4e402f5b79698, 0x602c1bbcd30181a5, 0xf26fa1cbc8d180e3}}},
    {ChecksumAlgorithm::Sha256,
     0x301c800,
     512,
     {{0x39c38196a9f2a950, 0xbc9055420f8ed9a0, 0x314ae1a660aeeec1, 0xae96dd81d640975a}}},
    {ChecksumAlgorithm::Sha256,
     0x870c00,
     1024,
     {{0xf33e74f0c34469d8, 0x1175aae0f03179cd, 0x34b3c6fcffb817bf, 0xc415635cd3765579}}},
    {ChecksumAlgorithm::Sha256,
     0x873000,
     131072,
     {{0x2525e1281ec7270f, 0x56f08507e5430e19, 0x7345b97c69ff3591, 0x4fcb4736bda8823f}}},
    {ChecksumAlgorithm::Sha512,
     0x30bd200,
     512,
     {{0xe3373cb0d0cd7131, 0x2f0a53a830965604, 0xfaa58e0161881f8d, 0xe0ad12e00c311466}}},
    {ChecksumAlgorithm::Sha512,
     0x3291200,
     1024,
     {{0xd4b4d6b24a67fb32, 0x4ef1a353b0bc9f5a, 0x06f89f41be0b2889, 0x61c709fea860dd03}}},
    {ChecksumAlgorithm::Sha512,
     0x3238600,
     131072,
     {{0xbeb59ac4d29bd394, 0xc21bcc5ac068d3ef, 0xcc374cb5ee8e8106, 0x0db12bb8ca2b2b4d}}},
    {ChecksumAlgorithm::Skein,
     0x3379e00,
     512,
     {{0x69b3cd7b9e52118a, 0x412ace841af4c9b2, 0x7fa984522ab14721, 0x04e7771f6d39f3bd}}},
    {ChecksumAlgorithm::Skein,
     0x355b200,
     1024,
     {{0x92240eefb739c2a8, 0xf6a9b44041e35d71, 0x5205413dae275a85, 0x1610680146472c9d}}},
    {ChecksumAlgorithm::Skein,
     0x34abe00,
     131072,
     {{0x0c5bf18f9ff0d60d, 0x55d68e9a45375711, 0x3f88386435dd1f8a, 0x06f01b0a54388923}}},
    {ChecksumAlgorithm::EdonR,
     0x35f1c00,
     512,
     {{0xb06cd958bbb121f1, 0x6d81d45779e3eda3, 0xc08ec959f186c935, 0x7268fdb6f4cf75d2}}},
    {ChecksumAlgorithm::EdonR,
     0x379ca00,
     1024,
     {{0x6045c320a5bda436, 0xa44e5b065dbc857b, 0xf19e0a5be6095afb, 0x8384397f81f64e38}}},
    {ChecksumAlgorithm::EdonR,
     0x3743a00,
     131072,
     {{0x774b795ceb19a4c7, 0xa724b83225a2a835, 0xfb02ca4a393622d7, 0xdf8b67adf23ab2f3}}},
    {ChecksumAlgorithm::Blake3,
     0x504a200,
     512,
     {{0xdbcafd6790306dd6, 0xb4d140424b4661c2, 0xd657e3e4ac623cf9, 0xbe43fec6e6ecd6cd}}},
    {ChecksumAlgorithm::Blake3,
     0x51d6a00,
     1024,
     {{0x5b0cf7659f39a854, 0xcd59f995fd013883, 0xbad99bdb5ee5b64a, 0x95fa2ddc120fd522}}},
    {ChecksumAlgorithm::Blake3,
     0x517dc00,
     131072,
     {{0x3985899811b50336, 0x20451795e8da107e, 0x66587b0606865343, 0x62b12f36cd9cee95}}},
};

constexpr Block kSV15[] = {
    {ChecksumAlgorithm::Fletcher4,
     0x12000,
     512,
     {{0x0000000e7615175c, 0x000005d0f18f316f, 0x0001300fe4d7c2ee, 0x002a0779d6d3cd31}}},
    {ChecksumAlgorithm::Fletcher4,
     0x1400,
     1024,
     {{0x0000005a4513aed3, 0x00003e84b74f7995, 0x0016e905bb32be44, 0x05e09d7f37837762}}},
};

constexpr Block kKZil[] = {
    {ChecksumAlgorithm::Zilog2,
     0x304a600,
     0x2000,
     {{0x5f98c8ecd8587b51, 0x92860237884a1672, 0x5c, 6}}},
    {ChecksumAlgorithm::Zilog2,
     0x3077600,
     0x1a000,
     {{0x5f98c8ecd8587b51, 0x92860237884a1672, 0x5c, 9}}},
};

class Image
{
public:
    explicit Image(const QString& pool)
        : m_file(unpackGoldenPool(pool) + "/disk0.img")
    {
        m_open = m_file.open(QIODevice::ReadOnly);
    }

    [[nodiscard]] bool isOpen() const { return m_open; }

    [[nodiscard]] std::uint64_t size() const { return static_cast<std::uint64_t>(m_file.size()); }

    Octets read(std::uint64_t offset, std::size_t size)
    {
        Octets octets(size);
        if (!m_file.seek(static_cast<qint64>(offset)) ||
            m_file.read(reinterpret_cast<char*>(octets.data()), static_cast<qint64>(size)) !=
                static_cast<qint64>(size)) {
            return {};
        }
        return octets;
    }

    Octets read(const Block& block)
    {
        return read(kFirstByteOfVdev + block.offsetInVdev, block.size);
    }

private:
    QFile m_file;
    bool m_open = false;
};

} // namespace

class TestCodecGolden : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void everyAlgorithm()
    {
        MP_REQUIRE_POOL("i-checksum");
        Image image("i-checksum");
        QVERIFY(image.isOpen());
        const Octets saltBytes = fromHex(kSaltOfIChecksum);
        const ChecksumSalt salt(Bytes(saltBytes).first<32>());
        for (const Block& block : kIChecksum) {
            const Status status = verifyChecksum(
                block.algorithm, image.read(block), ByteOrder::Little, block.checksum, &salt);
            QVERIFY2(status, status ? "" : status.error().what().c_str());
        }
    }

    void bigEndian()
    {
        MP_REQUIRE_POOL("s-v15");
        Image image("s-v15");
        QVERIFY(image.isOpen());
        for (const Block& block : kSV15) {
            QVERIFY(
                verifyChecksum(block.algorithm, image.read(block), ByteOrder::Big, block.checksum));
            QVERIFY(!verifyChecksum(
                block.algorithm, image.read(block), ByteOrder::Little, block.checksum));
        }
    }

    void logBlocks()
    {
        MP_REQUIRE_POOL("k-zil");
        Image image("k-zil");
        QVERIFY(image.isOpen());
        for (const Block& block : kKZil) {
            const auto order = verifyLogBlock(block.algorithm, image.read(block), block.checksum);
            QVERIFY2(order, order ? "" : order.error().what().c_str());
            QVERIFY(*order == ByteOrder::Little);
        }
    }

    void labelsAndUberblocks_data()
    {
        QTest::addColumn<QString>("pool");
        QTest::addColumn<int>("order");
        QTest::newRow("OpenZFS") << "i-checksum" << static_cast<int>(ByteOrder::Little);
        QTest::newRow("SPARC") << "s-v1" << static_cast<int>(ByteOrder::Big);
    }

    void labelsAndUberblocks()
    {
        QFETCH(QString, pool);
        QFETCH(int, order);
        MP_REQUIRE_POOL(pool);
        Image image(pool);
        QVERIFY(image.isOpen());
        const std::uint64_t end = image.size() / kLabelSize * kLabelSize;
        for (const std::uint64_t label :
             {std::uint64_t{0}, kLabelSize, end - 2 * kLabelSize, end - kLabelSize}) {
            const auto config = verifyLabelBlock(image.read(label + 16 * KiB, 112 * KiB),
                                                 ByteOffset(label + 16 * KiB));
            QVERIFY2(config, config ? "" : config.error().what().c_str());
            QCOMPARE(static_cast<int>(*config), order);
            unsigned uberblocks = 0;
            for (std::uint64_t offset = label + 128 * KiB; offset < label + kLabelSize;
                 offset += KiB) {
                uberblocks += verifyLabelBlock(image.read(offset, KiB), ByteOffset(offset)) ? 1 : 0;
            }
            QVERIFY(uberblocks > 100);
        }
    }
};

QTEST_GUILESS_MAIN(TestCodecGolden)
#include "tst_codec_golden.moc"
