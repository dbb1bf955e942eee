// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/types.h"
#include "device/probe.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace millpond::device {

enum class DeviceKind : std::uint8_t
{
    Disk,
    Partition,
    Loop,
    Raid,   ///< Linux MD
    Crypt,  ///< dm-crypt
    Volume, ///< LVM and other device-mapper
    Optical,
    Other
};

/// disk, partition, loop, raid, crypt, lvm, rom, other
[[nodiscard]] std::string_view deviceKindText(DeviceKind kind);

/// Why a device may not be written. In the order of the list; the first that holds is told first.
struct DeviceUse
{
    enum class Kind : std::uint8_t
    {
        Mounted,      ///< detail: the mount point
        Swap,         ///< in /proc/swaps
        Holder,       ///< detail: the kernel device on top ("dm-0", "md127")
        PoolMember,   ///< label of a pool; detail: its name
        RaidMember,   ///< signature of MD, LVM, LUKS, …; detail: libblkid's type
        LoopBacking,  ///< a loop device lies on it; detail: its name
        Partitioned,  ///< has partitions
        Content,      ///< another signature; detail: libblkid's type
        ReadOnly,     ///< the kernel says so
        PartitionUsed ///< a partition of it is in use; detail: its path
    };
    Kind kind = Kind::Mounted;
    std::string detail;

    /// "mounted on /home", "swap space", "in use by dm-0", …
    [[nodiscard]] std::string toText() const;
};

struct DeviceInfo
{
    std::string name;   ///< of the kernel: "sda1"
    std::string path;   ///< "/dev/sda1"
    std::string byId;   ///< stable name below /dev/disk/by-id; empty where there is none
    std::string parent; ///< path of the whole disk of a partition
    DeviceKind kind = DeviceKind::Other;
    std::string model, vendor, serial, wwn;
    std::string bus; ///< "ata", "scsi", "nvme", "usb", "virtio", "mmc"; empty: unknown
    ByteCount size;
    std::uint32_t logicalSector = 512, physicalSector = 512;
    bool rotational = false, removable = false, readOnly = false;
    Content content;
    bool contentKnown = false; ///< false: could not be opened for reading
    std::string backingFile;   ///< of a loop device
    std::vector<std::string> holders;
    std::vector<std::string> mountPoints;
    std::string pool; ///< of a pool member
    std::uint64_t poolGuid = 0;
    std::vector<DeviceUse> uses; ///< empty: free

    [[nodiscard]] bool isFree() const { return uses.empty(); }

    /// The first use in words; empty when free.
    [[nodiscard]] std::string useText() const;
};

/// Where the kernel's trees are; tests give a made-up machine.
struct MachineRoots
{
    std::string sys = "/sys";
    std::string proc = "/proc";
    std::string dev = "/dev";
    std::string udevData = "/run/udev/data";
};

struct ListOptions
{
    MachineRoots roots;
    bool probe = true; ///< false: signatures are not looked for (and nothing is opened)
};

/// Every block device of the machine that has a size, disks before their partitions, by name. Reads
/// sysfs and the data udev left; works where udevd does not run. Without permission to open devices
/// the rest is still told. Errors: NoSuchDevice when there is no sysfs.
[[nodiscard]] Result<std::vector<DeviceInfo>> listDevices(const ListOptions& options = {});

/// One device by path or by a link to it. NoSuchDevice.
[[nodiscard]] Result<DeviceInfo> findDevice(const std::string& path,
                                            const ListOptions& options = {});

struct DeviceEvent
{
    enum class Action : std::uint8_t
    {
        Added,
        Removed,
        Changed
    };
    Action action = Action::Changed;
    std::string name; ///< "sda1"
    std::string path; ///< "/dev/sda1"
};

/// Hot-plug events: from udevd where it runs (then udev's links and data are already there), else
/// from the kernel.
class DeviceMonitor
{
public:
    /// System when no socket can be had. The observer is called from a thread of the monitor, one
    /// event at a time, until the destructor returns.
    [[nodiscard]] static Result<std::unique_ptr<DeviceMonitor>>
    create(std::function<void(const DeviceEvent&)> observer);
    virtual ~DeviceMonitor() = default;

    enum class Source : std::uint8_t
    {
        Udev,
        Kernel
    };
    [[nodiscard]] virtual Source source() const = 0;
};

/// Decodes one datagram of the kernel's uevent socket; nothing when it is not about a block device.
[[nodiscard]] std::optional<DeviceEvent> decodeUevent(Bytes datagram);

} // namespace millpond::device
