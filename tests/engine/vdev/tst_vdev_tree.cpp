// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the tree takes what OpenZFS writes, refuses by name what is not supported and
// everything senseless, and parents' states follow from their children's. Method: configurations
// made by hand, one fault at a time.
#include "pool_of_memory.h"

using namespace millpond;
using namespace millpond::test;
using vdev::VdevAux;
using vdev::VdevState;
using vdev::VdevTree;

class TestVdevTree : public QObject
{
    Q_OBJECT

private:
    static ErrorCode codeOf(const format::NvList& root)
    {
        const auto built = VdevTree::build(root, {});
        return built ? ErrorCode::Cancelled : built.error().code();
    }

    static std::string textOf(const format::NvList& root)
    {
        const auto built = VdevTree::build(root, {});
        return built ? std::string() : built.error().what();
    }

    static format::NvList disk(std::uint64_t id, std::uint64_t guid)
    {
        format::NvList leaf = vdevConfig("disk", id, guid);
        leaf.setText("path", "/dev/sd" + std::to_string(guid));
        leaf.setU64("ashift", 9);
        return leaf;
    }

private Q_SLOTS:

    void unsupportedKindsAreNamed()
    {
        QCOMPARE(codeOf(rootOf({vdevConfig("indirect", 0, 2)})), ErrorCode::UnsupportedVdev);
        QVERIFY(textOf(rootOf({vdevConfig("indirect", 0, 2)})).find("device_removal") !=
                std::string::npos);
        QVERIFY(textOf(rootOf({vdevConfig("draid", 0, 2)})).find("draid") != std::string::npos);
        QVERIFY(textOf(rootOf({vdevConfig("spool", 0, 2)})).find("spool") != std::string::npos);
        MemoryPool pool;
        format::NvList raidz = MemoryPool::raidz({pool.addLeaf(), pool.addLeaf()}, 1, 9);
        raidz.set("raidz_expand_txgs",
                  format::NvValue::numbers(format::NvType::Uint64Array, {5, 6}));
        QVERIFY(textOf(rootOf({raidz})).find("raidz_expansion") != std::string::npos);
    }

    void senselessConfigurationsAreRefused()
    {
        const auto refused = [](const format::NvList& root) {
            return codeOf(root) == ErrorCode::BadConfig;
        };
        QVERIFY(refused(format::NvList()));
        QVERIFY(refused(rootOf({})));
        QVERIFY(refused(disk(0, 5)));                       // no root
        QVERIFY(refused(rootOf({rootOf({disk(0, 5)})})));   // a root within
        QVERIFY(refused(rootOf({disk(0, 5), disk(1, 5)}))); // a device twice
        QVERIFY(refused(rootOf({disk(3, 5), disk(3, 6)}))); // a number twice
        QVERIFY(refused(rootOf({disk(1ULL << 40, 5)})));
        format::NvList badAshift = disk(0, 5);
        badAshift.setU64("ashift", 63);
        QVERIFY(refused(rootOf({badAshift})));
        format::NvList badSize = disk(0, 5);
        badSize.setU64("asize", ~std::uint64_t{0});
        QVERIFY(refused(rootOf({badSize})));
        for (const std::uint64_t parity :
             {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{4}, ~std::uint64_t{0}}) {
            QVERIFY(refused(rootOf({MemoryPool::raidz({disk(0, 5), disk(1, 6)}, parity, 9)})));
        }
        QVERIFY(refused(rootOf({vdevConfig("mirror", 0, 5)}))); // without children
        format::NvList mirror = vdevConfig("mirror", 0, 9);
        setChildren(mirror, {MemoryPool::raidz({disk(0, 5), disk(1, 6)}, 1, 9)});
        QVERIFY(refused(rootOf({mirror}))); // raidz below a mirror
        format::NvList deep = disk(0, 50);
        for (std::uint64_t i = 0; i < 10; ++i) {
            format::NvList outer = vdevConfig("mirror", 0, 60 + i);
            setChildren(outer, {deep});
            deep = outer;
        }
        QVERIFY(refused(rootOf({deep})));
        format::NvList noGuid = disk(0, 5);
        noGuid.remove("guid");
        QVERIFY(refused(rootOf({noGuid})));
    }

