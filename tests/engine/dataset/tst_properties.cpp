// SPDX-License-Identifier: GPL-3.0-or-later
// Where values come from: settings made by hand at every place OpenZFS keeps them, and the source
// and value `zfs get -p` gives for each; sizes that follow from quotas and reservations of
// ancestors; written@.
#include "dataset/properties.h"
#include "engine/dataset/mos_builder.h"
#include "format/nvlist.h"

#include <QtEndian>
#include <QtTest>

using namespace millpond;
using namespace millpond::test;
using dataset::Properties;
using dataset::PropertyEnvironment;
using dataset::PropertyValue;
using dataset::Source;

namespace {

/// "value source", with "inherited from X" and the received value when there is one.
QString shown(const PropertyValue& value)
{
    QString text = QString::fromStdString(value.value) + ' ';
    switch (value.source) {
    case Source::None:
        text += '-';
        break;
    case Source::Default:
        text += "default";
        break;
    case Source::Local:
        text += "local";
        break;
    case Source::Inherited:
        text += "from " + QString::fromStdString(value.inheritedFrom);
        break;
    case Source::Received:
        text += "received";
        break;
    case Source::Temporary:
        text += "temporary";
        break;
    }
    return value.received == "-" ? text
                                 : text + " [" + QString::fromStdString(value.received) + ']';
}

} // namespace

class tst_Properties : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sources_data();
    void sources();
    void mountpoints_data();
    void mountpoints();
    void allOfThem();
    void temporary();
    void limits();
    void reservationOverFullPool();
    void ofSnapshots();
    void written();
    void bookmarks();
    void extended();
    void resumeToken();
    void unknownName();
    void wrongTypes();

private:
    QString get(const std::string& dataset, const std::string& property);
    void build(const DatasetSpec& root, PropertyEnvironment environment = {});

    std::unique_ptr<MemoryBlocks> m_blocks;
    std::shared_ptr<dataset::DatasetTree> m_tree;
    std::unique_ptr<Properties> m_properties;
};

void tst_Properties::build(const DatasetSpec& root, PropertyEnvironment environment)
{
    m_properties.reset();
    m_tree.reset();
    m_blocks = std::make_unique<MemoryBlocks>();
    MosBuilder builder(*m_blocks);
    builder.addTree(root);
    auto tree = builder.build();
    QVERIFY2(tree.has_value(), tree ? "" : tree.error().toText().c_str());
    m_tree = *tree;
    m_properties = std::make_unique<Properties>(m_tree, std::move(environment));
}

QString tst_Properties::get(const std::string& dataset, const std::string& property)
{
    const auto node = m_tree->find(dataset);
    if (!node) {
        return QString::fromStdString(node.error().toText());
    }
    const auto value = m_properties->get(*node, property);
    return value ? shown(*value) : QString::fromStdString(value.error().toText());
}

void tst_Properties::sources_data()
{
    QTest::addColumn<QString>("dataset");
    QTest::addColumn<QString>("property");
    QTest::addColumn<QString>("expected");
    const auto row =
        [](const char* what, const char* dataset, const char* property, const char* expected) {
            QTest::newRow(what) << dataset << property << expected;
        };
    row("default", "tank", "checksum", "on default");
    row("local number", "tank", "recordsize", "1048576 local");
    row("inherited number", "tank/a/b", "recordsize", "1048576 from tank");
    row("local index", "tank/a", "atime", "off local");
    row("inherited index", "tank/a/b", "atime", "off from tank/a");
    row("not inherited", "tank/a/b", "canmount", "on default");
    row("local, not inheritable", "tank/a", "canmount", "noauto local");
    row("received", "tank/r", "compression", "lz4 received [lz4]");
    row("received, overridden", "tank/r", "copies", "2 local [3]");
    row("received, hidden by an inherit marker", "tank/r", "atime", "on default [off]");
    row("inherited from a received value", "tank/r/child", "compression", "lz4 from tank/r");
    row("the marker hides it from children too", "tank/r/child", "atime", "on default");
    row("refined number", "tank/a", "redundant_metadata", "some local");
    row("user property", "tank/a", "org.example:note", "hello local");
    row("user property inherited", "tank/a/b", "org.example:note", "hello from tank/a");
    row("user property empty", "tank/a", "org.example:empty", " local");
    row("user property received", "tank/r", "org.example:note", "sent received [sent]");
    row("user property nowhere", "tank", "org.example:note", "- -");
    row("by short name", "tank", "recsize", "1048576 local");
    row("no quota", "tank", "quota", "0 default");
    row("quota set here", "tank/a", "quota", "1048576 local");
    row("limit", "tank/a", "snapshot_limit", "17 local");
    row("no limit", "tank", "snapshot_limit", "none default");
    row("type", "tank", "type", "filesystem -");
    row("not mounted", "tank", "mounted", "no -");
    row("does not apply", "tank", "volsize", "- -");
    row("of snapshots only", "tank", "userrefs", "- -");
}

