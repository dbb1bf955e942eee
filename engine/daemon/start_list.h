// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "base/result.h"
#include "base/types.h"

#include <string>
#include <vector>

namespace millpond::daemon {

struct StartPool
{
    PoolGuid guid;
    std::string name;
    std::vector<std::string> searchPaths; ///< empty: the machine's devices
};

/// This machine's (or user's) own list of pools to open at start, in one file that is replaced as a
/// whole. It is empty until somebody puts a pool on it, and it makes a pool this machine's own:
/// others are mounted below a folder of the helper's, without setuid and devices. Thread-safe.
class StartList
{
public:
    /// A file that is not there is an empty list. A line that makes no sense is BadConfig.
    [[nodiscard]] static Result<std::vector<StartPool>> readFile(const std::string& path);

    explicit StartList(std::string path);

    /// Reads the file; on failure the list stays empty and nothing is written until the file is
    /// repaired.
    [[nodiscard]] Status load() MP_EXCLUDES(m_mutex);
    [[nodiscard]] std::vector<StartPool> pools() const MP_EXCLUDES(m_mutex);
    [[nodiscard]] bool contains(PoolGuid guid) const MP_EXCLUDES(m_mutex);
    /// True when that was a change. A pool already there gets the new name and paths.
    [[nodiscard]] Result<bool> add(StartPool pool) MP_EXCLUDES(m_mutex);
    [[nodiscard]] Result<bool> remove(PoolGuid guid) MP_EXCLUDES(m_mutex);

private:
    [[nodiscard]] Status write(const std::vector<StartPool>& pools) const;

    const std::string m_path;
    mutable Mutex m_mutex;
    std::vector<StartPool> m_pools MP_GUARDED_BY(m_mutex);
    bool m_usable MP_GUARDED_BY(m_mutex) = true;
};

} // namespace millpond::daemon
