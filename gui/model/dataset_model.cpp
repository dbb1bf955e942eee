// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/model/dataset_model.h"

#include "gui/art/icon.h"
#include "gui/model/text.h"

#include <algorithm>
#include <numeric>

namespace millpond::model {

namespace {

QByteArrayView viewOf(std::string_view text)
{
    return {text.data(), static_cast<qsizetype>(text.size())};
}

/// The name of the parent dataset; empty for a pool's root.
std::string_view parentName(std::string_view name)
{
    const std::size_t end = name.find_last_of("/@#");
    return end == std::string_view::npos ? std::string_view() : name.substr(0, end);
}

std::string_view lastPart(std::string_view name)
{
    const std::size_t snapshot = name.find_first_of("@#");
    if (snapshot != std::string_view::npos) {
        return name.substr(snapshot);
    }
    return name.substr(name.rfind('/') + 1);
}

QString iconNameOf(state::DatasetKind kind)
{
    switch (kind) {
    case state::DatasetKind::Volume:
        return QStringLiteral("volume");
    case state::DatasetKind::Snapshot:
    case state::DatasetKind::Bookmark:
        return QStringLiteral("snapshot");
    case state::DatasetKind::Filesystem:
        break;
    }
    return QStringLiteral("filesystem");
}

bool isAscii(const QString& text)
{
    return std::ranges::all_of(text, [](QChar letter) { return letter.unicode() < 128; });
}

char lowered(char letter)
{
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

} // namespace

DatasetModel::DatasetModel(QList<DatasetColumn> columns, Shape shape, QObject* parent)
    : QAbstractItemModel(parent)
    , m_columns(std::move(columns))
    , m_shape(shape)
{
}

void DatasetModel::setTable(state::DatasetTable table)
{
    if (sharesRoot(table)) {
        replaceSameShape(std::move(table));
        return;
    }
    resetLayout([this, &table] {
        m_table = std::move(table);
        buildNodes();
    });
}

bool DatasetModel::sharesRoot(const state::DatasetTable& table) const
{
    return m_table.size() > 0 && table.size() > 0 && m_table.name(0) == table.name(0);
}

void DatasetModel::replaceSameShape(state::DatasetTable table)
{
    emit layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    QStringList names;
    for (const QModelIndex& index : before) {
        names.append(nameOf(index));
    }
    m_table = std::move(table);
    buildNodes();
    arrange();
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i) {
        const QModelIndex now = indexOf(names[i]);
        after.append(now.isValid() ? now.siblingAtColumn(before[i].column()) : now);
    }
    changePersistentIndexList(before, after);
    emit layoutChanged();
}

void DatasetModel::setMounts(const QList<state::Mount>& mounts)
{
    // One signal for any number of rows; no index moves.
    emit layoutAboutToBeChanged();
    m_mounts.clear();
    for (const state::Mount& mount : mounts) {
        m_mounts.insert(mount.dataset, mount);
    }
    emit layoutChanged();
}

void DatasetModel::setShape(Shape shape)
{
    if (shape != m_shape) {
        resetLayout([this, shape] { m_shape = shape; });
    }
}

void DatasetModel::setFilter(const QString& text)
{
    const QString wanted = text.trimmed();
    if (wanted == m_filter) {
        return;
    }
    const auto assign = [this, &wanted] {
        m_filter = wanted;
        m_filterUtf8 = isAscii(wanted) ? wanted.toLower().toUtf8() : QByteArray();
    };
    const bool listAfter = m_shape == Shape::List || !wanted.isEmpty();
    if (listAfter == isList()) {
        changeLayout(assign);
    } else {
        resetLayout(assign);
    }
}

bool DatasetModel::isList() const
{
    return m_shape == Shape::List || !m_filter.isEmpty();
}

void DatasetModel::changeLayout(auto&& change)
{
    emit layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    change();
    arrange();
    QModelIndexList after;
    for (const QModelIndex& index : before) {
        const int row = m_nodes[index.internalId()].row;
        after.append(row < 0 ? QModelIndex()
                             : createIndex(row, index.column(), index.internalId()));
    }
    changePersistentIndexList(before, after);
    emit layoutChanged();
}

void DatasetModel::resetLayout(auto&& change)
{
    beginResetModel();
    change();
    arrange();
    endResetModel();
}

void DatasetModel::buildNodes()
{
    const std::size_t count = m_table.size();
    m_nodes.assign(count, Node());
    m_rowOfName.clear();
    m_rowOfName.reserve(static_cast<qsizetype>(count));
    for (std::size_t row = 0; row < count; ++row) {
        m_rowOfName.insert(viewOf(m_table.name(row)), static_cast<int>(row));
        // Parents come first, so they are known; a dataset whose parent is not in the table is a
        // root.
        m_nodes[row].parent = m_rowOfName.value(viewOf(parentName(m_table.name(row))), -1);
    }
    m_tableColumns.clear();
    for (const DatasetColumn& column : m_columns) {
        m_tableColumns.push_back(column.property.isEmpty() ? -1
                                                           : m_table.columnOf(column.property));
    }
}

void DatasetModel::arrange()
{
    m_top.clear();
    for (Node& node : m_nodes) {
        node.row = -1;
        node.children.clear();
    }
    if (isList()) {
        arrangeList();
    } else {
        arrangeTree();
    }
}

void DatasetModel::arrangeTree()
{
    for (std::size_t n = 0; n < m_nodes.size(); ++n) {
        const int parent = m_nodes[n].parent;
        Rows& siblings = parent < 0 ? m_top : m_nodes[static_cast<std::size_t>(parent)].children;
        siblings.push_back(static_cast<int>(n));
    }
    m_matchCount = static_cast<int>(m_nodes.size());
    const std::vector<double> keys = sortKeys();
    sortRows(m_top, keys);
    for (Node& node : m_nodes) {
        sortRows(node.children, keys);
    }
}

void DatasetModel::arrangeList()
{
    for (std::size_t n = 0; n < m_nodes.size(); ++n) {
        if (matches(n)) {
            m_top.push_back(static_cast<int>(n));
        }
    }
    m_matchCount = static_cast<int>(m_top.size());
    sortRows(m_top, sortKeys());
}

bool DatasetModel::matches(std::size_t row) const
{
    if (m_filter.isEmpty()) {
        return true;
    }
    const std::string_view name = m_table.name(row);
    if (m_filterUtf8.isEmpty()) {
        return state::toQString(name).contains(m_filter, Qt::CaseInsensitive);
    }
    const auto found = std::ranges::search(name, m_filterUtf8, {}, lowered);
    return !found.empty();
}

/// One number per row of the table; empty for a column that sorts by text.
std::vector<double> DatasetModel::sortKeys() const
{
    const DatasetColumn& column = m_columns[m_sortColumn];
    std::vector<double> keys;
    if (column.sortsByText()) {
        return keys;
    }
    keys.resize(m_nodes.size());
    for (std::size_t row = 0; row < keys.size(); ++row) {
        // The table's own order is that of `zfs list`: by name, snapshots by time.
        keys[row] = column.kind == DatasetColumn::Kind::Name ? static_cast<double>(row)
                    : column.kind == DatasetColumn::Kind::Mounted
                        ? static_cast<double>(m_mounts.contains(nameText(row, true)))
                        : sortNumber(raw(row, m_sortColumn));
    }
    return keys;
}

void DatasetModel::sortRows(Rows& rows, const std::vector<double>& keys)
{
    // Equal ones stay in the table's order, whichever way the others go.
    const auto sortBy = [this, &rows](auto&& key) {
        std::ranges::sort(rows, [this, &key](int a, int b) {
            const auto left = key(a), right = key(b);
            if (left == right) {
                return a < b;
            }
            return m_sortOrder == Qt::AscendingOrder ? left < right : right < left;
        });
    };
    if (keys.empty()) {
        sortBy([this](int row) { return raw(static_cast<std::size_t>(row), m_sortColumn); });
    } else {
        sortBy([&keys](int row) { return keys[static_cast<std::size_t>(row)]; });
    }
    number(rows);
}

void DatasetModel::number(const Rows& rows)
{
    for (std::size_t place = 0; place < rows.size(); ++place) {
        m_nodes[static_cast<std::size_t>(rows[place])].row = static_cast<int>(place);
    }
}

void DatasetModel::sort(int column, Qt::SortOrder order)
{
    if (column < 0 || column >= m_columns.size() ||
        (column == m_sortColumn && order == m_sortOrder)) {
        return;
    }
    changeLayout([this, column, order] {
        m_sortColumn = column;
        m_sortOrder = order;
    });
}

QModelIndex DatasetModel::indexOf(const QString& name) const
{
    const int node = m_rowOfName.value(name.toUtf8(), -1);
    if (node < 0 || m_nodes[static_cast<std::size_t>(node)].row < 0) {
        return {};
    }
    return createIndex(m_nodes[static_cast<std::size_t>(node)].row, 0, static_cast<quintptr>(node));
}

QString DatasetModel::nameOf(const QModelIndex& index) const
{
    return index.isValid() ? state::toQString(m_table.name(index.internalId())) : QString();
}

state::DatasetKind DatasetModel::kindOf(const QModelIndex& index) const
{
    return m_table.kind(index.internalId());
}

QString DatasetModel::mountPathOf(const QModelIndex& index) const
{
    return m_mounts.value(nameOf(index)).path;
}

const DatasetModel::Rows& DatasetModel::childrenOf(const QModelIndex& parent) const
{
    return parent.isValid() ? m_nodes[parent.internalId()].children : m_top;
}

QModelIndex DatasetModel::index(int row, int column, const QModelIndex& parent) const
{
    const Rows& rows = childrenOf(parent);
    if (row < 0 || column < 0 || column >= m_columns.size() ||
        static_cast<std::size_t>(row) >= rows.size()) {
        return {};
    }
    return createIndex(row, column, static_cast<quintptr>(rows[static_cast<std::size_t>(row)]));
}

QModelIndex DatasetModel::parent(const QModelIndex& child) const
{
    if (!child.isValid() || isList()) {
        return {};
    }
    const int parent = m_nodes[child.internalId()].parent;
    if (parent < 0) {
        return {};
    }
    return createIndex(
        m_nodes[static_cast<std::size_t>(parent)].row, 0, static_cast<quintptr>(parent));
}

int DatasetModel::rowCount(const QModelIndex& parent) const
{
    return parent.column() > 0 ? 0 : static_cast<int>(childrenOf(parent).size());
}

int DatasetModel::columnCount(const QModelIndex&) const
{
    return static_cast<int>(m_columns.size());
}

QVariant DatasetModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid()) {
        return {};
    }
    const std::size_t row = index.internalId();
    switch (role) {
    case Qt::DisplayRole:
        return displayText(row, index.column());
    case Qt::DecorationRole:
        return index.column() == 0 ? decoration(row) : QVariant();
    case Qt::ToolTipRole:
        return plainToolTip(toolTip(row, index.column()));
    case Qt::TextAlignmentRole:
        return m_columns[index.column()].isNumber() ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                                    : QVariant();
    case ExportRole:
        return exportText(row, index.column());
    case NameRole:
        return state::toQString(m_table.name(row));
    default:
        return {};
    }
}

