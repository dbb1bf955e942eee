// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/state/dataset_table.h"
#include "gui/state/helper.h"
#include "gui/state/job.h"
#include "gui/state/pool.h"

#include <QObject>
#include <QPointer>
#include <QStringList>

#include <expected>
#include <functional>

// The helper as the window sees it. Every call returns at once; its answer, or why there is none,
// comes later through the callback, on the thread of the client, within the call's deadline. A
// callback is never called twice.

namespace millpond::client {

template <class T> using Answer = std::expected<T, state::CallError>;
template <class T> using Done = std::function<void(const Answer<T>&)>;

/// A callback that is dropped when `context` is gone by then.
template <class Function> auto bound(QObject* context, Function function)
{
    return
        [guard = QPointer<QObject>(context), function = std::move(function)](const auto& answer) {
            if (guard) {
                function(answer);
            }
        };
}

struct ImportOrder
{
    QString pool; ///< name or decimal guid
    QStringList searchPaths;
    bool force = false; ///< although another host seems to use it
};

/// What Mount, Unmount or Import did to one dataset.
struct MountResult
{
    QString dataset, path;
    QString errorText; ///< empty: done
};

struct Imported
{
    QString name;
    quint64 guid = 0;
    QList<MountResult> mounts;
};

struct DatasetQuery
{
    QString root;
    QStringList properties;
    bool snapshots = false; ///< the root's snapshots instead of the tree below it
};

class Client : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    [[nodiscard]] virtual state::Helper helper() const = 0;
    /// Starts or reaches the helper, also again after it was lost; helperChanged() tells how it
    /// went.
    virtual void start() = 0;

    /// Pools that could be imported, in those folders or devices; empty: the machine's devices.
    virtual void scan(const QStringList& searchPaths, Done<QList<state::Pool>> done) = 0;
    /// All pools that are imported.
    virtual void poolStatus(Done<QList<state::Pool>> done) = 0;
    /// Read-only.
    virtual void importPool(const ImportOrder& order, Done<Imported> done) = 0;
    virtual void exportPool(const QString& pool, Done<void> done) = 0;
    virtual void datasets(const DatasetQuery& query, Done<state::DatasetTable> done) = 0;
    virtual void mounts(Done<QList<state::Mount>> done) = 0;
    virtual void mount(const QStringList& datasets, Done<QList<MountResult>> done) = 0;
    virtual void unmount(const QStringList& datasets, Done<QList<MountResult>> done) = 0;
    /// Answers the path of the job.
    virtual void
    startCheck(const QString& pool, const QStringList& searchPaths, Done<QString> done) = 0;
    virtual void
    checkOutput(const QString& job, quint64 firstRow, Done<state::CheckReport> done) = 0;
    virtual void jobs(Done<QList<state::Job>> done) = 0;
    virtual void cancelJob(const QString& job, Done<void> done) = 0;

signals:
    void helperChanged(const millpond::state::Helper& helper);
    void poolsChanged();
    void datasetsChanged();
    void mountsChanged();
    /// A job is new or got on.
    void jobChanged(const millpond::state::Job& job);
    void jobRemoved(const QString& path);
};

} // namespace millpond::client
