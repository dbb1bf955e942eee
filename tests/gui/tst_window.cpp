// SPDX-License-Identifier: GPL-3.0-or-later
// Property: the program shows the pools of a folder: --text prints them with devices and datasets,
// --picture writes the window, both without a display and through the real helper. Method: a pool
// made by OpenZFS, compared with its manifest.
#include "format/property.h"
#include "gui/helper_process.h"
#include "support/manifest.h"
#include "support/pools.h"
#include "support/process.h"
#include "support/scratch.h"

#include <QDir>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

#include <memory>

using namespace millpond;

namespace {

const QString kProgram = QStringLiteral(MILLPOND_BINARY_DIR "/bin/millpond");
const QString kHelper = QStringLiteral(MILLPOND_BINARY_DIR "/bin/millpondd");

QString sizeOf(const QJsonObject& row, const char* property)
{
    const QString bytes = row.value(QLatin1String(property)).toString();
    return QString::fromStdString(format::formatBytes(bytes.toULongLong()));
}

/// How the table shows a file system, up to the ratio; empty for what it does not show.
QString expectedLine(const QJsonObject& row)
{
    if (row.value(QStringLiteral("type")) != QStringLiteral("filesystem")) {
        return {};
    }
    return QStringList{row.value(QStringLiteral("name")).toString(),
                       sizeOf(row, "used"),
                       sizeOf(row, "available"),
                       sizeOf(row, "referenced"),
                       row.value(QStringLiteral("compressratio")).toString() + QLatin1Char('x')}
        .join(QLatin1Char(' '));
}

/// The first five words of each line.
QStringList simplifiedLines(const QString& text)
{
    QStringList lines;
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        lines.append(line.simplified().split(QLatin1Char(' ')).mid(0, 5).join(QLatin1Char(' ')));
    }
    return lines;
}

} // namespace

class WindowTest : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void wrongArguments();
    void emptyFolder();
    void showsAGoldenPool();

private:
    [[nodiscard]] test::ProcessResult run(const QStringList& arguments) const;

    std::unique_ptr<test::ScratchFolder> m_scratch;
};

void WindowTest::init()
{
    m_scratch = std::make_unique<test::ScratchFolder>();
}

void WindowTest::cleanup()
{
    QVERIFY(test::endHelper(m_scratch->path(QStringLiteral("millpond/helper.sock"))));
    m_scratch.reset();
}

test::ProcessResult WindowTest::run(const QStringList& arguments) const
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("HOME"), m_scratch->path());
    environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), m_scratch->path());
    environment.insert(QStringLiteral("XDG_STATE_HOME"), m_scratch->path(QStringLiteral("state")));
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    test::ProcessOptions options;
    options.timeoutMs = 120'000;
    options.environment = environment;
    return test::runProcess(kProgram, arguments, options);
}

void WindowTest::wrongArguments()
{
    QCOMPARE(run({QStringLiteral("--nonsense")}).exitCode, 2);
    QCOMPARE(run({QStringLiteral("--import")}).exitCode, 2);
    QCOMPARE(
        run({QStringLiteral("--page"), QStringLiteral("none"), QStringLiteral("--text")}).exitCode,
        2);
    QCOMPARE(run({QStringLiteral("--help")}).exitCode, 0);
}

void WindowTest::emptyFolder()
{
    if (!QFile::exists(kHelper)) {
        QSKIP("needs millpondd beside the program");
    }
    const QString folder = m_scratch->path(QStringLiteral("images"));
    QVERIFY(QDir().mkpath(folder));
    const test::ProcessResult result =
        run({QStringLiteral("--folder"), folder, QStringLiteral("--text")});
    QVERIFY2(result.succeeded(), qPrintable(result.toText()));
    QVERIFY(result.output.startsWith("0 pools in "));
}

void WindowTest::showsAGoldenPool()
{
    if (!QFile::exists(kHelper)) {
        QSKIP("needs millpondd beside the program");
    }
    MP_REQUIRE_POOL(QStringLiteral("c-raidz1"));
    const QString picture = m_scratch->path(QStringLiteral("window.png"));
    const test::ProcessResult result = run({QStringLiteral("--folder"),
                                            test::unpackGoldenPool(QStringLiteral("c-raidz1")),
                                            QStringLiteral("--import"),
                                            QStringLiteral("--text"),
                                            QStringLiteral("--picture"),
                                            picture});
    QVERIFY2(result.succeeded(), qPrintable(result.toText()));
    const QString text = QString::fromUtf8(result.output);
    for (const char* expected :
         {"1 pool in ", "c_raidz1", "raidz1-0", "Online", "open read-only"}) {
        QVERIFY2(text.contains(QLatin1String(expected)), qPrintable(text));
    }
    const auto manifest = test::loadManifest(QStringLiteral("c-raidz1"));
    QVERIFY(manifest.has_value());
    for (const QJsonValue& row : manifest->value(QStringLiteral("zfs_list")).toArray()) {
        const QString line = expectedLine(row.toObject());
        QVERIFY2(line.isEmpty() || simplifiedLines(text).contains(line), qPrintable(line + text));
    }
    const QImage image(picture);
    QVERIFY(image.width() >= 800 && image.height() >= 560);
}

QTEST_GUILESS_MAIN(WindowTest)

#include "tst_window.moc"
