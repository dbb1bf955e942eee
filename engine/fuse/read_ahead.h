// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "base/types.h"

#include <optional>

namespace millpond::fuse {

/// How one open file is being read, and what of it should be read in advance. While reads follow on
/// each other (the kernel's own read-ahead may send several at once, in any order) the window
/// doubles up to kMaxWindow; a jump starts afresh. Thread-safe; costs one short lock.
class ReadAhead
{
public:
    static constexpr ByteCount kMaxWindow{16 * MiB};

    struct Range
    {
        ByteOffset offset;
        ByteCount size;
    };

    /// Tells of a read; the answer is what to prefetch now, beyond what it told before.
    [[nodiscard]] std::optional<Range> onRead(ByteOffset offset, ByteCount size);
    /// Up to where it has told to prefetch.
    [[nodiscard]] ByteOffset promised();

private:
    Mutex m_mutex;
    std::uint64_t m_next MP_GUARDED_BY(m_mutex) = 0;     ///< end of the farthest read
    std::uint64_t m_promised MP_GUARDED_BY(m_mutex) = 0; ///< all before this has been asked for
    std::uint64_t m_window MP_GUARDED_BY(m_mutex) = 0;
};

} // namespace millpond::fuse
