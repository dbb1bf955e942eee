// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/model/pool_list_model.h"

#include "gui/art/icon.h"
#include "gui/model/advice.h"
#include "gui/model/text.h"

#include <QLocale>

#include <algorithm>

namespace millpond::model {

namespace {

QString shortTime(const QDateTime& time)
{
    return QLocale().toString(time, QLocale::ShortFormat);
}

QString scrubText(const state::Scan& scan)
{
    if (scan.state == QLatin1String("running")) {
        return PoolListModel::tr(
            "A scrub was running; it goes on when the pool is opened for writing.");
    }
    if (scan.state == QLatin1String("cancelled")) {
        return PoolListModel::tr("The last scrub was cancelled on %1.").arg(shortTime(scan.ended));
    }
    return PoolListModel::tr("Last scrub: %1, %n error(s).", nullptr, static_cast<int>(scan.errors))
        .arg(shortTime(scan.ended));
}

QString resilverText(const state::Scan& scan)
{
    if (scan.state == QLatin1String("running")) {
        return PoolListModel::tr("A device was being rebuilt (resilvered); until that ends the "
                                 "pool has less redundancy.");
    }
    if (scan.state == QLatin1String("cancelled")) {
        return PoolListModel::tr("The last rebuild (resilver) was cancelled on %1.")
            .arg(shortTime(scan.ended));
    }
    return PoolListModel::tr(
               "Last rebuild (resilver): %1, %n error(s).", nullptr, static_cast<int>(scan.errors))
        .arg(shortTime(scan.ended));
}

QString scanText(const state::Scan& scan)
{
    if (scan.kind == QLatin1String("scrub")) {
        return scrubText(scan);
    }
    return scan.kind == QLatin1String("resilver") ? resilverText(scan) : QString();
}

QString errorText(const state::Pool& pool)
{
    if (pool.errorCount == 0) {
        return {};
    }
    QString text = PoolListModel::tr("%n file(s) or object(s) are known to be damaged.",
                                     nullptr,
                                     static_cast<int>(pool.errorCount));
    for (const state::DataError& error :
         pool.errors.first(qMin<qsizetype>(3, pool.errors.size()))) {
        if (!error.path.isEmpty()) {
            text += QLatin1Char(' ') + error.dataset + QLatin1Char(':') + error.path;
        }
    }
    return text;
}

QString foundText(const state::Pool& pool)
{
    if (pool.destroyed) {
        return PoolListModel::tr("This pool was destroyed; what is left of it can be looked at.");
    }
    if (!pool.importable) {
        return pool.reason.isEmpty() ? PoolListModel::tr("This pool cannot be imported.")
                                     : PoolListModel::tr("Cannot be imported: %1").arg(pool.reason);
    }
    if (pool.active) {
        return PoolListModel::tr(
                   "It was not exported: %1 may be using it. Opened read-only it is not changed.")
            .arg(pool.lastHost.isEmpty() ? PoolListModel::tr("another machine") : pool.lastHost);
    }
    return pool.readOnlyOnly ? PoolListModel::tr("This pool can be opened for reading only.")
                             : QString();
}

} // namespace

QString poolSummary(const state::Pool& pool)
{
    const QString health = healthText(pool.health(), pool.word);
    if (pool.imported) {
        return pool.readOnly ? PoolListModel::tr("%1, open read-only").arg(health)
                             : PoolListModel::tr("%1, open").arg(health);
    }
    return pool.importable ? PoolListModel::tr("%1, not imported").arg(health)
                           : PoolListModel::tr("%1, cannot be imported").arg(health);
}

QString poolIconName(const state::Pool& pool)
{
    const bool closed = !pool.imported && !pool.importable;
    return closed && !state::needsAttention(pool.health()) ? QStringLiteral("health-off")
                                                           : healthIconName(pool.health());
}

QString capacityText(const state::Pool& pool)
{
    if (pool.vdevs.isEmpty()) {
        return {};
    }
    const state::Vdev& root = pool.vdevs.front();
    if (!root.size || *root.size == 0) {
        return {};
    }
    if (!pool.imported || !root.allocated) {
        return PoolListModel::tr("%1 raw size").arg(sizeText(*root.size));
    }
    const double percent =
        100.0 * static_cast<double>(*root.allocated) / static_cast<double>(*root.size);
    return PoolListModel::tr("%1 of %2 raw space allocated (%3 %)")
        .arg(sizeText(*root.allocated), sizeText(*root.size))
        .arg(percent, 0, 'f', 0);
}

QStringList poolExplanation(const state::Pool& pool)
{
    QStringList parts;
    if (!pool.imported && !pool.importable && !pool.reason.isEmpty()) {
        return {foundText(pool)}; // what is said of its health follows from that, or leads astray
    }
    for (const QString& part : {translatedAdvice(pool.status),
                                translatedAdvice(pool.action),
                                pool.imported ? QString() : foundText(pool),
                                scanText(pool.scan),
                                errorText(pool)}) {
        if (!part.isEmpty()) {
            parts.append(part);
        }
    }
    if (parts.isEmpty() && pool.health() == state::Health::Online) {
        parts.append(pool.imported
                         ? PoolListModel::tr("All devices are there. No known data errors.")
                         : PoolListModel::tr("All devices are there."));
    }
    return parts;
}

PoolListModel::PoolListModel(QObject* parent)
    : QAbstractListModel(parent)
{
}

void PoolListModel::setPools(const QList<state::Pool>& imported, const QList<state::Pool>& found)
{
    beginResetModel();
    m_pools = imported;
    for (const state::Pool& pool : found) {
        const bool open = std::ranges::any_of(
            imported, [&pool](const state::Pool& other) { return other.guid == pool.guid; });
        if (!open) {
            m_pools.append(pool);
        }
    }
    std::ranges::sort(m_pools, [](const state::Pool& a, const state::Pool& b) {
        const int order = QString::localeAwareCompare(a.name, b.name);
        return order != 0 ? order < 0 : a.guid < b.guid;
    });
    endResetModel();
}

const state::Pool* PoolListModel::pool(const QModelIndex& index) const
{
    return index.isValid() && index.row() < m_pools.size() ? &m_pools[index.row()] : nullptr;
}

QModelIndex PoolListModel::indexOf(const QString& key) const
{
    for (int row = 0; row < m_pools.size(); ++row) {
        if (state::poolKey(m_pools[row]) == key) {
            return index(row);
        }
    }
    return {};
}

int PoolListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_pools.size());
}

QVariant PoolListModel::data(const QModelIndex& index, int role) const
{
    const state::Pool* shown = pool(index);
    if (shown == nullptr) {
        return {};
    }
    switch (role) {
    case Qt::DisplayRole:
        return QString(shown->name + QLatin1Char('\n') + poolSummary(*shown));
    case Qt::DecorationRole:
        return art::icon(poolIconName(*shown));
    case Qt::ToolTipRole:
        return plainToolTip(tr("%1 (guid %2)").arg(shown->name).arg(shown->guid));
    case Qt::AccessibleTextRole:
        return QString(shown->name + QStringLiteral(", ") + poolSummary(*shown));
    case NameRole:
        return state::poolKey(*shown);
    default:
        return {};
    }
}

} // namespace millpond::model
