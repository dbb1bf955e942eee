// SPDX-License-Identifier: GPL-3.0-or-later
// Property: Tab completes subcommands, pools, datasets, snapshots, properties and options in zsh,
// and asks the helper that the line names. Method: a real shell on a pseudo terminal, a private
// helper with a golden pool; what the line is after Tab.
#include "cli/command_lines.h"
#include "support/pools.h"

#include <QStandardPaths>
#include <QTest>

using namespace millpond::test;

class TestCompletion : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void zsh();

private:
    CommandLines m_run;
};

namespace {
const QString kFolder = QStringLiteral(MILLPOND_SOURCE_DIR "/completions/");
const QString kPrograms = QStringLiteral(MILLPOND_BINARY_DIR "/bin");

/// What is typed, what the last word becomes.
using Completions = QList<std::pair<QString, QString>>;

const Completions kZsh = {{"mpzpool sta", "status "},
                          {"mpzpool list a_s", "a_single "},
                          {"mpzpool get fragm", "fragmentation,"},
                          {"mpzpool get size,fragm", "size,fragmentation,"},
                          {"mpzpool iostat --js", "--js"}, // it has no JSON
                          {"mpzpool list --json-p", "--json-pool-key-guid "},
                          {"mpzpool iostat -T d a_s", "a_single "},
                          {"mpzpool nonsense a_s", "a_s"},
                          {"mpzfs li", "list "},
                          {"mpzfs list a_single/da", "a_single/data "},
                          {"mpzfs list a_single/data@sn", "a_single/data@snap"},
                          {"mpzfs get compressr", "compressratio,"},
                          {"mpzfs list -t snap", "snapshot,"}};
} // namespace

void TestCompletion::initTestCase()
{
    MP_REQUIRE_POOL("a-single");
    QVERIFY(m_run.start());
    QVERIFY(m_run.importPool(QStringLiteral("a-single")));
}

void TestCompletion::zsh()
{
    if (QStandardPaths::findExecutable(QStringLiteral("zsh")).isEmpty()) {
        QSKIP("needs zsh");
    }
    QStringList arguments{
        "-f", MILLPOND_SOURCE_DIR "/tests/cli/complete_line.zsh", kFolder + "zsh", kPrograms};
    QStringList expected;
    for (const auto& [typed, completed] : kZsh) {
        const QString program = typed.section(u' ', 0, 0), rest = typed.section(u' ', 1);
        const QString begin = program + " --socket " + m_run.socket() + u' ';
        arguments << begin + rest;
        expected << begin + rest.left(rest.lastIndexOf(u' ') + 1) + completed;
    }
    const ProcessResult result = runProcess(QStringLiteral("zsh"), arguments, {});
    QVERIFY2(result.succeeded(), qPrintable(result.toText()));
    const QStringList got = linesOf(QString::fromUtf8(result.output).remove(u'\r'));
    QCOMPARE(got, expected);
}

QTEST_GUILESS_MAIN(TestCompletion)
#include "tst_completion.moc"
