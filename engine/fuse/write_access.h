// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/types.h"
#include "posix/file_system_writer.h"

#include <memory>
#include <string>

namespace millpond::fuse {

using WriterRef = std::shared_ptr<posix::FileSystemWriter>;

/// What decides how files of a dataset are written (DESIGN 8.2).
struct WriteState
{
    std::uint64_t available = 0; ///< bytes, by all limits that the dataset is under
    bool syncAlways = false;     ///< property sync
};

/// What a mount needs of a pool that is written to. Thread-safe; every call may wait.
class WriteAccess
{
public:
    virtual ~WriteAccess() = default;

    /// The writer of a filesystem, the same one as long as somebody has it; null for what can't be
    /// written to. Errors as Pool::fileSystem().
    [[nodiscard]] virtual Result<WriterRef> writer(const std::string& dataset) = 0;
    [[nodiscard]] virtual Result<WriteState> state(const std::string& dataset) = 0;
    /// Returns when what was changed through the writer up to now is on stable storage. With
    /// Wait::CachedOnly WouldBlock, unless it is already.
    [[nodiscard]] virtual Status sync(posix::FileSystemWriter& writer,
                                      const posix::ReadContext& context) = 0;
};

} // namespace millpond::fuse
