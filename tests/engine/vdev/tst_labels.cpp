// SPDX-License-Identifier: GPL-3.0-or-later
// Property: labels are read from whatever subset is intact, in either byte order, and the newest
// uberblock within a limit is chosen. Method: a label made here with every subset damaged, and the
// labels of every golden pool.
#include "codec/checksum.h"
#include "device/file_device.h"
#include "label_content.h"
#include "support/manifest.h"
#include "support/pools.h"
#include "vdev/labels.h"

#include <QDir>

using namespace millpond;
using namespace millpond::test;

namespace {

constexpr std::uint64_t kBytes = 64 * MiB;

/// Seals `block` as what stands at `offset` of the device, and writes it.
void place(device::MemoryDevice& device, std::uint64_t offset, std::vector<std::byte> block)
{
    QVERIFY(codec::sealEmbedded(
                codec::ChecksumAlgorithm::Label, block, codec::labelVerifier(ByteOffset(offset)))
                .has_value());
    QVERIFY(device.write(ByteOffset(offset), block).has_value());
}

std::uint64_t labelStart(std::size_t label)
{
    return format::labelOffset(ByteCount(kBytes), label)->value();
}

void writeConfig(device::MemoryDevice& device,
                 std::size_t label,
                 std::uint64_t txg,
                 unsigned ashift)
{
    format::NvList config = labelConfig(txg, ashift);
    config.setU64("state", 1);
    std::vector<std::byte> region(format::kLabelNvlistBytes);
    std::ranges::copy(config.encode(), region.begin());
    place(device, labelStart(label) + format::kLabelNvlistOffset, std::move(region));
}

void writeUberblock(device::MemoryDevice& device,
                    std::size_t label,
                    std::size_t slot,
                    std::uint64_t txg,
                    unsigned ashift)
{
    const format::UberblockRing ring{Ashift(static_cast<std::uint8_t>(ashift))};
    const format::Uberblock uberblock = uberblockOf(txg);
    std::vector<std::byte> block(ring.slotBytes);
    uberblock.encode(block);
    place(device, labelStart(label) + ring.offset(slot).value(), std::move(block));
}

std::shared_ptr<device::MemoryDevice> labelledDevice(unsigned ashift)
{
    auto device = std::make_shared<device::MemoryDevice>(
        device::MemoryDevice::Options{.size = ByteCount(kBytes)});
    for (std::size_t label = 0; label < format::kLabels; ++label) {
        writeConfig(*device, label, 20, ashift);
        for (std::uint64_t txg = 10; txg < 16; ++txg) {
            writeUberblock(*device, label, txg % 16, txg, ashift);
        }
    }
    return device;
}

/// One bit of the configuration in the middle, one in every uberblock.
void damageLabel(device::MemoryDevice& device, std::size_t label)
{
    const std::uint64_t start = labelStart(label);
    for (std::uint64_t at = start + 16 * KiB + 40; at < start + format::kLabelBytes; at += 1024) {
        std::array<std::byte, 1> byte{};
        QVERIFY(device.read(ByteOffset(at), byte).has_value());
        byte[0] ^= std::byte{4};
        QVERIFY(device.write(ByteOffset(at), byte).has_value());
    }
}

} // namespace

