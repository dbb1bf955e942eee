// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "object/block_sink.h"
#include "object/object_set.h"
#include "object/write_policy.h"
#include "runtime/executor.h"

#include <functional>
#include <memory>
#include <optional>

namespace millpond::object {

namespace detail {
struct Changes;
struct DirtyBlock;
struct LiveObject;
using LiveObjectRef = std::shared_ptr<LiveObject>;
} // namespace detail
struct LoadedBlocks;

/// What becomes of space when blocks are written and given up: implemented by dataset/ (deadlists,
/// space figures) and, for the MOS, by pool/. Called in syncing context by one thread at a time.
/// Only blocks that take space, and embedded ones, are told; never holes.
class BlockLedger
{
public:
    virtual ~BlockLedger() = default;

    /// `pointer` was written in this txg.
    [[nodiscard]] virtual Status born(const format::BlockPointer& pointer) = 0;
    /// Nothing in this object set leads to `pointer` any more: free it, or put it on the deadlist.
    [[nodiscard]] virtual Status killed(const format::BlockPointer& pointer) = 0;
    /// Bytes a block counts for in its dnode: allocated size, deflated for raidz
    /// [bp_get_dsize_sync]. Thread-safe, without I/O.
    [[nodiscard]] virtual ByteCount chargedSize(const format::BlockPointer& pointer) const = 0;
};

/// Who owns an object: implemented by posix/.
class OwnerAccounting
{
public:
    virtual ~OwnerAccounting() = default;

    struct Owner
    {
        std::uint64_t user = 0; ///< FUIDs
        std::uint64_t group = 0;
        std::uint64_t project = 0;
    };

    /// From the bonus buffer (with none: from the spill block, which is empty when there is none).
    /// Nothing: an object nobody is charged for. Thread-safe.
    [[nodiscard]] virtual Result<std::optional<Owner>>
    owner(std::uint8_t bonusType, Bytes bonus, Bytes spill, ByteOrder order) const = 0;
};

/// Hears of what must be written, so that txg/ can slow writers down. Thread-safe.
class DirtyMeter
{
public:
    virtual ~DirtyMeter() = default;
    virtual void dirtied(Txg txg, ByteCount bytes) = 0;
    /// Written, or not needed any more.
    virtual void cleaned(Txg txg, ByteCount bytes) = 0;
};

/// What syncing one object set needs. All referenced outlive the call.
struct SyncContext
{
    BlockSink& sink;
    runtime::Executor& executor;
    BlockLedger& ledger;
    Txg txg;
    unsigned pass = 1;
    WriteSettings settings;
    /// Null: no user accounting (the MOS, volumes, pool versions below 15).
    const OwnerAccounting* owners = nullptr;

    /// Set by sync(): a dnode of several slots was written (feature large_dnode).
    bool usedLargeDnodes = false;
};

/// An object to be made.
struct ObjectSpec
{
    std::uint8_t type = 0; ///< format::ObjectType or new style; not None
    std::uint8_t bonusType = format::number(format::ObjectType::None);
    /// Length and first content of the bonus buffer, native byte order.
    Bytes bonus;
    /// A multiple of 512; 0: 512. setBlockSize() changes it while there is one block at most.
    std::uint32_t dataBlockBytes = 0;
    std::uint8_t indirectShift = 0; ///< 0: the object set's default; else 12 to 17
    std::uint8_t slots = 1;         ///< 1 to 32
    std::uint8_t checksum = 0;      ///< ChecksumType; Inherit
    std::uint8_t compression = 0;   ///< CompressionType; Inherit
};

struct LiveOptions
{
    /// Outlives the object set. Null: nobody is told.
    DirtyMeter* meter = nullptr;
    /// The feature hole_birth is active.
    bool holeBirth = true;
    std::uint8_t indirectShift = format::kMaxIndirectShift; ///< of new objects
    /// Objects without changes that are kept in memory all the same.
    std::size_t cleanObjects = 1024;
};

/// A new, empty object set.
struct NewObjectSet
{
    format::ObjsetType type = format::ObjsetType::Filesystem;
    /// Of the root block: V1 for pool versions below 15, else V3, as OpenZFS writes it.
    std::size_t headerBytes = format::ObjsetPhys::kBytesV3;
    std::uint64_t flags = 0; ///< format::ObjsetFlag: which accounting is complete from the start
};

/// An object set that can be changed [dmu]. Theory statement: live_object_set.cpp.
///
/// Reading, through ObjectSet, sees the newest state, whatever the caller's Dnode is: the number in
/// it says which object is meant. dnode() gives immutable copies of the newest state. In such a
/// copy pointers and `usedBytes` are those of the last sync; a spill block that is not on disk yet
/// is an all-zero `spill`.
///
/// Changing. All operations carry the txg of a hold that the caller has, or that of the syncing
/// context. They are thread-safe, each is atomic for readers. Changes of one object must come in
/// the order of txgs: a change in a txg after one in a later txg is refused (InvalidArgument).
/// Whoever changes several blocks of an object that must fit each other (ZAPs), keeps other readers
/// and writers of that object out himself.
///
/// The context only matters where a change needs what is on disk (part of a block, a dnode): with
/// Wait::CachedOnly such a call fails with WouldBlock and has changed nothing.
class LiveObjectSet final : public ObjectSet
{
public:
    /// `source` outlives the object set.
    [[nodiscard]] static Result<std::shared_ptr<LiveObjectSet>>
    open(block::BlockSource& source,
         const format::BlockPointer& root,
         ObjsetId id,
         const LiveOptions& options = {},
         const ReadContext& context = {});
    /// Exists in memory until it is synced in `txg`, which writes it even if it stays empty.
    [[nodiscard]] static Result<std::shared_ptr<LiveObjectSet>>
    create(block::BlockSource& source,
           ObjsetId id,
           const NewObjectSet& spec,
           Txg txg,
           const LiveOptions& options = {});
    ~LiveObjectSet() override;

