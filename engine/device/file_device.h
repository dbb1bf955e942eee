// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "device/block_device.h"

namespace millpond::device {

enum class Access : std::uint8_t
{
    /// Reads, holds nothing: for scanning. Another owner may write at the same time.
    Probe,
    /// Reads and keeps writers away: read-only imports and the offline check. Any number may share.
    ReadShared,
    /// Reads and writes, alone.
    WriteExclusive,
};

enum class PageCache : std::uint8_t
{
    Bypass, ///< O_DIRECT where the file system can, else as Use
    Use,
};

struct FileDeviceOptions
{
    Access access = Access::ReadShared;
    PageCache pageCache = PageCache::Bypass;
    /// For submit(); null: batches run in the caller's thread. Outlives the device.
    runtime::IoQueue* queue = nullptr;
};

/// Opens an image file or a block device. Errors: NoSuchDevice (no such file), NotPermitted,
/// DeviceBusy (somebody holds it; the text says who where the kernel tells), InvalidArgument
/// (neither file nor block device), DeviceIo.
[[nodiscard]] Result<DeviceRef> openFileDevice(const std::string& path,
                                               const FileDeviceOptions& options);

} // namespace millpond::device
