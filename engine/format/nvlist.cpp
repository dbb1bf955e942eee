// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/nvlist.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace millpond::format {

NvValue::NvValue(NvType type, Storage storage)
    : m_type(type)
    , m_storage(std::move(storage))
{
}

NvValue NvValue::flag()
{
    return {NvType::Boolean, std::uint64_t{1}};
}

NvValue NvValue::number(NvType type, std::uint64_t value)
{
    return {type, value};
}

NvValue NvValue::text(std::string_view value)
{
    return {NvType::String, std::string(value)};
}

NvValue NvValue::numbers(NvType type, Numbers values)
{
    return {type, std::move(values)};
}

NvValue NvValue::bytes(NvType type, Bytes value)
{
    return {type, std::vector<std::byte>(value.begin(), value.end())};
}

NvValue NvValue::texts(Texts values)
{
    return {NvType::StringArray, std::move(values)};
}

NvValue NvValue::list(NvList value)
{
    Lists lists;
    lists.push_back(std::move(value));
    return {NvType::List, std::move(lists)};
}

NvValue NvValue::lists(Lists values)
{
    return {NvType::ListArray, std::move(values)};
}

std::optional<std::uint64_t> NvValue::asNumber() const
{
    const auto* value = std::get_if<std::uint64_t>(&m_storage);
    return value != nullptr ? std::optional(*value) : std::nullopt;
}

const std::string* NvValue::asText() const
{
    return std::get_if<std::string>(&m_storage);
}

const NvValue::Numbers* NvValue::asNumbers() const
{
    return std::get_if<Numbers>(&m_storage);
}

const std::vector<std::byte>* NvValue::asBytes() const
{
    return std::get_if<std::vector<std::byte>>(&m_storage);
}

const NvValue::Texts* NvValue::asTexts() const
{
    return std::get_if<Texts>(&m_storage);
}

const NvList* NvValue::asList() const
{
    const auto* lists = std::get_if<Lists>(&m_storage);
    return m_type == NvType::List && lists != nullptr && !lists->empty() ? lists->data() : nullptr;
}

const NvValue::Lists* NvValue::asLists() const
{
    return m_type == NvType::ListArray ? std::get_if<Lists>(&m_storage) : nullptr;
}

bool NvValue::operator==(const NvValue&) const = default;

NvList::NvList() = default;
NvList::NvList(const NvList&) = default;
NvList::NvList(NvList&&) noexcept = default;
NvList& NvList::operator=(const NvList&) = default;
NvList& NvList::operator=(NvList&&) noexcept = default;
NvList::~NvList() = default;
bool NvList::operator==(const NvList&) const = default;

bool NvList::empty() const
{
    return m_pairs.empty();
}

std::span<const NvPair> NvList::pairs() const
{
    return m_pairs;
}

const NvValue* NvList::find(std::string_view name) const
{
    const auto found = std::ranges::find(m_pairs, name, &NvPair::name);
    return found != m_pairs.end() ? &found->value : nullptr;
}

std::optional<std::uint64_t> NvList::u64(std::string_view name) const
{
    const NvValue* value = find(name);
    return value != nullptr && value->type() != NvType::Boolean ? value->asNumber() : std::nullopt;
}

std::optional<std::string_view> NvList::text(std::string_view name) const
{
    const NvValue* value = find(name);
    const std::string* text = value != nullptr ? value->asText() : nullptr;
    return text != nullptr ? std::optional<std::string_view>(*text) : std::nullopt;
}

const NvList* NvList::list(std::string_view name) const
{
    const NvValue* value = find(name);
    return value != nullptr ? value->asList() : nullptr;
}

std::span<const NvList> NvList::listArray(std::string_view name) const
{
    const NvValue* value = find(name);
    const auto* lists = value != nullptr ? value->asLists() : nullptr;
    return lists != nullptr ? std::span<const NvList>(*lists) : std::span<const NvList>();
}

std::span<const std::uint64_t> NvList::u64Array(std::string_view name) const
{
    const NvValue* value = find(name);
    const auto* numbers = value != nullptr ? value->asNumbers() : nullptr;
    return numbers != nullptr ? std::span<const std::uint64_t>(*numbers)
                              : std::span<const std::uint64_t>();
}

std::span<const std::string> NvList::textArray(std::string_view name) const
{
    const NvValue* value = find(name);
    const auto* texts = value != nullptr ? value->asTexts() : nullptr;
    return texts != nullptr ? std::span<const std::string>(*texts) : std::span<const std::string>();
}

Bytes NvList::byteArray(std::string_view name) const
{
    const NvValue* value = find(name);
    const auto* bytes = value != nullptr ? value->asBytes() : nullptr;
    return bytes != nullptr ? Bytes(*bytes) : Bytes();
}

