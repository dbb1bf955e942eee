// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/mutex.h"
#include "device/fault_devices.h"

#include <array>
#include <map>
#include <vector>

// Power cuts: what a set of devices was asked to do is recorded once, and what could be on them
// after a cut at any place of that stream is put together from it.

namespace millpond::test {

/// Changes to a device, kept in memory over what it was.
class OverlayDevice final : public device::DeviceWrapper
{
public:
    using DeviceWrapper::DeviceWrapper;

    [[nodiscard]] bool writable() const override { return true; }

    [[nodiscard]] Status read(ByteOffset offset, MutableBytes into) override;
    [[nodiscard]] Status write(ByteOffset offset, Bytes from) override;

    [[nodiscard]] Status flush() override { return {}; }

    [[nodiscard]] Status discard(ByteOffset, ByteCount) override { return {}; }

private:
    static constexpr std::size_t kPage = 4096;
    using Page = std::array<std::byte, kPage>;

    Mutex m_mutex;
    std::map<std::uint64_t, Page> m_pages MP_GUARDED_BY(m_mutex);
};

/// A write, or a flush (no data), that a device has done.
struct DoneRequest
{
    std::size_t device = 0;
    ByteOffset offset;
    std::vector<std::byte> data;

    [[nodiscard]] bool isFlush() const { return data.empty(); }
};

/// All devices' requests in the order they were done in.
class RequestStream
{
public:
    void add(DoneRequest request);
    [[nodiscard]] std::size_t size() const;

    /// While nothing is recorded any more.
    [[nodiscard]] const DoneRequest& operator[](std::size_t i) const { return m_requests[i]; }

private:
    mutable Mutex m_mutex;
    std::vector<DoneRequest> m_requests;
};

class RecordingDevice final : public device::DeviceWrapper
{
public:
    RecordingDevice(device::DeviceRef inner, std::size_t index, RequestStream& stream)
        : DeviceWrapper(std::move(inner))
        , m_index(index)
        , m_stream(stream)
    {
    }

    [[nodiscard]] Status write(ByteOffset offset, Bytes from) override;
    [[nodiscard]] Status flush() override;

    [[nodiscard]] Status discard(ByteOffset, ByteCount) override { return {}; }

private:
    const std::size_t m_index;
    RequestStream& m_stream;
};

/// What becomes of writes that were not flushed.
enum class Unflushed : std::uint8_t
{
    Kept,
    Lost,
    Torn,      ///< of each write some sectors arrive
    Reordered, ///< some writes arrive, others do not
};

inline constexpr std::array kAllUnflushed{
    Unflushed::Kept, Unflushed::Lost, Unflushed::Torn, Unflushed::Reordered};

/// The devices after a cut: goes through the stream once.
class CutReplay
{
public:
    /// `before`: the devices as they were when recording began; nobody changes them.
    CutReplay(const std::vector<device::DeviceRef>& before, const RequestStream& stream);

    /// The power fails when the first `count` requests are done; not fewer than at the last call.
    void advance(std::size_t count);
    /// Each its own copy, which may be written to, until advance().
    [[nodiscard]] std::vector<device::DeviceRef> devices(Unflushed unflushed, Random& random) const;

private:
    const RequestStream& m_stream;
    std::vector<device::DeviceRef> m_durable;
    std::vector<std::vector<std::size_t>> m_pending; ///< not flushed, of each device
    std::size_t m_done = 0;
};

} // namespace millpond::test
