// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/detail/vanished_leaves.h"

#include "base/buffer.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace millpond::api::detail {

namespace {
constexpr std::size_t kProbeBytes = 4096;

/// The path leads nowhere, or to something without a byte.
bool looksGone(const std::string& path)
{
    struct stat status = {};
    if (stat(path.c_str(), &status) != 0) {
        return true;
    }
    if (!S_ISBLK(status.st_mode)) {
        return status.st_size == 0;
    }
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    std::uint64_t size = 0;
    const bool empty = file < 0 || ioctl(file, BLKGETSIZE64, &size) != 0 || size == 0;
    if (file >= 0) {
        close(file);
    }
    return empty;
}

bool answers(device::BlockDevice& device)
{
    auto buffer = Buffer::create(kProbeBytes);
    return !buffer || device.read(ByteOffset(0), buffer->bytes()).has_value();
}
} // namespace

std::vector<VanishedLeaf> giveUpVanished(vdev::VdevTree& tree)
{
    std::vector<VanishedLeaf> vanished;
    for (const vdev::LeafInfo& leaf : tree.leaves()) {
        const bool inUse = leaf.device != nullptr && leaf.state >= vdev::VdevState::Degraded;
        if (!inUse || !looksGone(leaf.device->path()) || answers(*leaf.device)) {
            continue;
        }
        const bool isDisk = leaf.config != nullptr && leaf.config->text("type") == "disk";
        tree.setLeafState(leaf.guid,
                          isDisk ? vdev::VdevState::Removed : vdev::VdevState::CannotOpen,
                          isDisk ? vdev::VdevAux::None : vdev::VdevAux::OpenFailed);
        vanished.push_back({leaf.guid, leaf.device->path(), leaf.state});
    }
    return vanished;
}

} // namespace millpond::api::detail
