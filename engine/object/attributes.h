// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/sa.h"
#include "object/object_set.h"

#include <string_view>
#include <unordered_map>
#include <vector>

namespace millpond::object {

/// An object's system attributes, by name ("ZPL_MODE"...), as stored bytes in the writer's order.
struct AttributeValue
{
    std::vector<std::byte> bytes;
    ByteOrder order = ByteOrder::Little;
};

/// The registry and layouts of one object set [sa]: loaded once, then immutable (AttributeWriter
/// makes new ones). Thread-safe.
class AttributeTable
{
public:
    /// `saObject` is the master node's SA_ATTRS entry. BadAttributes, BadZap.
    [[nodiscard]] static Result<AttributeTable>
    open(ObjectSet& objset, ObjectId saObject, const ReadContext& context = {});

    using Values = std::unordered_map<std::string_view, AttributeValue>; ///< keys live in the table

    /// Every attribute of an object, from its bonus buffer and its spill block. The bonus type must
    /// be SystemAttributes (the old znode is in format/znode.h). BadAttributes.
    [[nodiscard]] Result<Values>
    read(ObjectSet& objset, const Dnode& dnode, const ReadContext& context = {}) const;

private:
    friend class AttributeWriter;

    Status loadRegistry(ObjectSet& objset, ObjectId registry, const ReadContext& context);
    Status loadLayouts(ObjectSet& objset, ObjectId layouts, const ReadContext& context);
    Status readPart(Bytes part, Values& values) const;

    /// Both by attribute number; an empty name is a number that is not registered.
    std::vector<std::string> m_names;
    std::vector<std::uint16_t> m_lengths; ///< 0: variable, the length is in the header
    std::vector<format::SaByteswap> m_kinds;
    std::unordered_map<std::uint16_t, std::vector<std::uint16_t>> m_layouts;
};

} // namespace millpond::object
