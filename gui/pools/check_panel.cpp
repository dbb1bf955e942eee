// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pools/check_panel.h"

#include "gui/art/icon.h"
#include "gui/model/text.h"
#include "gui/page/error_text.h"
#include "gui/pools/commands.h"

#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>

namespace millpond::pools {

CheckPanel::CheckPanel(client::Client& client, page::Pending& pending, QWidget* parent)
    : QWidget(parent)
    , m_client(client)
    , m_pending(pending)
    , m_summary(new QLabel(this))
    , m_view(new widgets::TableView(tr("Problems found by the check"), this))
    , m_pane(nullptr)
{
    m_summary->setWordWrap(true);
    m_summary->setTextFormat(Qt::PlainText);
    m_view->setModel(&m_model);
    m_view->setRootIsDecorated(false);
    auto* content = new QWidget(this);
    auto* inner = new QVBoxLayout(content);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->addWidget(m_summary);
    inner->addWidget(m_view, 1);
    m_pane = new widgets::StatePane(content, this);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 6, 0, 0);
    layout->addWidget(m_pane);
    connect(m_pane, &widgets::StatePane::actionRequested, this, &CheckPanel::checkRequested);
    connect(&m_client, &client::Client::jobChanged, this, &CheckPanel::takeJob);
    refresh();
}

void CheckPanel::setPool(const state::Pool* pool)
{
    m_pool = pool == nullptr ? state::Pool() : *pool;
    refresh();
}

void CheckPanel::start(const state::Pool& pool, const Source& source)
{
    emit commandIssued(commands::check(pool.name, source));
    m_checks.insert(pool.guid, {});
    const auto ticket = m_pending.begin(tr("Starting the check of %1").arg(pool.name));
    m_client.startCheck(poolKey(pool),
                        source.searchPaths(),
                        client::bound(this, [this, guid = pool.guid, ticket](const auto& answer) {
                            Check& check = m_checks[guid];
                            if (answer) {
                                check.job = *answer;
                                fetch(check.job);
                            } else {
                                check.failure = page::reasonText(answer.error());
                            }
                            refresh();
                        }));
    refresh();
}

CheckPanel::Check* CheckPanel::checkOfJob(const QString& job)
{
    for (Check& check : m_checks) {
        if (check.job == job) {
            return &check;
        }
    }
    return nullptr;
}

void CheckPanel::takeJob(const state::Job& job)
{
    Check* check = checkOfJob(job.path);
    if (check == nullptr) {
        return;
    }
    check->progress = job;
    if (job.state == state::Job::State::Failed) {
        check->failure = job.errorText.isEmpty() ? tr("The check failed.") : job.errorText;
    } else if (job.state == state::Job::State::Cancelled) {
        check->failure = tr("The check was cancelled.");
    } else {
        fetch(job.path);
    }
    refresh();
}

void CheckPanel::fetch(const QString& job)
{
    Check* check = checkOfJob(job);
    if (check == nullptr || check->fetching || check->report.finished) {
        return;
    }
    check->fetching = true;
    m_client.checkOutput(
        job,
        static_cast<quint64>(check->report.problems.size()),
        client::bound(this, [this, job](const auto& answer) { takeReport(job, answer); }));
}

void CheckPanel::takeReport(const QString& job, const client::Answer<state::CheckReport>& answer)
{
    Check* check = checkOfJob(job);
    if (check == nullptr) {
        return;
    }
    check->fetching = false;
    if (!answer) {
        check->failure = page::reasonText(answer.error());
    } else {
        const QList<state::CheckProblem> before = check->report.problems;
        check->report = *answer;
        check->report.problems = before + answer->problems;
        check->report.problemCount =
            qMax(answer->problemCount, static_cast<quint64>(check->report.problems.size()));
        if (!answer->finished && check->progress.isOver()) {
            fetch(job); // it ended while this answer was under way
        }
    }
    refresh();
}

void CheckPanel::refresh()
{
    const auto check = m_checks.constFind(m_pool.guid);
    if (m_pool.guid == 0 || check == m_checks.constEnd()) {
        showInvitation();
    } else if (!check->failure.isEmpty()) {
        m_pane->showMessage({art::icon(QStringLiteral("health-error")),
                             tr("%1 was not checked").arg(m_pool.name),
                             check->failure,
                             m_pool.imported ? QString() : tr("Check again")});
    } else if (!check->report.finished && check->report.problems.isEmpty()) {
        m_pane->showWaiting(art::icon(QStringLiteral("check")),
                            tr("Checking %1").arg(m_pool.name),
                            tr("Every block is read and compared. No problem found so far."));
    } else {
        showReport(*check);
    }
}

void CheckPanel::showInvitation()
{
    const QIcon icon = art::icon(QStringLiteral("check"));
    if (m_pool.guid == 0) {
        m_pane->showMessage({icon, tr("No pool is selected"), {}, {}});
    } else if (m_pool.imported) {
        m_pane->showMessage({icon,
                             tr("%1 is imported").arg(m_pool.name),
                             tr("A check reads a pool that is not in use. Export it first."),
                             {}});
    } else {
        m_pane->showMessage(
            {icon,
             tr("%1 has not been checked").arg(m_pool.name),
             tr("A check reads every copy of every block, recomputes parity, and compares what the "
                "pool "
                "says about itself. It writes nothing and can take as long as reading the disks."),
             tr("Check now")});
    }
}

void CheckPanel::showReport(const Check& check)
{
    if (check.report.finished && check.report.problems.isEmpty()) {
        m_pane->showMessage({art::icon(QStringLiteral("health-ok")),
                             tr("No problem found in %1").arg(m_pool.name),
                             reportText(check),
                             tr("Check again")});
        return;
    }
    if (m_shownJob != check.job) {
        m_model.clear();
        m_shownJob = check.job;
    }
    const bool first = m_model.rowCount() == 0;
    m_model.append(check.report.problems.mid(m_model.rowCount()));
    m_summary->setText(reportText(check));
    m_pane->showContent();
    if (first) {
        m_view->fitColumns(0.3);
    }
}

QString CheckPanel::reportText(const Check& check) const
{
    const QLocale locale;
    const state::CheckReport& report = check.report;
    const QString found = tr("%n problem(s)", nullptr, static_cast<int>(report.problemCount));
    if (!report.finished) {
        return tr("%1 so far; the check goes on.").arg(found);
    }
    QString text =
        tr("%1. %2 datasets, %3 blocks, %4 read in %5 s.")
            .arg(found,
                 locale.toString(report.datasets),
                 locale.toString(report.blocks),
                 model::sizeText(report.bytesRead),
                 locale.toString(static_cast<double>(report.milliseconds) / 1000, 'f', 1));
    if (report.awaitingResilver > 0) {
        text += QLatin1Char(' ') + tr("%1 are awaiting a resilver, which is not damage.")
                                       .arg(model::sizeText(report.awaitingResilver));
    }
    return text;
}

QString CheckPanel::summary() const
{
    return m_pane->isShowingContent() ? m_summary->text() : m_pane->messageText();
}

} // namespace millpond::pools
