// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <optional>

// Pools that OpenZFS and Solaris made, as packed images with a manifest each. They stand in
// $MILLPOND_SHARED/pools, or ../shared/pools beside the checkout, or, a few small ones, in
// tests/golden/pools. An unpacked pool is kept in the build folder and shared by all tests of that
// build: read only. A test that damages images takes a copy.

namespace millpond::test {

struct GoldenPool
{
    QString name;      ///< of the folder, for instance "c-raidz1"
    QString pool;      ///< as zpool names it, for instance "c_raidz1"
    QString folder;    ///< packed images, info.json, manifest
    QStringList disks; ///< file names of the unpacked images, in the order of info.json
};

/// The folder with all pools ("…/shared/pools"); empty where it is not there.
[[nodiscard]] QString sharedPoolsFolder();

/// Every pool found, sorted by name. A pool in both places is listed once, from the shared folder.
[[nodiscard]] QStringList goldenPoolNames();

[[nodiscard]] std::optional<GoldenPool> findGoldenPool(const QString& name);

/// The folder that holds the pool's unpacked images and nothing else; unpacked at the first call in
/// this build, safe when several tests ask at once. Never write into it. Empty, with a message on
/// stderr, when there is no such pool or it cannot be unpacked.
[[nodiscard]] QString unpackGoldenPool(const QString& name);

/// Copies images (sparsely, writable) into `folder`, which is made; only those named in `disks`
/// when it is not empty.
[[nodiscard]] bool
copyGoldenPool(const QString& name, const QString& folder, const QStringList& disks = {});

/// A sparse copy of one file.
[[nodiscard]] bool copySparse(const QString& from, const QString& to);

} // namespace millpond::test

/// First line of a test that needs a golden pool which may be missing.
#define MP_REQUIRE_POOL(name)                                                                      \
    do {                                                                                           \
        if (!::millpond::test::findGoldenPool(name)) {                                             \
            QSKIP(qPrintable(QStringLiteral("needs the pool %1 of ../shared/pools").arg(name)));   \
        }                                                                                          \
    } while (false)
