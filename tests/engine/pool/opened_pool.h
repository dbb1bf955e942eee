// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "pool/pool.h"
#include "runtime/thread_pool.h"

#include <QString>

#include <memory>

namespace millpond::test {

/// A pool opened below the facade, to find out where things are. Holds nothing against others.
struct OpenedPool
{
    std::unique_ptr<runtime::ThreadPool> threads;
    std::unique_ptr<block::BlockCache> cache;
    NullLog log;
    std::unique_ptr<pool::Pool> pool;
};

/// The only pool in a folder; null when it can't be opened.
[[nodiscard]] std::unique_ptr<OpenedPool> openPool(const QString& folder);

/// `mpzpool check` of a pool in a folder.
[[nodiscard]] Result<api::CheckReport> checkPool(const QString& folder, const QString& pool);

} // namespace millpond::test
