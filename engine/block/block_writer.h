// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/buffer.h"
#include "base/result.h"
#include "base/types.h"
#include "block/block_cache.h"
#include "block/block_reader.h"
#include "block/block_source.h"
#include "codec/checksum.h"
#include "codec/compression.h"
#include "format/block_pointer.h"
#include "runtime/executor.h"
#include "vdev/vdev.h"

#include <memory>
#include <span>

namespace millpond::space {
class Allocator;
}

namespace millpond::block {

/// How a block is to be stored: decided above, with nothing left to inherit.
struct WriteProperties
{
    std::uint8_t type = 0; ///< format::ObjectType
    Level level;
    format::ChecksumType checksum = format::ChecksumType::Fletcher4;    ///< not Inherit, On
    format::CompressionType compression = format::CompressionType::Off; ///< not Inherit, On
    codec::ZstdLevel zstdLevel = codec::kZstdDefaultLevel;
    unsigned copies = 1; ///< 1 to 3
    vdev::AllocationClass allocationClass = vdev::AllocationClass::Normal;
    /// Small results go into the pointer itself (level 0 of types that keep no fill counts; feature
    /// embedded_data is then in use by the pool).
    bool mayEmbed = false;
    /// Content equal to that of `previous` is not written again: collision-resistant checksums
    /// only, not in an object set that `previous` does not belong to any more.
    bool nopwrite = false;
    /// Reading it soon is not expected: not put into the cache.
    bool bypassCache = false;
    /// For the pointer: data blocks below it, allocated dnodes in it; 1 for other blocks of level
    /// 0. Holes get 0, embedded blocks have none.
    std::uint64_t fill = 1;
};

/// One block to be written.
struct WriteRequest
{
    Bookmark bookmark;
    BufferRef data; ///< logical content, a multiple of 512 bytes, at most format::kMaxBlockBytes
    WriteProperties properties;
    /// What the block was before: all zero if it never was.
    format::BlockPointer previous;

    /// What it is now, when `status` is good. A block of zeroes (with compression) is a hole.
    format::BlockPointer result;
    Status status;
    /// `result` takes the place of `previous`: whoever sees both frees `previous`, unless this says
    /// that its space is still in use.
    enum class Outcome : std::uint8_t
    {
        Written,   ///< newly allocated, or hole or embedded: `previous` is the caller's to free
        Rewritten, ///< in the space of `previous`, which was born in this txg
        Unchanged, ///< nopwrite: `result` is `previous`
    };
    Outcome outcome = Outcome::Written;
};

/// What other owners of blocks (tables of deduplicated and cloned blocks) say before space is
/// freed. Implemented by pool/. Thread-safe.
class FreeFilter
{
public:
    virtual ~FreeFilter() = default;
    /// True: somebody else still refers to the block, its space stays. Syncing context.
    [[nodiscard]] virtual Result<bool> keeps(const format::BlockPointer& pointer, Txg txg) = 0;
};

/// A block of an intent log that was allocated by allocateLogBlock().
struct LogBlockWrite
{
    format::BlockPointer pointer;
    /// Of the pointer's size; complete (chain, records) but for the checksum.
    MutableBytes content;
};

struct BlockWriterOptions
{
    /// Runs compression and checksums; its threads may wait for devices. Null: all in the calling
    /// thread.
    runtime::Executor* executor = nullptr;
    /// The feature hole_birth is active: holes in place of blocks tell when they were made.
    bool holeBirth = true;
    /// Sizes of compressed blocks are rounded up to this: the sector size of the vdev with the
    /// smallest sectors [spa_min_alloc].
    ByteCount minimumAllocation{512};
    /// Compress no more from this pass on, so that passes come to an end.
    unsigned lastCompressedPass = 8;
    /// Blocks of this txg are written in place from this pass on.
    unsigned rewritePass = 2;
};

/// Writes blocks [zio_write] and gives back their space. One per pool. Theory statement:
/// block_writer.cpp. Thread-safe.
class BlockWriter
{
public:
    /// All outlive the writer. Shares the reader's cache: what is written is found there.
    BlockWriter(vdev::VdevTree& vdevs,
                space::Allocator& allocator,
                BlockReader& reader,
                const BlockWriterOptions& options);
    ~BlockWriter();
    BlockWriter(const BlockWriter&) = delete;
    BlockWriter& operator=(const BlockWriter&) = delete;

    /// Needed for skein, edon-r and BLAKE3; before anything is written with them.
    void setSalt(const codec::ChecksumSalt& salt);
    /// When vdevs are added. While nothing is written.
    void setMinimumAllocation(ByteCount size);
    /// When the feature is enabled. While nothing is written.
    void setHoleBirth(bool active);
    /// Null: none. While nothing is freed. Outlives the writer.
    void setFreeFilter(FreeFilter* filter);

    /// Writes all, in parallel and in any order, and waits for the devices. `txg` is syncing, this
    /// is its `pass` (from 1 on); writes that belong to no txg yet (indirect writes of the intent
    /// log) are pass 1 of the open one. Each request has its own status; the result is the first
    /// error among them. Errors: NoSpace; DeviceIo, DeviceMissing (the block can't be read back);
    /// OutOfMemory; InvalidArgument (properties). Space taken for a request that failed is given
    /// back.
    [[nodiscard]] Status write(std::span<WriteRequest> requests, Txg txg, unsigned pass);

    /// Gives back the space of a block: all copies, gangs with their members. The space can be used
    /// again some txgs later (space::Allocator). Holes and embedded blocks have none. Asks the
    /// filter first. Syncing context of `txg`. Errors: BadBlockPointer; BadGang, ChecksumMismatch,
    /// DeviceIo (a gang header can't be read: nothing is freed).
    [[nodiscard]] Status free(const format::BlockPointer& pointer, Txg txg);
    /// The same for a block that was written in this very txg and that no pointer ever led to.
    [[nodiscard]] Status unallocate(const format::BlockPointer& pointer, Txg txg);

    /// A place for a block of an intent log [zio_alloc_zil]: `size` bytes, on log devices where
    /// there are any, one copy. The pointer is complete but for the checksum words that seed it
    /// (format::ZilChecksumWord), which are the caller's. `slim`: the newer layout (IntentLog2).
    /// NoSpace.
    [[nodiscard]] Result<format::BlockPointer> allocateLogBlock(ByteCount size, Txg txg, bool slim);
    /// Seals each block in place with its pointer's checksum words, and writes what is used of it;
    /// waits for the devices, but does not flush. Any order, so that after a crash the first ones
    /// may be missing. Errors: as write(); which blocks are written then, is not known.
    [[nodiscard]] Status writeLogBlocks(std::span<const LogBlockWrite> blocks, Txg txg);

    struct Counters
    {
        std::uint64_t blocksWritten = 0;
        std::uint64_t bytesLogical = 0;
        std::uint64_t bytesPhysical = 0; ///< of one copy
        std::uint64_t holes = 0;
        std::uint64_t embedded = 0;
        std::uint64_t unchanged = 0;
        std::uint64_t rewritten = 0;
        std::uint64_t gangs = 0;
    };

    [[nodiscard]] Counters counters() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace millpond::block