    // --- Objects ---

    /// A free number [dmu_object_alloc]. Numbers begin with 1. TooMany; InvalidArgument for a spec
    /// that makes no sense.
    [[nodiscard]] Result<ObjectId>
    allocateObject(Txg txg, const ObjectSpec& spec, const ReadContext& context = {});
    /// AlreadyExists when a slot is taken.
    [[nodiscard]] Status
    claimObject(Txg txg, ObjectId id, const ObjectSpec& spec, const ReadContext& context = {});
    /// With all its blocks. Its number is free again when the txg is synced.
    [[nodiscard]] Status freeObject(Txg txg, ObjectId id, const ReadContext& context = {});

    // --- Content ---

    /// TooLarge past what the object's block size and 64 bits can address.
    [[nodiscard]] Status
    write(Txg txg, ObjectId id, ByteOffset offset, Bytes data, const ReadContext& context = {});

    /// The content of a block, to be changed in place: `bytes` in `order`. Who brings the bytes
    /// into the other order says so in `order`. Returning an error means that nothing was changed.
    using Edit = FunctionRef<Status(MutableBytes bytes, ByteOrder& order)>;

    /// Reads a block (zeroes in a hole, little endian), lets `edit` change it and keeps the result
    /// as of `txg`. A block behind the last one is appended: the object grows. `edit` runs under
    /// the object's lock: it must be quick and must not call this object set.
    [[nodiscard]] Status
    modifyBlock(Txg txg, ObjectId id, BlockIndex index, Edit edit, const ReadContext& context = {});
    /// Replaces a whole block without reading it; `data` has dataBlockBytes bytes, native order.
    [[nodiscard]] Status
    replaceBlock(Txg txg, ObjectId id, BlockIndex index, Buffer data, const ReadContext& c = {});

    /// Whole blocks inside become holes, the rest of the range zeroes. kToEnd: all behind `offset`;
    /// then the last block number shrinks, too.
    static constexpr ByteCount kToEnd{~std::uint64_t{0}};
    [[nodiscard]] Status freeRange(
        Txg txg, ObjectId id, ByteOffset offset, ByteCount size, const ReadContext& context = {});

    /// For an object of at most one block: that block grows (zeroes) or shrinks. A multiple of 512.
    /// InvalidArgument when there are more blocks. The rule for files is recommendedBlockSize().
    [[nodiscard]] Status
    setBlockSize(Txg txg, ObjectId id, std::uint32_t bytes, const ReadContext& context = {});
    /// Before there is a second level [dnode_set_blksz]: 12 to 17.
    [[nodiscard]] Status setIndirectShift(Txg txg, ObjectId id, std::uint8_t shift);

    /// In the order dnode(id)->order says: native but in old big-endian pools.
    [[nodiscard]] Status setBonus(
        Txg txg, ObjectId id, std::uint8_t bonusType, Bytes bonus, const ReadContext& context = {});
    /// At most format::kMaxBlockBytes; stored as a multiple of 512 (filled up with zeroes), native
    /// order. The bonus then has 128 bytes less room.
    [[nodiscard]] Status
    setSpill(Txg txg, ObjectId id, Bytes content, const ReadContext& context = {});
    [[nodiscard]] Status removeSpill(Txg txg, ObjectId id, const ReadContext& context = {});
    /// Bytes of bonus that fit (with or without a spill block).
    [[nodiscard]] static std::size_t bonusRoom(const Dnode& dnode, bool withSpill);

    [[nodiscard]] Status setChecksum(Txg txg, ObjectId id, std::uint8_t checksum);
    [[nodiscard]] Status setCompression(Txg txg, ObjectId id, std::uint8_t compression);
    [[nodiscard]] Status setType(Txg txg, ObjectId id, std::uint8_t type);

    /// Whether an object has changes that are not synced.
    [[nodiscard]] bool isDirty(ObjectId id) const;

    // --- The object set as a whole ---

    /// Whether sync(txg) would write anything.
    [[nodiscard]] bool isDirty(Txg txg) const;
    /// Has the root block written in `txg` whatever else happens.
    void markDirty(Txg txg);
    /// The root as of the last sync; a hole before the first.
    [[nodiscard]] format::BlockPointer root() const;