void tst_Properties::sources()
{
    DatasetSpec b{.name = "b"};
    DatasetSpec a{.name = "a",
                  .settings = {numberItem("atime", 0),
                               numberItem("canmount", 2),
                               numberItem("redundant_metadata", 1),
                               numberItem("redundant_metadata$iuv", 2),
                               numberItem("quota", 1048576),
                               numberItem("snapshot_limit", 17),
                               textItem("org.example:note", "hello"),
                               textItem("org.example:empty", "")},
                  .children = {b}};
    a.dir.quota = 1048576;
    DatasetSpec r{.name = "r",
                  .settings = {numberItem("$hasrecvd", 0),
                               numberItem("compression$recvd", 15),
                               numberItem("copies", 2),
                               numberItem("copies$recvd", 3),
                               numberItem("atime$recvd", 0),
                               numberItem("atime$inherit", 0),
                               textItem("org.example:note$recvd", "sent")},
                  .children = {{.name = "child"}}};
    build({.name = "tank", .settings = {numberItem("recordsize", 1048576)}, .children = {a, r}});
    QFETCH(QString, dataset);
    QFETCH(QString, property);
    QTEST(get(dataset.toStdString(), property.toStdString()), "expected");
}

void tst_Properties::mountpoints_data()
{
    QTest::addColumn<QString>("altroot");
    QTest::addColumn<QString>("dataset");
    QTest::addColumn<QString>("expected");
    QTest::newRow("default") << "" << "tank" << "/tank default";
    QTest::newRow("default below") << "" << "tank/x" << "/tank/x default";
    QTest::newRow("default with altroot") << "/mnt" << "tank/x" << "/mnt/tank/x default";
    QTest::newRow("altroot /") << "/" << "tank" << "/tank default";
    QTest::newRow("set") << "" << "tank/set" << "/srv/data local";
    QTest::newRow("inherited") << "" << "tank/set/a/b" << "/srv/data/a/b from tank/set";
    QTest::newRow("inherited with altroot")
        << "/mnt" << "tank/set/a" << "/mnt/srv/data/a from tank/set";
    QTest::newRow("root") << "" << "tank/root" << "/ local";
    QTest::newRow("below the root") << "" << "tank/root/a" << "/a from tank/root";
    QTest::newRow("root with altroot") << "/mnt" << "tank/root" << "/mnt local";
    QTest::newRow("legacy") << "/mnt" << "tank/legacy" << "legacy local";
    QTest::newRow("none inherited") << "" << "tank/none/a" << "none from tank/none";
    QTest::newRow("received") << "" << "tank/recv" << "/sent received [/sent]";
    QTest::newRow("inherited from received") << "" << "tank/recv/a" << "/sent/a from tank/recv";
}

