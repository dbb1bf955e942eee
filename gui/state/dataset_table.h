// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace millpond::state {

enum class DatasetKind : std::uint8_t
{
    Filesystem,
    Volume,
    Snapshot,
    Bookmark
};

/// Datasets with the properties asked for, as raw `zfs get -p` texts. All texts share one buffer,
/// so 100,000 rows cost a few allocations. Rows come parents before children.
class DatasetTable
{
public:
    DatasetTable() = default;
    /// `properties`: the columns, by property name.
    explicit DatasetTable(QStringList properties);

    void reserve(std::size_t rows);
    /// Begins a row whose cells are all empty ("does not apply").
    void addRow(std::string_view name, DatasetKind kind);
    /// Of the row begun last; column < properties().size().
    void setCell(std::size_t column, std::string_view value);

    [[nodiscard]] std::size_t size() const { return m_rows.size(); }

    [[nodiscard]] const QStringList& properties() const { return m_properties; }

    [[nodiscard]] std::string_view name(std::size_t row) const;

    [[nodiscard]] DatasetKind kind(std::size_t row) const { return m_rows[row].kind; }

    /// Empty: the property does not apply.
    [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const;
    /// -1 when it was not asked for.
    [[nodiscard]] int columnOf(const QString& property) const;

private:
    struct Text
    {
        std::uint32_t offset = 0, length = 0;
    };

    struct Row
    {
        Text name;
        DatasetKind kind = DatasetKind::Filesystem;
    };

    [[nodiscard]] Text store(std::string_view text);
    [[nodiscard]] std::string_view view(Text text) const;

    QStringList m_properties;
    std::vector<Row> m_rows;
    std::vector<Text> m_cells; ///< row by row, properties().size() each
    std::string m_bytes;
};

[[nodiscard]] DatasetKind datasetKindFromWord(std::string_view word);

inline QString toQString(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace millpond::state
