// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/detail/fat_zap_edit.h"
#include "object/zap_value.h"

namespace millpond::object::detail {

/// Changes a ZAP of either kind; a micro ZAP becomes a fat one when it must. For one thread.
class ZapEdit
{
public:
    explicit ZapEdit(ZapBlocks& blocks)
        : m_blocks(blocks)
    {
    }

    struct Spec
    {
        std::uint64_t salt = 1; ///< odd
        std::uint64_t normalization = 0;
        std::uint64_t flags = 0;
    };

    /// Makes an empty ZAP: micro, or with flags fat (then the blocks are of the final size).
    [[nodiscard]] Status initialize(const Spec& spec);

    /// InvalidName, NameTooLong, TooLarge, AlreadyExists, TooMany.
    [[nodiscard]] Status put(const ZapKey& key, const ZapValue& value, PutMode mode);
    /// NoSuchEntry.
    [[nodiscard]] Status remove(const ZapKey& key);

private:
    /// False: the block is full.
    [[nodiscard]] Result<bool> putMicro(const ZapKey& key, std::uint64_t value, PutMode mode);
    [[nodiscard]] Result<bool> isMicro();
    [[nodiscard]] Status upgrade();

    ZapBlocks& m_blocks;
};

} // namespace millpond::object::detail
