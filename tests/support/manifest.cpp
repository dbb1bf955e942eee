// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/manifest.h"

#include "support/pools.h"
#include "support/zstd_file.h"

#include <QFile>
#include <QJsonDocument>

namespace millpond::test {

std::optional<QJsonObject> loadManifest(const QString& poolName, const QString& file)
{
    const std::optional<GoldenPool> pool = findGoldenPool(poolName);
    if (!pool) {
        return std::nullopt;
    }
    const QString path = pool->folder + u'/' + file + QStringLiteral(".json");
    QByteArray content;
    if (QFile plain(path); plain.open(QIODevice::ReadOnly)) {
        content = plain.readAll();
    } else if (const auto unpacked = unpackToMemory(path + QStringLiteral(".zst"))) {
        content = *unpacked;
    }
    const QJsonDocument document = QJsonDocument::fromJson(content);
    return document.isObject() ? std::optional(document.object()) : std::nullopt;
}

QByteArray entryPath(const QJsonObject& entry)
{
    const QJsonValue hex = entry[QLatin1String("path_hex")];
    return hex.isString() ? QByteArray::fromHex(hex.toString().toLatin1())
                          : entry[QLatin1String("path")].toString().toUtf8();
}

} // namespace millpond::test
