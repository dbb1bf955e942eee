// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: settings are stored as readers resolve them, received and inherited ones included;
// quotas and reservations are granted and refused by what is used and available, and the figures of
// all ancestors stay sums. Method: cases by hand; random limits and random blocks in a random tree,
// compared with sums made by a reader after every txg, and with the limits a plain model has.

#include "dataset/detail/settings.h"
#include "engine/dataset/live_pool.h"
#include "support/mp_ok.h"

#include <QTest>

#include <fmt/format.h>

using namespace millpond;
using namespace millpond::dataset;
using namespace millpond::test;

namespace {

namespace stored = millpond::dataset::detail;

constexpr Txg kTxg{5};
using Source = LiveTree::SettingSource;

Setting number(const char* name, std::uint64_t value)
{
    return {name, value};
}

Setting text(const char* name, const char* value)
{
    return {name, std::string(value)};
}

Status set(LiveTree& tree,
           LiveDirectory& directory,
           std::vector<Setting> settings,
           Source source = Source::Local)
{
    return tree.set(directory, settings, kTxg, source);
}

/// What readers make of a directory and its parents: "value" or "value received", or "-".
std::string resolved(LivePool& pool, LiveDirectory& directory, const char* name)
{
    std::vector<stored::SettingsLevel> levels;
    for (LiveDirectory* at = &directory; at != nullptr; at = at->parent) {
        const auto settings = stored::Settings::read(*pool.mos, at->phys.properties, {});
        if (!settings) {
            return settings.error().toText();
        }
        levels.push_back({at->name, *settings});
    }
    const auto found = stored::resolve(levels, name, {});
    if (!found) {
        return "-";
    }
    const auto* value = std::get_if<std::uint64_t>(&found->value);
    return (value != nullptr ? fmt::format("{}", *value) : std::get<std::string>(found->value)) +
           (found->received ? " received" : "") + (found->level > 0 ? " inherited" : "");
}

} // namespace

class TestLiveSettings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void storesNumbersAndTexts();
    void receivedAndInherited();
    void newerNumbersHideBehindTheDefault();
    void refusesWhatHasNoForm();
    void quotas();
    void reservations();
    void limitsTogether();
    void oldPools();
    void limitsSurviveReopening();
    void limitsOfCounts();
    void randomLimits();
};

void TestLiveSettings::storesNumbersAndTexts()
{
    LivePool pool;
    MP_OK(pool.make());
    const auto a = pool.add(pool.tree->root(), "a", kTxg);
    MP_OK(a);
    MP_OK(set(*pool.tree, pool.tree->root(), {number("compression", 15), text("a:b", "one")}));
    MP_OK(set(*pool.tree, **a, {text("a:b", ""), text("mountpoint", "/x")}));
    QCOMPARE(resolved(pool, **a, "compression"), "15 inherited");
    QCOMPARE(resolved(pool, **a, "a:b"), "");
    QCOMPARE(resolved(pool, **a, "mountpoint"), "/x");
    MP_OK(set(*pool.tree, **a, {text("mountpoint", "/y")}));
    QCOMPARE(resolved(pool, **a, "mountpoint"), "/y");
}

void TestLiveSettings::receivedAndInherited()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    const auto a = pool.add(tree.root(), "a", kTxg);
    MP_OK(a);
    MP_OK(set(tree, tree.root(), {number("atime", 1)}));
    MP_OK(set(tree, **a, {number("atime", 0)}));
    // Nothing was received: there is nothing to hide.
    MP_OK(tree.inherit(**a, "atime", false, kTxg));
    QCOMPARE(resolved(pool, **a, "atime"), "1 inherited");
    const auto plain = stored::Settings::read(*pool.mos, (*a)->phys.properties, {});
    MP_OK(plain);
    QVERIFY((*plain)->find("atime") == nullptr);

    MP_OK(tree.markReceived(**a, kTxg));
    MP_OK(set(tree, **a, {number("atime", 7)}, Source::Received));
    QCOMPARE(resolved(pool, **a, "atime"), "7 received");
    MP_OK(set(tree, **a, {number("atime", 8)}));
    QCOMPARE(resolved(pool, **a, "atime"), "8");
    MP_OK(tree.inherit(**a, "atime", false, kTxg));
    QCOMPARE(resolved(pool, **a, "atime"), "1 inherited");
    MP_OK(tree.inherit(**a, "atime", true, kTxg));
    QCOMPARE(resolved(pool, **a, "atime"), "7 received");
    // A local setting takes the place of "inherit".
    MP_OK(tree.inherit(**a, "atime", false, kTxg));
    MP_OK(set(tree, **a, {number("atime", 9)}));
    QCOMPARE(resolved(pool, **a, "atime"), "9");

    for (const char* name : {"quota", "used", "volsize", "canmount"}) {
        const Status status = tree.inherit(**a, name, false, kTxg);
        QVERIFY2(!status && status.error().is(ErrorCode::InvalidArgument), name);
    }
    const Status unknown = tree.inherit(**a, "nonsense", false, kTxg);
    QVERIFY(!unknown && unknown.error().is(ErrorCode::NoSuchProperty));
    MP_OK(tree.inherit(**a, "canmount", true, kTxg));

    // A received quota holds until there is a local one, and again after it.
    MP_OK(set(tree, **a, {number("quota", 5000)}, Source::Received));
    QCOMPARE((*a)->phys.quota, 5000U);
    MP_OK(set(tree, **a, {number("quota", 6000)}));
    MP_OK(set(tree, **a, {number("quota", 7000)}, Source::Received));
    QCOMPARE((*a)->phys.quota, 6000U);
    MP_OK(tree.inherit(**a, "quota", true, kTxg));
    QCOMPARE((*a)->phys.quota, 7000U);
}

