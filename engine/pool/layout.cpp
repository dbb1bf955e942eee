// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/layout.h"

#include "format/label.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace millpond::pool {

namespace {
using format::NvList;
using format::NvValue;
using Kind = VdevRequest::Kind;

constexpr unsigned kMinAshift = 9;
constexpr unsigned kMaxAshift = 16;
/// What is taken from a device that does not tell; larger physical sectors must be asked for.
constexpr unsigned kMaxAutomaticAshift = 14;

constexpr unsigned kDefaultMetaslabShift = 29;
constexpr unsigned kMinMetaslabShift = 24;
constexpr unsigned kMaxMetaslabShift = 34;
constexpr std::uint64_t kMinMetaslabs = 16;
constexpr std::uint64_t kUsualMetaslabs = 200;
constexpr std::uint64_t kMaxMetaslabs = 131'072;

Status invalid(std::string text)
{
    return fail(ErrorCode::InvalidArgument, std::move(text));
}

std::string_view groupText(const VdevRequest& vdev)
{
    return vdev.kind == Kind::Mirror ? "mirror" : "raidz";
}

Status checkGroup(const VdevRequest& vdev)
{
    if (vdev.kind == Kind::Raidz && (vdev.parity < 1 || vdev.parity > 3)) {
        return invalid("raidz has one, two or three parity devices");
    }
    const std::size_t fewest = vdev.kind == Kind::Mirror ? 2 : vdev.parity + 1;
    const std::size_t most =
        vdev.kind == Kind::Mirror ? vdev::VdevTree::kMaxChildren : std::size_t{255};
    if (vdev.children.size() < fewest) {
        return invalid(fmt::format("a {} needs at least {} devices", groupText(vdev), fewest));
    }
    if (vdev.children.size() > most) {
        return invalid(fmt::format("a {} has {} devices at most", groupText(vdev), most));
    }
    for (const VdevRequest& child : vdev.children) {
        if (child.kind != Kind::Leaf) {
            return invalid(fmt::format("a {} is made of devices only", groupText(vdev)));
        }
    }
    if (vdev.kind == Kind::Raidz && vdev.allocationClass == vdev::AllocationClass::Log) {
        return invalid("a log cannot be raidz: use a mirror");
    }
    return {};
}

unsigned ashiftOf(const LeafGeometry& geometry)
{
    const auto bits = static_cast<unsigned>(std::bit_width(geometry.physicalSector.value()) - 1);
    return std::clamp(bits, kMinAshift, kMaxAutomaticAshift);
}

struct Leaf
{
    NvList config;
    std::uint64_t allocatable = 0;
    unsigned ashift = 0;
};

Result<Leaf> leafConfig(const std::string& path,
                        std::uint64_t id,
                        const LeafGeometries& geometries,
                        const LayoutOptions& options,
                        Random& random)
{
    const auto found = geometries.find(path);
    if (found == geometries.end()) {
        return fail(ErrorCode::NoSuchDevice, fmt::format("no such device: {}", path));
    }
    const LeafGeometry& geometry = found->second;
    if (geometry.size.value() < format::kMinDeviceBytes) {
        return fail(ErrorCode::DeviceTooSmall,
                    fmt::format("{} is too small: a device has at least 64 MiB", path));
    }
    Leaf leaf;
    leaf.allocatable = MP_TRY(format::allocatableSize(geometry.size)).value();
    leaf.ashift = ashiftOf(geometry);
    leaf.config.setText("type", geometry.isBlockDevice ? "disk" : "file");
    leaf.config.setU64("id", id);
    leaf.config.setU64("guid", newGuid(random));
    leaf.config.setText("path", path);
    if (geometry.isBlockDevice) {
        leaf.config.setU64("whole_disk", geometry.wholeDisk ? 1 : 0);
    }
    leaf.config.setU64("create_txg", options.createTxg.value());
    return leaf;
}

class TopBuilder
{
public:
    TopBuilder(const LayoutRequest& request,
               const LeafGeometries& geometries,
               const LayoutOptions& options,
               Random& random)
        : m_request(request)
        , m_geometries(geometries)
        , m_options(options)
        , m_random(random)
    {
    }

