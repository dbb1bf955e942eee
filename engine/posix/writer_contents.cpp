// SPDX-License-Identifier: GPL-3.0-or-later
//
// Contents of files: written, made holes, resized. Theory statement: file_system_writer.cpp. Here
// in addition:
//
// Blocks. A file has one block, which grows in steps of 512 bytes up to the record size, or many of
// one size. Only a file that is no longer than its block gets another block size.
//
// Ranges. Who changes contents locks their range first, and keeps it locked over all transactions
// of the call; who makes the block grow, or does not know yet where he will write, locks the whole
// file. So different parts are written at the same time: what is long, copying whole blocks and
// reading those that are written in part, is done before the hold; under hold and object lock only
// references to blocks are put in place.
//
// Pieces. No transaction dirties more than some MiB or frees more than what some hundred indirect
// blocks point to; between the latter the txgs go on, so that no single one gets them all. A file
// is shortened from its end, its size with it: whatever a crash leaves is a beginning of the file.
//
// Invariants.
//   INV-1 Behind the file's size there are zeroes only: whoever shortens a file frees what is
//         behind, in the transaction that changes the size.
//   INV-2 Under the lock of a range, neither the block size changes nor what is in the range.
//
// Sources: OpenZFS zfs_vnops.c (zfs_write), zfs_znode_os.c (zfs_freesp), dmu.c.
#include "posix/detail/writer_private.h"
#include "posix/detail/xattr_name.h"

#include <sys/stat.h>

#include <algorithm>
#include <limits>

namespace millpond::posix {

using detail::RangeLocks;
using detail::Znode;
using format::ZnodeFlag;
using object::Dnode;
using object::DnodeRef;
using object::LiveObjectSet;

namespace {

constexpr std::uint64_t kMaxFileBytes = std::numeric_limits<std::int64_t>::max();
/// What one transaction writes, at least one block: some milliseconds of a hold.
constexpr std::uint64_t kPieceBytes = 4 * MiB;
/// Indirect blocks whose blocks one transaction frees: 32 GiB of a file with the usual sizes.
constexpr std::uint64_t kPieceIndirects = 256;
/// Such pieces in one txg, which has to read all those indirect blocks when it is synced.
constexpr unsigned kPiecesPerTxg = 4;
constexpr std::uint64_t kAttributeBytes = 2 * KiB;
constexpr unsigned kPointerShift = 7; // log2 of format::BlockPointer::kBytes

/// OpenZFS lets no block grow that is not the whole file, even if it is the only one.
std::uint32_t blockBytesFor(const Dnode& dnode,
                            std::uint64_t fileSize,
                            std::uint64_t end,
                            std::uint32_t recordBytes)
{
    return fileSize > dnode.dataBlockBytes ? dnode.dataBlockBytes
                                           : object::recommendedBlockSize(dnode, end, recordBytes);
}

/// Bytes of a file that one indirect block leads to.
std::uint64_t indirectRange(const Dnode& dnode)
{
    const unsigned shift =
        dnode.indirectShift > kPointerShift ? dnode.indirectShift - kPointerShift : 0U;
    return std::uint64_t{dnode.dataBlockBytes} << shift;
}

Status loadBlock(LiveObjectSet& objset,
                 const Dnode& dnode,
                 std::uint64_t index,
                 const ReadContext& context)
{
    (void)MP_TRY(objset.readBlock(dnode, BlockIndex(index), context));
    return {};
}

Status setBlockBytes(LiveObjectSet& objset, Txg txg, ObjectId object, std::uint32_t bytes)
{
    const DnodeRef dnode = MP_TRY(objset.dnode(object));
    return dnode->dataBlockBytes == bytes ? Status() : objset.setBlockSize(txg, object, bytes);
}

/// Where to cut off a file so that one transaction can free what is behind, given that nothing is
/// at or behind `end`; at least `size`. Skips what is a hole already.
Result<std::uint64_t> lastPiece(LiveObjectSet& objset,
                                const Dnode& dnode,
                                std::uint64_t size,
                                std::uint64_t end,
                                const ReadContext& context)
{
    const std::uint64_t piece = kPieceIndirects * indirectRange(dnode);
    for (std::uint64_t width = piece;;) {
        if (end - size <= piece) {
            return size;
        }
        const std::uint64_t start = end - size > width ? end - width : size;
        if (!MP_TRY(objset.nextData(dnode, ByteOffset(start), context))) {
            if (start == size) {
                return size;
            }
            end = start;
            width *= 2;
        } else if (width == piece) {
            return start;
        } else {
            width = piece; // somewhere in the last step: closer
        }
    }
}

/// Lets txgs go on while many pieces are freed.
class Pace
{
public:
    explicit Pace(txg::TransactionGroups& groups)
        : m_groups(groups)
    {
    }

