// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/pool/opened_pool.h"

#include "pool/scanner.h"

namespace millpond::test {

std::unique_ptr<OpenedPool> openPool(const QString& folder)
{
    auto opened = std::make_unique<OpenedPool>();
    opened->threads = std::move(runtime::ThreadPool::create({.threads = 2}).value());
    opened->cache = std::make_unique<block::BlockCache>(ByteCount(32 * MiB));
    auto found = pool::scanForPools({{folder.toStdString()}, {}}, *opened->threads);
    if (!found || found->pools.size() != 1) {
        return nullptr;
    }
    const pool::Services services{*opened->threads, nullptr, *opened->cache, opened->log};
    auto pool = pool::Pool::open(services, found->pools.front(), {.force = true, .hold = false});
    if (!pool) {
        return nullptr;
    }
    opened->pool = std::move(*pool);
    return opened;
}

Result<api::CheckReport> checkPool(const QString& folder, const QString& pool)
{
    auto engine = MP_TRY(api::Engine::create({}));
    api::Progress progress;
    return engine->check({pool.toStdString(), {{folder.toStdString()}, {}, false}}, progress, {});
}

} // namespace millpond::test
