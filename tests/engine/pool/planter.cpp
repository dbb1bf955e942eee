// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pool/planter.h"

#include "format/dnode.h"
#include "format/space_map.h"
#include "format/zap.h"
#include "format/znode.h"
#include "pool/metaslabs.h"
#include "pool/mos_space_maps.h"
#include "posix/file_system.h"

#include <algorithm>

namespace millpond::test {

namespace {
using Kind = api::CheckProblem::Kind;
using format::ObjectType;

constexpr std::uint64_t kDnodesPerBlock = format::kDnodeBlockBytes / format::kDnodeSlotBytes;
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kUsedOffset = 24; // in a dnode
constexpr std::size_t kZapEntriesOffset = 9 * kWord;
constexpr std::size_t kFirstMicroEntry = 64;
constexpr std::size_t kLinksOffset = 120; // behind the header of system attributes
constexpr std::uint64_t kNoSuchObject = 0x7654321;

template <ObjectType type> bool is(const object::Dnode& dnode)
{
    return dnode.type == format::number(type);
}

void addTo(MutableBytes bytes, std::size_t offset, ByteOrder order, std::uint64_t by)
{
    store<std::uint64_t>(bytes, offset, load<std::uint64_t>(bytes, offset, order) + by, order);
}

PoolEditor::Place dnodeOf(ObjsetId objset, ObjectId object)
{
    return {objset, object, false, Level(), BlockIndex()};
}

PoolEditor::Place blockOf(const object::Dnode& dnode, Level level, BlockIndex index)
{
    return {dnode.objset, dnode.id, true, level, index};
}
} // namespace

Planter::Planter(const QString& folder, const QStringList& disks, bool really)
    : m_opened(openPool(folder))
    , m_really(really)
{
    for (const QString& disk : disks) {
        m_images << folder + u'/' + disk;
    }
}

Status Planter::edit(const PoolEditor::Place& place, PoolEditor::Edit edit)
{
    auto editor = MP_TRY(PoolEditor::open(m_images));
    return editor.edit(place, [&](MutableBytes content, ByteOrder order) {
        return m_really ? edit(content, order) : Status();
    });
}

Status Planter::addToBonus(ObjsetId objset, ObjectId object, std::size_t offset, std::uint64_t by)
{
    return edit(dnodeOf(objset, object), [&](MutableBytes bytes, ByteOrder order) -> Status {
        const auto dnode = MP_TRY(format::DnodeView::create(bytes, order));
        const auto bonus = static_cast<std::size_t>(dnode.bonus().data() - bytes.data());
        addTo(bytes, bonus + offset, order, by);
        return {};
    });
}

Result<Planter::Layer> Planter::layer(const std::string& name) const
{
    if (m_opened == nullptr) {
        return fail(ErrorCode::NoSuchPool, "the pool can't be opened");
    }
    dataset::DatasetTree& tree = m_opened->pool->datasets();
    Layer layer;
    layer.dataset = MP_TRY(tree.find(name)).dataset;
    layer.objset = MP_TRY(tree.openObjset(*layer.dataset));
    layer.files = MP_TRY(posix::FileSystem::open(layer.objset));
    if (layer.dataset->isSnapshot()) {
        const auto next = MP_TRY(tree.dataset(ObjsetId(layer.dataset->phys.nextSnapshot.value())));
        layer.next = MP_TRY(tree.openObjset(*next));
    }
    return layer;
}

bool Planter::isOwn(const Layer& layer,
                    const object::Dnode& dnode,
                    Level level,
                    BlockIndex index) const
{
    const auto mine = layer.objset->blockPointer(dnode, level, index);
    if (!mine || mine->dvaCount() == 0 ||
        mine->birth() <= layer.dataset->phys.previousSnapshotTxg) {
        return false;
    }
    if (layer.next == nullptr) {
        return true;
    }
    const auto nextDnode = layer.next->dnode(dnode.id);
    if (!nextDnode || (*nextDnode)->levels <= level.value()) {
        return true;
    }
    const auto theirs = layer.next->blockPointer(**nextDnode, level, index);
    return theirs && *theirs != *mine;
}

Result<object::DnodeRef>
Planter::findObject(const Layer& layer,
                    const std::function<bool(const object::Dnode&)>& suits) const
{
    ObjectId last;
    while (const auto next = MP_TRY(layer.objset->nextObject(last))) {
        last = *next;
        const BlockIndex block(last.value() / kDnodesPerBlock);
        const object::DnodeRef dnode = MP_TRY(layer.objset->dnode(last));
        if (isOwn(layer, *layer.objset->metaDnode(), Level(0), block) && suits(*dnode)) {
            return dnode;
        }
    }
    return object::DnodeRef();
}

Result<std::vector<Planter::Entry>> Planter::spaceMapEntries(ObjectId map) const
{
    pool::MosSpaceMaps store(m_opened->pool->mos().objset());
    const auto header = MP_TRY(store.header(map));
    const std::uint64_t blockBytes = MP_TRY(store.blockBytes(map));
    std::vector<Entry> entries;
    for (std::uint64_t at = 0; at < header.length.value(); at += kWord) {
        const BlockIndex index(at / blockBytes);
        const auto block = MP_TRY(store.block(map, index));
        const auto offset = static_cast<std::size_t>(at % blockBytes);
        if (block.data == nullptr) {
            continue;
        }
        const auto word = load<std::uint64_t>(block.data->bytes(), offset, block.order);
        Entry entry{{ObjsetId(), map, true, Level(), index}, offset, false, false, 0, 0};
        if (bits(word, 63, 1) == 0) {
            entry.allocates = bits(word, 15, 1) == 0;
            entry.begin = bits(word, 16, 47);
            entry.end = entry.begin + bits(word, 0, 15) + 1;
        } else if (bits(word, 62, 2) == 3) {
            at += kWord;
            entry.twoWords = true;
            const auto second =
                load<std::uint64_t>(block.data->bytes(), offset + kWord, block.order);
            entry.allocates = bits(second, 63, 1) == 0;
            entry.begin = bits(second, 0, 63);
            entry.end = entry.begin + bits(word, 24, 36) + 1;
        } else {
            continue; // A debug word.
        }
        entries.push_back(entry);
    }
    return entries;
}

Status Planter::resize(const Entry& entry, unsigned ashift, std::int64_t by)
{
    const std::uint64_t runUnit = std::uint64_t{1} << (entry.twoWords ? 24U : 0U);
    MP_TRY(edit(entry.place, [&](MutableBytes bytes, ByteOrder order) -> Status {
        addTo(bytes, entry.offset, order, static_cast<std::uint64_t>(by) * runUnit);
        return {};
    }));
    const std::uint64_t bytes = static_cast<std::uint64_t>(by) << ashift;
    return addToBonus(ObjsetId(), entry.place.object, 2 * kWord, bytes);
}

Planter::Planted Planter::leakedSegment()
{
    const auto layouts = MP_TRY(pool::metaslabLayouts(*m_opened->pool));
    std::vector<pool::LogEntry> logged;
    MP_TRY(pool::forEachLogEntry(*m_opened->pool, layouts, [&](const pool::LogEntry& entry) {
        logged.push_back(entry);
        return Status();
    }));
    for (std::size_t at = 0; at < layouts.size(); ++at) {
        const pool::MetaslabLayout& layout = layouts[at];
        for (std::size_t slab = 0; slab < layout.maps.size(); ++slab) {
            const ObjectId map = layout.maps[slab];
            const auto entries =
                map == ObjectId() ? std::vector<Entry>() : MP_TRY(spaceMapEntries(map));
            // The unit behind an entry, if nothing ever speaks of it.
            const auto isUntouched = [&](std::uint64_t unit) {
                const std::uint64_t byte = slab * layout.metaslabBytes() + (unit << layout.ashift);
                return unit < layout.metaslabBytes() >> layout.ashift &&
                       std::ranges::none_of(entries,
                                            [&](const Entry& other) {
                                                return other.begin <= unit && unit < other.end;
                                            }) &&
                       std::ranges::none_of(logged, [&](const pool::LogEntry& other) {
                           return other.layout == at && other.bytes.start <= byte &&
                                  byte < other.bytes.end;
                       });
            };
            for (const Entry& entry : entries) {
                if (entry.allocates && isUntouched(entry.end)) {
                    MP_TRY(resize(entry, layout.ashift, 1));
                    return Expected{Kind::Leak, {}, {}, "nothing uses them"};
                }
            }
        }
    }
    return std::nullopt;
}

Planter::Planted Planter::freeSegmentInUse()
{
    for (const pool::MetaslabLayout& layout : MP_TRY(pool::metaslabLayouts(*m_opened->pool))) {
        for (const ObjectId map : layout.maps) {
            const auto entries =
                map == ObjectId() ? std::vector<Entry>() : MP_TRY(spaceMapEntries(map));
            for (const Entry& entry : entries) {
                const auto covering = [&](const Entry& other) {
                    return other.begin < entry.end && entry.end <= other.end;
                };
                if (entry.allocates && entry.end - entry.begin > 1 &&
                    std::ranges::count_if(entries, covering) == 1) {
                    MP_TRY(resize(entry, layout.ashift, -1));
                    return Expected{
                        Kind::Unallocated, {}, {}, "not allocated according to the space maps"};
                }
            }
        }
    }
    return std::nullopt;
}

Planter::Planted Planter::sharedSegment(const std::string& dataset)
{
    const Layer in = MP_TRY(layer(dataset));
    const auto file = MP_TRY(findObject(in, [&](const object::Dnode& dnode) {
        return is<ObjectType::PlainFile>(dnode) && dnode.levels == 2 &&
               isOwn(in, dnode, Level(1), BlockIndex(0)) &&
               isOwn(in, dnode, Level(0), BlockIndex(0)) &&
               isOwn(in, dnode, Level(0), BlockIndex(1));
    }));
    if (file == nullptr) {
        return std::nullopt;
    }
    constexpr std::size_t kSize = format::BlockPointer::kBytes;
    MP_TRY(edit(blockOf(*file, Level(1), BlockIndex(0)), [](MutableBytes bytes, ByteOrder) {
        std::ranges::copy(bytes.first(kSize), bytes.begin() + kSize);
        return Status();
    }));
    return Expected{
        Kind::DoubleUse, dataset, MP_TRY(in.files->pathOf(file->id)), "used by another block too"};
}

Planter::Planted Planter::referencedCount(const std::string& dataset)
{
    const ObjectId object(MP_TRY(layer(dataset)).dataset->id.value());
    MP_TRY(addToBonus(ObjsetId(), object, 9 * kWord, 512));
    return Expected{Kind::Accounting, dataset, {}, "it references"};
}

Planter::Planted Planter::entryToFreedObject(const std::string& dataset)
{
    const Layer in = MP_TRY(layer(dataset));
    std::size_t offset = 0;
    const auto directory = MP_TRY(findObject(in, [&](const object::Dnode& dnode) {
        if (!is<ObjectType::Directory>(dnode) || !isOwn(in, dnode, Level(0), BlockIndex(0))) {
            return false;
        }
        const auto block = in.objset->readBlock(dnode, BlockIndex(0));
        const auto view = format::MicroZapView::create(block->data->bytes(), block->order);
        for (std::size_t slot = 0; view && slot < view->slots(); ++slot) {
            offset = kFirstMicroEntry + slot * format::MicroZapView::kEntryBytes;
            if (view->entry(slot)) {
                return true;
            }
        }
        return false;
    }));
    if (directory == nullptr) {
        return std::nullopt;
    }
    MP_TRY(edit(
        blockOf(*directory, Level(0), BlockIndex(0)), [&](MutableBytes bytes, ByteOrder order) {
            auto value = format::DirectoryValue::decode(load<std::uint64_t>(bytes, offset, order));
            value.object = ObjectId(kNoSuchObject);
            store<std::uint64_t>(bytes, offset, value.encode(), order);
            return Status();
        }));
    return Expected{Kind::Directory,
                    dataset,
                    MP_TRY(in.files->pathOf(directory->id)),
                    "there is no such object"};
}

Planter::Planted Planter::linkCount(const std::string& dataset)
{
    const Layer in = MP_TRY(layer(dataset));
    std::size_t offset = 0;
    const auto file = MP_TRY(findObject(in, [&](const object::Dnode& dnode) {
        const auto attributes = in.files->attributes(dnode.id);
        if (!is<ObjectType::PlainFile>(dnode) || !attributes || dnode.bonus.size() < 256 / 2 ||
            dnode.bonusType != format::number(ObjectType::SystemAttributes)) {
            return false;
        }
        offset = bits(load<std::uint16_t>(dnode.bonus, 4, dnode.order), 10, 6) * 8 + kLinksOffset;
        return offset + kWord <= dnode.bonus.size() &&
               load<std::uint64_t>(dnode.bonus, offset, dnode.order) == (*attributes)->links;
    }));
    if (file == nullptr) {
        return std::nullopt;
    }
    MP_TRY(addToBonus(file->objset, file->id, offset, 1));
    return Expected{
        Kind::LinkCount, dataset, MP_TRY(in.files->pathOf(file->id)), "its link count is"};
}

Planter::Planted Planter::objectSpace(const std::string& dataset)
{
    const Layer in = MP_TRY(layer(dataset));
    const auto file = MP_TRY(findObject(in, [&](const object::Dnode& dnode) {
        return is<ObjectType::PlainFile>(dnode) && dnode.usedBytes != 0;
    }));
    if (file == nullptr) {
        return std::nullopt;
    }
    MP_TRY(edit(dnodeOf(file->objset, file->id), [](MutableBytes bytes, ByteOrder order) {
        addTo(bytes, kUsedOffset, order, 4096);
        return Status();
    }));
    return Expected{
        Kind::Accounting, dataset, MP_TRY(in.files->pathOf(file->id)), "its blocks take"};
}

Planter::Planted Planter::directorySpace(const std::string& dataset)
{
    const auto object = MP_TRY(layer(dataset)).dataset->directory->object;
    MP_TRY(addToBonus(ObjsetId(), object, 5 * kWord, 512));
    return Expected{Kind::Accounting, dataset, {}, "used:"};
}

Planter::Planted Planter::nextSnapshot(const std::string& snapshot)
{
    const ObjectId object(MP_TRY(layer(snapshot)).dataset->id.value());
    MP_TRY(addToBonus(ObjsetId(), object, 3 * kWord, 1));
    return Expected{Kind::Structure, {}, {}, "says the next one is object"};
}

Planter::Planted Planter::deadlistSum(const std::string& dataset)
{
    const ObjectId object = MP_TRY(layer(dataset)).dataset->phys.deadlist;
    MP_TRY(addToBonus(ObjsetId(), object, 0, 512));
    return Expected{Kind::Accounting, dataset, {}, "its deadlist holds"};
}

Planter::Planted Planter::zapCount()
{
    object::ObjectSet& mos = m_opened->pool->mos().objset();
    ObjectId last;
    while (const auto next = MP_TRY(mos.nextObject(last))) {
        last = *next;
        const object::DnodeRef dnode = MP_TRY(mos.dnode(last));
        if (format::objectLayout(dnode->type) != format::Layout::Zap) {
            continue;
        }
        const auto block = MP_TRY(mos.readBlock(*dnode, BlockIndex(0)));
        const auto kind = format::zapKind(block.data->bytes(), block.order);
        if (kind && *kind == format::ZapKind::Fat) {
            MP_TRY(edit(blockOf(*dnode, Level(0), BlockIndex(0)),
                        [](MutableBytes bytes, ByteOrder order) {
                            addTo(bytes, kZapEntriesOffset, order, 1);
                            return Status();
                        }));
            return Expected{Kind::Structure, {}, {}, fmt::format("object {}:", last.value())};
        }
    }
    return std::nullopt;
}

} // namespace millpond::test
