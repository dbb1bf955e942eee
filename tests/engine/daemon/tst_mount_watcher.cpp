// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the watcher recognises its mounts in the kernel's table, and nothing else, and ends
// when the helper's end of the pipe does. Method: lines of /proc/self/mountinfo; a watcher whose
// owner lets go.
#include "daemon/mount_watcher.h"

#include <QTest>

#include <csignal>
#include <sys/wait.h>

using namespace millpond::daemon;

class TestMountWatcher : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void findsFuseMounts();
    void endsWithItsOwner();
};

void TestMountWatcher::findsFuseMounts()
{
    const std::string_view table = "22 28 0:21 / /proc rw,nosuid shared:13 - proc proc rw\n"
                                   "90 28 0:55 / /tank rw,nosuid,nodev,relatime shared:40 master:2 "
                                   "- fuse.zfs tank rw,user_id=0\n"
                                   "91 28 0:56 / /my\\040pool\\134x rw - fuse.zfs my rw\n"
                                   "92 28 8:1 / /home rw - ext4 /dev/sda1 rw\n"
                                   "93 28 0:57 / /last rw - fuse.zfs last rw";
    QVERIFY(hasFuseMount(table, "/tank"));
    QVERIFY(hasFuseMount(table, "/my pool\\x"));
    QVERIFY(hasFuseMount(table, "/last"));
    QVERIFY(!hasFuseMount(table, "/home"));
    QVERIFY(!hasFuseMount(table, "/tan"));
    QVERIFY(!hasFuseMount(table, "/proc"));
    QVERIFY(!hasFuseMount("", "/tank"));
    QVERIFY(!hasFuseMount("90 28\n\n- fuse.zfs", "/tank"));
}

void TestMountWatcher::endsWithItsOwner()
{
    auto watcher = MountWatcher::start();
    QVERIFY(watcher.has_value());
    (*watcher)->added("/nonexistent/one");
    (*watcher)->added("/nonexistent/two");
    (*watcher)->removed("/nonexistent/one");
    const pid_t process = (*watcher)->process();
    QCOMPARE(::kill(process, SIGTERM), 0); // is not meant for it
    QTest::qWait(100);
    QCOMPARE(::waitpid(process, nullptr, WNOHANG), 0);
    watcher->reset();
    int status = -1;
    QCOMPARE(::waitpid(process, &status, 0), process);
    QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

QTEST_GUILESS_MAIN(TestMountWatcher)
#include "tst_mount_watcher.moc"