QVariant DatasetModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= m_columns.size()) {
        return {};
    }
    if (role == Qt::DisplayRole) {
        return m_columns[section].heading;
    }
    if (role == Qt::TextAlignmentRole) {
        const Qt::Alignment side = m_columns[section].isNumber() ? Qt::AlignRight : Qt::AlignLeft;
        return QVariant(side | Qt::AlignVCenter);
    }
    return {};
}

std::string_view DatasetModel::raw(std::size_t row, int column) const
{
    const int at = m_tableColumns[static_cast<std::size_t>(column)];
    return at < 0 ? std::string_view() : m_table.cell(row, static_cast<std::size_t>(at));
}

QString DatasetModel::nameText(std::size_t row, bool full) const
{
    const std::string_view name = m_table.name(row);
    return state::toQString(full ? name : lastPart(name));
}

QString DatasetModel::displayText(std::size_t row, int column) const
{
    const DatasetColumn& shown = m_columns[column];
    if (shown.kind == DatasetColumn::Kind::Name) {
        const bool snapshot = m_table.kind(row) == state::DatasetKind::Snapshot;
        return nameText(row, isList() && !snapshot);
    }
    if (shown.kind == DatasetColumn::Kind::Mounted) {
        return mountedText(row);
    }
    return shownText(shown, raw(row, column));
}

