// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/zap.h"
#include "object/object_set.h"

#include <array>
#include <optional>

namespace millpond::object::detail {

/// Where an entry stands in hash order, as a cursor: the bits of the hash that are used, then the
/// number that tells entries of equal hash apart.
class ZapOrder
{
public:
    explicit ZapOrder(std::uint64_t zapFlags)
        : m_longHash((zapFlags & format::ZapFlag::kHash64) != 0)
    {
    }

    /// Nothing when the collision number does not fit.
    [[nodiscard]] std::optional<std::uint64_t> position(std::uint64_t hash,
                                                        std::uint32_t collision) const;
    /// The hash from which on to look for entries at or behind `position`; nothing past the last.
    [[nodiscard]] std::optional<std::uint64_t> hash(std::uint64_t position) const;

private:
    bool m_longHash; ///< 48 bits of hash and 16 of collision number, else 28 and 32
};

/// The blocks of a fat ZAP. For one thread and one call: everything given to create() outlives it.
class FatZap
{
public:
    /// `first` is block 0. BadZap.
    [[nodiscard]] static Result<FatZap> create(ObjectSet& objset,
                                               const Dnode& dnode,
                                               const ObjectSet::Block& first,
                                               const ReadContext& context);

    [[nodiscard]] const format::FatZapHeaderView::Header& header() const { return m_view.header(); }

    [[nodiscard]] const format::FatZapHeaderView& view() const { return m_view; }

    struct Leaf
    {
        std::uint64_t blockId = 0;
        ObjectSet::Block block;
        format::ZapLeafView view; ///< into `block`

        [[nodiscard]] std::uint64_t beginHash() const;
        /// The first hash behind this leaf; nothing behind the last leaf.
        [[nodiscard]] std::optional<std::uint64_t> endHash() const;
        /// Whether the hash begins with this leaf's prefix.
        [[nodiscard]] bool covers(std::uint64_t hash) const;
    };

    /// The leaf where a hash belongs. BadZap when what the table points to is not that leaf.
    [[nodiscard]] Result<Leaf> leafFor(std::uint64_t hash);
    /// A block of the object as a leaf, whatever its prefix.
    [[nodiscard]] Result<Leaf> leafAt(std::uint64_t blockId);
    /// Entry `index` of the pointer table: a leaf's block number, unchecked.
    [[nodiscard]] Result<std::uint64_t> pointer(std::uint64_t index);
    /// One word of a table block; for the tables that are being filled.
    [[nodiscard]] Result<std::uint64_t> tableWord(std::uint64_t blockId, std::size_t offsetBytes);

    /// BadZap at a block of this object.
    [[nodiscard]] std::unexpected<Error> bad(std::string what,
                                             std::optional<std::uint64_t> blockId = {}) const;

private:
    FatZap(ObjectSet& objset,
           const Dnode& dnode,
           const ReadContext& context,
           const format::FatZapHeaderView& view)
        : m_objset(objset)
        , m_dnode(dnode)
        , m_context(context)
        , m_view(view)
    {
    }

    ObjectSet& m_objset;
    const Dnode& m_dnode;
    const ReadContext& m_context;
    format::FatZapHeaderView m_view;

    struct TableBlock
    {
        std::uint64_t blockId = 0;
        ObjectSet::Block block;
    };

    /// Those used last: one, but two while a table and its larger copy are compared.
    std::array<TableBlock, 2> m_tableBlocks;
    std::size_t m_lastTableBlock = 0;
};

} // namespace millpond::object::detail
