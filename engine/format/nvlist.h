// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/result.h"
#include "base/types.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace millpond::format {

/// Numbers as packed.
enum class NvType : std::uint32_t
{
    Boolean = 1, ///< present or not; no value
    Byte = 2,
    Int16 = 3,
    Uint16 = 4,
    Int32 = 5,
    Uint32 = 6,
    Int64 = 7,
    Uint64 = 8,
    String = 9,
    ByteArray = 10,
    Int16Array = 11,
    Uint16Array = 12,
    Int32Array = 13,
    Uint32Array = 14,
    Int64Array = 15,
    Uint64Array = 16,
    StringArray = 17,
    HighResTime = 18,
    List = 19,
    ListArray = 20,
    BooleanValue = 21,
    Int8 = 22,
    Uint8 = 23,
    BooleanArray = 24,
    Int8Array = 25,
    Uint8Array = 26,
    Double = 27,
};

class NvList;

/// One value with its type. Numbers of every width are kept as 64 bits (signed ones sign-extended,
/// a double as its bits).
class NvValue
{
public:
    using Numbers = std::vector<std::uint64_t>;
    using Texts = std::vector<std::string>;
    using Lists = std::vector<NvList>;

    static NvValue flag(); ///< NvType::Boolean
    static NvValue number(NvType type, std::uint64_t value);
    static NvValue text(std::string_view value);
    static NvValue numbers(NvType type, Numbers values); ///< any array of numbers but bytes
    static NvValue bytes(NvType type, Bytes value);      ///< ByteArray, Int8Array, Uint8Array
    static NvValue texts(Texts values);
    static NvValue list(NvList value);
    static NvValue lists(Lists values);

    [[nodiscard]] NvType type() const { return m_type; }

    /// Each is null or nothing when the value is of another kind.
    [[nodiscard]] std::optional<std::uint64_t> asNumber() const;
    [[nodiscard]] const std::string* asText() const;
    [[nodiscard]] const Numbers* asNumbers() const;
    [[nodiscard]] const std::vector<std::byte>* asBytes() const;
    [[nodiscard]] const Texts* asTexts() const;
    [[nodiscard]] const NvList* asList() const;
    [[nodiscard]] const Lists* asLists() const;

    bool operator==(const NvValue&) const;

private:
    using Storage =
        std::variant<std::uint64_t, std::string, Numbers, std::vector<std::byte>, Texts, Lists>;

    NvValue(NvType type, Storage storage);

    NvType m_type;
    Storage m_storage;
};

struct NvPair;

/// Named values in the order they were stored [nvlist_t]. A plain value: copies are deep.
class NvList
{
public:
    /// What a packed list may not exceed: none made by a pool comes near.
    static constexpr std::size_t kMaxPackedBytes = 16 * MiB;
    static constexpr unsigned kMaxDepth = 20;        ///< OpenZFS packs to the same depth
    static constexpr std::uint32_t kUniqueNames = 1; ///< flags()

    NvList();
    NvList(const NvList&);
    NvList(NvList&&) noexcept;
    NvList& operator=(const NvList&);
    NvList& operator=(NvList&&) noexcept;
    ~NvList();

    /// Decodes a packed list, XDR or native, by the marker in its first byte. Bytes behind its end
    /// are ignored (labels are padded). BadNvlist when truncated, too deep, or not canonical.
    /// Memory used is within a small factor of `packed`.
    [[nodiscard]] static Result<NvList> decode(Bytes packed);
    /// XDR, as stored in labels and pools. `order` is the marker in the header only: XDR itself is
    /// big-endian.
    [[nodiscard]] std::vector<std::byte> encode(ByteOrder order = ByteOrder::Little) const;
    [[nodiscard]] std::size_t encodedSize() const;

    [[nodiscard]] bool empty() const;
    [[nodiscard]] std::span<const NvPair> pairs() const;

    [[nodiscard]] std::uint32_t flags() const { return m_flags; }

    void setFlags(std::uint32_t flags) { m_flags = flags; }

    /// The first of that name; null when absent.
    [[nodiscard]] const NvValue* find(std::string_view name) const;

    [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }

    /// Nothing, or null, when absent or of another type. u64 takes every number type.
    [[nodiscard]] std::optional<std::uint64_t> u64(std::string_view name) const;
    [[nodiscard]] std::optional<std::string_view> text(std::string_view name) const;
    [[nodiscard]] const NvList* list(std::string_view name) const;
    [[nodiscard]] std::span<const NvList>
    listArray(std::string_view name) const; ///< empty when absent
    [[nodiscard]] std::span<const std::uint64_t> u64Array(std::string_view name) const;
    [[nodiscard]] std::span<const std::string> textArray(std::string_view name) const;
    [[nodiscard]] Bytes byteArray(std::string_view name) const;
    /// Boolean present, or BooleanValue true.
    [[nodiscard]] bool flag(std::string_view name) const;

    /// As above, for what must be there: BadConfig naming it otherwise.
    [[nodiscard]] Result<std::uint64_t> requireU64(std::string_view name) const;
    [[nodiscard]] Result<std::string_view> requireText(std::string_view name) const;
    [[nodiscard]] Result<const NvList*> requireList(std::string_view name) const;

    /// Replaces the first of that name or appends.
    void set(std::string_view name, NvValue value);
    void setU64(std::string_view name, std::uint64_t value);
    void setText(std::string_view name, std::string_view value);
    void setList(std::string_view name, NvList value);
    /// Appends even if the name is there (lists without unique names).
    void append(std::string_view name, NvValue value);
    void remove(std::string_view name);

    bool operator==(const NvList&) const;
    /// One line per value, nested lists indented by four: `name: value`.
    [[nodiscard]] std::string toText() const;

private:
    std::uint32_t m_flags = kUniqueNames;
    std::vector<NvPair> m_pairs;
};

struct NvPair
{
    std::string name;
    NvValue value;

    bool operator==(const NvPair&) const = default;
};

} // namespace millpond::format
