// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/types.h"

#include <memory>

namespace millpond {

/// A block of memory, from kAlignment bytes on aligned for direct I/O. Move only. Its bytes are not
/// initialised.
class Buffer
{
public:
    static constexpr std::size_t kAlignment = 4096;

    Buffer() = default;
    /// For sizes that this program chose, or that were checked against the format's limits.
    /// A size beyond kMaxBytes or a failed allocation is OutOfMemory.
    [[nodiscard]] static Result<Buffer> create(std::size_t size);
    [[nodiscard]] static Result<Buffer> createZeroed(std::size_t size);
    [[nodiscard]] static Result<Buffer> copyOf(Bytes bytes);

    /// No single allocation is larger: four times the largest block of the format (16 MiB).
    static constexpr std::size_t kMaxBytes = 64 * MiB;

    [[nodiscard]] std::size_t size() const { return m_size; }

    [[nodiscard]] bool empty() const { return m_size == 0; }

    [[nodiscard]] MutableBytes bytes() { return {m_data.get(), m_size}; }

    [[nodiscard]] Bytes bytes() const { return {m_data.get(), m_size}; }

    /// Keeps the memory, forgets the tail.
    void shrink(std::size_t size);

private:
    struct Free
    {
        void operator()(std::byte* data) const;
    };

    std::unique_ptr<std::byte, Free> m_data;
    std::size_t m_size = 0;
};

/// Shared, immutable: what caches hand out.
using BufferRef = std::shared_ptr<const Buffer>;

} // namespace millpond