    void oldRaidzHasSingleParity()
    {
        format::NvList raidz = MemoryPool::raidz({disk(0, 5), disk(1, 6)}, 1, 9);
        raidz.remove("nparity");
        const auto tree = VdevTree::build(rootOf({raidz}), {});
        QVERIFY(tree.has_value());
        QCOMPARE((*tree)->status()[1].name, std::string("raidz1-0"));
    }

    void statesOfRaidz()
    {
        for (std::size_t missing = 0; missing <= 4; ++missing) {
            MemoryPool pool;
            std::vector<format::NvList> leaves;
            for (std::size_t i = 0; i < 5; ++i) {
                leaves.push_back(pool.addLeaf());
                pool.setPresent(i, i >= missing);
            }
            const auto tree = pool.tree(MemoryPool::raidz(leaves, 2, 9));
            const VdevState expected = missing == 0   ? VdevState::Healthy
                                       : missing <= 2 ? VdevState::Degraded
                                                      : VdevState::CannotOpen;
            QCOMPARE(tree->state(), expected);
            const auto rows = tree->status();
            QCOMPARE(rows.size(), std::size_t{7});
            QCOMPARE(rows[1].state, expected);
            QCOMPARE(rows[1].aux, missing > 2 ? VdevAux::NoReplicas : VdevAux::None);
            if (missing > 0) {
                QCOMPARE(rows[2].state, VdevState::CannotOpen);
                QCOMPARE(rows[2].aux, VdevAux::OpenFailed);
                QVERIFY(rows[2].notPresent);
                QCOMPARE(vdev::stateText(rows[2].state, rows[2].aux), std::string_view("UNAVAIL"));
                QCOMPARE(vdev::auxText(rows[2].aux), std::string_view("cannot open"));
            }
            QCOMPARE(tree->top(VdevId(0))->readable(), missing <= 2);
        }
    }

    void aLostLogOnlyDegrades()
    {
        MemoryPool pool;
        format::NvList data = pool.addLeaf();
        data.setU64("ashift", 9);
        format::NvList log = pool.addLeaf();
        log.setU64("ashift", 9);
        log.setU64("is_log", 1);
        pool.setPresent(1, false);
        auto tree = VdevTree::build(rootOf({data, log}), pool.devices());
        QVERIFY(tree.has_value());
        QCOMPARE((*tree)->state(), VdevState::Degraded);
        QCOMPARE((*tree)->top(VdevId(1))->allocationClass(), vdev::AllocationClass::Log);

        log.remove("is_log");
        tree = VdevTree::build(rootOf({data, log}), pool.devices());
        QCOMPARE((*tree)->state(), VdevState::CannotOpen);
        QCOMPARE((*tree)->aux(), VdevAux::NoReplicas);
        // The class of special devices is known only later.
        QVERIFY((*tree)->setAllocationClass(VdevId(1), vdev::AllocationClass::Special));
        QCOMPARE((*tree)->status()[2].allocationClass, vdev::AllocationClass::Special);
        QVERIFY(!(*tree)->setAllocationClass(VdevId(2), vdev::AllocationClass::Special));
    }

    void holesDoNotCount()
    {
        MemoryPool pool;
        format::NvList data = pool.addLeaf();
        data.setU64("ashift", 9);
        format::NvList hole;
        hole.setText("type", "hole");
        hole.setU64("id", 1);
        auto tree = VdevTree::build(rootOf({data, hole}), pool.devices());
        QVERIFY(tree.has_value());
        QCOMPARE((*tree)->state(), VdevState::Healthy);
        QCOMPARE((*tree)->topLevelCount(), std::size_t{2});
        QVERIFY(!(*tree)->top(VdevId(1))->readable());
        std::vector<std::byte> out(512);
        const auto read =
            (*tree)->top(VdevId(1))->read(ByteOffset(0), out, [](Bytes) { return true; }, {});
        QCOMPARE(read.error().code(), ErrorCode::DeviceMissing);
        format::NvList missing;
        missing.setText("type", "missing");
        missing.setU64("id", 1);
        tree = VdevTree::build(rootOf({data, missing}), pool.devices());
        QCOMPARE((*tree)->state(), VdevState::CannotOpen);
        QCOMPARE(vdev::auxText((*tree)->status()[2].aux), std::string_view("missing device"));
    }