    /// After each piece, without a hold.
    [[nodiscard]] Status step()
    {
        return ++m_pieces % kPiecesPerTxg == 0 ? m_groups.waitQuiesced() : Status();
    }

private:
    txg::TransactionGroups& m_groups;
    unsigned m_pieces = 0;
};

std::unexpected<Error> tooLarge(const ErrorContext& where)
{
    return fail(ErrorCode::TooLarge, "no file is larger than 2^63 - 1 bytes", where);
}

} // namespace

struct FileSystemWriter::Private::Piece
{
    /// Of one block.
    struct Part
    {
        std::uint64_t offset = 0;
        Bytes data;

        [[nodiscard]] std::uint64_t end() const { return offset + data.size(); }
    };

    struct Whole
    {
        Buffer content;
        Part part; ///< what of it is written; zeroes behind
    };

    Part all;
    std::uint32_t blockBytes = 0;
    std::vector<Whole> whole; ///< blocks that are replaced
    std::vector<Part> parts;  ///< of blocks that keep the rest of what they have

    /// `fileSize` as far as it is known.
    [[nodiscard]] static Result<Piece>
    prepare(const Part& all, std::uint32_t blockBytes, std::uint64_t fileSize)
    {
        Piece piece{.all = all, .blockBytes = blockBytes, .whole = {}, .parts = {}};
        for (std::uint64_t at = all.offset; at < all.end();) {
            const std::uint64_t begin = at / blockBytes * blockBytes;
            const std::uint64_t next = std::min(all.end(), begin + blockBytes);
            const Part part{at, all.data.subspan(at - all.offset, next - at)};
            at = next;
            if (part.data.size() == blockBytes) {
                piece.whole.push_back({MP_TRY(Buffer::copyOf(part.data)), part});
            } else if (part.offset == begin && next >= fileSize) {
                // All that the file has of this block is replaced.
                Buffer padded = MP_TRY(Buffer::createZeroed(blockBytes));
                std::ranges::copy(part.data, padded.bytes().begin());
                piece.whole.push_back({std::move(padded), part});
            } else {
                piece.parts.push_back(part);
            }
        }
        return piece;
    }

    /// Has in memory what writing will need of the blocks it changes in part.
    [[nodiscard]] Status
    load(LiveObjectSet& set, const Dnode& dnode, const ReadContext& context) const
    {
        if (blockBytes != dnode.dataBlockBytes) {
            return loadBlock(set, dnode, 0, context); // the only one there is
        }
        for (const Part& part : parts) {
            MP_TRY(loadBlock(set, dnode, part.offset / blockBytes, context));
        }
        return {};
    }

