// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/live_tree.h"

#include <optional>

namespace millpond::dataset {

/// Collects what one txg does to the blocks of a live dataset, for LiveTree::apply()
/// [dsl_dataset_block_born, dsl_dataset_block_kill]. Syncing context, one thread, but for
/// chargedSize().
class DatasetLedger final : public object::BlockLedger
{
public:
    explicit DatasetLedger(ChargedBytes charged)
        : m_charged(std::move(charged))
    {
    }

    /// Before the dataset's object set is synced: what is decided by its snapshots and bookmarks.
    [[nodiscard]] Status begin(LiveTree& tree, const LiveDataset& dataset);

    [[nodiscard]] Status born(const format::BlockPointer& pointer) override;
    [[nodiscard]] Status killed(const format::BlockPointer& pointer) override;

    [[nodiscard]] ByteCount chargedSize(const format::BlockPointer& pointer) const override
    {
        return ByteCount(m_charged(pointer));
    }

    /// What blocks do not tell: the object set uses a per-dataset feature ("large_dnode").
    void useFeature(std::string_view name);

    [[nodiscard]] const LiveTree::BlockChanges& changes() const { return m_changes; }

    /// Blocks nobody refers to any more: the pool frees them.
    [[nodiscard]] const std::vector<format::BlockPointer>& freed() const { return m_freed; }

private:
    [[nodiscard]] Status readBookmarks(LiveTree& tree, const LiveDataset& dataset);
    void countForBookmarks(const format::BlockPointer& pointer, const BlockSums& sums);

    ChargedBytes m_charged;
    Txg m_previousTxg; ///< of the previous snapshot
    Txg m_originTxg;
    /// Blocks born later are the previous snapshot's alone once the head gives them up; nothing:
    /// somebody else may have them.
    std::optional<Txg> m_uniqueToPreviousAfter;
    LiveTree::BlockChanges m_changes;
    std::vector<format::BlockPointer> m_freed;
};

} // namespace millpond::dataset
