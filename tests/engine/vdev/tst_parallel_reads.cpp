// SPDX-License-Identifier: GPL-3.0-or-later
// Property: many threads reading one raidz through real files and either back end of the I/O queue
// all get the right bytes, also while a device comes and goes. Method: image files written by the
// slow model, one column damaged, one leaf's state changing all the time.
#include "base/buffer.h"
#include "device/file_device.h"
#include "pool_of_memory.h"
#include "support/scratch.h"

#include <atomic>
#include <fcntl.h>
#include <numeric>
#include <thread>
#include <unistd.h>

using namespace millpond;
using namespace millpond::test;

namespace {

constexpr std::size_t kWidth = 5;
constexpr std::size_t kParity = 2;
constexpr std::size_t kBlocks = 8;
constexpr std::size_t kBlockBytes = 128 * KiB;

std::uint64_t offsetOf(std::size_t block)
{
    return block * 256 * KiB;
}

} // namespace

class TestParallelReads : public QObject
{
    Q_OBJECT

private:
    ScratchFolder m_scratch;
    std::vector<std::string> m_paths;
    std::vector<std::vector<std::byte>> m_data;

private Q_SLOTS:

    void initTestCase()
    {
        std::vector<int> files;
        for (std::size_t i = 0; i < kWidth; ++i) {
            m_paths.push_back(m_scratch.path("disk").toStdString() + std::to_string(i));
            files.push_back(open(m_paths.back().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
            QCOMPARE(ftruncate(files.back(), MemoryPool::kDeviceBytes), 0);
        }
        for (std::size_t block = 0; block < kBlocks; ++block) {
            m_data.push_back(randomBytes(block, kBlockBytes));
            auto columns = modelRaidz(kWidth, kParity, 12, offsetOf(block), m_data.back());
            columns[block % columns.size()].content[17] ^= std::byte{1};
            for (const ModelColumn& column : columns) {
                QCOMPARE(pwrite(files[column.child],
                                column.content.data(),
                                column.content.size(),
                                static_cast<off_t>(column.offset + format::kLabelStartBytes)),
                         static_cast<ssize_t>(column.content.size()));
            }
        }
        for (const int file : files) {
            close(file);
        }
    }

    void readers_data()
    {
        QTest::addColumn<int>("backend");
        QTest::newRow("io_uring") << static_cast<int>(runtime::IoBackend::Uring);
        QTest::newRow("threads") << static_cast<int>(runtime::IoBackend::Threads);
    }

    void readers()
    {
        QFETCH(int, backend);
        auto queue = runtime::IoQueue::create(
            {.backend = static_cast<runtime::IoBackend>(backend), .depth = 8});
        if (!queue) {
            QSKIP("io_uring is switched off on this machine");
        }
        std::vector<format::NvList> leaves;
        vdev::DeviceMap devices;
        for (std::size_t i = 0; i < kWidth; ++i) {
            leaves.push_back(vdevConfig("file", i, 100 + i));
            leaves.back().setText("path", m_paths[i]);
            auto device = device::openFileDevice(m_paths[i], {.queue = queue->get()});
            QVERIFY(device.has_value());
            devices[MemoryPool::guid(i)].device = *std::move(device);
        }
        const SystemClock clock;
        const auto tree = vdev::VdevTree::build(
            rootOf({MemoryPool::raidz(leaves, kParity, 12)}), devices, {.clock = &clock});
        QVERIFY(tree.has_value());
        std::atomic<bool> stop = false;
        std::thread flipper([&] {
            for (bool there = false; !stop; there = !there) {
                (void)(*tree)->setLeafState(MemoryPool::guid(3),
                                            there ? vdev::VdevState::Healthy
                                                  : vdev::VdevState::Removed,
                                            vdev::VdevAux::None);
                (void)(*tree)->status();
            }
        });
        std::atomic<int> wrong = 0;
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < 4; ++t) {
            threads.emplace_back([&, t] {
                Buffer out = *Buffer::create(kBlockBytes);
                for (std::size_t i = 0; i < 40; ++i) {
                    const std::vector<std::byte>& expected = m_data[(i + t) % kBlocks];
                    const auto verify = [&](Bytes bytes) {
                        return vdev::detail::sameBytes(bytes, expected);
                    };
                    const auto outcome = (*tree)->top(VdevId(0))->read(
                        ByteOffset(offsetOf((i + t) % kBlocks)), out.bytes(), verify, {});
                    wrong += outcome && verify(out.bytes()) ? 0 : 1;
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        stop = true;
        flipper.join();
        QCOMPARE(wrong.load(), 0);
        const vdev::VdevStatus root = (*tree)->status().front();
        QVERIFY(root.io.readOps > 160);
        QVERIFY(root.io.readTimeNs > 0);
        const auto sum = [](const auto& histogram) {
            return std::accumulate(histogram.begin(), histogram.end(), std::uint64_t{0});
        };
        QCOMPARE(sum(root.io.reads.latency), root.io.readOps);
        QCOMPARE(sum(root.io.reads.size) + sum(root.io.reads.joinedSize), root.io.readOps);
        // A column of these blocks: every request of it is in one bucket.
        const std::size_t bucket = std::bit_width(kBlockBytes / (kWidth - kParity)) - 1;
        QCOMPARE(root.io.reads.size.at(bucket), root.io.readOps);
        QCOMPARE(root.io.readsActive, std::uint64_t{0});
    }
};

QTEST_GUILESS_MAIN(TestParallelReads)
#include "tst_parallel_reads.moc"
