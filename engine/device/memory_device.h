// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "device/block_device.h"

#include <array>
#include <unordered_map>

namespace millpond::device {

/// A sparse device in memory: pages of zeroes are not stored. For shadow pools, tests and fuzzing.
class MemoryDevice final : public BlockDevice
{
public:
    static constexpr std::size_t kPageBytes = 4096;

    struct Options
    {
        std::string path = "memory";
        ByteCount size;
        ByteCount logicalSector{512};
        ByteCount physicalSector{4096};
        /// Pages that may be stored; beyond it writes fail with DeviceIo.
        std::size_t maxPages = 1'048'576;
    };

    explicit MemoryDevice(Options options);

    [[nodiscard]] const std::string& path() const override { return m_options.path; }

    [[nodiscard]] ByteCount size() const override { return m_options.size; }

    [[nodiscard]] ByteCount logicalSector() const override { return m_options.logicalSector; }

    [[nodiscard]] ByteCount physicalSector() const override { return m_options.physicalSector; }

    [[nodiscard]] bool writable() const override { return true; }

    [[nodiscard]] Status read(ByteOffset offset, MutableBytes into) override;
    [[nodiscard]] Status write(ByteOffset offset, Bytes from) override;

    [[nodiscard]] Status flush() override { return {}; }

    [[nodiscard]] Status discard(ByteOffset offset, ByteCount size) override; ///< reads as zeroes

    [[nodiscard]] std::size_t storedPages() const;

private:
    using Page = std::array<std::byte, kPageBytes>;

    [[nodiscard]] Status writePage(std::uint64_t page, std::size_t inPage, Bytes from)
        MP_REQUIRES(m_mutex);

    const Options m_options;
    mutable SharedMutex m_mutex;
    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> m_pages MP_GUARDED_BY(m_mutex);
};

} // namespace millpond::device
