// SPDX-License-Identifier: GPL-3.0-or-later
#include "bus/table.h"

#include "base/byte_order.h"
#include "base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace millpond::bus {

namespace {
constexpr std::string_view kMagic = "MPTABLE1";
constexpr std::uint32_t kFormatVersion = 1;
constexpr std::size_t kHeaderBytes = 64;
constexpr std::size_t kTableRecordBytes = 24;
constexpr std::size_t kColumnRecordBytes = 16;
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

/// Bytes of one cell; 0 for a type that does not exist.
constexpr std::size_t cellBytes(ColumnType type)
{
    switch (type) {
    case ColumnType::Text:
        return 4;
    case ColumnType::Unsigned:
    case ColumnType::Signed:
        return 8;
    case ColumnType::Flag:
        return 1;
    }
    return 0;
}

std::string_view viewOf(Bytes bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Status bad(std::string_view what)
{
    return fail(ErrorCode::BadMessage, fmt::format("not a table document: {}", what));
}

/// bytes[offset, offset + count * each), or nothing when that is not inside or not aligned.
std::optional<Bytes>
section(Bytes bytes, std::uint64_t offset, std::uint64_t count, std::uint64_t each)
{
    std::uint64_t size = 0;
    if (!checkedMultiply(count, each, size) || offset > bytes.size() ||
        size > bytes.size() - offset || offset % 8 != 0) {
        return std::nullopt;
    }
    return bytes.subspan(offset, size);
}

/// The highest text id of a column. Copies a piece at a time: cells need not be aligned for us, and
/// this pass over millions of them shall be fast in debug builds, too.
std::uint32_t highestId(Bytes cells)
{
    constexpr std::size_t kPiece = 1024;
    std::uint32_t piece[kPiece]; // NOLINT(cppcoreguidelines-init-variables)
    std::uint32_t highest = 0;
    while (!cells.empty()) {
        const std::size_t bytes = std::min(cells.size(), sizeof(piece));
        std::memcpy(piece, cells.data(), bytes);
        for (std::size_t i = 0; i < bytes / sizeof(std::uint32_t); ++i) {
            const std::uint32_t id =
                kHostOrder == ByteOrder::Little ? piece[i] : swapBytes(piece[i]);
            highest = id > highest ? id : highest;
        }
        cells = cells.subspan(bytes);
    }
    return highest;
}

/// An unmapping that happens once, wherever the document's last copy ends.
class Mapping
{
public:
    Mapping() = default;

    Mapping(void* address, std::size_t size)
        : m_address(address)
        , m_size(size)
    {
    }

    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    ~Mapping()
    {
        if (m_address != nullptr) {
            ::munmap(m_address, m_size);
        }
    }

    [[nodiscard]] Bytes bytes() const { return {static_cast<const std::byte*>(m_address), m_size}; }

    [[nodiscard]] MutableBytes writable() { return {static_cast<std::byte*>(m_address), m_size}; }

private:
    void* m_address = nullptr;
    std::size_t m_size = 0;
};
} // namespace

// --- writing -----------------------------------------------------------------------------------

TableWriter::TableWriter(DocumentWriter& document,
                         std::string_view name,
                         std::span<const Column> columns)
    : m_document(document)
    , m_name(name)
{
    for (const Column& column : columns) {
        m_columns.push_back({column, {}, {}});
    }
}

std::vector<std::byte>& TableWriter::next(ColumnType type)
{
    MP_CHECK(!m_columns.empty());
    Cells& cells = m_columns[m_at];
    MP_CHECK(cells.column.type == type);
    m_at = (m_at + 1) % m_columns.size();
    return cells.bytes;
}

template <class T> void TableWriter::append(ColumnType type, T value)
{
    std::vector<std::byte>& bytes = next(type);
    const std::size_t at = bytes.size();
    bytes.resize(at + sizeof(T));
    store<T>(bytes, at, value);
}

void TableWriter::add(std::string_view value)
{
    MP_CHECK(!m_columns.empty());
    TextId& last = m_columns[m_at].last;
    if (m_document.m_texts[last.value()] != value) {
        last = m_document.text(value);
    }
    add(last);
}

void TableWriter::add(TextId value)
{
    append<std::uint32_t>(ColumnType::Text, value.value());
}

void TableWriter::add(std::uint64_t value)
{
    append<std::uint64_t>(ColumnType::Unsigned, value);
}

void TableWriter::add(std::int64_t value)
{
    append<std::uint64_t>(ColumnType::Signed, static_cast<std::uint64_t>(value));
}

void TableWriter::add(bool value)
{
    append<std::uint8_t>(ColumnType::Flag, value ? 1 : 0);
}

std::uint64_t TableWriter::rows() const
{
    MP_CHECK(m_at == 0); // a row was left half written
    return m_columns.empty()
               ? 0
               : m_columns.front().bytes.size() / cellBytes(m_columns.front().column.type);
}

struct DocumentWriter::Layout
{
    std::uint64_t columns = 0, cells = 0, textIndex = 0, textBytes = 0, total = 0;
};

DocumentWriter::DocumentWriter(std::uint64_t generation)
    : m_generation(generation)
{
    (void)text("");
}

DocumentWriter::~DocumentWriter() = default;

TextId DocumentWriter::text(std::string_view value)
{
    const auto found = m_ids.find(value);
    if (found != m_ids.end()) {
        return TextId(found->second);
    }
    const std::uint32_t id = static_cast<std::uint32_t>(m_texts.size());
    const auto added = m_ids.emplace(std::string(value), id).first;
    m_texts.push_back(added->first);
    m_textBytes += value.size();
    return TextId(id);
}

std::uint32_t DocumentWriter::idOf(std::string_view value) const
{
    const auto found = m_ids.find(value);
    MP_CHECK(found != m_ids.end());
    return found->second;
}

TableWriter& DocumentWriter::addTable(std::string_view name, std::span<const Column> columns)
{
    (void)text(name);
    for (const Column& column : columns) {
        (void)text(column.name);
    }
    m_tables.push_back(std::unique_ptr<TableWriter>(new TableWriter(*this, name, columns)));
    return *m_tables.back();
}

Result<DocumentWriter::Layout> DocumentWriter::layout() const
{
    Layout layout;
    layout.columns = kHeaderBytes + m_tables.size() * kTableRecordBytes;
    layout.cells = layout.columns;
    std::uint64_t cells = 0;
    for (const auto& table : m_tables) {
        if (table->m_columns.size() > kMaxColumns) {
            return fail(ErrorCode::TooLarge, "a table with too many columns");
        }
        layout.cells += table->m_columns.size() * kColumnRecordBytes;
        for (const TableWriter::Cells& column : table->m_columns) {
            cells += alignUp(column.bytes.size(), 8);
        }
    }
    layout.textIndex = layout.cells + cells;
    layout.textBytes = layout.textIndex + alignUp((m_texts.size() + 1) * 4, 8);
    layout.total = layout.textBytes + alignUp(m_textBytes, 8);
    if (m_tables.size() > kMaxTables || layout.total > kMaxDocumentBytes) {
        return fail(
            ErrorCode::TooLarge,
            fmt::format("an answer of {} bytes is over the limit; ask for less", layout.total));
    }
    return layout;
}

void DocumentWriter::fillTable(const TableWriter& table,
                               MutableBytes out,
                               std::size_t record,
                               std::uint64_t& nextColumn,
                               std::uint64_t& nextCells) const
{
    store<std::uint32_t>(out, record, idOf(table.m_name));
    store<std::uint32_t>(out, record + 4, static_cast<std::uint32_t>(table.m_columns.size()));
    store<std::uint64_t>(out, record + 8, table.rows());
    store<std::uint64_t>(out, record + 16, nextColumn);
    for (const TableWriter::Cells& column : table.m_columns) {
        store<std::uint32_t>(out, nextColumn, idOf(column.column.name));
        store<std::uint32_t>(out, nextColumn + 4, static_cast<std::uint32_t>(column.column.type));
        store<std::uint64_t>(out, nextColumn + 8, nextCells);
        std::ranges::copy(column.bytes, out.begin() + static_cast<std::ptrdiff_t>(nextCells));
        nextColumn += kColumnRecordBytes;
        nextCells += alignUp(column.bytes.size(), 8);
    }
}

void DocumentWriter::fill(const Layout& layout, MutableBytes out) const
{
    std::ranges::copy(std::as_bytes(std::span(kMagic)), out.begin());
    store<std::uint32_t>(out, 8, kFormatVersion);
    store<std::uint32_t>(out, 12, static_cast<std::uint32_t>(m_tables.size()));
    store<std::uint64_t>(out, 16, m_generation);
    store<std::uint64_t>(out, 24, layout.total);
    store<std::uint64_t>(out, 32, layout.textIndex);
    store<std::uint64_t>(out, 40, m_texts.size());
    store<std::uint64_t>(out, 48, layout.textBytes);
    store<std::uint64_t>(out, 56, m_textBytes);

    std::uint64_t nextColumn = layout.columns;
    std::uint64_t nextCells = layout.cells;
    std::size_t record = kHeaderBytes;
    for (const auto& table : m_tables) {
        fillTable(*table, out, record, nextColumn, nextCells);
        record += kTableRecordBytes;
    }

    std::uint32_t at = 0;
    std::size_t index = layout.textIndex;
    for (const std::string_view text : m_texts) {
        store<std::uint32_t>(out, index, at);
        std::ranges::copy(std::as_bytes(std::span(text)),
                          out.begin() + static_cast<std::ptrdiff_t>(layout.textBytes + at));
        at += static_cast<std::uint32_t>(text.size());
        index += 4;
    }
    store<std::uint32_t>(out, index, at);
}

Result<std::vector<std::byte>> DocumentWriter::finish()
{
    const Layout where = MP_TRY(layout());
    std::vector<std::byte> bytes(where.total);
    fill(where, bytes);
    return bytes;
}

Result<UniqueFd> DocumentWriter::finishToMemfd()
{
    const Layout where = MP_TRY(layout());
    UniqueFd fd(::memfd_create("millpond-table", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!fd.valid()) {
        return fail(systemError(errno, "memfd_create", ""));
    }
    if (::ftruncate(fd.get(), static_cast<off_t>(where.total)) != 0) {
        return fail(systemError(errno, "ftruncate", "memfd"));
    }
    {
        void* address =
            ::mmap(nullptr, where.total, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
        if (address == MAP_FAILED) {
            return fail(systemError(errno, "mmap", "memfd"));
        }
        Mapping mapping(address, where.total);
        fill(where, mapping.writable());
    }
    if (::fcntl(fd.get(), F_ADD_SEALS, kSeals | F_SEAL_SEAL) != 0) {
        return fail(systemError(errno, "F_ADD_SEALS", "memfd"));
    }
    return fd;
}

// --- reading -----------------------------------------------------------------------------------

struct Document::Content
{
    std::shared_ptr<const Mapping> mapping; ///< null when the bytes are somebody else's
    std::uint64_t generation = 0;
    std::vector<Table> tables;
};

std::optional<std::size_t> Table::find(std::string_view name, ColumnType type) const
{
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        if (m_columns[i].column.name == name && m_columns[i].column.type == type) {
            return i;
        }
    }
    return std::nullopt;
}

Bytes Table::cells(std::size_t row, std::size_t column, ColumnType type) const
{
    MP_CHECK(row < m_rows && column < m_columns.size());
    const CellRange& range = m_columns[column];
    MP_CHECK(range.column.type == type);
    return range.cells;
}

std::uint32_t Table::textId(std::size_t row, std::size_t column) const
{
    return load<std::uint32_t>(cells(row, column, ColumnType::Text), row * 4, ByteOrder::Little);
}

std::string_view Table::text(std::size_t row, std::size_t column) const
{
    const std::size_t id = textId(row, column);
    const std::uint32_t from = load<std::uint32_t>(m_textIndex, id * 4, ByteOrder::Little);
    const std::uint32_t to = load<std::uint32_t>(m_textIndex, id * 4 + 4, ByteOrder::Little);
    return viewOf(m_textBytes.subspan(from, to - from)); // INV-1
}

std::uint64_t Table::unsignedAt(std::size_t row, std::size_t column) const
{
    return load<std::uint64_t>(
        cells(row, column, ColumnType::Unsigned), row * 8, ByteOrder::Little);
}

std::int64_t Table::signedAt(std::size_t row, std::size_t column) const
{
    return static_cast<std::int64_t>(
        load<std::uint64_t>(cells(row, column, ColumnType::Signed), row * 8, ByteOrder::Little));
}

bool Table::flagAt(std::size_t row, std::size_t column) const
{
    return cells(row, column, ColumnType::Flag)[row] != std::byte{0};
}

/// Takes the bytes of a document apart; every check of INV-1 is here.
class DocumentDecoder
{
public:
    explicit DocumentDecoder(Bytes bytes)
        : m_bytes(bytes)
    {
    }

    Status header();
    Status texts();
    Result<Table> table(std::size_t index);

    [[nodiscard]] std::uint64_t generation() const { return take64(16); }

    [[nodiscard]] std::uint32_t tables() const { return take32(12); }

private:
    [[nodiscard]] std::uint32_t take32(std::size_t at) const
    {
        return load<std::uint32_t>(m_bytes, at, ByteOrder::Little);
    }

    [[nodiscard]] std::uint64_t take64(std::size_t at) const
    {
        return load<std::uint64_t>(m_bytes, at, ByteOrder::Little);
    }

    Result<std::string_view> textOf(std::uint32_t id) const;
    Result<Table::CellRange> column(std::size_t record, std::uint64_t rows) const;

    Bytes m_bytes, m_textIndex, m_textBytes;
    std::uint64_t m_textCount = 0;
};

Status DocumentDecoder::header()
{
    if (m_bytes.size() < kHeaderBytes || viewOf(m_bytes.first(kMagic.size())) != kMagic) {
        return bad("no header");
    }
    if (take32(8) != kFormatVersion) {
        return fail(ErrorCode::UnsupportedVersion,
                    fmt::format("a table document of version {}", take32(8)));
    }
    if (m_bytes.size() > kMaxDocumentBytes || take64(24) != m_bytes.size()) {
        return bad("wrong size");
    }
    if (tables() > kMaxTables ||
        !section(m_bytes, kHeaderBytes, tables(), kTableRecordBytes).has_value()) {
        return bad("too many tables");
    }
    return {};
}

Status DocumentDecoder::texts()
{
    m_textCount = take64(40);
    if (m_textCount == 0 || m_textCount > m_bytes.size()) {
        return bad("wrong number of texts");
    }
    const std::optional<Bytes> index = section(m_bytes, take64(32), m_textCount + 1, 4);
    const std::optional<Bytes> bytes = section(m_bytes, take64(48), take64(56), 1);
    if (!index || !bytes) {
        return bad("texts outside");
    }
    m_textIndex = *index;
    m_textBytes = *bytes;
    std::uint32_t last = 0;
    for (std::size_t i = 0; i <= m_textCount; ++i) {
        const std::uint32_t at = load<std::uint32_t>(m_textIndex, i * 4, ByteOrder::Little);
        if (at < last || at > m_textBytes.size()) {
            return bad("text index out of order");
        }
        last = at;
    }
    return {};
}

Result<std::string_view> DocumentDecoder::textOf(std::uint32_t id) const
{
    if (id >= m_textCount) {
        return fail(ErrorCode::BadMessage, "not a table document: a name that does not exist");
    }
    const std::size_t at = std::size_t{id} * 4;
    const std::uint32_t from = load<std::uint32_t>(m_textIndex, at, ByteOrder::Little);
    const std::uint32_t to = load<std::uint32_t>(m_textIndex, at + 4, ByteOrder::Little);
    return viewOf(m_textBytes.subspan(from, to - from));
}

Result<Table::CellRange> DocumentDecoder::column(std::size_t record, std::uint64_t rows) const
{
    const auto type = static_cast<ColumnType>(take32(record + 4));
    const std::size_t each = cellBytes(type);
    const std::optional<Bytes> cells =
        each == 0 ? std::nullopt : section(m_bytes, take64(record + 8), rows, each);
    if (!cells) {
        return fail(ErrorCode::BadMessage, "not a table document: a column outside");
    }
    if (type == ColumnType::Text) {
        const std::uint32_t highest = highestId(*cells);
        if (highest >= m_textCount) {
            return fail(ErrorCode::BadMessage, "not a table document: a text that does not exist");
        }
    }
    return Table::CellRange{{MP_TRY(textOf(take32(record))), type}, *cells};
}

Result<Table> DocumentDecoder::table(std::size_t index)
{
    const std::size_t record = kHeaderBytes + index * kTableRecordBytes;
    const std::uint32_t columns = take32(record + 4);
    const std::uint64_t rows = take64(record + 8);
    const std::uint64_t records = take64(record + 16);
    if (columns > kMaxColumns || (columns == 0 && rows != 0) ||
        !section(m_bytes, records, columns, kColumnRecordBytes).has_value()) {
        return fail(ErrorCode::BadMessage, "not a table document: a table outside");
    }
    Table table;
    table.m_name = MP_TRY(textOf(take32(record)));
    table.m_rows = rows;
    table.m_textIndex = m_textIndex;
    table.m_textBytes = m_textBytes;
    for (std::uint32_t i = 0; i < columns; ++i) {
        table.m_columns.push_back(
            MP_TRY(column(records + std::uint64_t{i} * kColumnRecordBytes, rows)));
    }
    return table;
}

Result<std::shared_ptr<Document::Content>> Document::decode(Bytes bytes)
{
    DocumentDecoder decoder(bytes);
    MP_TRY(decoder.header());
    MP_TRY(decoder.texts());
    auto content = std::make_shared<Content>();
    content->generation = decoder.generation();
    for (std::uint32_t i = 0; i < decoder.tables(); ++i) {
        content->tables.push_back(MP_TRY(decoder.table(i)));
    }
    return content;
}

Result<Document> Document::parse(Bytes bytes)
{
    return Document(MP_TRY(decode(bytes)));
}

Result<Document> Document::open(int fd)
{
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & kSeals) != kSeals) {
        return fail(ErrorCode::BadMessage, "the answer is not a sealed memfd"); // INV-2
    }
    struct stat facts = {};
    if (::fstat(fd, &facts) != 0) {
        return fail(systemError(errno, "fstat", "memfd"));
    }
    const auto size = static_cast<std::uint64_t>(facts.st_size);
    if (size < kHeaderBytes || size > kMaxDocumentBytes) {
        return fail(ErrorCode::BadMessage, "not a table document: wrong size");
    }
    void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED) {
        return fail(systemError(errno, "mmap", "memfd"));
    }
    auto mapping = std::make_shared<const Mapping>(address, size);
    std::shared_ptr<Content> content = MP_TRY(decode(mapping->bytes()));
    content->mapping = std::move(mapping);
    return Document(std::move(content));
}

std::uint64_t Document::generation() const
{
    return m_content ? m_content->generation : 0;
}

std::size_t Document::tables() const
{
    return m_content ? m_content->tables.size() : 0;
}

const Table& Document::table(std::size_t index) const
{
    MP_CHECK(index < tables());
    return m_content->tables[index];
}

const Table* Document::find(std::string_view name) const
{
    for (std::size_t i = 0; i < tables(); ++i) {
        if (table(i).name() == name) {
            return &table(i);
        }
    }
    return nullptr;
}

} // namespace millpond::bus
