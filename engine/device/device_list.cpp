// SPDX-License-Identifier: GPL-3.0-or-later
// The machine's block devices, from sysfs first: that is always there. What udev knows better
// (stable names, cleaned-up model names) is taken from the files it left, without asking a daemon.
// Sources: Linux Documentation/ABI/testing/sysfs-block, udev's database format (systemd
// src/libsystemd/sd-device), SCSI SPC-4 7.8.4 (unit serial number page).
#include "device/device_list.h"

#include "device/detail/text_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace millpond::device {

namespace {

namespace fs = std::filesystem;
using detail::readLine;
using detail::readNumber;

/// What udev wrote about one device.
struct UdevFacts
{
    std::map<std::string, std::string, std::less<>> properties;
    std::vector<std::string> links; ///< relative to /dev

    [[nodiscard]] std::string get(std::string_view name) const
    {
        const auto found = properties.find(name);
        return found == properties.end() ? std::string() : found->second;
    }
};

/// Everything read once for the whole list.
struct Machine
{
    const MachineRoots& roots;
    std::vector<detail::MountEntry> mounts;
    std::vector<std::string> swaps;
    std::map<std::string, std::string> idLinks; ///< name of the kernel → path below /dev/disk/by-id
    std::map<std::string, std::string> loopByFile; ///< backing file → loop device
};

fs::path classFolder(const MachineRoots& roots)
{
    return fs::path(roots.sys) / "class/block";
}

std::vector<std::string> namesIn(const fs::path& folder)
{
    std::vector<std::string> names;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

/// Names like wwn-0x… and dm-uuid-… say less to a person than the model's.
int linkRank(std::string_view link)
{
    constexpr std::array<std::string_view, 3> kWorse{"wwn-", "nvme-eui.", "dm-uuid-"};
    const bool worse = std::any_of(
        kWorse.begin(), kWorse.end(), [&](std::string_view p) { return link.starts_with(p); });
    return worse ? 1 : 0;
}

bool betterLink(const std::string& a, const std::string& b)
{
    const std::string nameA = fs::path(a).filename().string();
    const std::string nameB = fs::path(b).filename().string();
    return std::pair(linkRank(nameA), nameA) < std::pair(linkRank(nameB), nameB);
}

std::map<std::string, std::string> readIdLinks(const fs::path& dev)
{
    std::map<std::string, std::string> links;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(dev / "disk/by-id", error)) {
        const fs::path target = fs::read_symlink(entry.path(), error);
        if (target.empty()) {
            continue;
        }
        std::string& kept = links[target.filename().string()];
        if (kept.empty() || betterLink(entry.path().string(), kept)) {
            kept = entry.path().string();
        }
    }
    return links;
}

std::map<std::string, std::string> readLoops(const MachineRoots& roots)
{
    std::map<std::string, std::string> loops;
    for (const std::string& name : namesIn(classFolder(roots))) {
        const std::string file = readLine(classFolder(roots) / name / "loop/backing_file");
        if (!file.empty()) {
            loops.emplace(file, name);
        }
    }
    return loops;
}

Machine readMachine(const MachineRoots& roots)
{
    return {.roots = roots,
            .mounts = detail::readMounts(roots.proc),
            .swaps = detail::readSwaps(roots.proc),
            .idLinks = readIdLinks(roots.dev),
            .loopByFile = readLoops(roots)};
}

UdevFacts readUdev(const MachineRoots& roots, const std::string& number)
{
    UdevFacts facts;
    const std::string text = detail::readText(fs::path(roots.udevData) / ("b" + number));
    for (const std::string_view line : detail::splitLines(text)) {
        if (line.starts_with("S:")) {
            facts.links.emplace_back(line.substr(2));
        } else if (line.starts_with("E:")) {
            const auto equals = line.find('=');
            if (equals != std::string_view::npos) {
                facts.properties.emplace(line.substr(2, equals - 2), line.substr(equals + 1));
            }
        }
    }
    return facts;
}

DeviceKind kindOf(const std::string& name, const fs::path& sys)
{
    std::error_code error;
    const std::string dmUuid = readLine(sys / "dm/uuid");
    if (fs::exists(sys / "partition", error) || dmUuid.starts_with("part")) {
        return DeviceKind::Partition;
    }
    if (fs::exists(sys / "dm", error)) {
        return dmUuid.starts_with("CRYPT-") ? DeviceKind::Crypt : DeviceKind::Volume;
    }
    if (fs::exists(sys / "md", error)) {
        return DeviceKind::Raid;
    }
    if (name.starts_with("loop")) {
        return DeviceKind::Loop;
    }
    if (name.starts_with("sr")) {
        return DeviceKind::Optical;
    }
    return fs::exists(sys / "device", error) || name.starts_with("nbd") ? DeviceKind::Disk
                                                                        : DeviceKind::Other;
}

std::string busOf(const fs::path& resolved)
{
    // In this order: a USB disk's path also has a SCSI host in it.
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kBuses{
        {{"usb", "usb"},
         {"nvme", "nvme"},
         {"ata", "ata"},
         {"virtio", "virtio"},
         {"mmc", "mmc"},
         {"host", "scsi"}}};
    for (const auto& [prefix, bus] : kBuses) {
        for (const fs::path& part : resolved) {
            const std::string text = part.string();
            if (text.starts_with(prefix) && text.size() > prefix.size() &&
                text[prefix.size()] >= '0' && text[prefix.size()] <= '9') {
                return std::string(bus);
            }
        }
    }
    return {};
}

/// The unit serial number page of a SCSI device: two bytes of length at 2, then the text.
std::string serialFromPage(const fs::path& file)
{
    const std::string page = detail::readText(file);
    if (page.size() < 4) {
        return {};
    }
    const std::size_t size = static_cast<std::size_t>(static_cast<unsigned char>(page[2])) * 256 +
                             static_cast<unsigned char>(page[3]);
    const auto words = detail::splitBlanks(std::string_view(page).substr(4, size));
    return words.empty() ? std::string() : std::string(words.front());
}

std::string firstOf(std::initializer_list<std::string> candidates)
{
    for (const std::string& text : candidates) {
        if (!text.empty()) {
            return text;
        }
    }
    return {};
}

/// udev writes blanks in model names as underscores.
std::string withBlanks(std::string text)
{
    std::replace(text.begin(), text.end(), '_', ' ');
    return text;
}

void describeHardware(DeviceInfo& info, const fs::path& disk, const UdevFacts& udev)
{
    info.model = firstOf({readLine(disk / "device/model"), withBlanks(udev.get("ID_MODEL"))});
    info.vendor = firstOf({readLine(disk / "device/vendor"), withBlanks(udev.get("ID_VENDOR"))});
    info.serial = firstOf({udev.get("ID_SERIAL_SHORT"),
                           readLine(disk / "device/serial"),
                           readLine(disk / "serial"),
                           serialFromPage(disk / "device/vpd_pg80")});
    info.wwn =
        firstOf({udev.get("ID_WWN"), readLine(disk / "wwid"), readLine(disk / "device/wwid")});
    info.logicalSector =
        static_cast<std::uint32_t>(readNumber(disk / "queue/logical_block_size").value_or(512));
    info.physicalSector =
        static_cast<std::uint32_t>(readNumber(disk / "queue/physical_block_size").value_or(512));
    info.rotational = readNumber(disk / "queue/rotational").value_or(0) != 0;
    info.removable = readNumber(disk / "removable").value_or(0) != 0;
}

std::string stableName(const DeviceInfo& info, const Machine& machine, const UdevFacts& udev)
{
    const auto found = machine.idLinks.find(info.name);
    if (found != machine.idLinks.end()) {
        return found->second;
    }
    std::string best;
    for (const std::string& link : udev.links) {
        const std::string path = machine.roots.dev + "/" + link;
        if (link.starts_with("disk/by-id/") && (best.empty() || betterLink(path, best))) {
            best = path;
        }
    }
    return best;
}

void readContent(DeviceInfo& info)
{
    Result<Content> content = probeContent(info.path);
    if (!content) {
        return;
    }
    info.content = *std::move(content);
    info.contentKnown = true;
    if (info.content.type == "zfs_member") {
        info.pool = info.content.label;
        const std::string& uuid = info.content.uuid;
        (void)std::from_chars(uuid.data(), uuid.data() + uuid.size(), info.poolGuid);
    }
}

void addMounts(DeviceInfo& info, const Machine& machine, const std::string& number)
{
    for (const detail::MountEntry& mount : machine.mounts) {
        if (mount.device == number || mount.source == info.path) {
            info.mountPoints.push_back(mount.mountPoint);
            info.uses.push_back({DeviceUse::Kind::Mounted, mount.mountPoint});
        }
    }
}

void addUses(DeviceInfo& info, const Machine& machine, const std::string& number)
{
    using Kind = DeviceUse::Kind;
    addMounts(info, machine, number);
    if (std::find(machine.swaps.begin(), machine.swaps.end(), info.path) != machine.swaps.end()) {
        info.uses.push_back({Kind::Swap, {}});
    }
    for (const std::string& holder : info.holders) {
        info.uses.push_back({Kind::Holder, holder});
    }
    const auto loop = machine.loopByFile.find(info.path);
    if (loop != machine.loopByFile.end()) {
        info.uses.push_back({Kind::LoopBacking, loop->second});
    }
    const Content& content = info.content;
    if (content.type == "zfs_member") {
        info.uses.push_back({Kind::PoolMember, content.label});
    } else if (content.usage == "raid" || content.usage == "crypto") {
        info.uses.push_back({Kind::RaidMember, content.type});
    } else if (!content.type.empty()) {
        info.uses.push_back({Kind::Content, content.type});
    } else if (content.ambiguous) {
        info.uses.push_back({Kind::Content, "several signatures"});
    }
    if (!content.partitionTable.empty()) {
        info.uses.push_back({Kind::Partitioned, content.partitionTable});
    }
    if (info.readOnly) {
        info.uses.push_back({Kind::ReadOnly, {}});
    }
}

std::optional<DeviceInfo>
readDevice(const std::string& name, const Machine& machine, const ListOptions& options)
{
    std::error_code error;
    const fs::path sys = classFolder(machine.roots) / name;
    const fs::path resolved = fs::canonical(sys, error);
    const std::uint64_t sectors = readNumber(sys / "size").value_or(0);
    std::uint64_t bytes = 0;
    if (error || sectors == 0 || !checkedMultiply(sectors, 512, bytes)) {
        return std::nullopt;
    }
    DeviceInfo info;
    info.name = name;
    std::string fileName = name;
    std::replace(fileName.begin(), fileName.end(), '!', '/'); // sysfs' way to write cciss/c0d0
    info.path = machine.roots.dev + "/" + fileName;
    info.kind = kindOf(name, sys);
    info.size = ByteCount(bytes);
    info.readOnly = readNumber(sys / "ro").value_or(0) != 0;
    info.holders = namesIn(sys / "holders");
    info.backingFile = readLine(sys / "loop/backing_file");
    info.bus = busOf(resolved);
    const bool isPartition = fs::exists(sys / "partition", error);
    const fs::path disk = isPartition ? resolved.parent_path() : resolved;
    if (isPartition) {
        info.parent = machine.roots.dev + "/" + disk.filename().string();
    }
    const std::string number = readLine(sys / "dev");
    const UdevFacts udev = readUdev(machine.roots, number);
    describeHardware(info, disk, udev);
    info.byId = stableName(info, machine, udev);
    if (options.probe) {
        readContent(info);
    }
    addUses(info, machine, number);
    return info;
}

/// A disk whose partition somebody uses is used itself.
void addPartitionUses(std::vector<DeviceInfo>& devices)
{
    std::map<std::string, std::size_t> byPath;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        byPath.emplace(devices[i].path, i);
    }
    for (const DeviceInfo& part : devices) {
        const auto disk = byPath.find(part.parent);
        if (part.parent.empty() || disk == byPath.end()) {
            continue;
        }
        std::vector<DeviceUse>& uses = devices[disk->second].uses;
        const bool known = std::any_of(uses.begin(), uses.end(), [](const DeviceUse& use) {
            return use.kind == DeviceUse::Kind::Partitioned;
        });
        if (!known) {
            uses.push_back({DeviceUse::Kind::Partitioned, {}});
        }
        const bool active = std::any_of(part.uses.begin(), part.uses.end(), [](const auto& use) {
            return use.kind < DeviceUse::Kind::Partitioned;
        });
        if (active) {
            uses.push_back({DeviceUse::Kind::PartitionUsed, part.path});
        }
    }
}

