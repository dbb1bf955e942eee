// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fuse/read_ahead.h"
#include "fuse/tree.h"

#include <functional>
#include <sys/stat.h>
#include <sys/statvfs.h>

namespace millpond::fuse {

using posix::ReadContext;

/// An open file or directory. Keeps its dataset busy.
class Handle
{
public:
    Handle(FileSystemRef fileSystem, ObjectId object, OpenCount count)
        : m_fileSystem(std::move(fileSystem))
        , m_object(object)
        , m_count(std::move(count))
    {
        m_count->fetch_add(1);
    }

    ~Handle() { m_count->fetch_sub(1); }

    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    /// Null for a folder that is no object.
    [[nodiscard]] posix::FileSystem* fileSystem() const { return m_fileSystem.get(); }

    /// For what may outlive the handle.
    [[nodiscard]] const FileSystemRef& sharedFileSystem() const { return m_fileSystem; }

    [[nodiscard]] ObjectId object() const { return m_object; }

    ReadAhead readAhead;

private:
    FileSystemRef m_fileSystem;
    ObjectId m_object;
    OpenCount m_count;
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

private:
    /// A node with what belongs to it. `fileSystem` is null for folders.
    struct Located
    {
        Node node;
        Tree::Place place;
        FileSystemRef fileSystem;
        bool isDatasetRoot = false; ///< the root directory of a dataset (not of a snapshot)
    };

    [[nodiscard]] Result<Located> locate(std::uint64_t nodeId, const ReadContext& context);
    [[nodiscard]] Result<Located> locate(Node node, const ReadContext& context);
    [[nodiscard]] Result<Located> locateObject(std::uint64_t nodeId, const ReadContext& context);
    [[nodiscard]] Result<Located>
    child(const Located& parent, std::string_view name, const ReadContext& context);
    [[nodiscard]] Result<Located> parentOf(const Located& located, const ReadContext& context);
    [[nodiscard]] Result<Entry> entryOf(const Located& located, const ReadContext& context);
    [[nodiscard]] Result<struct stat> statOf(const Located& located, const ReadContext& context);
    [[nodiscard]] struct stat folderStat(const Located& located) const;

    class Lister;

    Tree& m_tree;
    const FolderOwner m_owner;
};

} // namespace millpond::fuse
