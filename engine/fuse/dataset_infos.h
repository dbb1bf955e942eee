// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fuse/tree.h"

#include <map>

namespace millpond::fuse {

/// What mounting has to know of datasets, by name: those asked for and all their ancestors.
class DatasetInfos
{
public:
    /// Every filesystem of the pool.
    [[nodiscard]] static Result<DatasetInfos> all(api::Pool& pool);
    /// Adds one filesystem and its ancestors. NoSuchDataset; InvalidArgument for what cannot be
    /// mounted.
    [[nodiscard]] Status add(api::Pool& pool, const std::string& name);

    [[nodiscard]] const DatasetInfo* find(const std::string& name) const;
    /// Those between an ancestor and `name`, from the top down, both ends aside.
    [[nodiscard]] std::vector<DatasetInfo> between(const std::string& ancestor,
                                                   const std::string& name) const;

    [[nodiscard]] const std::map<std::string, DatasetInfo>& byName() const { return m_infos; }

private:
    std::map<std::string, DatasetInfo> m_infos;
};

} // namespace millpond::fuse
