// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pools/pool_header.h"

#include "gui/art/icon.h"
#include "gui/model/pool_list_model.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace millpond::pools {

namespace {

constexpr int kIconSide = 32; // logical pixels

QToolButton* buttonFor(QAction* action, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setAccessibleName(action->iconText());
    return button;
}

QLabel* plainLabel(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

PoolHeader::PoolHeader(const QList<QAction*>& actions, QWidget* parent)
    : QWidget(parent)
    , m_icon(new QLabel(this))
    , m_name(plainLabel(this))
    , m_summary(plainLabel(this))
    , m_explanation(plainLabel(this))
{
    QFont large = m_name->font();
    large.setPointSizeF(large.pointSizeF() * 1.35);
    large.setBold(true);
    m_name->setFont(large);
    m_name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_summary->setWordWrap(true);
    m_explanation->setWordWrap(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(buildTop(actions));
    layout->addWidget(m_explanation);
}

QLayout* PoolHeader::buildTop(const QList<QAction*>& actions)
{
    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    words->addWidget(m_name);
    words->addWidget(m_summary);
    auto* top = new QHBoxLayout;
    top->addWidget(m_icon, 0, Qt::AlignVCenter);
    top->addLayout(words, 1);
    for (QAction* action : actions) {
        top->addWidget(buttonFor(action, this), 0, Qt::AlignVCenter);
    }
    return top;
}

void PoolHeader::setPool(const state::Pool& pool)
{
    m_icon->setPixmap(art::icon(model::poolIconName(pool))
                          .pixmap(QSize(kIconSide, kIconSide), devicePixelRatioF()));
    m_name->setText(pool.name);
    const QString space = model::capacityText(pool);
    const QString summary = model::poolSummary(pool);
    m_summary->setText(space.isEmpty() ? summary : summary + QStringLiteral(" · ") + space);
    m_explanation->setText(model::poolExplanation(pool).join(QLatin1Char('\n')));
    m_explanation->setVisible(!m_explanation->text().isEmpty());
    setAccessibleName(pool.name + QStringLiteral(": ") + m_summary->text());
}

QString PoolHeader::explanation() const
{
    return m_explanation->text();
}

} // namespace millpond::pools
