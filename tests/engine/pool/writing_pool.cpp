// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pool/writing_pool.h"

#include "engine/pool/opened_pool.h"
#include "support/zdb.h"

#include <QDir>
#include <QFile>

namespace millpond::test {

WritingEngine::WritingEngine(std::uint64_t seed)
    : m_threads(std::move(runtime::ThreadPool::create({.threads = 4}).value()))
    , m_queue(std::move(runtime::IoQueue::create({.backend = runtime::IoBackend::Auto}).value()))
    , m_cache(std::make_unique<block::BlockCache>(ByteCount(32 * MiB)))
    , m_random(seed)
{
}

pool::Services WritingEngine::services()
{
    return {*m_threads, m_queue.get(), *m_cache, m_log, true, ByteCount(8 * MiB), &m_clock};
}

pool::WriteServices WritingEngine::writeServices()
{
    return {.clock = m_clock, .random = m_random, .groups = {}};
}

QStringList makeImages(const QString& folder, int count, std::uint64_t bytes)
{
    QDir().mkpath(folder);
    QStringList paths;
    for (int i = 0; i < count; ++i) {
        paths.append(QDir(folder).filePath(QStringLiteral("disk%1.img").arg(i)));
        QFile image(paths.back());
        if (!image.open(QIODevice::WriteOnly) || !image.resize(static_cast<qint64>(bytes))) {
            return {};
        }
    }
    return paths;
}

QString judgePool(const QString& folder, const QString& pool)
{
    const Result<api::CheckReport> report = checkPool(folder, pool);
    if (!report) {
        return QString::fromStdString("check: " + report.error().toText());
    }
    QString text;
    for (const api::CheckProblem& problem : report->problems) {
        text += QString::fromStdString("check: " + problem.text + '\n');
    }
    if (!judge(QStringLiteral("zdb")).isEmpty()) {
        const ZdbVerdict verdict = runZdb(folder, pool);
        if (!verdict.passed) {
            text += verdict.process.toText();
        }
    }
    return text;
}

} // namespace millpond::test
