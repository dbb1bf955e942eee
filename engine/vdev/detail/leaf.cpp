// SPDX-License-Identifier: GPL-3.0-or-later
#include "vdev/detail/leaf.h"

#include "format/label.h"

#include <algorithm>
#include <bit>

namespace millpond::vdev::detail {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

constexpr ByteOffset onDevice(ByteOffset offset)
{
    return offset + ByteCount(format::kLabelStartBytes);
}

template <std::size_t Size>
std::atomic<std::uint64_t>& bucketOf(std::array<std::atomic<std::uint64_t>, Size>& histogram,
                                     std::uint64_t value)
{
    const auto width = static_cast<std::size_t>(std::bit_width(value));
    return histogram[std::min(width == 0 ? 0 : width - 1, Size - 1)];
}

} // namespace

void Countdown::step()
{
    const MutexLock lock(m_mutex);
    if (--m_left == 0) {
        m_done.notifyAll(); // under the lock: the waiter destroys us when it has it
    }
}

void Countdown::wait()
{
    const MutexLock lock(m_mutex);
    while (m_left > 0) {
        m_done.wait(m_mutex);
    }
}

void RequestCounters::end(std::size_t bytes, std::uint64_t nanoseconds, bool joined)
{
    m_active.fetch_sub(1, kRelaxed);
    m_count.fetch_add(1, kRelaxed);
    m_bytes.fetch_add(bytes, kRelaxed);
    m_nanoseconds.fetch_add(nanoseconds, kRelaxed);
    bucketOf(m_latency, nanoseconds).fetch_add(1, kRelaxed);
    bucketOf(joined ? m_joinedSize : m_size, bytes).fetch_add(1, kRelaxed);
}

RequestHistograms RequestCounters::histograms() const
{
    RequestHistograms histograms;
    std::ranges::transform(m_latency, histograms.latency.begin(), load);
    std::ranges::transform(m_size, histograms.size.begin(), load);
    std::ranges::transform(m_joinedSize, histograms.joinedSize.begin(), load);
    return histograms;
}

IoStats LeafCounters::stats() const
{
    return {.readOps = reads.count(),
            .writeOps = writes.count(),
            .readBytes = reads.bytes(),
            .writeBytes = writes.bytes(),
            .readTimeNs = reads.nanoseconds(),
            .writeTimeNs = writes.nanoseconds(),
            .readsActive = reads.active(),
            .writesActive = writes.active(),
            .reads = reads.histograms(),
            .writes = writes.histograms()};
}

ErrorCounts LeafCounters::errors() const
{
    return {.read = m_readErrors.load(kRelaxed),
            .write = m_writeErrors.load(kRelaxed),
            .checksum = m_checksumErrors.load(kRelaxed)};
}

Leaf::Leaf(VdevGuid guid, std::string path, device::DeviceRef device, const TreeContext& context)
    : m_guid(guid)
    , m_path(std::move(path))
    , m_device(std::move(device))
    , m_context(context)
{
}

bool Leaf::missed(Txg birth) const
{
    return birth != Txg(0) &&
           (m_journal.missed(birth) || (m_context.missed && m_context.missed(m_guid, birth)));
}

Status Leaf::readOnce(ByteOffset offset, MutableBytes into)
{
    const std::uint64_t begun = m_context.now();
    m_counters.reads.begin();
    Status status = m_device->read(onDevice(offset), into);
    m_counters.reads.end(into.size(), m_context.now() - begun, false);
    return status;
}

bool Leaf::tryReadScattered(ByteOffset offset, std::span<const MutableBytes> into)
{
    std::size_t size = 0;
    for (const MutableBytes& piece : into) {
        size += piece.size();
    }
    const std::uint64_t begun = m_context.now();
    m_counters.reads.begin();
    const Status status = m_device->readScattered(onDevice(offset), into);
    m_counters.reads.end(size, m_context.now() - begun, into.size() > 1);
    return status.has_value();
}

Status Leaf::retry(ByteOffset offset, MutableBytes into)
{
    Status status = readOnce(offset, into);
    if (status) {
        return status;
    }
    m_counters.countReadError();
    return fail(std::move(status).error().at({.vdev = m_guid, .path = knownAs()}));
}

Status Leaf::read(ByteOffset offset, MutableBytes into)
{
    Status status = readOnce(offset, into);
    return status ? std::move(status) : retry(offset, into);
}

Status Leaf::write(ByteOffset offset, Bytes from)
{
    const std::uint64_t begun = m_context.now();
    m_counters.writes.begin();
    Status status = m_device->write(onDevice(offset), from);
    m_counters.writes.end(from.size(), m_context.now() - begun, false);
    if (status) {
        return status;
    }
    m_counters.countWriteError();
    return fail(std::move(status).error().at({.vdev = m_guid, .path = knownAs()}));
}

device::DeviceRequest
Leaf::writeRequest(ByteOffset offset, Bytes from, bool joined, runtime::IoCompletion done)
{
    m_counters.writes.begin();
    return {
        .op = runtime::IoOp::Write,
        .offset = onDevice(offset),
        .into = {},
        .from = from,
        .done = [this, joined, begun = m_context.now(), size = from.size(), done = std::move(done)](
                    Status status) mutable {
            m_counters.writes.end(size, m_context.now() - begun, joined);
            done(std::move(status));
        }};
}

void Leaf::discard(ByteOffset offset, ByteCount size)
{
    if (size == ByteCount(0) || !readable() || m_cannotDiscard.load(kRelaxed)) {
        return;
    }
    const Status status = m_device->discard(onDevice(offset), size);
    if (!status && status.error().is(ErrorCode::UnsupportedMethod)) {
        m_cannotDiscard.store(true, kRelaxed);
    }
}

void readPieces(std::span<Piece> pieces)
{
    if (pieces.empty()) {
        return;
    }
    Piece& own = pieces.back();
    const std::span<Piece> others = pieces.first(pieces.size() - 1);
    Countdown countdown(others.size());
    for (Piece& piece : others) {
        Leaf& leaf = *piece.leaf;
        leaf.m_counters.reads.begin();
        const std::uint64_t begun = leaf.m_context.now();
        device::DeviceRequest request{
            .op = runtime::IoOp::Read,
            .offset = onDevice(piece.offset),
            .into = piece.into,
            .from = {},
            .done = [&piece, &countdown, begun](Status status) {
                Leaf& read = *piece.leaf;
                read.m_counters.reads.end(piece.into.size(), read.m_context.now() - begun, false);
                piece.status = std::move(status);
                countdown.step();
            }};
        leaf.m_device->submit(std::span(&request, 1));
    }
    own.status = own.leaf->read(own.offset, own.into);
    countdown.wait();
    for (Piece& piece : others) {
        if (!piece.status) {
            piece.status = piece.leaf->retry(piece.offset, piece.into);
        }
    }
}

} // namespace millpond::vdev::detail
