// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "block/block_source.h"
#include "format/dnode.h"
#include "format/dsl.h"

#include <optional>

namespace millpond::dataset::detail {

/// Frees the blocks of an object set that nothing leads to any more, each after those below it, so
/// that what is left can always be read. Stops at any data block or block of dnodes and goes on
/// later where it stopped, perhaps in another program: places and their meaning are OpenZFS'
/// [bptree_iterate, traverse_dataset_destroyed].
class DyingTree
{
public:
    enum class Outcome : std::uint8_t
    {
        Done,
        Paused,  ///< the visitor wants no more
        Damaged, ///< a block can't be read or makes no sense: see damage()
    };

    /// Frees a block. `mayPause`: answering false leaves it, and pauses; else false means nothing.
    using Visit = FunctionRef<Result<bool>(const format::BlockPointer& pointer, bool mayPause)>;

    /// `source` outlives it.
    DyingTree(block::BlockSource& source, const format::BpTreeEntry& entry)
        : m_source(source)
        , m_entry(entry)
    {
    }

    /// Errors are the visitor's.
    [[nodiscard]] Result<Outcome> run(Visit visit);

    /// Where to go on, when it paused or met damage.
    [[nodiscard]] const format::BookmarkPosition& position() const { return m_entry.position; }

    [[nodiscard]] const std::optional<Error>& damage() const { return m_damage; }

private:
    /// A place in the tree, with what is needed to tell how much lies below it.
    struct Place
    {
        std::uint64_t object = 0; ///< 0: blocks of dnodes
        unsigned level = 0;
        std::uint64_t block = 0;
        unsigned indirectShift = 0; ///< log2 of pointers in an indirect block
    };

    [[nodiscard]] Result<Outcome> root();
    [[nodiscard]] Result<Outcome>
    dnode(Bytes bytes, ByteOrder order, std::uint64_t object, std::size_t& slots);
    [[nodiscard]] Result<Outcome> visit(const format::BlockPointer& pointer, const Place& place);
    [[nodiscard]] Result<Outcome> below(const format::BlockPointer& pointer, const Place& place);
    [[nodiscard]] Result<Outcome> pointersIn(Bytes bytes, ByteOrder order, const Place& place);
    [[nodiscard]] Result<Outcome> dnodesIn(Bytes bytes, ByteOrder order, const Place& place);
    void prefetch(Bytes bytes, ByteOrder order, const Place& place, std::uint64_t from) const;

    [[nodiscard]] bool isOld(const format::BlockPointer& pointer) const;
    [[nodiscard]] bool isDone(const Place& place) const;
    [[nodiscard]] bool stoppedAt(const Place& place) const;
    [[nodiscard]] block::Bookmark bookmark(const Place& place) const;
    [[nodiscard]] Outcome paused(const Place& place);
    [[nodiscard]] Outcome damaged(const Place& place, Error error);

    block::BlockSource& m_source;
    format::BpTreeEntry m_entry;
    const format::BookmarkPosition m_start = m_entry.position;
    std::optional<Error> m_damage;
    std::optional<Visit> m_visit;
};

} // namespace millpond::dataset::detail
