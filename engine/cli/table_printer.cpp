// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/table_printer.h"

#include <algorithm>
#include <ctime>

namespace millpond::cli {

void TablePrinter::add(std::vector<std::string> cells)
{
    for (std::size_t i = 0; i < m_columns.size() && i < cells.size(); ++i) {
        m_columns[i].width = std::max(m_columns[i].width, cells[i].size());
    }
    m_rows.push_back(std::move(cells));
}

void TablePrinter::addLine(std::string line)
{
    m_rows.push_back({std::move(line)});
    m_lines.push_back(m_rows.size() - 1);
}

void TablePrinter::widen(std::size_t column, std::size_t width)
{
    m_columns[column].width = std::max(m_columns[column].width, width);
}

void TablePrinter::printRow(Console& console, const std::vector<std::string>& cells) const
{
    std::string line;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const TableColumn& column = m_columns[i];
        const std::size_t width = std::max(column.width, column.heading.size());
        if (m_forScripts) {
            line += (i == 0 ? "" : "\t") + cells[i];
            continue;
        }
        line += i == 0 ? "" : "  ";
        if (column.rightAligned) {
            line += fmt::format("{:>{}}", cells[i], width);
        } else if (i + 1 == m_columns.size()) {
            line += cells[i];
        } else {
            line += fmt::format("{:<{}}", cells[i], width);
        }
    }
    console.out(line + "\n");
}

void TablePrinter::print(Console& console, bool withHeadings) const
{
    if (withHeadings && !m_forScripts) {
        std::vector<std::string> headings;
        for (const TableColumn& column : m_columns) {
            headings.push_back(column.heading);
        }
        printRow(console, headings);
    }
    auto line = m_lines.begin();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (line != m_lines.end() && *line == i) {
            console.out(m_rows[i].front() + "\n");
            ++line;
        } else {
            printRow(console, m_rows[i]);
        }
    }
}

std::string dateText(std::uint64_t seconds)
{
    const auto time = static_cast<std::time_t>(seconds);
    std::tm local{};
    char text[64];
    localtime_r(&time, &local);
    return {text, std::strftime(text, sizeof(text), "%a %b %e %H:%M:%S %Y", &local)};
}

std::uint64_t secondsNow()
{
    return static_cast<std::uint64_t>(std::time(nullptr));
}

std::string timestampLine(std::string_view kind)
{
    const std::uint64_t now = secondsNow();
    if (kind == "u") {
        return std::to_string(now) + "\n";
    }
    return kind == "d" ? dateText(now) + "\n" : std::string();
}

} // namespace millpond::cli
