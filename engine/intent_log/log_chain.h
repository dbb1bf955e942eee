// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "block/block_reader.h"
#include "block/block_writer.h"
#include "format/intent_log.h"
#include "space/allocator.h"

namespace millpond::intent_log {

// What to do with a log that a crash, or an export by another program, left behind: claim it at
// import, replay it when its object set is opened for writing, free it. Theory: intent_log.cpp.

/// A chain's place in the world.
struct ChainSource
{
    block::BlockReader& reader;
    const block::VdevMap& vdevs;
    ObjsetId objset;
};

/// A block that a clone record refers to: its reference in the table of cloned blocks must be
/// counted until the record is replayed.
using CloneSink = FunctionRef<Status(const format::BlockPointer&)>;

/// Import, in the first txg (the last synced one and one), before anything is allocated: allocates
/// the blocks of the chain that are younger than the uberblock, also those that write records point
/// to, and notes in the header how far the chain goes. Nothing to do when the header says that it
/// was claimed, or holds no chain. Where a block can't be read or claimed, the log ends: that is no
/// error. True: the header changed, and must be written in this txg. Errors: those of `clones`.
[[nodiscard]] Result<bool> claimLog(const ChainSource& source,
                                    space::Allocator& allocator,
                                    Txg firstTxg,
                                    format::ZilHeader& header,
                                    const CloneSink& clones);

/// There are records to be done again.
[[nodiscard]] bool needsReplay(const format::ZilHeader& header);

struct ReplayRecord
{
    const format::ZilRecord& record;
    /// Of a write: its data, wherever it was. In the byte order of nobody: bytes of the file.
    Bytes data;
    ByteOrder order = ByteOrder::Little; ///< of ACLs and other bodies the record only points to
};

/// An error ends the replay.
using Replayer = FunctionRef<Status(const ReplayRecord&)>;

/// Calls `replay` for each record of a claimed chain that is not in a synced txg yet and was not
/// replayed before (its sequence then goes into ZilHeader::replaySequence with the txg of the
/// change). Errors: the replayer's; BadLog, DeviceIo, ChecksumMismatch: the chain is shorter than
/// what was claimed.
[[nodiscard]] Status
replayLog(const ChainSource& source, const format::ZilHeader& header, const Replayer& replay);

/// Gives back a claimed chain's blocks, in syncing context of `txg`; the header is empty then.
[[nodiscard]] Status
freeLog(const ChainSource& source, block::BlockWriter& writer, Txg txg, format::ZilHeader& header);

} // namespace millpond::intent_log
