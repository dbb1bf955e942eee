// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/client/client.h"

#include <QHash>
#include <QSet>

namespace millpond::test {

/// A helper made of data: answers from its own lists, late, wrongly or never, as the script says.
class FakeClient : public client::Client
{
    Q_OBJECT

public:
    /// The calls a script can name.
    enum class Call
    {
        Scan,
        Status,
        Import,
        Export,
        Datasets,
        Mounts,
        Mount,
        Unmount,
        StartCheck,
        CheckOutput,
        Jobs,
        CancelJob
    };

    explicit FakeClient(QObject* parent = nullptr);

    // The script.
    QList<state::Pool> imported, found;
    QHash<QString, state::DatasetTable> tables;    ///< by root
    QHash<QString, state::DatasetTable> snapshots; ///< by dataset
    QList<state::Mount> mountList;
    state::CheckReport report;
    int delayMs = 0; ///< of every answer
    state::Helper::State startsAs = state::Helper::State::Ready;
    QString startText; ///< why it did not start
    state::HelperMode mode = state::HelperMode::Private;

    /// The next call of that kind answers with this error.
    void failNext(Call call, const state::CallError& error) { m_failures.insert(call, error); }

    /// Calls of that kind are not answered until release().
    void hold(Call call) { m_held.insert(call); }

    void release(Call call);
    /// The helper dies: calls under way answer NoHelper.
    void die();

    void setJob(const state::Job& job) { emit jobChanged(job); }

    [[nodiscard]] int count(Call call) const { return m_counts.value(call); }

    [[nodiscard]] const QStringList& log() const { return m_log; }

    // Client.
    [[nodiscard]] state::Helper helper() const override { return m_helper; }

    void start() override;
    void scan(const QStringList& searchPaths, client::Done<QList<state::Pool>> done) override;
    void poolStatus(client::Done<QList<state::Pool>> done) override;
    void importPool(const client::ImportOrder& order, client::Done<client::Imported> done) override;
    void exportPool(const QString& pool, client::Done<void> done) override;
    void datasets(const client::DatasetQuery& query,
                  client::Done<state::DatasetTable> done) override;
    void mounts(client::Done<QList<state::Mount>> done) override;
    void mount(const QStringList& datasets, client::Done<QList<client::MountResult>> done) override;
    void unmount(const QStringList& datasets,
                 client::Done<QList<client::MountResult>> done) override;
    void startCheck(const QString& pool,
                    const QStringList& searchPaths,
                    client::Done<QString> done) override;
    void checkOutput(const QString& job,
                     quint64 firstRow,
                     client::Done<state::CheckReport> done) override;
    void jobs(client::Done<QList<state::Job>> done) override;
    void cancelJob(const QString& job, client::Done<void> done) override;

private:
    using Deliver = std::function<void()>;

    /// One call under way: how to answer it, and how to let it fail.
    struct Waiting
    {
        Call call;
        std::function<void(const state::CallError*)> answer;
    };

    template <class T, class Make>
    void later(Call call, const QString& what, client::Done<T> done, Make make);
    void schedule(Waiting waiting);
    void setHelper(state::Helper::State state, const QString& text);

    state::Helper m_helper;
    QHash<Call, state::CallError> m_failures;
    QHash<Call, int> m_counts;
    QSet<Call> m_held;
    QList<Waiting> m_waiting; ///< held back
    QStringList m_log;        ///< what was asked, in order
    int m_life = 0;           ///< grows when it dies
};

} // namespace millpond::test
