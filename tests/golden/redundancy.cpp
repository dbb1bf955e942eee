// SPDX-License-Identifier: GPL-3.0-or-later
#include "golden/redundancy.h"

#include "base/types.h"

#include <QFile>
#include <QRandomGenerator>
#include <QSet>

#include <algorithm>
#include <fcntl.h>
#include <functional>
#include <unistd.h>

namespace millpond::test {

namespace {
using api::VdevRow;
using Names = QSet<QString>;

/// Index of the first row after `row` that is not below it.
std::size_t endOf(const std::vector<VdevRow>& rows, std::size_t row)
{
    std::size_t end = row + 1;
    while (end < rows.size() && rows[end].depth > rows[row].depth) {
        ++end;
    }
    return end;
}

bool isAuxiliary(const VdevRow& row)
{
    return row.isLog || row.isSpare || row.isCache;
}

bool isReliable(const VdevRow& leaf)
{
    return leaf.state == api::VdevState::Online &&
           !QString::fromStdString(leaf.notes).contains(QLatin1String("resilver"));
}

/// Whether the vdev at `row` can be read without `gone`. Depth is that of the vdev tree: four.
bool isAlive(const std::vector<VdevRow>& rows,
             std::size_t row,
             const Names& gone) // NOLINT(misc-no-recursion)
{
    if (rows[row].isLeaf) {
        return isReliable(rows[row]) && !gone.contains(QString::fromStdString(rows[row].openedAs));
    }
    const QString type = QString::fromStdString(rows[row].type);
    if (type == QLatin1String("replacing") || type == QLatin1String("spare")) {
        return isAlive(rows, row + 1, gone); // what replaces it may not have everything yet
    }
    std::size_t alive = 0;
    std::size_t dead = 0;
    for (std::size_t child = row + 1; child < endOf(rows, row); child = endOf(rows, child)) {
        ++(isAlive(rows, child, gone) ? alive : dead);
    }
    return type == QLatin1String("raidz") ? dead <= rows[row].parity : alive > 0;
}

/// The first row is the pool; rows of depth 1 are its top-level vdevs (headings of sections have no
/// type of their own and are followed by theirs).
bool poolIsAlive(const std::vector<VdevRow>& rows, const Names& gone)
{
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const bool topLevel = rows[row].depth == 1 && !isAuxiliary(rows[row]);
        if (topLevel && !isAlive(rows, row, gone)) {
            return false;
        }
    }
    return true;
}

QStringList leaves(const std::vector<VdevRow>& rows, bool auxiliary)
{
    QStringList names;
    for (const VdevRow& row : rows) {
        if (row.isLeaf && isAuxiliary(row) == auxiliary && !row.openedAs.empty()) {
            names << QString::fromStdString(row.openedAs);
        }
    }
    return names;
}
} // namespace

QList<QStringList> survivableSets(const api::PoolStatus& status)
{
    const QStringList data = leaves(status.vdevs, false);
    const QStringList auxiliary = leaves(status.vdevs, true);
    QList<QStringList> sets;
    if (!auxiliary.isEmpty()) {
        sets << auxiliary;
    }
    constexpr qsizetype kMostLeaves = 16; // of a golden pool; all subsets are tried
    for (quint32 subset = 1; subset < 1U << std::min(data.size(), kMostLeaves); ++subset) {
        Names gone;
        for (qsizetype i = 0; i < data.size(); ++i) {
            if ((subset >> i & 1U) != 0) {
                gone.insert(data[i]);
            }
        }
        if (poolIsAlive(status.vdevs, gone)) {
            QStringList sorted(gone.begin(), gone.end());
            sorted.sort();
            sets << sorted;
        }
    }
    return sets;
}

QList<QStringList> worstSets(const api::PoolStatus& status)
{
    const QStringList auxiliary = leaves(status.vdevs, true);
    QList<QStringList> sets = survivableSets(status);
    sets.removeAll(auxiliary);
    QList<QStringList> worst;
    for (const QStringList& set : sets) {
        const Names names(set.begin(), set.end());
        const bool contained = std::any_of(sets.begin(), sets.end(), [&](const QStringList& other) {
            return other.size() > set.size() && Names(other.begin(), other.end()).contains(names);
        });
        if (!contained) {
            worst << set;
        }
    }
    return worst;
}

bool damageImage(const QString& image, std::uint64_t seed, LabelDamage labels)
{
    constexpr off_t kFrontBytes = 4 << 20;
    constexpr off_t kBackBytes = 512 << 10;
    const int file = open(qPrintable(image), O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const off_t size = lseek(file, 0, SEEK_END);
    const bool spare = labels == LabelDamage::Spare;
    const off_t end = spare ? size - kBackBytes : size;
    QRandomGenerator random(static_cast<quint32>(seed));
    QByteArray noise(64 << 10, Qt::Uninitialized);
    std::generate(
        noise.begin(), noise.end(), [&random] { return static_cast<char>(random.generate()); });

    bool written = true;
    off_t position = spare ? kFrontBytes : 0;
    while (written && position < end) {
        const off_t data = lseek(file, position, SEEK_DATA);
        if (data < 0 || data >= end) {
            break;
        }
        const off_t piece = std::min<off_t>(end - data, off_t{512} << random.bounded(8));
        if (random.bounded(2) == 0) {
            written = pwrite(file, noise.constData(), static_cast<size_t>(piece), data) == piece;
        }
        position = data + piece;
    }
    close(file);
    return written;
}

} // namespace millpond::test
