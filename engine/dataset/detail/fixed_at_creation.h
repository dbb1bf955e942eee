// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "base/types.h"

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace millpond::dataset::detail {

/// What a file system's master node, or a volume's table, says.
struct FixedAtCreation
{
    std::optional<std::uint64_t> version, normalization, utf8Only, caseSensitivity;
    std::optional<std::uint64_t> volumeSize, volumeBlockSize;
};

/// What was read of object sets, kept as long as their roots stay where they are: reading it again
/// means decompressing the head of each object set. Thread-safe; forgets everything when it is
/// full.
class FixedValues
{
public:
    [[nodiscard]] std::optional<FixedAtCreation> find(ObjsetId objset, Txg rootBirth) const
    {
        const MutexLock lock(m_mutex);
        const auto found = m_kept.find(objset);
        return found != m_kept.end() && found->second.birth == rootBirth
                   ? std::optional(found->second.values)
                   : std::nullopt;
    }

    void keep(ObjsetId objset, Txg rootBirth, const FixedAtCreation& values)
    {
        const MutexLock lock(m_mutex);
        if (m_kept.size() >= kMost) {
            m_kept.clear();
        }
        m_kept.insert_or_assign(objset, Kept{rootBirth, values});
    }

private:
    static constexpr std::size_t kMost = 65'536; ///< about 10 MiB

    struct Kept
    {
        Txg birth;
        FixedAtCreation values;
    };

    mutable Mutex m_mutex;
    std::unordered_map<ObjsetId, Kept> m_kept MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::dataset::detail
