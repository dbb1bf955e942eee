// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "device/block_device.h"

#include <functional>
#include <limits>
#include <vector>

// Wrappers that misbehave on purpose, for tests and simulation. Each takes requests one by one in
// the calling thread.

namespace millpond::device {

struct DeviceRange
{
    ByteOffset offset;
    ByteCount size;

    [[nodiscard]] bool touches(ByteOffset at, std::size_t count) const
    {
        return at < offset + size && offset < at + ByteCount(count);
    }
};

/// Passes everything on.
class DeviceWrapper : public BlockDevice
{
public:
    explicit DeviceWrapper(DeviceRef inner)
        : m_inner(std::move(inner))
    {
    }

    [[nodiscard]] const std::string& path() const override { return m_inner->path(); }

    [[nodiscard]] ByteCount size() const override { return m_inner->size(); }

    [[nodiscard]] ByteCount logicalSector() const override { return m_inner->logicalSector(); }

    [[nodiscard]] ByteCount physicalSector() const override { return m_inner->physicalSector(); }

    [[nodiscard]] bool writable() const override { return m_inner->writable(); }

    [[nodiscard]] Status read(ByteOffset offset, MutableBytes into) override
    {
        return m_inner->read(offset, into);
    }

    [[nodiscard]] Status write(ByteOffset offset, Bytes from) override
    {
        return m_inner->write(offset, from);
    }

    [[nodiscard]] Status flush() override { return m_inner->flush(); }

    [[nodiscard]] Status discard(ByteOffset offset, ByteCount count) override
    {
        return m_inner->discard(offset, count);
    }

protected:
    [[nodiscard]] BlockDevice& inner() { return *m_inner; }

private:
    DeviceRef m_inner;
};

/// Fails calls: the n-th, all from the n-th on, or those that touch a range. Plans may be changed
/// while it is in use.
class FaultyDevice final : public DeviceWrapper
{
public:
    using DeviceWrapper::DeviceWrapper;

    static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

    struct Plan
    {
        std::uint64_t failAt = kNever;      ///< call number, from 0
        bool stayFailed = false;            ///< and every later call: the device has vanished
        std::vector<DeviceRange> badReads;  ///< a read of any byte of it fails
        std::vector<DeviceRange> badWrites; ///< a write likewise
    };

    void setPlan(Plan plan);
    /// Calls seen so far: reads, writes, flushes and discards.
    [[nodiscard]] std::uint64_t calls() const;

    [[nodiscard]] Status read(ByteOffset offset, MutableBytes into) override;
    [[nodiscard]] Status write(ByteOffset offset, Bytes from) override;
    [[nodiscard]] Status flush() override;
    [[nodiscard]] Status discard(ByteOffset offset, ByteCount count) override;

private:
    [[nodiscard]] Status
    step(const std::vector<DeviceRange> Plan::* bad, ByteOffset offset, std::size_t size);

    mutable Mutex m_mutex;
    Plan m_plan MP_GUARDED_BY(m_mutex);
    std::uint64_t m_calls MP_GUARDED_BY(m_mutex) = 0;
};

/// Reads of the given ranges return other bytes than are stored, always the same ones.
class CorruptingDevice final : public DeviceWrapper
{
public:
    CorruptingDevice(DeviceRef inner, std::uint64_t seed)
        : DeviceWrapper(std::move(inner))
        , m_seed(seed)
    {
    }

    void setRanges(std::vector<DeviceRange> ranges);
    [[nodiscard]] Status read(ByteOffset offset, MutableBytes into) override;

private:
    const std::uint64_t m_seed;
    mutable Mutex m_mutex;
    std::vector<DeviceRange> m_ranges MP_GUARDED_BY(m_mutex);
};

/// Power fails during the n-th write: its first `keptSectors` sectors arrive, the rest and every
/// later write and flush fail; reads go on, as after the next start.
class TornDevice final : public DeviceWrapper
{
public:
    struct Plan
    {
        std::uint64_t tearWrite = 0; ///< from 0
        std::uint64_t keptSectors = 0;
    };

    TornDevice(DeviceRef inner, Plan plan)
        : DeviceWrapper(std::move(inner))
        , m_plan(plan)
    {
    }

    [[nodiscard]] Status write(ByteOffset offset, Bytes from) override;
    [[nodiscard]] Status flush() override;

private:
    [[nodiscard]] Status noPower() const;

    const Plan m_plan;
    Mutex m_mutex;
    std::uint64_t m_writes MP_GUARDED_BY(m_mutex) = 0;
    bool m_off MP_GUARDED_BY(m_mutex) = false;
};

/// Calls `wait` before each call: a slow disk, or one that waits for the test's word.
class DelayDevice final : public DeviceWrapper
{
public:
    DelayDevice(DeviceRef inner, std::function<void()> wait)
        : DeviceWrapper(std::move(inner))
        , m_wait(std::move(wait))
    {
    }

    [[nodiscard]] Status read(ByteOffset offset, MutableBytes into) override;
    [[nodiscard]] Status write(ByteOffset offset, Bytes from) override;
    [[nodiscard]] Status flush() override;

private:
    const std::function<void()> m_wait;
};

} // namespace millpond::device
