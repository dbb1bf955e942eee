// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/live_config.h"

#include "format/dsl.h"
#include "object/zap_writer.h"
#include "pool/mos.h"

// Sources: OpenZFS module/zfs/spa.c (spa_sync_nvlist, spa_sync_config_object), vdev.c
// (vdev_construct_zaps), vdev_label.c (vdev_config_sync).

namespace millpond::pool {

using format::NvList;
using format::NvValue;
using format::ObjectType;
using object::ZapWriter;

namespace {
constexpr std::uint32_t kListBlockBytes = 16 * 1024;
constexpr std::string_view kRootZapFeature = "vdev_zaps_v2";
constexpr std::string_view kClassFeature = "allocation_classes";
/// A txg without a new configuration is written to so many vdevs [SPA_SYNC_MIN_VDEVS].
constexpr std::size_t kUsualVdevs = 3;

constexpr object::ZapSpec kVdevZap{.type = format::newType(format::Layout::Zap, true)};

bool isAbsent(const NvList& vdev)
{
    const auto type = vdev.text("type");
    return type == "hole" || type == "missing";
}
} // namespace

Status writePackedList(object::LiveObjectSet& mos, ObjectId object, const NvList& list, Txg txg)
{
    std::vector<std::byte> packed = list.encode();
    std::array<std::byte, sizeof(std::uint64_t)> size{};
    const object::DnodeRef dnode = MP_TRY(mos.dnode(object));
    store<std::uint64_t>(size, 0, packed.size(), dnode->order);
    // Whole blocks are written without being read first.
    const std::size_t block = dnode->dataBlockBytes;
    packed.resize((packed.size() + block - 1) / block * block);
    MP_TRY(mos.write(txg, object, ByteOffset(0), packed));
    return mos.setBonus(txg, object, dnode->bonusType, size);
}

Result<ObjectId> createPackedList(object::LiveObjectSet& mos, std::string_view entry, Txg txg)
{
    const std::array<std::byte, sizeof(std::uint64_t)> size{};
    const ObjectId object = MP_TRY(mos.allocateObject(
        txg,
        object::ObjectSpec{.type = format::number(ObjectType::PackedNvlist),
                           .bonusType = format::number(ObjectType::PackedNvlistSize),
                           .bonus = size,
                           .dataBlockBytes = kListBlockBytes}));
    ZapWriter zaps(mos, txg);
    MP_TRY(zaps.add(format::kPoolDirectoryObject, entry, object.value()));
    return object;
}

Status LiveConfig::create(Txg txg)
{
    m_object = MP_TRY(createPackedList(m_mos, format::kPoolConfig, txg));
    m_dirty = true;
    return {};
}

Status LiveConfig::open(const Mos& mos)
{
    m_object = MP_TRY(mos.require(format::kPoolConfig));
    m_vdevZaps = ObjectId(MP_TRY(mos.number(format::kPoolVdevZapMap)).value_or(0));
    return {};
}

Status LiveConfig::sync(Txg txg)
{
    std::vector<std::string> needed = m_features.neededForMos();
    if (needed != m_builder.featuresForRead) {
        edit().featuresForRead = std::move(needed);
    }
    if (!m_dirty) {
        return {};
    }
    MP_TRY(addZaps(txg));
    m_builder.featuresForRead = m_features.neededForMos();
    return writePackedList(m_mos, m_object, m_builder.whole(txg), txg);
}

Status LiveConfig::addZaps(Txg txg)
{
    if (m_vdevZaps.value() == 0) {
        ZapWriter zaps(m_mos, txg);
        m_vdevZaps = MP_TRY(
            zaps.createLinked(format::kPoolDirectoryObject, format::kPoolVdevZapMap, kVdevZap));
    }
    if (!m_builder.root.has(format::kVdevRootZap) && m_features.isEnabled(kRootZapFeature)) {
        if (!m_features.isActive(kRootZapFeature)) {
            MP_TRY(m_features.count(kRootZapFeature, 1, txg));
        }
        m_builder.root.setU64(format::kVdevRootZap, MP_TRY(newZap(txg)));
    }
    for (NvList& top : m_builder.tops) {
        if (!isAbsent(top)) {
            MP_TRY(addVdevZaps(top, true, txg));
        }
    }
    return {};
}

Status LiveConfig::addVdevZaps(NvList& vdev, bool isTop, Txg txg) // NOLINT(misc-no-recursion)
{
    const std::span<const NvList> known = vdev.listArray("children");
    if (known.empty() && !vdev.has(format::kVdevLeafZap)) {
        vdev.setU64(format::kVdevLeafZap, MP_TRY(newZap(txg)));
    }
    if (isTop && !vdev.has(format::kVdevTopZap)) {
        const std::uint64_t zap = MP_TRY(newZap(txg));
        vdev.setU64(format::kVdevTopZap, zap);
        MP_TRY(recordClass(vdev, ObjectId(zap), txg));
    }
    if (!known.empty()) {
        NvValue::Lists children(known.begin(), known.end());
        for (NvList& child : children) {
            MP_TRY(addVdevZaps(child, false, txg));
        }
        vdev.set("children", NvValue::lists(std::move(children)));
    }
    return {};
}

Result<std::uint64_t> LiveConfig::newZap(Txg txg)
{
    ZapWriter zaps(m_mos, txg);
    const ObjectId zap = MP_TRY(zaps.create(kVdevZap));
    MP_TRY(zaps.addNumber(m_vdevZaps, zap.value()));
    return zap.value();
}

Status LiveConfig::recordClass(const NvList& top, ObjectId zap, Txg txg)
{
    std::string_view allocationClass = top.text("alloc_bias").value_or("");
    if (top.u64("is_log").value_or(0) != 0) {
        allocationClass = "log";
    }
    if (allocationClass.empty()) {
        return {};
    }
    ZapWriter zaps(m_mos, txg);
    MP_TRY(zaps.add(zap, format::kVdevAllocationBias, object::ZapValue::text(allocationClass)));
    return allocationClass == "log" ? Status() : m_features.count(kClassFeature, 1, txg);
}

std::vector<vdev::LabelLeaf>
LiveConfig::labels(const vdev::VdevTree& vdevs, Txg txg, std::vector<NvList>& configs) const
{
    std::vector<VdevId> usual; // vdevs that keep data
    for (std::size_t i = 0; i < vdevs.topLevelCount(); ++i) {
        const vdev::TopLevel* top = vdevs.top(VdevId(static_cast<std::uint32_t>(i)));
        if (top != nullptr && top->allocationClass() != vdev::AllocationClass::Log &&
            top->readable()) {
            usual.push_back(top->id());
        }
    }
    const auto chosen = [&](VdevId top) {
        if (m_dirty || usual.size() <= kUsualVdevs) {
            return true;
        }
        const std::size_t first = txg.value() * kUsualVdevs % usual.size();
        for (std::size_t i = 0; i < kUsualVdevs; ++i) {
            if (usual[(first + i) % usual.size()] == top) {
                return true;
            }
        }
        return false;
    };
    const std::vector<vdev::LeafInfo> infos = vdevs.leaves();
    configs.clear();
    configs.reserve(infos.size());
    std::vector<vdev::LabelLeaf> leaves;
    for (const vdev::LeafInfo& info : infos) {
        const vdev::TopLevel* top = vdevs.top(info.top);
        if (info.device == nullptr || top == nullptr || !chosen(info.top)) {
            continue;
        }
        const bool isLog = top->allocationClass() == vdev::AllocationClass::Log;
        if (m_dirty) {
            configs.push_back(m_builder.label(info.top.value(), info.guid.value(), txg));
        } else if (isLog) {
            continue;
        }
        leaves.push_back({.device = info.device,
                          .guid = info.guid,
                          .top = info.top,
                          .ashift = top->ashift(),
                          .dispensable = isLog,
                          .config = m_dirty ? &configs.back() : nullptr,
                          .uberblock = true,
                          .status = {}});
    }
    return leaves;
}

} // namespace millpond::pool
