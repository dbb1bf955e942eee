// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/cursor.h"
#include "format/nvlist.h"

#include <fmt/format.h>

#include <algorithm>

// Packed name-value lists.
//
// Both encodings begin with four bytes: encoding (0 native, 1 XDR), byte order of the writer (1
// little, 0 big), two zero. Then version (32, zero) and flags (32) of the list, then pairs.
//
// XDR, all numbers big-endian. A pair: encoded size and decoded size (32 each; the latter is what
// the pair takes in OpenZFS' memory), name (length, bytes, padded to 4), type, count, value. A
// nested list is version, flags, pairs, end. The end is two zero sizes. Numbers below 64 bits take
// 4 bytes; arrays but those of bytes repeat their count, and when empty have no value at all.
//
// Native, in the writer's order. A pair: size (32), name length (16, with NUL), zero (16), count
// (32), type (32), name padded to 8, value padded to 8. A nested list leaves 24 bytes in the pair
// (version, flags, 16 bytes) and its pairs follow behind; an array of lists leaves 8 bytes of
// pointers and 24 bytes for each. The end is one zero size. Used by history records.
//
// Source: OpenZFS module/nvpair/nvpair.c.

namespace millpond::format {

namespace {

constexpr std::byte kNative{0};
constexpr std::byte kXdr{1};
constexpr std::size_t kMarkerBytes = 4;
constexpr std::size_t kPairHeaderBytes = 16; ///< native, before the name
constexpr std::size_t kListBytes = 24;       ///< a list inside a native pair
constexpr std::size_t kPointerBytes = 8;
constexpr std::size_t kMinXdrListBytes = 16;

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadNvlist, std::move(what));
}

/// What one element of a type takes in memory, and thereby in the native encoding; zero for types
/// whose elements differ.
std::size_t elementBytes(NvType type)
{
    switch (type) {
    case NvType::Byte:
    case NvType::Int8:
    case NvType::Uint8:
    case NvType::ByteArray:
    case NvType::Int8Array:
    case NvType::Uint8Array:
        return 1;
    case NvType::Int16:
    case NvType::Uint16:
    case NvType::Int16Array:
    case NvType::Uint16Array:
        return 2;
    case NvType::BooleanValue:
    case NvType::Int32:
    case NvType::Uint32:
    case NvType::BooleanArray:
    case NvType::Int32Array:
    case NvType::Uint32Array:
        return 4;
    case NvType::Int64:
    case NvType::Uint64:
    case NvType::HighResTime:
    case NvType::Double:
    case NvType::Int64Array:
    case NvType::Uint64Array:
        return 8;
    default:
        return 0;
    }
}

bool isNumber(NvType type)
{
    switch (type) {
    case NvType::Byte:
    case NvType::Int8:
    case NvType::Uint8:
    case NvType::Int16:
    case NvType::Uint16:
    case NvType::BooleanValue:
    case NvType::Int32:
    case NvType::Uint32:
    case NvType::Int64:
    case NvType::Uint64:
    case NvType::HighResTime:
    case NvType::Double:
        return true;
    default:
        return false;
    }
}

bool isByteArray(NvType type)
{
    return type == NvType::ByteArray || type == NvType::Int8Array || type == NvType::Uint8Array;
}

bool isSignedElement(NvType type)
{
    switch (type) {
    case NvType::Int8:
    case NvType::Int16:
    case NvType::Int32:
    case NvType::Int16Array:
    case NvType::Int32Array:
        return true;
    default:
        return false;
    }
}

bool isKnown(std::uint32_t type)
{
    return type >= static_cast<std::uint32_t>(NvType::Boolean) &&
           type <= static_cast<std::uint32_t>(NvType::Double);
}

bool countFits(NvType type, std::uint32_t count)
{
    if (type == NvType::Boolean) {
        return count == 0;
    }
    const bool scalar = isNumber(type) || type == NvType::String || type == NvType::List;
    return !scalar || count == 1;
}

std::uint64_t narrow(NvType type, std::uint64_t raw)
{
    const unsigned width = static_cast<unsigned>(elementBytes(type)) * 8;
    const std::uint64_t low = bits(raw, 0, width);
    if (width < 64 && isSignedElement(type) && bits(low, width - 1, 1) != 0) {
        return low | (~std::uint64_t{0} << width);
    }
    return low;
}

std::size_t padTo(std::size_t size, std::size_t alignment)
{
    return static_cast<std::size_t>(alignUp(size, alignment));
}

