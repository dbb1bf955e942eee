// SPDX-License-Identifier: GPL-3.0-or-later
#include "vdev/detail/leaf.h"

#include "format/label.h"

#include <algorithm>
#include <bit>

namespace millpond::vdev::detail {

namespace {

constexpr unsigned kFirstBucketBits = 10; ///< up to a microsecond
constexpr auto kRelaxed = std::memory_order_relaxed;

constexpr ByteOffset onDevice(ByteOffset offset)
{
    return offset + ByteCount(format::kLabelStartBytes);
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

void LeafCounters::countRead(std::size_t bytes, std::uint64_t nanoseconds)
{
    const auto width = static_cast<unsigned>(std::bit_width(nanoseconds));
    const std::size_t bucket = width <= kFirstBucketBits ? 0 : width - kFirstBucketBits;
    m_readOps.fetch_add(1, kRelaxed);
    m_readBytes.fetch_add(bytes, kRelaxed);
    m_readTimeNs.fetch_add(nanoseconds, kRelaxed);
    m_latency[std::min(bucket, IoStats::kBuckets - 1)].fetch_add(1, kRelaxed);
}

void LeafCounters::countWrite(std::size_t bytes, std::uint64_t nanoseconds)
{
    m_writeOps.fetch_add(1, kRelaxed);
    m_writeBytes.fetch_add(bytes, kRelaxed);
    m_writeTimeNs.fetch_add(nanoseconds, kRelaxed);
}

IoStats LeafCounters::stats() const
{
    IoStats stats;
    stats.readOps = m_readOps.load(kRelaxed);
    stats.readBytes = m_readBytes.load(kRelaxed);
    stats.readTimeNs = m_readTimeNs.load(kRelaxed);
    stats.writeOps = m_writeOps.load(kRelaxed);
    stats.writeBytes = m_writeBytes.load(kRelaxed);
    stats.writeTimeNs = m_writeTimeNs.load(kRelaxed);
    for (std::size_t i = 0; i < IoStats::kBuckets; ++i) {
        stats.readLatency[i] = m_latency[i].load(kRelaxed);
    }
    return stats;
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
    m_inFlight.fetch_add(1, kRelaxed);
    Status status = m_device->read(onDevice(offset), into);
    m_inFlight.fetch_sub(1, kRelaxed);
    m_counters.countRead(into.size(), m_context.now() - begun);
    return status;
}

bool Leaf::tryReadScattered(ByteOffset offset, std::span<const MutableBytes> into)
{
    std::size_t size = 0;
    for (const MutableBytes& piece : into) {
        size += piece.size();
    }
    const std::uint64_t begun = m_context.now();
    m_inFlight.fetch_add(1, kRelaxed);
    const Status status = m_device->readScattered(onDevice(offset), into);
    m_inFlight.fetch_sub(1, kRelaxed);
    m_counters.countRead(size, m_context.now() - begun);
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
    m_inFlight.fetch_add(1, kRelaxed);
    Status status = m_device->write(onDevice(offset), from);
    m_inFlight.fetch_sub(1, kRelaxed);
    m_counters.countWrite(from.size(), m_context.now() - begun);
    if (status) {
        return status;
    }
    m_counters.countWriteError();
    return fail(std::move(status).error().at({.vdev = m_guid, .path = knownAs()}));
}

device::DeviceRequest Leaf::writeRequest(ByteOffset offset, Bytes from, runtime::IoCompletion done)
{
    m_inFlight.fetch_add(1, kRelaxed);
    return {.op = runtime::IoOp::Write,
            .offset = onDevice(offset),
            .into = {},
            .from = from,
            .done = [this, begun = m_context.now(), size = from.size(), done = std::move(done)](
                        Status status) mutable {
                m_inFlight.fetch_sub(1, kRelaxed);
                m_counters.countWrite(size, m_context.now() - begun);
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
        leaf.m_inFlight.fetch_add(1, kRelaxed);
        const std::uint64_t begun = leaf.m_context.now();
        device::DeviceRequest request{.op = runtime::IoOp::Read,
                                      .offset = onDevice(piece.offset),
                                      .into = piece.into,
                                      .from = {},
                                      .done = [&piece, &countdown, begun](Status status) {
                                          Leaf& read = *piece.leaf;
                                          read.m_inFlight.fetch_sub(1, kRelaxed);
                                          read.m_counters.countRead(piece.into.size(),
                                                                    read.m_context.now() - begun);
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
