// SPDX-License-Identifier: GPL-3.0-or-later
//
// What a pool answers to changes when it is open for reading only.

#include "api/engine.h"

#include <fmt/format.h>

namespace millpond::api {

namespace {
Error readOnly(const Pool& pool)
{
    return {ErrorCode::ReadOnly, fmt::format("pool \"{}\" is imported read-only", pool.name())};
}
} // namespace

Result<std::shared_ptr<posix::FileSystemWriter>> Pool::writer(const std::string& /*dataset*/)
{
    return std::shared_ptr<posix::FileSystemWriter>();
}

Status Pool::waitSynced(Txg /*group*/)
{
    return {};
}

Status
Pool::setPoolProperties(const std::vector<std::pair<std::string, std::string>>& /*properties*/)
{
    return fail(readOnly(*this));
}

Status Pool::upgrade(const std::vector<std::string>& /*features*/)
{
    return fail(readOnly(*this));
}

Status Pool::newGuid()
{
    return fail(readOnly(*this));
}

Status Pool::trim(Progress& /*progress*/)
{
    return fail(readOnly(*this));
}

void Pool::note(const std::string& /*command*/, std::uint64_t /*user*/) {}

Status Pool::sync()
{
    return {};
}

Status Pool::createDatasets(std::span<const NewDataset> /*requests*/)
{
    return fail(readOnly(*this));
}

Status Pool::destroyDataset(const std::string& /*dataset*/)
{
    return fail(readOnly(*this));
}

Status Pool::renameDataset(const std::string& /*dataset*/, const std::string& /*newName*/)
{
    return fail(readOnly(*this));
}

Status Pool::setProperties(const std::string& /*dataset*/,
                           const std::vector<std::pair<std::string, std::string>>& /*properties*/)
{
    return fail(readOnly(*this));
}

Status Pool::inheritProperty(const std::string& /*dataset*/,
                             const std::string& /*name*/,
                             bool /*received*/)
{
    return fail(readOnly(*this));
}

} // namespace millpond::api
