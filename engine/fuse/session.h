// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/log.h"
#include "base/mutex.h"
#include "fuse/kernel_mount.h"
#include "fuse/view.h"
#include "runtime/executor.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

struct fuse_session;

namespace millpond::fuse {

/// One kernel mount's conversation with the kernel. Theory statement: session.cpp.
class Session
{
public:
    struct Options
    {
        unsigned threads = 2;
        bool kernelChecksAccess = false; ///< POSIX ACLs are the kernel's business, too
        /// Runs requests that have to wait; outlives the session. Its threads are all used up when
        /// as many reads wait for devices: then further ones wait in its queue.
        runtime::Executor* workers = nullptr;
        Log* log = nullptr; ///< or null
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

    Session(View& view, Options options);
    [[nodiscard]] Status open(FileDescriptor fuse);
    /// To the workers; the session outlives it.
    void park(runtime::Task work);
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

    Mutex m_mutex;
    CondVar m_changed;
    bool m_ready MP_GUARDED_BY(m_mutex) = false;
    std::size_t m_parked MP_GUARDED_BY(m_mutex) = 0;
    std::unordered_map<Handle*, std::unique_ptr<Handle>> m_handles MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::fuse
