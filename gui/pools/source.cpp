// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pools/source.h"

#include <QDir>

#include <algorithm>

namespace millpond::pools {

bool showsPool(const Source& source, const state::Pool& pool)
{
    if (source.isMachine()) {
        return true;
    }
    const QString prefix = QDir::cleanPath(source.folder) + QLatin1Char('/');
    return std::ranges::any_of(pool.vdevs, [&prefix](const state::Vdev& vdev) {
        return vdev.openedAs.startsWith(prefix);
    });
}

} // namespace millpond::pools
