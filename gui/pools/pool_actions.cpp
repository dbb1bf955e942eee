// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pools/pool_actions.h"

#include "gui/art/icon.h"

#include <QAction>
#include <QCoreApplication>

namespace millpond::pools {

namespace {

struct ActionText
{
    Q_DECLARE_TR_FUNCTIONS(ActionText)
};

struct Look
{
    QString text, hint;
    QIcon icon;
    QKeySequence shortcut;
};

QAction* add(QWidget* owner, const Look& look)
{
    auto* action = new QAction(look.icon, look.text, owner);
    const QString keys = look.shortcut.toString(QKeySequence::NativeText);
    action->setToolTip(keys.isEmpty() ? look.hint : QStringLiteral("%1 (%2)").arg(look.hint, keys));
    action->setStatusTip(look.hint);
    action->setShortcut(look.shortcut);
    action->setShortcutContext(Qt::WindowShortcut);
    owner->addAction(action);
    return action;
}

QIcon own(const char* name)
{
    return art::icon(QString::fromLatin1(name));
}

QIcon themed(const char* themeName, const char* name)
{
    return art::themeIcon(QString::fromLatin1(themeName), QString::fromLatin1(name));
}

QKeySequence keys(QKeyCombination combination)
{
    return QKeySequence(combination);
}

} // namespace

PoolActions::PoolActions(QWidget* owner)
    : chooseFolder(add(owner,
                       {ActionText::tr("&Open Folder…"),
                        ActionText::tr("Show the pools whose image files lie in a folder"),
                        themed("document-open-folder", "folder-open"),
                        QKeySequence::Open}))
    , showMachine(add(owner,
                      {ActionText::tr("This &Machine"),
                       ActionText::tr("Show the pools on the devices of this machine"),
                       themed("computer", "computer"),
                       keys(Qt::CTRL | Qt::Key_M)}))
    , refresh(add(owner,
                  {ActionText::tr("&Refresh"),
                   ActionText::tr("Look for pools again"),
                   themed("view-refresh", "refresh"),
                   QKeySequence::Refresh}))
    , importPool(add(owner,
                     {ActionText::tr("&Import Read-Only"),
                      ActionText::tr("Open this pool for reading; nothing on its disks is changed"),
                      own("import"),
                      keys(Qt::CTRL | Qt::Key_I)}))
    , exportPool(add(owner,
                     {ActionText::tr("&Export"),
                      ActionText::tr("Unmount this pool and close it"),
                      own("export"),
                      keys(Qt::CTRL | Qt::Key_E)}))
    , checkPool(add(owner,
                    {ActionText::tr("&Check"),
                     ActionText::tr("Read and verify everything in this pool"),
                     own("check"),
                     keys(Qt::CTRL | Qt::Key_K)}))
    , mount(add(owner,
                {ActionText::tr("&Mount"),
                 ActionText::tr("Make the files of this dataset visible in a folder"),
                 own("mount"),
                 keys(Qt::CTRL | Qt::SHIFT | Qt::Key_M)}))
    , unmount(add(owner,
                  {ActionText::tr("&Unmount"),
                   ActionText::tr("Take the files of this dataset out of the folder again"),
                   own("unmount"),
                   keys(Qt::CTRL | Qt::SHIFT | Qt::Key_U)}))
    , openFolder(add(owner,
                     {ActionText::tr("Open Fol&der"),
                      ActionText::tr("Show the files of this dataset in the file manager"),
                      themed("document-open-folder", "folder-open"),
                      keys(Qt::CTRL | Qt::SHIFT | Qt::Key_O)}))
    , copy(add(owner,
               {ActionText::tr("&Copy Rows"),
                ActionText::tr("Copy the selected rows of the table"),
                themed("edit-copy", "copy"),
                QKeySequence::Copy}))
    , saveTable(add(owner,
                    {ActionText::tr("&Save Table…"),
                     ActionText::tr("Save the table as a CSV file"),
                     themed("document-save", "save"),
                     QKeySequence::Save}))
    , find(add(owner,
               {ActionText::tr("&Filter Datasets"),
                ActionText::tr("Show only datasets whose name holds a text"),
                themed("edit-find", "search"),
                QKeySequence::Find}))
    , asList(add(owner,
                 {ActionText::tr("Datasets as &List"),
                  ActionText::tr("Show datasets with full names, sorted over the whole pool"),
                  own("group"),
                  keys(Qt::CTRL | Qt::Key_L)}))
{
    asList->setCheckable(true);
}

QList<page::Page::Menu> PoolActions::menus() const
{
    return {{ActionText::tr("&Pool"),
             {chooseFolder, showMachine, refresh, nullptr, importPool, exportPool, checkPool}},
            {ActionText::tr("&Dataset"), {mount, unmount, openFolder}},
            {ActionText::tr("&View"), {find, asList, nullptr, copy, saveTable}}};
}

page::Page::Actions PoolActions::toolBar() const
{
    return {chooseFolder, showMachine, refresh, nullptr, copy, saveTable};
}

} // namespace millpond::pools
