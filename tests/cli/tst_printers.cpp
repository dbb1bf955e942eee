// SPDX-License-Identifier: GPL-3.0-or-later
// Property: tables line up for people and have tabs for scripts; JSON is JSON whatever the texts
// are. Method: standard output caught in a file; Qt's JSON parser as judge.
#include "cli/json.h"
#include "cli/table_printer.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryFile>
#include <QTest>

#include <unistd.h>

using namespace millpond::cli;

namespace {
template <class F> QByteArray printed(F print)
{
    QTemporaryFile file;
    if (!file.open()) {
        return "no file";
    }
    std::fflush(stdout);
    const int kept = ::dup(STDOUT_FILENO);
    ::dup2(file.handle(), STDOUT_FILENO);
    Console console("test");
    print(console);
    console.flush();
    ::dup2(kept, STDOUT_FILENO);
    ::close(kept);
    file.seek(0);
    return file.readAll();
}

QByteArray textOf(const Json& json)
{
    return QByteArray::fromStdString(json.toText());
}
} // namespace

class TestPrinters : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tablesLineUp();
    void tablesForScripts();
    void manyRows();
    void jsonKeepsOrder();
    void jsonOfAnyText();
    void jsonNumbers();
    void jsonWithManyMembers();
};

void TestPrinters::tablesLineUp()
{
    const QByteArray text = printed([](Console& console) {
        TablePrinter table({{"NAME"}, {"USED", true, 5}, {"MOUNTPOINT"}}, false);
        table.add({"tank/home", "1K", "/x"});
        table.add({"t", "1.50M", "/a long one"});
        table.print(console);
    });
    QCOMPARE(text,
             QByteArray("NAME        USED  MOUNTPOINT\n"
                        "tank/home     1K  /x\n"
                        "t          1.50M  /a long one\n"));
}

void TestPrinters::tablesForScripts()
{
    const QByteArray text = printed([](Console& console) {
        TablePrinter table({{"NAME"}, {"USED", true, 5}}, true);
        table.add({"tank", "1K"});
        table.add({"", "-"});
        table.print(console);
    });
    QCOMPARE(text, QByteArray("tank\t1K\n\t-\n"));
}

void TestPrinters::manyRows()
{
    constexpr int kRows = 200'000;
    const QByteArray text = printed([](Console& console) {
        TablePrinter table({{"NAME"}, {"N", true}}, true);
        for (int i = 0; i < kRows; ++i) {
            table.add({"tank/" + std::to_string(i), "1"});
        }
        table.print(console);
    });
    QCOMPARE(text.count('\n'), qsizetype{kRows});
}

void TestPrinters::jsonKeepsOrder()
{
    Json json = Json::object();
    json.set("z", "1");
    json.member("m").set("b", "2").set("a", "3");
    json.member("m").set("c", "4");
    QCOMPARE(textOf(json).simplified().replace(" ", ""),
             QByteArray(R"({"z":"1","m":{"b":"2","a":"3","c":"4"}})"));
    QCOMPARE(QJsonDocument::fromJson(textOf(jsonDocument("zfs list")))["output_version"]["command"]
                 .toString(),
             QStringLiteral("zfs list"));
}

void TestPrinters::jsonOfAnyText()
{
    for (int c = 0; c < 0x250; ++c) {
        const QString key = QStringLiteral("k\"\\") + QChar(c);
        const QString value = QChar(c) + QStringLiteral("\" \\ \\u0000 </script>\n") + QChar(c);
        Json json = Json::object();
        json.set(key.toStdString(), value.toStdString());
        QJsonParseError error;
        const QJsonDocument parsed = QJsonDocument::fromJson(textOf(json), &error);
        QVERIFY2(error.error == QJsonParseError::NoError,
                 qPrintable(error.errorString() + ' ' + QString::number(c)));
        QCOMPARE(parsed.object().keys(), QStringList{key});
        QCOMPARE(parsed[key].toString(), value);
    }
    // A name that is not UTF-8 must not spoil the rest.
    Json json = Json::object();
    json.set("name", std::string_view("bad\xff\xc3(\xe2\x82\xf0\x9f", 10)).set("after", "fine");
    QJsonParseError error;
    const QJsonDocument parsed = QJsonDocument::fromJson(textOf(json), &error);
    QVERIFY2(error.error == QJsonParseError::NoError, qPrintable(error.errorString()));
    QCOMPARE(parsed["after"].toString(), QStringLiteral("fine"));
}

void TestPrinters::jsonNumbers()
{
    Json json = Json::object();
    json.set("int", jsonNumber(18446744073709551615U, true)).set("text", jsonNumber(7, false));
    QVERIFY(textOf(json).contains("18446744073709551615") &&
            !textOf(json).contains("\"18446744073709551615\""));
    QCOMPARE(QJsonDocument::fromJson(textOf(json))["text"].toString(), QStringLiteral("7"));
}

void TestPrinters::jsonWithManyMembers()
{
    constexpr int kMembers = 100'000;
    Json json = Json::object();
    for (int i = 0; i < kMembers; ++i) {
        json.set("tank/" + std::to_string(i), "x");
    }
    QCOMPARE(QJsonDocument::fromJson(textOf(json)).object().size(), qsizetype{kMembers});
}

QTEST_GUILESS_MAIN(TestPrinters)
#include "tst_printers.moc"
