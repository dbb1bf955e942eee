// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/sa.h"

#include "format/znode.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace millpond::format {

namespace {

constexpr std::size_t kLengthsOffset = 6;
constexpr unsigned kLayoutBits = 10;
constexpr std::size_t kMaxLayoutAttributes = 256;
constexpr std::size_t kMaxAttributeNumber = 1023;

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadAttributes, std::move(what));
}

template <std::unsigned_integral T> void swapArray(MutableBytes bytes, ByteOrder from)
{
    for (std::size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
        store(bytes, at, load<T>(bytes, at, from), kHostOrder);
    }
}

template <std::unsigned_integral T> void swapAt(MutableBytes bytes, std::size_t at, ByteOrder from)
{
    store(bytes, at, load<T>(bytes, at, from), kHostOrder);
}

/// Entries of version Fuid: 8 bytes each, then an id and object types for some.
void swapAces(MutableBytes bytes, ByteOrder from)
{
    while (bytes.size() >= 8) {
        swapAt<std::uint16_t>(bytes, 0, from);
        swapAt<std::uint16_t>(bytes, 2, from);
        swapAt<std::uint32_t>(bytes, 4, from);
        Ace ace;
        ace.type = load<std::uint16_t>(bytes, 0, kHostOrder);
        ace.flags = load<std::uint16_t>(bytes, 2, kHostOrder);
        std::size_t size = 8;
        if (ace.hasWho() && bytes.size() >= 16) {
            swapAt<std::uint64_t>(bytes, 8, from);
            size = ace.isObject() ? 48 : 16;
        }
        bytes = bytes.subspan(std::min(size, bytes.size()));
    }
}

} // namespace

Result<SaAttributeInfo> SaAttributeInfo::decode(std::uint64_t raw)
{
    const std::uint64_t kind = bits(raw, 16, 8);
    if (kind > static_cast<std::uint64_t>(SaByteswap::Acl)) {
        return bad(fmt::format("attribute with unknown byte order {}", kind));
    }
    return SaAttributeInfo{static_cast<std::uint16_t>(bits(raw, 0, 16)),
                           static_cast<std::uint16_t>(bits(raw, 24, 16)),
                           SaByteswap(kind)};
}

std::uint64_t SaAttributeInfo::encode() const
{
    return std::uint64_t{length} << 24 | static_cast<std::uint64_t>(byteswap) << 16 | number;
}

Result<std::uint16_t> decodeSaLayoutNumber(std::string_view key)
{
    std::uint16_t layout = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), layout);
    if (error != std::errc() || end != key.data() + key.size() || layout >= (1U << kLayoutBits)) {
        return bad(fmt::format("'{}' is no layout number", key));
    }
    return layout;
}

Result<std::vector<std::uint16_t>> decodeSaLayout(std::span<const std::uint64_t> values)
{
    if (values.size() > kMaxLayoutAttributes) {
        return bad(fmt::format("layout of {} attributes", values.size()));
    }
    std::vector<std::uint16_t> layout;
    layout.reserve(values.size());
    for (const std::uint64_t value : values) {
        if (value > kMaxAttributeNumber) {
            return bad(fmt::format("layout with attribute number {}", value));
        }
        layout.push_back(static_cast<std::uint16_t>(value));
    }
    return layout;
}

Result<SaHeader> SaHeader::decode(Bytes bytes, ByteOrder order)
{
    if (bytes.size() < kMinBytes) {
        return bad(fmt::format("{} bytes hold no attributes", bytes.size()));
    }
    if (load<std::uint32_t>(bytes, 0, order) != kMagic) {
        return bad("attributes without their magic number");
    }
    const auto info = load<std::uint16_t>(bytes, 4, order);
    SaHeader header;
    header.layout = static_cast<std::uint16_t>(bits(info, 0, kLayoutBits));
    header.sizeBytes = static_cast<std::size_t>(bits(info, kLayoutBits, 6)) * 8;
    if (header.sizeBytes < kMinBytes || header.sizeBytes > bytes.size()) {
        return bad(fmt::format("attributes with a header of {} bytes", header.sizeBytes));
    }
    for (std::size_t at = kLengthsOffset; at < header.sizeBytes; at += 2) {
        header.lengths.push_back(load<std::uint16_t>(bytes, at, order));
    }
    return header;
}

void SaHeader::encode(MutableBytes out, ByteOrder order) const
{
    MP_CHECK(out.size() >= sizeBytes && lengths.size() == (sizeBytes - kLengthsOffset) / 2);
    store(out, 0, kMagic, order);
    store(out, 4, static_cast<std::uint16_t>((sizeBytes / 8) << kLayoutBits | layout), order);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        store(out, kLengthsOffset + i * 2, lengths[i], order);
    }
}

Result<std::vector<SaPlacedAttribute>>
placeSaAttributes(Bytes buffer,
                  const SaHeader& header,
                  std::span<const std::uint16_t> layout,
                  const std::vector<std::uint16_t>& registeredLengths)
{
    std::vector<SaPlacedAttribute> placed;
    placed.reserve(layout.size());
    std::size_t offset = header.sizeBytes;
    std::size_t variable = 0;
    for (const std::uint16_t number : layout) {
        if (number >= registeredLengths.size()) {
            return bad(fmt::format("attribute {} is not registered", number));
        }
        std::size_t length = registeredLengths[number];
        if (length == 0) {
            if (variable >= header.lengths.size()) {
                return bad(fmt::format("attribute {} without a length", number));
            }
            length = header.lengths[variable++];
        }
        if (offset > buffer.size() || length > buffer.size() - offset) {
            return bad(
                fmt::format("attribute {} of {} bytes reaches behind the buffer", number, length));
        }
        placed.push_back({number, offset, length});
        offset = static_cast<std::size_t>(alignUp(offset + length, 8));
    }
    return placed;
}

std::vector<std::byte> swapSaValue(Bytes value, SaByteswap kind, ByteOrder from)
{
    std::vector<std::byte> copy(value.begin(), value.end());
    if (from == kHostOrder) {
        return copy;
    }
    switch (kind) {
    case SaByteswap::Uint64Array:
        swapArray<std::uint64_t>(copy, from);
        break;
    case SaByteswap::Uint32Array:
        swapArray<std::uint32_t>(copy, from);
        break;
    case SaByteswap::Uint16Array:
        swapArray<std::uint16_t>(copy, from);
        break;
    case SaByteswap::Uint8Array:
        break;
    case SaByteswap::Acl:
        swapAces(copy, from);
        break;
    }
    return copy;
}

} // namespace millpond::format
