// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/state/pool.h"

#include <QString>
#include <QStringList>

namespace millpond::pools {

/// Where pools are looked for: this machine's devices, or a folder of image files.
struct Source
{
    QString folder; ///< absolute; empty: the machine

    [[nodiscard]] bool isMachine() const { return folder.isEmpty(); }

    [[nodiscard]] QStringList searchPaths() const
    {
        return isMachine() ? QStringList() : QStringList{folder};
    }

    bool operator==(const Source&) const = default;
};

/// Whether an imported pool belongs to what the source shows: of a folder those with a device in
/// it.
[[nodiscard]] bool showsPool(const Source& source, const state::Pool& pool);

} // namespace millpond::pools
