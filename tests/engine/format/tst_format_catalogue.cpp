// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the catalogues agree with themselves and with what OpenZFS 2.3 prints: every feature
// and property of the golden pools' manifests is known, in the same order and with the same words.
#include "format/feature.h"
#include "format/name.h"
#include "format/property.h"
#include "support/manifest.h"
#include "support/pools.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <set>

using namespace millpond;
using namespace millpond::format;
using namespace millpond::test;

class TestCatalogue : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void features();
    void versions();
    void propertiesAreConsistent();
    void datasetPropertiesOfPools();
    void poolPropertiesOfPools();
    void numbers_data();
    void numbers();
    void propertyTexts_data();
    void propertyTexts();
    void sizes();
    void names_data();
    void names();
    void nameParts();
};

namespace {

std::uint8_t typeBit(const QString& type)
{
    if (type == "filesystem") {
        return PropertyTypes::kFilesystem;
    }
    if (type == "volume") {
        return PropertyTypes::kVolume;
    }
    return type == "snapshot" ? PropertyTypes::kSnapshot : PropertyTypes::kBookmark;
}

} // namespace

void TestCatalogue::initTestCase()
{
    ::setenv("TZ", "UTC", 1);
    ::tzset();
}

void TestCatalogue::features()
{
    QCOMPARE(format::features().size(), std::size_t{44});
    std::set<std::string_view> guids;
    for (const Feature& feature : format::features()) {
        QVERIFY(guids.insert(feature.guid).second);
        QVERIFY(feature.guid.ends_with(feature.name) && !feature.description.empty());
        QVERIFY(featureByGuid(feature.guid) == &feature && featureByName(feature.name) == &feature);
        for (const std::string_view needed : feature.depends) {
            QVERIFY(featureByName(needed) != nullptr);
        }
    }
    QVERIFY(featureByGuid("com.example:unknown") == nullptr);
    QVERIFY(featureByName("encryption")->support == FeatureSupport::None);
    QVERIFY(!featureByName("encryption")->readOnlyCompatible);
    QVERIFY(featureByName("obsolete_counts")->readOnlyCompatible);
    QVERIFY(featureByName("lz4_compress")->support == FeatureSupport::Write);
    QVERIFY(featureByName("lz4_compress")->activateOnEnable);
    QVERIFY(featureByName("large_blocks")->perDataset);
}

void TestCatalogue::versions()
{
    QCOMPARE(poolVersions().size(), std::size_t{28});
    for (std::size_t i = 0; i < poolVersions().size(); ++i) {
        QCOMPARE(poolVersions()[i].version, i + 1);
        QVERIFY(isSupportedPoolVersion(i + 1));
    }
    QVERIFY(!isSupportedPoolVersion(0) && !isSupportedPoolVersion(29) &&
            !isSupportedPoolVersion(999));
    QVERIFY(isSupportedPoolVersion(5000) && !isSupportedPoolVersion(5001));
    QCOMPARE(filesystemVersions().size(), std::size_t{5});
}

void TestCatalogue::propertiesAreConsistent()
{
    for (const PropertyScope scope :
         {PropertyScope::Dataset, PropertyScope::Pool, PropertyScope::Vdev}) {
        std::set<std::string_view> names;
        for (const Property& property : properties(scope)) {
            QVERIFY(names.insert(property.name).second);
            QVERIFY(property.types != 0 && !property.heading.empty());
            QVERIFY(findProperty(scope, property.name) == &property);
            QCOMPARE(property.kind == PropertyKind::Index, !property.index.empty());
            QVERIFY(property.kind != PropertyKind::Index ||
                    indexName(property, property.defaultNumber).has_value() ||
                    property.name == "version");
            QVERIFY(columnWidth(property) >= property.heading.size());
            (void)formatProperty(property, property.defaultNumber);
        }
    }
    QVERIFY(findProperty(PropertyScope::Dataset, "avail") ==
            findProperty(PropertyScope::Dataset, "available"));
    QVERIFY(findProperty(PropertyScope::Dataset, "AVAIL") == nullptr);
    QVERIFY(findProperty(PropertyScope::Pool, "cap") ==
            findProperty(PropertyScope::Pool, "capacity"));
    QCOMPARE(columnWidth(*findProperty(PropertyScope::Pool, "health")), std::size_t{8});
    QCOMPARE(columnWidth(*findProperty(PropertyScope::Dataset, "used")), std::size_t{5});
}

