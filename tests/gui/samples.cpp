// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/samples.h"

#include "gui/model/dataset_column.h"

#include <array>

namespace millpond::test {

namespace {

constexpr quint64 kGib = quint64{1} << 30;

/// The cells of one dataset, in the order of model::datasetColumns().
struct Cells
{
    std::string used, available, referenced, ratio, mountpoint;
};

void addRow(state::DatasetTable& table,
            const std::string& name,
            const Cells& cells,
            state::DatasetKind kind = state::DatasetKind::Filesystem)
{
    table.addRow(name, kind);
    const std::array<const std::string*, 5> values{
        &cells.used, &cells.available, &cells.referenced, &cells.ratio, &cells.mountpoint};
    for (std::size_t column = 0; column < values.size(); ++column) {
        table.setCell(column, *values[column]);
    }
}

state::Vdev row(int depth, const QString& name, const QString& word, quint64 guid)
{
    state::Vdev vdev;
    vdev.depth = depth;
    vdev.name = name;
    vdev.word = word;
    vdev.guid = guid;
    return vdev;
}

state::Vdev leaf(int depth, const QString& name, const QString& word, quint64 guid)
{
    state::Vdev vdev = row(depth, name, word, guid);
    vdev.isLeaf = true;
    vdev.path = vdev.openedAs = QStringLiteral("/images/") + name;
    vdev.deviceSize = 4 * kGib;
    return vdev;
}

const QString kOnline = QStringLiteral("ONLINE");

} // namespace

state::Pool healthyPool()
{
    state::Pool pool;
    pool.name = QStringLiteral("pond");
    pool.guid = 4711;
    pool.word = kOnline;
    pool.version = 5000;
    pool.imported = pool.readOnly = true;
    pool.scan.kind = QStringLiteral("scrub");
    pool.scan.state = QStringLiteral("finished");
    pool.scan.ended = QDateTime(QDate(2026, 11, 1), QTime(4, 30));
    state::Vdev root = row(0, pool.name, kOnline, pool.guid);
    root.size = 12 * kGib;
    root.allocated = 5 * kGib + kGib / 3;
    state::Vdev raidz = row(1, QStringLiteral("raidz1-0"), kOnline, 1);
    raidz.size = root.size;
    pool.vdevs = {root,
                  raidz,
                  leaf(2, QStringLiteral("disk0.img"), kOnline, 2),
                  leaf(2, QStringLiteral("disk1.img"), kOnline, 3),
                  leaf(2, QStringLiteral("disk2.img"), kOnline, 4)};
    return pool;
}

state::Pool degradedPool()
{
    const QString degraded = QStringLiteral("DEGRADED");
    state::Pool pool;
    pool.name = QStringLiteral("tank");
    pool.guid = 815;
    pool.word = degraded;
    pool.version = 5000;
    pool.importable = true;
    pool.messageId = QStringLiteral("ZFS-8000-2Q");
    pool.status = QStringLiteral("One or more devices are missing from the system.");
    pool.action =
        QStringLiteral("The pool can be imported despite missing or damaged devices. The fault "
                       "tolerance of the pool may be compromised if imported.");
    state::Vdev missing =
        leaf(2, QStringLiteral("ata-WDC_WD40EFRX_WD-WCC4E"), QStringLiteral("UNAVAIL"), 12);
    missing.openedAs.clear();
    missing.aux = QStringLiteral("cannot open");
    state::Vdev worn = leaf(2, QStringLiteral("ata-ST4000VN008_ZGY0A1"), kOnline, 11);
    worn.checksumErrors = 3;
    state::Vdev root = row(0, pool.name, degraded, pool.guid);
    root.size = 4 * kGib;
    state::Vdev spare = leaf(1, QStringLiteral("spare.img"), QStringLiteral("AVAIL"), 14);
    spare.isSpare = true;
    pool.vdevs = {root,
                  row(1, QStringLiteral("mirror-0"), degraded, 10),
                  worn,
                  missing,
                  row(0, QStringLiteral("logs"), {}, 0),
                  leaf(1, QStringLiteral("log.img"), kOnline, 13),
                  row(0, QStringLiteral("spares"), {}, 0),
                  spare};
    pool.devices = {worn.openedAs};
    return pool;
}

state::Pool refusedPool()
{
    state::Pool pool;
    pool.name = QStringLiteral("vault");
    pool.guid = 99;
    pool.word = QStringLiteral("UNAVAIL");
    pool.reason =
        QStringLiteral("the pool uses the feature org.example:crypt_v9, which is not supported");
    pool.vdevs = {row(0, pool.name, pool.word, pool.guid),
                  leaf(1, QStringLiteral("v0.img"), kOnline, 21)};
    return pool;
}

state::DatasetTable smallTable(const std::string& pool)
{
    state::DatasetTable table(model::propertiesOf(model::datasetColumns()));
    addRow(table, pool, {"5726623061", "6012954214", "98304", "1.62", "/" + pool});
    addRow(table,
           pool + "/home",
           {"3221225472", "6012954214", "131072", "1.38", "/" + pool + "/home"});
    addRow(table,
           pool + "/home/ada",
           {"2147483648", "6012954214", "2040109465", "1.41", "/" + pool + "/home/ada"});
    addRow(table,
           pool + "/home/bjorn",
           {"1073741824", "536870912", "1073741824", "1.30", "/" + pool + "/home/bjorn"});
    addRow(table,
           pool + "/photos",
           {"2505397589", "6012954214", "2505397589", "1.00", "/" + pool + "/photos"});
    addRow(table,
           pool + "/vm-disk",
           {"536870912", "6549825126", "57344", "2.31", ""},
           state::DatasetKind::Volume);
    return table;
}

state::DatasetTable manyUsers(const std::string& pool, std::size_t users)
{
    state::DatasetTable table(model::propertiesOf(model::datasetColumns()));
    table.reserve(users + 2);
    addRow(table, pool, {"5726623061", "6012954214", "98304", "1.62", "/" + pool});
    addRow(table,
           pool + "/home",
           {"3221225472", "6012954214", "131072", "1.38", "/" + pool + "/home"});
    for (std::size_t user = 0; user < users; ++user) {
        std::string number = std::to_string(user);
        number.insert(0, 6 - std::min<std::size_t>(6, number.size()), '0');
        const std::string name = pool + "/home/user" + number;
        const std::size_t bytes = (user * 2654435761U) % 1'000'000'007U;
        addRow(table,
               name,
               {std::to_string(bytes), "6012954214", std::to_string(bytes), "1.20", "/" + name});
    }
    return table;
}

state::DatasetTable snapshotTable(const std::string& dataset, int count)
{
    state::DatasetTable table(model::propertiesOf(model::snapshotColumns()));
    for (int i = 0; i < count; ++i) {
        table.addRow(dataset + "@daily-" + std::to_string(i), state::DatasetKind::Snapshot);
        table.setCell(0, std::to_string(4096 * (i + 1)));
        table.setCell(1, "2040109465");
        table.setCell(2, std::to_string(1'793'000'000 + i * 86'400));
    }
    return table;
}

} // namespace millpond::test
