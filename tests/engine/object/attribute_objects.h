// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/object/zap_builder.h"

namespace millpond::test {

struct RegisteredAttribute
{
    std::string name;
    std::uint16_t number = 0;
    std::uint16_t length = 0; ///< 0: variable
    std::uint8_t byteswap = 0;
};

inline constexpr std::uint64_t kSaObject = 2;

/// Objects 2 to 4: the system attributes' master node, registry and layouts.
void addAttributeObjects(ObjsetBuilder& builder,
                         const std::vector<RegisteredAttribute>& registry,
                         const std::map<std::uint16_t, std::vector<std::uint16_t>>& layouts,
                         const OrderChoice& order = always(ByteOrder::Little));

/// A header and the values behind it, rounded up to eight bytes each, in the given order.
[[nodiscard]] ByteVector encodeAttributes(std::uint16_t layout,
                                          const std::vector<std::uint16_t>& variableLengths,
                                          const std::vector<ByteVector>& values,
                                          ByteOrder order);

} // namespace millpond::test
