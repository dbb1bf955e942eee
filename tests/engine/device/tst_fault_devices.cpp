// SPDX-License-Identifier: GPL-3.0-or-later
// Property: each wrapper misbehaves exactly as planned and not otherwise. Method: one memory device
// below, looked at directly.
#include "device/fault_devices.h"
#include "device/memory_device.h"

#include <QTest>

using namespace millpond;
using namespace millpond::device;

class TestFaultDevices : public QObject
{
    Q_OBJECT

private:
    static std::shared_ptr<MemoryDevice> memory()
    {
        return std::make_shared<MemoryDevice>(MemoryDevice::Options{.size = ByteCount(1 * MiB)});
    }

    std::vector<std::byte> m_sectors = std::vector<std::byte>(4 * 512, std::byte{0x77});

private Q_SLOTS:

    void faultsByNumber()
    {
        FaultyDevice device(memory());
        device.setPlan({.failAt = 2});
        QVERIFY(device.write(ByteOffset(0), m_sectors).has_value());
        QVERIFY(device.flush().has_value());
        QCOMPARE(device.read(ByteOffset(0), m_sectors).error().code(), ErrorCode::DeviceIo);
        QVERIFY(device.read(ByteOffset(0), m_sectors).has_value());
        QCOMPARE(device.calls(), std::uint64_t{4});
        device.setPlan({.failAt = 0, .stayFailed = true});
        QVERIFY(!device.read(ByteOffset(0), m_sectors));
        QVERIFY(!device.discard(ByteOffset(0), ByteCount(512)));
    }

    void faultsByRange()
    {
        FaultyDevice device(memory());
        device.setPlan({.badReads = {{ByteOffset(1000), ByteCount(10)}}});
        std::vector<std::byte> byte(1);
        QVERIFY(device.read(ByteOffset(999), byte).has_value());
        QVERIFY(!device.read(ByteOffset(1000), byte));
        QVERIFY(!device.read(ByteOffset(1009), byte));
        QVERIFY(device.read(ByteOffset(1010), byte).has_value());
        QVERIFY(device.write(ByteOffset(512), m_sectors).has_value());
    }

    void corruptionIsConfinedAndRepeats()
    {
        const auto inner = memory();
        QVERIFY(inner->write(ByteOffset(0), m_sectors).has_value());
        CorruptingDevice device(inner, 5);
        device.setRanges({{ByteOffset(100), ByteCount(50)}});
        std::vector<std::byte> first(512);
        std::vector<std::byte> second(512);
        QVERIFY(device.read(ByteOffset(0), first).has_value());
        QVERIFY(device.read(ByteOffset(0), second).has_value());
        QVERIFY(first == second);
        for (std::size_t i = 0; i < first.size(); ++i) {
            QCOMPARE(first[i] == std::byte{0x77}, i < 100 || i >= 150);
        }
    }

    void tornWrites()
    {
        const auto inner = memory();
        TornDevice device(inner, {.tearWrite = 1, .keptSectors = 3});
        QVERIFY(device.write(ByteOffset(8192), m_sectors).has_value());
        QVERIFY(!device.write(ByteOffset(0), m_sectors));
        QVERIFY(!device.write(ByteOffset(0), m_sectors));
        QVERIFY(!device.flush());
        std::vector<std::byte> back(m_sectors.size());
        QVERIFY(device.read(ByteOffset(0), back).has_value());
        QCOMPARE(std::ranges::count(back, std::byte{0x77}), std::ptrdiff_t{3 * 512});
        QCOMPARE(back[3 * 512], std::byte{0});
    }

    void delays()
    {
        int waited = 0;
        DelayDevice device(memory(), [&waited] { ++waited; });
        QVERIFY(device.read(ByteOffset(0), m_sectors).has_value());
        QVERIFY(device.write(ByteOffset(0), m_sectors).has_value());
        QVERIFY(device.flush().has_value());
        QCOMPARE(waited, 3);
    }

    void batchesGoThroughTheWrapper()
    {
        FaultyDevice device(memory());
        device.setPlan({.failAt = 1});
        int good = 0;
        int bad = 0;
        std::vector<DeviceRequest> batch(3);
        for (DeviceRequest& request : batch) {
            request = {.op = runtime::IoOp::Read,
                       .offset = ByteOffset(0),
                       .into = m_sectors,
                       .from = {},
                       .done = [&](Status status) { ++(status ? good : bad); }};
        }
        device.submit(batch);
        QCOMPARE(good, 2);
        QCOMPARE(bad, 1);
    }
};

QTEST_GUILESS_MAIN(TestFaultDevices)
#include "tst_fault_devices.moc"