bool NvList::flag(std::string_view name) const
{
    const NvValue* value = find(name);
    if (value == nullptr) {
        return false;
    }
    return value->type() == NvType::Boolean ||
           (value->type() == NvType::BooleanValue && value->asNumber().value_or(0) != 0);
}

Result<std::uint64_t> NvList::requireU64(std::string_view name) const
{
    if (const auto value = u64(name)) {
        return *value;
    }
    return fail(ErrorCode::BadConfig, fmt::format("the number '{}' is missing", name));
}

Result<std::string_view> NvList::requireText(std::string_view name) const
{
    if (const auto value = text(name)) {
        return *value;
    }
    return fail(ErrorCode::BadConfig, fmt::format("the text '{}' is missing", name));
}

Result<const NvList*> NvList::requireList(std::string_view name) const
{
    if (const NvList* value = list(name)) {
        return value;
    }
    return fail(ErrorCode::BadConfig, fmt::format("the list '{}' is missing", name));
}

void NvList::set(std::string_view name, NvValue value)
{
    const auto found = std::ranges::find(m_pairs, name, &NvPair::name);
    if (found != m_pairs.end()) {
        found->value = std::move(value);
        return;
    }
    append(name, std::move(value));
}

void NvList::setU64(std::string_view name, std::uint64_t value)
{
    set(name, NvValue::number(NvType::Uint64, value));
}

void NvList::setText(std::string_view name, std::string_view value)
{
    set(name, NvValue::text(value));
}

void NvList::setList(std::string_view name, NvList value)
{
    set(name, NvValue::list(std::move(value)));
}

void NvList::append(std::string_view name, NvValue value)
{
    m_pairs.push_back({std::string(name), std::move(value)});
}

void NvList::remove(std::string_view name)
{
    std::erase_if(m_pairs, [name](const NvPair& pair) { return pair.name == name; });
}

namespace {

bool isSigned(NvType type)
{
    switch (type) {
    case NvType::Int8:
    case NvType::Int16:
    case NvType::Int32:
    case NvType::Int64:
    case NvType::HighResTime:
    case NvType::Int8Array:
    case NvType::Int16Array:
    case NvType::Int32Array:
    case NvType::Int64Array:
        return true;
    default:
        return false;
    }
}

std::string numberText(NvType type, std::uint64_t value)
{
    if (type == NvType::BooleanValue || type == NvType::BooleanArray) {
        return value != 0 ? "true" : "false";
    }
    if (type == NvType::Double) {
        return fmt::format("{:f}", std::bit_cast<double>(value));
    }
    return isSigned(type) ? fmt::format("{}", static_cast<std::int64_t>(value))
                          : fmt::format("{}", value);
}

// The depth of lists is bounded by NvList::kMaxDepth for decoded ones and by the program for built
// ones.
void print(const NvList& list, std::size_t indent, std::string& out); // NOLINT(misc-no-recursion)

void printValue(const NvPair& pair,
                std::size_t indent,
                std::string& out) // NOLINT(misc-no-recursion)
{
    const std::string pad(indent, ' ');
    const NvValue& value = pair.value;
    if (value.type() == NvType::Boolean) {
        out += fmt::format("{}{}\n", pad, pair.name);
    } else if (const auto number = value.asNumber()) {
        out += fmt::format("{}{}: {}\n", pad, pair.name, numberText(value.type(), *number));
    } else if (const std::string* text = value.asText()) {
        out += fmt::format("{}{}: '{}'\n", pad, pair.name, *text);
    } else if (const NvList* nested = value.asList()) {
        out += fmt::format("{}{}:\n", pad, pair.name);
        print(*nested, indent + 4, out);
    } else if (const auto* lists = value.asLists()) {
        for (std::size_t i = 0; i < lists->size(); ++i) {
            out += fmt::format("{}{}[{}]:\n", pad, pair.name, i);
            print((*lists)[i], indent + 4, out);
        }
    } else if (const auto* texts = value.asTexts()) {
        for (std::size_t i = 0; i < texts->size(); ++i) {
            out += fmt::format("{}{}[{}]: '{}'\n", pad, pair.name, i, (*texts)[i]);
        }
    } else if (const auto* numbers = value.asNumbers()) {
        for (std::size_t i = 0; i < numbers->size(); ++i) {
            out += fmt::format(
                "{}{}[{}]: {}\n", pad, pair.name, i, numberText(value.type(), (*numbers)[i]));
        }
    } else if (const auto* bytes = value.asBytes()) {
        out += fmt::format("{}{}: {} bytes\n", pad, pair.name, bytes->size());
    }
}

void print(const NvList& list, std::size_t indent, std::string& out) // NOLINT(misc-no-recursion)
{
    for (const NvPair& pair : list.pairs()) {
        printValue(pair, indent, out);
    }
}

} // namespace

std::string NvList::toText() const
{
    std::string text;
    print(*this, 0, text);
    return text;
}

} // namespace millpond::format
