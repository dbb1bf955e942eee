// SPDX-License-Identifier: GPL-3.0-or-later
// Every object of every object set of the golden pools, by other programs and in both byte orders:
// each dnode decodes, each ZAP verifies, lists every entry once and finds it again, each object's
// system attributes can be placed. What OpenZFS says of the contents is compared by tests/golden.
#include "base/log.h"
#include "format/dsl.h"
#include "object/attributes.h"
#include "object/zap.h"
#include "pool/pool.h"
#include "pool/scanner.h"
#include "runtime/thread_pool.h"
#include "support/pools.h"

#include <QtTest>

#include <set>

using namespace millpond;
using object::ObjectSet;
using object::Zap;
using object::ZapEntry;

namespace {

struct Counts
{
    std::uint64_t objsets = 0;
    std::uint64_t objects = 0;
    std::uint64_t zaps = 0;
    std::uint64_t entries = 0;
    std::uint64_t attributes = 0;
    std::vector<std::string> problems;
};

std::string describe(const ZapEntry& entry)
{
    std::string text = entry.name;
    for (const std::uint64_t word : entry.key) {
        text += "/" + std::to_string(word);
    }
    return text;
}

void walkZap(ObjectSet& objset, const object::DnodeRef& dnode, Counts& counts)
{
    const auto complain = [&](const std::string& what) {
        counts.problems.push_back(fmt::format(
            "object set {} object {}: {}", objset.id().value(), dnode->id.value(), what));
    };
    const auto zap = Zap::open(objset, dnode);
    if (!zap) {
        complain(zap.error().toText());
        return;
    }
    ++counts.zaps;
    const auto problems = zap->verify();
    if (!problems) {
        complain(problems.error().toText());
        return;
    }
    for (const std::string& problem : *problems) {
        complain(problem);
    }
    std::set<std::string> seen;
    const Status walked = zap->forEach([&](const ZapEntry& entry) -> Result<bool> {
        if (!seen.insert(describe(entry)).second) {
            complain("listed twice: " + describe(entry));
        }
        const auto found = entry.key.empty() ? zap->lookup(entry.name) : zap->lookup(entry.key);
        if (!found || found->values != entry.values) {
            complain("not found again: " + describe(entry));
        }
        ++counts.entries;
        return true;
    });
    if (!walked) {
        complain(walked.error().toText());
    }
    if (const auto count = zap->count(); !count || *count != seen.size()) {
        complain("another number of entries than it says");
    }
}

std::optional<object::AttributeTable> tableOf(ObjectSet& objset, Counts& counts)
{
    const auto master = Zap::open(objset, ObjectId(1));
    if (!master) {
        return std::nullopt;
    }
    const auto number = master->number("SA_ATTRS");
    if (!number) {
        return std::nullopt; // filesystem versions 1 to 4
    }
    auto table = object::AttributeTable::open(objset, ObjectId(*number));
    if (!table) {
        counts.problems.push_back(table.error().toText());
        return std::nullopt;
    }
    return std::move(*table);
}

void walkObjset(ObjectSet& objset, Counts& counts)
{
    ++counts.objsets;
    std::optional<object::AttributeTable> table;
    if (objset.header().type == format::ObjsetType::Filesystem) {
        table = tableOf(objset, counts);
    }
    std::uint64_t at = 0;
    for (;;) {
        const auto next = objset.nextObject(ObjectId(at));
        if (!next) {
            counts.problems.push_back(next.error().toText());
            return;
        }
        if (!*next) {
            return;
        }
        at = (*next)->value();
        const auto dnode = objset.dnode(**next);
        if (!dnode) {
            counts.problems.push_back(dnode.error().toText());
            continue;
        }
        ++counts.objects;
        if (format::objectLayout((*dnode)->type) == format::Layout::Zap) {
            walkZap(objset, *dnode, counts);
        }
        if (table && (*dnode)->bonusType == format::number(format::ObjectType::SystemAttributes)) {
            const auto values = table->read(objset, **dnode);
            if (!values) {
                counts.problems.push_back(values.error().toText());
            } else {
                counts.attributes += values->size();
                if (!values->contains("ZPL_MODE")) {
                    counts.problems.push_back("attributes without a mode");
                }
            }
        }
    }
}

void walkPool(const pool::Pool& pool, Counts& counts)
{
    ObjectSet& mos = pool.mos().objset();
    walkObjset(mos, counts);
    std::uint64_t at = 0;
    for (;;) {
        const auto next = mos.nextObject(ObjectId(at));
        if (!next || !*next) {
            return;
        }
        at = (*next)->value();
        const auto dnode = mos.dnode(**next);
        if (!dnode || (*dnode)->bonusType != format::number(format::ObjectType::DslDataset)) {
            continue;
        }
        const auto dataset = format::DslDatasetPhys::decode((*dnode)->bonus, (*dnode)->order);
        if (!dataset) {
            counts.problems.push_back(dataset.error().toText());
            continue;
        }
        if (dataset->root.isHole()) {
            continue;
        }
        const auto objset = ObjectSet::open(pool.blocks(), dataset->root, ObjsetId(at));
        if (!objset) {
            counts.problems.push_back(objset.error().toText());
            continue;
        }
        walkObjset(**objset, counts);
    }
}

} // namespace

class tst_GoldenObjects : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsEveryObject_data();
    void readsEveryObject();
};

void tst_GoldenObjects::readsEveryObject_data()
{
    QTest::addColumn<QString>("name");
    const QStringList names = test::goldenPoolNames();
    if (names.isEmpty()) {
        QSKIP("needs the pools of ../shared/pools");
    }
    for (const QString& name : names) {
        QTest::newRow(qPrintable(name)) << name;
    }
}

void tst_GoldenObjects::readsEveryObject()
{
    QFETCH(const QString, name);
    const QString folder = test::unpackGoldenPool(name);
    QVERIFY(!folder.isEmpty());
    const auto executor = *runtime::ThreadPool::create({.threads = 2});
    block::BlockCache cache(ByteCount(64 * MiB));
    NullLog log;
    const auto found = pool::scanForPools({.directories = {folder.toStdString()}}, *executor);
    QVERIFY(found);
    bool opened = false;
    for (const pool::PoolConfig& config : found->pools) {
        const auto pool =
            pool::Pool::open({.executor = *executor, .cache = cache, .log = log, .directIo = false},
                             config,
                             {.force = true, .missingLogOk = true});
        if (!pool) {
            qInfo("%s", pool.error().toText().c_str());
            continue;
        }
        opened = true;
        Counts counts;
        walkPool(**pool, counts);
        qInfo("%llu object sets, %llu objects, %llu ZAPs, %llu entries, %llu attributes",
              static_cast<unsigned long long>(counts.objsets),
              static_cast<unsigned long long>(counts.objects),
              static_cast<unsigned long long>(counts.zaps),
              static_cast<unsigned long long>(counts.entries),
              static_cast<unsigned long long>(counts.attributes));
        for (const std::string& problem : counts.problems) {
            qWarning("%s", problem.c_str());
        }
        QVERIFY(counts.problems.empty());
        QVERIFY(counts.objects >= 20);
    }
    if (!opened) {
        qInfo("refused, as it should be: the reason stands above"); // tst_golden checks the reasons.
    }
}

QTEST_GUILESS_MAIN(tst_GoldenObjects)
#include "tst_golden_objects.moc"
