// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/state/health.h"

#include <QDateTime>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

// Snapshots of what the helper knows: plain values, made by client/, shown by model/. They are
// never changed in place; a newer one replaces them. Sizes are bytes.

namespace millpond::state {

/// One row of the device tree, in the order `zpool status` prints.
struct Vdev
{
    int depth = 0; ///< 0: the pool itself, or the heading of a section such as "logs"
    QString name, type, path, openedAs, allocClass;
    QString word; ///< ONLINE, UNAVAIL, ...; empty for a heading
    QString aux;  ///< why it is not online
    QString notes;
    quint64 guid = 0;
    quint64 readErrors = 0, writeErrors = 0, checksumErrors = 0;
    std::optional<quint64> size, allocated, free;
    std::optional<quint64> deviceSize; ///< of a leaf: of the disk, partition or file
    bool isLeaf = false, isSpare = false, isCache = false;

    [[nodiscard]] Health health() const { return healthFromWord(word); }

    [[nodiscard]] bool isHeading() const { return guid == 0 && depth == 0; }
};

/// What the scan line of `zpool status` tells.
struct Scan
{
    QString kind = QStringLiteral("none");  ///< none, scrub, resilver
    QString state = QStringLiteral("none"); ///< none, running, finished, cancelled
    QDateTime started, ended;
    quint64 toExamine = 0, examined = 0, repaired = 0, errors = 0;
};

/// A damaged file or object that the pool knows of.
struct DataError
{
    QString dataset, path;
    quint64 objset = 0, object = 0;
};

struct Pool
{
    QString name;
    quint64 guid = 0;
    quint64 version = 0;
    QString word;           ///< ONLINE, DEGRADED, ...
    QString messageId;      ///< "ZFS-8000-2Q"; empty when all is well
    QString status, action; ///< paragraphs; empty when there is nothing to say
    Scan scan;
    QList<Vdev> vdevs;
    QList<DataError> errors;
    quint64 errorCount = 0; ///< may be more than errors holds
    QString altroot, comment;

    bool imported = false;
    bool readOnly = false;

    // Of a pool that was found and is not imported:
    bool importable = false, readOnlyOnly = false, active = false, destroyed = false;
    QString reason; ///< why it cannot be imported
    QString lastHost;
    QStringList missingFeatures, devices;

    [[nodiscard]] Health health() const { return healthFromWord(word); }
};

/// A dataset that is mounted, and where. Not `own`: it shows inside the mount of an ancestor.
struct Mount
{
    QString dataset, path;
    bool own = false;
};

/// A pool's name and guid as every call takes them: the guid where it is known, because two pools
/// may bear one name.
[[nodiscard]] inline QString poolKey(const Pool& pool)
{
    return pool.guid == 0 ? pool.name : QString::number(pool.guid);
}

} // namespace millpond::state
