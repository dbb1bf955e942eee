// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fuse/node_uses.h"
#include "fuse/read_ahead.h"
#include "fuse/tree.h"

#include <functional>
#include <sys/stat.h>
#include <sys/statvfs.h>

namespace millpond::fuse {

using posix::ReadContext;

/// An open file or directory. Keeps its dataset busy, and the object, whatever happens to its
/// names.
class Handle
{
public:
    /// How the file is used.
    struct Use
    {
        bool writes = false; ///< open for writing
        bool direct = false; ///< past the kernel's pages
    };

    /// `open` is null for a folder that is no object. With `isRetained` the caller hands a retain()
    /// of its own over.
    Handle(OpenFileSystemRef open,
           std::uint64_t nodeId,
           ObjectId object,
           OpenCount count,
           bool isRetained = false);
    ~Handle();
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    /// Null for a folder that is no object.
    [[nodiscard]] posix::FileSystem* fileSystem() const
    {
        return m_open ? m_open->files.get() : nullptr;
    }

    /// Null where nothing can be changed.
    [[nodiscard]] posix::FileSystemWriter* writer() const
    {
        return m_open ? m_open->writer.get() : nullptr;
    }

    /// For what may outlive the handle.
    [[nodiscard]] const OpenFileSystemRef& open() const { return m_open; }

    [[nodiscard]] std::uint64_t nodeId() const { return m_nodeId; }

    [[nodiscard]] ObjectId object() const { return m_object; }

    [[nodiscard]] bool isCachedWriter() const { return m_uses != nullptr; }

    /// From now on the kernel may have pages of it that we have not; `uses` outlives the handle.
    void setCachedWriter(NodeUses& uses);

    ReadAhead readAhead;

private:
    OpenFileSystemRef m_open;
    std::uint64_t m_nodeId;
    ObjectId m_object;
    OpenCount m_count;
    NodeUses* m_uses = nullptr; ///< where it is counted as a writer through the cache
};

/// Who owns the folders that are in no dataset.
struct FolderOwner
{
    uid_t user = 0;
    gid_t group = 0;
};

/// A mount as its nodes: what each request of the kernel is answered with, in terms of node numbers
/// but without the kernel. Thread-safe. Every call answers WouldBlock under Wait::CachedOnly where
/// it would have to wait, without effect. Errors: those of posix::FileSystem; NoSuchObject for a
/// number that stands for nothing here (any more).
class View
{
public:
    using Attributes = posix::Attributes;

    View(Tree& tree, FolderOwner owner)
        : m_tree(tree)
        , m_owner(owner)
    {
    }

    struct Entry
    {
        std::uint64_t nodeId = 0; ///< 0: has no name here (only in listings)
        std::uint64_t generation = 0;
        struct stat attributes = {};
        bool nameMayStay = true; ///< false: only the dataset knows which names are the same
        OpenFileSystemRef open;  ///< of an object that may lose its names: to be counted in uses()
        ObjectId object;
        bool isRetained = false; ///< comes with a retain(), which goes over to uses()
    };

    /// Also "." and "..". NoSuchEntry.
    [[nodiscard]] Result<Entry>
    lookup(std::uint64_t parent, std::string_view name, const ReadContext& context);
    /// False where the kernel may not remember that a name is missing.
    [[nodiscard]] bool missingNamesStay(std::uint64_t parent);
    [[nodiscard]] Result<struct stat> attributes(std::uint64_t nodeId, const ReadContext& context);
    [[nodiscard]] Result<std::string> readLink(std::uint64_t nodeId, const ReadContext& context);

    struct Listed
    {
        const std::string& name;
        std::uint64_t cookie; ///< to go on after this entry
        /// Of a plain listing: st_ino and the type alone.
        const Entry& entry;
    };

    /// Hands on the entries after `cookie` (0 begins) until `sink` returns false: that entry has
    /// not been taken. With `details` each comes with its attributes, where it can. Under
    /// CachedOnly it may have handed on some entries before WouldBlock.
    [[nodiscard]] Status list(std::uint64_t nodeId,
                              std::uint64_t cookie,
                              bool details,
                              const std::function<bool(const Listed&)>& sink,
                              const ReadContext& context);
    [[nodiscard]] Result<std::unique_ptr<Handle>> open(std::uint64_t nodeId,
                                                       const ReadContext& context);
    /// Names, each with a NUL behind it.
    [[nodiscard]] Result<std::string> xattrNames(std::uint64_t nodeId, const ReadContext& context);
    [[nodiscard]] Result<std::vector<std::byte>>
    xattr(std::uint64_t nodeId, const std::string& name, const ReadContext& context);
    /// Of the dataset the node is in. Waits: WouldBlock under CachedOnly.
    [[nodiscard]] Result<struct statvfs> space(std::uint64_t nodeId, const ReadContext& context);

