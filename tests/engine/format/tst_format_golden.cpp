// SPDX-License-Identifier: GPL-3.0-or-later
// Property: every metadata block of pools made by OpenZFS and Solaris, in both byte orders, is
// accepted, agrees with itself (counts, hashes, sums), and encodes to the bytes it was read from.
// Method: pools on one disk are walked from the uberblock; each object is checked by its type.
#include "codec/compression.h"
#include "engine/format/pool_blocks.h"
#include "format/brt.h"
#include "format/ddt.h"
#include "format/dsl.h"
#include "format/history.h"
#include "format/intent_log.h"
#include "format/label.h"
#include "format/sa.h"
#include "format/space_map.h"
#include "format/znode.h"
#include "support/pools.h"

#include <QTest>

#include <algorithm>
#include <set>

using namespace millpond;
using namespace millpond::test;

namespace {

std::unexpected<Error> wrong(std::string what)
{
    return fail(ErrorCode::InvalidArgument, std::move(what));
}

Status expect(bool condition, std::string what)
{
    return condition ? Status() : wrong(std::move(what));
}

/// What was met, so that a test can tell that it tested something.
struct Counts
{
    std::size_t pointers = 0, dnodes = 0, objsets = 0, microZaps = 0, fatZaps = 0, leaves = 0;
    std::size_t spaceMaps = 0, attributes = 0, znodes = 0, datasets = 0, lists = 0, records = 0;
    std::size_t dedupEntries = 0, spills = 0;
};

class Checker
{
public:
    explicit Checker(PoolBlocks& pool)
        : m_pool(pool)
    {
    }

    Status run() { return objset(m_pool.uberblock().root); }

    Counts counts;

private:
    Status objset(const format::BlockPointer& root)
    {
        if (root.isHole()) {
            return {};
        }
        ++counts.objsets;
        const PoolBlock block = MP_TRY(m_pool.read(root));
        const auto decoded = MP_TRY(format::ObjsetPhys::decode(block.bytes, block.order));
        BlockBytes out(decoded.sizeBytes);
        decoded.encode(out);
        MP_TRY(expect(out == block.bytes, "object set encodes differently"));
        MP_TRY(pointers(MP_TRY(format::DnodeView::create(decoded.metaDnode, decoded.order))));
        const std::vector<PoolObject> objects = MP_TRY(m_pool.objects(decoded));
        if (decoded.type == format::ObjsetType::Filesystem) {
            MP_TRY(loadAttributes(objects));
        }
        for (const PoolObject& item : objects) {
            if (auto status = object(item, decoded.type); !status) {
                return std::unexpected(std::move(status).error().at({.object = ObjectId(item.id)}));
            }
        }
        return {};
    }

    Status pointers(const format::DnodeView& dnode)
    {
        return m_pool.walk(
            dnode, [&](const format::BlockPointer& pointer, const PoolBlock& block) -> Status {
                ++counts.pointers;
                MP_TRY(expect(pointer.type() == dnode.header().type || pointer.level().value() > 0,
                              "pointer of another type"));
                MP_TRY(expect(!pointer.toText().empty(), "pointer without text"));
                if (pointer.level().value() > 0) {
                    return indirect(block);
                }
                return {};
            });
    }

    static Status indirect(const PoolBlock& block)
    {
        for (std::size_t at = 0; at < block.bytes.size(); at += format::BlockPointer::kBytes) {
            const auto pointer = format::BlockPointer::at(block.bytes, at, block.order);
            MP_TRY(pointer.validate());
            std::array<std::byte, format::BlockPointer::kBytes> out{};
            pointer.encode(out, block.order);
            MP_TRY(expect(std::ranges::equal(out, Bytes(block.bytes).subspan(at, out.size())),
                          "block pointer encodes differently"));
        }
        return {};
    }

