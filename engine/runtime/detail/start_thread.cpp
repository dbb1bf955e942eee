// SPDX-License-Identifier: GPL-3.0-or-later
#include "runtime/detail/start_thread.h"

#include <pthread.h>
#include <signal.h>

namespace millpond::runtime::detail {

namespace {
constexpr std::size_t kKernelNameLimit = 15;
}

Result<std::thread> startThread(std::string name, std::function<void()> body)
{
    if (name.size() > kKernelNameLimit) {
        name.resize(kKernelNameLimit);
    }
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    // std::thread cannot report a failure without exceptions (which end the program here); the
    // machine's limit is asked for first with a thread that ends at once.
    pthread_t trial{};
    const int failed =
        pthread_create(&trial, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
    if (failed != 0) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return fail(systemError(failed, "pthread_create", name));
    }
    pthread_join(trial, nullptr);
    std::thread thread([name, run = std::move(body)] {
        pthread_setname_np(pthread_self(), name.c_str());
        run();
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

} // namespace millpond::runtime::detail
