// SPDX-License-Identifier: GPL-3.0-or-later
// Property: a memory device answers like a plain array, stores nothing for zero pages and keeps its
// bounds. Method: random writes, reads and discards beside the array.
#include "base/clock.h"
#include "device/memory_device.h"

#include <QTest>

#include <cstring>

using namespace millpond;
using millpond::device::MemoryDevice;

class TestMemoryDevice : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void likeAnArray()
    {
        constexpr std::size_t kSize = 100'000;
        MemoryDevice device({.size = ByteCount(kSize)});
        std::vector<std::byte> model(kSize);
        SeededRandom random(11);
        for (int step = 0; step < 2000; ++step) {
            const std::size_t offset = random.next() % kSize;
            const std::size_t size =
                random.next() % std::min<std::size_t>(kSize - offset + 1, 9000);
            std::vector<std::byte> bytes(size);
            switch (random.next() % 3) {
            case 0:
                std::ranges::generate(bytes, [&] { return static_cast<std::byte>(random.next()); });
                [[fallthrough]]; // zeroes otherwise
            case 1:
                QVERIFY(device.write(ByteOffset(offset), bytes).has_value());
                std::ranges::copy(bytes, model.begin() + static_cast<std::ptrdiff_t>(offset));
                break;
            default:
                QVERIFY(device.discard(ByteOffset(offset), ByteCount(size)).has_value());
                std::memset(model.data() + offset, 0, size);
            }
        }
        std::vector<std::byte> all(kSize);
        QVERIFY(device.read(ByteOffset(0), all).has_value());
        QVERIFY(all == model);
        QVERIFY(device.discard(ByteOffset(0), ByteCount(kSize)).has_value());
        QCOMPARE(device.storedPages(), std::size_t{0});
    }

    void zeroesAreNotStored()
    {
        MemoryDevice device({.size = ByteCount(1024 * GiB)}); // more than the machine has
        const std::vector<std::byte> zeroes(1 * MiB);
        QVERIFY(device.write(ByteOffset(512 * GiB), zeroes).has_value());
        QCOMPARE(device.storedPages(), std::size_t{0});
        std::vector<std::byte> byte(1, std::byte{1});
        QVERIFY(device.write(ByteOffset(1024 * GiB - 1), byte).has_value());
        QCOMPARE(device.storedPages(), std::size_t{1});
        byte[0] = std::byte{0};
        QVERIFY(device.write(ByteOffset(1024 * GiB - 1), byte).has_value());
        QCOMPARE(device.storedPages(), std::size_t{0});
    }

    void bounds()
    {
        MemoryDevice device({.size = ByteCount(8192), .maxPages = 1});
        std::vector<std::byte> bytes(10, std::byte{7});
        for (const std::uint64_t offset :
             {std::uint64_t{8183}, std::uint64_t{8192}, ~std::uint64_t{0} - 5}) {
            QCOMPARE(device.read(ByteOffset(offset), bytes).error().code(), ErrorCode::DeviceIo);
            QCOMPARE(device.write(ByteOffset(offset), bytes).error().code(), ErrorCode::DeviceIo);
        }
        QVERIFY(device.write(ByteOffset(0), bytes).has_value());
        QCOMPARE(device.write(ByteOffset(5000), bytes).error().code(), ErrorCode::DeviceIo); // full
    }
};

QTEST_GUILESS_MAIN(TestMemoryDevice)
#include "tst_memory_device.moc"
