// SPDX-License-Identifier: GPL-3.0-or-later
// libblkid is named in this file only.
#include "device/probe.h"

#include "device/detail/unique_fd.h"

#include <blkid/blkid.h>
#include <cerrno>
#include <memory>

namespace millpond::device {

namespace {

struct FreeProbe
{
    void operator()(blkid_probe probe) const { blkid_free_probe(probe); }
};

using Probe = std::unique_ptr<std::remove_pointer_t<blkid_probe>, FreeProbe>;

std::string valueOf(blkid_probe probe, const char* name)
{
    const char* text = nullptr;
    std::size_t size = 0;
    if (blkid_probe_lookup_value(probe, name, &text, &size) != 0 || size == 0) {
        return {};
    }
    return std::string(text, size - 1); // the NUL counts
}

constexpr int kNothingFound = 1;
constexpr int kAmbiguous = -2;

} // namespace

Result<Content> probeContent(const std::string& path)
{
    const detail::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (!file.isOpen()) {
        const ErrorCode code = errno == ENOENT || errno == ENXIO || errno == ENOMEDIUM
                                   ? ErrorCode::NoSuchDevice
                                   : (errno == EACCES || errno == EPERM ? ErrorCode::NotPermitted
                                                                        : ErrorCode::DeviceIo);
        return fail(code, "cannot open to see what is on it", {.path = path});
    }
    const Probe probe(blkid_new_probe());
    if (!probe || blkid_probe_set_device(probe.get(), file.get(), 0, 0) != 0) {
        return fail(ErrorCode::DeviceIo, "cannot read what is on it", {.path = path});
    }
    blkid_probe_enable_superblocks(probe.get(), 1);
    blkid_probe_set_superblocks_flags(probe.get(),
                                      BLKID_SUBLKS_LABEL | BLKID_SUBLKS_UUID | BLKID_SUBLKS_TYPE |
                                          BLKID_SUBLKS_USAGE);
    blkid_probe_enable_partitions(probe.get(), 1);
    const int found = blkid_do_safeprobe(probe.get());
    if (found == kAmbiguous) {
        Content content;
        content.ambiguous = true;
        return content;
    }
    if (found == kNothingFound) {
        return Content();
    }
    if (found < 0) {
        return fail(ErrorCode::DeviceIo, "cannot read what is on it", {.path = path});
    }
    return Content{.type = valueOf(probe.get(), "TYPE"),
                   .label = valueOf(probe.get(), "LABEL"),
                   .uuid = valueOf(probe.get(), "UUID"),
                   .usage = valueOf(probe.get(), "USAGE"),
                   .partitionTable = valueOf(probe.get(), "PTTYPE"),
                   .ambiguous = false};
}

} // namespace millpond::device
