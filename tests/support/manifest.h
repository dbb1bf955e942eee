// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QJsonObject>
#include <QString>

#include <optional>

namespace millpond::test {

/// What OpenZFS saw in a golden pool; ../shared/pools/README.md describes the keys. `file` may also
/// be "manifest-after-replay" or "manifest-rewound". Nothing where the pool has no such manifest.
/// Numbers beyond 2^63 (the guids in zpool_status_json) lose digits in QJson; everywhere else they
/// are text.
[[nodiscard]] std::optional<QJsonObject>
loadManifest(const QString& poolName, const QString& file = QStringLiteral("manifest"));

/// The bytes of an entry's path: `path_hex` where the name is not UTF-8.
[[nodiscard]] QByteArray entryPath(const QJsonObject& entry);

} // namespace millpond::test