    Status object(const PoolObject& item, format::ObjsetType kind)
    {
        ++counts.dnodes;
        const format::DnodeView dnode = item.view();
        std::array<std::byte, format::kDnodeHeaderBytes> out{};
        format::encodeDnodeHeader(dnode.header(), out, item.order);
        MP_TRY(expect(std::ranges::equal(out, Bytes(item.bytes).first(out.size())),
                      "dnode encodes differently"));
        MP_TRY(expect(!dnode.toText().empty(), "dnode without text"));
        MP_TRY(bonus(dnode));
        const std::uint8_t type = dnode.header().type;
        // File contents are other tests' business; skipping them keeps this one fast.
        if (type == format::number(format::ObjectType::PlainFile) ||
            type == format::number(format::ObjectType::Volume)) {
            return {};
        }
        MP_TRY(pointers(dnode));
        if (format::objectLayout(type) == format::Layout::Zap) {
            MP_TRY(zap(dnode));
        }
        if (kind == format::ObjsetType::Meta) {
            return poolObject(dnode);
        }
        return {};
    }

    Status poolObject(const format::DnodeView& dnode)
    {
        switch (format::ObjectType(dnode.header().type)) {
        case format::ObjectType::PackedNvlist:
            return packedList(dnode);
        case format::ObjectType::History:
            return history(dnode);
        case format::ObjectType::SpaceMap:
            return spaceMap(dnode);
        case format::ObjectType::DdtZap:
            return dedupTable(dnode);
        default:
            return {};
        }
    }

    template <class T> Status sameBonus(const format::DnodeView& dnode, std::size_t size)
    {
        const auto decoded = MP_TRY(T::decode(dnode.bonus(), dnode.order()));
        BlockBytes out(size);
        decoded.encode(out, dnode.order());
        return expect(std::ranges::equal(out, dnode.bonus().first(size)),
                      "bonus encodes differently");
    }

    Status bonus(const format::DnodeView& dnode)
    {
        if (dnode.header().bonusLength == 0) {
            return {};
        }
        switch (format::ObjectType(dnode.header().bonusType)) {
        case format::ObjectType::DslDir:
            return sameBonus<format::DslDirPhys>(dnode, format::DslDirPhys::kBytes);
        case format::ObjectType::DslDataset:
            return dataset(dnode);
        case format::ObjectType::DeadlistHeader:
            return sameBonus<format::DeadlistPhys>(dnode, format::DeadlistPhys::kBytes);
        case format::ObjectType::BpObjectHeader:
            return sameBonus<format::BpObjectPhys>(dnode, dnode.bonus().size());
        case format::ObjectType::HistoryOffsets:
            return sameBonus<format::HistoryPhys>(dnode, format::HistoryPhys::kBytes);
        case format::ObjectType::Znode:
            return znode(dnode);
        case format::ObjectType::SystemAttributes:
            return systemAttributes(dnode);
        default:
            return {};
        }
    }

    Status dataset(const format::DnodeView& dnode)
    {
        ++counts.datasets;
        MP_TRY(sameBonus<format::DslDatasetPhys>(dnode, format::DslDatasetPhys::kBytes));
        const auto decoded = MP_TRY(format::DslDatasetPhys::decode(dnode.bonus(), dnode.order()));
        MP_TRY(expect(decoded.isSnapshot() == (decoded.snapshotNames == ObjectId(0)),
                      "snapshot with names of snapshots"));
        return objset(decoded.root);
    }

