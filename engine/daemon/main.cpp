// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/daemon_main.h"

#ifdef MILLPOND_NO_MOUNTS
#include "daemon/no_mounter.h"
#endif

using namespace millpond;

int main(int argc, char** argv)
{
    daemon::HelperPorts ports;
    ports.engine = api::Engine::create;
#ifdef MILLPOND_NO_MOUNTS
    ports.mounter = [](const daemon::MountPolicy&) {
        return Result<std::unique_ptr<daemon::Mounter>>(
            std::make_unique<daemon::NoMounter>("this helper was built without its mount server"));
    };
#else
    ports.mounter = fuse::createMounter;
#endif
    ports.devices = [] { return device::listDevices(); };
    return daemon::daemonMain(argc, argv, std::move(ports));
}
