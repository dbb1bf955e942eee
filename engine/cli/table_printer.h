// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cli/console.h"

#include <string>
#include <vector>

namespace millpond::cli {

struct TableColumn
{
    std::string heading;
    bool rightAligned = false;
    std::size_t width = 0; ///< at least
};

/// Rows with columns as wide as their widest value, two spaces between; or, for scripts, without
/// headings and with tabs between.
class TablePrinter
{
public:
    TablePrinter(std::vector<TableColumn> columns, bool forScripts)
        : m_columns(std::move(columns))
        , m_forScripts(forScripts)
    {
    }

    /// As many cells as columns.
    void add(std::vector<std::string> cells);
    /// A line of its own between the rows; its length does not matter to the columns.
    void addLine(std::string line);
    /// Makes a column at least that wide.
    void widen(std::size_t column, std::size_t width);
    void print(Console& console, bool withHeadings = true) const;

    [[nodiscard]] bool empty() const { return m_rows.empty(); }

private:
    void printRow(Console& console, const std::vector<std::string>& cells) const;

    std::vector<TableColumn> m_columns;
    bool m_forScripts;
    std::vector<std::vector<std::string>> m_rows;
    std::vector<std::size_t> m_lines; ///< which of them came by addLine()
};

/// Of the machine's clock, since 1970.
[[nodiscard]] std::uint64_t secondsNow();
/// For `-T u` (seconds since 1970) and `-T d` (a date): a line before the output; nothing for "".
[[nodiscard]] std::string timestampLine(std::string_view kind);
/// "Mon Nov 30 18:24:48 2026", in local time.
[[nodiscard]] std::string dateText(std::uint64_t seconds);

} // namespace millpond::cli
