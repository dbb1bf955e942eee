// SPDX-License-Identifier: GPL-3.0-or-later
// Property: both back ends complete every request once, whole or with an error that names the file,
// and never exceed their depth. Method: the same cases on each, against a file of known bytes.
#include "runtime/io_queue.h"
#include "support/scratch.h"

#include <QTest>

#include <atomic>
#include <fcntl.h>
#include <latch>
#include <thread>
#include <unistd.h>

using namespace millpond;
using namespace millpond::runtime;

namespace {

constexpr std::size_t kFileBytes = 1'000'003;

std::byte patternAt(std::size_t offset)
{
    return static_cast<std::byte>((offset * 2654435761U) >> 13);
}

} // namespace

class TestIoQueue : public QObject
{
    Q_OBJECT

private:
    test::ScratchFolder m_scratch;
    std::string m_path;
    int m_file = -1;

    static void backends()
    {
        QTest::addColumn<int>("backend");
        QTest::newRow("io_uring") << static_cast<int>(IoBackend::Uring);
        QTest::newRow("threads") << static_cast<int>(IoBackend::Threads);
    }

    static Result<std::unique_ptr<IoQueue>> make(unsigned depth)
    {
        QFETCH(int, backend);
        return IoQueue::create(
            {.backend = static_cast<IoBackend>(backend), .depth = depth, .threads = 3});
    }

private Q_SLOTS:

