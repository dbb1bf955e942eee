// SPDX-License-Identifier: GPL-3.0-or-later
// A volume made by hand reads back, with holes, up to its size and not further; what is no volume
// is refused.
#include "engine/object/memory_objects.h"
#include "engine/object/zap_builder.h"
#include "volume/volume.h"

#include <QtTest>

using namespace millpond;
using namespace millpond::test;
using volume::Volume;

namespace {

constexpr std::uint64_t kBlockBytes = 4096;
constexpr std::uint64_t kSize = 5 * kBlockBytes + 512; // ends inside a block

constexpr std::uint64_t kVolumeType = 3;

} // namespace

class tst_Volume : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reads_data();
    void reads();
    void pastTheEnd();
    void noVolume();
    void impossibleSize();

private:
    Result<std::shared_ptr<Volume>>
    make(ByteOrder order, std::uint64_t type = kVolumeType, std::uint64_t size = kSize);

    MemoryBlocks m_blocks;
};

Result<std::shared_ptr<Volume>>
tst_Volume::make(ByteOrder order, std::uint64_t type, std::uint64_t size)
{
    m_blocks = MemoryBlocks();
    ObjsetBuilder builder(m_blocks, always(order));
    TreeSpec data{.type = format::number(format::ObjectType::Volume),
                  .blockBytes = kBlockBytes,
                  .order = always(order)};
    data.blocks[0] = ByteVector(kBlockBytes, std::byte('0'));
    data.blocks[3] = ByteVector(kBlockBytes, std::byte('3'));
    data.blocks[5] = ByteVector(kBlockBytes, std::byte('5'));
    builder.add(1, {.type = data.type}, data);
    std::vector<ZapItem> items{{.name = "size", .values = {size}}};
    const TreeSpec table = buildMicroZap(items, {.blockBytes = 512, .order = always(order)});
    builder.add(2, {.type = format::number(format::ObjectType::VolumeProperties)}, table);
    const format::BlockPointer root = builder.build();
    put64(m_blocks.content(root), 704, type, order);
    return Volume::open(MP_TRY(object::ObjectSet::open(m_blocks, root, ObjsetId(9))));
}

void tst_Volume::reads_data()
{
    QTest::addColumn<bool>("bigEndian");
    QTest::newRow("little-endian") << false;
    QTest::newRow("big-endian") << true;
}

void tst_Volume::reads()
{
    QFETCH(bool, bigEndian);
    const auto volume = make(bigEndian ? ByteOrder::Big : ByteOrder::Little);
    QVERIFY2(volume.has_value(), volume ? "" : volume.error().toText().c_str());
    QCOMPARE((*volume)->size().value(), kSize);
    QCOMPARE((*volume)->blockSize().value(), kBlockBytes);
    ByteVector all(kSize, std::byte(0xee));
    QVERIFY((*volume)->read(ByteOffset(0), all).has_value());
    const char expected[] = {'0', 0, 0, '3', 0, '5'};
    for (std::size_t i = 0; i < kSize; ++i) {
        QCOMPARE(all[i], std::byte(expected[i / kBlockBytes]));
    }
    ByteVector few(10);
    QVERIFY((*volume)->read(ByteOffset(3 * kBlockBytes - 5), few).has_value());
    QCOMPARE(few[4], std::byte(0));
    QCOMPARE(few[5], std::byte('3'));
}

void tst_Volume::pastTheEnd()
{
    const auto volume = make(ByteOrder::Little);
    QVERIFY(volume.has_value());
    ByteVector buffer(2);
    QVERIFY((*volume)->read(ByteOffset(kSize - 2), buffer).has_value());
    for (const std::uint64_t offset : {kSize - 1, kSize, ~std::uint64_t{0}}) {
        const auto read = (*volume)->read(ByteOffset(offset), buffer);
        QVERIFY(!read && read.error().is(ErrorCode::InvalidArgument));
    }
    QVERIFY((*volume)->read(ByteOffset(kSize), {}).has_value()); // nothing at the very end
}

void tst_Volume::noVolume()
{
    constexpr std::uint64_t kFilesystemType = 2;
    const auto volume = make(ByteOrder::Little, kFilesystemType);
    QVERIFY(!volume && volume.error().is(ErrorCode::InvalidArgument));
}

void tst_Volume::impossibleSize()
{
    const auto volume = make(ByteOrder::Little, kVolumeType, ~std::uint64_t{0});
    QVERIFY(!volume && volume.error().is(ErrorCode::BadObjset));
    // Larger than what is there is no fault: the rest is a hole.
    const auto large = make(ByteOrder::Little, kVolumeType, std::uint64_t{1} << 62);
    QVERIFY(large.has_value());
    ByteVector buffer(16, std::byte(1));
    QVERIFY((*large)->read(ByteOffset((std::uint64_t{1} << 62) - 16), buffer).has_value());
    QVERIFY(buffer == ByteVector(16));
}

QTEST_GUILESS_MAIN(tst_Volume)
#include "tst_volume.moc"
