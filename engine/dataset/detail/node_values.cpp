// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/detail/node_values.h"

#include "dataset/detail/available.h"

#include "dataset/detail/resume_token.h"
#include "dataset/written.h"
#include "format/znode.h"
#include "object/zap.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace millpond::dataset::detail {

using object::ObjectSet;
using object::Zap;
using object::ZapEntry;

namespace {

// Keys of the object that holds a dataset's wrapped key.
constexpr std::string_view kCryptoSuite = "DSL_CRYPTO_SUITE";
constexpr std::string_view kCryptoRoot = "DSL_CRYPTO_ROOT_DDOBJ";
constexpr std::string_view kCryptoKeyFormat = "keyformat";
constexpr std::string_view kCryptoIterations = "pbkdf2iters";
constexpr std::uint64_t kKeyUnavailable = 1; // of the property keystatus

// The feature's own field in a dataset made by a redacted receive: the guids of the snapshots.
constexpr std::string_view kRedactedDatasets = "com.delphix:redacted_datasets";

/// In hundredths.
std::uint64_t ratio(std::uint64_t uncompressed, std::uint64_t compressed)
{
    return compressed == 0 ? 100 : uncompressed * 100 / compressed;
}

std::uint64_t availableTo(const Directory& directory, std::uint64_t usable)
{
    std::vector<SpaceLevel> upwards;
    for (const Directory* place = &directory; place != nullptr; place = place->parent.get()) {
        upwards.push_back(SpaceLevel::of(place->phys));
    }
    return availableAt(upwards, usable);
}

/// Nothing when absent.
Result<std::optional<std::uint64_t>>
numberIn(const Zap& zap, std::string_view key, const ReadContext& context)
{
    const auto number = zap.number(key, context);
    if (number) {
        return *number;
    }
    if (number.error().is(ErrorCode::NoSuchEntry)) {
        return std::nullopt;
    }
    return fail(number.error());
}

std::string joined(const auto& items)
{
    return fmt::format("{}", fmt::join(items, ","));
}

} // namespace

NodeValues::Getter NodeValues::getter(std::string_view name)
{
    struct Entry
    {
        std::string_view name;
        Getter get;
    };

    static constexpr Entry kGetters[] = {
        {"available", &NodeValues::available},
        {"casesensitivity", &NodeValues::caseSensitivity},
        {"clones", &NodeValues::clones},
        {"compressratio", &NodeValues::compressRatio},
        {"createtxg", &NodeValues::createTxg},
        {"creation", &NodeValues::creation},
        {"defer_destroy", &NodeValues::deferDestroy},
        {"encryption", &NodeValues::encryption},
        {"encryptionroot", &NodeValues::encryptionRoot},
        {"filesystem_count", &NodeValues::filesystemCount},
        {"guid", &NodeValues::guid},
        {"keyformat", &NodeValues::keyFormat},
        {"keystatus", &NodeValues::keyStatus},
        {"logicalreferenced", &NodeValues::logicalReferenced},
        {"logicalused", &NodeValues::logicalUsed},
        {"name", &NodeValues::name},
        {"normalization", &NodeValues::normalization},
        {"objsetid", &NodeValues::objsetId},
        {"origin", &NodeValues::origin},
        {"pbkdf2iters", &NodeValues::pbkdf2Iterations},
        {"quota", &NodeValues::quota},
        {"receive_resume_token", &NodeValues::receiveResumeToken},
        {"redact_snaps", &NodeValues::redactSnapshots},
        {"refcompressratio", &NodeValues::refCompressRatio},
        {"referenced", &NodeValues::referenced},
        {"reservation", &NodeValues::reservation},
        {"snapshot_count", &NodeValues::snapshotCount},
        {"snapshots_changed", &NodeValues::snapshotsChanged},
        {"type", &NodeValues::type},
        {"used", &NodeValues::used},
        {"usedbychildren", &NodeValues::usedByChildren},
        {"usedbydataset", &NodeValues::usedByDataset},
        {"usedbyrefreservation", &NodeValues::usedByRefReservation},
        {"usedbysnapshots", &NodeValues::usedBySnapshots},
        {"userrefs", &NodeValues::userRefs},
        {"utf8only", &NodeValues::utf8Only},
        {"version", &NodeValues::version},
        {"volblocksize", &NodeValues::volumeBlockSize},
        {"volsize", &NodeValues::volumeSize},
        {"written", &NodeValues::written},
    };
    const auto* found = std::ranges::lower_bound(kGetters, name, {}, &Entry::name);
    return found != std::end(kGetters) && found->name == name ? found->get : nullptr;
}

