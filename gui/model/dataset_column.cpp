// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/model/dataset_column.h"

#include "format/property.h"
#include "gui/model/text.h"
#include "gui/state/dataset_table.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <charconv>
#include <cmath>

namespace millpond::model {

namespace {

using Kind = DatasetColumn::Kind;

struct HeadingText
{
    Q_DECLARE_TR_FUNCTIONS(HeadingText)
};

QString timeText(std::string_view raw)
{
    const std::optional<quint64> seconds = numberOf(raw);
    if (!seconds) {
        return state::toQString(raw);
    }
    const QDateTime time = QDateTime::fromSecsSinceEpoch(static_cast<qint64>(*seconds));
    return QLocale().toString(time, QLocale::ShortFormat);
}

/// As `zfs list` prints it.
QString propertyText(const QString& name, std::string_view raw)
{
    const format::Property* property =
        format::findProperty(format::PropertyScope::Dataset, name.toStdString());
    return property == nullptr ? state::toQString(raw)
                               : QString::fromStdString(format::formatProperty(*property, raw));
}

} // namespace

QList<DatasetColumn> datasetColumns()
{
    return {{{}, HeadingText::tr("Name"), Kind::Name},
            {QStringLiteral("used"), HeadingText::tr("Used"), Kind::Size},
            {QStringLiteral("available"), HeadingText::tr("Available"), Kind::Size},
            {QStringLiteral("referenced"), HeadingText::tr("Referenced"), Kind::Size},
            {QStringLiteral("compressratio"), HeadingText::tr("Ratio"), Kind::Ratio},
            {QStringLiteral("mountpoint"), HeadingText::tr("Mountpoint"), Kind::Text},
            {{}, HeadingText::tr("Mounted"), Kind::Mounted}};
}

QList<DatasetColumn> snapshotColumns()
{
    return {{{}, HeadingText::tr("Snapshot"), Kind::Name},
            {QStringLiteral("used"), HeadingText::tr("Used"), Kind::Size},
            {QStringLiteral("referenced"), HeadingText::tr("Referenced"), Kind::Size},
            {QStringLiteral("creation"), HeadingText::tr("Created"), Kind::Time}};
}

QStringList propertiesOf(const QList<DatasetColumn>& columns)
{
    QStringList properties;
    for (const DatasetColumn& column : columns) {
        if (!column.property.isEmpty()) {
            properties.append(column.property);
        }
    }
    return properties;
}

QString shownText(const DatasetColumn& column, std::string_view raw)
{
    if (raw.empty() || raw == "-") {
        return QStringLiteral("-");
    }
    return column.kind == Kind::Time ? timeText(raw) : propertyText(column.property, raw);
}

double sortNumber(std::string_view raw)
{
    double value = -1;
    std::from_chars(raw.data(), raw.data() + raw.size(), value);
    return std::isfinite(value) ? value : -1; // "nan" is a text that cannot be ordered
}

} // namespace millpond::model
