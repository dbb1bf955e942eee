// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "support/differences.h"

#include <QJsonObject>

// What the engine says about an imported pool, against the manifest that OpenZFS wrote of it.

namespace millpond::test {

/// Which images were there.
enum class Images
{
    Complete,
    SomeMissing ///< then health and what follows from it is not compared
};

/// zpool_get, features, guid and version.
void comparePoolProperties(api::Pool& pool,
                           const QJsonObject& manifest,
                           Images images,
                           Differences& differences);

/// size, allocated, free and capacity agree with each other and with zdb-bcc.txt (empty: not
/// there).
void compareAllocation(api::Pool& pool, const QByteArray& zdb, Differences& differences);

/// zfs_list (names in order) and zfs_get: every property of every dataset, with its source.
void compareDatasets(api::Pool& pool, const QJsonObject& manifest, Differences& differences);

/// Every file of every filesystem and snapshot, with all fields and contents.
void compareFileSystems(api::Pool& pool, const QJsonObject& manifest, Differences& differences);

/// Contents of volumes and their snapshots.
void compareVolumes(api::Pool& pool, const QJsonObject& manifest, Differences& differences);

void compareHolds(api::Pool& pool, const QJsonObject& manifest, Differences& differences);

/// userspace, groupspace, projectspace.
void compareSpaceUse(api::Pool& pool, const QJsonObject& manifest, Differences& differences);

/// All of the above.
void compareAll(api::Pool& pool,
                const QJsonObject& manifest,
                Images images,
                Differences& differences);

/// Reads one filesystem or snapshot completely through the engine, in the manifest's form.
[[nodiscard]] Result<FileEntries> readFileSystem(api::Pool& pool, const std::string& dataset);

} // namespace millpond::test
