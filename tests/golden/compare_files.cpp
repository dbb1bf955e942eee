// SPDX-License-Identifier: GPL-3.0-or-later
#include "golden/compare.h"
#include "golden/golden_pool.h"
#include "support/mounted_tree.h"
#include "support/sha256.h"

#include "object/zap.h"
#include "posix/file_system.h"

#include <QtEndian>

#include <sys/sysmacros.h>

namespace millpond::test {

namespace {
using posix::AclEntry;
using posix::Attributes;
using posix::FileSystem;
using posix::FileType;

QString typeText(FileType type)
{
    switch (type) {
    case FileType::Fifo:
        return QStringLiteral("fifo");
    case FileType::CharacterDevice:
        return QStringLiteral("char");
    case FileType::Directory:
        return QStringLiteral("dir");
    case FileType::BlockDevice:
        return QStringLiteral("block");
    case FileType::Regular:
        return QStringLiteral("file");
    case FileType::Link:
        return QStringLiteral("symlink");
    case FileType::Socket:
        return QStringLiteral("socket");
    default:
        return QStringLiteral("unknown");
    }
}

/// FS_XFLAG_… as FS_IOC_FSGETXATTR gives them, from the flags on disk (zfs_znode.h, linux/fs.h).
qint64 extendedFlags(std::uint64_t flags)
{
    constexpr std::pair<std::uint64_t, qint64> kPairs[] = {
        {0x10ULL << 32, 0x8},     // immutable
        {0x40ULL << 32, 0x10},    // append only
        {0x80ULL << 32, 0x80},    // no dump
        {0x4000ULL << 32, 0x200}, // inherit the project
    };
    qint64 shown = 0;
    for (const auto& [stored, flag] : kPairs) {
        shown |= (flags & stored) != 0 ? flag : 0;
    }
    return shown;
}

/// The value of system.posix_acl_access as the kernel's xattr interface encodes it: version 2,
/// then tag, permissions and id, little-endian (linux/posix_acl_xattr.h).
QByteArray aclAsXattr(const std::vector<AclEntry>& acl)
{
    QByteArray bytes(4 + static_cast<qsizetype>(acl.size()) * 8, '\0');
    qToLittleEndian<quint32>(2, bytes.data());
    char* at = bytes.data() + 4;
    for (const AclEntry& entry : acl) {
        const bool named = entry.tag == AclEntry::Tag::User || entry.tag == AclEntry::Tag::Group;
        qToLittleEndian<quint16>(static_cast<quint16>(1U << static_cast<unsigned>(entry.tag)), at);
        qToLittleEndian<quint16>(entry.permissions, at + 2);
        qToLittleEndian<quint32>(named ? entry.id : 0xffffffffU, at + 4);
        at += 8;
    }
    return bytes;
}

/// Reads one filesystem into entries of the manifest's form.
class Reader
{
public:
    explicit Reader(FileSystem& fileSystem)
        : m_fileSystem(fileSystem)
        , m_buffer(MiB)
    {
    }

    Result<FileEntries> readAll()
    {
        MP_TRY(readObject(m_fileSystem.root(), "."));
        while (!m_directories.empty()) {
            const auto [directory, path] = m_directories.back();
            m_directories.pop_back();
            MP_TRY(readDirectory(directory, path));
        }
        return std::move(m_entries);
    }

private:
    Status readDirectory(ObjectId directory, const QByteArray& path)
    {
        std::uint64_t cursor = object::Zap::kBegin;
        for (;;) {
            const auto entries = MP_TRY(m_fileSystem.list(directory, cursor, kEntriesAtOnce));
            if (entries.empty()) {
                return {};
            }
            for (const posix::DirectoryEntry& entry : entries) {
                const QByteArray name = QByteArray::fromStdString(entry.name);
                MP_TRY(readObject(entry.object, path == "." ? name : path + '/' + name));
                const auto found = MP_TRY(m_fileSystem.lookup(directory, entry.name));
                if (found.object != entry.object) {
                    return fail(ErrorCode::BadDirectory,
                                "lookup of " + entry.name + " finds another object than list");
                }
            }
            cursor = entries.back().next;
        }
    }

    Status readObject(ObjectId object, const QByteArray& path)
    {
        const auto attributes = MP_TRY(m_fileSystem.attributes(object));
        QJsonObject entry = common(*attributes);
        if (attributes->type == FileType::Directory) {
            m_directories.emplace_back(object, path);
        } else if (attributes->type == FileType::Link) {
            entry[QStringLiteral("target")] =
                QString::fromStdString(MP_TRY(m_fileSystem.readLink(object)));
        } else if (attributes->type == FileType::Regular) {
            MP_TRY(addContent(object, *attributes, entry));
        }
        MP_TRY(addXattrs(object, *attributes, entry));
        m_entries[path] = entry;
        return {};
    }

