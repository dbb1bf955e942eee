// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: the programs people use see through a mount what they see elsewhere: every entry of a
// large directory once, holes kept by cp, tar and rsync, figures for each dataset in df, attributes
// with the sizes asked for. Method: those programs and system calls, against the manifest and each
// other.
#include "posix/mounted_pool.h"
#include "support/manifest.h"
#include "support/mounted_tree.h"
#include "support/pools.h"

#include <QDir>
#include <QFile>
#include <QSet>
#include <QStandardPaths>
#include <QTest>

#include <cerrno>
#include <dirent.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>

using namespace millpond::test;

namespace {
const QString kPool = QStringLiteral("a_single");
const QString kFolder = QStringLiteral("a-single");

QJsonObject filesOf(const QString& name)
{
    const auto manifest = loadManifest(name);
    return manifest ? (*manifest)[QLatin1String("files")].toObject() : QJsonObject();
}

/// The directory with most entries in a dataset, and their number.
std::pair<QString, int> largestDirectory(const QJsonArray& entries)
{
    QMap<QByteArray, int> counts;
    for (const QJsonValue value : entries) {
        const QByteArray path = entryPath(value.toObject());
        const qsizetype slash = path.lastIndexOf('/');
        if (slash > 0) {
            ++counts[path.left(slash)];
        }
    }
    std::pair<QString, int> largest;
    for (auto each = counts.cbegin(); each != counts.cend(); ++each) {
        if (each.value() > largest.second) {
            largest = {QString::fromUtf8(each.key()), each.value()};
        }
    }
    return largest;
}

/// Reads a directory with pauses: it is left at a position and taken up again there.
QList<QByteArray> namesWithSeeks(const QString& path)
{
    QList<QByteArray> names;
    DIR* directory = ::opendir(qPrintable(path));
    long position = 0;
    int untilSeek = 37;
    while (directory != nullptr) {
        const dirent* entry = ::readdir(directory);
        if (entry == nullptr) {
            break;
        }
        const QByteArray name(entry->d_name);
        if (name != "." && name != "..") {
            names << name;
        }
        if (--untilSeek == 0) {
            untilSeek = 37;
            position = ::telldir(directory);
            ::closedir(directory);
            directory = ::opendir(qPrintable(path));
            ::seekdir(directory, position);
        }
    }
    ::closedir(directory);
    return names;
}
} // namespace

namespace {
/// The file system of the scratch folder may keep times in 32 bits.
bool fitsAnywhere(const QJsonObject& entry)
{
    constexpr double kNanoseconds = 1e9;
    const double seconds = entry[QLatin1String("mtime_ns")].toDouble() / kNanoseconds;
    return seconds > -2147483648.0 && seconds < 2147483647.0;
}
} // namespace

class TestMountedFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void initTestCase()
    {
        if (const QString reason = cannotMount(MountMode::Foreign); !reason.isEmpty()) {
            QSKIP(qPrintable(reason));
        }
        MP_REQUIRE_POOL(kFolder);
        m_mounted = std::make_unique<MountedPool>(MountMode::Foreign);
        QVERIFY2(m_mounted->start(unpackGoldenPool(kFolder), kPool), m_mounted->error());
        QVERIFY2(m_mounted->command(QStringLiteral("mount")), m_mounted->error());
        m_top = m_mounted->pathOf(kPool);
    }

    void cleanupTestCase() { m_mounted.reset(); }

    void largeDirectoriesAreListedOnce()
    {
        const QJsonObject files = filesOf(kFolder);
        QString path;
        int count = 0;
        for (const QString& dataset : files.keys()) {
            const auto [folder, entries] = largestDirectory(files[dataset].toArray());
            if (entries > count && !dataset.contains(QLatin1Char('@'))) {
                path = m_top + dataset.mid(kPool.size()) + QLatin1Char('/') + folder;
                count = entries;
            }
        }
        QVERIFY2(count >= 2000, qPrintable(QString::number(count)));
        const QList<QByteArray> names = namesWithSeeks(path);
        QCOMPARE(names.size(), count);
        QCOMPARE(QSet<QByteArray>(names.begin(), names.end()).size(), count);
        // The second time from the kernel's own cache.
        QCOMPARE(
            QDir(path)
                .entryList(QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot)
                .size(),
            count);
    }

    void copiesKeepHoles_data()
    {
        QTest::addColumn<QString>("program");
        QTest::newRow("cp") << QStringLiteral("cp -a \"$1/.\" \"$2\"");
        QTest::newRow("tar") << QStringLiteral("tar -C \"$1\" -S -c . | tar -C \"$2\" -x");
        QTest::newRow("rsync") << QStringLiteral("rsync -aS \"$1/\" \"$2/\"");
    }

    void copiesKeepHoles()
    {
        QFETCH(QString, program);
        const QString tool = program.section(QLatin1Char(' '), 0, 0);
        if (QStandardPaths::findExecutable(tool).isEmpty()) {
            QSKIP(qPrintable(QStringLiteral("needs ") + tool));
        }
        const ScratchFolder scratch;
        const QString from = m_top + QStringLiteral("/top");
        const QByteArray output = outputOf(
            QStringLiteral("sh"), {QStringLiteral("-ec"), program, tool, from, scratch.path()});
        QVERIFY2(!output.startsWith("FAILED"), output.constData());
        const MountedTree original = readMountedTree(from);
        const MountedTree copy = readMountedTree(scratch.path());
        int holes = 0;
        for (auto each = original.entries.cbegin(); each != original.entries.cend(); ++each) {
            const QJsonObject made = copy.entries[each.key()];
            if (each.value()[QLatin1String("type")] == QLatin1String("socket")) {
                continue; // tar leaves sockets out.
            }
            for (const char* field : {"sha256", "size", "mode", "mtime_ns", "target"}) {
                const QLatin1String name(field);
                const bool isDirectory =
                    each.value()[QLatin1String("type")] == QLatin1String("dir");
                const bool comparable =
                    name == QLatin1String("size") ? !isDirectory
                    : name == QLatin1String("mtime_ns")
                        ? tool == QLatin1String("cp") && fitsAnywhere(each.value())
                        : true;
                if (comparable) {
                    QCOMPARE(made[QLatin1String(field)], each.value()[QLatin1String(field)]);
                }
            }
            const qint64 size = each.value()[QLatin1String("size")].toInteger();
            if (each.value().contains(QLatin1String("data_segments")) && size > 1'000'000) {
                QVERIFY(made[QLatin1String("blocks512")].toInteger() * 512 < size);
                ++holes;
            }
        }
        QVERIFY(holes > 0);
    }

    void figuresAreTheDatasetsOwn()
    {
        const auto manifest = loadManifest(kFolder);
        const QJsonObject properties = (*manifest)[QLatin1String("zfs_get")].toObject();
        int compared = 0;
        QVERIFY(m_mounted->command(QStringLiteral("mounts")));
        for (const QString& entry :
             m_mounted->answer().split(QLatin1Char('|'), Qt::SkipEmptyParts)) {
            const QStringList parts = entry.split(QLatin1Char('='));
            const QJsonObject own = properties[parts[0]].toObject();
            const auto number = [&own](const char* name) {
                return own[QLatin1String(name)].toArray().at(0).toString().toULongLong();
            };
            struct statvfs space = {};
            QCOMPARE(::statvfs(qPrintable(parts[1]), &space), 0);
            const quint64 block = number("recordsize");
            QCOMPARE(quint64{space.f_frsize}, block);
            QCOMPARE(quint64{space.f_bavail}, number("available") / block);
            const quint64 referenced = (number("referenced") + block - 1) / block * block;
            QCOMPARE(quint64{space.f_blocks}, (referenced + number("available")) / block);
            ++compared;
        }
        QVERIFY(compared > 10);
    }

    void attributesKnowTheirSizes()
    {
        // Any file with an attribute in user.
        const QJsonArray entries = filesOf(kFolder)[QStringLiteral("a_single/data")].toArray();
        for (const QJsonValue value : entries) {
            const QJsonObject xattrs = value.toObject()[QLatin1String("xattrs")].toObject();
            for (const QString& name : xattrs.keys()) {
                const QByteArray expected = QByteArray::fromHex(xattrs[name].toString().toLatin1());
                if (!name.startsWith(QLatin1String("user.")) || expected.size() < 2) {
                    continue;
                }
                const QByteArray path = m_top.toUtf8() + "/data/" + entryPath(value.toObject());
                const QByteArray key = name.toUtf8();
                QByteArray buffer(expected.size(), '\0');
                QCOMPARE(::lgetxattr(path.constData(), key.constData(), nullptr, 0),
                         expected.size());
                QCOMPARE(::lgetxattr(path.constData(), key.constData(), buffer.data(), 1), -1);
                QCOMPARE(errno, ERANGE);
                QCOMPARE(
                    ::lgetxattr(path.constData(), key.constData(), buffer.data(), expected.size()),
                    expected.size());
                QCOMPARE(buffer, expected);
                QCOMPARE(::llistxattr(path.constData(), buffer.data(), 1), -1);
                QCOMPARE(errno, ERANGE);
                QCOMPARE(::lgetxattr(path.constData(), "user.no.such", nullptr, 0), -1);
                QCOMPARE(errno, ENODATA);
                return;
            }
        }
        QFAIL("the pool has no attribute to try");
    }

    void numbersAreTheSameAfterEveryMount()
    {
        const QStringList paths = {m_top + QStringLiteral("/top/one"),
                                   m_top + QStringLiteral("/data"),
                                   m_top + QStringLiteral("/data/.zfs/snapshot/snap1/acl")};
        const auto numbers = [&paths] {
            QList<quint64> found;
            for (const QString& path : paths) {
                struct stat info = {};
                found << (::lstat(qPrintable(path), &info) == 0 ? info.st_ino : 0);
            }
            return found;
        };
        const QList<quint64> before = numbers();
        QVERIFY(!before.contains(0));
        QVERIFY(before[0] < (quint64{1} << 40U));
        QVERIFY(before[1] > (quint64{1} << 40U));
        QVERIFY2(m_mounted->command(QStringLiteral("unmount")), m_mounted->error());
        QVERIFY2(m_mounted->command(QStringLiteral("mount")), m_mounted->error());
        QCOMPARE(numbers(), before);
    }

private:
    std::unique_ptr<MountedPool> m_mounted;
    QString m_top;
};

QTEST_GUILESS_MAIN(TestMountedFiles)
#include "tst_mounted_files.moc"