/// Reads one encoding. The depth of the recursion is bounded by kMaxDepth.
class XdrReader
{
public:
    explicit XdrReader(Bytes bytes)
        : m_cursor(bytes, ByteOrder::Big)
    {
    }

    Result<NvList> list(unsigned depth) // NOLINT(misc-no-recursion)
    {
        if (depth > NvList::kMaxDepth) {
            return bad("lists nested too deep");
        }
        if (m_cursor.take<std::uint32_t>() != 0) {
            return bad("unknown version of a list");
        }
        NvList list;
        list.setFlags(m_cursor.take<std::uint32_t>());
        for (;;) {
            m_cursor.skip(4); // encoded size; not needed, and other writers get it wrong
            const auto decodedSize = m_cursor.take<std::uint32_t>();
            if (!m_cursor.ok()) {
                return bad("list cut off");
            }
            if (decodedSize == 0) {
                return list;
            }
            MP_TRY(pair(list, depth));
        }
    }

private:
    Status pair(NvList& list, unsigned depth) // NOLINT(misc-no-recursion)
    {
        const std::string name = MP_TRY(string());
        const auto rawType = m_cursor.take<std::uint32_t>();
        const auto count = m_cursor.take<std::uint32_t>();
        if (!m_cursor.ok()) {
            return bad("pair cut off");
        }
        if (!isKnown(rawType) || !countFits(NvType(rawType), count)) {
            return bad(fmt::format("'{}' has type {} and {} elements", name, rawType, count));
        }
        list.append(name, MP_TRY(value(NvType(rawType), count, depth)));
        return {};
    }

    Result<NvValue>
    value(NvType type, std::uint32_t count, unsigned depth) // NOLINT(misc-no-recursion)
    {
        if (type == NvType::Boolean) {
            return NvValue::flag();
        }
        if (isNumber(type)) {
            return number(type);
        }
        switch (type) {
        case NvType::String:
            return NvValue::text(MP_TRY(string()));
        case NvType::StringArray:
            return strings(count);
        case NvType::List:
            return NvValue::list(MP_TRY(list(depth + 1)));
        case NvType::ListArray:
            return lists(count, depth);
        case NvType::ByteArray:
            return bytes(count);
        default:
            return isByteArray(type) ? smallNumbers(type, count) : numbers(type, count);
        }
    }

    Result<NvValue> number(NvType type)
    {
        const std::uint64_t raw = takeNumber(type);
        return m_cursor.ok() ? Result<NvValue>(NvValue::number(type, raw)) : bad("number cut off");
    }

    std::uint64_t takeNumber(NvType type)
    {
        const std::uint64_t raw = elementBytes(type) == 8 ? m_cursor.take<std::uint64_t>()
                                                          : m_cursor.take<std::uint32_t>();
        return narrow(type, raw);
    }

    Result<std::string> string()
    {
        const auto length = m_cursor.take<std::uint32_t>();
        const Bytes raw = m_cursor.takeBytes(length);
        m_cursor.skip(padTo(length, 4) - length);
        if (!m_cursor.ok()) {
            return bad("text cut off");
        }
        return std::string(textOf(raw));
    }

    Result<NvValue> strings(std::uint32_t count)
    {
        if (count > m_cursor.remaining() / 4) {
            return bad("array of texts cut off");
        }
        NvValue::Texts texts;
        texts.reserve(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            texts.push_back(MP_TRY(string()));
        }
        return NvValue::texts(std::move(texts));
    }

    Result<NvValue> lists(std::uint32_t count, unsigned depth) // NOLINT(misc-no-recursion)
    {
        if (count > m_cursor.remaining() / kMinXdrListBytes) {
            return bad("array of lists cut off");
        }
        NvValue::Lists lists;
        lists.reserve(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            lists.push_back(MP_TRY(list(depth + 1)));
        }
        return NvValue::lists(std::move(lists));
    }

    Result<NvValue> bytes(std::uint32_t count)
    {
        const Bytes raw = m_cursor.takeBytes(count);
        m_cursor.skip(padTo(count, 4) - count);
        return m_cursor.ok() ? Result<NvValue>(NvValue::bytes(NvType::ByteArray, raw))
                             : bad("bytes cut off");
    }

    /// Arrays repeat their count unless they are empty.
    Status repeatedCount(std::uint32_t count, std::size_t elementSize)
    {
        if (count != 0 && m_cursor.take<std::uint32_t>() != count) {
            return bad("array with two different lengths");
        }
        return count <= m_cursor.remaining() / elementSize ? Status() : bad("array cut off");
    }

