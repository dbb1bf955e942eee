// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: the configurations made here are those OpenZFS makes: the labels put together from a
// golden pool's facts are its labels, and a layout asked for over devices like its own has its
// sizes, sectors and metaslabs. Method: the labels of golden pools, entry by entry. What can't be
// laid out is refused.

#include "base/clock.h"
#include "device/file_device.h"
#include "pool/config_builder.h"
#include "pool/layout.h"
#include "support/mp_ok.h"
#include "support/pools.h"
#include "vdev/labels.h"

#include <QDir>

#include <set>

using namespace millpond;
using namespace millpond::test;
using format::NvList;
using pool::ConfigBuilder;
using pool::LayoutRequest;
using pool::VdevRequest;

namespace {

/// Entries of OpenZFS 2.3.9 that describe sizes of blocks for allocation classes: not ours.
const std::set<std::string, std::less<>> kLeftOut{"min_alloc", "max_alloc"};

QString differences(const NvList& expected, const NvList& actual)
{
    QString text;
    for (const auto& [one, other, sign] :
         {std::tuple(&expected, &actual, "lacks "), std::tuple(&actual, &expected, "has ")}) {
        for (const format::NvPair& pair : one->pairs()) {
            const format::NvValue* found = other->find(pair.name);
            if (!kLeftOut.contains(pair.name) && (found == nullptr || !(*found == pair.value))) {
                text += sign + QString::fromStdString(pair.name) + u'\n';
            }
        }
    }
    return text;
}

/// The labels' configurations of a pool's disks, without those of spares and caches.
struct Disk
{
    NvList label;
    std::uint64_t bytes = 0;
};

std::vector<Disk> disksOf(const QString& name)
{
    std::vector<Disk> disks;
    const auto pool = findGoldenPool(name);
    const QDir folder(unpackGoldenPool(name));
    for (const QString& file : pool->disks) {
        const auto device = device::openFileDevice(folder.filePath(file).toStdString(),
                                                   {.access = device::Access::Probe});
        const auto labels = vdev::readLabels(**device, {.uberblocks = false});
        if (labels && labels->config()->list("vdev_tree") != nullptr) {
            disks.push_back({*labels->config(), (*device)->size().value()});
        }
    }
    return disks;
}

VdevRequest leaf(std::string path)
{
    return {.path = std::move(path), .children = {}};
}

} // namespace

class TestConfigurations : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void labelsAreOpenZfs_data();
    void labelsAreOpenZfs();
    void layoutsHaveItsSizes_data();
    void layoutsHaveItsSizes();
    void refusals();
};

void TestConfigurations::labelsAreOpenZfs_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"a-single", "c-raidz1", "d-raidz2", "f-multi", "g-special", "m-v28"}) {
        QTest::newRow(name) << QString::fromLatin1(name);
    }
}

void TestConfigurations::labelsAreOpenZfs()
{
    QFETCH(QString, name);
    MP_REQUIRE_POOL(name);
    const std::vector<Disk> disks = disksOf(name);
    QVERIFY(!disks.empty());
    for (const Disk& disk : disks) {
        const NvList& label = disk.label;
        const NvList& top = *label.list("vdev_tree");
        ConfigBuilder builder;
        builder.identity = {.name = std::string(label.text("name").value_or("")),
                            .guid = PoolGuid(label.u64("pool_guid").value_or(0)),
                            .rootGuid = 0,
                            .version = label.u64("version").value_or(0),
                            .state = label.u64("state").value_or(0),
                            .errata = label.u64("errata").value_or(0),
                            .comment = std::string(label.text("comment").value_or("")),
                            .compatibility = std::string(label.text("compatibility").value_or("")),
                            .hostId = label.u64("hostid").value_or(0),
                            .hostName = std::string(label.text("hostname").value_or(""))};
        builder.tops.resize(label.u64("vdev_children").value_or(0));
        const std::uint64_t id = top.u64("id").value_or(0);
        QVERIFY(id < builder.tops.size());
        builder.tops[id] = top;
        if (const NvList* features = label.list("features_for_read")) {
            for (const format::NvPair& feature : features->pairs()) {
                builder.featuresForRead.push_back(feature.name);
            }
        }
        const NvList made =
            builder.label(id, label.u64("guid").value_or(0), Txg(label.u64("txg").value_or(0)));
        QCOMPARE(differences(label, made), QString());
    }
}

