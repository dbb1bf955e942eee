// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/page/page.h"

class QAction;
class QWidget;

namespace millpond::pools {

/// The actions of the pools page: texts, icons, shortcuts. Who does them is connected by the page.
struct PoolActions
{
    explicit PoolActions(QWidget* owner);

    QAction *chooseFolder, *showMachine, *refresh;
    QAction *importPool, *exportPool, *checkPool;
    QAction *mount, *unmount, *openFolder;
    QAction *copy, *saveTable, *find, *asList;

    [[nodiscard]] QList<page::Page::Menu> menus() const;
    [[nodiscard]] page::Page::Actions toolBar() const;
};

} // namespace millpond::pools
