// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: mounts come, go and end as asked for, and leave nothing behind: busy ones stay, forced
// ones go, hidden datasets disappear from the kernel's caches and come back, a killed server leaves
// no dead mount, a slow disk keeps only those waiting who read from it. Method: mount_host with
// golden pools, the mount table and plain system calls; slow_disk for the disk.
#include "posix/mounted_pool.h"
#include "support/cleanup.h"
#include "support/pools.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <thread>
#include <unistd.h>

using namespace millpond::test;

namespace {
bool exists(const QString& path)
{
    struct stat info = {};
    return ::lstat(qPrintable(path), &info) == 0;
}

ino_t inodeOf(const QString& path)
{
    struct stat info = {};
    return ::lstat(qPrintable(path), &info) == 0 ? info.st_ino : 0;
}

class Open
{
public:
    explicit Open(const QString& path, int flags = O_RDONLY)
        : m_fd(::open(qPrintable(path), flags | O_CLOEXEC))
    {
    }

    ~Open() { close(); }

    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

    void close()
    {
        if (m_fd >= 0) {
            ::close(m_fd);
        }
        m_fd = -1;
    }

    [[nodiscard]] int fd() const { return m_fd; }

private:
    int m_fd;
};

const QString kPool = QStringLiteral("a_single");
const QString kFolder = QStringLiteral("a-single");
} // namespace

#define MP_REQUIRE_MOUNTS(mode)                                                                    \
    do {                                                                                           \
        if (const QString reason = cannotMount(mode); !reason.isEmpty()) {                         \
            QSKIP(qPrintable(reason));                                                             \
        }                                                                                          \
        MP_REQUIRE_POOL(kFolder);                                                                  \
    } while (false)

