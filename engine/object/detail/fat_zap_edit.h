// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/detail/zap_blocks.h"
#include "object/detail/zap_key.h"
#include "object/detail/zap_leaf_edit.h"

namespace millpond::object::detail {

enum class PutMode : std::uint8_t
{
    Add,    ///< AlreadyExists when it is there
    Update, ///< adds or replaces
};

/// Changes a fat ZAP. Nothing is kept between calls but the reference.
class FatZapEdit
{
public:
    explicit FatZapEdit(ZapBlocks& blocks)
        : m_blocks(blocks)
    {
    }

    struct Spec
    {
        std::uint64_t salt = 1;
        std::uint64_t normalization = 0;
        std::uint64_t flags = 0;
    };

    /// Header and one empty leaf. Blocks have the size they will have.
    [[nodiscard]] Status initialize(const Spec& spec);

    [[nodiscard]] Status put(const ZapKey& key,
                             const LeafValue& value,
                             PutMode mode,
                             std::optional<std::uint32_t> collision = {});
    /// NoSuchEntry.
    [[nodiscard]] Status remove(const ZapKey& key);

private:
    /// The header, decoded; its bytes are in `block`. Short-lived: a block that is changed while
    /// somebody refers to it has to be copied.
    struct Header
    {
        BufferRef block;
        format::FatZapHeaderView view;
    };

    [[nodiscard]] Result<Header> header();
    [[nodiscard]] static Result<std::uint64_t> hashOf(const Header& header, const ZapKey& key);
    [[nodiscard]] Status checkKey(const Header& header, const ZapKey& key) const;
    [[nodiscard]] Result<std::uint64_t> pointer(const Header& header, std::uint64_t index);
    /// The block of the leaf that a hash belongs to; checked to be just that.
    [[nodiscard]] Result<std::uint64_t> leafBlock(const Header& header, std::uint64_t hash);

    enum class Outcome : std::uint8_t
    {
        Replaced,
        Added,
        Full,
    };

    struct Put
    {
        Outcome outcome = Outcome::Full;
        unsigned freeChunks = 0; ///< what the leaf has left
        unsigned prefixLength = 0;
    };

    /// Where an entry belongs.
    struct Place
    {
        std::uint64_t hash = 0;
        std::uint64_t leaf = 0; ///< block
    };

    [[nodiscard]] Result<Place> place(const ZapKey& key, bool asStored);
    [[nodiscard]] Result<Put> putIntoLeaf(const Place& place,
                                          const ZapKey& key,
                                          const LeafValue& value,
                                          PutMode mode,
                                          std::optional<std::uint32_t> collision);
    /// The hash under which a text is stored. Not always our own: a folded name may have been
    /// hashed by another writer's tables; then all leaves are looked through.
    [[nodiscard]] Result<std::uint64_t> storedHash(const Header& header, const ZapKey& key);
    /// Makes room where the hash belongs: splits its leaf.
    [[nodiscard]] Status expand(std::uint64_t hash);

    /// Has `count` neighbours in the table, all of which name `from`, name `to`.
    struct PointerChange
    {
        std::uint64_t first = 0;
        std::uint64_t count = 0;
        std::uint64_t from = 0;
        std::uint64_t to = 0;
    };

    [[nodiscard]] Status checkPointers(const Header& header, const PointerChange& change);
    [[nodiscard]] Status setPointers(const Header& header, const PointerChange& change);
    [[nodiscard]] Status storePointers(std::uint64_t tableBlock,
                                       std::uint64_t first,
                                       std::uint64_t count,
                                       std::uint64_t to);
    /// One step: a small table moves out of the header, or one block of it is copied to a table
    /// twice as large. TooMany when there are no more bits of hash.
    [[nodiscard]] Status growTable(const Header& header);
    /// The same after an entry was put into a leaf that will soon be split for want of pointers, so
    /// that no single call copies a whole table. It may fail: then it is for a later call.
    void growAhead(const Put& put);
    [[nodiscard]] Status growEmbeddedTable(const Header& header);
    [[nodiscard]] Status growExternalTable(const Header& header);
    /// Each of `from` twice.
    [[nodiscard]] Status copyPointers(Bytes from, std::uint64_t toBlock);
    [[nodiscard]] Status changeHeader(FunctionRef<void(MutableBytes)> change);

    ZapBlocks& m_blocks;
};

} // namespace millpond::object::detail
