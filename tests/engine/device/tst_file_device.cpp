// SPDX-License-Identifier: GPL-3.0-or-later
// Property: image files and block devices are read right whatever the alignment, with and without
// the page cache and a queue, and have one writer or many readers, also between processes. Method:
// a file of known bytes; child processes that try to open what the parent holds; a loop device.
#include "base/buffer.h"
#include "device/file_device.h"
#include "support/cleanup.h"
#include "support/scratch.h"

#include <QTest>

#include <cstring>
#include <fcntl.h>
#include <latch>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace millpond;
using namespace millpond::device;

namespace {

constexpr std::size_t kFileBytes = 1'048'576 + 700; // the end is not aligned

std::byte patternAt(std::size_t offset)
{
    return static_cast<std::byte>((offset * 2654435761U) >> 11);
}

bool matches(Bytes bytes, std::size_t offset)
{
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] != patternAt(offset + i)) {
            return false;
        }
    }
    return true;
}

/// Runs `work` in a child process; what it returns.
template <class Work> int inChild(Work work)
{
    const pid_t child = fork();
    if (child == 0) {
        _exit(work());
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// 0: opened; 1: busy; 2: another error.
int openOutcome(const std::string& path, Access access)
{
    const auto device = openFileDevice(path, {.access = access});
    if (device) {
        return 0;
    }
    return device.error().is(ErrorCode::DeviceBusy) ? 1 : 2;
}

} // namespace

class TestFileDevice : public QObject
{
    Q_OBJECT

private:
    test::ScratchFolder m_scratch;
    std::string m_path;

    static void ways()
    {
        QTest::addColumn<int>("cache");
        QTest::addColumn<int>("backend");
        const auto cached = static_cast<int>(PageCache::Use);
        const auto direct = static_cast<int>(PageCache::Bypass);
        QTest::newRow("cached") << cached << -1;
        QTest::newRow("direct") << direct << -1;
        QTest::newRow("cached, io_uring") << cached << static_cast<int>(runtime::IoBackend::Uring);
        QTest::newRow("direct, io_uring") << direct << static_cast<int>(runtime::IoBackend::Uring);
        QTest::newRow("cached, threads") << cached << static_cast<int>(runtime::IoBackend::Threads);
        QTest::newRow("direct, threads") << direct << static_cast<int>(runtime::IoBackend::Threads);
    }

private Q_SLOTS:

    void init()
    {
        m_path = m_scratch.path("image").toStdString();
        std::vector<std::byte> content(kFileBytes);
        for (std::size_t i = 0; i < content.size(); ++i) {
            content[i] = patternAt(i);
        }
        const int file = open(m_path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
        QCOMPARE(write(file, content.data(), content.size()), static_cast<ssize_t>(content.size()));
        close(file);
    }

    void readsOfAnyAlignment_data() { ways(); }

    void readsOfAnyAlignment()
    {
        QFETCH(int, cache);
        QFETCH(int, backend);
        std::unique_ptr<runtime::IoQueue> queue;
        if (backend >= 0) {
            auto made =
                runtime::IoQueue::create({.backend = static_cast<runtime::IoBackend>(backend)});
            if (!made) {
                QSKIP("io_uring is switched off on this machine");
            }
            queue = *std::move(made);
        }
        const auto device = openFileDevice(
            m_path, {.pageCache = static_cast<PageCache>(cache), .queue = queue.get()});
        QVERIFY(device.has_value());
        QCOMPARE((*device)->size().value(), std::uint64_t{kFileBytes});
        Buffer buffer = *Buffer::create(64 * KiB);
        std::vector<DeviceRequest> batch;
        std::vector<std::pair<std::size_t, MutableBytes>> reads;
        const std::vector<std::size_t> sizes{1, 511, 512, 4096, 5000, 65'536 - 512};
        std::vector<Buffer> buffers;
        for (const std::size_t size : sizes) {
            for (const std::size_t offset : {std::size_t{0},
                                             std::size_t{1},
                                             std::size_t{512},
                                             std::size_t{4096},
                                             std::size_t{100'001},
                                             kFileBytes - size}) {
                for (const std::size_t shift : {0, 1, 512}) {
                    const MutableBytes into =
                        buffer.bytes().subspan(shift, std::min(size, std::size_t{65'000}));
                    std::memset(into.data(), 0, into.size());
                    QVERIFY((*device)->read(ByteOffset(offset), into).has_value());
                    QVERIFY(matches(into, offset));
                }
                buffers.push_back(*Buffer::create(size));
                reads.emplace_back(offset, buffers.back().bytes());
            }
        }
        std::latch done(static_cast<std::ptrdiff_t>(reads.size()));
        for (const auto& [offset, into] : reads) {
            batch.push_back({.op = runtime::IoOp::Read,
                             .offset = ByteOffset(offset),
                             .into = into,
                             .from = {},
                             .done = [&done](Status status) {
                                 QVERIFY(status.has_value());
                                 done.count_down();
                             }});
        }
        (*device)->submit(batch);
        done.wait();
        for (const auto& [offset, into] : reads) {
            QVERIFY(matches(into, offset));
        }
    }

    void errorsNameThePath()
    {
        const std::string missing = m_scratch.path("missing").toStdString();
        const auto none = openFileDevice(missing, {});
        QCOMPARE(none.error().code(), ErrorCode::NoSuchDevice);
        QVERIFY(none.error().toText().find(missing) != std::string::npos);
        QCOMPARE(openFileDevice(m_scratch.path().toStdString(), {}).error().code(),
                 ErrorCode::InvalidArgument);
        const std::string fifo = m_scratch.path("fifo").toStdString();
        QCOMPARE(mkfifo(fifo.c_str(), 0600), 0);
        QCOMPARE(openFileDevice(fifo, {}).error().code(), ErrorCode::InvalidArgument);
        QCOMPARE(openFileDevice("/dev/null", {}).error().code(), ErrorCode::InvalidArgument);

        const auto device = openFileDevice(m_path, {});
        std::vector<std::byte> bytes(100);
        const Status past = (*device)->read(ByteOffset(kFileBytes - 99), bytes);
        QCOMPARE(past.error().code(), ErrorCode::DeviceIo);
        QVERIFY(past.error().toText().find(m_path) != std::string::npos);
        QCOMPARE((*device)->write(ByteOffset(0), bytes).error().code(), ErrorCode::ReadOnly);
        // Cut off behind our back.
        QCOMPARE(truncate(m_path.c_str(), 1000), 0);
        const Status cut = (*device)->read(ByteOffset(950), bytes);
        QCOMPARE(cut.error().code(), ErrorCode::DeviceIo);
        QVERIFY(cut.error().toText().find(m_path) != std::string::npos);
    }

    void writes()
    {
        for (const PageCache cache : {PageCache::Use, PageCache::Bypass}) {
            const auto device =
                openFileDevice(m_path, {.access = Access::WriteExclusive, .pageCache = cache});
            QVERIFY(device.has_value());
            Buffer block = *Buffer::create(8192);
            std::memset(block.bytes().data(), 0x3c, block.size());
            QVERIFY((*device)->write(ByteOffset(4096), block.bytes()).has_value());
            QVERIFY((*device)->write(ByteOffset(512), block.bytes().subspan(1, 512)).has_value());
            QVERIFY((*device)->flush().has_value());
            QCOMPARE((*device)->write(ByteOffset(1), block.bytes()).error().code(),
                     ErrorCode::InvalidArgument);
            std::vector<std::byte> back(8192);
            QVERIFY((*device)->read(ByteOffset(4096), back).has_value());
            QVERIFY(std::ranges::all_of(back, [](std::byte b) { return b == std::byte{0x3c}; }));
            const Status discarded = (*device)->discard(ByteOffset(4096), ByteCount(4096));
            if (discarded) {
                QVERIFY((*device)->read(ByteOffset(4096), back).has_value());
                QCOMPARE(back[0], std::byte{0});
                QCOMPARE(back[4096], std::byte{0x3c});
            }
        }
    }

    void oneWriterOrManyReaders()
    {
        // In one process: locks of open file descriptions hold there too.
        {
            const auto reader = openFileDevice(m_path, {.access = Access::ReadShared});
            QVERIFY(reader.has_value());
            QCOMPARE(openOutcome(m_path, Access::ReadShared), 0);
            QCOMPARE(openOutcome(m_path, Access::Probe), 0);
            QCOMPARE(openOutcome(m_path, Access::WriteExclusive), 1);
            QCOMPARE(inChild([&] { return openOutcome(m_path, Access::ReadShared); }), 0);
            QCOMPARE(inChild([&] { return openOutcome(m_path, Access::WriteExclusive); }), 1);
        }
        {
            const auto writer = openFileDevice(m_path, {.access = Access::WriteExclusive});
            QVERIFY(writer.has_value());
            QCOMPARE(openOutcome(m_path, Access::ReadShared), 1);
            QCOMPARE(inChild([&] { return openOutcome(m_path, Access::ReadShared); }), 1);
            QCOMPARE(inChild([&] { return openOutcome(m_path, Access::WriteExclusive); }), 1);
            QCOMPARE(inChild([&] { return openOutcome(m_path, Access::Probe); }), 0);
        }
        QCOMPARE(openOutcome(m_path, Access::WriteExclusive), 0); // all let go
    }

    void theHolderIsNamed()
    {
        int ready[2];
        int go[2];
        QCOMPARE(pipe(ready), 0);
        QCOMPARE(pipe(go), 0);
        const pid_t child = fork();
        if (child == 0) {
            const auto held = openFileDevice(m_path, {.access = Access::WriteExclusive});
            char byte = held ? 'y' : 'n';
            (void)!write(ready[1], &byte, 1);
            (void)!read(go[0], &byte, 1);
            _exit(0);
        }
        char byte = 0;
        QCOMPARE(read(ready[0], &byte, 1), ssize_t{1});
        QCOMPARE(byte, 'y');
        const auto refused = openFileDevice(m_path, {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code(), ErrorCode::DeviceBusy);
        QVERIFY2(refused.error().what().find(std::to_string(child)) != std::string::npos,
                 refused.error().toText().c_str());
        QCOMPARE(write(go[1], &byte, 1), ssize_t{1});
        waitpid(child, nullptr, 0);
        for (const int end : {ready[0], ready[1], go[0], go[1]}) {
            close(end);
        }
        QVERIFY(openFileDevice(m_path, {}).has_value()); // a dead owner holds nothing
    }

    void blockDevice()
    {
        QCOMPARE(truncate(m_path.c_str(), 1'048'576), 0);
        const test::LoopDevice loop(QString::fromStdString(m_path),
                                    test::LoopDevice::Access::ReadWrite);
        if (loop.device().isEmpty()) {
            QSKIP("needs root to make a loop device");
        }
        const std::string path = loop.device().toStdString();
        {
            const auto reader = openFileDevice(path, {.access = Access::ReadShared});
            QVERIFY2(reader.has_value(), reader ? "" : reader.error().toText().c_str());
            QCOMPARE((*reader)->size().value(), std::uint64_t{1'048'576});
            std::vector<std::byte> bytes(3000);
            QVERIFY((*reader)->read(ByteOffset(777), bytes).has_value());
            QVERIFY(matches(bytes, 777));
            QCOMPARE(inChild([&] { return openOutcome(path, Access::ReadShared); }), 0);
            QCOMPARE(inChild([&] { return openOutcome(path, Access::WriteExclusive); }), 1);
            // Somebody who knows only O_EXCL, such as mount.
            QCOMPARE(open(path.c_str(), O_RDWR | O_EXCL | O_CLOEXEC), -1);
        }
        const int foreign = open(path.c_str(), O_RDONLY | O_EXCL | O_CLOEXEC);
        QVERIFY(foreign >= 0);
        QCOMPARE(openOutcome(path, Access::ReadShared), 1);
        QCOMPARE(openOutcome(path, Access::WriteExclusive), 1);
        close(foreign);
        QCOMPARE(openOutcome(path, Access::WriteExclusive), 0);
    }
};

QTEST_GUILESS_MAIN(TestFileDevice)
#include "tst_file_device.moc"