class TestMountLife : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void oneMountShowsTheTree()
    {
        MP_REQUIRE_MOUNTS(MountMode::Foreign);
        MountedPool mounted(MountMode::Foreign);
        QVERIFY2(mounted.start(unpackGoldenPool(kFolder), kPool), mounted.error());
        QVERIFY2(mounted.command(QStringLiteral("mount")), mounted.error());
        QCOMPARE(mountsBelow(mounted.root()).size(), 1);
        const QString top = mounted.pathOf(kPool);
        QVERIFY(exists(top + QStringLiteral("/data/.zfs/snapshot/snap1")));
        QVERIFY(!exists(top + QStringLiteral("/data/.zfs/snapshot/nosuch")));
        QVERIFY(!QDir(top + QStringLiteral("/data"))
                     .entryList(QDir::AllEntries | QDir::Hidden)
                     .contains(QStringLiteral(".zfs")));
        QVERIFY(QDir(top + QStringLiteral("/nest/name with space"))
                    .entryList(QDir::AllEntries | QDir::Hidden)
                    .contains(QStringLiteral(".zfs")));
        QCOMPARE(QDir(top + QStringLiteral("/data/.zfs/snapshot"))
                     .entryList(QDir::Dirs | QDir::NoDotAndDotDot),
                 (QStringList{
                     QStringLiteral("snap1"), QStringLiteral("snap2"), QStringLiteral("snap3")}));
        QFile table(QStringLiteral("/proc/self/mounts"));
        QVERIFY(table.open(QIODevice::ReadOnly));
        const QByteArray line = "a_single " + top.toUtf8() + " fuse.zfs ro,nosuid,nodev";
        QVERIFY2(table.readAll().contains(line), line.constData());
    }

    void writingIsRefused()
    {
        MP_REQUIRE_MOUNTS(MountMode::Foreign);
        MountedPool mounted(MountMode::Foreign);
        QVERIFY2(mounted.start(unpackGoldenPool(kFolder), kPool), mounted.error());
        QVERIFY2(mounted.command(QStringLiteral("mount")), mounted.error());
        const QString file = mounted.pathOf(kPool) + QStringLiteral("/top/one");
        QVERIFY(exists(file));
        QCOMPARE(::open(qPrintable(file), O_RDWR), -1);
        QCOMPARE(errno, EROFS);
        QCOMPARE(::unlink(qPrintable(file)), -1);
        QCOMPARE(errno, EROFS);
        QCOMPARE(::setxattr(qPrintable(file), "user.x", "y", 1, 0), -1);
        QCOMPARE(errno, EROFS);
        QVERIFY(!mounted.command(QStringLiteral("mount -o rw a_single/nest/noauto")));
    }

    void hiddenDatasetsDisappearAndComeBack()
    {
        MP_REQUIRE_MOUNTS(MountMode::Foreign);
        MountedPool mounted(MountMode::Foreign);
        QVERIFY2(mounted.start(unpackGoldenPool(kFolder), kPool), mounted.error());
        QVERIFY2(mounted.command(QStringLiteral("mount")), mounted.error());
        const QString top = mounted.pathOf(kPool);
        const QString inside = top + QStringLiteral("/data/acl");
        QVERIFY(exists(inside));
        const ino_t shown = inodeOf(top + QStringLiteral("/data"));
        {
            const Open busy(top + QStringLiteral("/data"), O_RDONLY | O_DIRECTORY);
            QVERIFY(!mounted.command(QStringLiteral("unmount a_single/data")));
            QVERIFY2(mounted.error().contains("DatasetBusy"), mounted.error());
            QVERIFY(exists(inside));
        }
        // The kernel tells of the end of an open file when it has the time.
        bool hidden = false;
        QTRY_VERIFY2((hidden = hidden || mounted.command(QStringLiteral("unmount a_single/data"))),
                     mounted.error());
        QVERIFY(!exists(inside));
        QVERIFY(exists(top + QStringLiteral("/data"))); // the folder it was mounted on
        QVERIFY(inodeOf(top + QStringLiteral("/data")) != shown);
        QVERIFY(!mounted.command(QStringLiteral("unmount a_single/data")));
        QVERIFY2(mounted.error().contains("NotMounted"), mounted.error());
        QVERIFY2(mounted.command(QStringLiteral("mount a_single/data")), mounted.error());
        QVERIFY(exists(inside));
        QCOMPARE(inodeOf(top + QStringLiteral("/data")), shown);
    }

    void foldersStandForWhatIsNotMounted()
    {
        MP_REQUIRE_MOUNTS(MountMode::Foreign);
        MountedPool mounted(MountMode::Foreign);
        QVERIFY2(mounted.start(unpackGoldenPool(kFolder), kPool), mounted.error());
        QVERIFY2(mounted.command(QStringLiteral("mount a_single/nest/n2/n3")), mounted.error());
        const QString top = mounted.root() + QStringLiteral("/a_single");
        QCOMPARE(QDir(top).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot),
                 QStringList{QStringLiteral("nest")});
        QCOMPARE(QDir(top + QStringLiteral("/nest/n2"))
                     .entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
                 QStringList{QStringLiteral("n3")});
        struct stat info = {};
        QCOMPARE(::stat(qPrintable(top), &info), 0);
        QCOMPARE(info.st_mode, mode_t{S_IFDIR | 0555});
        QVERIFY(!exists(top + QStringLiteral("/nest/.zfs")));
        QVERIFY(exists(top + QStringLiteral("/nest/n2/n3/.zfs/snapshot/rec")));
        QVERIFY2(mounted.command(QStringLiteral("mount a_single")), mounted.error());
        QVERIFY(exists(top + QStringLiteral("/top/one")));
        QCOMPARE(inodeOf(top), ino_t{34});
        QVERIFY2(mounted.command(QStringLiteral("unmount a_single/nest/n2/n3")), mounted.error());
        QVERIFY2(mounted.command(QStringLiteral("unmount a_single")), mounted.error());
        QCOMPARE(mountsBelow(mounted.root()), QStringList());
        QVERIFY(!QDir(top).exists()); // made for the mount
    }

    void notEverythingMounts()
    {
        MP_REQUIRE_MOUNTS(MountMode::System);
        MountedPool mounted(MountMode::System);
        QVERIFY2(mounted.start(unpackGoldenPool(kFolder), kPool), mounted.error());
        QVERIFY(!mounted.command(QStringLiteral("mount a_single/nest/off")));
        QVERIFY(!mounted.command(QStringLiteral("mount a_single/nest/none")));
        QVERIFY(!mounted.command(QStringLiteral("mount a_single/nest/legacy")));
        QVERIFY(!mounted.command(QStringLiteral("mount a_single/nosuch")));
        QVERIFY2(mounted.error().contains("NoSuchDataset"), mounted.error());
        QVERIFY(!mounted.command(QStringLiteral("mount a_single/data@snap1")));
        // Its mountpoint is /a below the altroot, and that is not empty.
        QVERIFY(QDir().mkpath(mounted.root() + QStringLiteral("/a/precious")));
        QVERIFY(!mounted.command(QStringLiteral("mount a_single")));
        QVERIFY2(mounted.error().contains("not empty"), mounted.error());
        QVERIFY(QDir().rmdir(mounted.root() + QStringLiteral("/a/precious")));
        QVERIFY2(mounted.command(QStringLiteral("mount a_single")), mounted.error());
        // One elsewhere gets a mount of its own, one with other options, too, inside the first.
        QVERIFY2(mounted.command(QStringLiteral("mount a_single/nest/noauto")), mounted.error());
        QVERIFY2(mounted.command(QStringLiteral("mount -o noexec a_single/data")), mounted.error());
        QCOMPARE(mounted.pathOf(QStringLiteral("a_single/nest/noauto")),
                 mounted.root() + QStringLiteral("/elsewhere"));
        const QString data = mounted.root() + QStringLiteral("/a/data");
        QCOMPARE(mounted.pathOf(QStringLiteral("a_single/data")), data);
        QCOMPARE(mountsBelow(mounted.root()).size(), 3);
        QVERIFY(exists(data + QStringLiteral("/acl")));
        QCOMPARE(inodeOf(data), ino_t{34});
        QVERIFY2(mounted.command(QStringLiteral("unmount a_single")), mounted.error());
        QCOMPARE(mountsBelow(mounted.root()).size(), 1);
        QVERIFY2(mounted.command(QStringLiteral("unmount")), mounted.error());
        QCOMPARE(mountsBelow(mounted.root()), QStringList());
    }

    void busyMountsStayUnlessForced()
    {
        MP_REQUIRE_MOUNTS(MountMode::Foreign);
        MountedPool mounted(MountMode::Foreign);
        QVERIFY2(mounted.start(unpackGoldenPool(kFolder), kPool), mounted.error());
        QVERIFY2(mounted.command(QStringLiteral("mount")), mounted.error());
        const Open busy(mounted.pathOf(kPool) + QStringLiteral("/top/random60k"));
        QVERIFY(busy.fd() >= 0);
        QVERIFY(!mounted.command(QStringLiteral("unmount")));
        QVERIFY2(mounted.error().contains("DatasetBusy"), mounted.error());
        QCOMPARE(mountsBelow(mounted.root()).size(), 1);
        QVERIFY2(mounted.command(QStringLiteral("unmount -f")), mounted.error());
        QCOMPARE(mountsBelow(mounted.root()), QStringList());
        char byte = 0;
        QCOMPARE(::pread(busy.fd(), &byte, 1, 5000), ssize_t{-1});
        QVERIFY2(mounted.command(QStringLiteral("mount")), mounted.error());
        QVERIFY(exists(mounted.pathOf(kPool) + QStringLiteral("/top/random60k")));
    }

    void whoeverUnmountsIsNoticed()
    {
        MP_REQUIRE_MOUNTS(MountMode::Foreign);
        MountedPool mounted(MountMode::Foreign);
        QVERIFY2(mounted.start(unpackGoldenPool(kFolder), kPool), mounted.error());
        QVERIFY2(mounted.command(QStringLiteral("mount")), mounted.error());
        QCOMPARE(::umount2(qPrintable(mounted.pathOf(kPool)), 0), 0);
        QTRY_VERIFY(mounted.pathOf(kPool).isEmpty());
        QVERIFY2(mounted.command(QStringLiteral("mount")), mounted.error());
        QVERIFY(!mounted.pathOf(kPool).isEmpty());
    }

    void sigtermUnmountsEvenWhatIsBusy()
    {
        MP_REQUIRE_MOUNTS(MountMode::Foreign);
        MountedPool mounted(MountMode::Foreign);
        QVERIFY2(mounted.start(unpackGoldenPool(kFolder), kPool), mounted.error());
        QVERIFY2(mounted.command(QStringLiteral("mount")), mounted.error());
        const Open busy(mounted.pathOf(kPool) + QStringLiteral("/top/one"));
        QVERIFY(mounted.terminate(20'000));
        QCOMPARE(mounted.process().exitCode(), 0);
        QCOMPARE(mountsBelow(mounted.root()), QStringList());
    }

    void aKilledServerLeavesNoDeadMount_data()
    {
        QTest::addColumn<int>("mode");
        QTest::newRow("system") << static_cast<int>(MountMode::Foreign);
        QTest::newRow("private") << static_cast<int>(MountMode::Private);
    }

    void aKilledServerLeavesNoDeadMount()
    {
        QFETCH(int, mode);
        MP_REQUIRE_MOUNTS(static_cast<MountMode>(mode));
        MountedPool mounted(static_cast<MountMode>(mode));
        QVERIFY2(mounted.start(unpackGoldenPool(kFolder), kPool), mounted.error());
        QVERIFY2(mounted.command(QStringLiteral("mount")), mounted.error());
        QCOMPARE(mountsBelow(mounted.root()).size(), 1);
        mounted.process().kill();
        QVERIFY(mounted.process().waitForFinished());
        QTRY_COMPARE(mountsBelow(mounted.root()), QStringList());
        QVERIFY(QDir(mounted.root()).exists());
    }

    void twoPoolsAtOnce()
    {
        MP_REQUIRE_MOUNTS(MountMode::Foreign);
        MP_REQUIRE_POOL(QStringLiteral("c-raidz1"));
        MountedPool first(MountMode::Foreign);
        MountedPool second(MountMode::Foreign);
        QVERIFY2(first.start(unpackGoldenPool(kFolder), kPool), first.error());
        QVERIFY2(
            second.start(unpackGoldenPool(QStringLiteral("c-raidz1")), QStringLiteral("c_raidz1")),
            second.error());
        QVERIFY2(first.command(QStringLiteral("mount")), first.error());
        QVERIFY2(second.command(QStringLiteral("mount")), second.error());
        QVERIFY(outputOf(QStringLiteral("find"), {first.root()}).count('\n') > 1000);
        QVERIFY(outputOf(QStringLiteral("find"), {second.root()}).count('\n') > 50);
    }

    void aSlowDiskKeepsOnlyItsReadersWaiting()
    {
        MP_REQUIRE_MOUNTS(MountMode::Foreign);
        ScratchFolder scratch;
        const QString disk = scratch.path(QStringLiteral("disk"));
        const QString control = scratch.path(QStringLiteral("control"));
        QVERIFY(QDir().mkdir(disk));
        QProcess slow;
        slow.start(QStringLiteral(MILLPOND_BINARY_DIR "/tests/slow_disk"),
                   {unpackGoldenPool(kFolder) + QStringLiteral("/disk0.img"), disk, control});
        QTRY_VERIFY(exists(disk + QStringLiteral("/disk0.img")));
        {
            MountedPool mounted(MountMode::Foreign);
            QVERIFY2(mounted.start(disk, kPool), mounted.error());
            QVERIFY2(mounted.command(QStringLiteral("mount")), mounted.error());
            const QString top = mounted.pathOf(kPool) + QStringLiteral("/top/");
            QStringList known;
            for (const QString& name : QDir(top).entryList(QDir::Files)) {
                known << top + name;
                QVERIFY(exists(known.last()));
            }
            QVERIFY(known.size() >= 8);
            QFile setting(control);
            QVERIFY(setting.open(QIODevice::WriteOnly));
            setting.write("1500\n");
            setting.close();
            // More readers than the server has threads, all of files whose data it has not.
            std::atomic<int> reading = 0;
            std::vector<std::thread> readers;
            for (int i = 0; i < 12; ++i) {
                readers.emplace_back([&, path = known[i % known.size()].toLocal8Bit()] {
                    ++reading;
                    const int file = ::open(path.constData(), O_RDONLY | O_CLOEXEC);
                    char bytes[512];
                    (void)!::read(file, bytes, sizeof(bytes));
                    ::close(file);
                    --reading;
                });
            }
            QTest::qWait(200);
            QElapsedTimer timer;
            timer.start();
            int looked = 0;
            for (const QString& path : std::as_const(known)) {
                // Past the kernel's caches, to the server.
                struct statx info = {};
                looked += ::statx(AT_FDCWD,
                                  qPrintable(path),
                                  AT_STATX_FORCE_SYNC,
                                  STATX_BASIC_STATS,
                                  &info) == 0
                              ? 1
                              : 0;
            }
            const qint64 took = timer.elapsed();
            const int stillReading = reading;
            for (std::thread& reader : readers) {
                reader.join();
            }
            QFile::remove(control);
            QCOMPARE(looked, known.size());
            QVERIFY2(stillReading > 2, qPrintable(QString::number(stillReading)));
            QVERIFY2(took < 1000, qPrintable(QString::number(took)));
        }
        unmountBelow(scratch.path());
        slow.waitForFinished(5'000);
    }
};

QTEST_GUILESS_MAIN(TestMountLife)
#include "tst_mount_life.moc"