bool NodeValues::isComputed(std::string_view name)
{
    return getter(name) != nullptr;
}

Result<std::optional<SettingValue>> NodeValues::value(std::string_view name)
{
    const Getter get = getter(name);
    if (get == nullptr) {
        return std::nullopt;
    }
    Value value = (this->*get)();
    if (!value && value.error().errorClass() != ErrorClass::Cancelled) {
        // One value that cannot be read (damaged, or no key) must not hide all others of a listing.
        return std::nullopt;
    }
    return value;
}

Space NodeValues::space() const
{
    const format::DslDatasetPhys& dataset = phys();
    Space space;
    space.referenced = dataset.referencedBytes;
    space.logicalReferenced = dataset.uncompressedBytes;
    space.unique = dataset.uniqueBytes;
    space.objects = dataset.root.isHole() ? 0 : dataset.root.fill();
    space.objectsAvailable = format::kMaxObjects - std::min(format::kMaxObjects, space.objects);
    if (dataset.isSnapshot()) {
        space.used = dataset.uniqueBytes;
        return space;
    }
    space.used = directory().phys.usedBytes;
    space.refQuota = m_sizes.refQuota;
    space.refReservation = m_sizes.refReservation;
    space.available = availableTo(directory(), m_usable);
    if (space.refReservation > space.unique) {
        space.available += space.refReservation - space.unique;
    }
    if (space.refQuota != 0) {
        const std::uint64_t left =
            space.referenced < space.refQuota ? space.refQuota - space.referenced : 0;
        space.available = std::min(space.available, left);
    }
    return space;
}

NodeValues::Value NodeValues::type()
{
    switch (m_node.kind) {
    case Kind::Filesystem:
        return "filesystem";
    case Kind::Volume:
        return "volume";
    case Kind::Snapshot:
        return "snapshot";
    default:
        return "bookmark";
    }
}

NodeValues::Value NodeValues::name()
{
    return m_node.name();
}

NodeValues::Value NodeValues::creation()
{
    return isBookmark() ? m_node.bookmark->phys.creationTime : phys().creationTime;
}

NodeValues::Value NodeValues::guid()
{
    return isBookmark() ? m_node.bookmark->phys.guid : phys().guid;
}

NodeValues::Value NodeValues::createTxg()
{
    return (isBookmark() ? m_node.bookmark->phys.creationTxg : phys().creationTxg).value();
}

NodeValues::Value NodeValues::bookmarkSum(std::uint64_t format::BookmarkPhys::* field)
{
    const format::BookmarkPhys& bookmark = m_node.bookmark->phys;
    const bool known = (bookmark.flags & format::BookmarkPhys::kHasFreedBeforeNext) != 0;
    return known ? std::optional<SettingValue>(bookmark.*field) : std::nullopt;
}

NodeValues::Value NodeValues::referenced()
{
    return isBookmark() ? bookmarkSum(&format::BookmarkPhys::referencedBytes)
                        : phys().referencedBytes;
}

NodeValues::Value NodeValues::logicalReferenced()
{
    return isBookmark() ? bookmarkSum(&format::BookmarkPhys::uncompressedBytes)
                        : phys().uncompressedBytes;
}

NodeValues::Value NodeValues::used()
{
    return space().used;
}

NodeValues::Value NodeValues::available()
{
    return space().available;
}

NodeValues::Value NodeValues::logicalUsed()
{
    return directory().phys.uncompressedBytes;
}

NodeValues::Value NodeValues::compressRatio()
{
    if (isBookmark()) {
        return std::nullopt;
    }
    return isSnapshot()
               ? refCompressRatio()
               : ratio(directory().phys.uncompressedBytes, directory().phys.compressedBytes);
}

NodeValues::Value NodeValues::refCompressRatio()
{
    return ratio(phys().uncompressedBytes, phys().compressedBytes);
}

