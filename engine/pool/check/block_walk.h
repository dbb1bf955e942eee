// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "pool/check/reporter.h"
#include "pool/deflation.h"

#include <optional>
#include <unordered_map>

namespace millpond::pool {

/// What a walk meets.
class WalkVisitor
{
public:
    virtual ~WalkVisitor() = default;
    /// Every pointer that is no hole, parents first. False: not to go below it, because its block
    /// was met before; that bounds the walk, whatever the pointers say.
    virtual Result<bool> block(const format::BlockPointer& pointer,
                               const block::Bookmark& where) = 0;
    /// Every dnode of the blocks walked, before its blocks; the meta dnode and the accounting
    /// dnodes too.
    virtual Status dnode() = 0;
};

/// What all below an indirect block, itself included, counts for: with it a later snapshot that
/// shares the block needs not read it again. One entry per indirect block of the pool. For one
/// thread.
class SubtreeSpace
{
public:
    explicit SubtreeSpace(const Deflation& deflation)
        : m_deflation(deflation)
    {
    }

    [[nodiscard]] const Deflation& deflation() const { return m_deflation; }

    void remember(const format::BlockPointer& pointer, std::uint64_t bytes)
    {
        m_bytes[keyOf(pointer)] = bytes;
    }

    [[nodiscard]] std::optional<std::uint64_t> find(const format::BlockPointer& pointer) const
    {
        const auto found = m_bytes.find(keyOf(pointer));
        return found == m_bytes.end() ? std::nullopt : std::optional(found->second);
    }

private:
    struct Key
    {
        std::uint64_t vdev = 0, offset = 0, birth = 0;
        bool operator==(const Key&) const = default;
    };

    struct KeyHash
    {
        std::size_t operator()(const Key& key) const noexcept
        {
            return std::hash<std::uint64_t>()((key.offset * 31 + key.vdev) * 31 + key.birth);
        }
    };

    [[nodiscard]] static Key keyOf(const format::BlockPointer& pointer)
    {
        const format::Dva place = pointer.dva(0);
        return {place.vdev.value(), place.offset.value(), pointer.birth().value()};
    }

    const Deflation& m_deflation;
    std::unordered_map<Key, std::uint64_t, KeyHash> m_bytes;
};

/// Visits the blocks of one object set that were born after a txg: those before belong to an
/// earlier snapshot, and with a pointer everything below it is as old or older. Blocks that can't
/// be read are reported and passed over. With `space`, compares what each dnode met says its blocks
/// take with what they do, as far as what is shared with earlier snapshots was walked before.
/// Errors only from the visitor, and Cancelled.
[[nodiscard]] Status walkObjectSet(const Pool& pool,
                                   Reporter& reporter,
                                   const format::BlockPointer& root,
                                   ObjsetId objset,
                                   Txg bornAfter,
                                   WalkVisitor& visitor,
                                   SubtreeSpace* space = nullptr);

} // namespace millpond::pool