    Status znode(const format::DnodeView& dnode)
    {
        ++counts.znodes;
        const auto decoded = MP_TRY(format::ZnodePhys::decode(dnode.bonus(), dnode.order()));
        BlockBytes out(dnode.bonus().begin(), dnode.bonus().end());
        std::fill_n(out.begin(), format::ZnodePhys::kAclOffset, std::byte{0});
        decoded.encode(out, dnode.order());
        MP_TRY(expect(std::ranges::equal(out, dnode.bonus()), "znode encodes differently"));
        MP_TRY(expect((decoded.mode & 0170000) != 0, "znode without a type"));
        const auto acl = MP_TRY(format::ZnodeAcl::decode(
            dnode.bonus().subspan(format::ZnodePhys::kAclOffset), dnode.order()));
        const auto aces = format::encodeAces(acl.aces, acl.version, dnode.order());
        return expect(
            std::ranges::equal(
                aces, dnode.bonus().subspan(format::ZnodePhys::kAclOffset + 16, aces.size())),
            "ACL encodes differently");
    }

    Status loadAttributes(const std::vector<PoolObject>& objects)
    {
        m_lengths.assign(1024, 0);
        m_numbers.clear();
        m_layouts.clear();
        const auto byId = [&](std::uint64_t id) -> const PoolObject* {
            const auto found = std::ranges::find(objects, id, &PoolObject::id);
            return found != objects.end() ? &*found : nullptr;
        };
        const PoolObject* master = byId(format::kMasterNodeObject.value());
        MP_TRY(expect(master != nullptr, "no master node"));
        const auto entries = MP_TRY(m_pool.zap(master->view()));
        const auto sa =
            std::ranges::find(entries, format::kMasterSaAttributes, &PoolZapEntry::name);
        if (sa == entries.end() || byId(sa->values[0]) == nullptr) {
            return {}; // before version 5
        }
        for (const auto& part : MP_TRY(m_pool.zap(byId(sa->values[0])->view()))) {
            const PoolObject* table = byId(part.values[0]);
            MP_TRY(expect(table != nullptr, "no attribute table"));
            const auto rows = MP_TRY(m_pool.zap(table->view()));
            MP_TRY(part.name == format::kSaRegistry ? registry(rows) : layouts(rows));
        }
        return {};
    }

    Status registry(const std::vector<PoolZapEntry>& rows)
    {
        for (const PoolZapEntry& row : rows) {
            const auto info = MP_TRY(format::SaAttributeInfo::decode(row.values[0]));
            MP_TRY(expect(info.encode() == row.values[0], "attribute encodes differently"));
            const auto known =
                std::ranges::find(format::zplAttributes(), row.name, &format::ZplAttribute::name);
            MP_TRY(expect(known != format::zplAttributes().end() && known->length == info.length &&
                              known->byteswap == info.byteswap,
                          "attribute " + row.name + " is not as known"));
            m_lengths[info.number] = info.length;
            m_numbers[row.name] = info.number;
        }
        return {};
    }

    Status layouts(const std::vector<PoolZapEntry>& rows)
    {
        for (const PoolZapEntry& row : rows) {
            const auto number = MP_TRY(format::decodeSaLayoutNumber(row.name));
            m_layouts[number] = MP_TRY(format::decodeSaLayout(row.values));
        }
        return {};
    }

    Status systemAttributes(const format::DnodeView& dnode)
    {
        ++counts.attributes;
        const std::uint64_t mode = MP_TRY(attributePart(dnode.bonus(), dnode.order()));
        MP_TRY(expect((mode & 0170000) != 0, "file without a type"));
        if (const auto spill = dnode.spill()) {
            ++counts.spills;
            const PoolBlock block = MP_TRY(m_pool.read(*spill));
            MP_TRY(attributePart(block.bytes, block.order));
        }
        return {};
    }

    /// The mode, if it is in this part.
    Result<std::uint64_t> attributePart(Bytes bytes, ByteOrder order)
    {
        const auto header = MP_TRY(format::SaHeader::decode(bytes, order));
        BlockBytes out(header.sizeBytes);
        header.encode(out, order);
        MP_TRY(expect(std::ranges::equal(out, bytes.first(out.size())),
                      "attribute header encodes differently"));
        const auto layout = m_layouts.find(header.layout);
        MP_TRY(expect(layout != m_layouts.end(), "unknown layout"));
        const auto placed =
            MP_TRY(format::placeSaAttributes(bytes, header, layout->second, m_lengths));
        for (const auto& attribute : placed) {
            if (attribute.number == m_numbers[std::string(format::kZplMode)]) {
                return load<std::uint64_t>(bytes, attribute.offset, order);
            }
        }
        return std::uint64_t{0};
    }