NodeValues::Value NodeValues::breakdown(format::DirUsed part)
{
    const format::DslDirPhys& dir = directory().phys;
    const bool kept = (dir.flags & format::DslDirPhys::kUsedBreakdown) != 0;
    return kept ? std::optional<SettingValue>(dir.usedBreakdown[static_cast<std::size_t>(part)])
                : std::nullopt;
}

NodeValues::Value NodeValues::usedBySnapshots()
{
    return breakdown(format::DirUsed::Snapshots);
}

NodeValues::Value NodeValues::usedByDataset()
{
    return breakdown(format::DirUsed::Head);
}

NodeValues::Value NodeValues::usedByRefReservation()
{
    return breakdown(format::DirUsed::RefReservation);
}

NodeValues::Value NodeValues::usedByChildren()
{
    auto children = breakdown(format::DirUsed::Children);
    if (*children) {
        const auto reservations = static_cast<std::size_t>(format::DirUsed::ChildReservations);
        std::get<std::uint64_t>(**children) += directory().phys.usedBreakdown[reservations];
    }
    return children;
}

NodeValues::Value NodeValues::objsetId()
{
    return m_node.dataset->id.value();
}

NodeValues::Value NodeValues::written()
{
    const auto bytes = MP_TRY(writtenSincePrevious(m_tree, *m_node.dataset, m_context));
    return bytes ? std::optional<SettingValue>(*bytes) : std::nullopt;
}

NodeValues::Value NodeValues::userRefs()
{
    return MP_TRY(m_tree.holds(*m_node.dataset, m_context)).size();
}

NodeValues::Value NodeValues::deferDestroy()
{
    return std::uint64_t{(phys().flags & format::DatasetFlag::kDeferDestroy) != 0 ? 1U : 0U};
}

NodeValues::Value NodeValues::origin()
{
    const DatasetRef origin = MP_TRY(m_tree.origin(directory(), m_context));
    return origin ? std::optional<SettingValue>(origin->name()) : std::nullopt;
}

NodeValues::Value NodeValues::clones()
{
    const auto names = MP_TRY(m_tree.clones(*m_node.dataset, m_context));
    return names.empty() ? std::nullopt : std::optional<SettingValue>(joined(names));
}

NodeValues::Value NodeValues::quota()
{
    return directory().phys.quota;
}

NodeValues::Value NodeValues::reservation()
{
    return directory().phys.reserved;
}

NodeValues::Value NodeValues::filesystemCount()
{
    return directory().filesystemCount;
}

NodeValues::Value NodeValues::snapshotCount()
{
    return directory().snapshotCount;
}

NodeValues::Value NodeValues::snapshotsChanged()
{
    const std::uint64_t time = directory().snapshotsChanged.value_or(0);
    return time != 0 ? std::optional<SettingValue>(time) : std::nullopt;
}

Status NodeValues::readMaster(ObjectSet& objset, FixedAtCreation& fixed)
{
    const Zap master = MP_TRY(Zap::open(objset, format::kMasterNodeObject, m_context));
    fixed.version = MP_TRY(numberIn(master, format::kMasterVersion, m_context))
                        .value_or(format::kZplVersionNewest);
    fixed.normalization = MP_TRY(numberIn(master, "normalization", m_context)).value_or(0);
    fixed.utf8Only = MP_TRY(numberIn(master, "utf8only", m_context)).value_or(0);
    fixed.caseSensitivity = MP_TRY(numberIn(master, "casesensitivity", m_context)).value_or(0);
    return {};
}

Status NodeValues::readVolume(ObjectSet& objset, FixedAtCreation& fixed)
{
    const Zap table = MP_TRY(Zap::open(objset, format::kVolumeZapObject, m_context));
    fixed.volumeSize = MP_TRY(table.number(format::kVolumeSize, m_context));
    fixed.volumeBlockSize =
        MP_TRY(objset.dnode(format::kVolumeDataObject, m_context))->dataBlockBytes;
    return {};
}

Status NodeValues::readFixed()
{
    const bool whole = (phys().flags & format::DatasetFlag::kInconsistent) == 0;
    if (!whole || phys().root.isHole()) {
        m_fixed.emplace();
        return {};
    }
    const ObjsetId objset = m_node.dataset->id;
    const Txg birth = phys().root.physicalBirth();
    m_fixed = m_fixedValues.find(objset, birth);
    if (m_fixed) {
        return {};
    }
    FixedAtCreation fixed;
    const auto opened = MP_TRY(m_tree.openObjset(*m_node.dataset, m_context));
    MP_TRY(m_node.content == Kind::Volume ? readVolume(*opened, fixed)
                                          : readMaster(*opened, fixed));
    m_fixedValues.keep(objset, birth, fixed);
    m_fixed = fixed;
    return {};
}

