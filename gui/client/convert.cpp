// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/client/convert.h"

#include <QHash>

namespace millpond::client {

namespace {

using state::toQString;

state::CallError badAnswer(const Error& error)
{
    return {
        state::CallError::Kind::BadAnswer, QStringLiteral("BadMessage"), toQString(error.toText())};
}

template <class Row> Answer<bus::Rows<Row>> rowsOf(const bus::Document& document)
{
    auto rows = bus::Rows<Row>::of(document);
    if (!rows) {
        return std::unexpected(badAnswer(rows.error()));
    }
    return *std::move(rows);
}

/// Each row of a table through `convert`.
template <class Row, class Value>
Answer<QList<Value>> listOf(const bus::Document& document, Value (*convert)(const Row&))
{
    const auto rows = rowsOf<Row>(document);
    if (!rows) {
        return std::unexpected(rows.error());
    }
    QList<Value> values;
    values.reserve(static_cast<qsizetype>(rows->size()));
    for (const Row& row : *rows) {
        values.append(convert(row));
    }
    return values;
}

std::optional<quint64> known(std::uint64_t value)
{
    return value == bus::kUnknown ? std::nullopt : std::optional<quint64>(value);
}

QDateTime timeOf(std::uint64_t seconds)
{
    return seconds == 0 || seconds == bus::kUnknown
               ? QDateTime()
               : QDateTime::fromSecsSinceEpoch(static_cast<qint64>(seconds));
}

QStringList splitAt(std::string_view text, QLatin1Char separator)
{
    return toQString(text).split(separator, Qt::SkipEmptyParts);
}

state::Scan scanOf(const bus::PoolRow& row)
{
    state::Scan scan;
    scan.kind = toQString(row.scanKind);
    scan.state = toQString(row.scanState);
    scan.started = timeOf(row.scanStarted);
    scan.ended = timeOf(row.scanEnded);
    scan.toExamine = row.scanToExamine;
    scan.examined = row.scanExamined;
    scan.repaired = row.scanProcessed;
    scan.errors = row.scanErrors;
    return scan;
}

state::Pool poolOf(const bus::PoolRow& row)
{
    state::Pool pool;
    pool.name = toQString(row.name);
    pool.guid = row.guid;
    pool.version = row.version;
    pool.word = toQString(row.state);
    pool.messageId = toQString(row.messageId);
    pool.status = toQString(row.status);
    pool.action = toQString(row.action);
    pool.scan = scanOf(row);
    pool.errorCount = row.errorCount;
    pool.readOnly = row.readOnly;
    pool.altroot = toQString(row.altroot);
    pool.comment = toQString(row.comment);
    return pool;
}

/// Where the size of a leaf comes from: the open device, or, of a pool that was only found, its
/// label.
enum class LeafSize
{
    Device,
    Label
};

state::Vdev vdevOf(const bus::VdevRow& row, LeafSize leafSize)
{
    constexpr std::uint64_t kDeepest = 64; // a tree of devices has a handful of levels
    state::Vdev vdev;
    vdev.depth = static_cast<int>(std::min(row.depth, kDeepest));
    vdev.name = toQString(row.name);
    vdev.type = toQString(row.type);
    vdev.path = toQString(row.path);
    vdev.openedAs = toQString(row.openedAs);
    vdev.allocClass = toQString(row.allocClass);
    vdev.word = toQString(row.state);
    vdev.aux = toQString(row.aux);
    vdev.notes = toQString(row.notes);
    vdev.guid = row.guid;
    vdev.readErrors = row.readErrors;
    vdev.writeErrors = row.writeErrors;
    vdev.checksumErrors = row.checksumErrors;
    vdev.size = known(row.size);
    vdev.allocated = known(row.allocated);
    vdev.free = known(row.free);
    vdev.deviceSize = known(leafSize == LeafSize::Device ? row.physicalSize : row.deviceSize);
    vdev.isLeaf = row.isLeaf;
    vdev.isSpare = row.isSpare;
    vdev.isCache = row.isCache;
    return vdev;
}

/// The heading above devices of a class, as `zpool status` has it; empty for ordinary ones.
QString sectionOf(std::string_view allocClass)
{
    static const QHash<QByteArrayView, QString> kSections{
        {"log", QStringLiteral("logs")},
        {"special", QStringLiteral("special")},
        {"dedup", QStringLiteral("dedup")},
        {"l2cache", QStringLiteral("cache")},
        {"spare", QStringLiteral("spares")},
    };
    return kSections.value(QByteArrayView(allocClass.data(), qsizetype(allocClass.size())));
}

void addVdev(state::Pool& pool, const bus::VdevRow& row, LeafSize leafSize)
{
    const QString section = sectionOf(row.allocClass);
    const bool begins =
        row.depth == 1 && !section.isEmpty() &&
        (pool.vdevs.isEmpty() || pool.vdevs.back().allocClass != toQString(row.allocClass));
    if (begins) {
        state::Vdev heading;
        heading.name = section;
        pool.vdevs.append(heading);
    }
    pool.vdevs.append(vdevOf(row, leafSize));
}

/// Hangs each row of "vdevs" into the pool it belongs to.
Answer<void> addVdevs(const bus::Document& document, QList<state::Pool>& pools, LeafSize leafSize)
{
    const auto rows = rowsOf<bus::VdevRow>(document);
    if (!rows) {
        return std::unexpected(rows.error());
    }
    QHash<quint64, state::Pool*> byGuid;
    for (state::Pool& pool : pools) {
        byGuid.insert(pool.guid, &pool);
    }
    for (const bus::VdevRow& row : *rows) {
        if (state::Pool* pool = byGuid.value(row.poolGuid)) {
            addVdev(*pool, row, leafSize);
        }
    }
    return {};
}

Answer<void> addErrors(const bus::Document& document, QList<state::Pool>& pools)
{
    const auto rows = rowsOf<bus::DataErrorRow>(document);
    if (!rows) {
        return std::unexpected(rows.error());
    }
    for (const bus::DataErrorRow& row : *rows) {
        for (state::Pool& pool : pools) {
            if (pool.name == toQString(row.pool)) {
                pool.errors.append(
                    {toQString(row.dataset), toQString(row.path), row.objset, row.object});
            }
        }
    }
    return {};
}

void addFound(const bus::FoundPoolRow& row, state::Pool& pool)
{
    pool.importable = row.importable;
    pool.readOnlyOnly = row.readOnlyOnly;
    pool.active = row.active;
    pool.destroyed = row.destroyed;
    pool.reason = toQString(row.reason);
    pool.lastHost = toQString(row.lastHost);
    pool.missingFeatures = splitAt(row.missingFeatures, QLatin1Char(' '));
    pool.devices = splitAt(row.devices, QLatin1Char('\n'));
}

state::CheckProblem problemOf(const bus::CheckProblemRow& row)
{
    return {toQString(row.kind),
            toQString(row.dataset),
            toQString(row.path),
            toQString(row.device),
            toQString(row.text)};
}

state::Job jobOf(const bus::JobRow& row)
{
    state::Job job;
    job.path = toQString(row.path);
    job.kind = toQString(row.kind);
    job.title = toQString(row.title);
    job.state = jobStateFromWord(row.state);
    job.done = row.done;
    job.total = row.total;
    job.ratePerSecond = row.rate;
    job.secondsLeft = known(row.secondsLeft);
    job.errorText = toQString(row.errorText);
    return job;
}

MountResult mountResultOf(const bus::MountResultRow& row)
{
    MountResult result{toQString(row.dataset), toQString(row.mountpoint), toQString(row.errorText)};
    if (result.errorText.isEmpty()) {
        result.errorText = toQString(row.errorName);
    }
    return result;
}

state::Mount mountOf(const bus::MountRow& row)
{
    return {toQString(row.dataset), toQString(row.mountpoint), row.own};
}

} // namespace

Answer<bus::Document> openDocument(int fd)
{
    auto document = bus::Document::open(fd);
    if (!document) {
        return std::unexpected(badAnswer(document.error()));
    }
    return *std::move(document);
}

Answer<QList<state::Pool>> importedPools(const bus::Document& document)
{
    auto pools = listOf(document, poolOf);
    if (!pools) {
        return pools;
    }
    for (state::Pool& pool : *pools) {
        pool.imported = true;
    }
    if (auto added = addVdevs(document, *pools, LeafSize::Device); !added) {
        return std::unexpected(added.error());
    }
    if (auto added = addErrors(document, *pools); !added) {
        return std::unexpected(added.error());
    }
    return pools;
}

Answer<QList<state::Pool>> foundPools(const bus::Document& document)
{
    auto pools = listOf(document, poolOf);
    const auto found = rowsOf<bus::FoundPoolRow>(document);
    if (!pools || !found) {
        return std::unexpected(pools ? found.error() : pools.error());
    }
    // Row i of "found" belongs to row i of "pools".
    const auto count = std::min(found->size(), static_cast<std::size_t>(pools->size()));
    for (std::size_t i = 0; i < count; ++i) {
        addFound((*found)[i], (*pools)[static_cast<qsizetype>(i)]);
    }
    if (auto added = addVdevs(document, *pools, LeafSize::Label); !added) {
        return std::unexpected(added.error());
    }
    return pools;
}

Answer<QList<MountResult>> mountResults(const bus::Document& document)
{
    return listOf(document, mountResultOf);
}

Answer<QList<state::Mount>> mountList(const bus::Document& document)
{
    return listOf(document, mountOf);
}

Answer<state::DatasetTable> datasetTable(const bus::Document& document,
                                         const QStringList& properties)
{
    const auto datasets = rowsOf<bus::DatasetRow>(document);
    const auto values = rowsOf<bus::DatasetPropertyRow>(document);
    if (!datasets || !values) {
        return std::unexpected(datasets ? values.error() : datasets.error());
    }
    std::unordered_map<std::string, std::size_t> columns;
    for (const QString& property : properties) {
        columns.emplace(property.toStdString(), columns.size());
    }
    state::DatasetTable table(properties);
    table.reserve(datasets->size());
    for (const bus::DatasetRow& row : *datasets) {
        table.addRow(row.dataset, state::datasetKindFromWord(row.type));
        const std::uint64_t first = std::min<std::uint64_t>(row.firstProperty, values->size());
        const std::uint64_t end = first + std::min(row.propertyCount, values->size() - first);
        for (std::uint64_t at = first; at < end; ++at) {
            const bus::DatasetPropertyRow value = (*values)[at];
            const auto column = columns.find(std::string(value.property));
            if (column != columns.end()) {
                table.setCell(column->second, value.value);
            }
        }
    }
    return table;
}

Answer<QList<state::Job>> jobList(const bus::Document& document)
{
    return listOf(document, jobOf);
}

Answer<state::CheckReport> checkReport(const bus::Document& document)
{
    auto problems = listOf(document, problemOf);
    const auto summary = rowsOf<bus::CheckSummaryRow>(document);
    if (!problems || !summary) {
        return std::unexpected(problems ? summary.error() : problems.error());
    }
    state::CheckReport report;
    report.problems = *std::move(problems);
    report.problemCount = static_cast<quint64>(report.problems.size());
    for (const bus::CheckSummaryRow& row : *summary) {
        report.finished = true;
        report.problemCount = row.problemCount;
        report.datasets = row.datasets;
        report.blocks = row.blocks;
        report.bytesRead = row.bytesRead;
        report.awaitingResilver = row.awaitingResilver;
        report.milliseconds = row.milliseconds;
    }
    return report;
}

state::Job::State jobStateFromWord(std::string_view word)
{
    using State = state::Job::State;
    if (word == "queued") {
        return State::Queued;
    }
    if (word == "running") {
        return State::Running;
    }
    if (word == "cancelled") {
        return State::Cancelled;
    }
    return word == "done" ? State::Done : State::Failed;
}

} // namespace millpond::client
