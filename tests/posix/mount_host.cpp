// SPDX-License-Identifier: GPL-3.0-or-later
//
// The mount server without the helper around it: imports one pool for reading and mounts as told
// over stdin, one command a line, each answered by one line "ok ..." or "error ...".
//   mount_host system|private|foreign ROOT IMAGE_FOLDER POOL [altroot]
//   mount [-o OPTIONS] [DATASET...] · unmount [-f] [TARGET...] · mounts · memory · quit
// Mounts are answered as DATASET=PATH=OPTIONS|...
// SIGTERM ends it like the helper: unmounting, lazily after a while. Killed, its watcher unmounts.
#include "api/engine.h"
#include "daemon/mount_watcher.h"
#include "fuse/mounter.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <poll.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

using namespace millpond;

namespace {
class StderrLog final : public Log
{
public:
    [[nodiscard]] bool wants(LogLevel level) const override { return level <= LogLevel::Warning; }

    void write(LogLevel, std::string_view message) override { fmt::print(stderr, "{}\n", message); }
};

struct Host
{
    fuse::Mounter& mounter;
    api::PoolRef pool;
    bool trusted;
};

std::string textOf(const std::vector<fuse::MountOutcome>& outcomes)
{
    std::string errors;
    std::size_t changed = 0;
    for (const fuse::MountOutcome& outcome : outcomes) {
        changed += outcome.changed ? 1 : 0;
        if (outcome.error) {
            errors += fmt::format("{}: {} ({}); ",
                                  outcome.dataset,
                                  outcome.error->toText(),
                                  errorName(outcome.error->code()));
        }
    }
    return errors.empty() ? fmt::format("ok {}", changed) : "error " + errors;
}

std::string runCommand(Host& host, const std::string& line)
{
    std::istringstream words(line);
    std::string command;
    words >> command;
    fuse::MountRequest request;
    request.trusted = host.trusted;
    bool force = false;
    for (std::string word; words >> word;) {
        if (word == "-o") {
            words >> request.options;
        } else if (word == "-f") {
            force = true;
        } else if (word == "--") { // one name, blanks and all
            std::getline(words >> std::ws, word);
            request.datasets.push_back(word);
        } else {
            request.datasets.push_back(word);
        }
    }
    if (command == "mount") {
        return textOf(host.mounter.mount(host.pool, request));
    }
    if (command == "unmount") {
        return textOf(
            host.mounter.unmount("", request.datasets, force, std::chrono::milliseconds(200)));
    }
    if (command == "mounts") {
        std::string text = "ok ";
        for (const fuse::MountEntry& entry : host.mounter.mounts()) {
            text += fmt::format("{}={}={},{}|",
                                entry.dataset,
                                entry.mountpoint,
                                entry.own ? "own" : "inside",
                                entry.options);
        }
        return text;
    }
    if (command == "memory") {
        rusage usage = {};
        (void)::getrusage(RUSAGE_SELF, &usage);
        return fmt::format("ok {}", usage.ru_maxrss);
    }
    return "error no such command";
}

/// True while there may be more.
bool answerInput(Host& host, std::string& buffer)
{
    char bytes[4096];
    const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof(bytes));
    if (got <= 0) {
        return false;
    }
    buffer.append(bytes, static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = buffer.find('\n')) != std::string::npos;) {
        const std::string line = buffer.substr(0, end);
        buffer.erase(0, end + 1);
        if (line == "quit") {
            return false;
        }
        std::cout << runCommand(host, line) << std::endl;
    }
    return true;
}

int giveUp(const Error& error)
{
    std::cout << "error " << error.toText() << std::endl;
    return 1;
}

int serve(const std::vector<std::string>& words, daemon::MountWatcher& watcher, int signals)
{
    StderrLog log;
    auto engine = api::Engine::create({.log = &log});
    if (!engine) {
        return giveUp(engine.error());
    }
    api::ImportRequest import;
    import.pool = words[3];
    import.where.directories = {words[2]};
    import.force = true;
    import.altroot = words.size() > 4 ? words[4] : "";
    auto pool = (*engine)->importPool(import);
    if (!pool) {
        return giveUp(pool.error());
    }
    fuse::MountPolicy policy;
    policy.system = words[0] != "private";
    policy.privateRoot = policy.foreignRoot = words[1];
    policy.log = &log;
    policy.watch = &watcher;
    auto mounter = fuse::createMounter(policy);
    if (!mounter) {
        return giveUp(mounter.error());
    }
    Host host{**mounter, *pool, words[0] == "system"};
    std::cout << "ok " << (*pool)->name() << std::endl;
    std::string buffer;
    for (bool more = true; more;) {
        pollfd sources[] = {{STDIN_FILENO, POLLIN, 0}, {signals, POLLIN, 0}};
        if (::poll(sources, 2, -1) < 0 || sources[1].revents != 0) {
            break;
        }
        more = answerInput(host, buffer);
    }
    const auto left = (*mounter)->unmount("", {}, true, std::chrono::seconds(1));
    mounter->reset();
    const std::string name = (*pool)->name();
    pool->reset();
    host.pool.reset();
    const Status exported = (*engine)->exportPool(name, false);
    std::cout << (exported ? textOf(left) : "error " + exported.error().toText()) << std::endl;
    return exported ? 0 : 1;
}
} // namespace

int main(int argc, char** argv)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() < 4) {
        std::cout << "error usage" << std::endl;
        return 2;
    }
    (void)std::signal(SIGPIPE, SIG_IGN);
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGINT);
    (void)::pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    auto watcher = daemon::MountWatcher::start();
    if (!watcher) {
        return giveUp(watcher.error());
    }
    return serve(words, **watcher, ::signalfd(-1, &blocked, SFD_CLOEXEC));
}
