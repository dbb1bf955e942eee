// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/model/text.h"

#include "format/property.h"

#include <QCoreApplication>
#include <QTextDocument>

#include <charconv>

namespace millpond::model {

namespace {

struct HealthText
{
    Q_DECLARE_TR_FUNCTIONS(HealthText)
};

} // namespace

QString sizeText(quint64 bytes)
{
    return QString::fromStdString(format::formatBytes(bytes));
}

QString sizeText(std::optional<quint64> bytes)
{
    return bytes ? sizeText(*bytes) : QStringLiteral("-");
}

std::optional<quint64> numberOf(std::string_view raw)
{
    quint64 value = 0;
    const auto [end, error] = std::from_chars(raw.data(), raw.data() + raw.size(), value);
    if (error != std::errc() || end != raw.data() + raw.size()) {
        return std::nullopt;
    }
    return value;
}

QString healthText(state::Health health, const QString& word)
{
    switch (health) {
    case state::Health::Online:
        return HealthText::tr("Online");
    case state::Health::Degraded:
        return HealthText::tr("Degraded");
    case state::Health::Faulted:
        return HealthText::tr("Faulted");
    case state::Health::Unavailable:
        return HealthText::tr("Unavailable");
    case state::Health::Offline:
        return HealthText::tr("Offline");
    case state::Health::Removed:
        return HealthText::tr("Removed");
    case state::Health::Suspended:
        return HealthText::tr("Suspended");
    case state::Health::SpareAvailable:
        return HealthText::tr("Spare, ready");
    case state::Health::SpareInUse:
        return HealthText::tr("Spare, in use");
    case state::Health::Unknown:
        break;
    }
    return word.isEmpty() ? HealthText::tr("Unknown") : word;
}

QString healthIconName(state::Health health)
{
    switch (health) {
    case state::Health::Online:
        return QStringLiteral("health-ok");
    case state::Health::Degraded:
        return QStringLiteral("health-warning");
    case state::Health::Faulted:
    case state::Health::Unavailable:
    case state::Health::Removed:
    case state::Health::Suspended:
        return QStringLiteral("health-error");
    case state::Health::Offline:
        return QStringLiteral("health-off");
    case state::Health::SpareAvailable:
    case state::Health::SpareInUse:
        return QStringLiteral("health-spare");
    case state::Health::Unknown:
        break;
    }
    return QStringLiteral("health-unknown");
}

QString plainToolTip(const QString& text)
{
    return Qt::mightBeRichText(text) ? text.toHtmlEscaped().prepend(QStringLiteral("<p>")) : text;
}

} // namespace millpond::model
