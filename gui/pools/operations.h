// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/client/client.h"
#include "gui/page/pending.h"
#include "gui/pools/source.h"

#include <QObject>

namespace millpond::pools {

/// What can be done to pools and datasets: asks the helper, shows the command, and says in words
/// how it went. Holds no state of its own.
class Operations : public QObject
{
    Q_OBJECT

public:
    Operations(client::Client& client, page::Pending& pending, QObject* parent = nullptr);

    void importPool(const state::Pool& pool, const Source& source, bool force);
    void exportPool(const state::Pool& pool);
    void mount(const QString& dataset);
    void unmount(const QString& dataset);

signals:
    void commandIssued(const QString& command);
    /// `folder`: what there is to look at now; may be empty.
    void succeeded(const QString& text, const QString& folder);
    void failed(const QString& text);
    /// Import failed because another machine seems to use the pool; force would do it.
    void forceOffered(const QString& text);
    void poolsChanged();
    void mountsChanged();

private:
    void imported(const QString& name, const client::Answer<client::Imported>& answer);
    void mounted(const QString& dataset, const client::Answer<QList<client::MountResult>>& answer);
    void unmounted(const QString& dataset,
                   const client::Answer<QList<client::MountResult>>& answer);

    client::Client& m_client;
    page::Pending& m_pending;
};

} // namespace millpond::pools
