// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/bp_object.h"
#include "pool/check/reporter.h"
#include "pool/deflation.h"

#include <map>
#include <vector>

namespace millpond::pool {

/// What the walk of one dataset added up: its blocks born since its previous snapshot.
using NewBlocks = std::map<ObjsetId, dataset::BlockSums>;

/// One directory with its chain of datasets, oldest snapshot first, the live one last.
struct Chain
{
    dataset::DirectoryRef directory;
    std::vector<dataset::DatasetRef> datasets;
    bool hasHead = false;
};

/// Every directory of the pool, the pool's own ones too, parents first. Directories that can't be
/// read are reported.
[[nodiscard]] Result<std::vector<Chain>> allChains(const Pool& pool, Reporter& reporter);

/// What one block adds to a dataset's sums. (OpenZFS module/zfs/dsl_dataset.c:
/// dsl_dataset_block_born.)
[[nodiscard]] dataset::BlockSums sumsOf(const format::BlockPointer& pointer,
                                        const Deflation& deflation);

/// Snapshot chains, deadlists and the sums of datasets and directories against each other and
/// against what was found. Damage is reported.
[[nodiscard]] Status checkDatasets(const Pool& pool,
                                   Reporter& reporter,
                                   const std::vector<Chain>& chains,
                                   const NewBlocks& found,
                                   const Deflation& deflation);

} // namespace millpond::pool
