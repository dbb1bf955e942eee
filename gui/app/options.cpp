// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/options.h"

#include <QCommandLineParser>
#include <QCoreApplication>
#include <QDir>

namespace millpond::app {

namespace {

struct OptionText
{
    Q_DECLARE_TR_FUNCTIONS(OptionText)
};

QString absolute(const QString& path)
{
    return path.isEmpty() ? QString() : QDir::cleanPath(QDir::current().absoluteFilePath(path));
}

QList<QCommandLineOption> knownOptions()
{
    const QString dir = QStringLiteral("DIR"), file = QStringLiteral("FILE"),
                  name = QStringLiteral("NAME");
    return {
        {QStringLiteral("folder"),
         OptionText::tr("Show the pools whose image files lie in DIR."),
         dir},
        {QStringLiteral("import"),
         OptionText::tr("Open every pool of that folder first, read-only.")},
        {QStringLiteral("system"),
         OptionText::tr("Work with the helper of this machine, not a private one.")},
        {QStringLiteral("page"), OptionText::tr("Begin with the page NAME."), name},
        {QStringLiteral("text"), OptionText::tr("Print what the window would show, and exit.")},
        {QStringLiteral("picture"),
         OptionText::tr(
             "Write a picture of the window to FILE once everything is shown, and exit."),
         file},
    };
}

} // namespace

std::expected<Options, Leave> parseOptions(const QStringList& arguments)
{
    QCommandLineParser parser;
    parser.setApplicationDescription(OptionText::tr("Looks into storage pools and opens them."));
    parser.addOptions(knownOptions());
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    if (!parser.parse(arguments)) {
        return std::unexpected(Leave{parser.errorText(), 2});
    }
    if (parser.isSet(help)) {
        return std::unexpected(Leave{parser.helpText(), 0});
    }
    if (parser.isSet(version)) {
        return std::unexpected(
            Leave{QStringLiteral("millpond ") + QCoreApplication::applicationVersion(), 0});
    }
    if (!parser.positionalArguments().isEmpty()) {
        return std::unexpected(Leave{
            OptionText::tr("Unexpected argument: %1").arg(parser.positionalArguments().front()),
            2});
    }
    Options options;
    options.folder = absolute(parser.value(QStringLiteral("folder")));
    options.picture = absolute(parser.value(QStringLiteral("picture")));
    options.page = parser.value(QStringLiteral("page"));
    options.system = parser.isSet(QStringLiteral("system"));
    options.text = parser.isSet(QStringLiteral("text"));
    options.importAll = parser.isSet(QStringLiteral("import"));
    if (options.importAll && options.folder.isEmpty()) {
        return std::unexpected(Leave{OptionText::tr("--import needs --folder"), 2});
    }
    return options;
}

} // namespace millpond::app
