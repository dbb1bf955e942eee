// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/shell/helper_status.h"

#include "gui/art/icon.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QStyle>

namespace millpond::shell {

namespace {

QString stateText(const state::Helper& helper)
{
    using State = state::Helper::State;
    switch (helper.state) {
    case State::Absent:
        return HelperStatus::tr("helper not started");
    case State::Starting:
        return HelperStatus::tr("helper is starting");
    case State::Ready:
        return HelperStatus::tr("helper %1 is running").arg(helper.version);
    case State::Lost:
        return HelperStatus::tr("helper has ended");
    case State::Failed:
        return HelperStatus::tr("no helper");
    case State::WrongVersion:
        break;
    }
    return HelperStatus::tr("helper has another version");
}

QString iconNameOf(state::Helper::State state)
{
    using State = state::Helper::State;
    switch (state) {
    case State::Ready:
        return QStringLiteral("health-ok");
    case State::Absent:
    case State::Starting:
        return QStringLiteral("waiting");
    default:
        return QStringLiteral("health-error");
    }
}

} // namespace

QString helperStatusText(const state::Helper& helper)
{
    const QString mode = helper.mode == state::HelperMode::System
                             ? HelperStatus::tr("System mode")
                             : HelperStatus::tr("Private mode");
    return QStringLiteral("%1: %2").arg(mode, stateText(helper));
}

HelperStatus::HelperStatus(QWidget* parent)
    : QWidget(parent)
    , m_icon(new QLabel(this))
    , m_text(new QLabel(this))
{
    m_text->setTextFormat(Qt::PlainText);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_icon);
    layout->addWidget(m_text);
}

void HelperStatus::setHelper(const state::Helper& helper)
{
    const int side = style()->pixelMetric(QStyle::PM_SmallIconSize, nullptr, this);
    m_icon->setPixmap(
        art::icon(iconNameOf(helper.state)).pixmap(QSize(side, side), devicePixelRatioF()));
    m_text->setText(helperStatusText(helper));
    setToolTip(
        helper.mode == state::HelperMode::System
            ? tr("The helper of this machine works on its devices; it may ask for a password.")
            : tr("A helper of your own, with your rights: image files, and devices you may read."));
    setAccessibleName(m_text->text());
}

QString HelperStatus::text() const
{
    return m_text->text();
}

} // namespace millpond::shell
