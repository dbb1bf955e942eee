// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/differences.h"

#include <QByteArrayList>
#include <QString>

namespace millpond::test {

struct MountedTree
{
    FileEntries entries; ///< in the manifest's form, see differences.h
    QStringList errors;  ///< calls that failed: path, call, reason
};

struct MountedTreeOptions
{
    /// Relative paths where another dataset begins: neither listed nor entered. (One mount shows
    /// the whole tree, so st_dev does not tell.)
    QByteArrayList excluded;
    /// Applied to st_ino: a mount numbers (object set, object), the manifest objects only.
    quint64 inodeMask = ~quint64{0};
    /// trusted. and security. attributes are for root only; skipped when false.
    bool privilegedXattrs = true;
};

/// Reads a mounted dataset through the kernel: lstat, readlink, listxattr, getxattr, read,
/// SEEK_DATA and SEEK_HOLE, FS_IOC_FSGETXATTR where the file system answers it.
[[nodiscard]] MountedTree readMountedTree(const QString& root,
                                          const MountedTreeOptions& options = {});

/// Lines as `getfacl -n` prints them, from the values of system.posix_acl_access and
/// system.posix_acl_default (empty where there is none) and the mode. Empty when both are.
[[nodiscard]] QJsonArray aclLines(const QByteArray& access, const QByteArray& inherited, uint mode);

} // namespace millpond::test
