// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writing to a file system: theory. What is on disk: file_system.cpp.
//
// Purpose. Names, contents and attributes of files are changed as POSIX has it, in a LiveObjectSet,
// and so that OpenZFS finds everything as it would have written it.
//
// A change. Each call is one transaction in one txg (writer_transaction.cpp): it takes a hold, then
// the locks of all objects it concerns, looks whether it can be done, changes tables and contents
// at once and, at the end, the attributes it edited in memory. When something fails on the way,
// what was done is taken back in memory, under the same locks: nobody has seen it, and it is in no
// txg.
//
// Which objects a name leads to is known only after a look. So a call first looks without a hold
// (which also brings into memory what it will read), then locks, looks again, and begins anew when
// the name leads elsewhere by now.
//
// What OpenZFS counts and we keep up: a directory's size is its entries and 2, its links are 2 and
// its subdirectories; `parent` of a file is the directory of its newest name; generation is the txg
// an object was made in; flags tell of changes (archive, modified).
//
// Unlinked objects. An object that loses its last name has no links. When nobody retains it and it
// is small, it goes away in the same change. Else its number is put into the delete queue, a ZAP,
// with the same change; the last release(), or drainUnlinked(), frees it: large files in pieces of
// bounded size, one transaction each, from front to end. After a crash the queue holds what was
// unlinked and open, and what was being freed.
//
// Moves. A directory that moves to another one must not come to lie below itself. All such moves
// exclude each other by one lock of their own, taken together with the others; while it is held no
// directory's parent changes, so the way from the target up to the root can be walked.
//
// Invariants.
//   INV-1 A hold is taken before any object's lock, all locks of a change are taken together, and
//         nobody who has a lock waits for a hold: no deadlock.
//   INV-2 Links, sizes, names and the delete queue fit each other in every txg.
//   INV-3 An object without links is in the delete queue or does not exist.
//   INV-4 What files() shows is never older than a change that has returned.
//
// Concurrency. Any thread. Under Wait::CachedOnly a call waits for nothing.
//
// Failure. A call that fails has changed nothing. A sync that fails ends it for the whole pool.
//
// Cost. A change holds its txg for some microseconds; creating a file touches one block of the
// directory and two dnodes.
//
// Sources: OpenZFS zfs_vnops_os.c, zfs_dir.c, zfs_znode_os.c, zfs_acl.c (Linux), zfs_sa.c.
#include "posix/file_system_writer.h"

#include "object/zap.h"
#include "posix/detail/writer_private.h"

namespace millpond::posix {

using object::AttributeTable;
using object::AttributeWriter;
using object::Zap;

FileSystemWriter::FileSystemWriter(std::unique_ptr<Private> data)
    : d(std::move(data))
{
}

FileSystemWriter::~FileSystemWriter() = default;

Result<std::unique_ptr<FileSystemWriter>>
FileSystemWriter::open(std::shared_ptr<object::LiveObjectSet> objset,
                       txg::TransactionGroups& groups,
                       const Clock& clock,
                       const WriteOptions& options,
                       const ShowOptions& show,
                       const ReadContext& context)
{
    auto d = std::make_unique<Private>(objset, groups, clock);
    d->files = MP_TRY(FileSystem::open(objset, show, context));
    FileSystem::Private& reader = d->reader();
    if (reader.version != format::kZplVersionSystemAttributes) {
        return fail(ErrorCode::UnsupportedVersion,
                    "only file systems of version 5 can be written to",
                    {.objset = objset->id()});
    }
    if (reader.unlinkedSet.value() == 0) {
        return fail(
            ErrorCode::BadDataset, "the file system has no delete queue", {.objset = objset->id()});
    }
    const Zap master = MP_TRY(Zap::open(*objset, format::kMasterNodeObject, context));
    const auto numberOr0 = [&](std::string_view key) -> Result<std::uint64_t> {
        const auto number = master.number(key, context);
        return number || !number.error().is(ErrorCode::NoSuchEntry) ? number
                                                                    : Result<std::uint64_t>(0);
    };
    d->utf8Only = MP_TRY(numberOr0("utf8only")) != 0 || reader.matching.normalization != 0;
    d->foldsCase = MP_TRY(numberOr0("casesensitivity")) != 0;
    const ObjectId attributes(MP_TRY(numberOr0(format::kMasterSaAttributes)));
    d->attributeWriter = MP_TRY(AttributeWriter::open(*objset, attributes, context));
    d->attributeWriter->setListener([&reader](std::shared_ptr<const AttributeTable> table) {
        reader.setAttributeTable(std::move(table));
    });
    reader.setAttributeTable(d->attributeWriter->table());
    reader.locks = std::make_unique<detail::ObjectLocks>();
    reader.isDirty = [set = objset.get()](ObjectId object) { return set->isDirty(object); };
    d->hasProjects =
        options.projectIds && objset->header().sizeBytes >= format::ObjsetPhys::kBytesV3;
    {
        const MutexLock lock(d->optionsMutex);
        d->options = std::make_shared<const WriteOptions>(options);
    }
    {
        const MutexLock lock(d->retainedMutex);
        d->queueCursor = Zap::kBegin;
    }
    return std::unique_ptr<FileSystemWriter>(new FileSystemWriter(std::move(d)));
}

const std::shared_ptr<FileSystem>& FileSystemWriter::files() const
{
    return d->files;
}

void FileSystemWriter::setOptions(const WriteOptions& options)
{
    auto changed = std::make_shared<const WriteOptions>(options);
    const MutexLock lock(d->optionsMutex);
    d->options = std::move(changed);
}

WriteOptions FileSystemWriter::options() const
{
    return *d->currentOptions();
}

std::shared_ptr<const WriteOptions> FileSystemWriter::Private::currentOptions() const
{
    const MutexLock lock(optionsMutex);
    return options;
}

Txg FileSystemWriter::group() const
{
    return Txg(d->lastGroup.load());
}

bool FileSystemWriter::usedLongNames() const
{
    return d->longNamesUsed.load();
}

Result<FileSystemWriter::AttributesRef> FileSystemWriter::Private::shown(ObjectId object,
                                                                         const ReadContext& context)
{
    return files->attributes(object, context);
}

ErrorContext FileSystemWriter::Private::at(ObjectId object) const
{
    return {.objset = objset->id(), .object = object};
}

} // namespace millpond::posix