    Result<NvValue> smallNumbers(NvType type, std::uint32_t count)
    {
        MP_TRY(repeatedCount(count, 4));
        std::vector<std::byte> values(count);
        for (std::byte& value : values) {
            value = static_cast<std::byte>(m_cursor.take<std::uint32_t>() & 0xff);
        }
        return NvValue::bytes(type, values);
    }

    Result<NvValue> numbers(NvType type, std::uint32_t count)
    {
        MP_TRY(repeatedCount(count, elementBytes(type) == 8 ? 8 : 4));
        NvValue::Numbers values(count);
        for (std::uint64_t& value : values) {
            value = takeNumber(type);
        }
        return NvValue::numbers(type, std::move(values));
    }

    Cursor m_cursor;
};

class NativeReader
{
public:
    NativeReader(Bytes bytes, ByteOrder order)
        : m_cursor(bytes, order)
    {
    }

    Result<NvList> outermost()
    {
        const auto version = m_cursor.take<std::uint32_t>();
        const auto flags = m_cursor.take<std::uint32_t>();
        if (!m_cursor.ok() || version != 0) {
            return bad("unknown version of a list");
        }
        return list(flags, 0);
    }

private:
    /// A pair's own bytes: header, name, value.
    struct Pair
    {
        std::string name;
        NvType type = NvType::Boolean;
        std::uint32_t count = 0;
        Bytes value;
    };

    Result<NvList> list(std::uint32_t flags, unsigned depth) // NOLINT(misc-no-recursion)
    {
        if (depth > NvList::kMaxDepth) {
            return bad("lists nested too deep");
        }
        NvList list;
        list.setFlags(flags);
        for (;;) {
            const auto size = m_cursor.take<std::uint32_t>();
            if (!m_cursor.ok()) {
                return bad("list cut off");
            }
            if (size == 0) {
                return list;
            }
            const Pair pair = MP_TRY(takePair(size));
            list.append(pair.name, MP_TRY(value(pair, depth)));
        }
    }

    Result<Pair> takePair(std::uint32_t size)
    {
        if (size < kPairHeaderBytes) {
            return bad(fmt::format("pair of {} bytes", size));
        }
        const Bytes rest = m_cursor.takeBytes(size - 4);
        if (!m_cursor.ok()) {
            return bad("pair cut off");
        }
        Cursor header(rest, m_cursor.order());
        const std::size_t nameLength = header.take<std::uint16_t>();
        header.skip(2);
        const auto count = header.take<std::uint32_t>();
        const auto rawType = header.take<std::uint32_t>();
        const Bytes name = header.takeBytes(nameLength);
        // Padded so that the value begins at a multiple of 8 counted from the pair's first byte.
        header.skip(
            std::min(padTo(kPairHeaderBytes + nameLength, 8) - kPairHeaderBytes - nameLength,
                     header.remaining()));
        if (!header.ok() || nameLength == 0 || name.back() != std::byte{0}) {
            return bad("pair without a name");
        }
        if (!isKnown(rawType) || !countFits(NvType(rawType), count)) {
            return bad(fmt::format("pair of type {} with {} elements", rawType, count));
        }
        return Pair{std::string(textOf(name)),
                    NvType(rawType),
                    count,
                    header.takeBytes(header.remaining())};
    }

    Result<NvValue> value(const Pair& pair, unsigned depth) // NOLINT(misc-no-recursion)
    {
        switch (pair.type) {
        case NvType::Boolean:
            return NvValue::flag();
        case NvType::String:
            return text(pair.value);
        case NvType::StringArray:
            return texts(pair);
        case NvType::List:
            return nested(pair, depth);
        case NvType::ListArray:
            return nestedArray(pair, depth);
        default:
            return numeric(pair);
        }
    }

    static Result<NvValue> text(Bytes value)
    {
        const std::string_view text = textOf(value);
        return text.size() < value.size() ? Result<NvValue>(NvValue::text(text))
                                          : bad("text without an end");
    }

    Result<NvValue> texts(const Pair& pair)
    {
        if (pair.count > pair.value.size() / kPointerBytes) {
            return bad("array of texts cut off");
        }
        Bytes rest = pair.value.subspan(pair.count * kPointerBytes);
        NvValue::Texts texts;
        texts.reserve(pair.count);
        for (std::uint32_t i = 0; i < pair.count; ++i) {
            const std::string_view text = textOf(rest);
            if (text.size() >= rest.size()) {
                return bad("array of texts cut off");
            }
            texts.emplace_back(text);
            rest = rest.subspan(text.size() + 1);
        }
        return NvValue::texts(std::move(texts));
    }

