// SPDX-License-Identifier: GPL-3.0-or-later
#include "crash/power_cut.h"

#include "base/check.h"

#include <algorithm>
#include <cstring>

namespace millpond::test {

namespace {
/// What a disk writes whole or not at all.
constexpr std::size_t kSector = 512;

/// The devices are memory: writing to them can't fail.
void put(device::BlockDevice& device, ByteOffset offset, Bytes data)
{
    const Status written = device.write(offset, data);
    MP_CHECK(written.has_value());
}

void tear(device::BlockDevice& device, const DoneRequest& request, Random& random)
{
    for (std::size_t at = 0; at < request.data.size(); at += kSector) {
        if (random.next() % 2 == 0) {
            const std::size_t size = std::min(kSector, request.data.size() - at);
            put(device, request.offset + ByteCount(at), Bytes(request.data).subspan(at, size));
        }
    }
}
} // namespace

Status OverlayDevice::read(ByteOffset offset, MutableBytes into)
{
    MP_TRY(inner().read(offset, into));
    const MutexLock lock(m_mutex);
    const std::uint64_t begin = offset.value();
    const std::uint64_t end = begin + into.size();
    for (auto page = m_pages.lower_bound(begin / kPage);
         page != m_pages.end() && page->first * kPage < end;
         ++page) {
        const std::uint64_t from = std::max(begin, page->first * kPage);
        const std::uint64_t to = std::min(end, (page->first + 1) * kPage);
        std::memcpy(&into[from - begin], &page->second[from % kPage], to - from);
    }
    return {};
}

Status OverlayDevice::write(ByteOffset offset, Bytes from)
{
    MP_TRY(device::checkRange(*this, offset, from.size()));
    const MutexLock lock(m_mutex);
    while (!from.empty()) {
        const std::uint64_t number = offset.value() / kPage;
        const std::size_t inPage = offset.value() % kPage;
        const std::size_t size = std::min(kPage - inPage, from.size());
        auto page = m_pages.find(number);
        if (page == m_pages.end()) {
            page = m_pages.emplace(number, Page{}).first;
            const std::uint64_t there = std::min(kPage, this->size().value() - number * kPage);
            MP_TRY(
                inner().read(ByteOffset(number * kPage), MutableBytes(page->second).first(there)));
        }
        std::memcpy(&page->second[inPage], from.data(), size);
        offset = offset + ByteCount(size);
        from = from.subspan(size);
    }
    return {};
}

void RequestStream::add(DoneRequest request)
{
    const MutexLock lock(m_mutex);
    m_requests.push_back(std::move(request));
}

std::size_t RequestStream::size() const
{
    const MutexLock lock(m_mutex);
    return m_requests.size();
}

Status RecordingDevice::write(ByteOffset offset, Bytes from)
{
    MP_TRY(inner().write(offset, from));
    m_stream.add({m_index, offset, {from.begin(), from.end()}});
    return {};
}

/// Recorded before it is done: what is written meanwhile is not flushed for certain.
Status RecordingDevice::flush()
{
    m_stream.add({m_index, {}, {}});
    return inner().flush();
}

CutReplay::CutReplay(const std::vector<device::DeviceRef>& before, const RequestStream& stream)
    : m_stream(stream)
    , m_pending(before.size())
{
    for (const device::DeviceRef& device : before) {
        m_durable.push_back(std::make_shared<OverlayDevice>(device));
    }
}

void CutReplay::advance(std::size_t count)
{
    for (; m_done < count; ++m_done) {
        const DoneRequest& request = m_stream[m_done];
        std::vector<std::size_t>& pending = m_pending[request.device];
        if (!request.isFlush()) {
            pending.push_back(m_done);
            continue;
        }
        for (const std::size_t i : pending) {
            put(*m_durable[request.device], m_stream[i].offset, m_stream[i].data);
        }
        pending.clear();
    }
}

std::vector<device::DeviceRef> CutReplay::devices(Unflushed unflushed, Random& random) const
{
    std::vector<device::DeviceRef> devices;
    for (std::size_t i = 0; i < m_durable.size(); ++i) {
        devices.push_back(std::make_shared<OverlayDevice>(m_durable[i]));
        if (unflushed == Unflushed::Lost) {
            continue;
        }
        for (const std::size_t number : m_pending[i]) {
            const DoneRequest& request = m_stream[number];
            if (unflushed == Unflushed::Torn) {
                tear(*devices.back(), request, random);
            } else if (unflushed == Unflushed::Kept || random.next() % 2 == 0) {
                put(*devices.back(), request.offset, request.data);
            }
        }
    }
    return devices;
}

} // namespace millpond::test
