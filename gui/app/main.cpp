// SPDX-License-Identifier: GPL-3.0-or-later
// millpond: the window. Holds no pool code; everything is asked of the helper.
#include "gui/app/options.h"
#include "gui/app/session.h"
#include "gui/app/translation.h"
#include "gui/client/dbus_client.h"

#include <QApplication>
#include <QLocale>
#include <QTextStream>

#include <algorithm>
#include <string_view>

namespace {

/// Text and pictures need no display.
void chooseOffscreen(int argc, char** argv)
{
    const bool batch = std::any_of(argv, argv + argc, [](std::string_view argument) {
        return argument.starts_with("--text") || argument.starts_with("--picture") ||
               argument == "--help" || argument == "--version";
    });
    if (batch && qEnvironmentVariableIsEmpty("DISPLAY") &&
        qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") &&
        qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
}

int leave(const millpond::app::Leave& leave)
{
    QTextStream stream(leave.status == 0 ? stdout : stderr);
    stream << leave.text.trimmed() << Qt::endl;
    return leave.status;
}

millpond::client::ConnectionSettings connectionSettings(const millpond::app::Options& options)
{
    millpond::client::ConnectionSettings settings;
    settings.mode =
        options.system ? millpond::state::HelperMode::System : millpond::state::HelperMode::Private;
    return settings;
}

} // namespace

int main(int argc, char** argv)
{
    chooseOffscreen(argc, argv);
    QApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("millpond"));
    QCoreApplication::setOrganizationName(QStringLiteral("millpond"));
    QCoreApplication::setApplicationVersion(QStringLiteral(MILLPOND_VERSION));
    QGuiApplication::setDesktopFileName(QStringLiteral("millpond"));
    millpond::app::loadTranslations(application, QLocale());

    const auto options = millpond::app::parseOptions(QCoreApplication::arguments());
    if (!options) {
        return leave(options.error());
    }
    millpond::client::DBusClient client(connectionSettings(*options));
    millpond::app::Session session(client, *options);
    QObject::connect(
        &session, &millpond::app::Session::finished, [](int status, const QString& output) {
            QTextStream(status == 0 ? stdout : stderr) << output << Qt::flush;
            QCoreApplication::exit(status);
        });
    if (!session.open()) {
        return leave(
            {QCoreApplication::translate("main", "There is no page %1. Pages: %2")
                 .arg(options->page, session.window().pageIds().join(QStringLiteral(", "))),
             2});
    }
    return QApplication::exec();
}
