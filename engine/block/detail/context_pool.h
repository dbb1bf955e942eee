// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "codec/checksum.h"
#include "codec/compression.h"

#include <memory>
#include <utility>
#include <vector>

namespace millpond::block::detail {

/// The working memory of the codecs, lent to one user at a time: as many are kept as were ever
/// needed at once. Thread-safe.
class ContextPool
{
public:
    struct Context
    {
        codec::ChecksumContext checksum;
        codec::Decompressor decompressor;
        codec::Compressor compressor;
    };

    class Lease
    {
    public:
        Lease(ContextPool& pool, std::unique_ptr<Context> context)
            : m_pool(pool)
            , m_context(std::move(context))
        {
        }

        ~Lease() { m_pool.giveBack(std::move(m_context)); }

        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

        Context* operator->() const { return m_context.get(); }

    private:
        ContextPool& m_pool;
        std::unique_ptr<Context> m_context;
    };

    [[nodiscard]] Lease borrow()
    {
        {
            const MutexLock lock(m_mutex);
            if (!m_idle.empty()) {
                std::unique_ptr<Context> context = std::move(m_idle.back());
                m_idle.pop_back();
                return Lease(*this, std::move(context));
            }
        }
        return Lease(*this, std::make_unique<Context>());
    }

private:
    void giveBack(std::unique_ptr<Context> context)
    {
        const MutexLock lock(m_mutex);
        m_idle.push_back(std::move(context));
    }

    Mutex m_mutex;
    std::vector<std::unique_ptr<Context>> m_idle MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::block::detail
