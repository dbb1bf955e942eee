// SPDX-License-Identifier: GPL-3.0-or-later
#include "crash/pool_bench.h"

#include "object/zap.h"
#include "pool/check/checker.h"
#include "posix/file_system.h"
#include "vdev/labels.h"

#include <QDir>
#include <QFile>

#include <algorithm>

namespace millpond::test {

namespace {
class FindingList final : public pool::CheckSink
{
public:
    void found(const pool::CheckFinding& finding) override { text += finding.text + '\n'; }

    void total(std::uint64_t) override {}

    void advance(std::uint64_t) override {}

    [[nodiscard]] bool cancelled() const override { return false; }

    std::string text;
};

Status addFiles(posix::FileSystem& files, const std::string& dataset, Contents& contents)
{
    std::uint64_t cursor = object::Zap::kBegin;
    for (;;) {
        const auto entries = MP_TRY(files.list(files.root(), cursor, 100));
        if (entries.empty()) {
            return {};
        }
        for (const posix::DirectoryEntry& entry : entries) {
            cursor = entry.next;
            const auto attributes = MP_TRY(files.attributes(entry.object));
            std::vector<std::byte> bytes;
            if (attributes->type == posix::FileType::Regular) {
                bytes.resize(attributes->size);
                bytes.resize(MP_TRY(files.read(entry.object, ByteOffset(0), bytes)));
            }
            contents.emplace(dataset + '/' + entry.name, std::move(bytes));
        }
    }
}
} // namespace

PoolBench::PoolBench(std::vector<device::DeviceRef> devices, std::uint64_t seed)
    : m_devices(std::move(devices))
    , m_random(seed)
    , m_executor(seed)
    , m_cache(ByteCount(16 * MiB))
{
}

std::string PoolBench::pathOf(std::size_t index)
{
    return "/dev/memory" + std::to_string(index);
}

pool::Services PoolBench::services()
{
    pool::Services services{m_executor, nullptr, m_cache, m_log};
    services.devices = [this](const std::string& path,
                              device::Access) -> Result<device::DeviceRef> {
        for (std::size_t i = 0; i < m_devices.size(); ++i) {
            if (path == pathOf(i) && m_devices[i] != nullptr) {
                return m_devices[i];
            }
        }
        return fail(ErrorCode::NoSuchDevice, "no such device");
    };
    return services;
}

pool::WriteServices PoolBench::writeServices()
{
    return {.clock = m_clock, .random = m_random, .groups = {.drive = txg::Drive::Stepped}};
}

std::vector<pool::PoolConfig> PoolBench::scan() const
{
    std::vector<pool::Sighting> sightings;
    for (std::size_t i = 0; i < m_devices.size(); ++i) {
        if (m_devices[i] == nullptr) {
            continue;
        }
        const auto labels = vdev::readLabels(*m_devices[i]);
        if (!labels || labels->config() == nullptr) {
            continue;
        }
        pool::Sighting& sighting = sightings.emplace_back();
        sighting.path = pathOf(i);
        sighting.size = m_devices[i]->size().value();
        sighting.label = *labels->config();
        if (const format::Uberblock* best = labels->best()) {
            sighting.uberblock = *best;
        }
    }
    std::vector<std::string> complaints;
    return pool::assemblePools(sightings, complaints);
}

Result<std::unique_ptr<pool::Pool>> PoolBench::openPool(bool write)
{
    auto found = scan();
    if (found.size() != 1) {
        return fail(ErrorCode::NoSuchPool, std::to_string(found.size()) + " pools were found");
    }
    return pool::Pool::open(
        services(), std::move(found.front()), {.force = true, .hold = false, .write = write});
}

Result<std::unique_ptr<pool::WritablePool>> PoolBench::takeOver()
{
    return pool::WritablePool::open(
        writeServices(), MP_TRY(openPool(true)), {.id = 0x77, .name = "survivor"});
}

bool PoolBench::dump(const QString& folder) const
{
    constexpr std::size_t kPiece = 1 * MiB;
    QDir().mkpath(folder);
    std::vector<std::byte> piece(kPiece);
    for (std::size_t i = 0; i < m_devices.size(); ++i) {
        if (m_devices[i] == nullptr) {
            continue;
        }
        device::BlockDevice& device = *m_devices[i];
        QFile image(QDir(folder).filePath(QStringLiteral("disk%1.img").arg(i)));
        const std::uint64_t size = device.size().value();
        if (!image.open(QIODevice::WriteOnly) || !image.resize(static_cast<qint64>(size))) {
            return false;
        }
        for (std::uint64_t at = 0; at < size; at += kPiece) {
            const auto part = MutableBytes(piece).first(std::min<std::uint64_t>(kPiece, size - at));
            if (!device.read(ByteOffset(at), part)) {
                return false;
            }
            const bool blank = std::all_of(
                part.begin(), part.end(), [](std::byte byte) { return byte == std::byte{0}; });
            if (!blank && (!image.seek(static_cast<qint64>(at)) ||
                           image.write(reinterpret_cast<const char*>(part.data()),
                                       static_cast<qint64>(part.size())) < 0)) {
                return false;
            }
        }
    }
    return true;
}

Result<Contents> contentsOf(const pool::Pool& pool)
{
    Contents contents;
    std::vector<dataset::DirectoryRef> waiting{pool.datasets().root()};
    while (!waiting.empty()) {
        const dataset::DirectoryRef directory = std::move(waiting.back());
        waiting.pop_back();
        for (dataset::DirectoryRef& child : MP_TRY(pool.datasets().allChildren(directory))) {
            if (!child->leafName().starts_with('$')) {
                waiting.push_back(std::move(child));
            }
        }
        if (directory->phys.headDataset.value() == 0) {
            continue;
        }
        const dataset::DatasetRef dataset = MP_TRY(pool.datasets().head(directory));
        const auto objset = MP_TRY(pool.datasets().openObjset(*dataset));
        if (objset->header().type != format::ObjsetType::Filesystem) {
            continue;
        }
        const auto files = MP_TRY(posix::FileSystem::open(objset));
        contents.emplace(directory->name, std::vector<std::byte>());
        MP_TRY(addFiles(*files, directory->name, contents));
    }
    return contents;
}

std::string findingsOf(const pool::Pool& pool)
{
    FindingList list;
    const auto totals = pool::checkPool(pool, list);
    return totals ? list.text : list.text + totals.error().toText();
}

} // namespace millpond::test
