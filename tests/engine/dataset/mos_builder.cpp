// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/dataset/mos_builder.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::test {

using format::ObjectType;

namespace {

/// A pointer that counts 512 bytes everywhere.
format::BlockPointer deadPointer(std::uint64_t birth)
{
    format::BlockPointer pointer;
    pointer.words[0] = 1;         // one sector allocated
    pointer.words[1] = 8 + birth; // somewhere
    constexpr std::uint64_t kOff = 2;
    pointer.words[6] =
        (kOff << 32U) | (kOff << 40U) | (std::uint64_t{19} << 48U) | (std::uint64_t{1} << 63U);
    pointer.words[10] = birth;
    return pointer;
}

} // namespace

ZapItem numberItem(const std::string& name, std::uint64_t value)
{
    return {.name = name, .values = {value}};
}

ZapItem textItem(const std::string& name, const std::string& text)
{
    ZapItem item{.name = name, .integerBytes = 1};
    for (const char c : text) {
        item.values.push_back(static_cast<unsigned char>(c));
    }
    item.values.push_back(0);
    return item;
}

MosBuilder::MosBuilder(MemoryBlocks& blocks, ByteOrder order)
    : m_objects(blocks, always(order))
    , m_order(order)
{
}

std::uint64_t MosBuilder::add(const DnodeSpec& dnode, const TreeSpec& spec)
{
    const std::uint64_t object = next();
    TreeSpec ordered = spec;
    ordered.order = always(m_order);
    m_objects.add(object, dnode, ordered);
    return object;
}

TreeSpec MosBuilder::tableOf(std::vector<ZapItem>& items) const
{
    const ZapShape shape{.blockBytes = 16384, .order = always(m_order)};
    const bool micro = items.size() < 200 && std::ranges::all_of(
                                                 items,
                                                 [](const ZapItem& item) {
                                                     return item.integerBytes == 8 &&
                                                            item.values.size() == 1 &&
                                                            item.name.size() < 50;
                                                 });
    return micro ? buildMicroZap(items, shape) : buildFatZap(items, shape);
}

std::uint64_t MosBuilder::addZap(std::vector<ZapItem> items, const DnodeSpec& dnode)
{
    DnodeSpec asZap = dnode;
    if (dnode.type == format::number(ObjectType::PlainFile)) {
        asZap.type = format::number(ObjectType::OtherZap);
    }
    return add(asZap, tableOf(items));
}

void MosBuilder::addExtended(std::uint64_t object, DnodeSpec dnode, std::vector<ZapItem> fields)
{
    if (fields.empty()) {
        m_objects.add(object, dnode, {});
        return;
    }
    dnode.type = format::newType(format::Layout::Zap, true);
    m_objects.add(object, dnode, tableOf(fields));
}

std::uint64_t MosBuilder::addBpObject(const std::vector<std::uint64_t>& births,
                                      const std::vector<std::uint64_t>& lists)
{
    TreeSpec spec;
    spec.type = format::number(ObjectType::BpObject);
    spec.blockBytes = 1024;
    for (std::size_t i = 0; i < births.size(); ++i) {
        ByteVector& block = spec.blocks[i / 8];
        block.resize(spec.blockBytes);
        deadPointer(births[i]).encode(MutableBytes(block).subspan(i % 8 * 128), m_order);
    }
    format::BpObjectPhys phys;
    phys.pointers = births.size();
    phys.bytes = phys.compressedBytes = phys.uncompressedBytes = births.size() * 512;
    phys.sizeBytes = format::BpObjectPhys::kBytesV2;
    if (!lists.empty()) {
        TreeSpec array;
        array.type = format::number(ObjectType::BpObjectSubobject);
        array.blockBytes = 512;
        for (std::size_t i = 0; i < lists.size(); ++i) {
            ByteVector& block = array.blocks[i / 64];
            block.resize(array.blockBytes);
            put64(block, i % 64 * 8, lists[i], m_order);
        }
        phys.subobjects = ObjectId(add({.type = array.type}, array));
        phys.subobjectCount = lists.size();
    }
    DnodeSpec dnode{.type = spec.type,
                    .bonusType = format::number(ObjectType::BpObjectHeader),
                    .bonus = ByteVector(phys.sizeBytes)};
    phys.encode(dnode.bonus, m_order);
    return add(dnode, spec);
}

std::uint64_t MosBuilder::addDeadlist(const DeadlistSpec& deadlist)
{
    std::vector<ZapItem> items;
    format::DeadlistPhys phys;
    for (const auto& [txg, births] : deadlist) {
        items.push_back(numberItem(fmt::format("{:x}", txg), addBpObject(births)));
        phys.usedBytes += births.size() * 512;
        phys.compressedBytes = phys.uncompressedBytes = phys.usedBytes;
    }
    DnodeSpec dnode{.type = format::number(ObjectType::Deadlist),
                    .bonusType = format::number(ObjectType::DeadlistHeader),
                    .bonus = ByteVector(format::DeadlistPhys::kBytes)};
    phys.encode(dnode.bonus, m_order);
    return addZap(std::move(items), dnode);
}

