// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "format/label.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>

namespace millpond::api::detail {

/// What the engine needs of a pool beyond what it shows to others.
class ImportedPool : public Pool, public std::enable_shared_from_this<ImportedPool>
{
public:
    /// Something handed out by fileSystem(), volume() or writer() is still held by somebody.
    [[nodiscard]] bool inUse() const { return m_open.load() != 0; }

    /// From here on every call fails with NoSuchPool.
    void retire() { m_retired.store(true); }

    /// Of a retired pool that nobody uses: everything is written, and the labels say the state.
    [[nodiscard]] virtual Status close(format::PoolState state) = 0;

protected:
    /// NoSuchPool once it is retired.
    [[nodiscard]] Status alive() const
    {
        if (m_retired.load()) {
            return fail(ErrorCode::NoSuchPool,
                        fmt::format("pool \"{}\" has been exported", name()));
        }
        return {};
    }

    /// For handing out: in use, and keeping the pool, as long as somebody holds it.
    template <class T> [[nodiscard]] std::shared_ptr<T> counted(std::shared_ptr<T> opened)
    {
        m_open.fetch_add(1);
        T* raw = opened.get();
        return std::shared_ptr<T>(
            raw, [opened = std::move(opened), self = shared_from_this()](T*) mutable {
                opened.reset();
                self->m_open.fetch_sub(1);
            });
    }

private:
    std::atomic<std::size_t> m_open = 0;
    std::atomic<bool> m_retired = false;
};

} // namespace millpond::api::detail
