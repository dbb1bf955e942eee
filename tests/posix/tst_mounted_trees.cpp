// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: through a mount, every dataset and every snapshot of every golden pool looks to the
// byte as OpenZFS showed it. Method: each pool is mounted by mount_host in three ways (by
// properties, by names, and by an unprivileged user), read through the kernel, and compared with
// its manifest.
#include "posix/mounted_pool.h"
#include "support/manifest.h"
#include "support/mounted_tree.h"
#include "support/pools.h"

#include <QTest>

using namespace millpond::test;

namespace {
/// What reading does not know yet, and pools whose manifest is of a state after a replay.
bool canBeCompared(const QString& name)
{
    const auto manifest = loadManifest(name);
    if (!manifest || name.startsWith(QLatin1String("k-"))) {
        return false;
    }
    const QJsonObject features = (*manifest)[QLatin1String("features")].toObject();
    for (const char* refused : {"encryption", "draid", "device_removal", "raidz_expansion"}) {
        if (features[QLatin1String(refused)].toString() == QLatin1String("active")) {
            return false;
        }
    }
    return true;
}

/// What another dataset is mounted over is not to be seen through one mount.
QJsonArray without(const QJsonArray& entries, const QByteArrayList& hidden)
{
    QJsonArray kept;
    for (const QJsonValue entry : entries) {
        const QByteArray path = entryPath(entry.toObject());
        const bool isHidden =
            std::any_of(hidden.begin(), hidden.end(), [&](const QByteArray& each) {
                return path == each || path.startsWith(each + '/');
            });
        if (!isHidden) {
            kept.append(entry);
        }
    }
    return kept;
}

QJsonArray withoutPrivileged(const QJsonArray& entries)
{
    QJsonArray kept;
    for (const QJsonValue value : entries) {
        QJsonObject entry = value.toObject();
        QJsonObject xattrs = entry[QLatin1String("xattrs")].toObject();
        for (const QString& name : xattrs.keys()) {
            if (name.startsWith(QLatin1String("trusted.")) ||
                name.startsWith(QLatin1String("security."))) {
                xattrs.remove(name);
            }
        }
        entry[QStringLiteral("xattrs")] = xattrs;
        if (xattrs.isEmpty()) {
            entry.remove(QStringLiteral("xattrs"));
        }
        kept.append(entry);
    }
    return kept;
}

QJsonValue rootInode(const QJsonArray& entries)
{
    for (const QJsonValue entry : entries) {
        if (entryPath(entry.toObject()) == ".") {
            return entry.toObject()[QLatin1String("ino")];
        }
    }
    return {};
}

struct Shown
{
    QString dataset; ///< as the manifest names it
    QString path;
    QByteArrayList covered; ///< by other datasets
};

/// Every dataset that is mounted and every snapshot of it that the manifest knows.
QList<Shown> shownOf(MountedPool& mounted, const QJsonObject& files)
{
    QMap<QString, QString> paths;
    if (mounted.command(QStringLiteral("mounts"))) {
        for (const QString& entry : mounted.answer().split(QLatin1Char('|'), Qt::SkipEmptyParts)) {
            const QStringList parts = entry.split(QLatin1Char('='));
            paths[parts.value(0)] = parts.value(1);
        }
    }
    QList<Shown> all;
    for (const QString& name : files.keys()) {
        const QString dataset = name.section(QLatin1Char('@'), 0, 0);
        if (!paths.contains(dataset)) {
            continue;
        }
        Shown shown{name, paths[dataset], {}};
        if (name != dataset) {
            shown.path += QStringLiteral("/.zfs/snapshot/") + name.section(QLatin1Char('@'), 1);
        } else {
            for (const QString& other : std::as_const(paths)) {
                if (other.startsWith(shown.path + QLatin1Char('/'))) {
                    shown.covered << other.mid(shown.path.size() + 1).toUtf8();
                }
            }
        }
        all << shown;
    }
    return all;
}

QByteArray compareAll(MountMode mode, const QList<Shown>& all, const QJsonObject& files)
{
    Differences differences;
    for (const Shown& shown : all) {
        MountedTreeOptions options;
        options.excluded = shown.covered;
        options.excluded << ".zfs"; // listed where snapdir is visible; the manifests leave it out
        options.inodeMask = (quint64{1} << 40U) - 1;
        options.privilegedXattrs = mode != MountMode::Private;
        const MountedTree tree = readMountedTree(shown.path, options);
        for (const QString& error : tree.errors) {
            differences.add(shown.dataset + QLatin1Char(' ') + error);
        }
        QJsonArray expected = without(files[shown.dataset].toArray(), shown.covered);
        if (mode == MountMode::Private) {
            expected = withoutPrivileged(expected);
        }
        // OpenZFS numbers the root of a snapshot that it mounted by itself differently.
        FileEntries found = tree.entries;
        if (shown.dataset.contains(QLatin1Char('@'))) {
            found["."][QStringLiteral("ino")] = rootInode(expected);
        }
        compareFiles(shown.dataset, expected, found, differences);
    }
    differences.print(QStringLiteral("through the mount"));
    return differences.summary();
}

void addPools()
{
    QTest::addColumn<QString>("name");
    const QString chosen = qEnvironmentVariable("MILLPOND_GOLDEN_POOL");
    for (const QString& name : chosen.isEmpty() ? goldenPoolNames() : QStringList{chosen}) {
        if (canBeCompared(name)) {
            QTest::newRow(qPrintable(name)) << name;
        }
    }
}

void comparePool(const QString& name, MountMode mode)
{
    if (const QString reason = cannotMount(mode); !reason.isEmpty()) {
        QSKIP(qPrintable(reason));
    }
    const auto manifest = loadManifest(name);
    QVERIFY(manifest);
    const QJsonObject files = (*manifest)[QLatin1String("files")].toObject();
    const QString pool = findGoldenPool(name)->pool;
    MountedPool mounted(mode);
    QVERIFY2(mounted.start(unpackGoldenPool(name), pool), mounted.error());
    QVERIFY2(mounted.command(QStringLiteral("mount")), mounted.error());
    // Those that do not mount by themselves, but do when they are named.
    const QJsonObject properties = (*manifest)[QLatin1String("zfs_get")].toObject();
    for (const QString& dataset : properties.keys()) {
        const auto value = [&](const char* property) {
            return properties[dataset]
                .toObject()[QLatin1String(property)]
                .toArray()
                .at(0)
                .toString();
        };
        if (value("canmount") == QLatin1String("noauto")) {
            QVERIFY2(mounted.command(QStringLiteral("mount ") + dataset), mounted.error());
        }
    }
    const QList<Shown> all = shownOf(mounted, files);
    int expected = 0;
    for (const QString& dataset : files.keys()) {
        const QJsonObject own = properties[dataset.section(QLatin1Char('@'), 0, 0)].toObject();
        const QString mountpoint = own[QLatin1String("mountpoint")].toArray().at(0).toString();
        const bool nowhere = mode == MountMode::System && (mountpoint == QLatin1String("none") ||
                                                           mountpoint == QLatin1String("legacy"));
        const QString canMount = own[QLatin1String("canmount")].toArray().at(0).toString();
        expected += canMount != QLatin1String("off") && !nowhere ? 1 : 0;
    }
    QCOMPARE(all.size(), expected);
    const QByteArray found =
        MountedPool::asUser(mode, [&] { return compareAll(mode, all, files); });
    QVERIFY2(found.isEmpty(), found.constData());
    QVERIFY2(mounted.command(QStringLiteral("unmount")), mounted.error());
}
} // namespace

class TestMountedTrees : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void byNames_data() { addPools(); }

    void byNames()
    {
        QFETCH(QString, name);
        comparePool(name, MountMode::Foreign);
    }

    void byProperties_data() { addPools(); }

    void byProperties()
    {
        QFETCH(QString, name);
        comparePool(name, MountMode::System);
    }

    void asAnyUser_data() { addPools(); }

    void asAnyUser()
    {
        QFETCH(QString, name);
        comparePool(name, MountMode::Private);
    }
};

QTEST_GUILESS_MAIN(TestMountedTrees)
#include "tst_mounted_trees.moc"