    static QJsonObject common(const Attributes& attributes)
    {
        QJsonObject entry{
            {QStringLiteral("type"), typeText(attributes.type)},
            {QStringLiteral("mode"),
             QStringLiteral("%1").arg(attributes.mode & 07777U, 4, 8, QLatin1Char('0'))},
            {QStringLiteral("uid"), qint64{attributes.uid}},
            {QStringLiteral("gid"), qint64{attributes.gid}},
            {QStringLiteral("size"), static_cast<qint64>(attributes.size)},
            {QStringLiteral("nlink"), static_cast<qint64>(attributes.links)},
            {QStringLiteral("mtime_ns"), qint64{attributes.modified.count()}},
            {QStringLiteral("atime_ns"), qint64{attributes.accessed.count()}},
            {QStringLiteral("ctime_ns"), qint64{attributes.changed.count()}},
            {QStringLiteral("ino"), static_cast<qint64>(attributes.object.value())},
            {QStringLiteral("blocks512"), static_cast<qint64>(attributes.blocks512)},
        };
        if (attributes.type == FileType::BlockDevice ||
            attributes.type == FileType::CharacterDevice) {
            const auto major = gnu_dev_major(attributes.rdev);
            const auto minor = gnu_dev_minor(attributes.rdev);
            entry[QStringLiteral("rdev")] = QJsonArray{qint64{major}, qint64{minor}};
            entry[QStringLiteral("rdev_raw")] = static_cast<qint64>(attributes.rdev);
        }
        if (const qint64 flags = extendedFlags(attributes.flags); flags != 0) {
            entry[QStringLiteral("xflags")] = flags;
        }
        if (attributes.projectId != 0) {
            entry[QStringLiteral("projid")] = qint64{attributes.projectId};
        }
        return entry;
    }

    Status addContent(ObjectId object, const Attributes& attributes, QJsonObject& entry)
    {
        Sha256 hash;
        std::uint64_t at = 0;
        for (;;) {
            const std::size_t got = MP_TRY(m_fileSystem.read(object, ByteOffset(at), m_buffer));
            hash.add(m_buffer.data(), got);
            at += got;
            if (got < m_buffer.size()) {
                break;
            }
        }
        if (at != attributes.size) {
            return fail(ErrorCode::BadDirectory,
                        "a file's content ends at another place than its size says");
        }
        entry[QStringLiteral("sha256")] = hash.hex();
        const QJsonArray segments = MP_TRY(dataSegments(object));
        const bool oneFull =
            segments.size() == 1 && segments[0] == QJsonArray{0, static_cast<qint64>(at)};
        if (at != 0 && !oneFull) {
            entry[QStringLiteral("data_segments")] = segments;
        }
        return {};
    }

    Result<QJsonArray> dataSegments(ObjectId object)
    {
        QJsonArray segments;
        ByteOffset at(0);
        for (;;) {
            const auto data = MP_TRY(m_fileSystem.seekData(object, at));
            if (!data) {
                return segments;
            }
            const auto hole = MP_TRY(m_fileSystem.seekHole(object, *data));
            if (!hole || *hole <= *data) {
                return fail(ErrorCode::BadDirectory, "no hole after data");
            }
            segments.append(
                QJsonArray{static_cast<qint64>(data->value()), static_cast<qint64>(hole->value())});
            at = *hole;
        }
    }

    Status addXattrs(ObjectId object, const Attributes& attributes, QJsonObject& entry)
    {
        QJsonObject xattrs;
        for (const std::string& name : MP_TRY(m_fileSystem.xattrNames(object))) {
            const auto value = MP_TRY(m_fileSystem.xattr(object, name));
            xattrs[QString::fromStdString(name)] =
                QString::fromLatin1(QByteArray(reinterpret_cast<const char*>(value.data()),
                                               static_cast<qsizetype>(value.size()))
                                        .toHex());
        }
        const auto access = MP_TRY(m_fileSystem.accessAcl(object));
        const auto inherited = MP_TRY(m_fileSystem.defaultAcl(object));
        const QByteArray accessValue = access.empty() ? QByteArray() : aclAsXattr(access);
        const QByteArray inheritedValue = inherited.empty() ? QByteArray() : aclAsXattr(inherited);
        if (!access.empty()) {
            xattrs[QStringLiteral("system.posix_acl_access")] =
                QString::fromLatin1(accessValue.toHex());
        }
        if (!inherited.empty()) {
            xattrs[QStringLiteral("system.posix_acl_default")] =
                QString::fromLatin1(inheritedValue.toHex());
        }
        const QJsonArray lines = aclLines(accessValue, inheritedValue, attributes.mode);
        if (!lines.isEmpty()) {
            entry[QStringLiteral("acl")] = lines;
        }
        if (!xattrs.isEmpty()) {
            entry[QStringLiteral("xattrs")] = xattrs;
        }
        return {};
    }

    static constexpr std::size_t kEntriesAtOnce = 100; // less than the large directories have

    FileSystem& m_fileSystem;
    std::vector<std::byte> m_buffer;
    std::vector<std::pair<ObjectId, QByteArray>> m_directories;
    FileEntries m_entries;
};
} // namespace

Result<FileEntries> readFileSystem(api::Pool& pool, const std::string& dataset)
{
    const auto fileSystem = MP_TRY(pool.fileSystem(dataset));
    return Reader(*fileSystem).readAll();
}

void compareFileSystems(api::Pool& pool, const QJsonObject& manifest, Differences& differences)
{
    const QJsonObject expected = manifest[QLatin1String("files")].toObject();
    for (const QString& dataset : expected.keys()) {
        auto found = readFileSystem(pool, dataset.toStdString());
        if (!found) {
            differences.add(dataset + QStringLiteral(": ") +
                            QString::fromUtf8(errorText(found.error())));
            continue;
        }
        QJsonArray entries = expected[dataset].toArray();
        if (dataset.contains(u'@')) {
            // Under .zfs/snapshot OpenZFS shows a made-up number for the root.
            QJsonObject root = entries.first().toObject();
            root[QStringLiteral("ino")] = (*found)["."][QStringLiteral("ino")];
            entries[0] = root;
        }
        compareFiles(dataset, entries, *found, differences);
    }
}

} // namespace millpond::test
