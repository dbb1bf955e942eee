// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>

#include <string_view>

namespace millpond::model {

/// One column of a table of datasets: which property, under which heading, shown how.
struct DatasetColumn
{
    enum class Kind
    {
        Name,    ///< of the dataset itself; property is empty
        Size,    ///< bytes, "1.50K"
        Ratio,   ///< "1.53x"
        Time,    ///< seconds since 1970
        Mounted, ///< yes or no; not from the table
        Text     ///< as it is
    };

    QString property, heading;
    Kind kind = Kind::Text;

    [[nodiscard]] bool isNumber() const { return kind == Kind::Size || kind == Kind::Ratio; }

    [[nodiscard]] bool sortsByText() const { return kind == Kind::Text; }
};

/// Name, used, available, referenced, ratio, mountpoint, mounted.
[[nodiscard]] QList<DatasetColumn> datasetColumns();
/// Name, used, referenced, created.
[[nodiscard]] QList<DatasetColumn> snapshotColumns();

/// The properties to ask the helper for, so that these columns can be shown.
[[nodiscard]] QStringList propertiesOf(const QList<DatasetColumn>& columns);

/// A raw value as it is shown; "-" when the property does not apply.
[[nodiscard]] QString shownText(const DatasetColumn& column, std::string_view raw);

/// What raw values of a number or time are sorted by; what does not apply comes first.
[[nodiscard]] double sortNumber(std::string_view raw);

} // namespace millpond::model