NodeValues::Value NodeValues::fixed(std::optional<std::uint64_t> FixedAtCreation::* field)
{
    if (!m_fixed) {
        const Status read = readFixed();
        if (!read) {
            m_fixed.emplace(); // once is enough for a dataset that cannot be read
            return fail(read.error());
        }
    }
    return (*m_fixed).*field;
}

NodeValues::Value NodeValues::version()
{
    return fixed(&FixedAtCreation::version);
}

NodeValues::Value NodeValues::normalization()
{
    return fixed(&FixedAtCreation::normalization);
}

NodeValues::Value NodeValues::utf8Only()
{
    return fixed(&FixedAtCreation::utf8Only);
}

NodeValues::Value NodeValues::caseSensitivity()
{
    return fixed(&FixedAtCreation::caseSensitivity);
}

NodeValues::Value NodeValues::volumeSize()
{
    return fixed(&FixedAtCreation::volumeSize);
}

NodeValues::Value NodeValues::volumeBlockSize()
{
    return fixed(&FixedAtCreation::volumeBlockSize);
}

NodeValues::Value NodeValues::receiveResumeToken()
{
    if (auto token = MP_TRY(resumeToken(m_tree, *m_node.dataset, m_context))) {
        return std::move(*token);
    }
    // An incremental receive that was interrupted is kept in a hidden clone below.
    for (const DirectoryRef& child : MP_TRY(m_tree.allChildren(m_node.directory, m_context))) {
        if (child->leafName() == "%recv") {
            const DatasetRef received = MP_TRY(m_tree.head(child, m_context));
            if (auto token = MP_TRY(resumeToken(m_tree, *received, m_context))) {
                return std::move(*token);
            }
        }
    }
    return std::nullopt;
}

NodeValues::Value NodeValues::redactSnapshots()
{
    std::vector<std::uint64_t> guids;
    if (isBookmark()) {
        const ObjectId object = m_node.bookmark->phys.redaction;
        if (object.value() == 0) {
            return std::nullopt;
        }
        const auto dnode = MP_TRY(m_tree.mos().dnode(object, m_context));
        guids = MP_TRY(format::RedactionListPhys::decode(dnode->bonus, dnode->order)).snapshotGuids;
    } else {
        if (!m_node.dataset->extensible) {
            return std::nullopt;
        }
        const ObjectId object(m_node.dataset->id.value());
        const Zap fields = MP_TRY(Zap::open(m_tree.mos(), object, m_context));
        const auto entry = fields.lookup(kRedactedDatasets, m_context);
        if (!entry) {
            return entry.error().is(ErrorCode::NoSuchEntry) ? Value(std::nullopt)
                                                            : fail(entry.error());
        }
        guids = entry->values;
    }
    return guids.empty() ? "none" : joined(guids);
}

NodeValues::Value NodeValues::keyNumber(std::string_view key)
{
    if (!directory().cryptoKey) {
        return std::nullopt;
    }
    const Zap zap = MP_TRY(Zap::open(m_tree.mos(), *directory().cryptoKey, m_context));
    return MP_TRY(numberIn(zap, key, m_context));
}

NodeValues::Value NodeValues::encryption()
{
    return keyNumber(kCryptoSuite);
}

NodeValues::Value NodeValues::keyFormat()
{
    return keyNumber(kCryptoKeyFormat);
}

NodeValues::Value NodeValues::pbkdf2Iterations()
{
    return keyNumber(kCryptoIterations);
}

NodeValues::Value NodeValues::encryptionRoot()
{
    const auto object = MP_TRY(keyNumber(kCryptoRoot));
    if (!object) {
        return std::nullopt;
    }
    return MP_TRY(m_tree.directory(ObjectId(std::get<std::uint64_t>(*object)), m_context))->name;
}

NodeValues::Value NodeValues::keyStatus()
{
    return directory().cryptoKey ? std::optional<SettingValue>(kKeyUnavailable) : std::nullopt;
}

} // namespace millpond::dataset::detail
