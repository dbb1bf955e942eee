// SPDX-License-Identifier: GPL-3.0-or-later
//
// A token is VERSION-CHECKSUM-SIZE-BYTES: a list of names and values in the native packing of
// nvlists (not XDR), compressed with gzip-6 and printed in hexadecimal, with the first word of its
// fletcher4 sum and its size before compression (OpenZFS: dsl_dataset.c).
#include "dataset/detail/resume_token.h"

#include "codec/compression.h"
#include "format/nvlist.h"
#include "object/zap.h"

#include <fmt/format.h>

namespace millpond::dataset::detail {

using format::NvType;
using object::Zap;
using object::ZapEntry;

namespace {

constexpr unsigned kTokenVersion = 1;

/// Packs an nvlist natively: a pair is its size (32), name length (16), zero (16), element count
/// (32), type (32), name and data, both padded to eight bytes.
class NativeList
{
public:
    NativeList()
    {
        append32(0x0100); // native, little-endian
        append32(0);      // version
        append32(1);      // names are unique
    }

    void addFlag(std::string_view name) { add(name, NvType::Boolean, 0, {}); }

    void addNumber(std::string_view name, std::uint64_t value)
    {
        addNumbers(name, NvType::Uint64, {value});
    }

    void addNumbers(std::string_view name, NvType type, const std::vector<std::uint64_t>& values)
    {
        std::vector<std::byte> data(values.size() * sizeof(std::uint64_t));
        for (std::size_t i = 0; i < values.size(); ++i) {
            store(data, i * sizeof(std::uint64_t), values[i]);
        }
        add(name, type, values.size(), data);
    }

    void addText(std::string_view name, const std::string& value)
    {
        // With its NUL.
        add(name, NvType::String, 1, std::as_bytes(std::span(value.c_str(), value.size() + 1)));
    }

    [[nodiscard]] std::vector<std::byte> finish() &&
    {
        append32(0);
        return std::move(m_bytes);
    }

private:
    static constexpr std::size_t kPairHeaderBytes = 16;

    void append32(std::uint32_t value)
    {
        m_bytes.resize(m_bytes.size() + sizeof(value));
        store(MutableBytes(m_bytes), m_bytes.size() - sizeof(value), value);
    }

    void add(std::string_view name, NvType type, std::size_t elements, Bytes data)
    {
        const std::size_t begin = m_bytes.size();
        const std::size_t dataAt = begin + alignUp(kPairHeaderBytes + name.size() + 1, 8);
        m_bytes.resize(dataAt + alignUp(data.size(), 8));
        const MutableBytes pair = MutableBytes(m_bytes).subspan(begin);
        store(pair, 0, static_cast<std::uint32_t>(pair.size()));
        store(pair, 4, static_cast<std::uint16_t>(name.size() + 1));
        store(pair, 8, static_cast<std::uint32_t>(elements));
        store(pair, 12, static_cast<std::uint32_t>(type));
        std::ranges::copy(bytesOf(name), pair.begin() + kPairHeaderBytes);
        std::ranges::copy(data, m_bytes.begin() + static_cast<std::ptrdiff_t>(dataAt));
    }

    std::vector<std::byte> m_bytes;
};

/// The first of fletcher4's four sums, over all whole 32-bit words.
std::uint64_t firstFletcher4(Bytes bytes)
{
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at + sizeof(std::uint32_t) <= bytes.size();
         at += sizeof(std::uint32_t)) {
        sum += load<std::uint32_t>(bytes, at, kHostOrder);
    }
    return sum;
}

struct Field
{
    std::string_view key, name;
};

// In the order OpenZFS packs them.
constexpr Field kNumbers[] = {
    {format::kDatasetResumeFromGuid, "fromguid"},
    {format::kDatasetResumeObject, "object"},
    {format::kDatasetResumeOffset, "offset"},
    {format::kDatasetResumeBytes, "bytes"},
    {format::kDatasetResumeToGuid, "toguid"},
};
constexpr Field kFlags[] = {
    {format::kDatasetResumeLargeBlock, "largeblockok"},
    {format::kDatasetResumeEmbed, "embedok"},
    {format::kDatasetResumeCompress, "compressok"},
    {format::kDatasetResumeRaw, "rawok"},
};

using Fields = std::unordered_map<std::string, ZapEntry>;

std::vector<std::byte> pack(const Fields& fields)
{
    const auto find = [&](std::string_view key) -> const ZapEntry* {
        const auto found = fields.find(std::string(key));
        return found == fields.end() ? nullptr : &found->second;
    };
    NativeList list;
    for (const Field& field : kNumbers) {
        if (const ZapEntry* entry = find(field.key)) {
            list.addNumber(field.name, entry->first());
        }
    }
    if (const ZapEntry* entry = find(format::kDatasetResumeToName)) {
        const std::string text = entry->text();
        list.addText("toname", text.substr(0, text.find('\0')));
    }
    for (const Field& field : kFlags) {
        if (find(field.key) != nullptr) {
            list.addFlag(field.name);
        }
    }
    if (const ZapEntry* entry = find("com.delphix:redacted_datasets")) {
        list.addNumbers("redact_snaps", NvType::Uint64Array, entry->values);
    }
    if (const ZapEntry* entry = find(format::kDatasetResumeRedactSnaps)) {
        list.addNumbers("book_redact_snaps", NvType::Uint64Array, entry->values);
    }
    return std::move(list).finish();
}

} // namespace

Result<std::optional<std::string>>
resumeToken(DatasetTree& tree, const Dataset& dataset, const ReadContext& context)
{
    if (!dataset.extensible) {
        return std::nullopt;
    }
    Fields fields;
    const Zap zap = MP_TRY(Zap::open(tree.mos(), ObjectId(dataset.id.value()), context));
    MP_TRY(zap.forEach(
        [&](const ZapEntry& entry) -> Result<bool> {
            fields.emplace(entry.name, entry);
            return true;
        },
        context));
    if (!fields.contains(std::string(format::kDatasetResumeToGuid))) {
        return std::nullopt;
    }
    const std::vector<std::byte> packed = pack(fields);
    std::vector<std::byte> compressed(packed.size());
    const auto size =
        MP_TRY(codec::compress(codec::CompressionAlgorithm::Gzip6, packed, compressed));
    // What does not get smaller is taken as it is.
    const Bytes used = size ? Bytes(compressed).first(*size) : Bytes(packed);
    std::string token =
        fmt::format("{}-{:x}-{:x}-", kTokenVersion, firstFletcher4(used), packed.size());
    for (const std::byte byte : used) {
        fmt::format_to(std::back_inserter(token), "{:02x}", std::to_integer<unsigned>(byte));
    }
    return token;
}

} // namespace millpond::dataset::detail
