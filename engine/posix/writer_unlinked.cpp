// SPDX-License-Identifier: GPL-3.0-or-later
//
// What becomes of objects without names. Theory statement: file_system_writer.cpp.
#include "object/zap.h"
#include "posix/detail/writer_private.h"

#include <algorithm>

namespace millpond::posix {

using detail::Znode;
using format::DirectoryValue;
using format::ZnodeFlag;
using object::Zap;

namespace {

/// So many blocks are freed by one transaction at most: four indirect blocks of the usual size.
constexpr std::uint64_t kPieceBlocks = 4096;
/// Entries of the queue looked at together, and extended attributes freed together.
constexpr std::size_t kBatch = 64;

bool isXattrDirectory(const Znode& znode)
{
    return znode.attributes.type == FileType::Directory &&
           (znode.attributes.flags & ZnodeFlag::kXattr) != 0;
}

} // namespace

// --- The queue ---

Status FileSystemWriter::Private::editQueue(object::ZapWriter zaps, ObjectId object, bool add)
{
    const MutexLock lock(queueMutex);
    const ObjectId queue = reader().unlinkedSet;
    return add ? zaps.addNumber(queue, object.value()) : zaps.removeNumber(queue, object.value());
}

Status FileSystemWriter::Private::queueUnlinked(Transaction& change, ObjectId object)
{
    MP_TRY(editQueue(change.zaps(), object, true));
    change.onFailure(
        [this, zaps = change.zaps(), object] { return editQueue(zaps, object, false); });
    return {};
}

Status FileSystemWriter::Private::unqueueUnlinked(Transaction& change, ObjectId object)
{
    MP_TRY(editQueue(change.zaps(), object, false));
    change.onFailure(
        [this, zaps = change.zaps(), object] { return editQueue(zaps, object, true); });
    return {};
}

bool FileSystemWriter::Private::isRetained(ObjectId object) const
{
    const MutexLock lock(retainedMutex);
    return retained.contains(object);
}

Result<bool> FileSystemWriter::Private::isSmall(const Znode& znode, const ReadContext& context)
{
    const auto dnode = MP_TRY(objset->dnode(znode.attributes.object, context));
    return dnode->maxBlockId < kPieceBlocks && !isXattrDirectory(znode);
}

// --- Freeing ---

Status FileSystemWriter::Private::freeObject(Transaction& change, const Znode& znode)
{
    const ObjectId xattrs = znode.attributes.xattrDirectory;
    if (xattrs.value() != 0) {
        const Result<Znode*> directory = change.edit(xattrs);
        if (directory && isXattrDirectory(**directory)) {
            (*directory)->attributes.links = 0;
            MP_TRY(queueUnlinked(change, xattrs));
            change.onSuccess([this, xattrs] {
                const MutexLock lock(retainedMutex);
                released.push_back(xattrs);
            });
        } else if (!directory && directory.error().errorClass() != ErrorClass::NotFound &&
                   directory.error().errorClass() != ErrorClass::Corrupt) {
            return std::unexpected(directory.error()); // else its damage must not keep the file
        }
    }
    change.freeAtEnd(znode.attributes.object);
    return {};
}

/// Blocks from the first that has data on. Refuses when the object is not free to go.
Status
FileSystemWriter::Private::freePiece(ObjectId object, ByteOffset data, const ReadContext& context)
{
    const ChangeRequest request{.locks = {{object}}, .freeing = true, .own = true};
    return change(request, context, [&](Transaction& change) -> Status {
        const Znode* znode = MP_TRY(change.edit(object));
        if (znode->attributes.links != 0 || isRetained(object)) {
            return {};
        }
        const auto dnode = MP_TRY(objset->dnode(object, context));
        const std::uint64_t size = dnode->dataBlockBytes;
        const ByteOffset begin(data.value() / size * size);
        return objset->freeRange(
            change.txg(), object, begin, ByteCount(kPieceBlocks * size), context);
    });
}

Status FileSystemWriter::Private::purgeXattrs(Transaction& change, Znode& directory)
{
    const Zap table = MP_TRY(Zap::open(*objset, directory.attributes.object, change.context()));
    const Zap::Entries batch = MP_TRY(table.list(Zap::kBegin, kBatch, change.context()));
    for (const auto& [next, entry] : batch.entries) {
        Znode* file = MP_TRY(change.edit(DirectoryValue::decode(entry.first()).object));
        MP_TRY(removeEntry(change, directory, entry.name, *file));
        MP_TRY(dropLink(change, *file));
    }
    return {};
}

/// What is left after the pieces, or all of what is small. False: there is more to do.
Result<bool> FileSystemWriter::Private::freeWhole(ObjectId object, const ReadContext& context)
{
    bool gone = true;
    const ChangeRequest request{.locks = {{object}}, .freeing = true, .own = true};
    MP_TRY(change(request, context, [&](Transaction& change) -> Status {
        Znode* znode = MP_TRY(change.edit(object));
        if (znode->attributes.links != 0 || isRetained(object)) {
            return {}; // another object of the same number, or one that got a name
        }
        if (isXattrDirectory(*znode)) {
            MP_TRY(purgeXattrs(change, *znode));
            const Zap table = MP_TRY(Zap::open(*objset, object, context));
            if (MP_TRY(table.count(context)) != 0) {
                gone = false;
                return {};
            }
        }
        MP_TRY(unqueueUnlinked(change, object));
        return freeObject(change, *znode);
    }));
    return gone;
}

Result<bool> FileSystemWriter::Private::freeStep(ObjectId object, const ReadContext& context)
{
    const auto dnode = MP_TRY(objset->dnode(object, context));
    if (dnode->type == format::number(format::ObjectType::PlainFile) &&
        dnode->maxBlockId >= kPieceBlocks) {
        if (const auto data = MP_TRY(objset->nextData(*dnode, ByteOffset(0), context))) {
            MP_TRY(freePiece(object, *data, context));
            return false;
        }
    }
    return freeWhole(object, context);
}

// --- Who uses what ---

void FileSystemWriter::retain(ObjectId object)
{
    const MutexLock lock(d->retainedMutex);
    ++d->retained[object].count;
}

void FileSystemWriter::release(ObjectId object, std::uint64_t count)
{
    {
        const MutexLock lock(d->retainedMutex);
        const auto found = d->retained.find(object);
        if (found == d->retained.end()) {
            return;
        }
        found->second.count -= std::min(found->second.count, count);
        if (found->second.count != 0) {
            return;
        }
        const bool unlinked = found->second.unlinked;
        d->retained.erase(found);
        if (!unlinked) {
            return;
        }
    }
    const auto gone = d->freeStep(object, {.wait = block::Wait::CachedOnly});
    if (!gone || !*gone) {
        const MutexLock lock(d->retainedMutex);
        d->released.push_back(object);
    }
}

Result<std::optional<ObjectId>> FileSystemWriter::Private::nextReleased(const ReadContext& context)
{
    for (;;) {
        std::uint64_t cursor = 0;
        {
            const MutexLock lock(retainedMutex);
            if (!released.empty()) {
                const ObjectId next = released.front();
                released.pop_front();
                return next;
            }
            if (!queueCursor) {
                return std::nullopt;
            }
            cursor = *queueCursor;
        }
        Zap::Entries batch;
        {
            const MutexLock lock(queueMutex);
            const Zap queue = MP_TRY(Zap::open(*objset, reader().unlinkedSet, context));
            batch = MP_TRY(queue.list(cursor, kBatch, context));
        }
        const MutexLock lock(retainedMutex);
        for (const auto& [next, entry] : batch.entries) {
            if (const ObjectId object(entry.first()); !retained.contains(object)) {
                released.push_back(object);
            }
        }
        queueCursor =
            batch.next == Zap::kEnd ? std::nullopt : std::optional<std::uint64_t>(batch.next);
    }
}

Result<bool> FileSystemWriter::drainUnlinked(std::size_t steps)
{
    const ReadContext context;
    for (; steps != 0; --steps) {
        const std::optional<ObjectId> object = MP_TRY(d->nextReleased(context));
        if (!object) {
            return false;
        }
        const Result<bool> gone = d->freeStep(*object, context);
        if (!gone && !gone.error().is(ErrorCode::NoSuchObject)) {
            return std::unexpected(gone.error()); // the queue on disk still has it
        }
        if (gone && !*gone) {
            const MutexLock lock(d->retainedMutex);
            d->released.push_front(*object);
        }
    }
    const MutexLock lock(d->retainedMutex);
    return !d->released.empty() || d->queueCursor.has_value();
}

} // namespace millpond::posix
