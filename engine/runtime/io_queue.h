// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/types.h"

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace millpond::runtime {

enum class IoOp : std::uint8_t
{
    Read,
    Write,
    Sync ///< fsync(2): everything written before reaches stable storage
};

/// Called once for each request, from a thread of the queue. Must be short, must not wait, and must
/// not submit to the same queue.
using IoCompletion = std::move_only_function<void(Status)>;

struct IoRequest
{
    IoOp op = IoOp::Read;
    int file = -1; ///< descriptor; stays open until completion
    ByteOffset offset;
    MutableBytes into; ///< Read: filled completely or the request fails
    Bytes from;        ///< Write: written completely or the request fails
    /// Named in errors; outlives the request.
    const std::string* path = nullptr;
    IoCompletion done;
};

enum class IoBackend : std::uint8_t
{
    Auto, ///< io_uring where the kernel allows it, else threads
    Uring,
    Threads ///< pread and pwrite on a few threads
};

struct IoQueueOptions
{
    IoBackend backend = IoBackend::Auto;
    unsigned depth = 128; ///< requests in flight, 1 to 4096
    unsigned threads = 4; ///< of the Threads back end
};

/// Reads and writes of files and devices that go on in parallel. Theory statement: io_queue.cpp.
/// Thread-safe. The destructor waits for all completions.
class IoQueue
{
public:
    /// UnsupportedMethod when Uring is asked for and not to be had; System when threads cannot be
    /// started; InvalidArgument for options out of range.
    [[nodiscard]] static Result<std::unique_ptr<IoQueue>>
    create(const IoQueueOptions& options = {});
    virtual ~IoQueue() = default;

    /// Takes over every request of the batch (their completions are moved from). While `depth`
    /// requests are in flight the caller waits. Errors of a request go to its completion: DeviceIo
    /// with path and errno text; a read that meets the end of the file is DeviceIo too.
    virtual void submit(std::span<IoRequest> batch) = 0;

    [[nodiscard]] virtual IoBackend backend() const = 0;
};

/// One request in the calling thread, with the same rules; its completion is not called.
[[nodiscard]] Status runBlocking(IoRequest request);

/// Bytes from `offset` on fill the pieces in turn, in as few system calls as the system allows.
/// In the calling thread; errors as for a read request.
[[nodiscard]] Status readScattered(int file,
                                   ByteOffset offset,
                                   std::span<const MutableBytes> into,
                                   const std::string& path);

} // namespace millpond::runtime
