// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "object/attribute_writer.h"
#include "object/zap_writer.h"
#include "posix/detail/file_system_private.h"
#include "posix/detail/object_locks.h"
#include "posix/detail/range_locks.h"
#include "posix/detail/znode_attributes.h"
#include "posix/file_system_writer.h"

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace millpond::posix {

/// One change while it is being made: under a hold, with the locks of all objects it concerns.
///
/// Attributes are edited in memory and written at the end; everything else (tables, contents) is
/// changed at once. Who changes something at once says how to take it back. So: first look
/// whether all can be done, then change.
class FileSystemWriter::Transaction
{
public:
    Transaction(Private& writer, Txg txg, const ReadContext& context);

    [[nodiscard]] Txg txg() const { return m_txg; }

    /// What all times of this change are set to.
    [[nodiscard]] Time now() const { return m_now; }

    [[nodiscard]] const ReadContext& context() const { return m_context; }

    [[nodiscard]] object::ZapWriter zaps() const;

    /// An object's attributes, to be changed in place; the object is locked, or made here. The
    /// pointer stays valid to the end; asking again gives the same. What lies in the old znode
    /// becomes system attributes with the first change.
    [[nodiscard]] Result<detail::Znode*> edit(ObjectId object);
    /// A new object with these attributes (number and generation are set here): a file without
    /// content or a directory without entries. It needs no lock.
    [[nodiscard]] Result<detail::Znode*> make(detail::Znode znode);
    /// What is to be done should the change fail further on; last one first.
    void onFailure(std::function<Status()> undo);
    /// The object, which is locked, goes away when all else has succeeded. Its attributes are not
    /// written any more.
    void freeAtEnd(ObjectId object);

private:
    friend struct Private;

    struct Edited
    {
        ObjectId object;
        std::optional<detail::Znode> before; ///< absent: made here
        detail::Znode now;
        bool written = false;
        bool freed = false;
    };

    [[nodiscard]] Edited* find(ObjectId object);
    [[nodiscard]] Status convertOldZnode(Edited& edited);
    [[nodiscard]] Status write(Edited& edited);
    [[nodiscard]] Status commit();
    void rollBack();

    Private& m_writer;
    const Txg m_txg;
    const Time m_now;
    const ReadContext m_context;
    std::deque<Edited> m_edited;
    std::vector<std::function<Status()>> m_undo;
    std::vector<ObjectId> m_freed;
};

/// What a FileSystemWriter's parts share.
struct FileSystemWriter::Private
{
    using Lock = detail::ObjectLocks::Request; ///< exclusive unless it says otherwise

    /// Held by every move of a directory to another one: no object has this number. Together with
    /// what is locked anyway it keeps the parents of all directories as they are.
    static constexpr ObjectId kMoveLock{0};

    Private(std::shared_ptr<object::LiveObjectSet> set,
            txg::TransactionGroups& transactionGroups,
            const Clock& wallClock)
        : objset(std::move(set))
        , groups(transactionGroups)
        , clock(wallClock)
    {
    }

    struct ChangeRequest
    {
        std::vector<Lock> locks;
        /// Bytes it makes dirty, about.
        ByteCount dirty{64 * KiB};
        /// Gives back space in the end.
        bool freeing = false;
        /// The engine's own work: neither slowed nor refused.
        bool own = false;
    };

    /// Makes one change. `apply` does it, under the hold and the locks; when it fails, or writing
    /// the attributes afterwards, all is taken back. The lock of a file is also that of its
    /// extended attributes, whatever objects they are in.
    using Apply = FunctionRef<Status(Transaction& change)>;
    [[nodiscard]] Status
    change(const ChangeRequest& request, const ReadContext& context, Apply apply);
    /// The usual case: one object.
    [[nodiscard]] Status change(ObjectId object, const ReadContext& context, Apply apply);

    [[nodiscard]] std::shared_ptr<const WriteOptions> currentOptions() const;
    /// The newest attributes as files() shows them.
    [[nodiscard]] Result<AttributesRef> shown(ObjectId object, const ReadContext& context);

    [[nodiscard]] FileSystem::Private& reader() const { return *files->d; }

    [[nodiscard]] ErrorContext at(ObjectId object) const;

    // Names (writer_names.cpp, writer_rename.cpp).

    struct Entry
    {
        std::string name; ///< as stored
        ObjectId object;
        FileType type = FileType::Unknown;
    };

    [[nodiscard]] Status checkNewName(std::string_view name) const;
    /// By the file system's rule; the caller keeps the directory as it is.
    [[nodiscard]] Result<std::optional<Entry>> find(const DirectoryPlace& place,
                                                    const ReadContext& context) const;
    /// The directory of a change; NotDirectory, NoSuchEntry when it was removed itself.
    [[nodiscard]] Result<detail::Znode*> directory(Transaction& change, ObjectId object) const;
    [[nodiscard]] Result<detail::Znode>
    newZnode(Transaction& change, const detail::Znode& parent, const NewFile& file) const;
    [[nodiscard]] Status addEntry(Transaction& change,
                                  detail::Znode& directory,
                                  std::string_view name,
                                  const detail::Znode& object);
    [[nodiscard]] Status removeEntry(Transaction& change,
                                     detail::Znode& directory,
                                     std::string_view storedName,
                                     const detail::Znode& object);
    /// After a name was removed: one link less; without the last one the object is freed, or queued
    /// for that while somebody retains it.
    [[nodiscard]] Status dropLink(Transaction& change, detail::Znode& object);
    [[nodiscard]] Result<ObjectId>
    removeName(const DirectoryPlace& place, bool isDirectory, const ReadContext& context);

    // Contents (writer_contents.cpp).

    /// A regular file whose content may be changed at all; with `shortening` also bytes it has.
    [[nodiscard]] Result<AttributesRef>
    changeableFile(ObjectId object, bool shortening, const ReadContext& context);
    /// Makes the file's size what is asked for. `more` is applied by the transaction that does, or
    /// by the last one, where the file is too large for one; before anything is given up.
    [[nodiscard]] Status
    resize(ObjectId object, std::uint64_t size, const ReadContext& context, Apply more);
    [[nodiscard]] Status
    shortenInPieces(ObjectId object, std::uint64_t size, const ReadContext& context);
    [[nodiscard]] Status
    punchInPieces(ObjectId object, const detail::RangeLocks::Range& range, const ReadContext& c);
    /// What Linux drops when a file is written to or gets another owner: setuid, setgid of what a
    /// group may execute, capabilities.
    [[nodiscard]] Status dropPrivileges(Transaction& change, detail::Znode& file, bool modeToo);

    // Attributes (writer_attributes.cpp, writer_xattrs.cpp).

    [[nodiscard]] Status
    applySettings(Transaction& change, detail::Znode& file, const AttributeSettings& settings);
    /// The mode's permission bits, and all that has to fit them.
    [[nodiscard]] Status setMode(Transaction& change, detail::Znode& file, std::uint32_t mode);
    [[nodiscard]] Status
    setOwners(Transaction& change, detail::Znode& file, const AttributeSettings& settings);
    /// Makes owners and project of what holds the file's extended attributes the file's.
    [[nodiscard]] Status passOwnersOn(Transaction& change, const detail::Znode& file);
    /// An extended attribute by its stored name. Nothing: removes it, wherever it is. Returns
    /// whether it was there.
    [[nodiscard]] Result<bool> storeXattr(Transaction& change,
                                          detail::Znode& file,
                                          std::string_view stored,
                                          std::optional<Bytes> value);
    [[nodiscard]] Status
    addXattrFile(Transaction& change, detail::Znode& file, std::string_view stored, Bytes value);
    [[nodiscard]] Status
    removeXattrFile(Transaction& change, const detail::Znode& file, std::string_view stored);

    // Life of unlinked files (writer_unlinked.cpp).

    [[nodiscard]] Status queueUnlinked(Transaction& change, ObjectId object);
    [[nodiscard]] Status unqueueUnlinked(Transaction& change, ObjectId object);
    /// Whether one transaction is enough to free the object and all that belongs to it.
    [[nodiscard]] Result<bool> isSmall(const detail::Znode& znode, const ReadContext& context);
    /// The object and what belongs to it go away with this change; its extended attribute
    /// directory goes to the queue.
    [[nodiscard]] Status freeObject(Transaction& change, const detail::Znode& znode);
    /// One step of freeing; true: the object is gone.
    [[nodiscard]] Result<bool> freeStep(ObjectId object, const ReadContext& context);

    std::shared_ptr<object::LiveObjectSet> objset;
    txg::TransactionGroups& groups;
    const Clock& clock;
    std::shared_ptr<FileSystem> files;
    std::unique_ptr<object::AttributeWriter> attributes;
    bool utf8Only = false;
    bool foldsCase = false; ///< tables hash names without case
    /// Objects can carry a project: the layout has accounts for them.
    bool hasProjects = false;
    /// For all who change contents; taken before the hold.
    detail::RangeLocks ranges;

    mutable Mutex optionsMutex; ///< a leaf
    std::shared_ptr<const WriteOptions> options MP_GUARDED_BY(optionsMutex);

    std::atomic<std::uint64_t> lastGroup{0};
    std::atomic<bool> longNamesUsed{false};

    struct Retained
    {
        std::uint64_t count = 0;
        bool unlinked = false;
    };

    /// A leaf. Objects in use, and those to be freed when they no longer are.
    mutable Mutex retainedMutex;
    std::unordered_map<ObjectId, Retained> retained MP_GUARDED_BY(retainedMutex);
    std::deque<ObjectId> released MP_GUARDED_BY(retainedMutex);
    /// The queue on disk may hold more than is known here: read on from there.
    std::optional<std::uint64_t> queueCursor MP_GUARDED_BY(retainedMutex);
};

} // namespace millpond::posix
