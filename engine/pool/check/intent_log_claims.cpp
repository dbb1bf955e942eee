// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/check/intent_log_claims.h"

#include "codec/checksum.h"

namespace millpond::pool {

namespace {
/// A log block is at most this large, and a log is emptied with every txg: chains are short.
constexpr std::uint64_t kMaxLogBlockBytes = 128 * KiB;
constexpr unsigned kMaxChain = 100'000;

struct LogBlock
{
    Buffer bytes;
    ByteOrder order = ByteOrder::Little;
};

Result<LogBlock> readLogBlock(const Pool& pool, const format::BlockPointer& pointer)
{
    const std::uint64_t size = pointer.physicalSize().value();
    if (size > kMaxLogBlockBytes) {
        return fail(ErrorCode::BadLog, "a log block that is too large");
    }
    LogBlock block{MP_TRY(Buffer::create(static_cast<std::size_t>(size))), ByteOrder::Little};
    const codec::Checksum expected{pointer.checksum()};
    const auto verify = [&](Bytes bytes) {
        const auto verified = codec::verifyLogBlock(
            static_cast<codec::ChecksumAlgorithm>(pointer.checksumType()), bytes, expected);
        block.order = verified ? *verified : block.order;
        return verified.has_value();
    };
    for (std::size_t i = 0; i < pointer.dvaCount(); ++i) {
        const format::Dva dva = pointer.dva(i);
        vdev::TopLevel* top = pool.vdevs().top(dva.vdev);
        if (top != nullptr && top->read(dva.offset, block.bytes.bytes(), verify, {})) {
            return block;
        }
    }
    return fail(ErrorCode::BadLog, "the end of the log");
}

void claimRecords(Bytes records, ByteOrder order, BlockClaims& claims)
{
    Cursor cursor(records, order);
    while (cursor.remaining() >= format::ZilRecord::kHeaderBytes) {
        const auto record = format::ZilRecord::take(cursor);
        if (!record) {
            return;
        }
        if (record->type == format::ZilRecordType::Write && !record->pointer.isHole()) {
            (void)claims.claimRest(record->pointer);
        }
    }
}
} // namespace

Status claimIntentLog(const Pool& pool, const format::ZilHeader& header, BlockClaims& claims)
{
    format::BlockPointer next = header.log;
    for (unsigned i = 0; i < kMaxChain && !next.isHole(); ++i) {
        if (!next.validate()) {
            return {};
        }
        (void)claims.claimRest(next);
        const auto read = readLogBlock(pool, next);
        if (!read) {
            return {};
        }
        const auto block =
            format::ZilBlock::decode(read->bytes.bytes(), next.checksumType(), read->order);
        if (!block) {
            return {};
        }
        claimRecords(block->records, read->order, claims);
        next = block->chain.next;
    }
    return {};
}

} // namespace millpond::pool
