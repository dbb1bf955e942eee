// SPDX-License-Identifier: GPL-3.0-or-later
// Not a test: draws the window in its states into a folder, for people to look at.
//   gui_pictures FOLDER [LANGUAGE]
#include "gui/app/translation.h"
#include "gui/fake_client.h"
#include "gui/pools/pools_page.h"
#include "gui/samples.h"
#include "gui/shell/main_window.h"
#include "gui/widgets/table_view.h"

#include <QApplication>
#include <QDir>
#include <QLineEdit>
#include <QLocale>
#include <QPalette>
#include <QStandardPaths>
#include <QTabWidget>
#include <QTest>
#include <QTreeView>

using namespace millpond;

namespace {

void useDarkPalette()
{
    QPalette dark(QColor(49, 54, 59), QColor(35, 38, 41));
    dark.setColor(QPalette::Base, QColor(27, 30, 32));
    dark.setColor(QPalette::AlternateBase, QColor(35, 38, 41));
    dark.setColor(QPalette::Highlight, QColor(61, 174, 233));
    dark.setColor(QPalette::PlaceholderText, QColor(160, 165, 170));
    QApplication::setPalette(dark);
}

/// One window with a scripted helper.
struct Scene
{
    explicit Scene(QSize size = {1180, 760}, const QString& folder = QStringLiteral("/images"))
        : window(client)
        , page(new pools::PoolsPage(client, {folder}))
    {
        client.imported = {test::healthyPool()};
        client.found = {test::degradedPool(), test::refusedPool()};
        client.tables = {{QStringLiteral("pond"), test::smallTable("pond")},
                         {QStringLiteral("tank"), test::smallTable("tank")}};
        client.snapshots = {{QStringLiteral("pond"), test::snapshotTable("pond", 12)}};
        for (const char* dataset : {"pond", "pond/home"}) {
            client.mountList.append(
                {QString::fromLatin1(dataset),
                 QStringLiteral("/home/ada/Millpond/") + QString::fromLatin1(dataset),
                 false});
        }
        window.addPage(page);
        window.resize(size);
    }

    void open()
    {
        window.show();
        client.start();
        settle();
    }

    void settle()
    {
        (void)QTest::qWaitFor([this] { return page->isSettled(); }, 5000);
        QTest::qWait(30);
    }

    void choose(int row)
    {
        page->list().setCurrentIndex(page->list().model()->index(row, 0));
        settle();
    }

    void save(const QDir& folder, const QString& name)
    {
        QTest::qWait(30);
        window.grab().save(folder.filePath(name + QStringLiteral(".png")));
    }

    test::FakeClient client;
    shell::MainWindow window;
    pools::PoolsPage* page;
};

void drawPools(const QDir& folder, const QString& theme)
{
    Scene scene;
    scene.open();
    scene.save(folder, theme + QStringLiteral("-open"));
    scene.choose(1);
    scene.save(folder, theme + QStringLiteral("-degraded"));
    scene.page->actions().importPool->trigger();
    scene.settle();
    scene.save(folder, theme + QStringLiteral("-imported"));
    scene.choose(2);
    scene.save(folder, theme + QStringLiteral("-refused"));
}

void drawSmall(const QDir& folder, const QString& theme)
{
    Scene scene({1024, 700});
    scene.client.tables = {{QStringLiteral("pond"), test::manyUsers("pond", 10'000)}};
    scene.open();
    auto& datasets = *scene.page->detail().datasets;
    datasets.view().expandAll();
    datasets.view().setCurrentIndex(
        datasets.model().indexOf(QStringLiteral("pond/home/user000004")));
    scene.client.setJob({QStringLiteral("/j"),
                         QStringLiteral("check"),
                         QStringLiteral("check of tank"),
                         state::Job::State::Running,
                         quint64(3) << 28,
                         quint64(1) << 31,
                         quint64(120) << 20,
                         95,
                         {}});
    scene.save(folder, theme + QStringLiteral("-small-10000"));
    datasets.findChild<QLineEdit*>()->setText(QStringLiteral("0042"));
    datasets.view().sortByColumn(1, Qt::DescendingOrder);
    scene.save(folder, theme + QStringLiteral("-small-filter"));
}

void drawTabs(const QDir& folder, const QString& theme)
{
    Scene scene;
    scene.open();
    auto* tabs = scene.window.findChild<QTabWidget*>();
    tabs->setCurrentIndex(1);
    scene.settle();
    scene.save(folder, theme + QStringLiteral("-snapshots"));
    scene.choose(1);
    tabs->setCurrentIndex(2);
    scene.save(folder, theme + QStringLiteral("-check"));
    scene.page->actions().checkPool->trigger();
    scene.settle();
    scene.save(folder, theme + QStringLiteral("-checking"));
    scene.client.report = {
        {{QStringLiteral("checksum"),
          QStringLiteral("tank/home"),
          QStringLiteral("/letters/2019/march.txt"),
          {},
          QStringLiteral("object 12 level 0 block 7: 1 of 2 copies does not match its checksum")},
         {QStringLiteral("leak"),
          {},
          {},
          QStringLiteral("log.img"),
          QStringLiteral("12288 bytes at offset 40960 are allocated, but nothing reaches them")}},
        2,
        true,
        14,
        120'331,
        quint64(9) << 30,
        4096,
        74'100};
    scene.client.setJob({QStringLiteral("/org/millpond/Job/1"),
                         QStringLiteral("check"),
                         QStringLiteral("check of tank"),
                         state::Job::State::Running,
                         1,
                         0,
                         0,
                         {},
                         {}});
    scene.settle();
    QTest::qWait(100);
    scene.save(folder, theme + QStringLiteral("-checked"));
}

void drawTroubles(const QDir& folder, const QString& theme)
{
    Scene empty;
    empty.client.imported.clear();
    empty.client.found.clear();
    empty.open();
    empty.save(folder, theme + QStringLiteral("-empty"));
    empty.client.die();
    empty.save(folder, theme + QStringLiteral("-dead"));
    Scene waiting({1024, 700}, {});
    waiting.client.hold(test::FakeClient::Call::Scan);
    waiting.window.show();
    waiting.client.start();
    QTest::qWait(100);
    waiting.save(folder, theme + QStringLiteral("-waiting"));
}

} // namespace

int main(int argc, char** argv)
{
    QStandardPaths::setTestModeEnabled(true);
    QApplication application(argc, argv);
    app::loadTranslations(application,
                          QLocale(application.arguments().value(2, QStringLiteral("en"))));
    const QDir folder(application.arguments().value(1, QStringLiteral(".")));
    folder.mkpath(QStringLiteral("."));
    for (const QString& theme : {QStringLiteral("light"), QStringLiteral("dark")}) {
        if (theme == QLatin1String("dark")) {
            useDarkPalette();
        }
        drawPools(folder, theme);
        drawSmall(folder, theme);
        drawTabs(folder, theme);
        drawTroubles(folder, theme);
    }
    return 0;
}
