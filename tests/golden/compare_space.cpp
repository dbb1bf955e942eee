// SPDX-License-Identifier: GPL-3.0-or-later
#include "golden/compare.h"
#include "golden/golden_pool.h"
#include "support/sha256.h"

#include "posix/file_system.h"
#include "volume/volume.h"

namespace millpond::test {

namespace {
Result<QJsonObject> readVolume(api::Pool& pool, const std::string& dataset)
{
    const auto volume = MP_TRY(pool.volume(dataset));
    Sha256 hash;
    std::vector<std::byte> buffer(MiB);
    const std::uint64_t size = volume->size().value();
    for (std::uint64_t at = 0; at < size; at += buffer.size()) {
        const MutableBytes piece =
            MutableBytes(buffer).first(std::min<std::uint64_t>(buffer.size(), size - at));
        MP_TRY(volume->read(ByteOffset(at), piece));
        hash.add(piece.data(), piece.size());
    }
    return QJsonObject{{QStringLiteral("sha256"), hash.hex()},
                       {QStringLiteral("size"), static_cast<qint64>(size)}};
}

/// Name → {used, quota, objused, objquota} as text, without rows of nothing.
QJsonObject asManifest(const std::vector<posix::SpaceUse>& rows)
{
    QJsonObject object;
    for (const posix::SpaceUse& row : rows) {
        object[QString::number(row.id)] =
            QJsonObject{{QStringLiteral("used"), QString::number(row.used)},
                        {QStringLiteral("quota"), QString::number(row.quota)},
                        {QStringLiteral("objused"), QString::number(row.objectsUsed)},
                        {QStringLiteral("objquota"), QString::number(row.objectQuota)}};
    }
    return object;
}

/// The same from the manifest. A "-" (this pool counts no objects) is what SpaceUse shows as 0.
QJsonObject byName(const QJsonArray& rows)
{
    QJsonObject object;
    for (const QJsonValue item : rows) {
        QJsonObject row = item.toObject();
        const QString name = row.take(QStringLiteral("name")).toString();
        row.remove(QStringLiteral("type"));
        for (const QString& key : row.keys()) {
            if (row[key].toString() == QLatin1String("-")) {
                row[key] = QStringLiteral("0");
            }
        }
        object[name] = row;
    }
    return object;
}

constexpr std::pair<const char*, posix::SpaceKind> kSpaceKinds[] = {
    {"userspace", posix::SpaceKind::User},
    {"groupspace", posix::SpaceKind::Group},
    {"projectspace", posix::SpaceKind::Project},
};
} // namespace

void compareVolumes(api::Pool& pool, const QJsonObject& manifest, Differences& differences)
{
    const QJsonObject expected = manifest[QLatin1String("volumes")].toObject();
    for (const QString& name : expected.keys()) {
        const auto got = readVolume(pool, name.toStdString());
        if (!got) {
            differences.add(name + QStringLiteral(": ") +
                            QString::fromUtf8(errorText(got.error())));
            continue;
        }
        for (const char* field : {"size", "sha256"}) {
            const QString key = QString::fromLatin1(field);
            differences.compare(name, key, expected[name].toObject()[key], (*got)[key]);
        }
    }
}

void compareHolds(api::Pool& pool, const QJsonObject& manifest, Differences& differences)
{
    QMap<QString, QJsonObject> expected;
    for (const QString& dataset : manifest[QLatin1String("zfs_get")].toObject().keys()) {
        if (dataset.contains(u'@')) {
            expected[dataset] = {};
        }
    }
    for (const QJsonValue item : manifest[QLatin1String("holds")].toArray()) {
        const QJsonObject hold = item.toObject();
        expected[hold[QLatin1String("snapshot")].toString()]
                [hold[QLatin1String("tag")].toString()] = hold[QLatin1String("time")];
    }
    for (auto snapshot = expected.begin(); snapshot != expected.end(); ++snapshot) {
        const auto holds = pool.holds(snapshot.key().toStdString());
        if (!holds) {
            differences.add(snapshot.key() + QStringLiteral(": holds: ") +
                            QString::fromUtf8(errorText(holds.error())));
            continue;
        }
        QJsonObject got;
        for (const api::Hold& hold : *holds) {
            got[QString::fromStdString(hold.tag)] = QString::number(hold.time);
        }
        differences.compare(snapshot.key(), QStringLiteral("holds"), snapshot.value(), got);
    }
}

void compareSpaceUse(api::Pool& pool, const QJsonObject& manifest, Differences& differences)
{
    const QJsonObject expected = manifest[QLatin1String("space")].toObject();
    for (const QString& dataset : expected.keys()) {
        const auto fileSystem = pool.fileSystem(dataset.toStdString());
        if (!fileSystem) {
            differences.add(dataset + QStringLiteral(": ") +
                            QString::fromUtf8(errorText(fileSystem.error())));
            continue;
        }
        for (const auto& [key, kind] : kSpaceKinds) {
            const QString name = QString::fromLatin1(key);
            const QJsonObject want = byName(expected[dataset].toObject()[name].toArray());
            const auto rows = (*fileSystem)->spaceUse(kind);
            if (!rows) {
                differences.add(dataset + u' ' + name + QStringLiteral(": ") +
                                QString::fromUtf8(errorText(rows.error())));
                continue;
            }
            const QJsonObject got = asManifest(*rows);
            QStringList ids = want.keys() + got.keys();
            ids.removeDuplicates();
            for (const QString& id : ids) {
                differences.compare(dataset + u' ' + name, id, want[id], got[id]);
            }
        }
    }
}

} // namespace millpond::test
