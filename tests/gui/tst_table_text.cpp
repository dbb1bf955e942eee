// SPDX-License-Identifier: GPL-3.0-or-later
// Property: what is copied and saved is the table as shown: visible columns in their order, every
// row of a tree, valid CSV whatever the names hold. Method: small item models, compared letter by
// letter.
#include "gui/widgets/table_text.h"
#include "gui/widgets/table_view.h"

#include <QHeaderView>
#include <QStandardItemModel>
#include <QTemporaryDir>
#include <QTest>

using millpond::widgets::TableText;

class TableTextTest : public QObject
{
    Q_OBJECT

private slots:
    void csvQuotesAndDescends();
    void csvDefusesFormulas();
    void columnsFollowTheView();
    void copiesEachRowOnce();
    void alignsForATerminal();
    void savingSaysWhyNot();

private:
    static QList<QStandardItem*> row(const QStringList& cells)
    {
        QList<QStandardItem*> items;
        for (const QString& cell : cells) {
            items.append(new QStandardItem(cell));
        }
        return items;
    }
};

void TableTextTest::csvQuotesAndDescends()
{
    QStandardItemModel model;
    model.setHorizontalHeaderLabels({QStringLiteral("Name"), QStringLiteral("Used")});
    const auto parent = row({QStringLiteral("a,b"), QStringLiteral("say \"no\"")});
    model.appendRow(parent);
    parent.front()->appendRow(row({QStringLiteral("line\nbreak"), QStringLiteral("5")}));
    QCOMPARE(TableText(model, {0, 1}, Qt::DisplayRole).csv(),
             QStringLiteral("Name,Used\n\"a,b\",\"say \"\"no\"\"\"\n\"line\nbreak\",5\n"));
}

void TableTextTest::csvDefusesFormulas()
{
    QStandardItemModel model;
    model.setHorizontalHeaderLabels({QStringLiteral("Name")});
    for (const QString& name : {QStringLiteral("=1+1"),
                                QStringLiteral("@x"),
                                QStringLiteral("-"),
                                QStringLiteral("-5"),
                                QStringLiteral("-x")}) {
        model.appendRow(row({name}));
    }
    QCOMPARE(TableText(model, {0}, Qt::DisplayRole).csv(),
             QStringLiteral("Name\n'=1+1\n'@x\n-\n-5\n'-x\n"));
}

void TableTextTest::columnsFollowTheView()
{
    QStandardItemModel model(1, 4);
    millpond::widgets::TableView view(QStringLiteral("table"));
    view.setModel(&model);
    view.header()->setSectionHidden(1, true);
    view.header()->moveSection(3, 0);
    QCOMPARE(millpond::widgets::visibleColumns(view), (QList<int>{3, 0, 2}));
}

void TableTextTest::copiesEachRowOnce()
{
    QStandardItemModel model;
    model.appendRow(row({QStringLiteral("a"), QStringLiteral("1")}));
    model.appendRow(row({QStringLiteral("b"), QStringLiteral("2")}));
    const QModelIndexList cells{model.index(1, 0), model.index(1, 1), model.index(0, 1)};
    QCOMPARE(TableText(model, {0, 1}, Qt::DisplayRole).rows(cells), QStringLiteral("b\t2\na\t1\n"));
}

void TableTextTest::alignsForATerminal()
{
    QStandardItemModel model;
    model.setHorizontalHeaderLabels({QStringLiteral("Name"), QStringLiteral("Used")});
    model.setHeaderData(
        1, Qt::Horizontal, QVariant(Qt::AlignRight | Qt::AlignVCenter), Qt::TextAlignmentRole);
    const auto parent = row({QStringLiteral("pond"), QStringLiteral("1.50K")});
    model.appendRow(parent);
    parent.front()->appendRow(row({QStringLiteral("home"), QStringLiteral("2G")}));
    QCOMPARE(TableText(model, {0, 1}, Qt::DisplayRole).aligned(QStringLiteral("  ")),
             QStringLiteral("  Name     Used\n  pond    1.50K\n    home     2G\n"));
}

void TableTextTest::savingSaysWhyNot()
{
    const QTemporaryDir folder;
    QCOMPARE(
        millpond::widgets::saveText(folder.filePath(QStringLiteral("t.csv")), QStringLiteral("x")),
        QString());
    QVERIFY(!millpond::widgets::saveText(folder.filePath(QStringLiteral("no/t.csv")),
                                         QStringLiteral("x"))
                 .isEmpty());
}

QTEST_MAIN(TableTextTest)

#include "tst_table_text.moc"
