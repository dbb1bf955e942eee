// SPDX-License-Identifier: GPL-3.0-or-later
//
// What people change of a pool that is written to, and of its datasets: sync tasks, but for
// trimming.

#include "format/dsl.h"
#include "format/name.h"
#include "object/zap_writer.h"
#include "pool/pool_engine.h"

#include <fmt/format.h>

namespace millpond::pool {

using format::ObjectType;
using object::ZapWriter;

namespace {
constexpr std::string_view kAutotrim = "autotrim";
} // namespace

Status WritablePool::Engine::inSync(FunctionRef<Status(Txg)> refuse, FunctionRef<Status(Txg)> apply)
{
    Status refused; // an error of the task itself would suspend the pool
    MP_TRY(m_groups->run({.check = {}, .apply = [&](Txg txg) -> Status {
                              refused = refuse(txg);
                              return refused ? apply(txg) : Status();
                          }}));
    return refused;
}

Status WritablePool::Engine::createFileSystems(std::span<const NewFileSystem> requests)
{
    std::vector<dataset::LiveTree::NewDataset> datasets;
    for (const NewFileSystem& request : requests) {
        datasets.push_back({request.name, request.settings});
    }
    return inSync([&](Txg) { return m_tree->checkMany(datasets); },
                  [&](Txg txg) -> Status {
                      const auto made = MP_TRY(m_tree->createMany(datasets, txg));
                      for (std::size_t i = 0; i < made.size(); ++i) {
                          MP_TRY(makeFileSystem(*made[i], requests[i].format, txg));
                          MP_TRY(m_history->addEvent({.name = "create",
                                                      .dataset = requests[i].name,
                                                      .objset = made[i]->id,
                                                      .text = ""},
                                                     txg));
                      }
                      return {};
                  });
}

Status WritablePool::Engine::set(const std::string& dataset,
                                 std::span<const dataset::Setting> settings)
{
    dataset::LiveDirectory* directory = nullptr;
    return inSync(
        [&](Txg) -> Status {
            directory = MP_TRY(m_tree->find(dataset));
            return m_tree->check(*directory, settings);
        },
        [&](Txg txg) -> Status {
            MP_TRY(m_tree->set(*directory, settings, txg));
            for (const dataset::Setting& setting : settings) {
                const auto* number = std::get_if<std::uint64_t>(&setting.value);
                const std::string value = number != nullptr ? fmt::format("{}", *number)
                                                            : std::get<std::string>(setting.value);
                MP_TRY(m_history->addEvent({.name = "set",
                                            .dataset = dataset,
                                            .objset = ObjsetId(directory->phys.headDataset.value()),
                                            .text = fmt::format("{}={}", setting.name, value)},
                                           txg));
            }
            return {};
        });
}

/// What it refuses, it refuses before it has changed anything.
Status
WritablePool::Engine::inherit(const std::string& dataset, const std::string& name, bool received)
{
    return inSync(
        [&](Txg txg) -> Status {
            dataset::LiveDirectory* directory = MP_TRY(m_tree->find(dataset));
            return m_tree->inherit(*directory, name, received, txg);
        },
        [](Txg) { return Status(); });
}

Status WritablePool::Engine::rename(const std::string& dataset, const std::string& newName)
{
    dataset::LiveDirectory* directory = nullptr;
    dataset::LiveDirectory* parent = nullptr;
    const std::string_view name = std::string_view(newName).substr(newName.rfind('/') + 1);
    return inSync(
        [&](Txg) -> Status {
            MP_TRY(format::checkName(newName, format::NameKind::Filesystem));
            directory = MP_TRY(m_tree->find(dataset));
            parent = MP_TRY(m_tree->find(format::parentName(newName)));
            return m_tree->checkRename(*directory, *parent, name);
        },
        [&](Txg txg) -> Status {
            MP_TRY(m_tree->rename(*directory, *parent, name, txg));
            return m_history->addEvent({.name = "rename",
                                        .dataset = dataset,
                                        .objset = ObjsetId(directory->phys.headDataset.value()),
                                        .text = fmt::format("-> {}", newName)},
                                       txg);
        });
}

/// Of a dataset that is to go.
Status WritablePool::Engine::freeLog(const dataset::LiveDataset& dataset, Txg txg)
{
    if (dataset.phys.root.isHole()) {
        return {};
    }
    const auto objset =
        MP_TRY(object::ObjectSet::open(*m_devices->blocks, dataset.phys.root, dataset.id));
    format::ZilHeader header = objset->header().intentLog;
    return header.log.isHole() ? Status()
                               : intent_log::freeLog(logSource(dataset.id), *m_writer, txg, header);
}

Status WritablePool::Engine::destroy(const std::string& dataset)
{
    dataset::LiveDirectory* directory = nullptr;
    return inSync(
        [&](Txg) -> Status {
            directory = MP_TRY(m_tree->find(dataset));
            MP_TRY(m_tree->checkDestroy(*directory));
            const dataset::LiveDataset* head = MP_TRY(m_tree->head(*directory));
            const MutexLock lock(m_mutex);
            const auto known = m_heads.find(head->id);
            if (known == m_heads.end()) {
                return {};
            }
            if (known->second.use_count() > 1) {
                return fail(ErrorCode::DatasetBusy, "the dataset is in use", {.dataset = dataset});
            }
            m_heads.erase(known); // what was changed in this txg is written
            return {};
        },
        [&](Txg txg) -> Status {
            const dataset::LiveDataset* head = MP_TRY(m_tree->head(*directory));
            MP_TRY(freeLog(*head, txg));
            MP_TRY(m_history->addEvent(
                {.name = "destroy", .dataset = dataset, .objset = head->id, .text = ""}, txg));
            return m_tree->destroyHead(*directory, *m_freeing, txg);
        });
}

Status WritablePool::Engine::change(const PoolChanges& changes)
{
    return inSync(
        [&](Txg) -> Status {
            if (!changes.features.empty() && m_version != format::kPoolVersionFeatures) {
                return fail(ErrorCode::UnsupportedVersion,
                            fmt::format("a pool of version {} has no features", m_version));
            }
            for (const std::string& name : changes.features) {
                if (format::featureByName(name) == nullptr) {
                    return fail(ErrorCode::NoSuchProperty,
                                fmt::format("no such feature: {}", name));
                }
            }
            return {};
        },
        [&](Txg txg) { return apply(changes, txg); });
}

Status WritablePool::Engine::apply(const PoolChanges& changes, Txg txg)
{
    const auto noteSet = [&](std::string_view name, std::string_view value) {
        return m_history->addEvent(
            {.name = "set", .dataset = "", .text = fmt::format("{}={}", name, value)}, txg);
    };
    for (const std::string& name : changes.features) {
        MP_TRY(m_features->enable(name, txg));
        MP_TRY(noteSet("feature@" + name, "enabled"));
    }
    useFeatures();
    if (changes.comment) {
        m_config->edit().identity.comment = *changes.comment;
        MP_TRY(noteSet("comment", *changes.comment));
    }
    if (changes.newGuid) {
        const std::uint64_t guid = newGuid(m_write.random);
        ConfigBuilder& builder = m_config->edit();
        MP_TRY(m_history->addEvent(
            {.name = "guid change",
             .dataset = "",
             .text = fmt::format("old={} new={}", builder.identity.guid.value(), guid)},
            txg));
        builder.identity.guid = PoolGuid(guid);
        builder.identity.rootGuid = guid;
        builder.root.setU64("guid", guid);
    }
    return store(changes.properties, txg);
}

/// What those who write blocks know of features. In syncing context, where nothing is written.
void WritablePool::Engine::useFeatures()
{
    const bool holeBirth = m_features->isActive("hole_birth");
    m_writer->setHoleBirth(holeBirth);
    m_mos->setHoleBirth(holeBirth);
    const MutexLock lock(m_mutex);
    for (const auto& [id, head] : m_heads) {
        head->objset->setHoleBirth(holeBirth);
        const object::WriteSettings usual = usualSettings();
        const MutexLock guard(head->mutex);
        head->settings.defaultCompression = usual.defaultCompression;
        head->settings.embeddedData = usual.embeddedData;
    }
}

/// Empty texts are no settings.
Status WritablePool::Engine::store(std::span<const dataset::Setting> properties, Txg txg)
{
    if (properties.empty()) {
        return {};
    }
    ZapWriter zaps(*m_mos, txg);
    const Mos mos = MP_TRY(Mos::open(m_mos));
    ObjectId table(MP_TRY(mos.number(format::kPoolProperties)).value_or(0));
    if (table.value() == 0) {
        table = MP_TRY(zaps.createLinked(format::kPoolDirectoryObject,
                                         format::kPoolProperties,
                                         {.type = format::number(ObjectType::PoolProperties)}));
    }
    for (const dataset::Setting& setting : properties) {
        if (setting.name == kAutotrim) {
            m_autotrim = std::get<std::uint64_t>(setting.value) != 0;
        }
        if (const auto* number = std::get_if<std::uint64_t>(&setting.value)) {
            MP_TRY(zaps.update(table, setting.name, *number));
        } else if (const auto& text = std::get<std::string>(setting.value); !text.empty()) {
            MP_TRY(zaps.update(table, setting.name, object::ZapValue::text(text)));
        } else if (Status removed = zaps.remove(table, setting.name);
                   !removed && !removed.error().is(ErrorCode::NoSuchEntry)) {
            return removed;
        }
    }
    return {};
}

Status WritablePool::Engine::trim(const TrimProgress& progress)
{
    std::uint64_t total = 0;
    std::uint64_t done = 0;
    std::vector<std::pair<VdevId, std::uint64_t>> vdevs; // with the size of a metaslab
    for (std::size_t i = 0; i < m_devices->vdevs->topLevelCount(); ++i) {
        const VdevId id(static_cast<std::uint32_t>(i));
        if (const std::size_t count = m_allocator->metaslabCount(id); count != 0) {
            const std::uint64_t size = m_allocator->figures(id).size;
            vdevs.emplace_back(id, size / count);
            total += size;
        }
    }
    for (const auto& [id, bytes] : vdevs) {
        for (std::size_t i = 0; i < m_allocator->metaslabCount(id); ++i) {
            if (!progress(done, total)) {
                return fail(ErrorCode::Cancelled, "trimming was cancelled");
            }
            MP_TRY(m_allocator->visitFree(
                {id, i}, ByteCount(kMinTrim), [this](const space::Extent& extent) {
                    m_devices->vdevs->discard(extent.vdev, extent.offset, extent.size);
                }));
            done += bytes;
        }
    }
    (void)progress(done, total);
    return {};
}

void WritablePool::Engine::note(const std::string& command, std::uint64_t user)
{
    auto hold = m_groups->hold({.dirtyEstimate = ByteCount(64 * KiB), .urgent = true});
    if (hold) {
        m_groups->enqueue(*hold, {.check = {}, .apply = [this, command, user](Txg txg) {
                                      return m_history->addCommand(command, user, txg);
                                  }});
    }
}

} // namespace millpond::pool