/// "sda" before "sda1" before "sda10" before "sdb": digits count as numbers.
bool lessByName(const DeviceInfo& a, const DeviceInfo& b)
{
    const auto split = [](const std::string& name) {
        const auto digits = name.find_last_not_of("0123456789") + 1;
        std::uint64_t number = 0;
        (void)std::from_chars(name.data() + digits, name.data() + name.size(), number);
        return std::tuple(name.substr(0, digits), digits != name.size(), number);
    };
    return split(a.name) < split(b.name);
}

} // namespace

std::string_view deviceKindText(DeviceKind kind)
{
    switch (kind) {
    case DeviceKind::Disk:
        return "disk";
    case DeviceKind::Partition:
        return "partition";
    case DeviceKind::Loop:
        return "loop";
    case DeviceKind::Raid:
        return "raid";
    case DeviceKind::Crypt:
        return "crypt";
    case DeviceKind::Volume:
        return "lvm";
    case DeviceKind::Optical:
        return "rom";
    case DeviceKind::Other:
        break;
    }
    return "other";
}

std::string DeviceUse::toText() const
{
    switch (kind) {
    case Kind::Mounted:
        return "mounted on " + detail;
    case Kind::Swap:
        return "swap space";
    case Kind::Holder:
        return "in use by " + detail;
    case Kind::PoolMember:
        return "part of the pool " + detail;
    case Kind::RaidMember:
        return "holds " + detail;
    case Kind::LoopBacking:
        return "behind " + detail;
    case Kind::Partitioned:
        return detail.empty() ? "has partitions" : "has a partition table (" + detail + ")";
    case Kind::Content:
        return "holds " + detail;
    case Kind::ReadOnly:
        return "read-only";
    case Kind::PartitionUsed:
        break;
    }
    return detail + " is in use";
}

