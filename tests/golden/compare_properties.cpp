// SPDX-License-Identifier: GPL-3.0-or-later
#include "golden/compare.h"
#include "golden/golden_pool.h"

#include <QRegularExpression>
#include <QSet>

#include <algorithm>
#include <array>

namespace millpond::test {

namespace {
QString sourceText(api::SourceKind source, const std::string& inheritedFrom)
{
    switch (source) {
    case api::SourceKind::None:
        return QStringLiteral("-");
    case api::SourceKind::Default:
        return QStringLiteral("default");
    case api::SourceKind::Local:
        return QStringLiteral("local");
    case api::SourceKind::Received:
        return QStringLiteral("received");
    case api::SourceKind::Temporary:
        return QStringLiteral("temporary");
    case api::SourceKind::Inherited:
        break;
    }
    return QStringLiteral("inherited from ") + QString::fromStdString(inheritedFrom);
}

/// Property → [value, source], as the manifest's zfs_get has it.
QJsonObject asManifest(const std::vector<api::PropertyValue>& properties)
{
    QJsonObject object;
    for (const api::PropertyValue& property : properties) {
        object[QString::fromStdString(property.name)] =
            QJsonArray{QString::fromStdString(property.value),
                       sourceText(property.source, property.inheritedFrom)};
    }
    return object;
}

void compareObjects(const QString& where,
                    const QJsonObject& expected,
                    const QJsonObject& got,
                    const QSet<QString>& ignored,
                    Differences& differences)
{
    QStringList names = expected.keys() + got.keys();
    names.removeDuplicates();
    for (const QString& name : names) {
        if (!ignored.contains(name)) {
            differences.compare(where, name, expected[name], got[name]);
        }
    }
}
} // namespace

void comparePoolProperties(api::Pool& pool,
                           const QJsonObject& manifest,
                           Images images,
                           Differences& differences)
{
    const QString name = manifest[QLatin1String("pool")].toString();
    differences.compare(name,
                        QStringLiteral("guid"),
                        manifest[QLatin1String("guid")],
                        QString::number(pool.guid().value()));
    const auto properties = pool.properties({});
    if (!properties) {
        differences.add(name + QStringLiteral(": zpool get: ") +
                        QString::fromUtf8(errorText(properties.error())));
        return;
    }
    QJsonObject got;
    for (const api::PoolProperty& property : *properties) {
        got[QString::fromStdString(property.name)] =
            QJsonArray{QString::fromStdString(property.value), sourceText(property.source, {})};
    }
    QJsonObject expected;
    for (const QJsonValue item : manifest[QLatin1String("zpool_get")].toArray()) {
        const QJsonObject property = item.toObject();
        expected[property[QLatin1String("prop")].toString()] =
            QJsonArray{property[QLatin1String("value")], property[QLatin1String("source")]};
    }
    // load_guid is random at every import. The others OpenZFS leaves at nothing under a read-only
    // import, since it loads no space maps then; we show what is there, see compareAllocation().
    QSet<QString> ignored{QStringLiteral("load_guid"),
                          QStringLiteral("allocated"),
                          QStringLiteral("free"),
                          QStringLiteral("capacity"),
                          QStringLiteral("fragmentation")};
    if (images == Images::SomeMissing) {
        ignored << QStringLiteral("health");
    }
    compareObjects(name, expected, got, ignored, differences);

    const QJsonObject features = manifest[QLatin1String("features")].toObject();
    for (const QString& feature : features.keys()) {
        differences.compare(name,
                            QStringLiteral("feature@") + feature,
                            features[feature],
                            got[QStringLiteral("feature@") + feature].toArray().first());
    }
}

void compareAllocation(api::Pool& pool, const QByteArray& zdb, Differences& differences)
{
    const QString name = QString::fromStdString(pool.name());
    const auto properties =
        pool.properties({"size", "allocated", "free", "capacity", "checkpoint"});
    if (!properties || properties->size() != 5) {
        differences.add(
            name + QStringLiteral(": zpool get size,allocated,free,capacity,checkpoint fails"));
        return;
    }
    std::array<qint64, 5> numbers{};
    std::ranges::transform(*properties, numbers.begin(), [](const api::PoolProperty& property) {
        return QString::fromStdString(property.value).toLongLong();
    });
    const auto [size, allocated, free, capacity, checkpoint] = numbers;
    differences.compare(name, QStringLiteral("free"), size - allocated, free);
    differences.compare(name, QStringLiteral("capacity"), allocated * 100 / size, capacity);
    // zdb counts a deduplicated block as often as it is used, and the log's blocks, too, but not
    // what only a checkpoint holds.
    const auto counted = [&zdb](const char* what) {
        const QRegularExpression line(QLatin1String(what) + QStringLiteral(":\\s+(\\d+)"));
        return line.match(QString::fromUtf8(zdb)).captured(1).toLongLong();
    };
    const auto status = pool.status();
    const bool hasLog = status && std::ranges::any_of(status->vdevs, &api::VdevRow::isLog);
    if (!zdb.isEmpty() && !hasLog) {
        differences.compare(name,
                            QStringLiteral("allocated"),
                            counted("bp allocated") - counted("bp deduped") - counted("bp cloned") +
                                checkpoint,
                            allocated);
    }
}

void compareDatasets(api::Pool& pool, const QJsonObject& manifest, Differences& differences)
{
    const QString poolName = manifest[QLatin1String("pool")].toString();
    api::DatasetQuery query;
    query.roots = {pool.name()};
    query.recurse = true;
    query.kinds = static_cast<unsigned>(api::DatasetKind::Filesystem) |
                  static_cast<unsigned>(api::DatasetKind::Volume) |
                  static_cast<unsigned>(api::DatasetKind::Snapshot) |
                  static_cast<unsigned>(api::DatasetKind::Bookmark);
    query.properties = {"all"};
    const auto rows = pool.datasets(query);
    if (!rows) {
        differences.add(poolName + QStringLiteral(": zfs get: ") +
                        QString::fromUtf8(errorText(rows.error())));
        return;
    }
    QJsonArray names;
    QMap<QString, QJsonObject> got;
    for (const api::DatasetRow& row : *rows) {
        const QString name = QString::fromStdString(row.name);
        names.append(name);
        got[name] = asManifest(row.properties);
    }
    QJsonArray expectedNames;
    for (const QJsonValue item : manifest[QLatin1String("zfs_list")].toArray()) {
        expectedNames.append(item.toObject()[QLatin1String("name")]);
    }
    differences.compare(poolName, QStringLiteral("zfs list"), expectedNames, names);

    const QJsonObject expected = manifest[QLatin1String("zfs_get")].toObject();
    for (const QString& dataset : expected.keys()) {
        if (got.contains(dataset)) {
            compareObjects(dataset, expected[dataset].toObject(), got[dataset], {}, differences);
        } else {
            differences.add(dataset + QStringLiteral(": no such dataset"));
        }
    }
}

void compareAll(api::Pool& pool,
                const QJsonObject& manifest,
                Images images,
                Differences& differences)
{
    comparePoolProperties(pool, manifest, images, differences);
    compareDatasets(pool, manifest, differences);
    compareFileSystems(pool, manifest, differences);
    compareVolumes(pool, manifest, differences);
    compareHolds(pool, manifest, differences);
    compareSpaceUse(pool, manifest, differences);
}

} // namespace millpond::test