    Result<std::uint32_t> nestedFlags(Bytes value, std::size_t offset)
    {
        if (offset + kListBytes > value.size()) {
            return bad("nested list cut off");
        }
        if (load<std::uint32_t>(value, offset, m_cursor.order()) != 0) {
            return bad("unknown version of a list");
        }
        return load<std::uint32_t>(value, offset + 4, m_cursor.order());
    }

    Result<NvValue> nested(const Pair& pair, unsigned depth) // NOLINT(misc-no-recursion)
    {
        const std::uint32_t flags = MP_TRY(nestedFlags(pair.value, 0));
        return NvValue::list(MP_TRY(list(flags, depth + 1)));
    }

    Result<NvValue> nestedArray(const Pair& pair, unsigned depth) // NOLINT(misc-no-recursion)
    {
        if (pair.count > pair.value.size() / (kPointerBytes + kListBytes)) {
            return bad("array of lists cut off");
        }
        const std::size_t start = pair.count * kPointerBytes;
        NvValue::Lists lists;
        lists.reserve(pair.count);
        for (std::uint32_t i = 0; i < pair.count; ++i) {
            const std::uint32_t flags = MP_TRY(nestedFlags(pair.value, start + i * kListBytes));
            lists.push_back(MP_TRY(list(flags, depth + 1)));
        }
        return NvValue::lists(std::move(lists));
    }

    std::uint64_t element(NvType type, Bytes value, std::size_t index) const
    {
        const ByteOrder order = m_cursor.order();
        switch (elementBytes(type)) {
        case 1:
            return narrow(type, load<std::uint8_t>(value, index, order));
        case 2:
            return narrow(type, load<std::uint16_t>(value, index * 2, order));
        case 4:
            return narrow(type, load<std::uint32_t>(value, index * 4, order));
        default:
            return load<std::uint64_t>(value, index * 8, order);
        }
    }

    Result<NvValue> numeric(const Pair& pair) const
    {
        if (pair.count > pair.value.size() / elementBytes(pair.type)) {
            return bad("numbers cut off");
        }
        if (isNumber(pair.type)) {
            return NvValue::number(pair.type, element(pair.type, pair.value, 0));
        }
        if (isByteArray(pair.type)) {
            return NvValue::bytes(pair.type, pair.value.first(pair.count));
        }
        NvValue::Numbers values(pair.count);
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = element(pair.type, pair.value, i);
        }
        return NvValue::numbers(pair.type, std::move(values));
    }

    Cursor m_cursor;
};

/// Appends XDR to a vector.
class XdrWriter
{
public:
    void word(std::uint32_t value)
    {
        const std::size_t at = grow(4);
        store(m_bytes, at, value, ByteOrder::Big);
    }

    void number(NvType type, std::uint64_t value)
    {
        if (elementBytes(type) == 8) {
            const std::size_t at = grow(8);
            store(m_bytes, at, value, ByteOrder::Big);
            return;
        }
        // Bytes of every kind travel as C's signed char.
        const bool byte = elementBytes(type) == 1;
        word(static_cast<std::uint32_t>(narrow(byte ? NvType::Int8 : type, value)));
    }

    void bytes(Bytes value)
    {
        const std::size_t at = grow(padTo(value.size(), 4));
        std::ranges::copy(value, m_bytes.begin() + static_cast<std::ptrdiff_t>(at));
    }

    void text(std::string_view value)
    {
        word(static_cast<std::uint32_t>(value.size()));
        bytes(bytesOf(value));
    }

    void setWord(std::size_t at, std::uint32_t value) { store(m_bytes, at, value, ByteOrder::Big); }

    [[nodiscard]] std::size_t size() const { return m_bytes.size(); }

    std::vector<std::byte> take() { return std::move(m_bytes); }

private:
    std::size_t grow(std::size_t count)
    {
        const std::size_t at = m_bytes.size();
        m_bytes.resize(at + count);
        return at;
    }

    std::vector<std::byte> m_bytes;
};

std::uint32_t countOf(const NvValue& value)
{
    const auto size = [](const auto& container) {
        return static_cast<std::uint32_t>(container.size());
    };
    if (const auto* numbers = value.asNumbers()) {
        return size(*numbers);
    }
    if (const auto* bytes = value.asBytes()) {
        return size(*bytes);
    }
    if (const auto* texts = value.asTexts()) {
        return size(*texts);
    }
    if (const auto* lists = value.asLists()) {
        return size(*lists);
    }
    return value.type() == NvType::Boolean ? 0 : 1;
}

