// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/daemon_main.h"
#include "daemon/fuse_mounter.h"

using namespace millpond;

int main(int argc, char** argv)
{
    daemon::HelperPorts ports;
    ports.engine = api::Engine::create;
    ports.mounter = daemon::createFuseMounter;
    ports.devices = [] { return device::listDevices(); };
    return daemon::daemonMain(argc, argv, std::move(ports));
}
