// SPDX-License-Identifier: GPL-3.0-or-later
//
// What is mounted where: theory.
//
// Purpose. From datasets with properties to as few kernel mounts as show them right, and back.
//
// Rules (placement.h). A dataset is shown inside the mount of its nearest ancestor when that is
// where its mountpoint says it belongs: then it costs nothing. It gets a kernel mount of its own
// when its mountpoint is elsewhere, when nosuid, nodev or noexec would differ, when
// millpond:mount=separate asks for it, or when its object set's number does not fit (8.4). A mount
// of its own that belongs inside another one is nested: the outer mount has a folder for it, by the
// dataset's name, so that no path inside a pool decides where something is mounted.
//
// Three ways to find a place. This machine's own pools (system): by the property mountpoint. Pools
// that are not (system): /run/millpond/POOL, nosuid and nodev, by the names of the datasets; with
// an altroot, which somebody chose, by their properties below that. Private mode:
// $HOME/Millpond/POOL, by names, one mount a pool, because fusermount3 does not mount on a folder
// of a read-only mount. By names there is always a mount for the pool, whether its root dataset is
// shown in it or a folder stands for it, and a mountpoint of none or legacy is no obstacle.
//
// In memory. One Mounted for each kernel mount: tree (what it shows), view, session. One pool of
// workers for all sessions.
//
// Invariants.
//   INV-1 The watcher is told of a path before it is mounted and after it is gone.
//   INV-2 A nested mount's place stands in the outer tree from before it is mounted until after it
//         is gone; the outer mount is unmounted after it.
//   INV-3 Threads that answer the kernel take none of this class' locks: mounting and unmounting
//         inside a mount of ours look up paths there.
//   INV-4 No path below a mount of ours is opened or looked at by us, nested mounting aside, whose
//         path is made of dataset names that the tree answers for.
//
// Concurrency. m_work lets one mount() or unmount() work at a time; m_mutex guards the list for
// those who only look. A session that ends by itself (umount(8)) is taken apart by a thread of its
// own, the reaper.
//
// Failure. A dataset that fails does not stop the others; what was made for it is undone. A crash
// leaves the mounts to the watcher (engine/daemon/mount_watcher.h).
//
// Cost. Mounting all of a pool reads ten properties of each of its filesystems.
#include "fuse/mounter.h"

#include "base/mutex.h"
#include "fuse/dataset_infos.h"
#include "fuse/placement.h"
#include "fuse/session.h"
#include "runtime/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <fcntl.h>
#include <set>
#include <thread>

