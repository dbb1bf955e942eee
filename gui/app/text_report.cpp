// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/app/text_report.h"

#include "gui/model/dataset_model.h"
#include "gui/model/pool_list_model.h"
#include "gui/model/vdev_model.h"
#include "gui/page/error_text.h"
#include "gui/widgets/table_text.h"

#include <numeric>

namespace millpond::app {

namespace {

const QString kMargin = QStringLiteral("  ");

QString tableText(const QAbstractItemModel& model)
{
    QList<int> columns(model.columnCount());
    std::iota(columns.begin(), columns.end(), 0);
    return widgets::TableText(model, columns, Qt::DisplayRole).aligned(kMargin);
}

} // namespace

TextReport::TextReport(client::Client& client, pools::Source source, QObject* parent)
    : QObject(parent)
    , m_client(client)
    , m_source(std::move(source))
    , m_loader(client, m_pending)
{
    connect(&m_loader, &pools::PoolLoader::loaded, this, &TextReport::takePools);
    connect(&m_loader, &pools::PoolLoader::failed, this, [this](const state::CallError& error) {
        emit finished(page::reasonText(error) + QLatin1Char('\n'), false);
    });
}

void TextReport::start()
{
    m_client.mounts(client::bound(this, [this](const auto& answer) {
        m_mounts = answer.value_or(QList<state::Mount>());
        m_loader.load(m_source);
    }));
}

void TextReport::takePools(const QList<state::Pool>& imported, const QList<state::Pool>& found)
{
    model::PoolListModel pools;
    pools.setPools(imported, found);
    m_waiting = pools.pools();
    m_text = m_source.isMachine()
                 ? tr("%n pool(s) on this machine", nullptr, pools.rowCount())
                 : tr("%n pool(s) in %1", nullptr, pools.rowCount()).arg(m_source.folder);
    m_text += QLatin1Char('\n');
    next();
}

void TextReport::next()
{
    if (m_waiting.isEmpty()) {
        emit finished(m_text, m_complete);
        return;
    }
    const state::Pool pool = m_waiting.takeFirst();
    addPool(pool);
    if (!pool.imported) {
        next();
        return;
    }
    m_client.datasets({pool.name, model::propertiesOf(model::datasetColumns()), false},
                      client::bound(this, [this, name = pool.name](const auto& answer) {
                          addDatasets(name, answer);
                          next();
                      }));
}

void TextReport::addPool(const state::Pool& pool)
{
    const QString space = model::capacityText(pool);
    m_text += QLatin1Char('\n') + pool.name + QStringLiteral(": ") + model::poolSummary(pool) +
              (space.isEmpty() ? QString() : QStringLiteral(", ") + space) + QLatin1Char('\n');
    for (const QString& paragraph : model::poolExplanation(pool)) {
        m_text += kMargin + paragraph + QLatin1Char('\n');
    }
    model::VdevModel vdevs;
    vdevs.setVdevs(pool.vdevs);
    m_text += QLatin1Char('\n') + tableText(vdevs);
}

void TextReport::addDatasets(const QString& pool, const client::Answer<state::DatasetTable>& answer)
{
    if (!answer) {
        m_complete = false;
        m_text += kMargin +
                  tr("The datasets of %1 could not be read: %2")
                      .arg(pool, page::reasonText(answer.error())) +
                  QLatin1Char('\n');
        return;
    }
    model::DatasetModel datasets(model::datasetColumns(), model::DatasetModel::Shape::List);
    datasets.setTable(*answer);
    datasets.setMounts(m_mounts);
    m_text += QLatin1Char('\n') + tableText(datasets);
}

} // namespace millpond::app
