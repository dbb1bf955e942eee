// SPDX-License-Identifier: GPL-3.0-or-later
// Property: whatever bytes arrive as a table document, they are refused or every cell can be read.
#include "bus/records.h"

#include <cstddef>
#include <cstdint>

namespace {
using namespace millpond;

std::uint64_t readCell(const bus::Table& table, std::size_t row, std::size_t column)
{
    switch (table.column(column).type) {
    case bus::ColumnType::Text:
        return table.text(row, column).size();
    case bus::ColumnType::Unsigned:
        return table.unsignedAt(row, column);
    case bus::ColumnType::Signed:
        return static_cast<std::uint64_t>(table.signedAt(row, column));
    case bus::ColumnType::Flag:
        return table.flagAt(row, column) ? 1 : 0;
    }
    return 0;
}

void readAll(const bus::Document& document)
{
    volatile std::uint64_t sum = document.generation();
    for (std::size_t t = 0; t < document.tables(); ++t) {
        const bus::Table& table = document.table(t);
        sum = sum + table.name().size();
        for (std::size_t c = 0; c < table.columns(); ++c) {
            for (std::size_t r = 0; r < table.rows(); ++r) {
                sum = sum + readCell(table, r, c);
            }
        }
    }
    if (const auto rows = bus::Rows<bus::HoldRow>::of(document)) {
        for (const bus::HoldRow row : *rows) {
            sum = sum + row.tag.size() + row.time;
        }
    }
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const Result<bus::Document> document =
        bus::Document::parse(std::as_bytes(std::span(data, size)));
    if (document) {
        readAll(*document);
    }
    return 0;
}
