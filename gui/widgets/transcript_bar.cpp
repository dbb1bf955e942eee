// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/widgets/transcript_bar.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

namespace millpond::widgets {

TranscriptBar::TranscriptBar(const QIcon& copyIcon, QWidget* parent)
    : QWidget(parent)
    , m_line(new QLineEdit(this))
    , m_copy(new QToolButton(this))
    , m_menu(new QMenu(this))
{
    auto* caption = new QLabel(tr("Command:"), this);
    caption->setBuddy(m_line);
    m_line->setReadOnly(true);
    m_line->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_line->setPlaceholderText(tr("What you do here is shown as a command"));
    m_line->setAccessibleName(tr("Equivalent command"));
    m_copy->setText(tr("Copy command"));
    m_copy->setIcon(copyIcon);
    m_copy->setToolTip(tr("Copy this command; the arrow lists earlier ones"));
    m_copy->setAccessibleName(m_copy->text());
    m_copy->setPopupMode(QToolButton::MenuButtonPopup);
    m_copy->setFocusPolicy(Qt::TabFocus);
    m_copy->setMenu(m_menu);
    m_copy->setEnabled(false);
    connect(m_copy, &QToolButton::clicked, this, &TranscriptBar::copyShown);
    connect(m_menu, &QMenu::aboutToShow, this, &TranscriptBar::fillMenu);

    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(caption);
    layout->addWidget(m_line, 1);
    layout->addWidget(m_copy);
}

void TranscriptBar::add(const QString& command)
{
    m_commands.removeAll(command);
    m_commands.prepend(command);
    m_commands.resize(qMin(m_commands.size(), kKept));
    m_line->setText(command);
    m_line->setCursorPosition(0);
    m_copy->setEnabled(true);
}

void TranscriptBar::copyShown()
{
    QGuiApplication::clipboard()->setText(m_line->text());
}

void TranscriptBar::fillMenu()
{
    m_menu->clear();
    for (const QString& command : std::as_const(m_commands)) {
        QString label = command;
        m_menu->addAction(
            label.replace(QLatin1Char('&'), QStringLiteral("&&")), this, [this, command] {
                m_line->setText(command);
                copyShown();
            });
    }
}

} // namespace millpond::widgets