    Result<NvList> build(const VdevRequest& vdev, std::uint64_t id)
    {
        NvList config;
        std::uint64_t allocatable = 0;
        unsigned ashift = 0;
        if (vdev.kind == Kind::Leaf) {
            Leaf leaf = MP_TRY(leafConfig(vdev.path, id, m_geometries, m_options, m_random));
            config = std::move(leaf.config);
            allocatable = leaf.allocatable;
            ashift = leaf.ashift;
        } else {
            config.setText("type", groupText(vdev));
            config.setU64("id", id);
            config.setU64("guid", newGuid(m_random));
            if (vdev.kind == Kind::Raidz) {
                config.setU64("nparity", vdev.parity);
            }
            config.setU64("create_txg", m_options.createTxg.value());
            NvValue::Lists children;
            for (std::uint64_t i = 0; i < vdev.children.size(); ++i) {
                Leaf leaf =
                    MP_TRY(leafConfig(vdev.children[i].path, i, m_geometries, m_options, m_random));
                allocatable = i == 0 ? leaf.allocatable : std::min(allocatable, leaf.allocatable);
                ashift = std::max(ashift, leaf.ashift);
                children.push_back(std::move(leaf.config));
            }
            config.set("children", NvValue::lists(std::move(children)));
            if (vdev.kind == Kind::Raidz) {
                allocatable *= vdev.children.size();
            }
        }
        finish(vdev, allocatable, m_request.ashift.value_or(ashift), config);
        return config;
    }

private:
    static void
    finish(const VdevRequest& vdev, std::uint64_t allocatable, unsigned ashift, NvList& config)
    {
        config.setU64("metaslab_array", 0);
        config.setU64("metaslab_shift", metaslabShiftFor(allocatable));
        config.setU64("ashift", ashift);
        config.setU64("asize", allocatable);
        config.setU64("is_log", vdev.allocationClass == vdev::AllocationClass::Log ? 1 : 0);
        if (vdev.allocationClass == vdev::AllocationClass::Special ||
            vdev.allocationClass == vdev::AllocationClass::Dedup) {
            config.setText("alloc_bias", vdev::classText(vdev.allocationClass));
        }
    }

    const LayoutRequest& m_request;
    const LeafGeometries& m_geometries;
    const LayoutOptions& m_options;
    Random& m_random;
};
} // namespace

std::vector<std::string> leafPaths(const LayoutRequest& request)
{
    std::vector<std::string> paths;
    for (const VdevRequest& top : request.tops) {
        if (top.kind == Kind::Leaf) {
            paths.push_back(top.path);
        }
        for (const VdevRequest& child : top.children) {
            paths.push_back(child.path);
        }
    }
    paths.insert(paths.end(), request.spares.begin(), request.spares.end());
    paths.insert(paths.end(), request.caches.begin(), request.caches.end());
    return paths;
}

Status checkLayout(const LayoutRequest& request)
{
    if (request.ashift && (*request.ashift < kMinAshift || *request.ashift > kMaxAshift)) {
        return invalid(fmt::format("ashift is {} to {}", kMinAshift, kMaxAshift));
    }
    for (const VdevRequest& top : request.tops) {
        if (top.kind != Kind::Leaf) {
            MP_TRY(checkGroup(top));
        }
    }
    std::set<std::string_view> seen;
    const std::vector<std::string> paths = leafPaths(request);
    for (const std::string& path : paths) {
        if (path.empty()) {
            return invalid("a device without a path");
        }
        if (!seen.insert(path).second) {
            return invalid(fmt::format("{} is named twice", path));
        }
    }
    return {};
}

std::uint64_t newGuid(Random& random)
{
    std::uint64_t guid = 0;
    while (guid == 0) {
        guid = random.next();
    }
    return guid;
}

Result<std::vector<NvList>> auxiliaryConfigs(const std::vector<std::string>& paths,
                                             bool isCache,
                                             const LeafGeometries& geometries,
                                             const LayoutOptions& options,
                                             Random& random)
{
    std::vector<NvList> configs;
    for (const std::string& path : paths) {
        Leaf leaf = MP_TRY(leafConfig(path, 0, geometries, options, random));
        leaf.config.remove("id");
        if (isCache) {
            leaf.config.setU64("ashift", leaf.ashift);
        }
        configs.push_back(std::move(leaf.config));
    }
    return configs;
}

Result<std::vector<NvList>> layoutConfigs(const LayoutRequest& request,
                                          const LeafGeometries& geometries,
                                          const LayoutOptions& options,
                                          Random& random)
{
    MP_TRY(checkLayout(request));
    TopBuilder builder(request, geometries, options, random);
    std::vector<NvList> tops;
    for (const VdevRequest& top : request.tops) {
        tops.push_back(MP_TRY(builder.build(top, options.firstId + tops.size())));
    }
    return tops;
}

unsigned metaslabShiftFor(std::uint64_t allocatableBytes)
{
    const std::uint64_t count = allocatableBytes >> kDefaultMetaslabShift;
    unsigned shift = kDefaultMetaslabShift;
    if (count < kMinMetaslabs) {
        shift = static_cast<unsigned>(std::bit_width(allocatableBytes / kMinMetaslabs));
    } else if (count > kUsualMetaslabs) {
        shift = static_cast<unsigned>(std::bit_width(allocatableBytes / kUsualMetaslabs));
    }
    if (shift < kMinMetaslabShift) {
        return kMinMetaslabShift;
    }
    if (shift > kMaxMetaslabShift) {
        shift = kMaxMetaslabShift;
        if ((allocatableBytes >> shift) > kMaxMetaslabs) {
            shift = static_cast<unsigned>(std::bit_width(allocatableBytes / kMaxMetaslabs));
        }
    }
    return shift;
}

} // namespace millpond::pool
