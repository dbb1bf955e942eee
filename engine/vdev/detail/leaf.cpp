// SPDX-License-Identifier: GPL-3.0-or-later
#include "vdev/detail/leaf.h"

#include "base/mutex.h"
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

/// Completions count down; the waiter may go away as soon as wait() returns.
class Countdown
{
public:
    explicit Countdown(std::size_t count)
        : m_left(count)
    {
    }

    void step()
    {
        const MutexLock lock(m_mutex);
        if (--m_left == 0) {
            m_done.notifyAll(); // under the lock: the waiter destroys us when it has it
        }
    }

    void wait()
    {
        const MutexLock lock(m_mutex);
        while (m_left > 0) {
            m_done.wait(m_mutex);
        }
    }

private:
    Mutex m_mutex;
    CondVar m_done;
    std::size_t m_left MP_GUARDED_BY(m_mutex);
};

} // namespace

void LeafCounters::countRead(std::size_t bytes, std::uint64_t nanoseconds)
{
    const auto width = static_cast<unsigned>(std::bit_width(nanoseconds));
    const std::size_t bucket = width <= kFirstBucketBits ? 0 : width - kFirstBucketBits;
    m_readOps.fetch_add(1, kRelaxed);
    m_readBytes.fetch_add(bytes, kRelaxed);
    m_readTimeNs.fetch_add(nanoseconds, kRelaxed);
    m_latency[std::min(bucket, IoStats::kBuckets - 1)].fetch_add(1, kRelaxed);
}

IoStats LeafCounters::stats() const
{
    IoStats stats;
    stats.readOps = m_readOps.load(kRelaxed);
    stats.readBytes = m_readBytes.load(kRelaxed);
    stats.readTimeNs = m_readTimeNs.load(kRelaxed);
    for (std::size_t i = 0; i < IoStats::kBuckets; ++i) {
        stats.readLatency[i] = m_latency[i].load(kRelaxed);
    }
    return stats;
}

ErrorCounts LeafCounters::errors() const
{
    return {.read = m_readErrors.load(kRelaxed),
            .write = 0,
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
    return birth != Txg(0) && m_context.missed && m_context.missed(m_guid, birth);
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
