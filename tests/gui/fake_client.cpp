// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/fake_client.h"

#include <QTimer>

namespace millpond::test {

using client::Answer;
using client::Done;
using client::MountResult;

FakeClient::FakeClient(QObject* parent)
    : Client(parent)
{
}

void FakeClient::start()
{
    m_helper.mode = mode;
    setHelper(state::Helper::State::Starting, {});
    QTimer::singleShot(delayMs, this, [this] {
        m_helper.version = QStringLiteral("0.1.0");
        setHelper(startsAs, startText);
    });
}

void FakeClient::setHelper(state::Helper::State state, const QString& text)
{
    m_helper.state = state;
    m_helper.text = text;
    emit helperChanged(m_helper);
}

void FakeClient::die()
{
    ++m_life;
    setHelper(state::Helper::State::Lost, QStringLiteral("The helper has ended."));
    const state::CallError gone{state::CallError::Kind::NoHelper, {}, {}};
    for (const Waiting& waiting : std::exchange(m_waiting, {})) {
        waiting.answer(&gone);
    }
}

void FakeClient::release(Call call)
{
    m_held.remove(call);
    for (qsizetype i = m_waiting.size() - 1; i >= 0; --i) {
        if (m_waiting[i].call == call) {
            schedule(m_waiting.takeAt(i));
        }
    }
}

void FakeClient::schedule(Waiting waiting)
{
    const int life = m_life;
    QTimer::singleShot(delayMs, this, [this, life, waiting] {
        const state::CallError gone{state::CallError::Kind::NoHelper, {}, {}};
        waiting.answer(life == m_life ? nullptr : &gone);
    });
}

template <class T, class Make>
void FakeClient::later(Call call, const QString& what, Done<T> done, Make make)
{
    m_log.append(what);
    ++m_counts[call];
    std::optional<state::CallError> failure;
    if (m_failures.contains(call)) {
        failure = m_failures.take(call);
    }
    const Waiting waiting{call, [done, make, failure](const state::CallError* gone) {
                              if (gone != nullptr) {
                                  done(std::unexpected(*gone));
                              } else if (failure) {
                                  done(std::unexpected(*failure));
                              } else {
                                  done(make());
                              }
                          }};
    if (m_held.contains(call)) {
        m_waiting.append(waiting);
    } else {
        schedule(waiting);
    }
}

void FakeClient::scan(const QStringList& searchPaths, Done<QList<state::Pool>> done)
{
    later(Call::Scan, QStringLiteral("scan ") + searchPaths.join(QLatin1Char(' ')), done, [this] {
        return Answer<QList<state::Pool>>(found);
    });
}

void FakeClient::poolStatus(Done<QList<state::Pool>> done)
{
    later(Call::Status, QStringLiteral("status"), done, [this] {
        return Answer<QList<state::Pool>>(imported);
    });
}

void FakeClient::importPool(const client::ImportOrder& order, Done<client::Imported> done)
{
    const QString what = QStringLiteral("import %1%2")
                             .arg(order.pool, order.force ? QStringLiteral(" force") : QString());
    later(Call::Import, what, done, [this, order]() -> Answer<client::Imported> {
        for (state::Pool pool : std::as_const(found)) {
            if (poolKey(pool) == order.pool) {
                pool.imported = pool.readOnly = true;
                imported.append(pool);
                emit poolsChanged();
                return client::Imported{pool.name, pool.guid, {}};
            }
        }
        return std::unexpected(state::CallError{state::CallError::Kind::Refused,
                                                QStringLiteral("NoSuchPool"),
                                                QStringLiteral("no such pool")});
    });
}

void FakeClient::exportPool(const QString& pool, Done<void> done)
{
    later(Call::Export, QStringLiteral("export ") + pool, done, [this, pool] {
        imported.removeIf([&pool](const state::Pool& other) { return other.name == pool; });
        emit poolsChanged();
        return Answer<void>();
    });
}

void FakeClient::datasets(const client::DatasetQuery& query, Done<state::DatasetTable> done)
{
    const QString what = QStringLiteral("%1 %2").arg(
        query.snapshots ? QStringLiteral("snapshots") : QStringLiteral("datasets"), query.root);
    later(Call::Datasets, what, done, [this, query] {
        return Answer<state::DatasetTable>(
            (query.snapshots ? snapshots : tables).value(query.root));
    });
}

void FakeClient::mounts(Done<QList<state::Mount>> done)
{
    later(Call::Mounts, QStringLiteral("mounts"), done, [this] {
        return Answer<QList<state::Mount>>(mountList);
    });
}

void FakeClient::mount(const QStringList& datasets, Done<QList<MountResult>> done)
{
    later(Call::Mount,
          QStringLiteral("mount ") + datasets.join(QLatin1Char(' ')),
          done,
          [this, datasets] {
              QList<MountResult> results;
              for (const QString& dataset : datasets) {
                  const QString path = QStringLiteral("/home/ada/Millpond/") + dataset;
                  mountList.append({dataset, path, true});
                  results.append({dataset, path, {}});
              }
              emit mountsChanged();
              return Answer<QList<MountResult>>(results);
          });
}

void FakeClient::unmount(const QStringList& datasets, Done<QList<MountResult>> done)
{
    later(Call::Unmount,
          QStringLiteral("unmount ") + datasets.join(QLatin1Char(' ')),
          done,
          [this, datasets] {
              mountList.removeIf([&datasets](const state::Mount& mount) {
                  return datasets.contains(mount.dataset);
              });
              emit mountsChanged();
              return Answer<QList<MountResult>>(QList<MountResult>{{datasets.front(), {}, {}}});
          });
}

void FakeClient::startCheck(const QString& pool, const QStringList&, Done<QString> done)
{
    later(Call::StartCheck, QStringLiteral("check ") + pool, done, [] {
        return Answer<QString>(QStringLiteral("/org/millpond/Job/1"));
    });
}

void FakeClient::checkOutput(const QString& job, quint64 firstRow, Done<state::CheckReport> done)
{
    later(Call::CheckOutput, QStringLiteral("output ") + job, done, [this, firstRow] {
        state::CheckReport part = report;
        part.problems = report.problems.mid(static_cast<qsizetype>(firstRow));
        return Answer<state::CheckReport>(part);
    });
}

void FakeClient::jobs(Done<QList<state::Job>> done)
{
    later(Call::Jobs, QStringLiteral("jobs"), done, [] { return Answer<QList<state::Job>>(); });
}

void FakeClient::cancelJob(const QString& job, Done<void> done)
{
    later(Call::CancelJob, QStringLiteral("cancel ") + job, done, [] { return Answer<void>(); });
}

} // namespace millpond::test
