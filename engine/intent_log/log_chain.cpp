// SPDX-License-Identifier: GPL-3.0-or-later
#include "intent_log/log_chain.h"

#include "block/extents.h"

#include <fmt/format.h>

#include <limits>
#include <vector>

namespace millpond::intent_log {

using format::BlockPointer;
using format::ZilBlock;
using format::ZilHeader;
using format::ZilRecord;
using format::ZilRecordType;

namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::uint64_t sequenceOf(const BlockPointer& pointer)
{
    return pointer.checksum()[format::ZilChecksumWord::kSequence];
}

/// How far a walk goes, and how far it came.
struct Reach
{
    std::uint64_t blockSequence = 0;
    std::uint64_t recordSequence = 0;
};

using BlockVisitor = FunctionRef<Status(const BlockPointer&)>;
using RecordVisitor = FunctionRef<Status(const ZilRecord&, ByteOrder)>;

/// A walk along a chain; stops at the first error, which is how a chain ends.
class Walk
{
public:
    Walk(const ChainSource& source, const ZilHeader& header)
        : m_source(source)
        , m_next(header.log)
    {
        if (header.claimTxg != 0) {
            m_limit.blockSequence = header.claimBlockSequence;
            if ((header.flags & ZilHeader::kClaimRecordSequenceValid) != 0) {
                m_limit.recordSequence = header.claimRecordSequence;
            }
        }
    }

    [[nodiscard]] Status run(const BlockVisitor& visitBlock, const RecordVisitor& visitRecord)
    {
        while (!m_next.isHole() && sequenceOf(m_next) <= m_limit.blockSequence) {
            const BlockPointer pointer = m_next;
            MP_TRY(pointer.validate(m_source.vdevs.count()));
            if (pointer.isEmbedded() || sequenceOf(pointer) <= m_reached.blockSequence) {
                return fail(ErrorCode::BadLog, "a chain that does not go on");
            }
            MP_TRY(visitBlock(pointer));
            m_reached.blockSequence = sequenceOf(pointer);
            if (m_reached.blockSequence == m_limit.blockSequence &&
                m_reached.recordSequence == m_limit.recordSequence) {
                return {}; // the block that was allocated, but not written
            }
            if (!MP_TRY(readBlock(pointer, visitRecord))) {
                return {};
            }
        }
        return {};
    }

    [[nodiscard]] const Reach& reached() const { return m_reached; }

    [[nodiscard]] std::uint64_t records() const { return m_records; }

    [[nodiscard]] std::uint64_t blocks() const { return m_blocks; }

private:
    /// False: the last record that was claimed has been met.
    [[nodiscard]] Result<bool> readBlock(const BlockPointer& pointer,
                                         const RecordVisitor& visitRecord)
    {
        ++m_blocks;
        const BufferRef bytes = MP_TRY(m_source.reader.read(
            pointer, {.objset = m_source.objset}, {.wait = block::Wait::MayBlock, .keep = false}));
        const ZilBlock block =
            MP_TRY(ZilBlock::decode(bytes->bytes(), pointer.checksumType(), pointer.byteOrder()));
        Cursor cursor(block.records, pointer.byteOrder());
        while (cursor.remaining() > 0) {
            const ZilRecord record = MP_TRY(ZilRecord::take(cursor));
            if (record.sequence > m_limit.recordSequence) {
                return false;
            }
            MP_TRY(visitRecord(record, pointer.byteOrder()));
            m_reached.recordSequence = record.sequence;
            ++m_records;
        }
        m_next = block.chain.next;
        return true;
    }

    const ChainSource& m_source;
    BlockPointer m_next;
    Reach m_limit{.blockSequence = kNoLimit, .recordSequence = kNoLimit};
    Reach m_reached;
    std::uint64_t m_records = 0;
    std::uint64_t m_blocks = 0;
};

/// Allocates what the last uberblock knows nothing of.
class Claimer
{
public:
    Claimer(const ChainSource& source,
            space::Allocator& allocator,
            Txg firstTxg,
            const CloneSink& clones)
        : m_source(source)
        , m_allocator(allocator)
        , m_firstTxg(firstTxg)
        , m_clones(clones)
    {
    }

    [[nodiscard]] Status claim(const BlockPointer& pointer)
    {
        if (pointer.isHole() || pointer.isEmbedded() || pointer.birth() < m_firstTxg) {
            return {};
        }
        std::vector<space::Extent> extents;
        MP_TRY(block::forEachExtent(
            m_source.vdevs, pointer, [&](const space::Extent& e) { extents.push_back(e); }));
        for (std::size_t i = 0; i < extents.size(); ++i) {
            if (Status claimed = m_allocator.claim(extents[i], m_firstTxg); !claimed) {
                while (i-- > 0) {
                    MP_TRY(m_allocator.unallocate(extents[i], m_firstTxg));
                }
                return claimed;
            }
        }
        return {};
    }

