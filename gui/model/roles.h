// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <qnamespace.h>

namespace millpond::model {

/// Roles that all models here understand.
enum Role
{
    ExportRole = Qt::UserRole, ///< text for CSV and the clipboard: raw numbers, full names
    NameRole,                  ///< the full name of the row's thing: dataset, device, pool key
};

} // namespace millpond::model
