// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the model of datasets shows, sorts and filters 100,000 rows with a constant number of
// signals, keeps what is selected, and is a correct Qt model. Method: QAbstractItemModelTester, and
// spies that count signals instead of seconds.
#include "gui/model/dataset_model.h"
#include "gui/samples.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using millpond::model::DatasetModel;
using millpond::state::DatasetTable;

class DatasetModelTest : public QObject
{
    Q_OBJECT

private slots:
    void showsATree();
    void listHasFullNames();
    void filterGivesAList();
    void filterKeepsIndexes();
    void sortsByNumberNotByText();
    void sortsSiblingsOnly();
    void newTableKeepsIndexes();
    void otherPoolResets();
    void mountsAreShown();
    void exportsRawValues();
    void hundredThousandRowsAreFewSignals();

private:
    static constexpr int kUsed = 1;
    static constexpr int kMounted = 6;

    QStringList namesOf(const DatasetModel& model, const QModelIndex& parent = {})
    {
        QStringList names;
        for (int row = 0; row < model.rowCount(parent); ++row) {
            names.append(model.index(row, 0, parent).data().toString());
        }
        return names;
    }
};

namespace {

DatasetModel* smallModel(QObject* owner)
{
    auto* model =
        new DatasetModel(millpond::model::datasetColumns(), DatasetModel::Shape::Tree, owner);
    new QAbstractItemModelTester(
        model, QAbstractItemModelTester::FailureReportingMode::QtTest, model);
    model->setTable(millpond::test::smallTable("pond"));
    return model;
}

/// Everything a view would have to react to.
struct Signals
{
    explicit Signals(DatasetModel& model)
        : layout(&model, &QAbstractItemModel::layoutChanged)
        , reset(&model, &QAbstractItemModel::modelReset)
        , data(&model, &QAbstractItemModel::dataChanged)
        , inserted(&model, &QAbstractItemModel::rowsInserted)
        , removed(&model, &QAbstractItemModel::rowsRemoved)
    {
    }

    [[nodiscard]] qsizetype count() const
    {
        return layout.count() + reset.count() + data.count() + inserted.count() + removed.count();
    }

    QSignalSpy layout, reset, data, inserted, removed;
};

} // namespace

void DatasetModelTest::showsATree()
{
    const DatasetModel& model = *smallModel(this);
    QCOMPARE(namesOf(model), QStringList{QStringLiteral("pond")});
    const QModelIndex root = model.index(0, 0);
    QCOMPARE(
        namesOf(model, root),
        (QStringList{QStringLiteral("home"), QStringLiteral("photos"), QStringLiteral("vm-disk")}));
    const QModelIndex home = model.index(0, 0, root);
    QCOMPARE(namesOf(model, home), (QStringList{QStringLiteral("ada"), QStringLiteral("bjorn")}));
    QCOMPARE(model.parent(home), root);
    QCOMPARE(home.siblingAtColumn(kUsed).data().toString(), QStringLiteral("3G"));
    QCOMPARE(root.siblingAtColumn(kUsed).data().toString(), QStringLiteral("5.33G"));
    QCOMPARE(root.siblingAtColumn(4).data().toString(), QStringLiteral("1.62x"));
    // A volume has no mountpoint.
    QCOMPARE(model.index(2, 5, root).data().toString(), QStringLiteral("-"));
    QCOMPARE(model.index(2, kMounted, root).data().toString(), QStringLiteral("-"));
}

void DatasetModelTest::listHasFullNames()
{
    DatasetModel& model = *smallModel(this);
    model.setShape(DatasetModel::Shape::List);
    QCOMPARE(model.rowCount(), 6);
    QCOMPARE(namesOf(model)[2], QStringLiteral("pond/home/ada"));
    QCOMPARE(model.rowCount(model.index(0, 0)), 0);
    QVERIFY(!model.index(2, 0).parent().isValid());
}

void DatasetModelTest::filterGivesAList()
{
    DatasetModel& model = *smallModel(this);
    model.setFilter(QStringLiteral(" HOME/ "));
    QCOMPARE(namesOf(model),
             (QStringList{QStringLiteral("pond/home/ada"), QStringLiteral("pond/home/bjorn")}));
    QCOMPARE(model.matchCount(), 2);
    model.setFilter(QStringLiteral("nothing like it"));
    QCOMPARE(model.rowCount(), 0);
    model.setFilter({});
    QCOMPARE(model.rowCount(), 1);
    QCOMPARE(model.matchCount(), 6);
}

void DatasetModelTest::filterKeepsIndexes()
{
    DatasetModel& model = *smallModel(this);
    model.setShape(DatasetModel::Shape::List);
    const QPersistentModelIndex ada = model.indexOf(QStringLiteral("pond/home/ada"));
    const QPersistentModelIndex photos = model.indexOf(QStringLiteral("pond/photos"));
    model.setFilter(QStringLiteral("ada"));
    QCOMPARE(ada.row(), 0);
    QCOMPARE(model.nameOf(ada), QStringLiteral("pond/home/ada"));
    QVERIFY(!photos.isValid());
}

