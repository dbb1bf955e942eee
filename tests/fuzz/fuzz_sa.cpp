// SPDX-License-Identifier: GPL-3.0-or-later
// Property: any bonus buffer and spill block are refused or give attributes that lie inside them.
// Input: a byte with the length of the bonus in 8 bytes, the bonus, then the spill block.
#include "base/check.h"
#include "engine/object/attribute_objects.h"
#include "object/attributes.h"

#include <algorithm>

using namespace millpond;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    if (size < 1) {
        return 0;
    }
    test::MemoryBlocks blocks;
    test::ObjsetBuilder builder(blocks);
    test::addAttributeObjects(
        builder,
        {{"A", 1, 8}, {"B", 2, 16}, {"C", 3, 0, 3}, {"D", 4, 0, 4}, {"E", 5, 4, 1}},
        {{2, {1, 2, 5}}, {3, {1, 3}}, {4, {3, 4, 1}}, {5, {4, 4, 3, 77}}});
    const auto objset = object::ObjectSet::open(blocks, builder.build(), ObjsetId(3));
    MP_CHECK(objset.has_value());
    const auto table = object::AttributeTable::open(**objset, ObjectId(test::kSaObject));
    MP_CHECK(table.has_value());

    const Bytes bytes = std::as_bytes(std::span(data + 1, size - 1));
    const Bytes bonus = bytes.first(std::min<std::size_t>(std::size_t{data[0]} * 8, bytes.size()));
    const Bytes rest = bytes.subspan(bonus.size());
    test::DnodeSpec spec;
    spec.bonusType = format::number(format::ObjectType::SystemAttributes);
    spec.bonus.assign(bonus.begin(), bonus.end());
    if (!rest.empty()) {
        test::ByteVector spill(rest.begin(), rest.end());
        spill.resize(std::min<std::size_t>(alignUp(spill.size(), 512), 128 * KiB));
        spec.spill = blocks.add(std::move(spill), {.type = 44});
    }
    const auto dnode = test::makeDnode(spec, {}, test::buildTree(blocks, {}), ObjectId(50));
    const auto values = table->read(**objset, *dnode);
    if (values) {
        for (const auto& [name, value] : *values) {
            MP_CHECK(!name.empty());
            MP_CHECK(value.bytes.size() <= 128 * KiB);
        }
    }
    return 0;
}