void TestCatalogue::datasetPropertiesOfPools()
{
    MP_REQUIRE_POOL(QStringLiteral("a-single"));
    std::size_t values = 0;
    for (const QString& name : goldenPoolNames()) {
        const auto manifest = loadManifest(name);
        if (!manifest) {
            continue;
        }
        const QJsonObject all = manifest->value("zfs_get").toObject();
        for (auto dataset = all.begin(); dataset != all.end(); ++dataset) {
            const QJsonObject got = dataset.value().toObject();
            const std::uint8_t type = typeBit(got.value("type").toArray().at(0).toString());
            for (auto item = got.begin(); item != got.end(); ++item) {
                const std::string property = item.key().toStdString();
                if (isUserProperty(property)) {
                    continue;
                }
                const Property* known = findProperty(PropertyScope::Dataset, property);
                QVERIFY2(known != nullptr, property.c_str());
                QVERIFY2((known->types & type) != 0, property.c_str());
                QVERIFY(known->visible);
                const std::string value = item.value().toArray().at(0).toString().toStdString();
                ++values;
                if (known->kind == PropertyKind::Index) {
                    const auto number = indexValue(*known, value);
                    QVERIFY2(number.has_value(), (property + '=' + value).c_str());
                    QCOMPARE(rawPropertyText(*known, *number), value);
                }
                const std::string source = item.value().toArray().at(1).toString().toStdString();
                if (source == "default" && known->kind != PropertyKind::Text &&
                    property != "volblocksize" && property != "refreservation") {
                    // acltype and xattr default otherwise on other systems; these manifests are
                    // Linux'.
                    QCOMPARE(rawPropertyText(*known, known->defaultNumber), value);
                }
            }
        }
    }
    QVERIFY(values > 1000);
}

void TestCatalogue::poolPropertiesOfPools()
{
    MP_REQUIRE_POOL(QStringLiteral("a-single"));
    const auto manifest = loadManifest(QStringLiteral("a-single"));
    QVERIFY(manifest.has_value());
    std::vector<std::string> expected;
    for (const Property& property : properties(PropertyScope::Pool)) {
        if (property.visible) {
            expected.emplace_back(property.name);
        }
    }
    for (const Feature& feature : format::features()) {
        expected.push_back("feature@" + std::string(feature.name));
    }
    std::vector<std::string> found;
    for (const QJsonValue& row : manifest->value("zpool_get").toArray()) {
        found.push_back(row.toObject().value("prop").toString().toStdString());
    }
    QVERIFY(found == expected);
}

void TestCatalogue::numbers_data()
{
    QTest::addColumn<quint64>("value");
    QTest::addColumn<QString>("count");
    QTest::addColumn<QString>("bytes");
    const auto row = [](std::uint64_t value, const char* count, const char* bytes) {
        QTest::addRow("%llu", static_cast<unsigned long long>(value))
            << quint64{value} << QString::fromLatin1(count) << QString::fromLatin1(bytes);
    };
    row(0, "0", "0B");
    row(1023, "1023", "1023B");
    row(1024, "1K", "1K");
    row(1536, "1.50K", "1.50K");
    row(10239, "10.0K", "10.0K");
    row(10240, "10K", "10K");
    row(102300, "99.9K", "99.9K");
    row(102399, "100K", "100K");
    row(1048575, "1024K", "1024K");
    row(1048576, "1M", "1M");
    row(184549376, "176M", "176M");
    row(66872832, "63.8M", "63.8M");
    row(std::uint64_t{3} << 60, "3E", "3E");
    row(~std::uint64_t{0}, "16.0E", "16.0E");
}

void TestCatalogue::numbers()
{
    QFETCH(quint64, value);
    QFETCH(QString, count);
    QFETCH(QString, bytes);
    QCOMPARE(QString::fromStdString(formatCount(value)), count);
    QCOMPARE(QString::fromStdString(formatBytes(value)), bytes);
}

