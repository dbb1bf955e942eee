// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pools/operations.h"

#include "gui/page/error_text.h"
#include "gui/pools/commands.h"

namespace millpond::pools {

namespace {

/// The first thing that went wrong, of a call that answered; empty when nothing did.
QString firstError(const QList<client::MountResult>& results)
{
    for (const client::MountResult& result : results) {
        if (!result.errorText.isEmpty()) {
            return result.errorText;
        }
    }
    return {};
}

QString pathOf(const QList<client::MountResult>& results, const QString& dataset)
{
    for (const client::MountResult& result : results) {
        if (result.dataset == dataset) {
            return result.path;
        }
    }
    return {};
}

/// The sentence already names it, so the reason need not.
QString withoutName(const QString& reason, const QString& name)
{
    const QString prefix = name + QStringLiteral(": ");
    return reason.startsWith(prefix) ? reason.mid(prefix.size()) : reason;
}

/// Why a mount or unmount did not happen; empty when it did.
QString problemOf(const client::Answer<QList<client::MountResult>>& answer, const QString& dataset)
{
    return withoutName(answer ? firstError(*answer) : page::reasonText(answer.error()), dataset);
}

} // namespace

Operations::Operations(client::Client& client, page::Pending& pending, QObject* parent)
    : QObject(parent)
    , m_client(client)
    , m_pending(pending)
{
}

void Operations::importPool(const state::Pool& pool, const Source& source, bool force)
{
    emit commandIssued(commands::importPool(pool.name, source, force));
    const auto ticket = m_pending.begin(tr("Importing %1 read-only").arg(pool.name));
    m_client.importPool({poolKey(pool), source.searchPaths(), force},
                        client::bound(this, [this, name = pool.name, ticket](const auto& answer) {
                            imported(name, answer);
                        }));
}

void Operations::imported(const QString& name, const client::Answer<client::Imported>& answer)
{
    if (!answer) {
        const QString text = tr("%1 was not imported: %2")
                                 .arg(name, withoutName(page::reasonText(answer.error()), name));
        if (answer.error().name == QLatin1String("PoolActive")) {
            emit forceOffered(text);
        } else {
            emit failed(text);
        }
        return;
    }
    const QString problem = firstError(answer->mounts);
    if (problem.isEmpty()) {
        emit succeeded(
            tr("%1 is open read-only: nothing on its disks is changed.").arg(answer->name),
            pathOf(answer->mounts, answer->name));
    } else {
        emit failed(tr("%1 is open read-only, but not everything in it could be mounted: %2")
                        .arg(answer->name, problem));
    }
    emit poolsChanged();
}

void Operations::exportPool(const state::Pool& pool)
{
    emit commandIssued(commands::exportPool(pool.name));
    const auto ticket = m_pending.begin(tr("Exporting %1").arg(pool.name));
    m_client.exportPool(
        pool.name, client::bound(this, [this, name = pool.name, ticket](const auto& answer) {
            if (answer) {
                emit succeeded(tr("%1 is exported; its disks can be taken away.").arg(name), {});
                emit poolsChanged();
            } else {
                emit failed(
                    tr("%1 was not exported: %2").arg(name, page::reasonText(answer.error())));
            }
        }));
}

void Operations::mount(const QString& dataset)
{
    emit commandIssued(commands::mount(dataset));
    const auto ticket = m_pending.begin(tr("Mounting %1").arg(dataset));
    m_client.mount({dataset}, client::bound(this, [this, dataset, ticket](const auto& answer) {
                       mounted(dataset, answer);
                   }));
}

void Operations::mounted(const QString& dataset,
                         const client::Answer<QList<client::MountResult>>& answer)
{
    const QString problem = problemOf(answer, dataset);
    if (!problem.isEmpty()) {
        emit failed(tr("%1 was not mounted: %2").arg(dataset, problem));
        return;
    }
    const QString path = pathOf(*answer, dataset);
    emit succeeded(path.isEmpty() ? tr("%1 is mounted.").arg(dataset)
                                  : tr("%1 is mounted at %2.").arg(dataset, path),
                   path);
    emit mountsChanged();
}

void Operations::unmount(const QString& dataset)
{
    emit commandIssued(commands::unmount(dataset));
    const auto ticket = m_pending.begin(tr("Unmounting %1").arg(dataset));
    m_client.unmount({dataset}, client::bound(this, [this, dataset, ticket](const auto& answer) {
                         unmounted(dataset, answer);
                     }));
}

void Operations::unmounted(const QString& dataset,
                           const client::Answer<QList<client::MountResult>>& answer)
{
    const QString problem = problemOf(answer, dataset);
    if (problem.isEmpty()) {
        emit succeeded(tr("%1 is no longer mounted.").arg(dataset), {});
        emit mountsChanged();
    } else {
        emit failed(tr("%1 was not unmounted: %2").arg(dataset, problem));
    }
}

} // namespace millpond::pools
