// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/zap.h"

#include <optional>

namespace millpond::object::detail {

/// Changes a micro ZAP, little-endian, in place. Everything is found by walking the block.
class MicroZapEdit
{
public:
    static void initialize(MutableBytes block, std::uint64_t salt, std::uint64_t normalization);

    /// BadZap. The bytes outlive the edit.
    [[nodiscard]] static Result<MicroZapEdit> open(MutableBytes block);

    /// The largest block; beyond it the ZAP becomes fat. [zap_get_micro_max_size]
    static constexpr std::uint32_t kMaxBytes = 131072;

    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
    /// A slot without an entry; nothing when the block is full.
    [[nodiscard]] std::optional<std::size_t> freeSlot() const;

    struct Hashed
    {
        std::uint32_t entries = 0;   ///< that have the hash
        std::uint32_t collision = 0; ///< the smallest number none of them has
    };

    /// Of the name's hash in this ZAP.
    [[nodiscard]] Hashed sameHash(std::string_view name) const;

    /// `slot` is free, the name fits.
    void
    insert(std::size_t slot, std::string_view name, std::uint64_t value, std::uint32_t collision);
    void setValue(std::size_t slot, std::uint64_t value);
    void remove(std::size_t slot);

private:
    MicroZapEdit(MutableBytes block, const format::MicroZapView& view)
        : m_block(block)
        , m_view(view)
    {
    }

    [[nodiscard]] std::uint64_t hash(std::string_view name) const;

    MutableBytes m_block;
    format::MicroZapView m_view;
};

} // namespace millpond::object::detail
