// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/translation.h"

#include <QCoreApplication>
#include <QLibraryInfo>
#include <QLocale>
#include <QTranslator>

#include <string_view>

namespace millpond::app {

namespace {

/// Qt looks texts up by the full name of the class, "millpond::pools::PoolsPage"; lupdate does not
/// know nested namespace definitions and files them under "PoolsPage".
class ShortContextTranslator : public QTranslator
{
public:
    using QTranslator::QTranslator;

    QString
    translate(const char* context, const char* source, const char* comment, int n) const override
    {
        const std::string_view name(context);
        const std::size_t colon = name.rfind(':');
        const std::size_t start = colon == std::string_view::npos ? 0 : colon + 1;
        return QTranslator::translate(context + start, source, comment, n);
    }
};

} // namespace

void loadTranslations(QCoreApplication& application, const QLocale& locale)
{
    auto* qt = new QTranslator(&application);
    if (qt->load(locale,
                 QStringLiteral("qtbase"),
                 QStringLiteral("_"),
                 QLibraryInfo::path(QLibraryInfo::TranslationsPath))) {
        QCoreApplication::installTranslator(qt);
    }
    auto* own = new ShortContextTranslator(&application);
    // English is loaded, too: it has the plurals.
    if (own->load(
            locale, QStringLiteral("millpond"), QStringLiteral("_"), QStringLiteral(":/i18n")) ||
        own->load(QStringLiteral(":/i18n/millpond_en.qm"))) {
        QCoreApplication::installTranslator(own);
    }
}

} // namespace millpond::app
