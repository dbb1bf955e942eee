// SPDX-License-Identifier: GPL-3.0-or-later
// Property: labels written here are read by the label reader; whatever write of a commit the power
// fails in, the device keeps two labels that fit its newest uberblock; failing devices are carried
// by others. Method: memory devices that fail or tear each write in turn.
#include "label_content.h"
#include "vdev/label_writer.h"
#include "vdev/labels.h"

using namespace millpond;
using namespace millpond::test;
using vdev::LabelLeaf;

namespace {

constexpr Ashift kAshift{12};

std::shared_ptr<device::MemoryDevice> newDevice()
{
    return std::make_shared<device::MemoryDevice>(
        device::MemoryDevice::Options{.size = ByteCount(64 * MiB + 5000)});
}

format::NvList configOf(std::uint64_t txg)
{
    return labelConfig(txg, kAshift.value());
}

LabelLeaf leafOf(device::DeviceRef device, const format::NvList* config, std::uint32_t top = 0)
{
    LabelLeaf leaf;
    leaf.device = std::move(device);
    leaf.guid = VdevGuid(100 + top);
    leaf.top = VdevId(top);
    leaf.ashift = kAshift;
    leaf.config = config;
    return leaf;
}

} // namespace

class TestLabelWriter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whatIsWrittenIsRead();
    void places_data();
    void places();
    void anyWriteMayBeTheLast();
    void othersCarryADeadDevice();
    void cleared();
    void tooLarge();
};

void TestLabelWriter::whatIsWrittenIsRead()
{
    const auto device = newDevice();
    const std::vector<std::byte> junk(MiB, std::byte{0x77});
    QVERIFY(device->write(ByteOffset(0), junk).has_value());
    QVERIFY(vdev::initializeLabels(*device, configOf(0)).has_value());
    auto labels = vdev::readLabels(*device);
    QVERIFY(labels.has_value());
    QCOMPARE(labels->usableLabels(), std::size_t(4));
    QVERIFY(labels->uberblocks.empty());
    QVERIFY(*labels->configs[3] == configOf(0));
    QVERIFY(vdev::writeLabelConfig(*device, configOf(9), vdev::LabelSet::Odd).has_value());
    QVERIFY(vdev::writeUberblock(*device, uberblockOf(9), {.ashift = kAshift}).has_value());
    labels = vdev::readLabels(*device);
    QVERIFY(labels.has_value());
    QVERIFY(*labels->configs[0] == configOf(0) && *labels->configs[1] == configOf(9));
    QVERIFY(*labels->configs[2] == configOf(0) && *labels->configs[3] == configOf(9));
    QCOMPARE(labels->uberblocks.size(), std::size_t(4));
}

void TestLabelWriter::places_data()
{
    QTest::addColumn<bool>("multihost");
    QTest::addColumn<quint64>("txg");
    QTest::addColumn<quint64>("slot");
    QTest::newRow("first") << false << quint64(64) << quint64(0); // 128 KiB of 4 KiB: 32 slots
    QTest::newRow("last") << false << quint64(63) << quint64(31);
    QTest::newRow("last is the heartbeat's") << true << quint64(31) << quint64(0);
    QTest::newRow("multihost") << true << quint64(63) << quint64(1);
}

void TestLabelWriter::places()
{
    QFETCH(bool, multihost);
    QFETCH(quint64, txg);
    QFETCH(quint64, slot);
    const auto device = newDevice();
    QVERIFY(vdev::initializeLabels(*device, configOf(0)).has_value());
    QVERIFY(
        vdev::writeUberblock(*device, uberblockOf(txg), {.ashift = kAshift, .multihost = multihost})
            .has_value());
    const auto labels = vdev::readLabels(*device);
    QVERIFY(labels.has_value());
    QCOMPARE(labels->uberblocks[0].slot, std::size_t(slot));
}

void TestLabelWriter::anyWriteMayBeTheLast()
{
    bool committed = false;
    for (std::uint64_t cut = 0; !committed; ++cut) {
        QVERIFY(cut < 20);
        const auto device = newDevice();
        QVERIFY(vdev::initializeLabels(*device, configOf(0)).has_value());
        const format::NvList before = configOf(20);
        std::vector<LabelLeaf> leaves{leafOf(device, &before)};
        QVERIFY(vdev::commitLabels(leaves, uberblockOf(20), false).has_value());
        const format::NvList after = configOf(21);
        const device::TornDevice::Plan plan{.tearWrite = cut, .keptSectors = 3};
        leaves = {leafOf(std::make_shared<device::TornDevice>(device, plan), &after)};
        committed = vdev::commitLabels(leaves, uberblockOf(21), false).has_value();
        const auto labels = vdev::readLabels(*device);
        QVERIFY(labels.has_value());
        const format::Uberblock* newest = labels->best();
        QVERIFY(newest != nullptr);
        std::size_t fitting = 0;
        for (const auto& config : labels->configs) {
            fitting += config && config->u64("txg") == newest->txg.value() ? 1U : 0U;
        }
        QVERIFY2(fitting >= 2, qPrintable(QStringLiteral("cut at write %1").arg(cut)));
        QVERIFY(!committed || fitting == 4);
    }
}

void TestLabelWriter::othersCarryADeadDevice()
{
    const auto good = newDevice();
    const auto dead = std::make_shared<device::FaultyDevice>(newDevice());
    dead->setPlan({.failAt = 0, .stayFailed = true});
    const format::NvList config = configOf(20);
    std::vector<LabelLeaf> leaves{leafOf(dead, &config), leafOf(good, &config)};
    QVERIFY(vdev::commitLabels(leaves, uberblockOf(20), false).has_value());
    QVERIFY(!leaves[0].status.has_value() && leaves[1].status.has_value());
    QCOMPARE(vdev::readLabels(*good)->usableLabels(), std::size_t(4));
    // Of two vdevs none may lose all its labels, unless the pool can do without it.
    leaves[0].top = VdevId(1);
    QVERIFY(!vdev::commitLabels(leaves, uberblockOf(21), false).has_value());
    QCOMPARE(vdev::readLabels(*good)->best()->txg, Txg(20));
    leaves[0].dispensable = true;
    QVERIFY(vdev::commitLabels(leaves, uberblockOf(21), false).has_value());
    QCOMPARE(vdev::readLabels(*good)->best()->txg, Txg(21));
    // A device that writes but cannot flush has committed nothing.
    const auto noFlush = std::make_shared<device::FaultyDevice>(good);
    noFlush->setPlan({.failAt = 4});
    leaves = {leafOf(noFlush, nullptr)};
    QVERIFY(!vdev::commitLabels(leaves, uberblockOf(22), false).has_value());
}

void TestLabelWriter::cleared()
{
    const auto device = newDevice();
    QVERIFY(vdev::initializeLabels(*device, configOf(0)).has_value());
    QVERIFY(vdev::clearLabels(*device).has_value());
    QVERIFY(!vdev::readLabels(*device).has_value());
    QCOMPARE(device->storedPages(), std::size_t(0));
}

void TestLabelWriter::tooLarge()
{
    const auto device = newDevice();
    format::NvList config = configOf(0);
    config.setText("comment", std::string(120 * KiB, 'x'));
    const Status status = vdev::initializeLabels(*device, config);
    QVERIFY(!status.has_value() && status.error().is(ErrorCode::TooLarge));
    QCOMPARE(device->storedPages(), std::size_t(0));
}

QTEST_GUILESS_MAIN(TestLabelWriter)
#include "tst_label_writer.moc"
