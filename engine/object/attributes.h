// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/object_set.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace millpond::object
{

/// An object's system attributes, by name ("ZPL_MODE"...), as stored bytes in the writer's order.
struct AttributeValue
{
    std::vector<std::byte> bytes;
    ByteOrder order = ByteOrder::Little;
};

/// The registry and layouts of one object set [sa]: loaded once, then immutable. Thread-safe.
class AttributeTable
{
public:
    /// `saObject` is the master node's SA_ATTRS entry.
    [[nodiscard]] static Result<AttributeTable> open(ObjectSet& objset, ObjectId saObject, const ReadContext& context = {});

    using Values = std::unordered_map<std::string_view, AttributeValue>; ///< keys live in the table

    /// Every attribute of an object, from its bonus buffer and its spill block.
    [[nodiscard]] Result<Values> read(ObjectSet& objset, const Dnode& dnode, const ReadContext& context = {}) const;

private:
    struct Attribute
    {
        std::string name;
        std::uint16_t length = 0; ///< 0: variable, length in the header
        std::uint8_t byteswap = 0;
    };

    Status readPart(Bytes part, ByteOrder order, std::uint64_t objectId, Values& values) const;

    std::unordered_map<std::uint16_t, Attribute> m_attributes;
    std::unordered_map<std::uint16_t, std::vector<std::uint16_t>> m_layouts;
};

} // namespace millpond::object