    void persistentStates()
    {
        const auto stateWith = [](auto change, bool present) {
            MemoryPool pool;
            std::vector<format::NvList> leaves{pool.addLeaf(), pool.addLeaf()};
            change(leaves[0]);
            pool.setPresent(0, present);
            format::NvList mirror = vdevConfig("mirror", 0, 9);
            mirror.setU64("ashift", 9);
            setChildren(mirror, leaves);
            const auto rows = pool.tree(mirror)->status();
            return std::pair(vdev::stateText(rows[2].state, rows[2].aux),
                             vdev::auxText(rows[2].aux));
        };
        using Words = std::pair<std::string_view, std::string_view>;
        const auto set = [](const char* name) {
            return [name](format::NvList& leaf) { leaf.setU64(name, 1); };
        };
        QCOMPARE(stateWith(set("offline"), true), Words("OFFLINE", ""));
        QCOMPARE(stateWith(set("removed"), false), Words("REMOVED", ""));
        QCOMPARE(stateWith(set("removed"), true), Words("ONLINE", ""));
        QCOMPARE(stateWith(set("faulted"), true), Words("FAULTED", "too many errors"));
        QCOMPARE(stateWith(set("degraded"), true), Words("DEGRADED", "too many errors"));
        QCOMPARE(
            stateWith([](format::NvList& leaf) { leaf.setText("aux_state", "external"); }, true),
            Words("FAULTED", "external device fault"));
    }

    void devicesTooSmall()
    {
        MemoryPool pool;
        format::NvList leaf = pool.addLeaf();
        leaf.setU64("ashift", 9);
        leaf.setU64("asize", 256 * MiB); // the device has 64
        leaf.setU64("metaslab_shift", 24);
        const auto rows = pool.tree(leaf)->status();
        QCOMPARE(vdev::auxText(rows[1].aux), std::string_view("invalid label"));
        QCOMPARE(rows[0].state, VdevState::CannotOpen);
    }

    void guidSumAndLeaves()
    {
        MemoryPool pool;
        std::vector<format::NvList> leaves{pool.addLeaf(), pool.addLeaf()};
        leaves[1].setU64("DTL", 77);
        const auto tree = pool.tree(MemoryPool::raidz(leaves, 1, 9));
        QCOMPARE(tree->guidSum(), std::uint64_t{1 + 10 + 100 + 101});
        const auto infos = tree->leaves();
        QCOMPARE(infos.size(), std::size_t{2});
        QCOMPARE(infos[1].dtlObject, std::uint64_t{77});
        QCOMPARE(infos[1].path, std::string("/dev/mem1"));
        QCOMPARE(infos[1].state, VdevState::Healthy);
    }

    void aFoundDeviceWithAProblem()
    {
        MemoryPool pool;
        format::NvList leaf = pool.addLeaf();
        leaf.setU64("ashift", 9);
        vdev::DeviceMap devices = pool.devices();
        devices[MemoryPool::guid(0)].problem = VdevAux::CorruptData;
        const auto tree = VdevTree::build(rootOf({leaf}), devices);
        QVERIFY(tree.has_value());
        QCOMPARE((*tree)->aux(), VdevAux::CorruptData);
        QCOMPARE(vdev::stateText((*tree)->state(), (*tree)->aux()), std::string_view("FAULTED"));
    }
};

QTEST_GUILESS_MAIN(TestVdevTree)
#include "tst_vdev_tree.moc"