    Status zap(const format::DnodeView& dnode)
    {
        const PoolBlock whole = MP_TRY(m_pool.content(dnode));
        const std::size_t size = dnode.dataBlockSize().value();
        const Bytes first = Bytes(whole.bytes).first(size);
        if (MP_TRY(format::zapKind(first, whole.order)) == format::ZapKind::Micro) {
            ++counts.microZaps;
            const auto micro = MP_TRY(format::MicroZapView::create(first, whole.order));
            return expect(!micro.toText().empty(), "micro ZAP without text");
        }
        ++counts.fatZaps;
        return fatZap(MP_TRY(format::FatZapHeaderView::create(first, whole.order)), whole, size);
    }

    Status fatZap(const format::FatZapHeaderView& zap, const PoolBlock& whole, std::size_t size)
    {
        std::size_t entries = 0;
        std::set<std::uint64_t> blocks;
        for (std::uint64_t i = 0; i < zap.tableEntries(); ++i) {
            blocks.insert(tablePointer(zap, whole, size, i));
        }
        for (const std::uint64_t block : blocks) {
            MP_TRY(expect((block + 1) * size <= whole.bytes.size(), "leaf behind the end"));
            const auto leaf = MP_TRY(format::ZapLeafView::create(
                Bytes(whole.bytes).subspan(block * size, size), whole.order));
            entries += MP_TRY(checkLeaf(zap, leaf));
            ++counts.leaves;
        }
        MP_TRY(expect(blocks.size() == zap.header().leaves, "number of leaves is wrong"));
        return expect(entries == zap.header().entries, "number of entries is wrong");
    }

    static std::uint64_t tablePointer(const format::FatZapHeaderView& zap,
                                      const PoolBlock& whole,
                                      std::size_t size,
                                      std::uint64_t index)
    {
        if (zap.tableEmbedded()) {
            return zap.embeddedPointer(index);
        }
        const auto place = zap.tablePlace(index);
        return load<std::uint64_t>(
            whole.bytes, place.block * size + place.offsetBytes, whole.order);
    }

    static Result<std::size_t> checkLeaf(const format::FatZapHeaderView& zap,
                                         const format::ZapLeafView& leaf)
    {
        const auto entries = MP_TRY(leaf.entries());
        MP_TRY(
            expect(entries.size() == leaf.header().entries, "leaf's number of entries is wrong"));
        std::size_t free = 0;
        for (std::size_t chunk = 0; chunk < leaf.chunks(); ++chunk) {
            free += leaf.chunkType(chunk) ==
                            static_cast<std::uint8_t>(format::ZapLeafView::ChunkType::Free)
                        ? 1
                        : 0;
        }
        MP_TRY(expect(free == leaf.header().freeChunks, "leaf's number of free chunks is wrong"));
        const bool wordKeys = (zap.header().flags & format::ZapFlag::kUint64Key) != 0;
        for (const auto& entry : entries) {
            MP_TRY(wordKeys ? checkKey(zap, leaf, entry) : checkName(zap, leaf, entry));
            MP_TRY(leaf.values(entry));
        }
        return entries.size();
    }

    static Status checkName(const format::FatZapHeaderView& zap,
                            const format::ZapLeafView& leaf,
                            const format::ZapLeafView::Entry& entry)
    {
        const std::string name = MP_TRY(leaf.name(entry));
        // Folding a name before hashing is the object layer's.
        MP_TRY(expect(zap.header().normalization != 0 || zap.hash(name) == entry.hash,
                      "hash of '" + name + "' is wrong"));
        return expect(MP_TRY(leaf.find(entry.hash, name)).has_value(),
                      "'" + name + "' is not found");
    }

