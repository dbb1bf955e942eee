// SPDX-License-Identifier: GPL-3.0-or-later
// Property: a raidz read gives the right bytes for every survivable mixture of missing, failing,
// stale and silently wrong columns, an error for any other, and a scrub names exactly the guilty
// pieces. Method: blocks written by the slow model, every combination up to the parity count.
#include "pool_of_memory.h"

#include <map>

using namespace millpond;
using namespace millpond::test;
using vdev::ScrubFinding;

namespace {

struct Layout
{
    std::size_t width;
    std::size_t parity;
    unsigned ashift;
    std::size_t sectors;
    std::uint64_t firstSector;

    [[nodiscard]] std::size_t size() const { return sectors << ashift; }

    [[nodiscard]] std::uint64_t offset() const { return firstSector << ashift; }
};

/// The content of a layout's block, made once: the model is slow.
struct Block
{
    explicit Block(const Layout& chosen)
        : layout(chosen)
        , data(randomBytes(chosen.width * 1000 + chosen.sectors, chosen.size()))
        , columns(modelRaidz(chosen.width, chosen.parity, chosen.ashift, chosen.offset(), data))
    {
    }

    Layout layout;
    std::vector<std::byte> data;
    std::vector<ModelColumn> columns;
};

/// A raidz with that block on it.
struct Fixture
{
    explicit Fixture(const Block& block)
        : layout(block.layout)
        , data(block.data)
        , columns(block.columns)
    {
        std::vector<format::NvList> leaves;
        for (std::size_t i = 0; i < layout.width; ++i) {
            leaves.push_back(pool.addLeaf());
        }
        config = MemoryPool::raidz(std::move(leaves), layout.parity, layout.ashift);
        for (const ModelColumn& column : columns) {
            pool.write(column.child, column.offset, column.content);
        }
    }

    void damageColumn(std::size_t i)
    {
        pool.damage(columns[i].child, columns[i].offset, columns[i].content.size());
    }

    Result<vdev::ReadOutcome> read(vdev::VdevTree& tree, Txg birth = Txg(0))
    {
        out.assign(data.size(), std::byte{0xee});
        return tree.top(VdevId(0))->read(
            ByteOffset(layout.offset()),
            out,
            [this](Bytes bytes) { return vdev::detail::sameBytes(bytes, data); },
            {.birth = birth});
    }

    Result<vdev::ScrubOutcome> scrub(vdev::VdevTree& tree, Txg birth = Txg(0))
    {
        out.assign(data.size(), std::byte{0xee});
        findings.clear();
        return tree.top(VdevId(0))->scrubRead(
            ByteOffset(layout.offset()),
            out,
            [this](Bytes bytes) { return vdev::detail::sameBytes(bytes, data); },
            {.birth = birth},
            [this](const ScrubFinding& finding) { findings.push_back(finding); });
    }

    [[nodiscard]] const ScrubFinding* findingOf(std::size_t column) const
    {
        const VdevGuid guid = MemoryPool::guid(columns[column].child);
        const auto found = std::ranges::find_if(
            findings, [&](const ScrubFinding& finding) { return finding.leaf == guid; });
        return found == findings.end() ? nullptr : &*found;
    }

    const Layout& layout;
    const std::vector<std::byte>& data;
    const std::vector<ModelColumn>& columns;
    MemoryPool pool;
    format::NvList config;
    std::vector<std::byte> out;
    std::vector<ScrubFinding> findings;
};

const std::vector<Layout> kLayouts{
    {2, 1, 9, 1, 0},
    {3, 1, 9, 5, 0},
    {3, 1, 12, 33, 300}, // odd MiB: columns changed places
    {5, 1, 9, 17, 7},
    {3, 2, 9, 3, 2},
    {5, 2, 12, 2, 3}, // fewer columns than devices
    {6, 2, 9, 22, 11},
    {4, 3, 9, 2, 1},
    {7, 3, 12, 9, 5},
    {8, 3, 9, 31, 13},
};

} // namespace

