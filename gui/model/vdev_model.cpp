// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/model/vdev_model.h"

#include "gui/art/icon.h"
#include "gui/model/text.h"

#include <QFont>

namespace millpond::model {

namespace {

bool isErrorCount(int column)
{
    return column == VdevModel::ReadErrors || column == VdevModel::WriteErrors ||
           column == VdevModel::ChecksumErrors;
}

bool isNumber(int column)
{
    return isErrorCount(column) || column == VdevModel::Size;
}

quint64 errorsOf(const state::Vdev& vdev, int column)
{
    switch (column) {
    case VdevModel::ReadErrors:
        return vdev.readErrors;
    case VdevModel::WriteErrors:
        return vdev.writeErrors;
    default:
        return vdev.checksumErrors;
    }
}

QString remark(const state::Vdev& vdev)
{
    QStringList parts;
    for (const QString& part : {vdev.aux, vdev.notes}) {
        if (!part.isEmpty()) {
            parts.append(part);
        }
    }
    return parts.join(QStringLiteral("; "));
}

} // namespace

QString vdevName(const state::Vdev& vdev)
{
    if (!vdev.isHeading()) {
        // Of a path the last part tells enough; the tool tip has it whole.
        const bool path = vdev.isLeaf && vdev.name.startsWith(QLatin1Char('/'));
        return path ? vdev.name.mid(vdev.name.lastIndexOf(QLatin1Char('/')) + 1) : vdev.name;
    }
    if (vdev.name == QLatin1String("logs")) {
        return VdevModel::tr("Logs");
    }
    if (vdev.name == QLatin1String("cache")) {
        return VdevModel::tr("Cache");
    }
    if (vdev.name == QLatin1String("spares")) {
        return VdevModel::tr("Spares");
    }
    if (vdev.name == QLatin1String("special")) {
        return VdevModel::tr("Special (metadata)");
    }
    if (vdev.name == QLatin1String("dedup")) {
        return VdevModel::tr("Deduplication tables");
    }
    return vdev.name;
}

std::optional<quint64> vdevSize(const state::Vdev& vdev)
{
    if (vdev.isHeading()) {
        return std::nullopt;
    }
    const std::optional<quint64> size =
        vdev.isLeaf && vdev.deviceSize ? vdev.deviceSize : vdev.size;
    return size && *size > 0 ? size : std::nullopt;
}

VdevModel::VdevModel(QObject* parent)
    : QAbstractItemModel(parent)
{
}

void VdevModel::setVdevs(const QList<state::Vdev>& vdevs)
{
    beginResetModel();
    m_vdevs = vdevs;
    m_nodes.assign(static_cast<std::size_t>(vdevs.size()), Node());
    m_top.clear();
    std::vector<int> path; // the row at each depth above the current one
    for (int n = 0; n < vdevs.size(); ++n) {
        const auto depth = static_cast<std::size_t>(qMax(0, vdevs[n].depth));
        path.resize(qMin(path.size(), depth));
        Node& node = m_nodes[static_cast<std::size_t>(n)];
        node.parent = path.empty() ? -1 : path.back();
        auto& siblings =
            node.parent < 0 ? m_top : m_nodes[static_cast<std::size_t>(node.parent)].children;
        node.row = static_cast<int>(siblings.size());
        siblings.push_back(n);
        path.push_back(n);
    }
    endResetModel();
}

const state::Vdev& VdevModel::vdev(const QModelIndex& index) const
{
    return m_vdevs[static_cast<qsizetype>(index.internalId())];
}

const std::vector<int>& VdevModel::childrenOf(const QModelIndex& parent) const
{
    return parent.isValid() ? m_nodes[parent.internalId()].children : m_top;
}

QModelIndex VdevModel::index(int row, int column, const QModelIndex& parent) const
{
    const std::vector<int>& rows = childrenOf(parent);
    if (row < 0 || column < 0 || column >= ColumnCount ||
        static_cast<std::size_t>(row) >= rows.size()) {
        return {};
    }
    return createIndex(row, column, static_cast<quintptr>(rows[static_cast<std::size_t>(row)]));
}

QModelIndex VdevModel::parent(const QModelIndex& child) const
{
    const int parent = child.isValid() ? m_nodes[child.internalId()].parent : -1;
    if (parent < 0) {
        return {};
    }
    return createIndex(
        m_nodes[static_cast<std::size_t>(parent)].row, 0, static_cast<quintptr>(parent));
}

int VdevModel::rowCount(const QModelIndex& parent) const
{
    return parent.column() > 0 ? 0 : static_cast<int>(childrenOf(parent).size());
}

int VdevModel::columnCount(const QModelIndex&) const
{
    return ColumnCount;
}

QVariant VdevModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const state::Vdev& shown = vdev(index);
    switch (role) {
    case Qt::DisplayRole:
        return text(shown, index.column());
    case Qt::DecorationRole:
        return icon(shown, index.column());
    case Qt::ToolTipRole:
        return plainToolTip(index.column() == Device && !shown.openedAs.isEmpty()
                                ? shown.openedAs
                                : text(shown, index.column()));
    case Qt::TextAlignmentRole:
        return isNumber(index.column()) ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::FontRole: {
        QFont bold;
        bold.setBold(true);
        const bool bad = isErrorCount(index.column()) && errorsOf(shown, index.column()) > 0;
        return bad ? QVariant(bold) : QVariant();
    }
    case ExportRole:
        return exportText(shown, index.column());
    case NameRole:
        return shown.name;
    default:
        return {};
    }
}

QVariant VdevModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        return QVariant((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole && isErrorCount(section)) {
        return tr("Errors of this kind since the pool was opened");
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case Device:
        return tr("Device");
    case State:
        return tr("State");
    case Size:
        return tr("Size");
    case ReadErrors:
        return tr("Read");
    case WriteErrors:
        return tr("Write");
    case ChecksumErrors:
        return tr("Checksum");
    case Remark:
        return tr("Remark");
    default:
        return {};
    }
}

QString VdevModel::text(const state::Vdev& vdev, int column) const
{
    switch (column) {
    case Device:
        return vdevName(vdev);
    case State:
        return vdev.word.isEmpty() ? QString() : healthText(vdev.health(), vdev.word);
    case Size:
        return vdevSize(vdev) ? sizeText(*vdevSize(vdev)) : QString();
    case Remark:
        return remark(vdev);
    default:
        return vdev.isHeading() || vdev.isSpare ? QString()
                                                : QString::number(errorsOf(vdev, column));
    }
}

QString VdevModel::exportText(const state::Vdev& vdev, int column) const
{
    if (column == Size) {
        return vdevSize(vdev) ? QString::number(*vdevSize(vdev)) : QStringLiteral("-");
    }
    if (column == Device) {
        return vdev.name;
    }
    return column == State ? vdev.word : text(vdev, column);
}

QVariant VdevModel::icon(const state::Vdev& vdev, int column) const
{
    if (column == State && !vdev.word.isEmpty()) {
        return art::icon(healthIconName(vdev.health()));
    }
    if (column == Device && !vdev.isHeading()) {
        return art::icon(vdev.depth == 0 ? QStringLiteral("pool")
                         : vdev.isLeaf   ? QStringLiteral("disk")
                                         : QStringLiteral("group"));
    }
    return {};
}

} // namespace millpond::model