    static Status checkKey(const format::FatZapHeaderView& zap,
                           const format::ZapLeafView& leaf,
                           const format::ZapLeafView::Entry& entry)
    {
        const auto key = MP_TRY(leaf.key(entry));
        const std::span<const std::uint64_t> words(key);
        MP_TRY(expect(zap.hash(words) == entry.hash, "hash of a key is wrong"));
        return expect(MP_TRY(leaf.find(entry.hash, words)).has_value(), "a key is not found");
    }

    Status packedList(const format::DnodeView& dnode)
    {
        ++counts.lists;
        MP_TRY(expect(dnode.bonus().size() >= 8, "packed list without a size"));
        const auto size = load<std::uint64_t>(dnode.bonus(), 0, dnode.order());
        const PoolBlock whole = MP_TRY(m_pool.content(dnode));
        MP_TRY(expect(size <= whole.bytes.size(), "packed list larger than its object"));
        const Bytes packed = Bytes(whole.bytes).first(size);
        const auto list = MP_TRY(format::NvList::decode(packed));
        const auto order = packed[1] == std::byte{1} ? ByteOrder::Little : ByteOrder::Big;
        return expect(std::ranges::equal(list.encode(order), packed), "list encodes differently");
    }

    Status history(const format::DnodeView& dnode)
    {
        const auto header = MP_TRY(format::HistoryPhys::decode(dnode.bonus(), dnode.order()));
        const PoolBlock whole = MP_TRY(m_pool.content(dnode));
        BlockBytes logical;
        for (std::uint64_t at = 0; at < header.end; ++at) {
            if (at < header.poolCreateEnd || at >= header.begin) {
                logical.push_back(whole.bytes.at(header.physical(at)));
            }
        }
        format::HistoryReader reader(logical);
        std::size_t records = 0;
        for (auto record = MP_TRY(reader.next()); record; record = MP_TRY(reader.next())) {
            MP_TRY(expect(record->u64(format::kHistoryTime).has_value(), "record without a time"));
            ++records;
        }
        counts.records += records;
        MP_TRY(expect(records != 0, "history without records"));
        return expect(reader.position() == logical.size(), "history with a rest");
    }

    Status spaceMap(const format::DnodeView& dnode)
    {
        ++counts.spaceMaps;
        const auto map = MP_TRY(format::SpaceMapPhys::decode(dnode.bonus(), dnode.order()));
        BlockBytes out(dnode.bonus().size());
        map.encode(out, dnode.order());
        MP_TRY(expect(std::ranges::equal(out, dnode.bonus()), "space map encodes differently"));
        const PoolBlock whole = MP_TRY(m_pool.content(dnode));
        const std::size_t size = dnode.dataBlockSize().value();
        std::int64_t units = 0;
        bool logged = false;
        for (std::size_t at = 0; at < map.length.value(); at += size) {
            const std::size_t count = std::min<std::size_t>(size, map.length.value() - at);
            format::SpaceMapReader reader(Bytes(whole.bytes).subspan(at, count), whole.order);
            for (auto entry = MP_TRY(reader.next()); entry; entry = MP_TRY(reader.next())) {
                const auto run = static_cast<std::int64_t>(entry->run);
                units += entry->type == format::SpaceMapEntry::Type::Allocate ? run : -run;
                logged = logged || entry->vdev.has_value();
            }
        }
        // A log space map counts in sectors of 512 bytes, and every entry names its vdev.
        const unsigned shift = logged ? format::kSectorShift : m_pool.ashift();
        return expect(units * (std::int64_t{1} << shift) == map.allocated,
                      "space map's sum is wrong");
    }

