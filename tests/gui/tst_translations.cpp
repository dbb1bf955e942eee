// SPDX-License-Identifier: GPL-3.0-or-later
// Property: every text of the window is there in every language, with the same placeholders and one
// accelerator where the English has one, and is really used. Method: lupdate over a copy of
// translations/ must find nothing new; the files are parsed; the program's loader is tried.
#include "gui/app/translation.h"
#include "gui/fake_client.h"
#include "gui/model/advice.h"
#include "gui/pools/pools_page.h"
#include "support/process.h"

#include <QDir>
#include <QFile>
#include <QLibraryInfo>
#include <QLocale>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

class TranslationsTest : public QObject
{
    Q_OBJECT

private slots:
    void nothingIsMissing_data();
    void nothingIsMissing();
    void placeholdersAgree_data();
    void placeholdersAgree();
    void adviceIsThatOfTheHelper();
    void germanIsUsed();

private:
    static void languages();
};

namespace {

const QStringList kLanguages{QStringLiteral("de"),
                             QStringLiteral("es"),
                             QStringLiteral("fr"),
                             QStringLiteral("ja"),
                             QStringLiteral("pt_BR"),
                             QStringLiteral("zh_CN")};

struct Message
{
    QString context, source;
    QStringList translations;
    bool plural = false, unfinished = false;
};

QString fileOf(const QString& language)
{
    return QStringLiteral(MILLPOND_SOURCE_DIR "/translations/millpond_%1.ts").arg(language);
}

void readTranslation(QXmlStreamReader& xml, Message& message)
{
    message.unfinished = xml.attributes().hasAttribute(QStringLiteral("type"));
    if (!message.plural) {
        message.translations.append(xml.readElementText());
        return;
    }
    while (xml.readNextStartElement()) {
        message.translations.append(xml.readElementText());
    }
}

Message readMessage(QXmlStreamReader& xml, const QString& context)
{
    Message message;
    message.context = context;
    message.plural = xml.attributes().value(QStringLiteral("numerus")) == QLatin1String("yes");
    while (xml.readNextStartElement()) {
        if (xml.name() == QLatin1String("source")) {
            message.source = xml.readElementText();
        } else if (xml.name() == QLatin1String("translation")) {
            readTranslation(xml, message);
        } else {
            xml.skipCurrentElement();
        }
    }
    return message;
}

QList<Message> readMessages(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    QXmlStreamReader xml(&file);
    QList<Message> messages;
    QString context;
    while (!xml.atEnd()) {
        xml.readNext();
        if (xml.isStartElement() && xml.name() == QLatin1String("name")) {
            context = xml.readElementText();
        } else if (xml.isStartElement() && xml.name() == QLatin1String("message")) {
            messages.append(readMessage(xml, context));
        }
    }
    return xml.hasError() ? QList<Message>() : messages;
}

/// "%1 %n" of "%n of %1": which placeholders, in a fixed order.
QString placeholders(const QString& text, bool plural)
{
    static const QRegularExpression kPlaceholder(QStringLiteral("%[0-9n]"));
    QStringList found;
    for (const QRegularExpressionMatch& match : kPlaceholder.globalMatch(text)) {
        if (!plural || match.captured() != QLatin1String("%n")) {
            found.append(match.captured());
        }
    }
    found.sort();
    return found.join(QLatin1Char(' '));
}

bool hasAccelerator(const QString& text)
{
    static const QRegularExpression kAccelerator(QStringLiteral("&\\w"));
    return text.contains(kAccelerator);
}

} // namespace

void TranslationsTest::languages()
{
    QTest::addColumn<QString>("language");
    for (const QString& language : kLanguages) {
        QTest::newRow(qPrintable(language)) << language;
    }
}

void TranslationsTest::nothingIsMissing_data()
{
    languages();
}

void TranslationsTest::nothingIsMissing()
{
    QFETCH(QString, language);
    const QString lupdate =
        QLibraryInfo::path(QLibraryInfo::BinariesPath) + QStringLiteral("/lupdate");
    if (!QFile::exists(lupdate)) {
        QSKIP("needs lupdate (package qt6-l10n-tools)");
    }
    const QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("millpond_%1.ts").arg(language));
    QVERIFY(QFile::copy(fileOf(language), copy));
    const auto run = millpond::test::runProcess(lupdate,
                                                {QStringLiteral(MILLPOND_SOURCE_DIR "/gui"),
                                                 QStringLiteral("-silent"),
                                                 QStringLiteral("-ts"),
                                                 copy});
    QVERIFY2(run.succeeded(), qPrintable(run.toText()));
    const QList<Message> messages = readMessages(copy);
    QVERIFY(messages.size() > 200);
    for (const Message& message : messages) {
        QVERIFY2(!message.unfinished && !message.translations.isEmpty() &&
                     !message.translations.contains(QString()),
                 qPrintable(message.context + QStringLiteral(": ") + message.source));
    }
}

void TranslationsTest::placeholdersAgree_data()
{
    languages();
}

void TranslationsTest::placeholdersAgree()
{
    QFETCH(QString, language);
    for (const Message& message : readMessages(fileOf(language))) {
        for (const QString& translation : message.translations) {
            QVERIFY2(placeholders(translation, message.plural) ==
                         placeholders(message.source, message.plural),
                     qPrintable(translation));
            QVERIFY2(hasAccelerator(translation) == hasAccelerator(message.source),
                     qPrintable(translation));
        }
    }
}

void TranslationsTest::adviceIsThatOfTheHelper()
{
    QFile file(QStringLiteral(MILLPOND_SOURCE_DIR "/engine/api/detail/health.cpp"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QString source = QString::fromUtf8(file.readAll());
    static const QRegularExpression kBrokenLiteral(QStringLiteral("\"\\s*\n\\s*\""));
    source.replace(kBrokenLiteral, QString());
    const QStringList known = millpond::model::knownAdvice();
    for (const QString& sentence : known) {
        QVERIFY2(source.contains(QLatin1Char('"') + sentence + QLatin1Char('"')),
                 qPrintable(sentence));
    }
    static const QRegularExpression kSentence(QStringLiteral("\"([A-Z][^\"\n]*\\.)\""));
    int found = 0;
    for (const QRegularExpressionMatch& match : kSentence.globalMatch(source)) {
        QVERIFY2(known.contains(match.captured(1)), qPrintable(match.captured(1)));
        ++found;
    }
    QVERIFY(found > 10);
}

void TranslationsTest::germanIsUsed()
{
    millpond::app::loadTranslations(*QCoreApplication::instance(),
                                    QLocale(QStringLiteral("de_DE")));
    millpond::test::FakeClient client;
    millpond::pools::PoolsPage page(client, {QStringLiteral("/images")});
    QCOMPARE(page.actions().exportPool->text(), QStringLiteral("&Exportieren"));
    client.start();
    QTRY_VERIFY(page.isSettled());
    QVERIFY(page.pane().messageText().startsWith(QStringLiteral("Keine Pools in /images")));
    QCOMPARE(
        QCoreApplication::translate("millpond::pools::DatasetPanel", "%n dataset(s)", nullptr, 2),
        QStringLiteral("2 Datasets"));
}

QTEST_MAIN(TranslationsTest)

#include "tst_translations.moc"
