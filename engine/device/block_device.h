// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/types.h"
#include "runtime/io_queue.h"

#include <memory>
#include <span>
#include <string>

namespace millpond::device {

/// One read or write of a batch. Spans stay valid until `done` has been called; `done` obeys the
/// rules of runtime::IoCompletion.
struct DeviceRequest
{
    runtime::IoOp op = runtime::IoOp::Read;
    ByteOffset offset;
    MutableBytes into; ///< Read
    Bytes from;        ///< Write
    runtime::IoCompletion done;
};

/// A disk, partition, image file or memory, seen as bytes. Theory statement: file_device.cpp.
/// Thread-safe. Offsets and sizes need no alignment for reading; writes are multiples of the
/// logical sector. Errors: DeviceIo (path and reason) for anything the device refuses; a range that
/// leaves the device is DeviceIo as well, since it mostly stems from bytes on a disk.
class BlockDevice
{
public:
    virtual ~BlockDevice() = default;

    /// As opened: what messages name.
    [[nodiscard]] virtual const std::string& path() const = 0;
    [[nodiscard]] virtual ByteCount size() const = 0;
    [[nodiscard]] virtual ByteCount logicalSector() const = 0;
    [[nodiscard]] virtual ByteCount physicalSector() const = 0;
    [[nodiscard]] virtual bool writable() const = 0;

    /// Blocking, in the calling thread.
    [[nodiscard]] virtual Status read(ByteOffset offset, MutableBytes into) = 0;
    /// Likewise; the bytes fill the pieces in turn. This default reads piece by piece.
    [[nodiscard]] virtual Status readScattered(ByteOffset offset,
                                               std::span<const MutableBytes> into);
    /// ReadOnly when the device is not writable.
    [[nodiscard]] virtual Status write(ByteOffset offset, Bytes from) = 0;
    /// What was written before is on stable storage. A failure is final: never simply tried again.
    [[nodiscard]] virtual Status flush() = 0;
    /// The range reads as anything afterwards. UnsupportedMethod where the device cannot.
    [[nodiscard]] virtual Status discard(ByteOffset offset, ByteCount size) = 0;

    /// Starts a batch; the completions come in any order, from any thread, perhaps before this
    /// returns. This default runs the requests one after the other in the calling thread.
    virtual void submit(std::span<DeviceRequest> batch);
};

using DeviceRef = std::shared_ptr<BlockDevice>;

/// Checks that [offset, offset+size) lies on the device; the DeviceIo error names it.
[[nodiscard]] Status checkRange(const BlockDevice& device, ByteOffset offset, std::size_t size);

} // namespace millpond::device