    Status dedupTable(const format::DnodeView& dnode)
    {
        for (const PoolZapEntry& row : MP_TRY(m_pool.zap(dnode))) {
            ++counts.dedupEntries;
            MP_TRY(format::DdtKey::decode(row.key));
            BlockBytes stored;
            for (const std::uint64_t value : row.values) {
                stored.push_back(static_cast<std::byte>(value));
            }
            const auto value = MP_TRY(format::DdtStoredValue::decode(stored));
            BlockBytes words(format::DdtEntry::kFlatBytes);
            const auto algorithm = codec::CompressionAlgorithm(value.compression);
            if (!codec::decompress(algorithm, value.compressed, words)) {
                words.resize(format::DdtEntry::kLegacyBytes);
                MP_TRY(codec::decompress(algorithm, value.compressed, words));
            }
            const auto entry = MP_TRY(format::DdtEntry::decode(words, value.order));
            std::uint64_t references = 0;
            for (const auto& phys : entry.variants) {
                references += phys.references;
            }
            MP_TRY(expect(references != 0, "dedup entry without references"));
        }
        return {};
    }

    PoolBlocks& m_pool;
    std::vector<std::uint16_t> m_lengths;
    std::map<std::string, std::uint16_t> m_numbers;
    std::map<std::uint16_t, std::vector<std::uint16_t>> m_layouts;
};

} // namespace

class TestFormatGolden : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void walk_data();
    void walk();

    void labels_data() { walk_data(); }

    void labels();
    void intentLogs();
};

void TestFormatGolden::walk_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"a-single",
                             "i-checksum",
                             "i-compress",
                             "i-dedup",
                             "i-fsprops",
                             "j-quota",
                             "m-compat-grub2",
                             "m-nofeat",
                             "m-v1",
                             "m-v28",
                             "s-v1",
                             "s-v11",
                             "s-v13",
                             "s-v15",
                             "s-v3",
                             "s-v5",
                             "s-v7",
                             "s-v9"}) {
        QTest::newRow(name) << QString::fromLatin1(name);
    }
}

void TestFormatGolden::walk()
{
    QFETCH(QString, name);
    MP_REQUIRE_POOL(name);
    const QString folder = unpackGoldenPool(name);
    QVERIFY(!folder.isEmpty());
    PoolBlocks pool;
    const Status opened = pool.open(folder + '/' + findGoldenPool(name)->disks.front());
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().toText().c_str());
    Checker checker(pool);
    const Status status = checker.run();
    QVERIFY2(status.has_value(), status ? "" : status.error().toText().c_str());
    const Counts& seen = checker.counts;
    qInfo("%zu object sets, %zu dnodes, %zu pointers, %zu micro and %zu fat ZAPs with %zu leaves, "
          "%zu space maps, %zu + %zu files, %zu spilled, %zu datasets, %zu lists, %zu history "
          "records, %zu dedup "
          "entries",
          seen.objsets,
          seen.dnodes,
          seen.pointers,
          seen.microZaps,
          seen.fatZaps,
          seen.leaves,
          seen.spaceMaps,
          seen.attributes,
          seen.znodes,
          seen.spills,
          seen.datasets,
          seen.lists,
          seen.records,
          seen.dedupEntries);
    QVERIFY(seen.objsets > 1 && seen.dnodes > 10 && seen.microZaps > 0 && seen.datasets > 0);
    QVERIFY(seen.spaceMaps > 0 && seen.attributes + seen.znodes > 0 && seen.lists > 0);
}