void TestCatalogue::propertyTexts_data()
{
    QTest::addColumn<int>("scope");
    QTest::addColumn<QString>("name");
    QTest::addColumn<quint64>("value");
    QTest::addColumn<QString>("raw");
    QTest::addColumn<QString>("people");
    const auto row = [](PropertyScope scope,
                        const char* name,
                        std::uint64_t value,
                        const char* raw,
                        const char* people) {
        QTest::addRow("%s %llu", name, static_cast<unsigned long long>(value))
            << static_cast<int>(scope) << QString::fromLatin1(name) << quint64{value}
            << QString::fromLatin1(raw) << QString::fromLatin1(people);
    };
    constexpr std::uint64_t kLargest = ~std::uint64_t{0};
    constexpr auto kDataset = PropertyScope::Dataset;
    constexpr auto kPool = PropertyScope::Pool;
    row(kDataset, "used", 512, "512", "512B");
    row(kDataset, "quota", 0, "0", "none");
    row(kDataset, "quota", 104857600, "104857600", "100M");
    row(kDataset, "recordsize", 131072, "131072", "128K");
    row(kDataset, "compressratio", 152, "1.52", "1.52x");
    row(kDataset, "filesystem_limit", kLargest, "none", "none");
    row(kDataset, "filesystem_limit", 10, "10", "10");
    row(kDataset, "guid", 7474452116653410018U, "7474452116653410018", "7474452116653410018");
    row(kDataset, "creation", 1796061420, "1796061420", "Mon Nov 30 17:57 2026");
    row(kDataset, "creation", 1149760588, "1149760588", "Thu Jun  8  9:56 2006");
    row(kDataset, "compression", 15, "lz4", "lz4");
    row(kDataset, "compression", 16 | 3 << 7, "zstd-3", "zstd-3");
    row(kDataset, "compression", 10, "gzip", "gzip");
    row(kDataset, "mounted", 1, "yes", "yes");
    row(kDataset, "checksum", 99, "99", "99");
    row(kPool, "size", 184549376, "184549376", "176M");
    row(kPool, "capacity", 12, "12", "12%");
    row(kPool, "fragmentation", kLargest, "-", "-");
    row(kPool, "fragmentation", 3, "3", "3%");
    row(kPool, "expandsize", 0, "-", "-");
    row(kPool, "version", 5000, "-", "-");
    row(kPool, "version", 28, "28", "28");
    row(kPool, "dedup_table_quota", kLargest, "auto", "auto");
    row(kPool, "dedupratio", 100, "1.00", "1.00x");
    row(PropertyScope::Vdev, "state", 7, "7", "ONLINE");
    row(PropertyScope::Vdev, "checksum_n", kLargest, "-", "-");
    row(PropertyScope::Vdev, "fragmentation", 3, "3%", "3%");
}

void TestCatalogue::propertyTexts()
{
    QFETCH(int, scope);
    QFETCH(QString, name);
    QFETCH(quint64, value);
    QFETCH(QString, raw);
    QFETCH(QString, people);
    const Property* property = findProperty(PropertyScope(scope), name.toStdString());
    QVERIFY(property != nullptr);
    QCOMPARE(QString::fromStdString(rawPropertyText(*property, value)), raw);
    QCOMPARE(QString::fromStdString(formatProperty(*property, std::uint64_t{value})), people);
    QCOMPARE(QString::fromStdString(formatProperty(*property, raw.toStdString())), people);
}

void TestCatalogue::sizes()
{
    const auto parsed = [](const char* text) { return parseBytes(text).value_or(999999999); };
    QCOMPARE(parsed("512"), 512U);
    QCOMPARE(parsed("1K"), 1024U);
    QCOMPARE(parsed("1.5m"), 1572864U);
    QCOMPARE(parsed("2TB"), std::uint64_t{2} << 40);
    QCOMPARE(parsed("16KiB"), 16384U);
    QCOMPARE(parsed("7b"), 7U);
    QCOMPARE(parsed("0"), 0U);
    for (const char* bad : {"",
                            "K",
                            "1Q",
                            "1KX",
                            "1.2.3",
                            "-1",
                            "1BB",
                            "99999999999999999999",
                            "16E",
                            "1Z",
                            "nan",
                            "."}) {
        QVERIFY2(!parseBytes(bad), bad);
    }
    QCOMPARE(formatDuration(0), std::string("-"));
    QCOMPARE(formatDuration(1500), std::string("1us"));
    QCOMPARE(formatDuration(2000000000000), std::string("2000s"));
    QVERIFY(isSpaceProperty("userused@alice") && isSpaceProperty("written@snap") &&
            !isSpaceProperty("used"));
    QCOMPARE(formatSpaceProperty("userquota@alice", "0"), std::string("none"));
    QCOMPARE(formatSpaceProperty("userused@alice", "512"), std::string("512B"));
    QCOMPARE(formatSpaceProperty("userobjused@obj", "1536"), std::string("1.50K"));
    QCOMPARE(formatSpaceProperty("written@objects", "512"), std::string("512B"));
}

