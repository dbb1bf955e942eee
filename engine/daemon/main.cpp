// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/daemon_main.h"

using namespace millpond;

int main(int argc, char** argv)
{
    daemon::HelperPorts ports;
    ports.engine = api::Engine::create;
    ports.mounter = fuse::createMounter;
    ports.devices = [] { return device::listDevices(); };
    return daemon::daemonMain(argc, argv, std::move(ports));
}
