// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/cleanup.h"

#include "support/process.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <sys/mount.h>
#include <unistd.h>

namespace millpond::test {

namespace {
/// mountinfo writes blank, tab, newline and backslash as \ooo.
QString unescapeMountPath(const QByteArray& field)
{
    QByteArray plain;
    for (qsizetype i = 0; i < field.size(); ++i) {
        bool octal = false;
        const int code = field[i] == '\\' ? field.mid(i + 1, 3).toInt(&octal, 8) : 0;
        plain += octal ? static_cast<char>(code) : field[i];
        i += octal ? 3 : 0;
    }
    return QFile::decodeName(plain);
}
} // namespace

QStringList mountsBelow(const QString& folder)
{
    // canonicalFilePath would hang on a dead FUSE mount; only the folder's own spelling is
    // compared.
    const QString top = folder.endsWith(u'/') ? folder.chopped(1) : folder;
    QStringList found;
    QFile table(QStringLiteral("/proc/self/mountinfo"));
    if (table.open(QIODevice::ReadOnly)) {
        for (const QByteArray& line : table.readAll().split('\n')) {
            const QString mount = unescapeMountPath(line.split(' ').value(4));
            if (mount == top || mount.startsWith(top + u'/')) {
                found << mount;
            }
        }
    }
    std::reverse(found.begin(), found.end());
    return found;
}

void unmountBelow(const QString& folder)
{
    for (const QString& mount : mountsBelow(folder)) {
        const QByteArray path = QFile::encodeName(mount);
        if (geteuid() != 0) {
            (void)runProcess(QStringLiteral("fusermount3"), {QStringLiteral("-uz"), mount});
        } else if (umount2(path.constData(), 0) != 0) {
            umount2(path.constData(), MNT_DETACH);
        }
    }
}

LoopDevice::LoopDevice(const QString& file, Access access)
{
    QStringList arguments{QStringLiteral("--find"), QStringLiteral("--show")};
    if (access == Access::ReadOnly) {
        arguments << QStringLiteral("--read-only");
    }
    const ProcessResult result = runProcess(QStringLiteral("losetup"), arguments << file);
    if (result.succeeded()) {
        m_device = QString::fromUtf8(result.output).trimmed();
    }
}

LoopDevice::~LoopDevice()
{
    if (!m_device.isEmpty()) {
        (void)runProcess(QStringLiteral("losetup"), {QStringLiteral("--detach"), m_device});
    }
}

} // namespace millpond::test