    /// Under the object's lock; `fileSize` as it is now.
    [[nodiscard]] Status put(LiveObjectSet& set, Txg txg, ObjectId object, std::uint64_t fileSize)
    {
        for (Whole& block : whole) {
            const bool padded = block.part.data.size() != blockBytes;
            if (padded && fileSize > block.part.end()) {
                parts.push_back(block.part); // somebody has written behind it meanwhile
                continue;
            }
            const BlockIndex index(block.part.offset / blockBytes);
            MP_TRY(set.replaceBlock(txg, object, index, std::move(block.content)));
        }
        for (const Part& part : parts) {
            MP_TRY(set.write(txg, object, ByteOffset(part.offset), part.data));
        }
        return {};
    }
};

Result<FileSystemWriter::AttributesRef> FileSystemWriter::Private::changeableFile(
    ObjectId object, bool shortening, const ReadContext& context)
{
    AttributesRef file = MP_TRY(shown(object, context));
    if (file->type != FileType::Regular) {
        const bool isDirectory = file->type == FileType::Directory;
        return fail(isDirectory ? ErrorCode::IsDirectory : ErrorCode::InvalidArgument,
                    isDirectory ? "is a directory" : "not a regular file",
                    at(object));
    }
    const std::uint64_t fixed =
        ZnodeFlag::kImmutable | (shortening ? ZnodeFlag::kAppendOnly : std::uint64_t{0});
    if ((file->flags & fixed) != 0) {
        return fail(ErrorCode::NotPermitted, "the file is immutable or only grows", at(object));
    }
    return file;
}

Status FileSystemWriter::Private::dropPrivileges(Transaction& change, Znode& file, bool modeToo)
{
    Attributes& shown = file.attributes;
    if (modeToo && shown.type != FileType::Directory) {
        shown.mode &= ~std::uint32_t{S_ISUID};
        if ((shown.mode & S_IXGRP) != 0) {
            shown.mode &= ~std::uint32_t{S_ISGID};
        }
    }
    if (shown.type == FileType::Regular &&
        (!file.xattrList.empty() || shown.xattrDirectory.value() != 0)) {
        MP_TRY(storeXattr(change, file, detail::kCapabilityName, std::nullopt));
    }
    return {};
}

// --- Writing ---

Result<ByteOffset>
FileSystemWriter::write(ObjectId object, const WriteRequest& request, const ReadContext& context)
{
    LiveObjectSet& objset = *d->objset;
    const std::uint32_t recordBytes = d->currentOptions()->recordBytes;
    RangeLocks::Range range;
    if (!request.append && !checkedAdd(request.offset.value(), request.data.size(), range.end)) {
        return tooLarge(d->at(object));
    }
    range.begin = request.append ? 0 : request.offset.value();
    for (;;) {
        const RangeLocks::Held held = MP_TRY(d->ranges.acquire(object, range, context.wait));
        const AttributesRef file = MP_TRY(d->changeableFile(object, false, context));
        std::uint64_t at = request.append ? file->size : request.offset.value();
        std::uint64_t end = 0;
        if (!checkedAdd(at, request.data.size(), end) || end > kMaxFileBytes) {
            return tooLarge(d->at(object));
        }
        if (at < file->size && (file->flags & ZnodeFlag::kAppendOnly) != 0) {
            return fail(ErrorCode::NotPermitted, "the file only grows", d->at(object));
        }
        const DnodeRef dnode = MP_TRY(objset.dnode(object, context));
        const std::uint32_t blockBytes =
            blockBytesFor(*dnode, file->size, std::max(end, file->size), recordBytes);
        if (blockBytes != dnode->dataBlockBytes && !range.isAll()) {
            range = {};
            continue;
        }
        const ByteOffset writtenAt(at);
        Bytes rest = request.data;
        while (!rest.empty()) {
            std::uint64_t count = rest.size();
            if (count > kPieceBytes) {
                if (context.wait == block::Wait::CachedOnly) {
                    return fail(ErrorCode::WouldBlock, "too much for one transaction");
                }
                const std::uint64_t blocks = std::max<std::uint64_t>(kPieceBytes / blockBytes, 1);
                count = std::min(count, (at / blockBytes + blocks) * blockBytes - at);
            }
            Private::Piece piece =
                MP_TRY(Private::Piece::prepare({at, rest.first(count)}, blockBytes, file->size));
            MP_TRY(piece.load(objset, *MP_TRY(objset.dnode(object, context)), context));
            MP_TRY(d->writePiece(object, piece, request.dropPrivileges, context));
            at += count;
            rest = rest.subspan(count);
        }
        return writtenAt;
    }
}

Status FileSystemWriter::Private::writePiece(ObjectId object,
                                             Piece& piece,
                                             bool modeToo,
                                             const ReadContext& context)
{
    const std::uint64_t blocks = piece.whole.size() + piece.parts.size();
    const ChangeRequest request{.locks = {{object}},
                                .dirty = ByteCount(blocks * piece.blockBytes + kAttributeBytes)};
    return change(request, context, [&](Transaction& change) -> Status {
        Znode& file = *MP_TRY(change.edit(object));
        const std::uint64_t before = file.attributes.size;
        MP_TRY(dropPrivileges(change, file, modeToo));
        detail::stampModified(file, change.now());
        file.attributes.size = std::max(before, piece.all.end());
        // From here on nothing waits: what is read was in memory a moment ago.
        MP_TRY(setBlockBytes(*objset, change.txg(), object, piece.blockBytes));
        if (piece.all.end() > before) { // INV-1
            change.onFailure([this, object, before, txg = change.txg()] {
                return objset->freeRange(txg, object, ByteOffset(before), LiveObjectSet::kToEnd);
            });
        }
        return piece.put(*objset, change.txg(), object, before);
    });
}

// --- Size ---

Status FileSystemWriter::truncate(ObjectId object, std::uint64_t size, const ReadContext& context)
{
    const auto nothing = [](Transaction&) { return Status(); };
    return d->resize(object, {.bytes = size}, context, nothing);
}

Status FileSystemWriter::extend(ObjectId object, std::uint64_t size, const ReadContext& context)
{
    const auto nothing = [](Transaction&) { return Status(); };
    return d->resize(object, {.bytes = size, .atLeast = true}, context, nothing);
}

Status FileSystemWriter::Private::resize(ObjectId object,
                                         const Size& size,
                                         const ReadContext& context,
                                         Apply more)
{
    if (size.bytes > kMaxFileBytes) {
        return tooLarge(at(object));
    }
    const RangeLocks::Held held = MP_TRY(ranges.acquire(object, {}, context.wait));
    const AttributesRef file = MP_TRY(changeableFile(object, !size.atLeast, context));
    const bool shortens = size.bytes < file->size;
    if (size.atLeast && size.bytes <= file->size) {
        return {};
    }
    if (shortens) {
        MP_TRY(shortenInPieces(object, size.bytes, context));
    }
    const DnodeRef dnode = MP_TRY(objset->dnode(object, context));
    const std::uint32_t blockBytes =
        blockBytesFor(*dnode, file->size, size.bytes, currentOptions()->recordBytes);
    if (shortens || blockBytes != dnode->dataBlockBytes) {
        MP_TRY(
            loadBlock(*objset, *dnode, shortens ? size.bytes / dnode->dataBlockBytes : 0, context));
    }
    const ChangeRequest request{
        .locks = {{object}}, .dirty = ByteCount(blockBytes + kAttributeBytes), .freeing = shortens};
    return change(request, context, [&](Transaction& change) -> Status {
        Znode& now = *MP_TRY(change.edit(object));
        detail::stampModified(now, change.now());
        now.attributes.size = size.bytes;
        if (size.bytes == 0) {
            now.attributes.flags &= ~ZnodeFlag::kSparse;
        }
        MP_TRY(dropPrivileges(change, now, false));
        MP_TRY(more(change));
        return shortens ? objset->freeRange(
                              change.txg(), object, ByteOffset(size.bytes), LiveObjectSet::kToEnd)
                        : setBlockBytes(*objset, change.txg(), object, blockBytes);
    });
}

/// Leaves a file that one transaction can make as short as it is to be.
Status FileSystemWriter::Private::shortenInPieces(ObjectId object,
                                                  std::uint64_t size,
                                                  const ReadContext& context)
{
    for (Pace pace(groups);;) {
        const DnodeRef dnode = MP_TRY(objset->dnode(object, context));
        const std::uint64_t end = (dnode->maxBlockId + 1) * dnode->dataBlockBytes;
        if (end <= size || end - size <= kPieceIndirects * indirectRange(*dnode)) {
            return {};
        }
        if (context.wait == block::Wait::CachedOnly) {
            return fail(ErrorCode::WouldBlock, "too much for one transaction");
        }
        const std::uint64_t cut = MP_TRY(lastPiece(*objset, *dnode, size, end, context));
        if (cut == size) {
            return {};
        }
        const ChangeRequest request{.locks = {{object}}, .freeing = true};
        MP_TRY(change(request, context, [&](Transaction& change) -> Status {
            Znode& now = *MP_TRY(change.edit(object));
            detail::stampModified(now, change.now());
            now.attributes.size = std::min(now.attributes.size, cut);
            return objset->freeRange(change.txg(), object, ByteOffset(cut), LiveObjectSet::kToEnd);
        }));
        MP_TRY(pace.step());
    }
}

// --- Holes ---

Status FileSystemWriter::punch(ObjectId object,
                               ByteOffset offset,
                               ByteCount size,
                               const ReadContext& context)
{
    LiveObjectSet& objset = *d->objset;
    RangeLocks::Range range{.begin = offset.value(), .end = 0};
    if (!checkedAdd(offset.value(), size.value(), range.end)) {
        return tooLarge(d->at(object));
    }
    const RangeLocks::Held held = MP_TRY(d->ranges.acquire(object, range, context.wait));
    const AttributesRef file = MP_TRY(d->changeableFile(object, true, context));
    range.end = std::min(range.end, file->size);
    if (range.begin >= range.end) {
        return {};
    }
    const DnodeRef dnode = MP_TRY(objset.dnode(object, context));
    const std::uint64_t piece = kPieceIndirects * indirectRange(*dnode);
    if (range.end - range.begin <= piece) {
        return d->punchPiece(object, range, context);
    }
    if (context.wait == block::Wait::CachedOnly) {
        return fail(ErrorCode::WouldBlock, "too much for one transaction");
    }
    for (Pace pace(d->groups);;) {
        const auto data = MP_TRY(objset.nextData(*dnode, ByteOffset(range.begin), context));
        if (!data || data->value() >= range.end) {
            return {};
        }
        const RangeLocks::Range next{data->value(),
                                     std::min(range.end, (data->value() / piece + 1) * piece)};
        MP_TRY(d->punchPiece(object, next, context));
        if (next.end == range.end) {
            return {};
        }
        range.begin = next.end;
        MP_TRY(pace.step());
    }
}

Status FileSystemWriter::Private::punchPiece(ObjectId object,
                                             const RangeLocks::Range& range,
                                             const ReadContext& context)
{
    const DnodeRef dnode = MP_TRY(objset->dnode(object, context));
    const std::uint64_t blockBytes = dnode->dataBlockBytes;
    for (const std::uint64_t edge : {range.begin, range.end}) {
        if (edge % blockBytes != 0) {
            MP_TRY(loadBlock(*objset, *dnode, edge / blockBytes, context));
        }
    }
    const ChangeRequest request{
        .locks = {{object}}, .dirty = ByteCount(2 * blockBytes + kAttributeBytes), .freeing = true};
    return change(request, context, [&](Transaction& change) -> Status {
        Znode& file = *MP_TRY(change.edit(object));
        MP_TRY(dropPrivileges(change, file, false));
        detail::stampModified(file, change.now());
        // The file's last block goes as a whole: there is nothing behind the end of the file.
        const std::uint64_t end = range.end >= file.attributes.size
                                      ? (range.end + blockBytes - 1) / blockBytes * blockBytes
                                      : range.end;
        return objset->freeRange(
            change.txg(), object, ByteOffset(range.begin), ByteCount(end - range.begin));
    });
}

} // namespace millpond::posix