std::size_t memoryBytes(const NvValue& value)
{
    const std::size_t count = countOf(value);
    switch (value.type()) {
    case NvType::String:
        return value.asText()->size() + 1;
    case NvType::StringArray: {
        std::size_t total = count * kPointerBytes;
        for (const std::string& text : *value.asTexts()) {
            total += text.size() + 1;
        }
        return total;
    }
    case NvType::List:
        return kListBytes;
    case NvType::ListArray:
        return count * (kPointerBytes + kListBytes);
    default:
        return count * elementBytes(value.type());
    }
}

// The depth of built lists is the program's.
void writeList(const NvList& list, XdrWriter& out); // NOLINT(misc-no-recursion)

void writeValue(const NvValue& value, XdrWriter& out) // NOLINT(misc-no-recursion)
{
    if (const auto number = value.asNumber(); number && value.type() != NvType::Boolean) {
        out.number(value.type(), *number);
    } else if (const std::string* text = value.asText()) {
        out.text(*text);
    } else if (const NvList* nested = value.asList()) {
        writeList(*nested, out);
    } else if (const auto* lists = value.asLists()) {
        for (const NvList& item : *lists) {
            writeList(item, out);
        }
    } else if (const auto* texts = value.asTexts()) {
        for (const std::string& item : *texts) {
            out.text(item);
        }
    } else if (const auto* bytes = value.asBytes();
               bytes != nullptr && value.type() == NvType::ByteArray) {
        out.bytes(*bytes);
    } else if (bytes != nullptr && !bytes->empty()) {
        out.word(countOf(value));
        for (const std::byte item : *bytes) {
            out.number(value.type(), static_cast<std::uint64_t>(item));
        }
    } else if (const auto* numbers = value.asNumbers(); numbers != nullptr && !numbers->empty()) {
        out.word(countOf(value));
        for (const std::uint64_t item : *numbers) {
            out.number(value.type(), item);
        }
    }
}

/// OpenZFS counts the repeated length of an array even where, the array being empty, it is not
/// written.
bool countsMissingLength(const NvValue& value)
{
    const bool repeats = value.asNumbers() != nullptr ||
                         (value.asBytes() != nullptr && value.type() != NvType::ByteArray);
    return repeats && countOf(value) == 0;
}

void writePair(const NvPair& pair, XdrWriter& out) // NOLINT(misc-no-recursion)
{
    const std::size_t start = out.size();
    out.word(0);
    out.word(static_cast<std::uint32_t>(padTo(kPairHeaderBytes + pair.name.size() + 1, 8) +
                                        padTo(memoryBytes(pair.value), 8)));
    out.text(pair.name);
    out.word(static_cast<std::uint32_t>(pair.value.type()));
    out.word(countOf(pair.value));
    writeValue(pair.value, out);
    const std::size_t size = out.size() - start + (countsMissingLength(pair.value) ? 4 : 0);
    out.setWord(start, static_cast<std::uint32_t>(size));
}

void writeList(const NvList& list, XdrWriter& out) // NOLINT(misc-no-recursion)
{
    out.word(0);
    out.word(list.flags());
    for (const NvPair& pair : list.pairs()) {
        writePair(pair, out);
    }
    out.word(0);
    out.word(0);
}

} // namespace

Result<NvList> NvList::decode(Bytes packed)
{
    if (packed.size() < kMarkerBytes || packed.size() > kMaxPackedBytes) {
        return bad(fmt::format("{} bytes are no packed list", packed.size()));
    }
    const Bytes body = packed.subspan(kMarkerBytes);
    if (packed[0] == kXdr) {
        return XdrReader(body).list(0);
    }
    if (packed[0] == kNative) {
        const auto order = packed[1] == std::byte{0} ? ByteOrder::Big : ByteOrder::Little;
        return NativeReader(body, order).outermost();
    }
    return bad(fmt::format("unknown encoding {}", static_cast<unsigned>(packed[0])));
}

std::vector<std::byte> NvList::encode(ByteOrder order) const
{
    XdrWriter writer;
    writer.word(std::uint32_t{1} << 24 | std::uint32_t{order == ByteOrder::Little ? 1U : 0U} << 16);
    writeList(*this, writer);
    return writer.take();
}

std::size_t NvList::encodedSize() const
{
    return encode().size();
}

} // namespace millpond::format
