// SPDX-License-Identifier: GPL-3.0-or-later
// Property: locks taken in the order of their ranks pass; the wrong order ends a debug build.
// Method: a child process takes them the wrong way round.
#include "runtime/lock_rank.h"

#include <QTest>

#include <sys/wait.h>
#include <unistd.h>

using namespace millpond::runtime;

class TestLockRank : public QObject
{
    Q_OBJECT

private:
    RankedMutex<LockRank::Pool> m_pool;
    RankedMutex<LockRank::Device> m_device;

private Q_SLOTS:

    void rightOrder()
    {
        const RankedLock pool(m_pool);
        const RankedLock device(m_device);
    }

    void releasedLocksDoNotCount()
    {
        {
            const RankedLock device(m_device);
        }
        const RankedLock pool(m_pool);
    }

    void wrongOrderIsFound()
    {
#ifdef NDEBUG
        QSKIP("ranks are checked in debug builds only");
#else
        const pid_t child = fork();
        if (child == 0) {
            (void)freopen("/dev/null", "w", stderr);
            signal(SIGABRT, SIG_DFL);
            const RankedLock device(m_device);
            const RankedLock pool(m_pool);
            _exit(0);
        }
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        QVERIFY(WIFSIGNALED(status));
        QCOMPARE(WTERMSIG(status), SIGABRT);
#endif
    }
};

QTEST_GUILESS_MAIN(TestLockRank)
#include "tst_lock_rank.moc"