namespace millpond::fuse {

namespace {
using std::chrono::milliseconds;

/// Requests that wait for devices, all mounts together. They sleep most of the time.
constexpr unsigned kWorkers = 16;
/// Requests that change something and have to wait: for devices, for txgs, because writers are
/// slowed.
constexpr unsigned kChangers = 32;
constexpr std::size_t kMaxWaiting = 4096;
constexpr milliseconds kGreeting{10'000};
constexpr milliseconds kRetry{50};
/// 8.10: a read-ahead that keeps an array of disks busy.
constexpr unsigned kReadAheadKib = 2048;
/// 8.2: what a mount's pages may be ahead of us; well below what View keeps in reserve for them.
constexpr ByteCount kMaxDirty{256 * MiB};

unsigned threadsFor(unsigned asked)
{
    constexpr unsigned kFewest = 2;
    constexpr unsigned kMost = 8;
    return asked != 0 ? asked : std::clamp(std::thread::hardware_concurrency(), kFewest, kMost);
}

/// One kernel mount.
struct Mounted
{
    Mounted(const api::PoolRef& pool, const DatasetInfo& root, FolderOwner owner)
        : tree(pool, root)
        , view(tree, owner)
    {
    }

    std::uint64_t id = 0; ///< never used twice
    MountSite site;
    std::string realPath;     ///< as the mount table has it
    std::string device;       ///< there, too
    Mounted* outer = nullptr; ///< nested in it
    std::vector<std::string> createdFolders;
    Tree tree;
    View view;
    std::unique_ptr<Session> session; ///< ends before the view
};

struct Plan
{
    const api::PoolRef& pool;
    const MountRequest& request;
    PlacementRules rules;
    DatasetInfos infos;
};

class FuseMounter final : public Mounter
{
public:
    explicit FuseMounter(const MountPolicy& policy)
        : m_policy(policy)
        , m_owner(policy.system ? FolderOwner{} : FolderOwner{::geteuid(), ::getegid()})
    {
    }

    ~FuseMounter() override;

    Status start();

    std::vector<MountOutcome> mount(const api::PoolRef& pool, const MountRequest& request) override;
    std::vector<MountOutcome> unmount(const std::string& pool,
                                      const std::vector<std::string>& targets,
                                      bool force,
                                      milliseconds patience) override;
    std::vector<MountEntry> mounts() const override;
    bool covers(const std::string& path) const override;
    void onChange(std::function<void()> observer) override;

private:
    using Clock = std::chrono::steady_clock;

    struct Leaving
    {
        bool force;
        Clock::time_point until;
    };

    Result<PlacementRules> rulesFor(const api::PoolRef& pool, const MountRequest& request) const;
    MountOutcome mountOne(Plan& plan, const DatasetInfo& info) MP_REQUIRES(m_work);
    Status place(Plan& plan, const DatasetInfo& info, const std::string& path) MP_REQUIRES(m_work);
    Status ensurePoolMount(Plan& plan) MP_REQUIRES(m_work);
    Result<Mounted*>
    mountKernel(Plan& plan, const DatasetInfo& root, const std::string& path, Mounted* outer)
        MP_REQUIRES(m_work);
    Status startMount(Mounted& mounted, const MountFolder* folder);
    static void forget(Mounted& mounted, const std::optional<Tree::Change>& change);

    std::vector<std::string> datasetsOf(const std::string& pool) const;
    std::optional<std::string> datasetAt(const std::string& target) const;
    void unmountDataset(const std::string& dataset,
                        const Leaving& leaving,
                        std::vector<MountOutcome>& outcomes) MP_REQUIRES(m_work);
    Status unmountKernel(Mounted& mounted, const Leaving& leaving) MP_REQUIRES(m_work);
    Status detach(Mounted& mounted, const Leaving& leaving) const;
    Status hide(Mounted& mounted, const std::string& dataset, const Leaving& leaving);
    void takeApart(Mounted& mounted) MP_REQUIRES(m_work);
    void dropEmpty() MP_REQUIRES(m_work);

    Mounted* siteOf(const api::PoolRef& pool, const std::string& dataset) const;
    Mounted* showing(const std::string& dataset) const;
    std::vector<Mounted*> rootedAtOrBelow(const std::string& dataset) const;

    void reap();
    bool takeApartById(std::uint64_t id);
    void onSessionEnd(std::uint64_t id);

    const MountPolicy m_policy;
    const FolderOwner m_owner;
    std::unique_ptr<runtime::ThreadPool> m_workers, m_changers;

    Mutex m_work; ///< first
    std::uint64_t m_lastId MP_GUARDED_BY(m_work) = 0;
    mutable Mutex m_mutex;
    std::vector<std::unique_ptr<Mounted>> m_mounted MP_GUARDED_BY(m_mutex);

    Mutex m_reaping;
    CondVar m_toReap;
    std::vector<std::uint64_t> m_ended MP_GUARDED_BY(m_reaping);
    bool m_stopping MP_GUARDED_BY(m_reaping) = false;
    std::function<void()> m_observer MP_GUARDED_BY(m_reaping);
    std::thread m_reaper;
};

Status FuseMounter::start()
{
    m_workers = MP_TRY(runtime::ThreadPool::create(
        {.name = "mp-fuse-wait", .threads = kWorkers, .queueLimit = kMaxWaiting}));
    m_changers = MP_TRY(runtime::ThreadPool::create(
        {.name = "mp-fuse-change", .threads = kChangers, .queueLimit = kMaxWaiting}));
    m_reaper = std::thread([this] { reap(); });
    return {};
}

FuseMounter::~FuseMounter()
{
    (void)unmount("", {}, true, milliseconds(0));
    {
        const MutexLock lock(m_reaping);
        m_stopping = true;
        m_toReap.notifyAll();
    }
    if (m_reaper.joinable()) {
        m_reaper.join();
    }
}

// ---- looking -----------------------------------------------------------------------------------

std::vector<MountEntry> FuseMounter::mounts() const
{
    const MutexLock lock(m_mutex);
    std::vector<MountEntry> entries;
    for (const auto& mounted : m_mounted) {
        const MountSite& site = mounted->site;
        for (const std::string& dataset : mounted->tree.shownAtOrBelow(site.root)) {
            entries.push_back({dataset,
                               pathBelow(site.path, site.root, dataset),
                               dataset == site.root,
                               site.options.toText()});
        }
    }
    std::ranges::sort(entries, {}, &MountEntry::dataset);
    return entries;
}

bool FuseMounter::covers(const std::string& path) const
{
    const MutexLock lock(m_mutex);
    return std::ranges::any_of(m_mounted, [&path](const auto& mounted) {
        return isPathAtOrBelow(path, mounted->site.path) ||
               isPathAtOrBelow(path, mounted->realPath);
    });
}

void FuseMounter::onChange(std::function<void()> observer)
{
    const MutexLock lock(m_reaping);
    m_observer = std::move(observer);
}

/// The mount a dataset would be in: that of its nearest ancestor which is the root of one.
Mounted* FuseMounter::siteOf(const api::PoolRef& pool, const std::string& dataset) const
{
    const MutexLock lock(m_mutex);
    Mounted* best = nullptr;
    for (const auto& mounted : m_mounted) {
        const std::string& root = mounted->site.root;
        if (&mounted->tree.pool() == pool.get() && isDatasetAtOrBelow(dataset, root) &&
            (best == nullptr || root.size() > best->site.root.size())) {
            best = mounted.get();
        }
    }
    return best;
}

Mounted* FuseMounter::showing(const std::string& dataset) const
{
    const MutexLock lock(m_mutex);
    for (const auto& mounted : m_mounted) {
        if (mounted->tree.isShown(dataset)) {
            return mounted.get();
        }
    }
    return nullptr;
}

/// The mounts of a dataset and of those below it that are seen below it, too: others do not depend
/// on it. Nested ones before what they are nested in.
std::vector<Mounted*> FuseMounter::rootedAtOrBelow(const std::string& dataset) const
{
    std::optional<std::string> top;
    if (const Mounted* mounted = showing(dataset)) {
        top = pathBelow(mounted->site.path, mounted->site.root, dataset);
    }
    const MutexLock lock(m_mutex);
    std::vector<Mounted*> found;
    for (const auto& mounted : m_mounted) {
        const MountSite& site = mounted->site;
        if (site.root == dataset ||
            (top && isDatasetAtOrBelow(site.root, dataset) && isPathAtOrBelow(site.path, *top))) {
            found.push_back(mounted.get());
        }
    }
    std::ranges::sort(
        found, std::greater<>(), [](const Mounted* mounted) { return mounted->realPath.size(); });
    return found;
}

std::vector<std::string> FuseMounter::datasetsOf(const std::string& pool) const
{
    const MutexLock lock(m_mutex);
    std::set<std::string> roots;
    for (const auto& mounted : m_mounted) {
        const std::string& root = mounted->site.root;
        if (pool.empty() || isDatasetAtOrBelow(root, pool)) {
            roots.insert(root);
        }
    }
    return {roots.begin(), roots.end()};
}

/// A target is a dataset that is shown, or the path of one.
std::optional<std::string> FuseMounter::datasetAt(const std::string& target) const
{
    for (const MountEntry& entry : mounts()) {
        if (entry.dataset == target || entry.mountpoint == target) {
            return entry.dataset;
        }
    }
    return std::nullopt;
}

// ---- mounting ----------------------------------------------------------------------------------

Result<PlacementRules> FuseMounter::rulesFor(const api::PoolRef& pool,
                                             const MountRequest& request) const
{
    PlacementRules rules;
    rules.readOnly = !pool->isWritable();
    rules.asked = MP_TRY(parseMountOptions(request.options, rules.readOnly));
    if (!m_policy.system) {
        rules.base = m_policy.privateRoot + '/' + pool->name();
        rules.restricted = true; // fusermount3 sees to that
        rules.oneMountOnly = true;
        return rules;
    }
    if (request.trusted) {
        return rules;
    }
    rules.restricted = true;
    const auto altroot = MP_TRY(pool->properties({"altroot"}));
    const bool chosen = altroot.size() == 1 && altroot.front().value.starts_with('/') &&
                        altroot.front().value != "/";
    if (!chosen) {
        rules.base = m_policy.foreignRoot + '/' + pool->name();
    }
    return rules;
}

std::vector<MountOutcome> FuseMounter::mount(const api::PoolRef& pool, const MountRequest& request)
{
    const MutexLock work(m_work);
    std::vector<MountOutcome> outcomes;
    Result<PlacementRules> rules = rulesFor(pool, request);
    if (!rules) {
        outcomes.push_back({pool->name(), "", false, std::move(rules).error()});
        return outcomes;
    }
    Plan plan{pool, request, std::move(*rules), {}};
    if (request.datasets.empty()) {
        Result<DatasetInfos> all = DatasetInfos::all(*pool);
        if (!all) {
            outcomes.push_back({pool->name(), "", false, std::move(all).error()});
            return outcomes;
        }
        plan.infos = std::move(*all);
        for (const auto& [name, info] : plan.infos.byName()) { // parents first
            const bool byItself = info.canMount == "on" && placeOf(info, plan.rules);
            if (byItself && showing(name) == nullptr) {
                outcomes.push_back(mountOne(plan, info));
            }
        }
        dropEmpty();
        return outcomes;
    }
    const std::set<std::string> names(request.datasets.begin(), request.datasets.end());
    for (const std::string& name : names) {
        if (Status known = plan.infos.add(*pool, name); !known) {
            outcomes.push_back({name, "", false, std::move(known).error()});
            continue;
        }
        outcomes.push_back(mountOne(plan, *plan.infos.find(name)));
    }
    dropEmpty();
    return outcomes;
}

MountOutcome FuseMounter::mountOne(Plan& plan, const DatasetInfo& info)
{
    MountOutcome outcome{info.name, "", false, std::nullopt};
    Result<std::string> path = placeOf(info, plan.rules);
    if (!path) {
        outcome.error = std::move(path).error();
        return outcome;
    }
    outcome.mountpoint = *path;
    if (const Mounted* shown = showing(info.name)) {
        outcome.mountpoint = pathBelow(shown->site.path, shown->site.root, info.name);
        return outcome;
    }
    Status placed = place(plan, info, *path);
    outcome.changed = placed.has_value();
    if (!placed) {
        outcome.error = std::move(placed).error().at({.dataset = info.name});
    }
    return outcome;
}

Status FuseMounter::ensurePoolMount(Plan& plan)
{
    const std::string name = plan.pool->name();
    if (plan.rules.base.empty() || siteOf(plan.pool, name) != nullptr) {
        return {};
    }
    const DatasetInfo* root = plan.infos.find(name);
    if (root == nullptr) {
        return fail(ErrorCode::NoSuchDataset, "the pool's own dataset was not found");
    }
    (void)MP_TRY(mountKernel(plan, *root, plan.rules.base, nullptr));
    return {};
}

Status FuseMounter::place(Plan& plan, const DatasetInfo& info, const std::string& path)
{
    MP_TRY(ensurePoolMount(plan));
    Mounted* site = siteOf(plan.pool, info.name);
    const PlaceKind kind =
        placeKind(info, path, plan.rules, site == nullptr ? nullptr : &site->site);
    // Where nothing can be shown, nothing is mounted. With all of a pool inside one mount, opening
    // each dataset would cost too much: whoever enters a broken one is told.
    if (kind != PlaceKind::Inside || !plan.request.datasets.empty()) {
        const Result<FileSystemRef> openable = plan.pool->fileSystem(info.name);
        if (!openable) {
            return fail(openable.error());
        }
    }
    if (kind == PlaceKind::Inside) {
        forget(*site, site->tree.show(info, plan.infos.between(site->site.root, info.name)));
        if (info.name ==
            site->site.root) { // no name leads there: the folder becomes the real thing
            site->session->forget(NodeNumbers::kRootId);
        }
        return {};
    }
    const bool nested = kind == PlaceKind::Nested;
    if (!nested && covers(path)) {
        return fail(ErrorCode::InvalidArgument,
                    "the mountpoint lies inside another dataset's mount",
                    {.path = path});
    }
    if (nested) { // INV-2
        forget(*site,
               site->tree.addMountPoint(info, plan.infos.between(site->site.root, info.name)));
    }
    auto mounted = mountKernel(plan, info, path, nested ? site : nullptr);
    if (!mounted) {
        if (nested) {
            forget(*site, site->tree.removeMountPoint(info.name));
        }
        return fail(std::move(mounted).error());
    }
    forget(**mounted, (*mounted)->tree.show(info, {}));
    return {};
}

Result<Mounted*> FuseMounter::mountKernel(Plan& plan,
                                          const DatasetInfo& root,
                                          const std::string& path,
                                          Mounted* outer)
{
    auto mounted = std::make_unique<Mounted>(plan.pool, root, m_owner);
    mounted->site = {root.name, path, kernelOptionsOf(root, plan.rules)};
    mounted->id = ++m_lastId;
    mounted->outer = outer;
    mounted->realPath = path;
    std::optional<MountFolder> folder;
    if (outer == nullptr) {
        folder = MP_TRY(prepareMountFolder(path, plan.request.overlay));
        mounted->realPath = folder->path;
        mounted->createdFolders = folder->created;
    } else {
        mounted->realPath = pathBelow(outer->realPath, outer->site.root, root.name);
    }
    if (Status started = startMount(*mounted, folder ? &*folder : nullptr); !started) {
        removeMountFolders(mounted->createdFolders);
        return fail(std::move(started).error());
    }
    Mounted* raw = mounted.get();
    const MutexLock lock(m_mutex);
    m_mounted.push_back(std::move(mounted));
    return raw;
}

Status FuseMounter::startMount(Mounted& mounted, const MountFolder* folder)
{
    const std::string& path = mounted.realPath;
    const auto mountIt = [&]() -> Result<FileDescriptor> {
        if (!m_policy.system) {
            return mountAsUser(path, mounted.site.root, mounted.site.options);
        }
        if (folder != nullptr) {
            return mountAsRoot(folder->folder.get(), mounted.site.root, mounted.site.options);
        }
        const FileDescriptor inner(
            ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
        return inner.get() < 0 ? Result<FileDescriptor>(fail(systemError(errno, "open", path)))
                               : mountAsRoot(inner.get(), mounted.site.root, mounted.site.options);
    };
    if (m_policy.watch != nullptr) { // INV-1
        m_policy.watch->added(path);
    }
    const auto undo = [&](Error error) {
        if (m_policy.watch != nullptr) {
            m_policy.watch->removed(path);
        }
        return fail(std::move(error));
    };
    Result<FileDescriptor> fuse = mountIt();
    if (!fuse) {
        return undo(std::move(fuse).error());
    }
    mounted.device = deviceOfMount(path);
    Session::Options options;
    options.threads = threadsFor(m_policy.threads);
    options.kernelChecksAccess = m_policy.system;
    options.workers = m_workers.get();
    options.changers = m_changers.get();
    options.writable = !mounted.site.options.readOnly;
    options.log = m_policy.log;
    options.ended = [this, id = mounted.id] { onSessionEnd(id); };
    auto session = Session::start(std::move(*fuse), mounted.view, std::move(options));
    const bool ready = session && (*session)->waitUntilReady(kGreeting);
    if (!ready) {
        (void)(m_policy.system ? unmountAsRoot(path, true) : unmountAsUser(path, true));
        return undo(session ? Error(ErrorCode::TimedOut, "the kernel does not talk to the mount")
                            : std::move(session).error());
    }
    mounted.session = std::move(*session);
    if (m_policy.system) { // after the greeting, which lowers it
        setReadAhead(mounted.device, kReadAheadKib);
        if (!mounted.site.options.readOnly) {
            setDirtyLimit(mounted.device, kMaxDirty);
        }
    }
    return {};
}

void FuseMounter::forget(Mounted& mounted, const std::optional<Tree::Change>& change)
{
    if (!change || !mounted.session) {
        return;
    }
    // The parent's node is its folder's number where it is the root or not shown, else its root
    // directory's. Both are told: only one is known to the kernel.
    NodeNumbers& numbers = mounted.tree.numbers();
    std::set<std::uint64_t> parents;
    if (const auto id = numbers.nodeId({NodeKind::DatasetFolder, change->parent, {}})) {
        parents.insert(*id);
    }
    const auto place = mounted.tree.place(change->parent);
    if (place && place->shown) {
        const auto fileSystem = mounted.tree.fileSystems().get(change->parent, place->name, {});
        if (fileSystem) {
            const Node root{NodeKind::Object, change->parent, (*fileSystem)->files->root()};
            if (const auto id = numbers.nodeId(root)) {
                parents.insert(*id);
            }
        }
    }
    for (const std::uint64_t parent : parents) {
        mounted.session->forget(parent, change->name);
    }
}

// ---- unmounting --------------------------------------------------------------------------------

std::vector<MountOutcome> FuseMounter::unmount(const std::string& pool,
                                               const std::vector<std::string>& targets,
                                               bool force,
                                               milliseconds patience)
{
    const MutexLock work(m_work);
    const Leaving leaving{force, Clock::now() + patience};
    std::vector<MountOutcome> outcomes;
    if (targets.empty()) {
        for (const std::string& root : datasetsOf(pool)) {
            unmountDataset(root, leaving, outcomes);
        }
        return outcomes;
    }
    for (const std::string& target : targets) {
        if (const auto dataset = datasetAt(target)) {
            unmountDataset(*dataset, leaving, outcomes);
        } else {
            outcomes.push_back(
                {target, "", false, Error(ErrorCode::NotMounted, "not currently mounted")});
        }
    }
    dropEmpty();
    return outcomes;
}

/// With all that is shown below it, as zfs(8) does.
void FuseMounter::unmountDataset(const std::string& dataset,
                                 const Leaving& leaving,
                                 std::vector<MountOutcome>& outcomes)
{
    for (Mounted* mounted : rootedAtOrBelow(dataset)) {
        const MountSite site = mounted->site;
        std::vector<std::string> shown = mounted->tree.shownAtOrBelow(site.root);
        Status done = unmountKernel(*mounted, leaving);
        if (!done) {
            outcomes.push_back(
                {site.root, site.path, false, std::move(done).error().at({.dataset = site.root})});
            return;
        }
        for (std::string& name : shown) {
            std::string path = pathBelow(site.path, site.root, name);
            outcomes.push_back({std::move(name), std::move(path), true, std::nullopt});
        }
    }
    Mounted* mounted = showing(dataset);
    if (mounted == nullptr) {
        return;
    }
    const MountSite& site = mounted->site;
    const std::vector<std::string> shown = mounted->tree.shownAtOrBelow(dataset);
    Status done = hide(*mounted, dataset, leaving);
    if (!done) {
        outcomes.push_back(
            {dataset, pathBelow(site.path, site.root, dataset), false, std::move(done).error()});
        return;
    }
    for (const std::string& name : shown) {
        outcomes.push_back({name, pathBelow(site.path, site.root, name), true, std::nullopt});
    }
}

Status FuseMounter::hide(Mounted& mounted, const std::string& dataset, const Leaving& leaving)
{
    for (;;) {
        const bool late = Clock::now() >= leaving.until;
        auto change = mounted.tree.hide(dataset, leaving.force && late);
        if (change) {
            forget(mounted, *change);
            return {};
        }
        if (late || !change.error().is(ErrorCode::DatasetBusy)) {
            return fail(std::move(change).error());
        }
        std::this_thread::sleep_for(kRetry);
    }
}

Status FuseMounter::detach(Mounted& mounted, const Leaving& leaving) const
{
    const auto unmount = m_policy.system ? unmountAsRoot : unmountAsUser;
    for (;;) {
        // Whatever else has been mounted there is not ours to unmount.
        if (deviceOfMount(mounted.realPath) != mounted.device) {
            return {};
        }
        Status done = unmount(mounted.realPath, false);
        if (done || deviceOfMount(mounted.realPath) != mounted.device) {
            return {};
        }
        if (Clock::now() >= leaving.until) {
            return leaving.force ? unmount(mounted.realPath, true) : done;
        }
        std::this_thread::sleep_for(kRetry);
    }
}

Status FuseMounter::unmountKernel(Mounted& mounted, const Leaving& leaving)
{
    MP_TRY(detach(mounted, leaving));
    takeApart(mounted);
    return {};
}

/// After the kernel's side is gone.
void FuseMounter::takeApart(Mounted& mounted)
{
    std::unique_ptr<Mounted> own;
    {
        const MutexLock lock(m_mutex);
        const auto found = std::ranges::find(m_mounted, &mounted, &std::unique_ptr<Mounted>::get);
        own = std::move(*found);
        m_mounted.erase(found);
        for (const auto& other : m_mounted) {
            other->outer = other->outer == &mounted ? nullptr : other->outer;
        }
    }
    own->session.reset();
    if (m_policy.watch != nullptr) {
        m_policy.watch->removed(own->realPath);
    }
    if (own->outer != nullptr) {
        forget(*own->outer, own->outer->tree.removeMountPoint(own->site.root));
    }
    removeMountFolders(own->createdFolders);
}

/// Mounts for whole pools that show nothing any more.
void FuseMounter::dropEmpty()
{
    std::vector<Mounted*> empty;
    {
        const MutexLock lock(m_mutex);
        for (const auto& mounted : m_mounted) {
            if (mounted->tree.isEmpty()) {
                empty.push_back(mounted.get());
            }
        }
    }
    for (Mounted* mounted : empty) {
        (void)unmountKernel(*mounted, {true, Clock::now()});
    }
}

// ---- mounts that went away by themselves -------------------------------------------------------

void FuseMounter::onSessionEnd(std::uint64_t id)
{
    const MutexLock lock(m_reaping);
    m_ended.push_back(id);
    m_toReap.notifyAll();
}

/// False when we have unmounted it ourselves.
bool FuseMounter::takeApartById(std::uint64_t id)
{
    const MutexLock work(m_work);
    Mounted* ended = nullptr;
    {
        const MutexLock lock(m_mutex);
        const auto found = std::ranges::find_if(
            m_mounted, [id](const auto& mounted) { return mounted->id == id; });
        ended = found == m_mounted.end() ? nullptr : found->get();
    }
    if (ended != nullptr) {
        takeApart(*ended);
    }
    return ended != nullptr;
}

void FuseMounter::reap()
{
    for (;;) {
        std::uint64_t id = 0;
        {
            const MutexLock lock(m_reaping);
            while (m_ended.empty() && !m_stopping) {
                m_toReap.wait(m_reaping);
            }
            if (m_stopping) {
                return;
            }
            id = m_ended.back();
            m_ended.pop_back();
        }
        const bool found = takeApartById(id);
        std::function<void()> observer;
        {
            const MutexLock lock(m_reaping);
            observer = found ? m_observer : nullptr;
        }
        if (observer) {
            observer();
        }
    }
}
} // namespace

Result<std::unique_ptr<Mounter>> createMounter(const MountPolicy& policy)
{
    auto mounter = std::make_unique<FuseMounter>(policy);
    MP_TRY(mounter->start());
    return std::unique_ptr<Mounter>(std::move(mounter));
}

} // namespace millpond::fuse