    /// Syncing context of `txg` only: go out with its root block.
    void setIntentLog(Txg txg, const format::ZilHeader& header);
    [[nodiscard]] format::ZilHeader intentLog() const;
    void setFlags(Txg txg, std::uint64_t flags); ///< format::ObjsetFlag
    void setHoleBirth(bool active);              ///< when the feature is enabled
    [[nodiscard]] std::uint64_t flags() const;

    /// Writes everything that was changed in `context.txg` and all before it, and returns the new
    /// root (the old one when there is nothing to write). Changes in later txgs go on meanwhile.
    /// May be called again in the same txg when there are new changes in it (the MOS's passes). An
    /// error leaves the object set unusable: the pool is suspended then.
    [[nodiscard]] Result<format::BlockPointer> sync(SyncContext& context);

    /// Bytes of changes held in memory.
    [[nodiscard]] ByteCount dirtyBytes() const;

    // --- ObjectSet ---

    [[nodiscard]] Result<DnodeRef> dnode(ObjectId id, const ReadContext& context = {}) override;
    [[nodiscard]] Result<std::optional<ObjectId>>
    nextObject(ObjectId after, const ReadContext& context = {}) override;
    [[nodiscard]] DnodeRef metaDnode() const override;
    [[nodiscard]] DnodeRef userUsedDnode() const override;
    [[nodiscard]] DnodeRef groupUsedDnode() const override;
    [[nodiscard]] DnodeRef projectUsedDnode() const override;
    /// As of the last sync.
    [[nodiscard]] Result<format::BlockPointer>
    blockPointer(const Dnode& dnode,
                 Level level,
                 BlockIndex index,
                 const ReadContext& context = {}) override;
    [[nodiscard]] Result<Block>
    readBlock(const Dnode& dnode, BlockIndex index, const ReadContext& context = {}) override;
    [[nodiscard]] Result<Block> readSpill(const Dnode& dnode,
                                          const ReadContext& context = {}) override;
    [[nodiscard]] Status read(const Dnode& dnode,
                              ByteOffset offset,
                              MutableBytes out,
                              const ReadContext& context = {}) override;
    void prefetch(const Dnode& dnode, DataRange range) override;
    [[nodiscard]] Result<std::optional<ByteOffset>>
    nextData(const Dnode& dnode, ByteOffset offset, const ReadContext& context = {}) override;
    [[nodiscard]] Result<ByteOffset>
    nextHole(const Dnode& dnode, ByteOffset offset, const ReadContext& context = {}) override;

private:
    class Live;
    LiveObjectSet(std::unique_ptr<Parts> parts, std::unique_ptr<Live> live);

    Result<detail::LiveObjectRef> get(ObjectId id, const ReadContext& context);
    Result<DnodeRef> readDnode(const Dnode& meta, ObjectId id, const ReadContext& context);
    Result<detail::Changes*> begin(const detail::LiveObjectRef& object, Txg txg);
    using Needs = FunctionRef<Result<std::vector<std::uint64_t>>(const Dnode&)>;
    using Apply = FunctionRef<Status(detail::LiveObject&, detail::Changes&, const LoadedBlocks&)>;
    Status
    change(Txg txg, ObjectId id, const ReadContext& context, Needs needs, const Apply& apply);
    Status
    changeState(Txg txg, ObjectId id, const ReadContext& context, FunctionRef<Status(Dnode&)>);
    Result<std::shared_ptr<detail::DirtyBlock>> editable(detail::LiveObject& object,
                                                         detail::Changes& changes,
                                                         std::uint64_t index,
                                                         const LoadedBlocks& loaded);
    void put(detail::LiveObject& object,
             detail::Changes& changes,
             std::uint64_t index,
             std::shared_ptr<detail::DirtyBlock> block);
    Status zeroPart(detail::LiveObject& object,
                    detail::Changes& changes,
                    const LoadedBlocks& loaded,
                    std::uint64_t from,
                    std::uint64_t to);
    Result<Dnode> newDnode(const ObjectSpec& spec) const;
    void insertNew(Txg txg, ObjectId id, Dnode dnode);
    Result<std::vector<bool>> slotsInUse(std::uint64_t block, const ReadContext& context);
    Result<std::uint64_t> nextBlockWithRoom(std::uint64_t from, const ReadContext& context);
    [[nodiscard]] DnodeRef specialDnode(ObjectId id) const;
    [[nodiscard]] bool overtaken(const detail::LiveObject& object, std::uint64_t version) const;

    Status syncTxg(SyncContext& context, Txg txg);
    struct SyncWork;
    Status takeWork(Txg txg, SyncWork& work);
    Status accountOwners(SyncContext& context, SyncWork& work);
    Status syncMeta(SyncContext& context, SyncWork& work);
    Status writeRoot(SyncContext& context, SyncWork& work);
    void install(Txg txg, SyncWork& work);

    std::unique_ptr<Live> m_live;
};

/// The block size a file should have before it is written up to `end` bytes: it grows with its only
/// block up to `recordBytes`, then stays [zfs_write].
[[nodiscard]] std::uint32_t
recommendedBlockSize(const Dnode& dnode, std::uint64_t end, std::uint32_t recordBytes);

} // namespace millpond::object
