// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/buffer.h"
#include "vdev/detail/node.h"
#include "vdev/detail/write_batch.h"
#include "vdev/vdev.h"

namespace millpond::vdev::detail {

/// What all top-level vdevs have in common.
class TopBase : public TopLevel
{
public:
    TopBase(Node& node, const TreeContext& context)
        : m_node(node)
        , m_context(context)
    {
    }

    [[nodiscard]] VdevId id() const override
    {
        return VdevId(static_cast<std::uint32_t>(m_node.id));
    }

    [[nodiscard]] VdevGuid guid() const override { return m_node.guid; }

    [[nodiscard]] VdevKind kind() const override { return m_node.kind; }

    [[nodiscard]] AllocationClass allocationClass() const override
    {
        return m_node.allocationClass;
    }

    [[nodiscard]] Ashift ashift() const override
    {
        return Ashift(static_cast<std::uint8_t>(m_node.ashift));
    }

    [[nodiscard]] ByteCount allocatable() const override { return ByteCount(m_node.asize); }

    [[nodiscard]] const format::NvList& config() const override { return *m_node.config; }

    [[nodiscard]] bool readable() const override { return m_node.readable(); }

    /// One for each column of its own: the leaves that hold the same. Nothing for holes.
    [[nodiscard]] virtual std::span<const LeafGroup> groups() const = 0;

    /// How many columns of a block may be lost.
    [[nodiscard]] std::size_t spareColumns() const { return m_node.parity; }

    /// Begins a block in the batch and adds its pieces; on an error the batch is as before.
    [[nodiscard]] Status plan(ByteOffset offset, Bytes data, WriteBatch& batch) const;
    /// Of allocated space: what each leaf need not keep. Bounded by allocatable().
    virtual void discard(ByteOffset offset, ByteCount size) const = 0;

protected:
    /// `data` is whole sectors.
    [[nodiscard]] virtual Status
    addPieces(ByteOffset offset, Bytes data, WriteBatch& batch) const = 0;

    /// After a read that met a bad copy or column of leaves that missed nothing: puts it right, if
    /// the tree repairs and it is certain that the block is still what was read.
    void repairAfterRead(ByteOffset offset,
                         std::size_t size,
                         const Verifier& verify,
                         const ReadOptions& options);

    [[nodiscard]] const TreeContext& context() const { return m_context; }

    [[nodiscard]] Node& node() const { return m_node; }

    [[nodiscard]] std::size_t sector() const { return std::size_t{1} << m_node.ashift; }

    /// The block is one that can lie here.
    [[nodiscard]] Status checkPlace(ByteOffset offset, std::size_t size) const;

    [[nodiscard]] Error mismatch() const
    {
        return Error(ErrorCode::ChecksumMismatch,
                     "no copy and no combination of columns has the right checksum",
                     {.vdev = m_node.guid});
    }

    [[nodiscard]] Error nothingToReadFrom() const
    {
        return Error(ErrorCode::DeviceMissing,
                     "too many devices of " + m_node.name() + " are missing",
                     {.vdev = m_node.guid});
    }

private:
    Node& m_node;
    const TreeContext& m_context;
};

/// Mirrors, single leaves, spares and replacements at the top.
[[nodiscard]] std::unique_ptr<TopBase> makeMirrorTop(Node& node, const TreeContext& context);
[[nodiscard]] std::unique_ptr<TopBase> makeRaidzTop(Node& node, const TreeContext& context);
/// Holes and missing vdevs: nothing can be read.
[[nodiscard]] std::unique_ptr<TopBase> makeAbsentTop(Node& node, const TreeContext& context);

} // namespace millpond::vdev::detail