    void initTestCase()
    {
        m_path = m_scratch.path("data").toStdString();
        m_file = open(m_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        QVERIFY(m_file >= 0);
        std::vector<std::byte> content(kFileBytes);
        for (std::size_t i = 0; i < content.size(); ++i) {
            content[i] = patternAt(i);
        }
        QCOMPARE(write(m_file, content.data(), content.size()),
                 static_cast<ssize_t>(content.size()));
    }

    void cleanupTestCase() { close(m_file); }

    void autoFindsOne()
    {
        const auto queue = IoQueue::create({});
        QVERIFY(queue.has_value());
        QVERIFY((*queue)->backend() != IoBackend::Auto);
    }

    void optionsOutOfRange()
    {
        QCOMPARE(IoQueue::create({.depth = 0}).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(IoQueue::create({.depth = 1'000'000}).error().code(), ErrorCode::InvalidArgument);
    }

    void manyReadsThroughASmallDepth_data() { backends(); }

    void manyReadsThroughASmallDepth()
    {
        auto queue = make(4);
        if (!queue && queue.error().is(ErrorCode::UnsupportedMethod)) {
            QSKIP("io_uring is switched off on this machine");
        }
        QVERIFY(queue.has_value());
        constexpr std::size_t kReads = 500;
        std::vector<std::vector<std::byte>> buffers(kReads);
        std::vector<IoRequest> batch(kReads);
        std::latch done(kReads);
        std::atomic<int> failures = 0;
        for (std::size_t i = 0; i < kReads; ++i) {
            buffers[i].resize(1 + (i * 37) % 5000);
            batch[i] = {.op = IoOp::Read,
                        .file = m_file,
                        .offset = ByteOffset((i * 7919) % (kFileBytes - 5001)),
                        .into = buffers[i],
                        .from = {},
                        .path = &m_path,
                        .done = [&](Status status) {
                            failures += status ? 0 : 1;
                            done.count_down();
                        }};
        }
        (*queue)->submit(batch);
        done.wait();
        QCOMPARE(failures.load(), 0);
        for (std::size_t i = 0; i < kReads; ++i) {
            const std::size_t offset = (i * 7919) % (kFileBytes - 5001);
            for (std::size_t j = 0; j < buffers[i].size(); ++j) {
                QVERIFY(buffers[i][j] == patternAt(offset + j));
            }
        }
    }

    void shortReadsNameTheFile_data() { backends(); }

    void shortReadsNameTheFile()
    {
        auto queue = make(8);
        if (!queue) {
            QSKIP("io_uring is switched off on this machine");
        }
        std::vector<std::byte> buffer(4096);
        for (const std::uint64_t offset : {kFileBytes - 100, kFileBytes, kFileBytes + 10'000}) {
            std::latch done(1);
            Status result;
            IoRequest request{.op = IoOp::Read,
                              .file = m_file,
                              .offset = ByteOffset(offset),
                              .into = buffer,
                              .from = {},
                              .path = &m_path,
                              .done = [&](Status status) {
                                  result = std::move(status);
                                  done.count_down();
                              }};
            (*queue)->submit(std::span(&request, 1));
            done.wait();
            QVERIFY(!result);
            QCOMPARE(result.error().code(), ErrorCode::DeviceIo);
            QVERIFY(result.error().toText().find(m_path) != std::string::npos);
            QVERIFY(result.error().what().find("end of file") != std::string::npos);
        }
    }

    void systemErrorsArrive_data() { backends(); }

    void systemErrorsArrive()
    {
        auto queue = make(8);
        if (!queue) {
            QSKIP("io_uring is switched off on this machine");
        }
        std::vector<std::byte> buffer(512);
        const int readOnly = open(m_path.c_str(), O_RDONLY | O_CLOEXEC);
        std::latch done(1);
        Status result;
        IoRequest request{.op = IoOp::Write,
                          .file = readOnly,
                          .offset = ByteOffset(0),
                          .into = {},
                          .from = buffer,
                          .path = &m_path,
                          .done = [&](Status status) {
                              result = std::move(status);
                              done.count_down();
                          }};
        (*queue)->submit(std::span(&request, 1));
        done.wait();
        close(readOnly);
        QVERIFY(!result);
        QVERIFY(result.error().what().find("cannot write 512 bytes at 0") != std::string::npos);
    }

    void writesAndSyncs_data() { backends(); }

    void writesAndSyncs()
    {
        auto queue = make(8);
        if (!queue) {
            QSKIP("io_uring is switched off on this machine");
        }
        const std::string path = m_scratch.path("written").toStdString();
        const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        std::vector<std::byte> block(3000, std::byte{0x5a});
        std::latch written(20);
        std::atomic<int> failures = 0;
        std::vector<IoRequest> batch(20);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            batch[i] = {.op = IoOp::Write,
                        .file = file,
                        .offset = ByteOffset(i * block.size()),
                        .into = {},
                        .from = block,
                        .path = &path,
                        .done = [&](Status status) {
                            failures += status ? 0 : 1;
                            written.count_down();
                        }};
        }
        (*queue)->submit(batch);
        written.wait();
        std::latch synced(1);
        IoRequest sync{.op = IoOp::Sync,
                       .file = file,
                       .offset = {},
                       .into = {},
                       .from = {},
                       .path = &path,
                       .done = [&](Status status) {
                           failures += status ? 0 : 1;
                           synced.count_down();
                       }};
        (*queue)->submit(std::span(&sync, 1));
        synced.wait();
        QCOMPARE(failures.load(), 0);
        std::vector<std::byte> back(20 * block.size());
        QCOMPARE(pread(file, back.data(), back.size(), 0), static_cast<ssize_t>(back.size()));
        QVERIFY(std::all_of(
            back.begin(), back.end(), [](std::byte b) { return b == std::byte{0x5a}; }));
        close(file);
    }

    void manyThreadsAtOnce_data() { backends(); }

    void manyThreadsAtOnce()
    {
        auto queue = make(16);
        if (!queue) {
            QSKIP("io_uring is switched off on this machine");
        }
        std::atomic<int> good = 0;
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < 8; ++t) {
            threads.emplace_back([&, t] {
                for (unsigned i = 0; i < 50; ++i) {
                    std::vector<std::byte> buffer(3 * 512);
                    std::latch done(3);
                    std::vector<IoRequest> batch(3);
                    const std::size_t offset = (t * 50 + i) * 1999;
                    for (std::size_t k = 0; k < 3; ++k) {
                        batch[k] = {.op = IoOp::Read,
                                    .file = m_file,
                                    .offset = ByteOffset(offset + k * 512),
                                    .into = MutableBytes(buffer).subspan(k * 512, 512),
                                    .from = {},
                                    .path = &m_path,
                                    .done = [&](Status) { done.count_down(); }};
                    }
                    (*queue)->submit(batch);
                    done.wait();
                    bool same = true;
                    for (std::size_t j = 0; j < buffer.size(); ++j) {
                        same = same && buffer[j] == patternAt(offset + j);
                    }
                    good += same ? 1 : 0;
                }
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        QCOMPARE(good.load(), 400);
    }

    void destructorWaitsForCompletions_data() { backends(); }

    void destructorWaitsForCompletions()
    {
        std::atomic<int> completed = 0;
        std::vector<std::byte> buffer(64 * 1500);
        {
            auto queue = make(64);
            if (!queue) {
                QSKIP("io_uring is switched off on this machine");
            }
            std::vector<IoRequest> batch(64);
            for (std::size_t i = 0; i < batch.size(); ++i) {
                batch[i] = {.op = IoOp::Read,
                            .file = m_file,
                            .offset = {},
                            .into = MutableBytes(buffer).subspan(i * 1500, 1500),
                            .from = {},
                            .path = &m_path,
                            .done = [&](Status) { ++completed; }};
            }
            (*queue)->submit(batch);
        }
        QCOMPARE(completed.load(), 64);
    }
};

QTEST_GUILESS_MAIN(TestIoQueue)
#include "tst_io_queue.moc"
