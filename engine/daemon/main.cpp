// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/daemon_main.h"

#include <malloc.h>

using namespace millpond;

namespace {

/// Blocks of 128 KiB and more come and go by the thousand a second, through some forty threads. By
/// default the C library maps each anew, and the kernel clears its pages: half of the time of
/// reading a file. Later it keeps them for each thread apart, and peak memory doubles.
void suitAllocatorToBlocks()
{
    constexpr int kArenas = 2;
    constexpr int kMapped = 32 * 1024 * 1024; // bytes from which on memory is mapped: its maximum
    constexpr int kKeptFree = 64 * 1024 * 1024;
    (void)::mallopt(M_ARENA_MAX, kArenas);
    (void)::mallopt(M_MMAP_THRESHOLD, kMapped);
    (void)::mallopt(M_TRIM_THRESHOLD, kKeptFree);
}

} // namespace

int main(int argc, char** argv)
{
    suitAllocatorToBlocks();
    daemon::HelperPorts ports;
    ports.engine = api::Engine::create;
    ports.mounter = fuse::createMounter;
    ports.devices = [] { return device::listDevices(); };
    return daemon::daemonMain(argc, argv, std::move(ports));
}
