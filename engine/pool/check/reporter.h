// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "block/block_source.h"
#include "dataset/dataset_tree.h"
#include "pool/check/checker.h"
#include "posix/file_system.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>

namespace millpond::pool {

/// Gives findings their names and hands them on, one at a time. Thread-safe.
class Reporter
{
public:
    Reporter(const Pool& pool, CheckSink& sink)
        : m_pool(pool)
        , m_sink(sink)
    {
    }

    /// Fills in dataset and path from `objset` and `object` where they are empty, and puts them in
    /// front of the text.
    void report(CheckFinding finding);
    /// An error met while walking, as a finding at that place.
    void report(const Error& error, const block::Bookmark& where, std::string_view during = {});
    void report(CheckFinding::Kind kind, const block::Bookmark& where, std::string text);

    void total(std::uint64_t bytes);
    void advance(std::uint64_t bytes);

    /// Looked at between blocks.
    [[nodiscard]] Status proceed() const
    {
        return m_sink.cancelled() ? Status(fail(ErrorCode::Cancelled, "the check was stopped"))
                                  : Status();
    }

private:
    struct Named
    {
        std::string name;
        std::shared_ptr<posix::FileSystem> files; ///< null: no filesystem, or not readable
    };

    [[nodiscard]] const Named& named(ObjsetId objset) MP_REQUIRES(m_mutex);

    const Pool& m_pool;
    CheckSink& m_sink;
    Mutex m_mutex;
    std::map<ObjsetId, Named> m_names MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::pool
