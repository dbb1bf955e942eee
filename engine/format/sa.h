// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/result.h"
#include "base/types.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millpond::format {

/// How an attribute's bytes are swapped.
enum class SaByteswap : std::uint8_t
{
    Uint64Array = 0,
    Uint32Array = 1,
    Uint16Array = 2,
    Uint8Array = 3,
    Acl = 4,
};

/// Keys of the ZAP named by the master node's SA_ATTRS: a ZAP with the registry and one with the
/// layouts.
inline constexpr std::string_view kSaRegistry = "REGISTRY";
inline constexpr std::string_view kSaLayouts = "LAYOUTS";

/// A value of the registry ZAP, whose keys are attribute names: 0..15 number, 16..23
/// byteswap, 24..39 length.
struct SaAttributeInfo
{
    std::uint16_t number = 0;
    std::uint16_t length = 0; ///< bytes; 0: variable, its length stands in the header
    SaByteswap byteswap = SaByteswap::Uint64Array;

    /// BadAttributes for an unknown byteswap kind.
    [[nodiscard]] static Result<SaAttributeInfo> decode(std::uint64_t raw);
    [[nodiscard]] std::uint64_t encode() const;
    bool operator==(const SaAttributeInfo&) const = default;
};

/// A layout ZAP's keys are layout numbers in decimal, its values arrays of attribute numbers (16
/// bits each).
[[nodiscard]] Result<std::uint16_t> decodeSaLayoutNumber(std::string_view key);
/// `values` are the ZAP entry's integers. BadAttributes for numbers out of range or too many.
[[nodiscard]] Result<std::vector<std::uint16_t>>
decodeSaLayout(std::span<const std::uint64_t> values);

/// In front of attributes in a bonus buffer or spill block [sa_hdr_phys_t]: 0 magic (32), 4 layout
/// number (low 10 bits) and header size in 8 bytes (high 6 bits), 6 lengths of variable attributes
/// (16 each). Layout number 0 in a bonus buffer of type SystemAttributes means layout 1.
struct SaHeader
{
    static constexpr std::uint32_t kMagic = 0x2F505A;
    static constexpr std::size_t kMinBytes = 8;

    std::uint16_t layout = 0;
    std::size_t sizeBytes = 0;          ///< of the header, where the attributes begin
    std::vector<std::uint16_t> lengths; ///< as many as the header has room for

    /// BadAttributes for a wrong magic or a size that does not fit.
    [[nodiscard]] static Result<SaHeader> decode(Bytes bytes, ByteOrder order);
    /// `out` has sizeBytes bytes.
    void encode(MutableBytes out, ByteOrder order = ByteOrder::Little) const;
};

struct SaPlacedAttribute
{
    std::uint16_t number = 0;
    std::size_t offset = 0; ///< in the buffer, header included
    std::size_t length = 0;
};

/// Walks a buffer by its layout: attributes follow each other in the layout's order, each padded to
/// 8 bytes. `registeredLengths` is indexed by attribute number and has the registry's lengths, 0
/// for variable. BadAttributes when an attribute is not registered or does not fit the buffer.
[[nodiscard]] Result<std::vector<SaPlacedAttribute>>
placeSaAttributes(Bytes buffer,
                  const SaHeader& header,
                  std::span<const std::uint16_t> layout,
                  const std::vector<std::uint16_t>& registeredLengths);

/// A value's bytes brought from `from` to host order.
[[nodiscard]] std::vector<std::byte> swapSaValue(Bytes value, SaByteswap kind, ByteOrder from);

} // namespace millpond::format
