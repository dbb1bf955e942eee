// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/shell/jobs_area.h"

#include "gui/art/icon.h"
#include "gui/model/text.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

namespace millpond::shell {

namespace {

constexpr int kSteps = 1000; // of the progress bar: tenths of a percent

QString leftText(quint64 seconds)
{
    if (seconds < 60) {
        return JobsArea::tr("%n second(s) left", nullptr, static_cast<int>(seconds));
    }
    if (seconds < 2 * 3600) {
        return JobsArea::tr("%n minute(s) left", nullptr, static_cast<int>((seconds + 30) / 60));
    }
    return JobsArea::tr("%n hour(s) left", nullptr, static_cast<int>((seconds + 1800) / 3600));
}

QString runningText(const state::Job& job)
{
    QStringList parts;
    if (job.total > 0) {
        parts.append(
            JobsArea::tr("%1 of %2").arg(model::sizeText(job.done), model::sizeText(job.total)));
    }
    if (job.ratePerSecond > 0) {
        parts.append(JobsArea::tr("%1/s").arg(model::sizeText(job.ratePerSecond)));
    }
    if (job.secondsLeft) {
        parts.append(leftText(*job.secondsLeft));
    }
    return parts.isEmpty() ? JobsArea::tr("running") : parts.join(QStringLiteral(", "));
}

QString jobIconName(state::Job::State state)
{
    switch (state) {
    case state::Job::State::Done:
        return QStringLiteral("health-ok");
    case state::Job::State::Failed:
        return QStringLiteral("health-error");
    case state::Job::State::Cancelled:
        return QStringLiteral("health-off");
    default:
        return QStringLiteral("waiting");
    }
}

} // namespace

QString jobDetailText(const state::Job& job)
{
    switch (job.state) {
    case state::Job::State::Queued:
        return JobsArea::tr("waiting its turn");
    case state::Job::State::Running:
        return runningText(job);
    case state::Job::State::Done:
        return JobsArea::tr("done");
    case state::Job::State::Cancelled:
        return JobsArea::tr("cancelled");
    case state::Job::State::Failed:
        break;
    }
    return job.errorText.isEmpty() ? JobsArea::tr("failed")
                                   : JobsArea::tr("failed: %1").arg(job.errorText);
}

JobRow::JobRow(QWidget* parent)
    : QWidget(parent)
    , m_icon(new QLabel(this))
    , m_title(new QLabel(this))
    , m_progress(new QProgressBar(this))
    , m_detail(new QLabel(this))
    , m_button(new QToolButton(this))
{
    m_title->setTextFormat(Qt::PlainText);
    m_detail->setTextFormat(Qt::PlainText);
    m_progress->setMinimumWidth(120);
    m_progress->setMaximumWidth(240);
    m_button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_button->setIcon(art::themeIcon(QStringLiteral("process-stop"), QStringLiteral("cancel")));
    m_button->setFocusPolicy(Qt::StrongFocus);
    connect(m_button, &QToolButton::clicked, this, [this] {
        if (m_over) {
            emit dismissed();
        } else {
            m_button->setEnabled(false);
            emit cancelRequested();
        }
    });
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_icon);
    layout->addWidget(m_title);
    layout->addWidget(m_progress);
    layout->addWidget(m_detail, 1);
    layout->addWidget(m_button);
}

void JobRow::setJob(const state::Job& job)
{
    m_over = job.isOver();
    const int side = style()->pixelMetric(QStyle::PM_SmallIconSize, nullptr, this);
    m_icon->setPixmap(
        art::icon(jobIconName(job.state)).pixmap(QSize(side, side), devicePixelRatioF()));
    m_title->setText(job.title);
    m_progress->setVisible(!m_over);
    m_progress->setRange(0, job.total > 0 ? kSteps : 0);
    if (job.total > 0) {
        m_progress->setValue(static_cast<int>(static_cast<double>(job.done) * kSteps /
                                              static_cast<double>(job.total)));
    }
    m_progress->setAccessibleName(tr("Progress of %1").arg(job.title));
    m_detail->setText(jobDetailText(job));
    m_button->setText(m_over ? tr("Close") : tr("Cancel"));
    m_button->setAccessibleName(m_over ? tr("Close the line of %1").arg(job.title)
                                       : tr("Cancel %1").arg(job.title));
    m_button->setEnabled(m_over || m_button->isEnabled());
}

QString JobRow::text() const
{
    return m_title->text() + QStringLiteral(": ") + m_detail->text();
}

JobsArea::JobsArea(client::Client& client, QWidget* parent)
    : QWidget(parent)
    , m_client(client)
    , m_layout(new QVBoxLayout(this))
{
    m_layout->setContentsMargins(0, 0, 0, 0);
    setAccessibleName(tr("Jobs"));
    hide();
    connect(&client, &client::Client::jobChanged, this, &JobsArea::setJob);
    connect(&client, &client::Client::jobRemoved, this, &JobsArea::removeRow);
    connect(&client, &client::Client::helperChanged, this, [this](const state::Helper& helper) {
        if (helper.state != state::Helper::State::Ready) {
            clear();
        }
    });
}

void JobsArea::setJob(const state::Job& job)
{
    if (!m_rows.contains(job.path)) {
        if (job.isOver()) {
            return; // over before this window opened, or its line was closed
        }
        addRow(job.path);
    }
    m_rows.value(job.path)->setJob(job);
}

void JobsArea::addRow(const QString& path)
{
    auto* row = new JobRow(this);
    m_rows.insert(path, row);
    m_layout->addWidget(row);
    connect(row, &JobRow::dismissed, this, [this, path] { removeRow(path); });
    connect(row, &JobRow::cancelRequested, this, [this, path] {
        m_client.cancelJob(path, client::bound(this, [](const client::Answer<void>&) {}));
    });
    show();
}

void JobsArea::removeRow(const QString& path)
{
    if (JobRow* row = m_rows.take(path)) {
        row->hide();
        row->deleteLater();
    }
    setVisible(!m_rows.isEmpty());
}

void JobsArea::clear()
{
    for (const QString& path : m_rows.keys()) {
        removeRow(path);
    }
}

} // namespace millpond::shell
