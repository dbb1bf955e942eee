// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "format/label.h"

namespace millpond::api::detail {

/// What the engine needs of a pool beyond what it shows to others.
class ImportedPool : public Pool
{
public:
    /// Something handed out by fileSystem(), volume() or writer() is still held by somebody.
    [[nodiscard]] virtual bool inUse() const = 0;
    /// From here on every call fails with NoSuchPool.
    virtual void retire() = 0;
    /// Of a retired pool that nobody uses: everything is written, and the labels say the state.
    [[nodiscard]] virtual Status close(format::PoolState state) = 0;
};

} // namespace millpond::api::detail
