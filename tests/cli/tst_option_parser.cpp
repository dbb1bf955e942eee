// SPDX-License-Identifier: GPL-3.0-or-later
// Property: words become options and operands as getopt_long of the programs we are compatible with
// makes them, and no words, however odd, do anything else than parse or be refused. Method: rows of
// words with what they mean; random words from a small alphabet of trouble.
#include "cli/option_parser.h"
#include "support/seed.h"

#include <QTest>

#include <random>

using namespace millpond;
using namespace millpond::cli;

namespace {
constexpr OptionSpec kSpecs[] = {{'H'},
                                 {'p', "parsable"},
                                 {'o', {}, true},
                                 {'j', "json"},
                                 {'I', "json-int", false, true},
                                 {'W', "width", true, true}};

/// "H o=name | tank": options in order, then operands.
QString shown(const Result<ParsedOptions>& parsed)
{
    if (!parsed) {
        return QStringLiteral("refused: ") +
               QString::fromStdString(parsed.error().what()).trimmed();
    }
    QStringList words;
    for (const Option& option : parsed->options) {
        words << QString(QLatin1Char(option.letter)) +
                     (option.value.empty() ? QString()
                                           : u'=' + QString::fromStdString(option.value));
    }
    words << QStringLiteral("|");
    for (const std::string& operand : parsed->operands) {
        words << QString::fromStdString(operand);
    }
    return words.join(u' ');
}

std::vector<std::string> words(const QString& text)
{
    std::vector<std::string> list;
    for (const QString& word : text.split(u' ', Qt::SkipEmptyParts)) {
        list.push_back(word == QLatin1String("''") ? std::string() : word.toStdString());
    }
    return list;
}
} // namespace

class TestOptionParser : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void parses_data();
    void parses();
    void lists_data();
    void lists();
    void repetitions_data();
    void repetitions();
    void survivesAnything();
};

void TestOptionParser::parses_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char* line, const char* expected) {
        QTest::newRow(line) << QString::fromLatin1(line) << QString::fromLatin1(expected);
    };
    row("", "|");
    row("-H", "H |");
    row("-Hp tank", "H p | tank");
    row("-o name tank", "o=name | tank");
    row("-oname tank", "o=name | tank");
    row("-Hpo name,size -j", "H p o=name,size j |");
    row("-Hponame", "H p o=name |");
    row("tank -H", "H | tank");
    row("-o -H", "o=-H |");
    row("-- -H tank", "| -H tank");
    row("tank -- -H", "| tank -H");
    row("- tank", "| - tank");
    row("--json --json-int", "j I |");
    row("--width=7 --width 8", "W=7 W=8 |");
    row("'' ''", "|  ");
    row("-x", "refused: invalid option 'x'");
    row("-Hx", "refused: invalid option 'x'");
    row("-I", "refused: invalid option 'I'"); // long only
    row("-W", "refused: invalid option 'W'");
    row("-o", "refused: missing argument for 'o' option");
    row("-Ho", "refused: missing argument for 'o' option");
    row("--width", "refused: missing argument for 'width' option");
}

void TestOptionParser::parses()
{
    QFETCH(QString, line);
    QFETCH(QString, expected);
    QCOMPARE(shown(parseOptions(words(line), kSpecs)), expected);
    if (const auto parsed = parseOptions(words(QStringLiteral("-o a -o b")), kSpecs)) {
        QVERIFY(parsed->has('o') && !parsed->has('H'));
        QCOMPARE(parsed->valueOf('o'), std::string("b"));
        QCOMPARE(parsed->valuesOf('o').size(), std::size_t{2});
        QCOMPARE(parsed->valueOf('H'), std::string());
    }
}

void TestOptionParser::lists_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("expected");
    QTest::newRow("one") << "a" << QStringList{"a"};
    QTest::newRow("three") << "a,b,c" << QStringList{"a", "b", "c"};
    QTest::newRow("empty") << "" << QStringList{""};
    QTest::newRow("gaps") << ",a,,b," << QStringList{"", "a", "", "b", ""};
}

void TestOptionParser::lists()
{
    QFETCH(QString, text);
    QFETCH(QStringList, expected);
    QStringList got;
    for (const std::string& part : splitList(text.toStdString())) {
        got << QString::fromStdString(part);
    }
    QCOMPARE(got, expected);
}

void TestOptionParser::repetitions_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<double>("interval");
    QTest::addColumn<quint64>("count");
    QTest::addColumn<QString>("left");
    QTest::newRow("none") << "tank" << 0.0 << quint64{0} << "tank";
    QTest::newRow("interval") << "tank 5" << 5.0 << quint64{0} << "tank";
    QTest::newRow("fraction") << "0.5" << 0.5 << quint64{0} << "";
    QTest::newRow("both") << "tank dozer 5 3" << 5.0 << quint64{3} << "tank dozer";
    QTest::newRow("number in front") << "5 tank" << 0.0 << quint64{0} << "5 tank";
    QTest::newRow("not a number") << "nan" << 0.0 << quint64{0} << "nan";
    QTest::newRow("endless") << "inf" << 0.0 << quint64{0} << "inf";
    QTest::newRow("huge") << "1e300" << 0.0 << quint64{0} << "1e300";
    QTest::newRow("zero") << "tank 0" << 0.0 << quint64{0} << "tank 0";
}

void TestOptionParser::repetitions()
{
    QFETCH(QString, line);
    QFETCH(double, interval);
    QFETCH(quint64, count);
    QFETCH(QString, left);
    Arguments operands = words(line);
    const Repetition repetition = takeRepetition(operands);
    QStringList rest;
    for (const std::string& operand : operands) {
        rest << QString::fromStdString(operand);
    }
    QCOMPARE(rest.join(u' '), left);
    QCOMPARE(repetition.interval, interval);
    QCOMPARE(quint64{repetition.count}, count);
}

void TestOptionParser::survivesAnything()
{
    std::mt19937_64 random(test::testSeed());
    constexpr std::string_view kAlphabet("-=,oHjpIx\0\xff\n%{}@#/ 0e.", 24);
    for (int round = 0; round < 20'000; ++round) {
        Arguments line(random() % 5);
        std::size_t given = 0;
        for (std::string& word : line) {
            word.resize(random() % 7);
            for (char& c : word) {
                c = kAlphabet[random() % kAlphabet.size()];
            }
            given += word.size();
        }
        if (const auto parsed = parseOptions(line, kSpecs)) {
            std::size_t taken = 0;
            for (const std::string& operand : parsed->operands) {
                taken += operand.size();
            }
            QVERIFY(taken <= given);
            Arguments operands = parsed->operands;
            const Repetition repetition = takeRepetition(operands);
            QVERIFY(repetition.interval >= 0 && operands.size() <= parsed->operands.size());
        }
    }
    const Arguments endless{
        std::string(1 << 20, '-'), std::string(1 << 20, 'H'), "-" + std::string(1 << 20, 'H')};
    QVERIFY(!parseOptions(endless, kSpecs));
    QVERIFY(parseOptions(std::span(endless).subspan(1), kSpecs).has_value());
}

QTEST_GUILESS_MAIN(TestOptionParser)
#include "tst_option_parser.moc"