void tst_Properties::mountpoints()
{
    QFETCH(QString, altroot);
    QFETCH(QString, dataset);
    const auto with = [](const char* name, const char* key, const char* path) {
        return DatasetSpec{.name = name,
                           .settings = {textItem(key, path)},
                           .children = {{.name = "a", .children = {{.name = "b"}}}}};
    };
    build({.name = "tank",
           .children = {{.name = "x"},
                        with("set", "mountpoint", "/srv/data"),
                        with("root", "mountpoint", "/"),
                        with("legacy", "mountpoint", "legacy"),
                        with("none", "mountpoint", "none"),
                        with("recv", "mountpoint$recvd", "/sent")}},
          {.altroot = altroot.toStdString()});
    QTEST(get(dataset.toStdString(), "mountpoint"), "expected");
}

void tst_Properties::allOfThem()
{
    build({.name = "tank", .settings = {textItem("a.b:c", "x")}});
    const auto node = m_tree->find("tank");
    QVERIFY(node.has_value());
    const auto all = m_properties->all(*node);
    QVERIFY(all.has_value());
    QStringList names;
    for (const PropertyValue& value : *all) {
        names << QString::fromStdString(value.name);
    }
    QCOMPARE(names.first(), QStringLiteral("type"));
    QCOMPARE(names.last(), QStringLiteral("a.b:c"));
    QCOMPARE(names.removeDuplicates(), 0);
    for (const char* absent :
         {"origin", "clones", "volsize", "userrefs", "keystatus", "name", "written"}) {
        QVERIFY2(!names.contains(QLatin1String(absent)), absent);
    }
}

void tst_Properties::temporary()
{
    PropertyEnvironment environment;
    environment.outside = [](const dataset::Directory&) {
        return dataset::Outside{.mounted = true,
                                .temporary = {{"readonly", "on"}, {"atime", "on"}}};
    };
    build({.name = "tank"}, std::move(environment));
    QCOMPARE(get("tank", "mounted"), QStringLiteral("yes -"));
    QCOMPARE(get("tank", "readonly"), QStringLiteral("on temporary"));
    QCOMPARE(get("tank", "atime"), QStringLiteral("on default")); // the same anyway
}

