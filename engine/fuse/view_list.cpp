// SPDX-License-Identifier: GPL-3.0-or-later
//
// Listing directories. A cookie says where to go on, and means the same however often a listing is
// begun anew:
//   1, 2, 3                    after ".", "..", ".zfs"
//   2^61 + object set          after the child dataset of that object set
//   2^61 + 1 + index           after a snapshot, in .zfs/snapshot
//   2^62 + cursor              in the directory itself, at a cursor of posix/ (below 2^60)
//   2^62 + 2^61                the end
// Child datasets come first, by object set; an entry of the directory with the name of one is left
// out, for it is what the dataset is mounted over.
#include "fuse/view.h"
#include "object/zap.h"

#include <algorithm>

namespace millpond::fuse {

namespace {
constexpr std::uint64_t kAfterSelf = 1;
constexpr std::uint64_t kAfterParent = 2;
constexpr std::uint64_t kAfterControl = 3;
constexpr std::uint64_t kChildren = std::uint64_t{1} << 61U;
constexpr std::uint64_t kStored = std::uint64_t{1} << 62U;
constexpr std::uint64_t kEnd = kStored + kChildren;
constexpr std::uint64_t kCursorLimit = std::uint64_t{1} << 60U;
constexpr std::size_t kAtOnce = 64;

std::uint64_t cookieOf(std::uint64_t cursor)
{
    return cursor < kCursorLimit ? kStored + cursor : kEnd;
}
} // namespace

/// One call of list().
class View::Lister
{
public:
    Lister(View& view,
           const Located& folder,
           bool details,
           const std::function<bool(const Listed&)>& sink,
           const ReadContext& context)
        : m_view(view)
        , m_folder(folder)
        , m_details(details)
        , m_sink(sink)
        , m_context(context)
    {
    }

    Status run(std::uint64_t cookie)
    {
        if (cookie < kChildren) {
            dots(cookie);
            cookie = kChildren;
        }
        if (!m_full && cookie < kStored) {
            MP_TRY(children(cookie - kChildren));
            cookie = kStored;
        }
        if (!m_full && cookie < kEnd && m_folder.fileSystem) {
            MP_TRY(stored(cookie - kStored));
        }
        return {};
    }

private:
    /// An entry that the kernel is told only number and type of.
    void add(const std::string& name, std::uint64_t cookie, const Node& node, mode_t type)
    {
        Entry entry;
        entry.attributes.st_ino = m_view.m_tree.numbers().inode(node);
        entry.attributes.st_mode = type;
        m_full = m_full || !m_sink({name, cookie, entry});
    }

    [[nodiscard]] bool showsControl() const
    {
        return m_folder.isDatasetRoot && m_folder.place.snapdirVisible;
    }

    void dots(std::uint64_t cookie)
    {
        if (cookie < kAfterSelf) {
            add(".", kAfterSelf, m_folder.node, S_IFDIR);
        }
        if (cookie < kAfterParent && !m_full) {
            // Of "..", nobody relies on the number: saying it would cost a read.
            add("..", kAfterParent, m_folder.node, S_IFDIR);
        }
        if (cookie < kAfterControl && !m_full && showsControl()) {
            add(".zfs",
                kAfterControl,
                {NodeKind::ControlDirectory, m_folder.node.objset, {}},
                S_IFDIR);
        }
    }

    Status children(std::uint64_t after)
    {
        const ObjsetId objset = m_folder.node.objset;
        switch (m_folder.node.kind) {
        case NodeKind::ControlDirectory:
            if (after == 0) {
                add("snapshot", kChildren + 1, {NodeKind::SnapshotFolder, objset, {}}, S_IFDIR);
            }
            return {};
        case NodeKind::SnapshotFolder:
            return snapshots(after);
        case NodeKind::Object:
            if (!m_folder.isDatasetRoot) {
                return {};
            }
            break;
        case NodeKind::DatasetFolder:
            break;
        }
        while (!m_full) {
            const auto some = m_view.m_tree.children(objset, ObjsetId(after), kAtOnce);
            if (some.empty()) {
                break;
            }
            for (const Tree::Child& child : some) {
                after = child.objset.value();
                add(child.name,
                    kChildren + after,
                    {NodeKind::DatasetFolder, child.objset, {}},
                    S_IFDIR);
                if (m_full) {
                    break;
                }
            }
        }
        return {};
    }

    Status snapshots(std::uint64_t after)
    {
        if (m_context.wait == block::Wait::CachedOnly) {
            return fail(ErrorCode::WouldBlock, "the list of snapshots has to be read");
        }
        const auto names = MP_TRY(m_view.m_tree.pool().snapshots(m_folder.place.name));
        for (std::uint64_t i = after; i < names.size() && !m_full; ++i) {
            add(names[i],
                kChildren + 1 + i,
                {NodeKind::SnapshotFolder, m_folder.node.objset, {}},
                S_IFDIR);
        }
        return {};
    }

    Status stored(std::uint64_t cursor)
    {
        posix::FileSystem& fileSystem = *m_folder.fileSystem;
        const bool isRoot = m_folder.node.object == fileSystem.root();
        while (!m_full) {
            const auto entries =
                MP_TRY(fileSystem.list(m_folder.node.object, cursor, kAtOnce, m_context));
            if (entries.empty()) {
                return {};
            }
            for (const posix::DirectoryEntry& entry : entries) {
                cursor = entry.next;
                if (!isRoot || !isCovered(entry.name)) {
                    MP_TRY(addStored(entry));
                }
                if (m_full) {
                    return {};
                }
            }
            if (cursor >= kCursorLimit) {
                return {};
            }
        }
        return {};
    }

    [[nodiscard]] bool isCovered(const std::string& name) const
    {
        return name == ".zfs" ||
               (m_folder.isDatasetRoot && m_view.m_tree.child(m_folder.node.objset, name));
    }

    Status addStored(const posix::DirectoryEntry& entry)
    {
        constexpr unsigned kTypeShift = 12;
        const Node node{NodeKind::Object, m_folder.node.objset, entry.object};
        const auto type = static_cast<mode_t>(entry.type) << kTypeShift;
        const std::uint64_t cookie = cookieOf(entry.next);
        if (!m_details) {
            add(entry.name, cookie, node, type);
            return {};
        }
        const Located located{node, m_folder.place, m_folder.fileSystem, m_folder.open, false};
        Result<Entry> full = m_view.entryOf(located, m_context);
        if (!full) {
            if (full.error().is(ErrorCode::WouldBlock)) {
                return fail(std::move(full).error());
            }
            add(entry.name, cookie, node, type); // who looks at it will meet the error
            return {};
        }
        full->nameMayStay =
            !m_folder.fileSystem->ignoresCase() && !m_folder.fileSystem->normalizes();
        m_full = !m_sink({entry.name, cookie, *full});
        return {};
    }

    View& m_view;
    const Located& m_folder;
    const bool m_details;
    const std::function<bool(const Listed&)>& m_sink;
    const ReadContext m_context;
    bool m_full = false;
};

Status View::list(std::uint64_t nodeId,
                  std::uint64_t cookie,
                  bool details,
                  const std::function<bool(const Listed&)>& sink,
                  const ReadContext& context)
{
    const Located folder = MP_TRY(locate(nodeId, context));
    return Lister(*this, folder, details, sink, context).run(cookie);
}

} // namespace millpond::fuse
