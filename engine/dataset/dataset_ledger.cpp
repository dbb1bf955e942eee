// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/dataset_ledger.h"

// Sources: OpenZFS module/zfs/dsl_dataset.c (dsl_dataset_block_born, dsl_dataset_block_kill).

namespace millpond::dataset {

Status DatasetLedger::begin(LiveTree& tree, const LiveDataset& dataset)
{
    m_changes = {};
    m_freed.clear();
    m_previousTxg = dataset.phys.previousSnapshotTxg;
    m_originTxg = dataset.directory->originTxg;
    m_uniqueToPreviousAfter.reset();
    if (dataset.phys.previousSnapshot.value() != 0) {
        const LiveDataset* previous =
            MP_TRY(tree.dataset(ObjsetId(dataset.phys.previousSnapshot.value())));
        if (previous->phys.nextSnapshot.value() == dataset.id.value()) {
            m_uniqueToPreviousAfter = previous->phys.previousSnapshotTxg;
        }
    }
    return {};
}

SpaceDelta DatasetLedger::spaceOf(const format::BlockPointer& pointer) const
{
    return {static_cast<std::int64_t>(m_charged(pointer)),
            static_cast<std::int64_t>(pointer.physicalSize().value()),
            static_cast<std::int64_t>(pointer.logicalSize().value())};
}

Status DatasetLedger::born(const format::BlockPointer& pointer)
{
    m_changes.born.add(spaceOf(pointer));
    return {};
}

Status DatasetLedger::killed(const format::BlockPointer& pointer)
{
    const SpaceDelta space = spaceOf(pointer);
    if (pointer.birth() > m_previousTxg) {
        m_changes.killedOwn.add(space);
        m_freed.push_back(pointer);
        return {};
    }
    m_changes.killedShared.add(space);
    m_changes.dead.push_back(pointer);
    if (m_uniqueToPreviousAfter && pointer.birth() > *m_uniqueToPreviousAfter) {
        m_changes.uniqueToPrevious += static_cast<std::uint64_t>(space.used);
    }
    if (pointer.birth() > m_originTxg) {
        m_changes.sharedAfterOrigin += static_cast<std::uint64_t>(space.used);
    }
    return {};
}

} // namespace millpond::dataset
