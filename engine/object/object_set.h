// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "block/block_source.h"
#include "format/block_pointer.h"
#include "format/dnode.h"
#include "format/intent_log.h"
#include "format/objset.h"

#include <memory>
#include <optional>
#include <vector>

namespace millpond::object {

using block::ReadContext;

/// One object's dnode, decoded and checked: an immutable copy that outlives its block in the cache.
struct Dnode
{
    ObjectId id;
    ObjsetId objset;
    ByteOrder order = ByteOrder::Little; ///< of the bonus buffer: the order of the dnode's block
    std::uint8_t type = 0;               ///< format::ObjectType or a new-style number
    std::uint8_t bonusType = 0;
    std::uint8_t levels = 1;        ///< 1: the pointers point to data
    std::uint8_t indirectShift = 0; ///< log2 of an indirect block's bytes
    std::uint8_t flags = 0;
    std::uint8_t slots = 1; ///< dnode slots of 512 bytes
    std::uint8_t checksum = 0;
    std::uint8_t compression = 0;
    std::uint32_t dataBlockBytes = 0;
    std::uint64_t maxBlockId = 0;
    std::uint64_t usedBytes = 0;
    std::vector<format::BlockPointer> pointers;
    std::optional<format::BlockPointer> spill;
    std::vector<std::byte> bonus;
};

using DnodeRef = std::shared_ptr<const Dnode>;

struct DataRange
{
    ByteOffset offset;
    ByteCount size;
};

/// An object set. What open() gives is that of one root block pointer and never changes; the kind
/// that can be changed is LiveObjectSet. Thread-safe. Every read may fail with WouldBlock under
/// Wait::CachedOnly.
class ObjectSet
{
public:
    /// `source` outlives the object set.
    [[nodiscard]] static Result<std::shared_ptr<ObjectSet>> open(block::BlockSource& source,
                                                                 const format::BlockPointer& root,
                                                                 ObjsetId id,
                                                                 const ReadContext& context = {});
    virtual ~ObjectSet();
    ObjectSet(const ObjectSet&) = delete;
    ObjectSet& operator=(const ObjectSet&) = delete;

    [[nodiscard]] ObjsetId id() const;
    /// As opened: what changes in a LiveObjectSet, it tells itself.
    [[nodiscard]] const format::ObjsetPhys& header() const;

    /// NoSuchObject when the slot is free or inside another dnode; BadDnode when it makes no sense.
    [[nodiscard]] virtual Result<DnodeRef> dnode(ObjectId id, const ReadContext& context = {});
    /// The first allocated object with a number greater than `after`; nothing at the end. Skips
    /// holes of the meta dnode without reading them.
    [[nodiscard]] virtual Result<std::optional<ObjectId>>
    nextObject(ObjectId after, const ReadContext& context = {});
    /// The dnode of the dnodes, and the accounting objects (format::kUserUsedObject and kin) where
    /// the header has them.
    [[nodiscard]] virtual DnodeRef metaDnode() const;
    [[nodiscard]] virtual DnodeRef userUsedDnode() const;    ///< null when there is none
    [[nodiscard]] virtual DnodeRef groupUsedDnode() const;   ///< null when there is none
    [[nodiscard]] virtual DnodeRef projectUsedDnode() const; ///< null when there is none

    /// The pointer of a block at a level (levels-1 is the top). A hole pointer for blocks below a
    /// hole or past the end.
    [[nodiscard]] virtual Result<format::BlockPointer> blockPointer(
        const Dnode& dnode, Level level, BlockIndex index, const ReadContext& context = {});

    struct Block
    {
        BufferRef data; ///< null: a hole, dataBlockBytes zeroes
        ByteOrder order = ByteOrder::Little;
    };

    /// A level 0 block.
    [[nodiscard]] virtual Result<Block>
    readBlock(const Dnode& dnode, BlockIndex index, const ReadContext& context = {});
    /// The spill block; null data when there is none.
    [[nodiscard]] virtual Result<Block> readSpill(const Dnode& dnode,
                                                  const ReadContext& context = {});
    /// Fills `out` from `offset`; zeroes in holes and past the last block. The object has no length
    /// of its own: the caller (a file's size, a ZAP's header) knows where it ends.
    [[nodiscard]] virtual Status
    read(const Dnode& dnode, ByteOffset offset, MutableBytes out, const ReadContext& context = {});
    /// Starts reading the blocks of a range in the background, with the indirect blocks on the way.
    virtual void prefetch(const Dnode& dnode, DataRange range);
    /// First byte at or after `offset` that lies in an allocated block; nothing if there is none.
    [[nodiscard]] virtual Result<std::optional<ByteOffset>>
    nextData(const Dnode& dnode, ByteOffset offset, const ReadContext& context = {});
    /// First byte at or after `offset` that lies in a hole (the end of the last block counts as
    /// one).
    [[nodiscard]] virtual Result<ByteOffset>
    nextHole(const Dnode& dnode, ByteOffset offset, const ReadContext& context = {});

    [[nodiscard]] block::BlockSource& source();

protected:
    struct Parts;
    explicit ObjectSet(std::unique_ptr<Parts> parts);
    [[nodiscard]] static Result<std::unique_ptr<Parts>> load(block::BlockSource& source,
                                                             const format::BlockPointer& root,
                                                             ObjsetId id,
                                                             const ReadContext& context);
    /// nextObject() among the dnodes that `meta` leads to.
    [[nodiscard]] Result<std::optional<ObjectId>>
    nextObjectIn(const Dnode& meta, ObjectId after, const ReadContext& context);

    std::unique_ptr<Parts> d;
};

} // namespace millpond::object
