// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/object/attribute_objects.h"

namespace millpond::test {

void addAttributeObjects(ObjsetBuilder& builder,
                         const std::vector<RegisteredAttribute>& registry,
                         const std::map<std::uint16_t, std::vector<std::uint16_t>>& layouts,
                         const OrderChoice& order)
{
    std::vector<ZapItem> master = {
        {.name = "REGISTRY", .key = {}, .values = {kSaObject + 1}},
        {.name = "LAYOUTS", .key = {}, .values = {kSaObject + 2}},
    };
    std::vector<ZapItem> attributes;
    for (const RegisteredAttribute& attribute : registry) {
        attributes.push_back(
            {.name = attribute.name,
             .key = {},
             .values = {attribute.number | std::uint64_t{attribute.byteswap} << 16U |
                        std::uint64_t{attribute.length} << 24U}});
    }
    std::vector<ZapItem> orders;
    for (const auto& [number, list] : layouts) {
        orders.push_back({.name = std::to_string(number),
                          .key = {},
                          .integerBytes = 2,
                          .values = std::vector<std::uint64_t>(list.begin(), list.end())});
    }
    const ZapShape shape{.order = order};
    DnodeSpec dnode;
    dnode.type = format::number(format::ObjectType::SaMasterNode);
    builder.add(kSaObject, dnode, buildMicroZap(master, shape));
    dnode.type = format::number(format::ObjectType::SaRegistration);
    builder.add(kSaObject + 1, dnode, buildMicroZap(attributes, shape));
    dnode.type = format::number(format::ObjectType::SaLayouts);
    builder.add(kSaObject + 2, dnode, buildFatZap(orders, shape));
}

ByteVector encodeAttributes(std::uint16_t layout,
                            const std::vector<std::uint16_t>& variableLengths,
                            const std::vector<ByteVector>& values,
                            ByteOrder order)
{
    const std::size_t headerBytes = alignUp(6 + 2 * variableLengths.size(), 8);
    ByteVector bytes(headerBytes);
    put32(bytes, 0, 0x2F505A, order);
    put16(bytes, 4, static_cast<std::uint16_t>(layout | headerBytes / 8 << 10U), order);
    for (std::size_t i = 0; i < variableLengths.size(); ++i) {
        put16(bytes, 6 + 2 * i, variableLengths[i], order);
    }
    for (const ByteVector& value : values) {
        bytes.insert(bytes.end(), value.begin(), value.end());
        bytes.resize(alignUp(bytes.size(), 8));
    }
    return bytes;
}

} // namespace millpond::test
