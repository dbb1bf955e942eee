// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuse/read_ahead.h"

#include <algorithm>

namespace millpond::fuse {

namespace {
constexpr std::uint64_t kFirstWindow = 256 * KiB;
} // namespace

std::optional<ReadAhead::Range> ReadAhead::onRead(ByteOffset offset, ByteCount size)
{
    const std::uint64_t begin = offset.value();
    std::uint64_t end = 0;
    if (!checkedAdd(begin, size.value(), end)) {
        return std::nullopt;
    }
    const MutexLock lock(m_mutex);
    // Reads in flight at once overtake each other, within what has been promised.
    const bool follows = begin <= std::max(m_next, m_promised) && end + m_window >= m_next;
    if (!follows || (m_window == 0 && begin != m_next)) {
        m_next = end;
        m_promised = end;
        m_window = 0;
        return std::nullopt;
    }
    if (end > m_next) {
        m_window =
            std::min(kMaxWindow.value(), std::max({2 * m_window, 2 * size.value(), kFirstWindow}));
        m_next = end;
    }
    const std::uint64_t from = std::max(m_promised, end);
    const std::uint64_t to = m_next + m_window;
    // In portions, not for every small read.
    if (to < from + m_window / 4) {
        return std::nullopt;
    }
    m_promised = to;
    return Range{ByteOffset(from), ByteCount(to - from)};
}

ByteOffset ReadAhead::promised()
{
    const MutexLock lock(m_mutex);
    return ByteOffset(m_promised);
}

} // namespace millpond::fuse