void TestFormatGolden::labels()
{
    QFETCH(QString, name);
    MP_REQUIRE_POOL(name);
    const QString folder = unpackGoldenPool(name);
    PoolBlocks pool;
    const Status opened = pool.open(folder + '/' + findGoldenPool(name)->disks.front());
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().toText().c_str());
    for (std::size_t i = 0; i < format::kLabels; ++i) {
        const auto label = pool.label(i);
        QVERIFY(label.has_value());
        const Bytes region =
            Bytes(*label).subspan(format::kLabelNvlistOffset, format::kLabelNvlistBytes);
        const auto list = format::decodeLabelNvlist(region);
        QVERIFY2(list.has_value(), list ? "" : list.error().toText().c_str());
        QVERIFY(format::EmbeddedChecksum::decode(region).has_value());
        const auto order = region[1] == std::byte{1} ? ByteOrder::Little : ByteOrder::Big;
        const auto encoded = list->encode(order);
        QVERIFY(std::ranges::equal(encoded, region.first(encoded.size())));
        QCOMPARE(list->u64("pool_guid").has_value(), true);
    }
    BlockBytes out(format::Uberblock::kBytes);
    pool.uberblock().encode(out);
    const auto again = format::Uberblock::decode(out);
    QVERIFY(again && again->toText() == pool.uberblock().toText());
}

/// Follows one log as far as its blocks were written; returns the number of records of each type.
static Result<std::map<std::string, std::size_t>> readLog(PoolBlocks& pool,
                                                          const format::ZilHeader& header)
{
    std::map<std::string, std::size_t> seen;
    format::BlockPointer pointer = header.log;
    while (!pointer.isHole()) {
        const PoolBlock stored = MP_TRY(pool.read(pointer));
        // The chain carries its own place as a checksum; a block never written carries something
        // else.
        if (load<std::uint64_t>(stored.bytes, 144, stored.order) !=
            format::EmbeddedChecksum::kMagic) {
            break;
        }
        const auto block =
            MP_TRY(format::ZilBlock::decode(stored.bytes, pointer.checksumType(), stored.order));
        Cursor cursor(block.records, stored.order);
        while (cursor.remaining() != 0) {
            const auto record = MP_TRY(format::ZilRecord::take(cursor));
            ++seen[std::string(format::zilRecordTypeName(record.type))];
        }
        pointer = block.chain.next;
    }
    return seen;
}

void TestFormatGolden::intentLogs()
{
    const QString name = QStringLiteral("k-zil");
    MP_REQUIRE_POOL(name);
    const QString folder = unpackGoldenPool(name);
    PoolBlocks pool;
    const Status opened = pool.open(folder + '/' + findGoldenPool(name)->disks.front());
    QVERIFY2(opened.has_value(), opened ? "" : opened.error().toText().c_str());
    const auto mosBlock = pool.read(pool.uberblock().root);
    QVERIFY(mosBlock.has_value());
    const auto mos = format::ObjsetPhys::decode(mosBlock->bytes, mosBlock->order);
    QVERIFY(mos.has_value());
    std::size_t records = 0;
    std::set<std::string> types;
    const auto objects = pool.objects(*mos);
    QVERIFY(objects.has_value());
    for (const PoolObject& item : *objects) {
        const format::DnodeView dnode = item.view();
        if (dnode.header().bonusType != format::number(format::ObjectType::DslDataset)) {
            continue;
        }
        const auto dataset = format::DslDatasetPhys::decode(dnode.bonus(), dnode.order());
        QVERIFY(dataset.has_value());
        if (dataset->root.isHole()) {
            continue;
        }
        const auto block = pool.read(dataset->root);
        QVERIFY(block.has_value());
        const auto objset = format::ObjsetPhys::decode(block->bytes, block->order);
        QVERIFY(objset.has_value());
        const auto log = readLog(pool, objset->intentLog);
        QVERIFY2(log.has_value(), log ? "" : log.error().toText().c_str());
        for (const auto& [type, count] : *log) {
            records += count;
            types.insert(type);
        }
    }
    std::string list;
    for (const std::string& type : types) {
        list += ' ' + type;
    }
    qInfo("%zu log records:%s", records, list.c_str());
    // As many as zdb lists.
    QCOMPARE(records, std::size_t{298});
    QCOMPARE(types.size(), std::size_t{14});
}

QTEST_GUILESS_MAIN(TestFormatGolden)
#include "tst_format_golden.moc"
