// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "block/block_writer.h"
#include "block/detail/context_pool.h"

#include <atomic>

namespace millpond::block::detail {

/// A block as it will be stored, without a place.
struct EncodedBlock
{
    /// Complete but for the places. Of a hole or an embedded block: complete.
    format::BlockPointer pointer;
    Bytes stored;           ///< what goes to the devices; empty for holes and embedded blocks
    Buffer owned;           ///< holds `stored` when it is not the request's own data
    bool unchanged = false; ///< nopwrite: `pointer` is the previous one
};

/// From logical content to stored bytes and a pointer: zeroes, compression, embedding, checksum.
/// Thread-safe.
class BlockEncoder
{
public:
    /// All outlive the encoder.
    BlockEncoder(ContextPool& contexts,
                 const std::atomic<const codec::ChecksumSalt*>& salt,
                 const BlockWriterOptions& options);

    /// `pass`: the txg's. The request's data must outlive the result.
    [[nodiscard]] Result<EncodedBlock>
    encode(const WriteRequest& request, Txg txg, unsigned pass) const;

    /// Sets the checksum of `bytes` with the pointer's own algorithm.
    [[nodiscard]] Status seal(format::BlockPointer& pointer, Bytes bytes) const;

private:
    struct Compressed
    {
        Buffer buffer;
        std::size_t size = 0; ///< 0: not worth while
    };

    [[nodiscard]] Result<Compressed> compress(const WriteRequest& request) const;
    [[nodiscard]] std::size_t roundUp(std::size_t size) const;

    ContextPool& m_contexts;
    const std::atomic<const codec::ChecksumSalt*>& m_salt;
    const BlockWriterOptions& m_options;
};

} // namespace millpond::block::detail
