// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/state/dataset_table.h"

namespace millpond::state {

DatasetTable::DatasetTable(QStringList properties)
    : m_properties(std::move(properties))
{
}

void DatasetTable::reserve(std::size_t rows)
{
    m_rows.reserve(rows);
    m_cells.reserve(rows * static_cast<std::size_t>(m_properties.size()));
}

void DatasetTable::addRow(std::string_view name, DatasetKind kind)
{
    m_rows.push_back({store(name), kind});
    m_cells.resize(m_cells.size() + static_cast<std::size_t>(m_properties.size()));
}

void DatasetTable::setCell(std::size_t column, std::string_view value)
{
    const auto width = static_cast<std::size_t>(m_properties.size());
    Q_ASSERT(!m_rows.empty() && column < width);
    m_cells[m_cells.size() - width + column] = store(value);
}

std::string_view DatasetTable::name(std::size_t row) const
{
    return view(m_rows[row].name);
}

std::string_view DatasetTable::cell(std::size_t row, std::size_t column) const
{
    return view(m_cells[row * static_cast<std::size_t>(m_properties.size()) + column]);
}

int DatasetTable::columnOf(const QString& property) const
{
    return static_cast<int>(m_properties.indexOf(property));
}

DatasetTable::Text DatasetTable::store(std::string_view text)
{
    const auto offset = static_cast<std::uint32_t>(m_bytes.size());
    m_bytes.append(text);
    return {offset, static_cast<std::uint32_t>(text.size())};
}

std::string_view DatasetTable::view(Text text) const
{
    return std::string_view(m_bytes).substr(text.offset, text.length);
}

DatasetKind datasetKindFromWord(std::string_view word)
{
    if (word == "volume") {
        return DatasetKind::Volume;
    }
    if (word == "snapshot") {
        return DatasetKind::Snapshot;
    }
    return word == "bookmark" ? DatasetKind::Bookmark : DatasetKind::Filesystem;
}

} // namespace millpond::state
