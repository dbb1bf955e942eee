// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/session.h"

#include "gui/app/import_all.h"
#include "gui/app/text_report.h"
#include "gui/page/error_text.h"

#include <QPixmap>

namespace millpond::app {

namespace {

constexpr int kQuietMs = 400;        // longer than the page gathers signals for
constexpr int kBatchMs = 5 * 60'000; // a batch that is not done by then says what it waits for

} // namespace

Session::Session(client::Client& client, Options options, QObject* parent)
    : QObject(parent)
    , m_client(client)
    , m_options(std::move(options))
    , m_source{m_options.folder}
    , m_window(client)
    , m_pools(new pools::PoolsPage(client, m_source))
{
    m_window.addPage(m_pools);
    m_quiet.setSingleShot(true);
    m_quiet.setInterval(kQuietMs);
    m_deadline.setSingleShot(true);
    connect(&client, &client::Client::helperChanged, this, &Session::helperChanged);
}

bool Session::open()
{
    if (!m_options.page.isEmpty() && !m_window.showPage(m_options.page)) {
        return false;
    }
    if (m_options.isBatch()) {
        connect(&m_quiet, &QTimer::timeout, this, &Session::afterSettled);
        connect(&m_deadline, &QTimer::timeout, this, [this] {
            giveUp(tr("Not everything was shown in time."));
        });
        m_deadline.start(kBatchMs);
    } else {
        m_window.restorePlace();
    }
    if (!m_options.text || !m_options.picture.isEmpty()) {
        m_window.show();
    }
    m_client.start();
    return true;
}

void Session::helperChanged(const state::Helper& helper)
{
    using State = state::Helper::State;
    if (helper.state == State::Ready && !m_begun) {
        m_begun = true;
        importFirst();
    } else if (m_options.isBatch() && helper.state != State::Starting &&
               helper.state != State::Ready) {
        giveUp(page::helperTitle(helper) + QStringLiteral(": ") + helper.text);
    }
}

void Session::importFirst()
{
    if (!m_options.importAll) {
        watchPage();
        return;
    }
    auto* importAll = new ImportAll(m_client, m_source, this);
    connect(importAll, &ImportAll::finished, this, [this, importAll] {
        importAll->deleteLater();
        m_pools->setSource(m_source);
        watchPage();
    });
    importAll->start();
}

void Session::watchPage()
{
    if (!m_options.isBatch()) {
        return;
    }
    const auto restart = [this] {
        if (m_window.currentPage()->isSettled()) {
            m_quiet.start();
        } else {
            m_quiet.stop();
        }
    };
    connect(m_window.currentPage(), &page::Page::activityChanged, this, restart);
    restart();
}

void Session::afterSettled()
{
    if (m_ended) {
        return;
    }
    m_ended = true;
    if (m_options.text) {
        writeText();
    } else {
        writePicture({}, true);
    }
}

void Session::writeText()
{
    auto* report = new TextReport(m_client, m_source, this);
    connect(report, &TextReport::finished, this, &Session::writePicture);
    report->start();
}

void Session::writePicture(const QString& text, bool complete)
{
    if (!m_options.picture.isEmpty() && !m_window.grab().save(m_options.picture)) {
        emit finished(
            1, text + tr("%1 could not be written.").arg(m_options.picture) + QLatin1Char('\n'));
        return;
    }
    emit finished(complete ? 0 : 1, text);
}

void Session::giveUp(const QString& why)
{
    if (!m_ended) {
        m_ended = true;
        emit finished(1, why + QLatin1Char('\n'));
    }
}

} // namespace millpond::app