QString DatasetModel::mountedText(std::size_t row) const
{
    if (m_table.kind(row) != state::DatasetKind::Filesystem) {
        return QStringLiteral("-");
    }
    return m_mounts.contains(nameText(row, true)) ? tr("Yes") : tr("No");
}

QString DatasetModel::exportText(std::size_t row, int column) const
{
    if (m_columns[column].kind == DatasetColumn::Kind::Name) {
        return nameText(row, true);
    }
    if (m_columns[column].kind == DatasetColumn::Kind::Mounted) {
        return mountedText(row);
    }
    const std::string_view value = raw(row, column);
    return value.empty() ? QStringLiteral("-") : state::toQString(value);
}

QString DatasetModel::toolTip(std::size_t row, int column) const
{
    const QString name = nameText(row, true);
    if (m_columns[column].kind == DatasetColumn::Kind::Mounted) {
        const auto mount = m_mounts.constFind(name);
        return mount == m_mounts.constEnd() ? tr("Not mounted")
                                            : tr("Mounted at %1").arg(mount->path);
    }
    const QString value = exportText(row, column);
    return m_columns[column].kind == DatasetColumn::Kind::Size && value != QLatin1String("-")
               ? tr("%1 bytes").arg(value)
               : name;
}

QVariant DatasetModel::decoration(std::size_t row) const
{
    return art::icon(iconNameOf(m_table.kind(row)));
}

} // namespace millpond::model
