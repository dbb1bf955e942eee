// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "block/block_cache.h"
#include "block/block_source.h"
#include "codec/checksum.h"
#include "format/block_pointer.h"
#include "runtime/executor.h"
#include "vdev/vdev.h"

#include <memory>

namespace millpond::block {

/// Narrow port to the pool's top-level vdevs. Thread-safe.
class VdevMap
{
public:
    virtual ~VdevMap() = default;
    /// Null when there is none of that number.
    [[nodiscard]] virtual vdev::TopLevel* top(VdevId id) const = 0;
    /// Numbers are below this.
    [[nodiscard]] virtual std::uint32_t count() const = 0;
};

/// The port over a pool's vdev tree.
class TreeVdevMap final : public VdevMap
{
public:
    /// `tree` outlives the map.
    explicit TreeVdevMap(const vdev::VdevTree& tree)
        : m_tree(tree)
    {
    }

    [[nodiscard]] vdev::TopLevel* top(VdevId id) const override { return m_tree.top(id); }

    [[nodiscard]] std::uint32_t count() const override
    {
        return static_cast<std::uint32_t>(m_tree.topLevelCount());
    }

private:
    const vdev::VdevTree& m_tree;
};

struct BlockReaderOptions
{
    /// Runs prefetches, each to its end (device, checksum, decompression): its threads wait for
    /// devices. Null: prefetch() does nothing.
    runtime::Executor* executor = nullptr;
    /// Logical and physical bytes of prefetches that are queued or running; more are not begun.
    ByteCount prefetchLimit{32 * MiB};
};

/// What verifyCopies() has to say about one piece of one copy.
struct CopyFinding
{
    unsigned copy = 0; ///< index of the DVA in its pointer
    format::Dva dva;   ///< of a gang: of the header or member concerned
    vdev::ScrubFinding finding;
};

using CopySink = FunctionRef<void(const CopyFinding&)>;

struct CopiesOutcome
{
    std::uint64_t bytesRead = 0; ///< from devices, parity included
    unsigned findings = 0;
    unsigned goodCopies = 0; ///< copies with the right content (perhaps after repair)
};

/// Reads blocks [zio_read]: pointer in, verified content out. One per pool. Theory statement:
/// block_reader.cpp. Thread-safe.
class BlockReader final : public BlockSource
{
public:
    /// All outlive the reader, the executor runs until it is destroyed.
    BlockReader(const VdevMap& vdevs, BlockCache& cache, const BlockReaderOptions& options);
    /// Drops what is queued, waits for what is running, empties the pool's part of the cache.
    ~BlockReader() override;
    BlockReader(const BlockReader&) = delete;
    BlockReader& operator=(const BlockReader&) = delete;

    /// Needed for skein, edon-r and BLAKE3. Found in the pool's own objects, so it comes later;
    /// before anything reads with it.
    void setSalt(const codec::ChecksumSalt& salt);

    /// Errors, naming the block: Encrypted; BadBlockPointer; ChecksumMismatch, DeviceIo,
    /// DeviceMissing, BadGang (all copies failed: the text says why each did); BadCompression;
    /// UnsupportedFeature (algorithm); WouldBlock; OutOfMemory.
    [[nodiscard]] Result<BufferRef> read(const format::BlockPointer& pointer,
                                         const Bookmark& bookmark,
                                         const ReadContext& context) override;
    void prefetch(const format::BlockPointer& pointer, const Bookmark& bookmark) override;

    /// Reads every copy, every gang member of each copy, every column from the devices and compares
    /// with checksum and parity; neither uses nor fills the cache. Embedded blocks and holes have
    /// nothing to verify. Damage goes to `sink` and is no error; errors are BadBlockPointer and
    /// BadGang (the pointer or a gang header that passed its checksum makes no sense) and
    /// UnsupportedFeature. Encrypted blocks are verified like all others.
    [[nodiscard]] Result<CopiesOutcome> verifyCopies(const format::BlockPointer& pointer,
                                                     const Bookmark& bookmark,
                                                     const CopySink& sink);

    /// The writer's word: this is what the block has now; null: not known, or not worth keeping.
    void remember(const format::BlockPointer& pointer, const BufferRef& data);

    struct Counters
    {
        std::uint64_t blocksRead = 0; ///< from devices, prefetches included
        std::uint64_t bytesRead = 0;  ///< their physical size
        std::uint64_t repaired = 0;   ///< right only after another copy or parity was used
        std::uint64_t failed = 0;
        std::uint64_t prefetched = 0;
        std::uint64_t prefetchDropped = 0; ///< no room
    };

    [[nodiscard]] Counters counters() const;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace millpond::block