void TestConfigurations::layoutsHaveItsSizes_data()
{
    QTest::addColumn<QString>("name");
    for (const char* name : {"a-single", "c-raidz1", "d-raidz2"}) {
        QTest::newRow(name) << QString::fromLatin1(name);
    }
}

/// A pool of one top-level vdev, asked for again over devices of its sizes.
void TestConfigurations::layoutsHaveItsSizes()
{
    QFETCH(QString, name);
    MP_REQUIRE_POOL(name);
    const std::vector<Disk> disks = disksOf(name);
    QVERIFY(!disks.empty());
    const NvList& golden = *disks.front().label.list("vdev_tree");
    VdevRequest top;
    pool::LeafGeometries geometries;
    for (const Disk& disk : disks) {
        const std::string path = "/dev/disk" + std::to_string(geometries.size());
        geometries[path] = {.size = ByteCount(disk.bytes),
                            .physicalSector =
                                ByteCount(std::uint64_t{1} << golden.u64("ashift").value_or(0)),
                            .isBlockDevice = true};
        top.children.push_back(leaf(path));
    }
    if (golden.text("type") == "raidz") {
        top.kind = VdevRequest::Kind::Raidz;
        top.parity = static_cast<unsigned>(golden.u64("nparity").value_or(0));
    } else {
        top = leaf(top.children.front().path);
    }
    LayoutRequest request;
    request.tops.push_back(top);
    SeededRandom random(1);
    const auto made = pool::layoutConfigs(request, geometries, {.createTxg = Txg(4)}, random);
    MP_OK(made);
    for (const char* entry : {"asize", "ashift", "metaslab_shift", "nparity", "is_log", "id"}) {
        QVERIFY2(made->front().u64(entry) == golden.u64(entry), entry);
    }
    QCOMPARE(made->front().text("type"), golden.text("type"));
    QCOMPARE(pool::leafGuidsOf(made->front()).size(), pool::leafGuidsOf(golden).size());
}

void TestConfigurations::refusals()
{
    const auto refused = [](std::vector<VdevRequest> tops, std::optional<unsigned> ashift = {}) {
        LayoutRequest request;
        request.tops = std::move(tops);
        request.ashift = ashift;
        const Status checked = pool::checkLayout(request);
        return !checked && checked.error().is(ErrorCode::InvalidArgument);
    };
    using Kind = VdevRequest::Kind;
    const auto group = [](Kind kind, unsigned parity, std::vector<VdevRequest> children) {
        return VdevRequest{
            .kind = kind, .parity = parity, .path = {}, .children = std::move(children)};
    };
    QVERIFY(!refused({leaf("/a"), group(Kind::Mirror, 0, {leaf("/b"), leaf("/c")})}));
    QVERIFY(refused({leaf("/a"), leaf("/a")}));
    QVERIFY(refused({leaf("")}));
    QVERIFY(refused({leaf("/a")}, 8));
    QVERIFY(refused({leaf("/a")}, 17));
    QVERIFY(refused({group(Kind::Mirror, 0, {leaf("/a")})}));
    QVERIFY(refused({group(Kind::Raidz, 2, {leaf("/a"), leaf("/b")})}));
    QVERIFY(refused({group(Kind::Raidz, 4, {leaf("/a"), leaf("/b")})}));
    QVERIFY(refused(
        {group(Kind::Mirror, 0, {leaf("/a"), group(Kind::Mirror, 0, {leaf("/b"), leaf("/c")})})}));
    VdevRequest log = group(Kind::Raidz, 1, {leaf("/a"), leaf("/b"), leaf("/c")});
    log.allocationClass = vdev::AllocationClass::Log;
    QVERIFY(refused({log}));

    LayoutRequest small;
    small.tops.push_back(leaf("/a"));
    SeededRandom random(1);
    const auto made = pool::layoutConfigs(
        small, {{"/a", {.size = ByteCount(63 * MiB)}}}, {.createTxg = Txg(4)}, random);
    QVERIFY(!made && made.error().is(ErrorCode::DeviceTooSmall));
}

QTEST_GUILESS_MAIN(TestConfigurations)
#include "tst_configurations.moc"