class TestRaidz : public QObject
{
    Q_OBJECT

private:
    static void layouts()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < kLayouts.size(); ++i) {
            const Layout& l = kLayouts[i];
            QTest::addRow("raidz%zu of %zu, %zu sectors", l.parity, l.width, l.sectors)
                << static_cast<int>(i);
        }
    }

    std::map<int, Block> m_blocks;

    const Block& block()
    {
        QFETCH_GLOBAL(int, index);
        return m_blocks.try_emplace(index, kLayouts[static_cast<std::size_t>(index)]).first->second;
    }

    const Layout& layout() { return block().layout; }

private Q_SLOTS:

    void initTestCase_data() { layouts(); }

    void healthy()
    {
        Fixture f(block());
        const auto tree = f.pool.tree(f.config);
        QVERIFY(tree);
        const auto outcome = f.read(*tree);
        QVERIFY(outcome.has_value());
        QVERIFY(!outcome->repaired);
        QVERIFY(f.out == f.data);
        const auto scrubbed = f.scrub(*tree);
        QVERIFY(scrubbed.has_value());
        QCOMPARE(scrubbed->findings, 0U);
    }

    /// Each column is whole, missing, failing, or wrong: every combination with at most `parity` of
    /// the latter three.
    void everySurvivableCombination()
    {
        const std::size_t n = block().columns.size();
        for (const std::uint32_t bad : subsets(n, layout().parity)) {
            for (std::uint32_t wrong = bad;; wrong = (wrong - 1) & bad) {
                Fixture f(block());
                for (std::size_t i = 0; i < n; ++i) {
                    if ((wrong >> i & 1U) != 0) {
                        f.damageColumn(i);
                    } else if ((bad >> i & 1U) != 0 && i % 2 == 0) {
                        f.pool.setPresent(f.columns[i].child, false);
                    } else if ((bad >> i & 1U) != 0) {
                        f.pool.faulty(f.columns[i].child)
                            .setPlan({.failAt = 0, .stayFailed = true});
                    }
                }
                const auto tree = f.pool.tree(f.config);
                QVERIFY(tree);
                const auto outcome = f.read(*tree);
                QVERIFY2(outcome.has_value(),
                         qPrintable(QStringLiteral("bad %1 wrong %2: %3")
                                        .arg(bad, 0, 2)
                                        .arg(wrong, 0, 2)
                                        .arg(outcome ? "" : outcome.error().toText().c_str())));
                QVERIFY(f.out == f.data);
                const bool dataHit = (bad >> layout().parity) != 0;
                QCOMPARE(outcome->repaired, dataHit);
                checkScrub(f, *tree, bad, wrong);
                if (wrong == 0) {
                    break;
                }
            }
        }
    }

    void oneTooMany()
    {
        const std::size_t n = block().columns.size();
        for (const std::uint32_t bad : subsets(n, layout().parity + 1)) {
            const bool tooMany =
                static_cast<std::size_t>(__builtin_popcount(bad)) == layout().parity + 1;
            const bool touchesData = (bad >> layout().parity) != 0;
            if (!tooMany || !touchesData) {
                continue;
            }
            Fixture wrong(block());
            Fixture missing(block());
            for (std::size_t i = 0; i < n; ++i) {
                if ((bad >> i & 1U) != 0) {
                    wrong.damageColumn(i);
                    missing.pool.setPresent(missing.columns[i].child, false);
                }
            }
            const auto wrongTree = wrong.pool.tree(wrong.config);
            const auto outcome = wrong.read(*wrongTree);
            QVERIFY(!outcome);
            QCOMPARE(outcome.error().code(), ErrorCode::ChecksumMismatch);
            QVERIFY(!wrong.scrub(*wrongTree));
            QCOMPARE(wrong.findings.back().kind, ScrubFinding::Kind::Unrecoverable);
            const auto missingTree = missing.pool.tree(missing.config);
            QCOMPARE(missingTree->state(), vdev::VdevState::CannotOpen);
            const auto none = missing.read(*missingTree);
            QVERIFY(!none);
            QCOMPARE(none.error().code(), ErrorCode::DeviceMissing);
        }
    }

    /// Leaves that missed the block's txg hold something else: no error of theirs, and not trusted.
    void staleColumns()
    {
        const std::size_t n = block().columns.size();
        for (const std::uint32_t stale : subsets(n, layout().parity)) {
            Fixture f(block());
            std::vector<VdevGuid> guids;
            for (std::size_t i = 0; i < n; ++i) {
                if ((stale >> i & 1U) != 0) {
                    f.damageColumn(i);
                    guids.push_back(MemoryPool::guid(f.columns[i].child));
                }
            }
            const auto tree = f.pool.tree(f.config);
            tree->setMissed([guids](VdevGuid guid, Txg birth) {
                return birth == Txg(42) && std::ranges::count(guids, guid) != 0;
            });
            QVERIFY(f.read(*tree, Txg(42)).has_value());
            QVERIFY(f.out == f.data);
            QVERIFY(f.scrub(*tree, Txg(42)).has_value());
            QCOMPARE(f.findings.size(), guids.size());
            for (const ScrubFinding& finding : f.findings) {
                QCOMPARE(finding.kind, ScrubFinding::Kind::AwaitingResilver);
            }
            for (const vdev::VdevStatus& row : tree->status()) {
                QCOMPARE(row.errors.checksum, std::uint64_t{0});
            }
        }
    }

    /// What a stale leaf holds may still be the last hope.
    void staleColumnsAreUsedWhenNothingElseIsLeft()
    {
        Fixture f(block());
        const auto tree = f.pool.tree(f.config);
        tree->setMissed([](VdevGuid, Txg) { return true; });
        QVERIFY(f.read(*tree, Txg(7)).has_value());
        QVERIFY(f.out == f.data);
    }

    void sizesThatEndWithinASector()
    {
        Fixture f(block());
        const std::size_t part = f.data.size() - 100;
        const auto tree = f.pool.tree(f.config);
        std::vector<std::byte> out(part);
        const auto outcome = tree->top(VdevId(0))->read(
            ByteOffset(layout().offset()),
            out,
            [&](Bytes bytes) {
                return bytes.size() == part &&
                       vdev::detail::sameBytes(bytes, Bytes(f.data).first(part));
            },
            {});
        QVERIFY(outcome.has_value());
        QVERIFY(vdev::detail::sameBytes(out, Bytes(f.data).first(part)));
    }

    /// A device that vanishes during use: nothing but its error counter changes.
    void failureOfEveryCall()
    {
        for (std::uint64_t call = 0; call < 6; ++call) {
            Fixture f(block());
            const std::size_t child = f.columns.back().child;
            f.pool.faulty(child).setPlan({.failAt = call, .stayFailed = true});
            const auto tree = f.pool.tree(f.config);
            for (int round = 0; round < 4; ++round) {
                QVERIFY(f.read(*tree).has_value());
                QVERIFY(f.out == f.data);
            }
        }
    }

private:
    static void checkScrub(Fixture& f, vdev::VdevTree& tree, std::uint32_t bad, std::uint32_t wrong)
    {
        QVERIFY(f.scrub(tree).has_value());
        QVERIFY(f.out == f.data);
        for (std::size_t i = 0; i < f.columns.size(); ++i) {
            const ScrubFinding* finding = f.findingOf(i);
            if ((bad >> i & 1U) == 0) {
                QVERIFY(finding == nullptr);
                continue;
            }
            QVERIFY(finding != nullptr);
            QCOMPARE(finding->offset.value(), f.columns[i].offset + format::kLabelStartBytes);
            QCOMPARE(finding->size.value(), std::uint64_t{f.columns[i].content.size()});
            ScrubFinding::Kind expected = ScrubFinding::Kind::AwaitingResilver;
            if ((wrong >> i & 1U) != 0) {
                expected = i < f.layout.parity ? ScrubFinding::Kind::BadParity
                                               : ScrubFinding::Kind::BadData;
            } else if (i % 2 != 0) {
                expected = ScrubFinding::Kind::Unreadable;
            }
            QCOMPARE(finding->kind, expected);
        }
    }
};

QTEST_GUILESS_MAIN(TestRaidz)
#include "tst_raidz.moc"