void TestCatalogue::names_data()
{
    QTest::addColumn<int>("kind"); // -1 pool, -2 new pool, -3 user property, -4 component
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("why"); // empty: accepted
    const auto row = [](int kind, const QString& name, const char* why) {
        QTest::addRow("%d %s", kind, qPrintable(name.left(40)))
            << kind << name << QString::fromLatin1(why);
    };
    constexpr int kFilesystem = static_cast<int>(NameKind::Filesystem);
    constexpr int kSnapshot = static_cast<int>(NameKind::Snapshot);
    constexpr int kBookmark = static_cast<int>(NameKind::Bookmark);
    row(-1, "tank", "");
    row(-1, "mirror1", "");
    row(-1, "mirror", "name is reserved");
    row(-2, "mirror1", "name is reserved");
    row(-2, "logs", "");
    row(-1, "1tank", "name must begin with a letter");
    row(-1, "", "name must begin with a letter");
    row(-1, "tank/x", "invalid character '/' in pool name");
    row(-1, QString(239, 'a'), "name is too long");
    row(kFilesystem, "tank/a b/c-d_e.f:g%h", "");
    row(kFilesystem, "tank//a", "empty component");
    row(kFilesystem, "tank/", "trailing slash in name");
    row(kFilesystem, "/tank", "leading slash in name");
    row(kFilesystem, "tank/.", "self reference");
    row(kFilesystem, "tank/../a", "parent reference");
    row(kFilesystem, "tank/a!", "invalid character '!' in name");
    row(kFilesystem, "tank@s", "snapshot delimiter '@' is not expected here");
    row(kFilesystem, "tank#b", "bookmark delimiter '#' is not expected here");
    row(kFilesystem, "tank/" + QString("a/").repeated(48) + "a", "");
    row(kFilesystem, "tank/" + QString("a/").repeated(49) + "a", "name is too long");
    row(kFilesystem, "tank/" + QString(250, 'a'), "");
    row(kFilesystem, "tank/" + QString(251, 'a'), "name is too long");
    row(kSnapshot, "tank/a@2026-11-30 x", "");
    row(kSnapshot, "tank/a", "missing '@' delimiter in snapshot name");
    row(kSnapshot, "tank@a@b", "multiple '@' and/or '#' delimiters in name");
    row(kSnapshot, "tank@a/b", "trailing slash in name");
    row(kSnapshot, "tank@", "empty component");
    row(kSnapshot, "@a", "empty component");
    row(kBookmark, "tank#b", "");
    row(kBookmark, "tank@b", "missing '#' delimiter in bookmark name");
    row(-3, "org.example:level", "");
    row(-3, "level", "a user property has a colon in its name");
    row(-3, "org.example:Level", "invalid character 'L' in property name");
    row(-4, "snap-1", "");
    row(-4, "a/b", "invalid character '/' in name");
}

void TestCatalogue::names()
{
    QFETCH(int, kind);
    QFETCH(QString, name);
    QFETCH(QString, why);
    const std::string text = name.toStdString();
    const auto check = [&]() -> Status {
        switch (kind) {
        case -1:
            return checkPoolName(text);
        case -2:
            return checkNewPoolName(text);
        case -3:
            return checkUserPropertyName(text);
        case -4:
            return checkComponent(text);
        default:
            return checkName(text, NameKind(kind));
        }
    };
    const Status status = check();
    QCOMPARE(status.has_value(), why.isEmpty());
    if (!status) {
        QVERIFY2(status.error().what().starts_with(why.toStdString()),
                 status.error().what().c_str());
    }
}

void TestCatalogue::nameParts()
{
    const NameParts parts = NameParts::of("tank/a/b@s");
    QVERIFY(parts.pool == "tank" && parts.dataset == "tank/a/b" && parts.snapshot == "s");
    QVERIFY(parts.kind() == NameKind::Snapshot);
    QVERIFY(NameParts::of("tank#m").bookmark == "m");
    QVERIFY(parentName("tank/a/b@s") == "tank/a/b" && parentName("tank/a") == "tank");
    QVERIFY(parentName("tank").empty());
}

QTEST_GUILESS_MAIN(TestCatalogue)
#include "tst_format_catalogue.moc"