void TestLiveSettings::newerNumbersHideBehindTheDefault()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveDirectory& root = pool.tree->root();
    const auto stored = [&] {
        const auto settings = stored::Settings::read(*pool.mos, root.phys.properties, {});
        return settings ? *(*settings)->find("redundant_metadata") : stored::Setting{};
    };
    MP_OK(set(*pool.tree, root, {number("redundant_metadata", 3)}));
    QCOMPARE(std::get<std::uint64_t>(*stored().local), 0U);
    QCOMPARE(stored().refined.value_or(99), 3U);
    MP_OK(set(*pool.tree, root, {number("redundant_metadata", 1)}));
    QCOMPARE(std::get<std::uint64_t>(*stored().local), 1U);
    QVERIFY(!stored().refined);
}

void TestLiveSettings::refusesWhatHasNoForm()
{
    LivePool pool;
    MP_OK(pool.make());
    const auto refused = [&](Setting setting) {
        const Status status = set(*pool.tree, pool.tree->root(), {number("atime", 1), setting});
        return status ? ErrorCode::System : status.error().code();
    };
    QCOMPARE(refused({"", std::uint64_t{1}}), ErrorCode::InvalidName);
    QCOMPARE(refused(text("a:b$inherit", "x")), ErrorCode::InvalidName);
    QCOMPARE(refused({"a:" + std::string(300, 'x'), std::string()}), ErrorCode::NameTooLong);
    QCOMPARE(refused({"a:b", std::string(8192, 'x')}), ErrorCode::TooLarge);
    QCOMPARE(refused(text("quota", "much")), ErrorCode::InvalidArgument);
    QCOMPARE(refused(number("filesystem_limit", 10)), ErrorCode::UnsupportedFeature);
    // All or nothing.
    QCOMPARE(resolved(pool, pool.tree->root(), "atime"), "-");
    MP_OK(set(*pool.tree, pool.tree->root(), {{"a:b", std::string(8191, 'x')}}));
}

