// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: a node's number says the same node after any mount, no two nodes share one, and what
// does not fit is refused. Method: every kind of node through the number and back, and the edges of
// both fields.
#include "fuse/node_numbers.h"

#include <QTest>

#include <set>

using namespace millpond;
using fuse::Node;
using fuse::NodeKind;
using fuse::NodeNumbers;

namespace {
constexpr std::uint64_t kShift = std::uint64_t{1} << 40U;

Node object(std::uint64_t objset, std::uint64_t number)
{
    return {NodeKind::Object, ObjsetId(objset), ObjectId(number)};
}
} // namespace

class TestNodeNumbers : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void theRootDatasetShowsPlainNumbers()
    {
        NodeNumbers numbers(ObjsetId(54));
        numbers.setRootObject(ObjectId(34));
        QCOMPARE(numbers.nodeId(object(54, 7)), std::optional<std::uint64_t>(7));
        QCOMPARE(numbers.inode(object(54, 7)), std::uint64_t{7});
        QCOMPARE(numbers.nodeId(object(54, 34)), std::optional<std::uint64_t>(1));
        QCOMPARE(numbers.inode(object(54, 34)), std::uint64_t{34});
        QVERIFY(numbers.node(1) == (Node{NodeKind::DatasetFolder, ObjsetId(54), {}}));
        QVERIFY(numbers.node(34) == object(54, 34));
    }

    void othersShowTheirObjectSet()
    {
        const NodeNumbers numbers(ObjsetId(54));
        const Node node = object(300, 7);
        QCOMPARE(numbers.nodeId(node), std::optional<std::uint64_t>(300 * kShift + 7));
        QCOMPARE(numbers.inode(node), 300 * kShift + 7);
        QVERIFY(numbers.node(300 * kShift + 7) == node);
    }

    void foldersHaveNumbersOfTheirOwn()
    {
        const NodeNumbers numbers(ObjsetId(54));
        std::set<std::uint64_t> seen;
        for (const NodeKind kind :
             {NodeKind::ControlDirectory, NodeKind::SnapshotFolder, NodeKind::DatasetFolder}) {
            for (const std::uint64_t objset : {54U, 55U, 0xfffffeU}) {
                const Node node{kind, ObjsetId(objset), {}};
                const auto id = numbers.nodeId(node);
                QVERIFY(id);
                QVERIFY(seen.insert(*id).second);
                QVERIFY(numbers.node(*id) == node);
            }
        }
    }

    void whatDoesNotFitIsRefused()
    {
        const NodeNumbers numbers(ObjsetId(54));
        QVERIFY(!numbers.nodeId(object(0xffffff, 7)));
        QVERIFY(!numbers.nodeId(object(0x1000000, 7)));
        QVERIFY(!numbers.nodeId(object(300, kShift)));
        QVERIFY(!numbers.nodeId(object(54, kShift)));
        QVERIFY(!numbers.nodeId(object(54, 0)));
        QVERIFY(!numbers.nodeId(object(54, 1))); // would be the root
        QVERIFY(numbers.nodeId(object(300, 1)));
        QVERIFY(numbers.nodeId(object(0xfffffe, kShift - 1)));
        QVERIFY(!NodeNumbers::fits(ObjsetId(0)));
        QVERIFY(NodeNumbers::fits(ObjsetId(0xfffffe)));
        QVERIFY(!NodeNumbers::fits(ObjsetId(0xffffff)));
        // A root of any number is fine: it shows none.
        const NodeNumbers large{ObjsetId(kShift)};
        QCOMPARE(large.nodeId(object(kShift, 7)), std::optional<std::uint64_t>(7));
        QVERIFY(large.node(7) == object(kShift, 7));
    }

    void numbersThatAreNoneAreRefused()
    {
        const NodeNumbers numbers(ObjsetId(54));
        QVERIFY(!numbers.node(0));
        QVERIFY(!numbers.node(300 * kShift));
        QVERIFY(!numbers.node(0xffffff * kShift));                             // kind 0
        QVERIFY(!numbers.node(0xffffff * kShift + (std::uint64_t{9} << 24U))); // no such kind
    }
};

QTEST_GUILESS_MAIN(TestNodeNumbers)
#include "tst_node_numbers.moc"
