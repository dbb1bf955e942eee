// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/log.h"
#include "base/mutex.h"
#include "fuse/kernel_mount.h"
#include "fuse/view.h"
#include "fuse/wire.h"
#include "runtime/executor.h"

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

struct fuse_session;

namespace millpond::fuse {

/// One kernel mount's conversation with the kernel. Theory statement: session.cpp.
class Session : private WireOwner
{
public:
    struct Options
    {
        unsigned threads = 2;
        bool kernelChecksAccess = false; ///< POSIX ACLs are the kernel's business, too
        /// Runs requests that have to wait; outlives the session. Its threads are all used up when
        /// as many reads wait for devices: then further ones wait in its queue.
        runtime::Executor* workers = nullptr;
        /// The same for requests that change something: many of them may have to wait for a long
        /// time, and nobody who only looks shall wait for those.
        runtime::Executor* changers = nullptr;
        bool writable = false; ///< the mount is not read-only
        Log* log = nullptr;    ///< or null
        /// The kernel has ended the conversation (umount). Called from one of its threads, which
        /// must not destroy the session.
        std::function<void()> ended;
    };

    /// `view` outlives the session. Takes over the descriptor, also on failure.
    [[nodiscard]] static Result<std::unique_ptr<Session>>
    start(FileDescriptor fuse, View& view, Options options);
    /// Ends it whatever the kernel thinks; waits for requests under way. Files still open are dead.
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// Until the kernel and we have agreed on how to talk; false when the time ran out.
    [[nodiscard]] bool waitUntilReady(std::chrono::milliseconds patience);
    /// Makes the kernel forget a name in a folder, and what it knows of the folder. Not for threads
    /// that answer requests, and not with locks held that those take.
    void forget(std::uint64_t parent, const std::string& name);
    /// Attributes and listing alone.
    void forget(std::uint64_t node);

private:
    struct Operations;
    struct Reply;
    struct Changes;

    enum class Lane : std::uint8_t
    {
        Reading,
        Changing
    };

    Session(View& view, Options options);
    [[nodiscard]] Status open(FileDescriptor fuse);
    /// To the workers; the session outlives it.
    void park(Lane lane, runtime::Task work);
    /// Has what lost its last name freed where that was put off; null is nothing.
    void drainSoon(const OpenFileSystemRef& open);
    /// Has a dataset's state looked at anew where it is old.
    void lookSoon(const OpenFileSystemRef& open);
    /// Has the kernel write its pages of a file to us, then does `then`, on a thread of its own:
    /// the kernel makes the teller wait for requests (INV-3).
    void flushPages(std::uint64_t node, std::function<void()> then);
    void tellKernel();
    void stopTelling();
    void serve();
    [[nodiscard]] bool waitForRequest(int poll) const;
    void onThreadEnd();

    View& m_view;
    Options m_options;
    fuse_session* m_session = nullptr;
    FileDescriptor m_stop; ///< an eventfd; readable: all threads end
    std::vector<std::thread> m_threads;
    std::atomic<unsigned> m_running = 0;
    std::atomic<bool> m_stopping = false;
    std::atomic<bool> m_greeted = false; ///< INIT has been seen

    struct Flush
    {
        std::uint64_t node;
        std::function<void()> then;
    };

    Mutex m_telling; ///< a leaf
    CondVar m_toTell;
    std::deque<Flush> m_flushes MP_GUARDED_BY(m_telling);
    bool m_stopTelling MP_GUARDED_BY(m_telling) = false;
    std::thread m_teller;

    Mutex m_mutex;
    CondVar m_changed;
    bool m_ready MP_GUARDED_BY(m_mutex) = false;
    std::size_t m_parked MP_GUARDED_BY(m_mutex) = 0;
    std::unordered_map<Handle*, std::unique_ptr<Handle>> m_handles MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::fuse
