// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/widgets/table_text.h"

#include <QHeaderView>
#include <QSaveFile>
#include <QSet>
#include <QTreeView>

namespace millpond::widgets {

namespace {

bool looksLikeFormula(const QString& text)
{
    static const QString kStarts = QStringLiteral("=+@\t\r");
    // "-" alone is what zfs prints for "does not apply", "-5" is a number.
    const bool minusText =
        text.size() > 1 && text.startsWith(QLatin1Char('-')) && !text.at(1).isDigit();
    return minusText || (!text.isEmpty() && kStarts.contains(text.front()));
}

QString quoted(QString text)
{
    if (looksLikeFormula(text)) {
        text.prepend(QLatin1Char('\''));
    }
    static const QString kSpecial = QStringLiteral(",\"\n\r");
    const bool needsQuotes = std::any_of(
        text.cbegin(), text.cend(), [](QChar letter) { return kSpecial.contains(letter); });
    if (!needsQuotes) {
        return text;
    }
    text.replace(QLatin1Char('"'), QStringLiteral("\"\""));
    return QLatin1Char('"') + text + QLatin1Char('"');
}

QString joined(const QList<int>& columns, QChar separator, auto&& cellOf)
{
    QStringList cells;
    for (int column : columns) {
        cells.append(cellOf(column));
    }
    return cells.join(separator);
}

} // namespace

QList<int> visibleColumns(const QTreeView& view)
{
    QList<int> columns;
    const QHeaderView& header = *view.header();
    for (int place = 0; place < header.count(); ++place) {
        const int column = header.logicalIndex(place);
        if (!header.isSectionHidden(column)) {
            columns.append(column);
        }
    }
    return columns;
}

TableText::TableText(const QAbstractItemModel& model, QList<int> columns, int role)
    : m_model(model)
    , m_columns(std::move(columns))
    , m_role(role)
{
}

QString TableText::csv() const
{
    QString out = joined(m_columns, QLatin1Char(','), [this](int column) {
        return quoted(m_model.headerData(column, Qt::Horizontal).toString());
    });
    out += QLatin1Char('\n');
    appendCsv(out, {});
    return out;
}

void TableText::appendCsv(QString& out, const QModelIndex& parent) const
{
    const int rows = m_model.rowCount(parent);
    for (int row = 0; row < rows; ++row) {
        const QModelIndex index = m_model.index(row, 0, parent);
        appendLine(out, index);
        appendCsv(out, index);
    }
}

void TableText::appendLine(QString& out, const QModelIndex& row) const
{
    out += joined(m_columns, QLatin1Char(','), [this, &row](int column) {
        return quoted(cell(row, column));
    });
    out += QLatin1Char('\n');
}

void TableText::collect(QList<QStringList>& lines, const QModelIndex& parent, int depth) const
{
    for (int row = 0; row < m_model.rowCount(parent); ++row) {
        const QModelIndex index = m_model.index(row, 0, parent);
        QStringList cells;
        for (int column : m_columns) {
            cells.append(cell(index, column));
        }
        cells.front().prepend(QString(2 * depth, QLatin1Char(' ')));
        lines.append(cells);
        collect(lines, index, depth + 1);
    }
}

QString TableText::padded(const QStringList& cells, const QList<qsizetype>& widths) const
{
    QString line;
    for (qsizetype i = 0; i < cells.size(); ++i) {
        const QVariant side =
            m_model.headerData(m_columns[i], Qt::Horizontal, Qt::TextAlignmentRole);
        const bool right = (side.toInt() & Qt::AlignRight) != 0;
        line += right ? cells[i].rightJustified(widths[i]) : cells[i].leftJustified(widths[i]);
        line += QStringLiteral("  ");
    }
    while (line.endsWith(QLatin1Char(' '))) {
        line.chop(1);
    }
    return line;
}

QString TableText::aligned(const QString& margin) const
{
    QStringList headings;
    for (int column : m_columns) {
        headings.append(m_model.headerData(column, Qt::Horizontal).toString());
    }
    QList<QStringList> lines{headings};
    collect(lines, {}, 0);
    QList<qsizetype> widths(m_columns.size(), 0);
    for (const QStringList& line : std::as_const(lines)) {
        for (qsizetype i = 0; i < line.size(); ++i) {
            widths[i] = qMax(widths[i], line[i].size());
        }
    }
    QString out;
    for (const QStringList& line : std::as_const(lines)) {
        out += margin + padded(line, widths) + QLatin1Char('\n');
    }
    return out;
}

QString TableText::rows(const QModelIndexList& indexes) const
{
    QString out;
    QSet<QModelIndex> done;
    for (const QModelIndex& index : indexes) {
        const QModelIndex row = index.siblingAtColumn(0);
        if (done.contains(row)) {
            continue;
        }
        done.insert(row);
        out += joined(
            m_columns, QLatin1Char('\t'), [this, &row](int column) { return cell(row, column); });
        out += QLatin1Char('\n');
    }
    return out;
}

QString TableText::cell(const QModelIndex& row, int column) const
{
    return row.siblingAtColumn(column).data(m_role).toString();
}

QString saveText(const QString& path, const QString& text)
{
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) {
        return file.errorString();
    }
    file.write(text.toUtf8());
    return file.commit() ? QString() : file.errorString();
}

} // namespace millpond::widgets
