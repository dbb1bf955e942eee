// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/buffer.h"
#include "base/result.h"
#include "base/types.h"

namespace millpond::format {
struct BlockPointer;
}

namespace millpond::block {

/// Stands for the level of an object set's root block, which belongs to no object.
inline constexpr Level kRootLevel{0xff};

/// Stands for the index of an object's spill block.
inline constexpr BlockIndex kSpillBlock{~std::uint64_t{1}};

/// Which block of which object this is: names the block in errors and in the pool's error list.
struct Bookmark
{
    ObjsetId objset;
    ObjectId object;
    Level level;
    BlockIndex block;

    auto operator<=>(const Bookmark&) const = default;
    [[nodiscard]] ErrorContext context() const;
};

enum class Wait : std::uint8_t
{
    MayBlock,   ///< may wait for a device
    CachedOnly, ///< answer from memory or fail with WouldBlock; for threads that must not wait
};

/// How a read is to be done. Passed down unchanged from the caller at the top.
struct ReadContext
{
    Wait wait = Wait::MayBlock;
    /// False for one-time walks over everything (check): neither kept in the cache nor prefetched.
    bool keep = true;
};

/// The port through which everything above reads blocks. Thread-safe.
class BlockSource
{
public:
    virtual ~BlockSource() = default;

    /// The block's logical content (decompressed, decrypted; exactly its logical size; a hole is
    /// zeroes), verified against its checksum and rebuilt from copies or parity where needed.
    /// Its byte order is the pointer's. Errors carry the bookmark.
    [[nodiscard]] virtual Result<BufferRef> read(const format::BlockPointer& pointer,
                                                 const Bookmark& bookmark,
                                                 const ReadContext& context) = 0;

    /// Starts reading in the background if the cache lacks the block and there is room for it;
    /// otherwise does nothing.
    virtual void prefetch(const format::BlockPointer& pointer, const Bookmark& bookmark) = 0;
};

} // namespace millpond::block