void DatasetModelTest::sortsByNumberNotByText()
{
    DatasetModel& model = *smallModel(this);
    model.setShape(DatasetModel::Shape::List);
    model.sort(kUsed, Qt::DescendingOrder);
    QCOMPARE(namesOf(model),
             (QStringList{QStringLiteral("pond"),
                          QStringLiteral("pond/home"),
                          QStringLiteral("pond/photos"),
                          QStringLiteral("pond/home/ada"),
                          QStringLiteral("pond/home/bjorn"),
                          QStringLiteral("pond/vm-disk")}));
}

void DatasetModelTest::sortsSiblingsOnly()
{
    DatasetModel& model = *smallModel(this);
    const QPersistentModelIndex ada = model.indexOf(QStringLiteral("pond/home/ada"));
    model.sort(kUsed, Qt::AscendingOrder);
    QCOMPARE(
        namesOf(model, model.index(0, 0)),
        (QStringList{QStringLiteral("vm-disk"), QStringLiteral("photos"), QStringLiteral("home")}));
    QCOMPARE(ada.row(), 1);
    QCOMPARE(model.nameOf(ada), QStringLiteral("pond/home/ada"));
    model.sort(0, Qt::AscendingOrder);
    QCOMPARE(ada.row(), 0);
}

void DatasetModelTest::newTableKeepsIndexes()
{
    DatasetModel& model = *smallModel(this);
    const QPersistentModelIndex photos = model.indexOf(QStringLiteral("pond/photos"));
    const QPersistentModelIndex bjorn = model.indexOf(QStringLiteral("pond/home/bjorn"));
    DatasetTable now({QStringLiteral("used")});
    for (const char* name : {"pond", "pond/attic", "pond/attic/box", "pond/photos"}) {
        now.addRow(name, millpond::state::DatasetKind::Filesystem);
        now.setCell(0, "1024");
    }
    const QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    model.setTable(now);
    QCOMPARE(resets.count(), 0);
    QCOMPARE(model.nameOf(photos), QStringLiteral("pond/photos"));
    QCOMPARE(photos.row(), 1);
    QVERIFY(!bjorn.isValid());
}

void DatasetModelTest::otherPoolResets()
{
    DatasetModel& model = *smallModel(this);
    const QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
    model.setTable(millpond::test::smallTable("tank"));
    QCOMPARE(resets.count(), 1);
    model.setTable({});
    QCOMPARE(model.rowCount(), 0);
}

void DatasetModelTest::mountsAreShown()
{
    DatasetModel& model = *smallModel(this);
    const QModelIndex ada = model.indexOf(QStringLiteral("pond/home/ada"));
    QCOMPARE(ada.siblingAtColumn(kMounted).data().toString(), QStringLiteral("No"));
    model.setMounts({{QStringLiteral("pond/home/ada"), QStringLiteral("/mnt/<b>ada"), true}});
    QCOMPARE(ada.siblingAtColumn(kMounted).data().toString(), QStringLiteral("Yes"));
    QCOMPARE(model.mountPathOf(ada), QStringLiteral("/mnt/<b>ada"));
    // A name from a pool is never markup.
    QVERIFY(ada.siblingAtColumn(kMounted)
                .data(Qt::ToolTipRole)
                .toString()
                .contains(QStringLiteral("&lt;b&gt;")));
}

void DatasetModelTest::exportsRawValues()
{
    const DatasetModel& model = *smallModel(this);
    const QModelIndex ada = model.indexOf(QStringLiteral("pond/home/ada"));
    QCOMPARE(ada.data(millpond::model::ExportRole).toString(), QStringLiteral("pond/home/ada"));
    QCOMPARE(ada.siblingAtColumn(kUsed).data(millpond::model::ExportRole).toString(),
             QStringLiteral("2147483648"));
}

void DatasetModelTest::hundredThousandRowsAreFewSignals()
{
    constexpr int kUsers = 100'000;
    DatasetModel model(millpond::model::datasetColumns(), DatasetModel::Shape::Tree);
    Signals seen(model);
    model.setTable(millpond::test::manyUsers("pond", kUsers));
    QCOMPARE(model.rowCount(model.index(0, 0, model.index(0, 0))), kUsers);
    QCOMPARE(seen.count(), 1);
    model.sort(kUsed, Qt::DescendingOrder);
    QCOMPARE(seen.count(), 2);
    model.setFilter(QStringLiteral("user0999"));
    QCOMPARE(model.matchCount(), 100);
    QCOMPARE(seen.count(), 3);
    model.setFilter(QStringLiteral("user09999"));
    QCOMPARE(model.matchCount(), 10);
    QCOMPARE(seen.count(), 4);
    model.setFilter({});
    model.setTable(millpond::test::manyUsers("pond", kUsers + 1));
    QCOMPARE(model.totalCount(), kUsers + 3);
    QCOMPARE(seen.count(), 6);
    QList<millpond::state::Mount> mounts;
    for (int user = 0; user < 10'000; ++user) {
        mounts.append({QStringLiteral("pond/home/user%1").arg(user, 6, 10, QLatin1Char('0')),
                       QStringLiteral("/x"),
                       false});
    }
    model.setMounts(mounts);
    QCOMPARE(seen.count(), 7);
}

QTEST_MAIN(DatasetModelTest)

#include "tst_dataset_model.moc"
