// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/types.h"
#include "bus/unique_fd.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

// Theory: how tables travel over the bus.
//
// Purpose. The system bus drops messages over 32 MiB, and all properties of 10,000 datasets are
// more. So every list the helper answers with is a *document*: one or several named tables in a
// sealed memfd, passed as a file descriptor. The receiver maps it; nothing is copied and nothing is
// parsed per row.
//
// The bytes (all numbers little-endian, all sections start at a multiple of 8, padding is zero):
//   header   0  8  magic "MPTABLE1"
//            8  4  format version (1)
//           12  4  number of tables T
//           16  8  generation: grows with every change of what was asked for; equal means unchanged
//           24  8  size of the whole document in bytes
//           32  8  offset of the text index
//           40  8  number of texts N (>= 1; text 0 is the empty text)
//           48  8  offset of the text bytes
//           56  8  number of text bytes
//   T x      0  4  text id of the table's name     4  4  number of columns C
//            8  8  number of rows R               16  8  offset of its column records
//   C x      0  4  text id of the column's name    4  4  ColumnType
//            8  8  offset of its cells
//   cells    Text: R x u32 text id; Unsigned, Signed: R x 8 bytes; Flag: R x 1 byte, 0 or 1
//   texts    index: (N + 1) x u32, text i is bytes [index[i], index[i + 1]); each text is stored
//   once
// Texts are bytes, mostly UTF-8; names of files are whatever the pool holds.
//
// Invariants
//   INV-1  After Document::parse() every offset, count and text id was checked, so that reading a
//   cell
//          needs no further check than row < rows().
//   INV-2  A mapped document cannot change or shrink: the descriptor carries the seals SHRINK, GROW
//   and
//          WRITE, else Document::open() refuses it.
// Cost: parse() of 700,000 rows x 6 columns takes a few milliseconds (one pass over the text ids).
// Limits: kMaxDocumentBytes, kMaxTables, kMaxColumns; DocumentWriter refuses what is larger
// (TooLarge).

namespace millpond::bus {

enum class ColumnType : std::uint32_t
{
    Text = 1,
    Unsigned = 2,
    Signed = 3,
    Flag = 4,
};

/// In an Unsigned cell: "does not apply" or "not known".
inline constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

inline constexpr std::uint64_t kMaxDocumentBytes = GiB;
inline constexpr std::uint32_t kMaxTables = 64;
inline constexpr std::uint32_t kMaxColumns = 256;

struct Column
{
    std::string_view name;
    ColumnType type = ColumnType::Text;
};

/// A text already stored in the document being written: put one in once, use it in many cells.
class TextId
{
public:
    TextId() = default;

    explicit TextId(std::uint32_t value)
        : m_value(value)
    {
    }

    [[nodiscard]] std::uint32_t value() const { return m_value; }

private:
    std::uint32_t m_value = 0;
};

class DocumentWriter;

/// Rows of one table, filled cell by cell from left to right. Wrong order or type is a broken
/// program.
class TableWriter
{
public:
    void add(std::string_view value);
    void add(TextId value);
    void add(std::uint64_t value);
    void add(std::int64_t value);
    void add(bool value);

private:
    friend class DocumentWriter;

    struct Cells
    {
        Column column;
        std::vector<std::byte> bytes;
        TextId last; ///< most texts are that of the row before
    };

    TableWriter(DocumentWriter& document, std::string_view name, std::span<const Column> columns);
    std::vector<std::byte>& next(ColumnType type);
    template <class T> void append(ColumnType type, T value);
    [[nodiscard]] std::uint64_t rows() const;

    DocumentWriter& m_document;
    std::string m_name;
    std::vector<Cells> m_columns;
    std::size_t m_at = 0; ///< next column
};

/// Makes a document. Not thread-safe.
class DocumentWriter
{
public:
    explicit DocumentWriter(std::uint64_t generation);
    ~DocumentWriter();
    DocumentWriter(const DocumentWriter&) = delete;
    DocumentWriter& operator=(const DocumentWriter&) = delete;

