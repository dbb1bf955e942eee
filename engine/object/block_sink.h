// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "block/block_writer.h"

#include <span>

namespace millpond::object {

/// What syncing an object set needs of block::BlockWriter: as block::BlockWriter::write().
class BlockSink
{
public:
    virtual ~BlockSink() = default;
    [[nodiscard]] virtual Status
    write(std::span<block::WriteRequest> requests, Txg txg, unsigned pass) = 0;
};

/// The real one.
class WriterSink final : public BlockSink
{
public:
    /// `writer` outlives the sink.
    explicit WriterSink(block::BlockWriter& writer)
        : m_writer(writer)
    {
    }

    [[nodiscard]] Status
    write(std::span<block::WriteRequest> requests, Txg txg, unsigned pass) override
    {
        return m_writer.write(requests, txg, pass);
    }

private:
    block::BlockWriter& m_writer;
};

} // namespace millpond::object