void TestLiveSettings::quotas()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    tree.setUsable(10'000);
    const auto a = pool.add(tree.root(), "a", kTxg);
    MP_OK(a);
    MP_OK(pool.grow(**a, 1000, kTxg));
    const auto refuses = [&](const char* name, std::uint64_t bytes) {
        const Status status = set(tree, **a, {number(name, bytes)});
        return !status && status.error().is(ErrorCode::NoSpace);
    };
    QVERIFY(refuses("quota", 999));
    MP_OK(set(tree, **a, {number("quota", 1000)}));
    QCOMPARE(tree.available(**a), 0U);
    MP_OK(set(tree, **a, {number("quota", 3000), number("reservation", 2000)}));
    QVERIFY(refuses("quota", 1999));
    QCOMPARE(tree.available(**a), 2000U);
    QVERIFY(refuses("refquota", 999));
    MP_OK(set(tree, **a, {number("refquota", 1500), number("refreservation", 1200)}));
    QVERIFY(refuses("refquota", 1199));
    QCOMPARE(tree.availableToHead(*tree.head(**a).value()), 500U);
    MP_OK(set(tree, **a, {number("quota", 0), number("refquota", 0)}));
    QCOMPARE(tree.available(**a), 10'000U - 1200U);
    MP_OK(pool.sync(kTxg));
    const auto reader = pool.reader();
    MP_OK(reader);
    QCOMPARE(wrongFigures(**reader), "");
}

void TestLiveSettings::reservations()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    tree.setUsable(10'000);
    const auto a = pool.add(tree.root(), "a", kTxg);
    MP_OK(a);
    const auto b = pool.add(**a, "b", kTxg);
    MP_OK(b);
    const auto refuses = [&](LiveDirectory& where, const char* name, std::uint64_t bytes) {
        const Status status = set(tree, where, {number(name, bytes)});
        return !status && status.error().is(ErrorCode::NoSpace);
    };
    QVERIFY(refuses(**b, "reservation", 10'001));
    MP_OK(set(tree, **b, {number("reservation", 4000)}));
    QCOMPARE((*a)->phys.usedBytes, 4000U);
    QCOMPARE(tree.root().phys.usedBytes, 4000U);
    QCOMPARE(tree.available(tree.root()), 6000U);
    QCOMPARE(tree.available(**b), 10'000U);
    // Filling it costs nobody anything more.
    MP_OK(pool.grow(**b, 3000, kTxg));
    QCOMPARE(tree.root().phys.usedBytes, 4000U);
    MP_OK(pool.grow(**b, 2000, kTxg));
    QCOMPARE(tree.root().phys.usedBytes, 5000U);
    // The parent's reservation contains the child's.
    MP_OK(set(tree, **a, {number("reservation", 8000)}));
    QCOMPARE(tree.root().phys.usedBytes, 8000U);
    QVERIFY(refuses(**a, "reservation", 10'001));
    QVERIFY(refuses(**b, "refreservation", 10'001));
    MP_OK(set(tree, **b, {number("refreservation", 7000)}));
    QCOMPARE((*b)->phys.usedBytes, 7000U);
    QCOMPARE(tree.root().phys.usedBytes, 8000U);
    MP_OK(set(tree, **b, {number("quota", 9000)}));
    QVERIFY(refuses(**b, "reservation", 9001));
    MP_OK(pool.grow(**b, -5000, kTxg));
    QCOMPARE((*b)->phys.usedBytes, 7000U);
    MP_OK(set(tree, **b, {number("refreservation", 0), number("reservation", 0)}));
    MP_OK(set(tree, **a, {number("reservation", 0)}));
    QCOMPARE(tree.root().phys.usedBytes, 0U);
    MP_OK(pool.sync(kTxg));
    const auto reader = pool.reader();
    MP_OK(reader);
    QCOMPARE(wrongFigures(**reader), "");
}

/// What fits one by one need not fit together, and the other way round.
void TestLiveSettings::limitsTogether()
{
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    tree.setUsable(10'000);
    const auto a = pool.add(tree.root(), "a", kTxg);
    MP_OK(a);
    MP_OK(set(tree, **a, {number("quota", 100)}));
    const Status alone = set(tree, **a, {number("reservation", 500)});
    QVERIFY(!alone && alone.error().is(ErrorCode::NoSpace));
    MP_OK(set(tree, **a, {number("reservation", 500), number("quota", 600)}));
    // A reservation for the dataset lies within the directory's.
    MP_OK(set(tree, **a, {number("quota", 0), number("reservation", 0)}));
    MP_OK(set(tree, **a, {number("reservation", 9000), number("refreservation", 9000)}));
    QCOMPARE(tree.root().phys.usedBytes, 9000U);
    const Status both =
        set(tree, **a, {number("reservation", 10'000), number("refreservation", 10'001)});
    QVERIFY(!both && both.error().is(ErrorCode::NoSpace));
    QCOMPARE((*a)->phys.reserved, 9000U);
}

void TestLiveSettings::oldPools()
{
    LivePool pool;
    pool.version = 21;
    pool.features.counts.clear();
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    LiveDirectory& root = tree.root();
    MP_OK(set(tree, root, {number("quota", 5000), number("refquota", 4000)}));
    QCOMPARE(root.phys.quota, 5000U);
    QCOMPARE(resolved(pool, root, "quota"), "-"); // the directory alone has it
    QCOMPARE(resolved(pool, root, "refquota"), "4000");
    MP_OK(set(tree, root, {number("atime", 0)}, Source::Received));
    QCOMPARE(resolved(pool, root, "atime"), "0");
}

void TestLiveSettings::limitsSurviveReopening()
{
    LivePool pool;
    MP_OK(pool.make());
    const auto a = pool.add(pool.tree->root(), "a", kTxg);
    MP_OK(a);
    MP_OK(set(*pool.tree, **a, {number("quota", 900), number("refquota", 800)}));
    MP_OK(set(*pool.tree, **a, {number("refreservation", 700)}, Source::Received));
    MP_OK(pool.reopen(kTxg));
    const auto again = pool.tree->find("pool/a");
    MP_OK(again);
    const auto head = pool.tree->head(**again);
    MP_OK(head);
    QCOMPARE((*again)->phys.quota, 900U);
    QCOMPARE((*head)->refQuota, 800U);
    QCOMPARE((*head)->refReservation, 700U);
    QCOMPARE((*again)->phys.usedBytes, 700U);
}

void TestLiveSettings::limitsOfCounts()
{
    LivePool pool;
    pool.features.enable({"filesystem_limits", "extensible_dataset"});
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    const auto a = pool.add(tree.root(), "a", kTxg);
    MP_OK(a);
    const auto b = pool.add(**a, "b", kTxg);
    MP_OK(b);
    MP_OK(pool.add(**b, "c", kTxg));
    MP_OK(set(tree, **a, {number("filesystem_limit", ~std::uint64_t{0})}));
    QVERIFY(!pool.features.isActive("filesystem_limits"));
    MP_OK(set(tree, **a, {number("filesystem_limit", 10)}));
    MP_OK(pool.add(**b, "d", kTxg));
    MP_OK(pool.sync(kTxg));
    const auto reader = pool.reader();
    MP_OK(reader);
    const auto count = [&](const char* name) {
        const auto directory = (*reader)->findDirectory(name);
        return directory ? (*directory)->filesystemCount : std::nullopt;
    };
    QCOMPARE(count("pool/a").value_or(99), 3U);
    QCOMPARE(count("pool/a/b").value_or(99), 2U);
    QVERIFY(!count("pool"));
    QCOMPARE(pool.features.counts["filesystem_limits"], 1);
    QCOMPARE(pool.features.counts["extensible_dataset"], 3); // a, b, c
}

void TestLiveSettings::randomLimits()
{
    constexpr std::uint64_t kUsable = 1'000'000;
    LivePool pool;
    MP_OK(pool.make());
    LiveTree& tree = *pool.tree;
    tree.setUsable(kUsable);
    std::vector<LiveDirectory*> places{&tree.root()};
    std::vector<std::int64_t> own{0};
    int granted = 0;
    int refused = 0;
    for (std::uint64_t txg = 5; txg < 25; ++txg) {
        for (int i = 0; i < 20; ++i) {
            const std::size_t at = pool.random.next() % places.size();
            if (places.size() < 12) {
                const auto made =
                    pool.add(*places[at], fmt::format("d{}", places.size()), Txg(txg));
                MP_OK(made);
                places.push_back(*made);
                own.push_back(0);
            }
            const char* name = std::array{
                "quota", "reservation", "refquota", "refreservation"}[pool.random.next() % 4];
            const std::uint64_t bytes =
                pool.random.next() % 3 == 0 ? 0 : pool.random.next() % (kUsable / 3);
            const Status status = tree.set(*places[at], std::vector{number(name, bytes)}, Txg(txg));
            QVERIFY2(status || status.error().is(ErrorCode::NoSpace), name);
            ++(status ? granted : refused);
            // Never more than there is room for.
            const auto head = tree.head(*places[at]);
            MP_OK(head);
            const auto room = static_cast<std::int64_t>(tree.availableToHead(**head) / 2);
            const std::int64_t delta = pool.random.next() % 2 == 0 ? room / 4 : -own[at] / 2;
            MP_OK(pool.grow(*places[at], delta, Txg(txg)));
            own[at] += delta;
            QVERIFY(tree.root().phys.usedBytes <= kUsable);
        }
        MP_OK(pool.sync(Txg(txg)));
        const auto reader = pool.reader();
        MP_OK(reader);
        QCOMPARE(wrongFigures(**reader), "");
        for (std::size_t i = 0; i < places.size(); ++i) {
            const auto head = tree.head(*places[i]);
            MP_OK(head);
            const format::DslDirPhys& phys = places[i]->phys;
            QCOMPARE((*head)->phys.uniqueBytes, static_cast<std::uint64_t>(own[i]));
            QCOMPARE(phys.usedBreakdown[0], static_cast<std::uint64_t>(own[i]));
            QCOMPARE(phys.usedBreakdown[4],
                     std::max((*head)->refReservation, (*head)->phys.uniqueBytes) -
                         (*head)->phys.uniqueBytes);
            QVERIFY(phys.quota == 0 || phys.usedBytes <= phys.quota);
        }
    }
    QVERIFY(granted > 20 && refused > 20);
}

QTEST_GUILESS_MAIN(TestLiveSettings)
#include "tst_live_settings.moc"