    struct Flags
    {
        std::uint32_t fileFlags = 0; ///< FS_*_FL
        std::uint32_t xflags = 0;    ///< FS_XFLAG_*
        std::uint32_t projectId = 0;
    };

    [[nodiscard]] Result<Flags> flags(std::uint64_t nodeId, const ReadContext& context);

    // --- Changes (view_changes.cpp) ---
    //
    // Errors: those of posix::FileSystemWriter; ReadOnly where nothing can be changed, also for
    // folders that are no objects; CrossesBoundary between datasets; DatasetBusy for the place of a
    // dataset.

    struct Place
    {
        std::uint64_t parent;
        std::string_view name;
    };

    [[nodiscard]] Result<Entry>
    create(const Place& place, const posix::NewFile& file, const ReadContext& context);
    /// O_TMPFILE.
    [[nodiscard]] Result<Entry>
    createUnnamed(std::uint64_t parent, const posix::NewFile& file, const ReadContext& context);
    [[nodiscard]] Result<Entry>
    link(std::uint64_t nodeId, const Place& place, const ReadContext& context);
    [[nodiscard]] Status unlink(const Place& place, const ReadContext& context);
    [[nodiscard]] Status removeDirectory(const Place& place, const ReadContext& context);
    [[nodiscard]] Status
    rename(const Place& from, const Place& to, posix::RenameMode mode, const ReadContext& context);
    [[nodiscard]] Result<struct stat> setAttributes(std::uint64_t nodeId,
                                                    const posix::AttributeSettings& settings,
                                                    const ReadContext& context);
    [[nodiscard]] Status setXattr(std::uint64_t nodeId,
                                  const std::string& name,
                                  Bytes value,
                                  posix::XattrMode mode,
                                  const ReadContext& context);
    [[nodiscard]] Status
    removeXattr(std::uint64_t nodeId, const std::string& name, const ReadContext& context);
    /// The file flags or, `extended`, the xflags and the project. UnsupportedFeature.
    [[nodiscard]] Status
    setFlags(std::uint64_t nodeId, const Flags& flags, bool extended, const ReadContext& context);
    /// The handle of an entry that has just been made.
    [[nodiscard]] Result<std::unique_ptr<Handle>> openNew(const Entry& entry,
                                                          const ReadContext& context);
    /// Makes what was changed in the handle's dataset permanent.
    [[nodiscard]] Status sync(const Handle& handle, const ReadContext& context);
    /// Whether the dataset's limits allow for pages that the kernel keeps (DESIGN 8.2).
    [[nodiscard]] static bool mayCacheWrites(const Handle& handle);

    [[nodiscard]] NodeUses& uses() { return m_uses; }

    [[nodiscard]] FileSystems& fileSystems() { return m_tree.fileSystems(); }

private:
    /// A node with what belongs to it. `fileSystem` is null for folders.
    struct Located
    {
        Node node;
        Tree::Place place;
        FileSystemRef fileSystem;
        OpenFileSystemRef open;
        bool isDatasetRoot = false; ///< the root directory of a dataset (not of a snapshot)

        [[nodiscard]] posix::FileSystemWriter* writer() const
        {
            return open ? open->writer.get() : nullptr;
        }
    };

    /// Where a name is to be changed: its directory, which can be written to.
    [[nodiscard]] Result<Located> directoryOf(const Place& place, const ReadContext& context);
    /// The same, and that the name is no dataset's place.
    [[nodiscard]] Result<Located> directoryOfEntry(const Place& place, const ReadContext& context);
    [[nodiscard]] Result<Located> locateWritable(std::uint64_t nodeId, const ReadContext& context);
    [[nodiscard]] Result<Entry> entryOf(const Located& directory, const Attributes& attributes);

    [[nodiscard]] Result<Located> locate(std::uint64_t nodeId, const ReadContext& context);
    [[nodiscard]] Result<Located> locate(Node node, const ReadContext& context);
    [[nodiscard]] Result<Located> locateObject(std::uint64_t nodeId, const ReadContext& context);
    [[nodiscard]] Result<Located>
    child(const Located& parent, std::string_view name, const ReadContext& context);
    [[nodiscard]] Result<Located> parentOf(const Located& located, const ReadContext& context);
    [[nodiscard]] Result<Entry> entryOf(const Located& located, const ReadContext& context);
    [[nodiscard]] Result<struct stat> statOf(const Located& located, const ReadContext& context);
    [[nodiscard]] struct stat folderStat(const Located& located) const;

    [[nodiscard]] struct stat shownStat(const Attributes& attributes, const Node& node) const;

    class Lister;

    Tree& m_tree;
    const FolderOwner m_owner;
    NodeUses m_uses;
};

} // namespace millpond::fuse
