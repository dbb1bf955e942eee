// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/memory_device.h"

#include <algorithm>
#include <cstring>

namespace millpond::device {

namespace {

bool isZero(Bytes bytes)
{
    return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; });
}

/// Calls visit(page, offset in the page, offset in the range, length) for each page touched.
template <class Visit> Status forEachPage(ByteOffset offset, std::size_t size, Visit visit)
{
    std::size_t done = 0;
    while (done < size) {
        const std::uint64_t position = offset.value() + done;
        const std::size_t inPage = position % MemoryDevice::kPageBytes;
        const std::size_t count = std::min(size - done, MemoryDevice::kPageBytes - inPage);
        MP_TRY(visit(position / MemoryDevice::kPageBytes, inPage, done, count));
        done += count;
    }
    return {};
}

} // namespace

MemoryDevice::MemoryDevice(Options options)
    : m_options(std::move(options))
{
}

Status MemoryDevice::read(ByteOffset offset, MutableBytes into)
{
    MP_TRY(checkRange(*this, offset, into.size()));
    const SharedLock lock(m_mutex);
    const auto copyOut =
        [&](std::uint64_t page, std::size_t inPage, std::size_t at, std::size_t count)
            MP_NO_THREAD_ANALYSIS -> Status {
        const auto found = m_pages.find(page);
        if (found == m_pages.end()) {
            std::memset(into.data() + at, 0, count);
        } else {
            std::memcpy(into.data() + at, found->second->data() + inPage, count);
        }
        return {};
    };
    return forEachPage(offset, into.size(), copyOut);
}

Status MemoryDevice::write(ByteOffset offset, Bytes from)
{
    MP_TRY(checkRange(*this, offset, from.size()));
    const ExclusiveLock lock(m_mutex);
    const auto copyIn =
        [&](std::uint64_t page, std::size_t inPage, std::size_t at, std::size_t count)
            MP_NO_THREAD_ANALYSIS -> Status {
        return writePage(page, inPage, from.subspan(at, count));
    };
    return forEachPage(offset, from.size(), copyIn);
}

Status MemoryDevice::writePage(std::uint64_t page, std::size_t inPage, Bytes from)
{
    auto found = m_pages.find(page);
    if (found == m_pages.end()) {
        if (isZero(from)) {
            return {};
        }
        if (m_pages.size() >= m_options.maxPages) {
            return fail(ErrorCode::DeviceIo, "the memory device is full", {.path = m_options.path});
        }
        found = m_pages.emplace(page, std::make_unique<Page>()).first;
    }
    std::memcpy(found->second->data() + inPage, from.data(), from.size());
    if (isZero(*found->second)) {
        m_pages.erase(found);
    }
    return {};
}

Status MemoryDevice::discard(ByteOffset offset, ByteCount size)
{
    MP_TRY(checkRange(*this, offset, size.value()));
    const ExclusiveLock lock(m_mutex);
    const auto clear = [&](std::uint64_t page, std::size_t inPage, std::size_t, std::size_t count)
                           MP_NO_THREAD_ANALYSIS -> Status {
        const auto found = m_pages.find(page);
        if (found != m_pages.end()) {
            std::memset(found->second->data() + inPage, 0, count);
            if (isZero(*found->second)) {
                m_pages.erase(found);
            }
        }
        return {};
    };
    return forEachPage(offset, size.value(), clear);
}

std::size_t MemoryDevice::storedPages() const
{
    const SharedLock lock(m_mutex);
    return m_pages.size();
}

} // namespace millpond::device
