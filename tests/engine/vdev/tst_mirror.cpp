// SPDX-License-Identifier: GPL-3.0-or-later
// Property: a mirror answers as long as one copy is right, counts who was wrong, leaves stale
// copies for last; spares and replacements inside raidz count as one column with several places.
// Method: every combination of whole, wrong and missing copies on memory devices.
#include "pool_of_memory.h"

using namespace millpond;
using namespace millpond::test;
using vdev::ScrubFinding;
using vdev::VdevState;

namespace {
constexpr std::uint64_t kOffset = 3 * MiB;
}

class TestMirror : public QObject
{
    Q_OBJECT

private:
    const std::vector<std::byte> m_data = randomBytes(5, 12'800);

    [[nodiscard]] auto verifier() const
    {
        return [this](Bytes bytes) { return vdev::detail::sameBytes(bytes, m_data); };
    }

    [[nodiscard]] Result<vdev::ReadOutcome>
    read(vdev::VdevTree& tree, std::vector<std::byte>& out, Txg birth = Txg(0)) const
    {
        out.assign(m_data.size(), std::byte{0});
        return tree.top(VdevId(0))->read(ByteOffset(kOffset), out, verifier(), {.birth = birth});
    }

    static format::NvList mirrorOf(std::string_view type, std::vector<format::NvList> children)
    {
        format::NvList config = vdevConfig(type, 0, 20);
        MemoryPool::finishTop(config, 9, MemoryPool::kDeviceBytes - 4608 * KiB);
        setChildren(config, std::move(children));
        return config;
    }

private Q_SLOTS:

    void everyCombinationOfCopies()
    {
        // Base 3 digits: whole, wrong, missing.
        for (int combination = 0; combination < 27; ++combination) {
            MemoryPool pool;
            std::vector<format::NvList> leaves;
            int whole = 0;
            int missing = 0;
            for (int leaf = 0, rest = combination; leaf < 3; ++leaf, rest /= 3) {
                leaves.push_back(pool.addLeaf());
                const auto number = static_cast<std::size_t>(leaf);
                pool.write(number, kOffset, m_data);
                whole += rest % 3 == 0 ? 1 : 0;
                missing += rest % 3 == 2 ? 1 : 0;
                if (rest % 3 == 1) {
                    pool.damage(number, kOffset + 1000, 1);
                } else if (rest % 3 == 2) {
                    pool.setPresent(number, false);
                }
            }
            const auto tree = pool.tree(mirrorOf("mirror", leaves));
            std::vector<std::byte> out;
            const auto outcome = read(*tree, out);
            QCOMPARE(outcome.has_value(), whole > 0);
            if (outcome) {
                QVERIFY(out == m_data);
            } else {
                QCOMPARE(outcome.error().code(),
                         missing == 3 ? ErrorCode::DeviceMissing : ErrorCode::ChecksumMismatch);
            }
            const VdevState expected = missing == 0   ? VdevState::Healthy
                                       : missing == 3 ? VdevState::CannotOpen
                                                      : VdevState::Degraded;
            QCOMPARE(tree->state(), expected);
            checkScrub(*tree, whole, missing);
        }
    }

    void singleDisk()
    {
        MemoryPool pool;
        format::NvList leaf = pool.addLeaf();
        MemoryPool::finishTop(leaf, 12, MemoryPool::kDeviceBytes - 4608 * KiB);
        pool.write(0, kOffset, m_data);
        const auto tree = pool.tree(leaf);
        std::vector<std::byte> out;
        QVERIFY(read(*tree, out).has_value());
        QVERIFY(out == m_data);
        QCOMPARE(tree->top(VdevId(0))->allocatedSize(ByteCount(5000)).value(), std::uint64_t{8192});
        QCOMPARE(tree->status()[1].io.readOps, std::uint64_t{1});
        QCOMPARE(tree->status()[0].io.readBytes, std::uint64_t{m_data.size()});

        pool.damage(0, kOffset, 1);
        const auto outcome = read(*tree, out);
        QCOMPARE(outcome.error().code(), ErrorCode::ChecksumMismatch);
        QCOMPARE(tree->status()[1].errors.checksum, std::uint64_t{1});
    }

    void placesOutsideAreRefused()
    {
        MemoryPool pool;
        format::NvList leaf = pool.addLeaf();
        MemoryPool::finishTop(leaf, 9, 1 * MiB);
        const auto tree = pool.tree(leaf);
        std::vector<std::byte> out(4096);
        const auto all = [](Bytes) { return true; };
        vdev::TopLevel& top = *tree->top(VdevId(0));
        QVERIFY(top.read(ByteOffset(MiB - 4096), out, all, {}).has_value());
        for (const std::uint64_t offset : {MiB - 4095, MiB, ~std::uint64_t{0} - 100}) {
            const auto outcome = top.read(ByteOffset(offset), out, all, {});
            QCOMPARE(outcome.error().code(), ErrorCode::BadBlockPointer);
        }
        QCOMPARE(top.read(ByteOffset(0), {}, all, {}).error().code(), ErrorCode::BadBlockPointer);
        QVERIFY(tree->top(VdevId(1)) == nullptr);
    }

    void errorsAreTriedTwiceAndCounted()
    {
        MemoryPool pool;
        format::NvList leaf = pool.addLeaf();
        MemoryPool::finishTop(leaf, 9, MemoryPool::kDeviceBytes - 4608 * KiB);
        pool.write(0, kOffset, m_data);
        pool.faulty(0).setPlan({.failAt = 0});
        const auto tree = pool.tree(leaf);
        std::vector<std::byte> out;
        QVERIFY(read(*tree, out).has_value()); // the second try
        QCOMPARE(tree->status()[1].errors.read, std::uint64_t{0});
        pool.faulty(0).setPlan({.failAt = 0, .stayFailed = true});
        const auto outcome = read(*tree, out);
        QCOMPARE(outcome.error().code(), ErrorCode::DeviceIo);
        QCOMPARE(outcome.error().where().vdev, std::optional(MemoryPool::guid(0)));
        QCOMPARE(tree->status()[1].errors.read, std::uint64_t{1});
    }

    void staleCopiesComeLast()
    {
        MemoryPool pool;
        std::vector<format::NvList> leaves{pool.addLeaf(), pool.addLeaf()};
        pool.write(1, kOffset, m_data); // leaf 0 has nothing there
        const auto tree = pool.tree(mirrorOf("mirror", leaves));
        tree->setMissed([](VdevGuid guid, Txg birth) {
            return guid == MemoryPool::guid(0) && birth > Txg(10);
        });
        std::vector<std::byte> out;
        for (int i = 0; i < 4; ++i) {
            const auto outcome = read(*tree, out, Txg(11));
            QVERIFY(outcome.has_value());
            QVERIFY(!outcome->repaired); // the stale one was not even asked
        }
        QCOMPARE(tree->status()[2].io.readOps, std::uint64_t{0});
        pool.damage(1, kOffset, 1);
        pool.write(0, kOffset, m_data);
        QVERIFY(read(*tree, out, Txg(11)).has_value()); // but is the last hope
    }

    void vanishedLeavesAreNotAskedAgain()
    {
        MemoryPool pool;
        std::vector<format::NvList> leaves{pool.addLeaf(), pool.addLeaf()};
        pool.write(0, kOffset, m_data);
        pool.write(1, kOffset, m_data);
        const auto tree = pool.tree(mirrorOf("mirror", leaves));
        QVERIFY(tree->setLeafState(MemoryPool::guid(0), VdevState::Removed, vdev::VdevAux::None));
        QVERIFY(!tree->setLeafState(VdevGuid(999), VdevState::Removed, vdev::VdevAux::None));
        QCOMPARE(tree->state(), VdevState::Degraded);
        std::vector<std::byte> out;
        QVERIFY(read(*tree, out).has_value());
        QCOMPARE(pool.faulty(0).calls(), std::uint64_t{0});
        QVERIFY(tree->setLeafState(MemoryPool::guid(0), VdevState::Healthy, vdev::VdevAux::None));
        QCOMPARE(tree->state(), VdevState::Healthy);
    }

    /// raidz1 of three; the second column is a spare over (a replacement over two leaves, a leaf).
    void columnsWithSeveralPlaces()
    {
        for (const std::uint32_t good : subsets(3, 3)) { // which of the three places is right
            for (const bool firstMissing : {false, true}) {
                MemoryPool pool;
                const format::NvList first = pool.addLeaf();
                format::NvList replacing = vdevConfig("replacing", 0, 31);
                setChildren(replacing, {pool.addLeaf(), pool.addLeaf()});
                format::NvList spare = vdevConfig("spare", 1, 30);
                setChildren(spare, {replacing, pool.addLeaf()});
                const format::NvList last = pool.addLeaf();
                const format::NvList config = MemoryPool::raidz({first, spare, last}, 1, 9);

                const auto columns = modelRaidz(3, 1, 9, kOffset, m_data);
                const std::array<std::vector<std::size_t>, 3> places{{{0}, {1, 2, 3}, {4}}};
                for (const ModelColumn& column : columns) {
                    for (const std::size_t leaf : places[column.child]) {
                        pool.write(leaf, column.offset, column.content);
                        const bool right = column.child != 1 || (good >> (leaf - 1) & 1U) != 0;
                        if (!right) {
                            pool.damage(leaf, column.offset, column.content.size());
                        }
                    }
                }
                if (firstMissing) {
                    pool.setPresent(0, false);
                }
                const auto tree = pool.tree(config);
                QVERIFY(tree);
                std::vector<std::byte> out;
                const auto outcome = read(*tree, out);
                QCOMPARE(outcome.has_value(), good != 0 || !firstMissing);
                if (outcome) {
                    QVERIFY(out == m_data);
                }
                std::size_t wrong = 0;
                out.assign(m_data.size(), std::byte{0});
                const auto scrubbed = tree->top(VdevId(0))->scrubRead(
                    ByteOffset(kOffset), out, verifier(), {}, [&](const ScrubFinding& finding) {
                        wrong += finding.kind == ScrubFinding::Kind::BadData ||
                                         finding.kind == ScrubFinding::Kind::BadParity
                                     ? 1
                                     : 0;
                    });
                QCOMPARE(scrubbed.has_value(), outcome.has_value());
                if (scrubbed) {
                    QVERIFY(out == m_data);
                    QCOMPARE(wrong, 3U - static_cast<unsigned>(__builtin_popcount(good)));
                }
            }
        }
    }

private:
    void checkScrub(vdev::VdevTree& tree, int whole, int missing) const
    {
        std::vector<std::byte> out(m_data.size());
        int wrongSeen = 0;
        int missingSeen = 0;
        const auto scrubbed = tree.top(VdevId(0))->scrubRead(
            ByteOffset(kOffset), out, verifier(), {}, [&](const ScrubFinding& finding) {
                wrongSeen += finding.kind == ScrubFinding::Kind::BadData ? 1 : 0;
                missingSeen += finding.kind == ScrubFinding::Kind::AwaitingResilver ? 1 : 0;
            });
        QCOMPARE(scrubbed.has_value(), whole > 0);
        QCOMPARE(wrongSeen, 3 - whole - missing);
        QCOMPARE(missingSeen, missing);
        if (scrubbed) {
            QVERIFY(out == m_data);
            QCOMPARE(scrubbed->bytesRead, m_data.size() * static_cast<std::size_t>(3 - missing));
        }
    }
};

QTEST_GUILESS_MAIN(TestMirror)
#include "tst_mirror.moc"