std::string DeviceInfo::useText() const
{
    return uses.empty() ? std::string() : uses.front().toText();
}

Result<std::vector<DeviceInfo>> listDevices(const ListOptions& options)
{
    std::error_code error;
    if (!fs::is_directory(classFolder(options.roots), error)) {
        return fail(ErrorCode::NoSuchDevice,
                    "the kernel's list of block devices is not there",
                    {.path = classFolder(options.roots).string()});
    }
    const Machine machine = readMachine(options.roots);
    std::vector<DeviceInfo> devices;
    for (const std::string& name : namesIn(classFolder(options.roots))) {
        if (std::optional<DeviceInfo> info = readDevice(name, machine, options)) {
            devices.push_back(*std::move(info));
        }
    }
    std::sort(devices.begin(), devices.end(), lessByName);
    addPartitionUses(devices);
    return devices;
}

Result<DeviceInfo> findDevice(const std::string& path, const ListOptions& options)
{
    std::error_code error;
    const fs::path resolved = fs::canonical(path, error);
    std::vector<DeviceInfo> devices = MP_TRY(listDevices(options));
    for (DeviceInfo& device : devices) {
        if (device.path == path || (!resolved.empty() && device.path == resolved.string())) {
            return std::move(device);
        }
    }
    return fail(ErrorCode::NoSuchDevice, "no such block device", {.path = path});
}

} // namespace millpond::device
