// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/block_device.h"

#include <fmt/format.h>

namespace millpond::device {

Status BlockDevice::readScattered(ByteOffset offset, std::span<const MutableBytes> into)
{
    for (const MutableBytes& piece : into) {
        MP_TRY(read(offset, piece));
        offset = offset + ByteCount(piece.size());
    }
    return {};
}

void BlockDevice::submit(std::span<DeviceRequest> batch)
{
    for (DeviceRequest& request : batch) {
        switch (request.op) {
        case runtime::IoOp::Read:
            request.done(read(request.offset, request.into));
            break;
        case runtime::IoOp::Write:
            request.done(write(request.offset, request.from));
            break;
        case runtime::IoOp::Sync:
            request.done(flush());
            break;
        }
    }
}

Status checkRange(const BlockDevice& device, ByteOffset offset, std::size_t size)
{
    std::uint64_t end = 0;
    if (!checkedAdd(offset.value(), size, end) || end > device.size().value()) {
        return fail(ErrorCode::DeviceIo,
                    fmt::format("{} bytes at {} lie outside the device of {} bytes",
                                size,
                                offset.value(),
                                device.size().value()),
                    {.path = device.path()});
    }
    return {};
}

} // namespace millpond::device