class TestLabels : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void anySubsetWillDo_data()
    {
        QTest::addColumn<int>("ashift");
        QTest::newRow("512-byte sectors") << 9;
        QTest::newRow("4 KiB sectors") << 12;
        QTest::newRow("8 KiB sectors") << 13;
    }

    void anySubsetWillDo()
    {
        QFETCH(int, ashift);
        for (std::uint32_t damaged = 0; damaged < 16; ++damaged) {
            const auto device = labelledDevice(static_cast<unsigned>(ashift));
            for (std::size_t label = 0; label < 4; ++label) {
                if ((damaged >> label & 1U) != 0) {
                    damageLabel(*device, label);
                }
            }
            const auto labels = vdev::readLabels(*device);
            if (damaged == 15) {
                QCOMPARE(labels.error().code(), ErrorCode::BadLabel);
                continue;
            }
            QVERIFY(labels.has_value());
            const auto whole = 4U - static_cast<unsigned>(__builtin_popcount(damaged));
            QCOMPARE(labels->usableLabels(), std::size_t{whole});
            QCOMPARE(labels->uberblocks.size(), std::size_t{whole} * 6);
            QCOMPARE(labels->best()->txg, Txg(15));
            QCOMPARE(labels->best(Txg(12))->txg, Txg(12));
            QVERIFY(labels->best(Txg(9)) == nullptr);
            QCOMPARE(labels->poolName(), std::optional<std::string_view>("pond"));
            QCOMPARE(labels->leafGuid(), std::optional(VdevGuid(100)));
            for (std::size_t label = 0; label < 4; ++label) {
                QCOMPARE(labels->problems[label].empty(), (damaged >> label & 1U) == 0);
            }
        }
    }

    void theNewestConfigurationCounts()
    {
        const auto device = labelledDevice(12);
        writeConfig(*device, 2, 25, 12);
        const auto labels = vdev::readLabels(*device);
        QVERIFY(labels.has_value());
        QCOMPARE(labels->configTxg(), std::optional(Txg(25)));
    }

    void aWrongSectorSizeDoesNotHideTheRing()
    {
        const auto device = labelledDevice(12);
        for (std::size_t label = 0; label < 4; ++label) {
            writeConfig(*device, label, 20, 9);
        }
        const auto labels = vdev::readLabels(*device);
        QVERIFY(labels.has_value());
        QCOMPARE(labels->best()->txg, Txg(15));
    }

    void unreadablePartsAreLikeDamagedOnes()
    {
        const auto memory = labelledDevice(9);
        device::FaultyDevice device(memory);
        device.setPlan({.badReads = {{ByteOffset(0), ByteCount(512 * KiB)}}});
        const auto labels = vdev::readLabels(device);
        QVERIFY(labels.has_value());
        QCOMPARE(labels->usableLabels(), std::size_t{2});
        device.setPlan({.failAt = 0, .stayFailed = true});
        QCOMPARE(vdev::readLabels(device).error().code(), ErrorCode::DeviceIo);
    }

    void tinyAndEmptyDevices()
    {
        for (const std::uint64_t size : {0U, 1U, 4096U, 262'144U, 1'048'575U}) {
            device::MemoryDevice device({.size = ByteCount(size)});
            QCOMPARE(vdev::readLabels(device).error().code(), ErrorCode::DeviceTooSmall);
        }
        device::MemoryDevice empty({.size = ByteCount(kBytes)});
        QCOMPARE(vdev::readLabels(empty).error().code(), ErrorCode::BadLabel);
    }

    void goldenPools()
    {
        const QStringList names = goldenPoolNames();
        if (sharedPoolsFolder().isEmpty()) {
            QSKIP("needs the pools of ../shared/pools");
        }
        int devices = 0;
        int bigEndian = 0;
        for (const QString& name : {QStringLiteral("c-raidz1"),
                                    QStringLiteral("l-degraded-mirror"),
                                    QStringLiteral("m-v1"),
                                    QStringLiteral("m-v28"),
                                    QStringLiteral("s-v1"),
                                    QStringLiteral("s-v9"),
                                    QStringLiteral("s-v15"),
                                    QStringLiteral("s-v1raidz"),
                                    QStringLiteral("s-v2mirror")}) {
            const auto pool = findGoldenPool(name);
            if (!pool) {
                continue;
            }
            const QDir folder(unpackGoldenPool(name));
            for (const QString& disk : pool->disks) {
                const auto device = device::openFileDevice(folder.filePath(disk).toStdString(),
                                                           {.access = device::Access::Probe});
                QVERIFY(device.has_value());
                const auto labels = vdev::readLabels(**device);
                QVERIFY2(labels.has_value(), labels ? "" : labels.error().toText().c_str());
                QCOMPARE(labels->usableLabels(), std::size_t{4});
                QCOMPARE(labels->poolName(),
                         std::optional<std::string_view>(pool->pool.toStdString()));
                QVERIFY(labels->best() != nullptr);
                QVERIFY(labels->best()->root.validate().has_value());
                QVERIFY(labels->uberblocks.size() >= 4);
                ++devices;
                bigEndian += labels->best()->order == ByteOrder::Big ? 1 : 0;
            }
        }
        QVERIFY(devices >= 9);
        QVERIFY(bigEndian >= 1);
    }
};

QTEST_GUILESS_MAIN(TestLabels)
#include "tst_labels.moc"
