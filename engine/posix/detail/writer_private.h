// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/function_ref.h"
#include "base/mutex.h"
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
    /// What is to be noted when the change has succeeded; quick, with the locks still held.
    void onSuccess(std::function<void()> note);
    /// What files() will show of an object that is edited as it is now: the last to be asked for,
    /// so that nobody has to read it after the change.
    [[nodiscard]] Result<AttributesRef> shown(ObjectId object);
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
    /// Puts into the cache what is as it was made here.
    void remember();

    Private& m_writer;
    const Txg m_txg;
    const Time m_now;
    const ReadContext m_context;
    std::deque<Edited> m_edited;
    std::vector<std::function<Status()>> m_undo;
    std::vector<std::function<void()>> m_notes;
    std::vector<ObjectId> m_freed;
    std::vector<AttributesRef> m_shown;
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

    /// Makes one change (or none, when `apply` changed nothing). `apply` does it, under the hold
    /// and the locks; when it fails, or writing the attributes afterwards, all is taken back. The
    /// lock of a file is also that of its extended attributes, whatever objects they are in.
    /// Nothing in `apply` may call files(), which takes locks.
    [[nodiscard]] Result<txg::Hold> admitted(const ChangeRequest& request, bool mayWait);

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

    [[nodiscard]] Status checkNewName(const DirectoryPlace& place) const;
    /// By the file system's rule; the caller keeps the directory as it is.
    [[nodiscard]] Result<std::optional<Entry>> find(const DirectoryPlace& place,
                                                    const ReadContext& context) const;
    /// The same before anything is locked; it may be otherwise a moment later.
    [[nodiscard]] Result<std::optional<Entry>> look(const DirectoryPlace& place,
                                                    const ReadContext& context) const;
    /// The directory of a change; NotDirectory, NoSuchEntry when it was removed itself.
    [[nodiscard]] Result<detail::Znode*> directory(Transaction& change, ObjectId object) const;
    [[nodiscard]] Status canAdd(const detail::Znode& directory) const;
    [[nodiscard]] Status canRemove(const detail::Znode& directory,
                                   const detail::Znode& object) const;
    /// CrossesBoundary: objects of other projects must not come into the directory.
    [[nodiscard]] Status checkProject(const detail::Znode& directory,
                                      const detail::Znode& object) const;
    [[nodiscard]] Status checkEmpty(Transaction& change, const detail::Znode& directory) const;
    [[nodiscard]] Result<detail::Znode>
    newZnode(const Transaction& change, const detail::Znode& parent, const NewFile& file) const;
    /// Makes the object of a file; its ACL comes from the directory's default ACL.
    [[nodiscard]] Result<detail::Znode*>
    makeFile(Transaction& change, const detail::Znode& parent, const NewFile& file);
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

    struct Move
    {
        DirectoryPlace from;
        DirectoryPlace to;
        RenameMode mode = RenameMode::Replace;
        Entry source;
        std::optional<Entry> target;
    };

    /// False: the names lead elsewhere by now.
    [[nodiscard]] Result<bool> stillThere(const Transaction& change, Move& move) const;
    [[nodiscard]] Status applyMove(Transaction& change, const Move& move);
    [[nodiscard]] Status exchange(Transaction& change, const Move& move);
    [[nodiscard]] Status replace(Transaction& change, const Move& move);
    [[nodiscard]] Status changeCase(Transaction& change, const Move& move);
    /// InvalidArgument when `directory` is `object` or lies below it.
    [[nodiscard]] Status
    checkNotBelow(ObjectId directory, ObjectId object, const ReadContext& context) const;

    // Contents (writer_contents.cpp).

    struct Piece;

    /// Writes what one transaction writes; the caller has locked the range.
    [[nodiscard]] Status
    writePiece(ObjectId object, Piece& piece, bool modeToo, const ReadContext& context);
    /// A regular file whose content may be changed at all; with `shortening` also bytes it has.
    [[nodiscard]] Result<AttributesRef>
    changeableFile(ObjectId object, bool shortening, const ReadContext& context);

    struct Size
    {
        std::uint64_t bytes = 0;
        bool atLeast = false; ///< never shorten
    };

    /// Makes the file's size what is asked for. `more` is applied by the transaction that does (the
    /// last one, where the file is too large for one) before anything is given up.
    [[nodiscard]] Status
    resize(ObjectId object, const Size& size, const ReadContext& context, Apply more);
    [[nodiscard]] Status
    shortenInPieces(ObjectId object, std::uint64_t size, const ReadContext& context);
    [[nodiscard]] Status
    punchPiece(ObjectId object, const detail::RangeLocks::Range& range, const ReadContext& context);
    /// What Linux drops when a file is written to or gets another owner: setuid, setgid of what a
    /// group may execute, capabilities.
    [[nodiscard]] Status dropPrivileges(Transaction& change, detail::Znode& file, bool modeToo);

    // Attributes (writer_attributes.cpp, writer_xattrs.cpp).

    [[nodiscard]] Status
    applySettings(Transaction& change, detail::Znode& file, const AttributeSettings& settings);
    /// The mode's permission bits, and all that has to fit them.
    [[nodiscard]] Status setMode(Transaction& change, detail::Znode& file, std::uint32_t mode);
    /// But for a POSIX ACL.
    [[nodiscard]] Status
    setModeAndEntries(Transaction& change, detail::Znode& file, std::uint32_t mode);
    [[nodiscard]] Status
    setOwners(Transaction& change, detail::Znode& file, const AttributeSettings& settings);
    /// Makes owners and project of what holds the file's extended attributes the file's.
    [[nodiscard]] Status passOwnersOn(Transaction& change, const detail::Znode& file);
    /// NotPermitted where flags forbid it.
    [[nodiscard]] Status checkAttributesChangeable(const detail::Znode& file) const;
    /// The names an attribute may be stored under; new ones get the first.
    [[nodiscard]] Result<std::vector<std::string>> xattrNamesToStore(ObjectId object,
                                                                     std::string_view name) const;
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

    [[nodiscard]] Status editQueue(object::ZapWriter zaps, ObjectId object, bool add);
    [[nodiscard]] Status queueUnlinked(Transaction& change, ObjectId object);
    [[nodiscard]] Status unqueueUnlinked(Transaction& change, ObjectId object);
    [[nodiscard]] bool isRetained(ObjectId object) const;
    /// Whether one transaction is enough to free the object's blocks.
    [[nodiscard]] Result<bool> isSmall(const detail::Znode& znode, const ReadContext& context);
    /// The object goes away with this change; the directory of its extended attributes goes into
    /// the queue.
    [[nodiscard]] Status freeObject(Transaction& change, const detail::Znode& znode);
    /// One step of freeing what is in the queue; true: nothing is left to do for the object.
    [[nodiscard]] Result<bool> freeStep(ObjectId object, const ReadContext& context);
    [[nodiscard]] Status freePiece(ObjectId object, ByteOffset data, const ReadContext& context);
    [[nodiscard]] Result<bool> freeWhole(ObjectId object, const ReadContext& context);
    /// Some of the files in a directory of extended attributes go away.
    [[nodiscard]] Status purgeXattrs(Transaction& change, detail::Znode& directory);
    /// What is to be freed next; from the queue on disk when no more is known here.
    [[nodiscard]] Result<std::optional<ObjectId>> nextReleased(const ReadContext& context);

    std::shared_ptr<object::LiveObjectSet> objset;
    txg::TransactionGroups& groups;
    const Clock& clock;
    std::shared_ptr<FileSystem> files;
    std::unique_ptr<object::AttributeWriter> attributeWriter;
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
    /// Of the delete queue's table, which many changes share: held for one operation on it, below
    /// the locks of objects.
    Mutex queueMutex;
};

} // namespace millpond::posix
