// SPDX-License-Identifier: GPL-3.0-or-later
// millpondd with a fake engine and fake mounts.
#include "daemon/daemon_main.h"
#include "daemon/fake_engine.h"

using namespace millpond;

int main(int argc, char** argv)
{
    daemon::HelperPorts ports;
    ports.engine = test::createFakeEngine;
    ports.mounter = test::createFakeMounter;
    ports.devices = [] {
        device::DeviceInfo disk;
        disk.path = "/dev/fake";
        disk.kind = device::DeviceKind::Disk;
        disk.model = "Fake Disk";
        disk.size = ByteCount(4 * GiB);
        return Result<std::vector<device::DeviceInfo>>(std::vector{disk});
    };
    ports.watchDevices = false;
    return daemon::daemonMain(argc, argv, std::move(ports));
}
