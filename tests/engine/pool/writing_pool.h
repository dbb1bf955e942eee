// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/log.h"
#include "pool/writable_pool.h"
#include "runtime/io_queue.h"
#include "runtime/thread_pool.h"

#include <QString>
#include <QStringList>

namespace millpond::test {

/// What a pool that is written to stands on.
class WritingEngine
{
public:
    explicit WritingEngine(std::uint64_t seed);

    [[nodiscard]] pool::Services services();
    [[nodiscard]] pool::WriteServices writeServices();

    [[nodiscard]] const Clock& clock() const { return m_clock; }

private:
    std::unique_ptr<runtime::ThreadPool> m_threads;
    std::unique_ptr<runtime::IoQueue> m_queue;
    std::unique_ptr<block::BlockCache> m_cache;
    NullLog m_log;
    SystemClock m_clock;
    SeededRandom m_random;
};

/// Sparse images "disk0.img", … in a folder, all of one size.
[[nodiscard]] QStringList makeImages(const QString& folder, int count, std::uint64_t bytes);

/// What both judges have to say against an exported pool in a folder of images: zdb (where it is
/// there) and our own check. Empty when nothing.
[[nodiscard]] QString judgePool(const QString& folder, const QString& pool);

} // namespace millpond::test