    /// The same text gives the same id.
    [[nodiscard]] TextId text(std::string_view value);
    /// Valid as long as the writer. Names of columns must outlive the writer (they are literals).
    [[nodiscard]] TableWriter& addTable(std::string_view name, std::span<const Column> columns);

    /// The bytes, for tests and for tools without memfd.
    [[nodiscard]] Result<std::vector<std::byte>> finish();
    /// A sealed memfd holding them.
    [[nodiscard]] Result<UniqueFd> finishToMemfd();

private:
    friend class TableWriter;

    struct TextHash
    {
        using is_transparent = void;

        std::size_t operator()(std::string_view text) const
        {
            return std::hash<std::string_view>()(text);
        }
    };

    struct Layout;
    [[nodiscard]] Result<Layout> layout() const;
    void fill(const Layout& layout, MutableBytes out) const;
    void fillTable(const TableWriter& table,
                   MutableBytes out,
                   std::size_t record,
                   std::uint64_t& nextColumn,
                   std::uint64_t& nextCells) const;
    [[nodiscard]] std::uint32_t idOf(std::string_view value) const;

    std::uint64_t m_generation;
    std::vector<std::unique_ptr<TableWriter>> m_tables;
    std::unordered_map<std::string, std::uint32_t, TextHash, std::equal_to<>> m_ids;
    std::vector<std::string_view> m_texts; ///< into the keys of m_ids, whose nodes do not move
    std::uint64_t m_textBytes = 0;
};

class DocumentDecoder;

/// One table of a document; valid as long as the Document it came from or a copy of it.
class Table
{
public:
    [[nodiscard]] std::string_view name() const { return m_name; }

    [[nodiscard]] std::size_t rows() const { return m_rows; }

    [[nodiscard]] std::size_t columns() const { return m_columns.size(); }

    [[nodiscard]] const Column& column(std::size_t index) const { return m_columns[index].column; }

    /// The index of the column with that name and type.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name, ColumnType type) const;

    // row < rows(), column < columns() and of that type, else the program is broken.
    [[nodiscard]] std::string_view text(std::size_t row, std::size_t column) const;
    [[nodiscard]] std::uint32_t textId(std::size_t row, std::size_t column) const;
    [[nodiscard]] std::uint64_t unsignedAt(std::size_t row, std::size_t column) const;
    [[nodiscard]] std::int64_t signedAt(std::size_t row, std::size_t column) const;
    [[nodiscard]] bool flagAt(std::size_t row, std::size_t column) const;

private:
    friend class DocumentDecoder;

    struct CellRange
    {
        Column column;
        Bytes cells;
    };

    [[nodiscard]] Bytes cells(std::size_t row, std::size_t column, ColumnType type) const;

    std::string_view m_name;
    std::size_t m_rows = 0;
    std::vector<CellRange> m_columns;
    Bytes m_textIndex, m_textBytes;
};

/// A document that was received. Cheap to copy; copies share the mapping.
class Document
{
public:
    /// No tables, generation 0.
    Document() = default;
    /// Maps a sealed memfd (the descriptor may be closed afterwards). BadMessage when it is not
    /// one, or when its content is not a document.
    [[nodiscard]] static Result<Document> open(int fd);
    /// Of bytes that outlive the Document and every copy and Table of it.
    [[nodiscard]] static Result<Document> parse(Bytes bytes);

    [[nodiscard]] std::uint64_t generation() const;
    [[nodiscard]] std::size_t tables() const;
    [[nodiscard]] const Table& table(std::size_t index) const;
    /// Null when there is none of that name.
    [[nodiscard]] const Table* find(std::string_view name) const;

private:
    struct Content;

    explicit Document(std::shared_ptr<const Content> content)
        : m_content(std::move(content))
    {
    }

    [[nodiscard]] static Result<std::shared_ptr<Content>> decode(Bytes bytes);

    std::shared_ptr<const Content> m_content;
};

} // namespace millpond::bus