void MosBuilder::addSnapshots(const DatasetSpec& spec, const std::string& name)
{
    Dataset& head = m_datasets.at(name);
    std::uint64_t previous = 0;
    std::uint64_t previousTxg = 0;
    std::vector<ZapItem> names;
    for (const SnapshotSpec& snapshot : spec.snapshots) {
        Dataset stored{next(), snapshot.phys};
        stored.phys.directory = ObjectId(m_dirs.at(name).object);
        stored.phys.previousSnapshot = ObjectId(previous);
        stored.phys.previousSnapshotTxg = Txg(previousTxg);
        stored.phys.creationTxg = Txg(snapshot.txg);
        stored.phys.childCount = std::max<std::uint64_t>(stored.phys.childCount, 1);
        if (!snapshot.settings.empty()) {
            stored.phys.snapshotProperties = ObjectId(addZap(snapshot.settings));
        }
        if (!snapshot.holds.empty()) {
            std::vector<ZapItem> holds;
            for (const std::string& tag : snapshot.holds) {
                holds.push_back(numberItem(tag, 1000 + holds.size()));
            }
            stored.phys.userRefs = ObjectId(addZap(holds));
        }
        names.push_back(numberItem(snapshot.name, stored.object));
        previous = stored.object;
        previousTxg = snapshot.txg;
        m_datasets.emplace(fmt::format("{}@{}", name, snapshot.name), stored);
    }
    head.phys.previousSnapshot = ObjectId(previous);
    head.phys.previousSnapshotTxg = Txg(previousTxg);
    head.phys.snapshotNames = ObjectId(addZap(names));
}

void MosBuilder::addNode(const DatasetSpec& spec,
                         const std::string& name,
                         std::uint64_t object,
                         std::uint64_t parent)
{
    Dir& dir = m_dirs.emplace(name, Dir{object, spec.dir}).first->second;
    Dataset head{next(), spec.head};
    head.phys.directory = ObjectId(object);
    dir.phys.headDataset = ObjectId(head.object);
    dir.phys.parent = ObjectId(parent);
    dir.phys.properties = ObjectId(addZap(spec.settings));
    m_datasets.emplace(name, head);
    addSnapshots(spec, name);
    std::vector<ZapItem>& items = m_children[name];
    for (const DatasetSpec& child : spec.children) {
        const std::uint64_t childObject = next();
        items.push_back(numberItem(child.name, childObject));
        addNode(child, fmt::format("{}/{}", name, child.name), childObject, object);
    }
}

void MosBuilder::addTree(const DatasetSpec& root)
{
    m_poolName = root.name;
    addNode(root, root.name, next(), 0);
}

std::shared_ptr<object::ObjectSet> MosBuilder::buildObjset()
{
    for (auto& [name, items] : m_children) {
        m_dirs.at(name).phys.childDirectories = ObjectId(addZap(items));
    }
    for (const auto& [name, dir] : m_dirs) {
        DnodeSpec dnode{.type = format::number(ObjectType::DslDir),
                        .bonusType = format::number(ObjectType::DslDir),
                        .bonus = ByteVector(format::DslDirPhys::kBytes)};
        dir.phys.encode(dnode.bonus, m_order);
        addExtended(dir.object, dnode, dir.fields);
    }
    for (const auto& [name, dataset] : m_datasets) {
        DnodeSpec dnode{.type = format::number(ObjectType::DslDataset),
                        .bonusType = format::number(ObjectType::DslDataset),
                        .bonus = ByteVector(format::DslDatasetPhys::kBytes)};
        dataset.phys.encode(dnode.bonus, m_order);
        addExtended(dataset.object, dnode, dataset.fields);
    }
    std::vector<ZapItem> directory{
        numberItem(std::string(format::kPoolRootDataset), m_dirs.at(m_poolName).object)};
    m_objects.add(1, {.type = format::number(ObjectType::ObjectDirectory)}, tableOf(directory));
    auto objset = object::ObjectSet::open(m_objects.blocks(), m_objects.build(), ObjsetId(0));
    return objset ? *objset : nullptr;
}

Result<std::shared_ptr<dataset::DatasetTree>> MosBuilder::build()
{
    auto objset = buildObjset();
    if (!objset) {
        return fail(ErrorCode::BadObjset, "the test made no object set");
    }
    return dataset::DatasetTree::open(std::move(objset), m_poolName);
}

} // namespace millpond::test