    [[nodiscard]] Status claimRecord(const ZilRecord& record)
    {
        if (record.type == ZilRecordType::Write && !record.pointer.isHole()) {
            return claimWrite(record.pointer);
        }
        for (const BlockPointer& pointer : record.pointers) {
            if (pointer.isHole() || pointer.isEmbedded()) {
                continue;
            }
            MP_TRY(pointer.validate(m_source.vdevs.count()));
            if (pointer.physicalBirth() >= m_firstTxg) {
                return fail(ErrorCode::BadLog, "a clone of a block that is not allocated");
            }
            if (Status counted = m_clones(pointer); !counted) {
                m_failure = std::move(counted).error();
                return fail(*m_failure);
            }
        }
        return {};
    }

    /// What is not just the end of the log.
    [[nodiscard]] const std::optional<Error>& failure() const { return m_failure; }

private:
    /// A block written in place may be missing although the record is there: then nobody was told
    /// that it was committed, and the log ends before it.
    [[nodiscard]] Status claimWrite(const BlockPointer& pointer)
    {
        MP_TRY(pointer.validate(m_source.vdevs.count()));
        if (pointer.birth() >= m_firstTxg) {
            MP_TRY(m_source.reader.read(pointer,
                                        {.objset = m_source.objset},
                                        {.wait = block::Wait::MayBlock, .keep = false}));
        }
        return claim(pointer);
    }

    const ChainSource& m_source;
    space::Allocator& m_allocator;
    const Txg m_firstTxg;
    const CloneSink& m_clones;
    std::optional<Error> m_failure;
};

} // namespace

Result<bool> claimLog(const ChainSource& source,
                      space::Allocator& allocator,
                      Txg firstTxg,
                      ZilHeader& header,
                      const CloneSink& clones)
{
    if (header.log.isHole() || header.claimTxg != 0) {
        return false;
    }
    Claimer claimer(source, allocator, firstTxg, clones);
    Walk walk(source, header);
    (void)walk.run([&](const BlockPointer& pointer) { return claimer.claim(pointer); },
                   [&](const ZilRecord& record, ByteOrder) { return claimer.claimRecord(record); });
    if (claimer.failure()) {
        return fail(*claimer.failure());
    }
    header.claimTxg = firstTxg.value();
    header.claimBlockSequence = walk.reached().blockSequence;
    header.claimRecordSequence = walk.reached().recordSequence;
    header.flags |= ZilHeader::kClaimRecordSequenceValid;
    if (walk.records() > 0 || walk.blocks() > 1) {
        header.flags |= ZilHeader::kReplayNeeded;
    }
    return true;
}

bool needsReplay(const ZilHeader& header)
{
    return !header.log.isHole() && (header.flags & ZilHeader::kReplayNeeded) != 0;
}

Status replayLog(const ChainSource& source, const ZilHeader& header, const Replayer& replay)
{
    if (!needsReplay(header)) {
        return {};
    }
    Walk walk(source, header);
    return walk.run(
        [](const BlockPointer&) { return Status(); },
        [&](const ZilRecord& record, ByteOrder order) -> Status {
            if (record.sequence <= header.replaySequence || record.txg < Txg(header.claimTxg)) {
                return {};
            }
            if (record.type != ZilRecordType::Write || record.pointer.isHole()) {
                return replay({.record = record, .data = record.data, .order = order});
            }
            const BufferRef data = MP_TRY(source.reader.read(
                record.pointer, {.objset = source.objset}, {.wait = block::Wait::MayBlock}));
            return replay({.record = record, .data = data->bytes(), .order = order});
        });
}

Status freeLog(const ChainSource& source, block::BlockWriter& writer, Txg txg, ZilHeader& header)
{
    std::vector<BlockPointer> blocks; // freed when the chain has been read
    Walk walk(source, header);
    const Status walked = walk.run(
        [&](const BlockPointer& pointer) -> Status {
            blocks.push_back(pointer);
            return {};
        },
        [&](const ZilRecord& record, ByteOrder) -> Status {
            if (record.type == ZilRecordType::Write && !record.pointer.isHole() &&
                record.pointer.birth() >= Txg(header.claimTxg)) {
                blocks.push_back(record.pointer);
            }
            return {};
        });
    (void)walked; // what can't be read can't be freed: the block it begins at is among `blocks`
    for (const BlockPointer& pointer : blocks) {
        MP_TRY(writer.free(pointer, txg));
    }
    header = {};
    return {};
}

} // namespace millpond::intent_log
