// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/pools.h"

#include "support/zstd_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLockFile>
#include <QSet>

#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace millpond::test {

namespace {
QString committedPoolsFolder()
{
    return QStringLiteral(MILLPOND_SOURCE_DIR "/tests/golden/pools");
}

/// Best place first.
QStringList poolRoots()
{
    QStringList roots;
    if (const QString shared = sharedPoolsFolder(); !shared.isEmpty()) {
        roots << shared;
    }
    return roots << committedPoolsFolder();
}

void complain(const QString& text)
{
    std::fprintf(stderr, "%s\n", qPrintable(text));
}

bool unpackInto(const GoldenPool& pool, const QString& folder)
{
    QDir(folder).removeRecursively();
    if (!QDir().mkpath(folder)) {
        return false;
    }
    for (const QString& disk : pool.disks) {
        const QString image = folder + u'/' + disk;
        if (!unpackSparse(pool.folder + u'/' + disk + QStringLiteral(".zst"), image)) {
            complain(QStringLiteral("cannot unpack %1 of %2").arg(disk, pool.name));
            return false;
        }
        QFile::setPermissions(image, QFile::ReadOwner | QFile::ReadGroup | QFile::ReadOther);
    }
    return true;
}

/// Copies [begin, end) of one data segment.
bool copyRange(int from, int to, off_t begin, off_t end)
{
    std::vector<char> buffer(1U << 20U);
    while (begin < end) {
        const auto wanted = std::min<off_t>(end - begin, static_cast<off_t>(buffer.size()));
        const ssize_t got = pread(from, buffer.data(), static_cast<size_t>(wanted), begin);
        if (got <= 0 || pwrite(to, buffer.data(), static_cast<size_t>(got), begin) != got) {
            return false;
        }
        begin += got;
    }
    return true;
}

bool copySegments(int from, int to)
{
    struct stat info = {};
    if (fstat(from, &info) != 0 || ftruncate(to, info.st_size) != 0) {
        return false;
    }
    off_t position = 0;
    while (position < info.st_size) {
        const off_t data = lseek(from, position, SEEK_DATA);
        if (data < 0) {
            return true; // nothing but a hole is left
        }
        const off_t hole = lseek(from, data, SEEK_HOLE);
        if (hole < 0 || !copyRange(from, to, data, hole)) {
            return false;
        }
        position = hole;
    }
    return true;
}
} // namespace

QString sharedPoolsFolder()
{
    QStringList candidates;
    if (const QString named = qEnvironmentVariable("MILLPOND_SHARED"); !named.isEmpty()) {
        candidates << named + QStringLiteral("/pools");
    } else {
        candidates << QStringLiteral(MILLPOND_SOURCE_DIR "/../shared/pools");
    }
    for (const QString& candidate : candidates) {
        if (QDir(candidate).exists()) {
            return QDir::cleanPath(candidate);
        }
    }
    return {};
}

QStringList goldenPoolNames()
{
    QSet<QString> names;
    for (const QString& root : poolRoots()) {
        for (const QString& name : QDir(root).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            if (QFile::exists(root + u'/' + name + QStringLiteral("/info.json"))) {
                names.insert(name);
            }
        }
    }
    QStringList sorted(names.begin(), names.end());
    sorted.sort();
    return sorted;
}

std::optional<GoldenPool> findGoldenPool(const QString& name)
{
    for (const QString& root : poolRoots()) {
        const QString folder = root + u'/' + name;
        QFile file(folder + QStringLiteral("/info.json"));
        if (!file.open(QIODevice::ReadOnly)) {
            continue;
        }
        const QJsonObject info = QJsonDocument::fromJson(file.readAll()).object();
        GoldenPool pool{name, info[QLatin1String("pool")].toString(), folder, {}};
        for (const QJsonValue disk : info[QLatin1String("disks")].toArray()) {
            pool.disks << disk.toString();
        }
        return pool;
    }
    return std::nullopt;
}

QString unpackGoldenPool(const QString& name)
{
    const std::optional<GoldenPool> pool = findGoldenPool(name);
    if (!pool) {
        complain(QStringLiteral("no golden pool named %1").arg(name));
        return {};
    }
    const QString cache = QStringLiteral(MILLPOND_BINARY_DIR "/golden");
    const QString folder = cache + u'/' + name;
    const QString stamp = cache + u'/' + name + QStringLiteral(".unpacked");
    QDir().mkpath(cache);
    QLockFile lock(cache + u'/' + name + QStringLiteral(".lock"));
    lock.setStaleLockTime(0);
    if (!lock.lock()) {
        complain(QStringLiteral("cannot lock %1").arg(folder));
        return {};
    }
    if (QFile::exists(stamp) && QDir(folder).exists()) {
        return folder;
    }
    if (!unpackInto(*pool, folder)) {
        return {};
    }
    QFile done(stamp);
    return done.open(QIODevice::WriteOnly) ? folder : QString();
}

bool copySparse(const QString& from, const QString& to)
{
    const int source = open(qPrintable(from), O_RDONLY | O_CLOEXEC);
    const int target = open(qPrintable(to), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    const bool copied = source >= 0 && target >= 0 && copySegments(source, target);
    if (source >= 0) {
        close(source);
    }
    if (target >= 0) {
        close(target);
    }
    return copied;
}

bool copyGoldenPool(const QString& name, const QString& folder, const QStringList& disks)
{
    const std::optional<GoldenPool> pool = findGoldenPool(name);
    const QString unpacked = unpackGoldenPool(name);
    if (unpacked.isEmpty() || !QDir().mkpath(folder)) {
        return false;
    }
    for (const QString& disk : disks.isEmpty() ? pool->disks : disks) {
        if (!copySparse(unpacked + u'/' + disk, folder + u'/' + disk)) {
            return false;
        }
    }
    return true;
}

} // namespace millpond::test