void tst_Properties::limits()
{
    DatasetSpec leaf{.name = "leaf", .settings = {numberItem("refquota", 1000)}};
    leaf.dir.usedBytes = 400;
    leaf.head.referencedBytes = 300;
    leaf.head.uniqueBytes = 300;
    DatasetSpec mid{.name = "mid", .children = {leaf}};
    mid.dir.usedBytes = 5000;
    mid.dir.quota = 6000;
    DatasetSpec reserved{.name = "reserved", .settings = {numberItem("refreservation", 700)}};
    reserved.head.uniqueBytes = 200;
    reserved.dir.usedBytes = 700;
    DatasetSpec root{.name = "tank", .children = {mid, reserved}};
    root.dir.usedBytes = 8000;
    build(root, {.space = {.usable = 10'000}});
    QCOMPARE(get("tank", "available"), QStringLiteral("2000 -"));
    QCOMPARE(get("tank/mid", "available"), QStringLiteral("1000 -"));     // by its quota
    QCOMPARE(get("tank/mid/leaf", "available"), QStringLiteral("700 -")); // by its refquota
    QCOMPARE(get("tank/reserved", "available"),
             QStringLiteral("2500 -")); // what is set aside for it on top
    const auto live = m_tree->find("tank/mid/leaf");
    QVERIFY(live.has_value());
    const auto space = m_properties->space(*live->dataset);
    QVERIFY(space.has_value());
    QCOMPARE(space->available, std::uint64_t{700});
    QCOMPARE(space->refQuota, std::uint64_t{1000});
    QCOMPARE(space->used, std::uint64_t{400});
}

void tst_Properties::reservationOverFullPool()
{
    DatasetSpec child{.name = "child"};
    child.dir.usedBytes = 100;
    child.dir.reserved = 500;
    DatasetSpec over{.name = "over"};
    over.dir.usedBytes = 900;
    over.dir.quota = 100; // lowered after it was filled
    DatasetSpec root{.name = "tank", .children = {child, over}};
    root.dir.usedBytes = 2000;
    build(root, {.space = {.usable = 1000}});
    QCOMPARE(get("tank", "available"), QStringLiteral("0 -"));
    QCOMPARE(get("tank/child", "available"), QStringLiteral("400 -")); // its own reservation
    QCOMPARE(get("tank/over", "available"), QStringLiteral("0 -"));
}

void tst_Properties::ofSnapshots()
{
    SnapshotSpec snapshot{.name = "s",
                          .txg = 9,
                          .settings = {textItem("org.example:mine", "1")},
                          .holds = {"one", "two"}};
    snapshot.phys.uniqueBytes = 77;
    snapshot.phys.referencedBytes = 900;
    snapshot.phys.uncompressedBytes = 1800;
    snapshot.phys.compressedBytes = 800;
    build({.name = "tank",
           .settings = {numberItem("exec", 0), textItem("org.example:note", "hello")},
           .snapshots = {snapshot}});
    QCOMPARE(get("tank@s", "used"), QStringLiteral("77 -"));
    QCOMPARE(get("tank@s", "referenced"), QStringLiteral("900 -"));
    QCOMPARE(get("tank@s", "compressratio"), QStringLiteral("2.25 -"));
    QCOMPARE(get("tank@s", "userrefs"), QStringLiteral("2 -"));
    QCOMPARE(get("tank@s", "exec"), QStringLiteral("off from tank"));
    QCOMPARE(get("tank@s", "org.example:note"), QStringLiteral("hello from tank"));
    QCOMPARE(get("tank@s", "org.example:mine"), QStringLiteral("1 local"));
    QCOMPARE(get("tank@s", "available"), QStringLiteral("- -"));
    QCOMPARE(get("tank@s", "quota"), QStringLiteral("- -"));
    QCOMPARE(get("tank@s", "written"), QStringLiteral("- -")); // nothing before it
}

void tst_Properties::written()
{
    // Blocks: 10 born before s1 (txg 10). Of these two die before s2 (txg 20), one after it.
    m_blocks = std::make_unique<MemoryBlocks>();
    MosBuilder builder(*m_blocks);
    DatasetSpec root{.name = "tank",
                     .snapshots = {{.name = "s1", .txg = 10}, {.name = "s2", .txg = 20}}};
    builder.addTree(root);
    builder.dataset("tank@s1").referencedBytes = 10 * 512;
    builder.dataset("tank@s2").referencedBytes = 12 * 512; // minus two, plus four
    builder.dataset("tank@s2").deadlist = ObjectId(builder.addDeadlist({{0, {5, 6}}}));
    builder.dataset("tank").referencedBytes = 14 * 512; // minus one old and one of s2, plus four
    builder.dataset("tank").deadlist = ObjectId(builder.addDeadlist({{0, {7}}, {10, {15}}}));
    auto tree = builder.build();
    QVERIFY(tree.has_value());
    m_tree = *tree;
    m_properties = std::make_unique<Properties>(m_tree, PropertyEnvironment{});
    QCOMPARE(get("tank", "written"), QStringLiteral("2048 -"));
    QCOMPARE(get("tank", "written@s2"), QStringLiteral("2048 local"));
    QCOMPARE(get("tank", "written@s1"), QString::number((14 - 10 + 1 + 2) * 512) + " local");
    QCOMPARE(get("tank@s2", "written"), QStringLiteral("2048 -"));
    QCOMPARE(get("tank@s2", "written@s1"), QStringLiteral("2048 local"));
    QCOMPARE(get("tank@s1", "written@s2"), QStringLiteral("- -")); // later, not earlier
    QCOMPARE(get("tank@s1", "written@s1"), QStringLiteral("- -"));
    QCOMPARE(get("tank", "written@nothing"), QStringLiteral("- -"));
    QCOMPARE(get("tank", "written@tank@s2"), QStringLiteral("2048 local"));
}

void tst_Properties::bookmarks()
{
    m_blocks = std::make_unique<MemoryBlocks>();
    MosBuilder builder(*m_blocks);
    builder.addTree({.name = "tank", .snapshots = {{.name = "s", .txg = 20}}});
    // guid, txg, time; or with redaction, flags, three sums, three freed sums and an IV set guid.
    const std::uint64_t table = builder.addZap(
        {{.name = "old", .values = {11, 5, 1000}},
         {.name = "full", .values = {12, 10, 2000, 0, 1, 4096, 4096, 8192, 512, 512, 512, 0}}});
    builder.extendDataset("tank", {numberItem(std::string(format::kDatasetBookmarks), table)});
    builder.dataset("tank").referencedBytes = 10'000;
    builder.dataset("tank").deadlist = ObjectId(builder.addDeadlist({{0, {7}}}));
    auto tree = builder.build();
    QVERIFY(tree.has_value());
    m_tree = *tree;
    m_properties = std::make_unique<Properties>(m_tree, PropertyEnvironment{});
    QCOMPARE(get("tank#old", "type"), QStringLiteral("bookmark -"));
    QCOMPARE(get("tank#old", "guid"), QStringLiteral("11 -"));
    QCOMPARE(get("tank#old", "createtxg"), QStringLiteral("5 -"));
    QCOMPARE(get("tank#old", "creation"), QStringLiteral("1000 -"));
    QCOMPARE(get("tank#old", "referenced"), QStringLiteral("- -")); // it does not know
    QCOMPARE(get("tank#full", "referenced"), QStringLiteral("4096 -"));
    QCOMPARE(get("tank#full", "logicalreferenced"), QStringLiteral("8192 -"));
    QCOMPARE(get("tank#full", "checksum"), QStringLiteral("- -"));
    // What is there, less what was, plus what died of it since: in the bookmark, and in the
    // deadlist.
    QCOMPARE(get("tank", "written#full"), QString::number(10'000 - 4096 + 512 + 512) + " local");
    QCOMPARE(get("tank", "written#old"), QStringLiteral("- -"));
    const auto names = m_tree->bookmarks(m_tree->root());
    QVERIFY(names.has_value());
    QCOMPARE(names->size(), std::size_t{2});
    QCOMPARE(names->front().name(), std::string("tank#full"));
}

void tst_Properties::extended()
{
    m_blocks = std::make_unique<MemoryBlocks>();
    MosBuilder builder(*m_blocks);
    builder.addTree({.name = "tank", .children = {{.name = "a"}}});
    builder.extendDir("tank",
                      {numberItem(std::string(format::kDirFilesystemCount), 1),
                       numberItem(std::string(format::kDirSnapshotCount), 0),
                       {.name = std::string(format::kDirSnapshotsChanged), .values = {1234, 567}}});
    auto tree = builder.build();
    QVERIFY(tree.has_value());
    m_tree = *tree;
    m_properties = std::make_unique<Properties>(m_tree, PropertyEnvironment{});
    QCOMPARE(get("tank", "filesystem_count"), QStringLiteral("1 local"));
    QCOMPARE(get("tank", "snapshot_count"), QStringLiteral("0 local"));
    QCOMPARE(get("tank", "snapshots_changed"), QStringLiteral("1234 -"));
    QCOMPARE(get("tank/a", "filesystem_count"), QStringLiteral("none default"));
    QCOMPARE(get("tank/a", "snapshots_changed"), QStringLiteral("- -"));
}

void tst_Properties::resumeToken()
{
    m_blocks = std::make_unique<MemoryBlocks>();
    MosBuilder builder(*m_blocks);
    builder.addTree({.name = "tank", .children = {{.name = "a", .children = {{.name = "%recv"}}}}});
    builder.extendDataset(
        "tank/a/%recv",
        {numberItem(std::string(format::kDatasetResumeFromGuid), 0xfeed),
         numberItem(std::string(format::kDatasetResumeToGuid), 0x1234567890abcdef),
         numberItem(std::string(format::kDatasetResumeObject), 42),
         numberItem(std::string(format::kDatasetResumeOffset), 4096),
         numberItem(std::string(format::kDatasetResumeBytes), 999),
         numberItem(std::string(format::kDatasetResumeEmbed), 1),
         textItem(std::string(format::kDatasetResumeToName), "far/away@snap")});
    auto tree = builder.build();
    QVERIFY(tree.has_value());
    m_tree = *tree;
    m_properties = std::make_unique<Properties>(m_tree, PropertyEnvironment{});
    QCOMPARE(get("tank", "receive_resume_token"), QStringLiteral("- -"));
    const QString token = get("tank/a", "receive_resume_token").section(' ', 0, 0);
    const QStringList parts = token.split('-');
    QCOMPARE(parts.size(), 4);
    QCOMPARE(parts[0], QStringLiteral("1"));
    const QByteArray compressed = QByteArray::fromHex(parts[3].toLatin1());
    std::uint64_t sum = 0; // fletcher4's first word: of whole 32-bit words
    for (qsizetype at = 0; at + 4 <= compressed.size(); at += 4) {
        sum += qFromLittleEndian<quint32>(compressed.constData() + at);
    }
    QCOMPARE(parts[1], QString::number(sum, 16));
    const auto size = parts[2].toUInt(nullptr, 16);
    QByteArray framed(4, 0); // Qt wants the size in front
    qToBigEndian<quint32>(size, framed.data());
    const QByteArray packed = qUncompress(framed + compressed);
    QCOMPARE(packed.size(), qsizetype{size});
    const auto list = format::NvList::decode(
        std::as_bytes(std::span(packed.constData(), static_cast<std::size_t>(packed.size()))));
    QVERIFY2(list.has_value(), list ? "" : list.error().toText().c_str());
    QCOMPARE(list->u64("fromguid").value_or(0), std::uint64_t{0xfeed});
    QCOMPARE(list->u64("toguid").value_or(0), std::uint64_t{0x1234567890abcdef});
    QCOMPARE(list->u64("object").value_or(0), std::uint64_t{42});
    QCOMPARE(list->u64("offset").value_or(0), std::uint64_t{4096});
    QCOMPARE(list->u64("bytes").value_or(0), std::uint64_t{999});
    QVERIFY(list->flag("embedok"));
    QVERIFY(!list->flag("rawok"));
    QCOMPARE(list->text("toname").value_or(""), std::string_view("far/away@snap"));
}

void tst_Properties::unknownName()
{
    build({.name = "tank"});
    const auto node = m_tree->find("tank");
    const auto value = m_properties->get(*node, "nonsense");
    QVERIFY(!value && value.error().is(ErrorCode::NoSuchProperty));
    QCOMPARE(get("tank", "userused@0"), QStringLiteral("- -")); // no accounts in an empty dataset
}

void tst_Properties::wrongTypes()
{
    // A text where a number belongs, a number where a text belongs, a number without a name.
    build({.name = "tank",
           .settings = {textItem("recordsize", "big"),
                        numberItem("mountpoint", 7),
                        numberItem("sharenfs", 7),
                        numberItem("org.example:note", 7),
                        numberItem("checksum", 200)}});
    QCOMPARE(get("tank", "recordsize"), QStringLiteral("131072 default"));
    QCOMPARE(get("tank", "mountpoint"), QStringLiteral("/tank default"));
    QCOMPARE(get("tank", "sharenfs"), QStringLiteral("off default"));
    QCOMPARE(get("tank", "org.example:note"), QStringLiteral("- -"));
    QCOMPARE(get("tank", "checksum"), QStringLiteral("- -"));
}

QTEST_GUILESS_MAIN(tst_Properties)
#include "tst_properties.moc"
