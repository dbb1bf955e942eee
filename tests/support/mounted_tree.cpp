// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/mounted_tree.h"

#include "support/sha256.h"

#include <QtEndian>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

namespace millpond::test {

namespace {
const QString kAccessAcl = QStringLiteral("system.posix_acl_access");
const QString kDefaultAcl = QStringLiteral("system.posix_acl_default");

QString typeText(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return QStringLiteral("dir");
    case S_IFREG:
        return QStringLiteral("file");
    case S_IFLNK:
        return QStringLiteral("symlink");
    case S_IFCHR:
        return QStringLiteral("char");
    case S_IFBLK:
        return QStringLiteral("block");
    case S_IFIFO:
        return QStringLiteral("fifo");
    default:
        return QStringLiteral("socket");
    }
}

qint64 nanoseconds(const timespec& time)
{
    return qint64{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

class TreeReader
{
public:
    TreeReader(const QString& root, const MountedTreeOptions& options)
        : m_root(root.toLocal8Bit())
        , m_options(options)
        , m_buffer(1U << 20U)
    {
    }

    MountedTree read()
    {
        visit(".");
        while (!m_directories.isEmpty()) {
            list(m_directories.takeLast());
        }
        return std::move(m_tree);
    }

private:
    [[nodiscard]] QByteArray absolute(const QByteArray& path) const { return m_root + '/' + path; }

    void error(const QByteArray& path, const char* call)
    {
        const int reason = errno;
        m_tree.errors << QStringLiteral("%1: %2: %3")
                             .arg(QString::fromLocal8Bit(path),
                                  QLatin1String(call),
                                  qt_error_string(reason));
    }

    void list(const QByteArray& path)
    {
        DIR* directory = opendir(absolute(path).constData());
        if (directory == nullptr) {
            error(path, "opendir");
            return;
        }
        errno = 0;
        while (const dirent* entry = readdir(directory)) {
            const QByteArray name(entry->d_name);
            const QByteArray full = path == "." ? name : path + '/' + name;
            if (name != "." && name != ".." && !m_options.excluded.contains(full)) {
                visit(full);
            }
            errno = 0;
        }
        if (errno != 0) {
            error(path, "readdir");
        }
        closedir(directory);
    }

    void visit(const QByteArray& path)
    {
        struct stat info = {};
        if (lstat(absolute(path).constData(), &info) != 0) {
            error(path, "lstat");
            return;
        }
        QJsonObject entry = common(info);
        if (S_ISDIR(info.st_mode)) {
            m_directories << path;
        } else if (S_ISLNK(info.st_mode)) {
            readLink(path, entry);
        } else if (S_ISREG(info.st_mode)) {
            readContent(path, info, entry);
        }
        if (S_ISDIR(info.st_mode) || S_ISREG(info.st_mode)) {
            readFlags(path, entry);
        }
        readXattrs(path, info, entry);
        m_tree.entries[path] = entry;
    }

    [[nodiscard]] QJsonObject common(const struct stat& info) const
    {
        QJsonObject entry{
            {QStringLiteral("type"), typeText(info.st_mode)},
            {QStringLiteral("mode"),
             QStringLiteral("%1").arg(info.st_mode & 07777U, 4, 8, QLatin1Char('0'))},
            {QStringLiteral("uid"), qint64{info.st_uid}},
            {QStringLiteral("gid"), qint64{info.st_gid}},
            {QStringLiteral("size"), qint64{info.st_size}},
            {QStringLiteral("nlink"), static_cast<qint64>(info.st_nlink)},
            {QStringLiteral("mtime_ns"), nanoseconds(info.st_mtim)},
            {QStringLiteral("atime_ns"), nanoseconds(info.st_atim)},
            {QStringLiteral("ctime_ns"), nanoseconds(info.st_ctim)},
            {QStringLiteral("ino"), static_cast<qint64>(info.st_ino & m_options.inodeMask)},
            {QStringLiteral("blocks512"), qint64{info.st_blocks}},
        };
        if (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) {
            entry[QStringLiteral("rdev")] =
                QJsonArray{qint64{major(info.st_rdev)}, qint64{minor(info.st_rdev)}};
            entry[QStringLiteral("rdev_raw")] = static_cast<qint64>(info.st_rdev);
        }
        return entry;
    }

    void readLink(const QByteArray& path, QJsonObject& entry)
    {
        const ssize_t size = readlink(absolute(path).constData(), m_buffer.data(), m_buffer.size());
        if (size < 0) {
            error(path, "readlink");
            return;
        }
        entry[QStringLiteral("target")] =
            QString::fromUtf8(m_buffer.data(), static_cast<qsizetype>(size));
    }

    void readContent(const QByteArray& path, const struct stat& info, QJsonObject& entry)
    {
        int file = open(absolute(path).constData(), O_RDONLY | O_CLOEXEC | O_NOATIME);
        if (file < 0 && errno == EPERM) { // for owners only
            file = open(absolute(path).constData(), O_RDONLY | O_CLOEXEC);
        }
        if (file < 0) {
            error(path, "open");
            return;
        }
        const QJsonArray segments = dataSegments(file);
        const bool oneFull =
            segments.size() == 1 && segments[0] == QJsonArray{0, qint64{info.st_size}};
        if (info.st_size != 0 && !oneFull) {
            entry[QStringLiteral("data_segments")] = segments;
        }
        Sha256 hash;
        ssize_t got = 0;
        while ((got = ::read(file, m_buffer.data(), m_buffer.size())) > 0) {
            hash.add(m_buffer.data(), static_cast<std::size_t>(got));
        }
        if (got < 0) {
            error(path, "read");
        } else {
            entry[QStringLiteral("sha256")] = hash.hex();
        }
        close(file);
    }

    static QJsonArray dataSegments(int file)
    {
        QJsonArray segments;
        off_t at = 0;
        for (;;) {
            const off_t data = lseek(file, at, SEEK_DATA);
            const off_t hole = data < 0 ? -1 : lseek(file, data, SEEK_HOLE);
            if (hole <= data) {
                lseek(file, 0, SEEK_SET);
                return segments;
            }
            segments.append(QJsonArray{qint64{data}, qint64{hole}});
            at = hole;
        }
    }

    void readFlags(const QByteArray& path, QJsonObject& entry)
    {
        const int file = open(absolute(path).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        fsxattr flags = {};
        if (file >= 0 && ioctl(file, FS_IOC_FSGETXATTR, &flags) == 0) {
            if (flags.fsx_xflags != 0) {
                entry[QStringLiteral("xflags")] = qint64{flags.fsx_xflags};
            }
            if (flags.fsx_projid != 0) {
                entry[QStringLiteral("projid")] = qint64{flags.fsx_projid};
            }
        }
        if (file >= 0) {
            close(file);
        }
    }

    void readXattrs(const QByteArray& path, const struct stat& info, QJsonObject& entry)
    {
        QJsonObject xattrs;
        const QByteArray where = absolute(path);
        const ssize_t size = llistxattr(where.constData(), m_buffer.data(), m_buffer.size());
        if (size < 0 && errno != ENOTSUP) {
            error(path, "llistxattr");
        }
        const QByteArray names(m_buffer.data(), std::max<qsizetype>(size, 0));
        for (const QByteArray& name : names.split('\0')) {
            const bool privileged = name.startsWith("trusted.") || name.startsWith("security.");
            if (name.isEmpty() || (privileged && !m_options.privilegedXattrs)) {
                continue;
            }
            const ssize_t length =
                lgetxattr(where.constData(), name.constData(), m_buffer.data(), m_buffer.size());
            if (length < 0) {
                error(path + " " + name, "lgetxattr");
                continue;
            }
            xattrs[QString::fromUtf8(name)] = QString::fromLatin1(
                QByteArray(m_buffer.data(), static_cast<qsizetype>(length)).toHex());
        }
        if (xattrs.isEmpty()) {
            return;
        }
        entry[QStringLiteral("xattrs")] = xattrs;
        const auto value = [&xattrs](const QString& name) {
            return QByteArray::fromHex(xattrs[name].toString().toLatin1());
        };
        const QJsonArray lines = aclLines(value(kAccessAcl), value(kDefaultAcl), info.st_mode);
        if (!lines.isEmpty()) {
            entry[QStringLiteral("acl")] = lines;
        }
    }

    QByteArray m_root;
    const MountedTreeOptions& m_options;
    std::vector<char> m_buffer;
    QByteArrayList m_directories;
    MountedTree m_tree;
};

QString rightsText(uint rights)
{
    QString text = QStringLiteral("rwx");
    for (int bit = 0; bit < 3; ++bit) {
        if ((rights & (4U >> bit)) == 0) {
            text[bit] = u'-';
        }
    }
    return text;
}

/// One xattr value: version 2, then tag, rights and id of each entry, little-endian
/// (linux/posix_acl_xattr.h).
void appendLines(const QByteArray& value, const QString& prefix, QJsonArray& lines)
{
    constexpr qsizetype kHeader = 4;
    constexpr qsizetype kEntry = 8;
    for (qsizetype at = kHeader; at + kEntry <= value.size(); at += kEntry) {
        const auto tag = qFromLittleEndian<quint16>(value.constData() + at);
        const auto rights = qFromLittleEndian<quint16>(value.constData() + at + 2);
        const auto id = qFromLittleEndian<quint32>(value.constData() + at + 4);
        const char* who = tag <= 2 ? "user" : tag <= 8 ? "group" : tag == 16 ? "mask" : "other";
        const bool named = tag == 2 || tag == 8;
        lines.append(prefix + QStringLiteral("%1:%2:%3")
                                  .arg(QLatin1String(who),
                                       named ? QString::number(id) : QString(),
                                       rightsText(rights)));
    }
}
} // namespace

MountedTree readMountedTree(const QString& root, const MountedTreeOptions& options)
{
    return TreeReader(root, options).read();
}

QJsonArray aclLines(const QByteArray& access, const QByteArray& inherited, uint mode)
{
    QJsonArray lines;
    if (access.isEmpty() && inherited.isEmpty()) {
        return lines;
    }
    if (access.isEmpty()) {
        lines = {QStringLiteral("user::") + rightsText(mode >> 6),
                 QStringLiteral("group::") + rightsText(mode >> 3),
                 QStringLiteral("other::") + rightsText(mode)};
    } else {
        appendLines(access, {}, lines);
    }
    appendLines(inherited, QStringLiteral("default:"), lines);
    return lines;
}

} // namespace millpond::test
