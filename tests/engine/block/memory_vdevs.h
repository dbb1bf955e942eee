// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "block/block_reader.h"
#include "codec/checksum.h"
#include "codec/compression.h"
#include "format/gang.h"
#include "format/nvlist.h"

#include <atomic>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <vector>

// Top-level vdevs in memory without redundancy, and block pointers to what is written to them.

namespace millpond::test {

using ByteVector = std::vector<std::byte>;

class MemoryTop final : public vdev::TopLevel
{
public:
    MemoryTop(VdevId id, std::size_t size)
        : m_id(id)
        , m_bytes(size)
    {
    }

    [[nodiscard]] VdevId id() const override { return m_id; }

    [[nodiscard]] VdevGuid guid() const override { return VdevGuid(1000 + m_id.value()); }

    [[nodiscard]] vdev::VdevKind kind() const override { return vdev::VdevKind::Disk; }

    [[nodiscard]] vdev::AllocationClass allocationClass() const override
    {
        return vdev::AllocationClass::Normal;
    }

    [[nodiscard]] Ashift ashift() const override { return Ashift(9); }

    [[nodiscard]] ByteCount allocatable() const override { return ByteCount(m_bytes.size()); }

    [[nodiscard]] const format::NvList& config() const override { return m_config; }

    [[nodiscard]] bool readable() const override { return !missing; }

    [[nodiscard]] ByteCount allocatedSize(ByteCount physicalSize) const override
    {
        return physicalSize;
    }

    [[nodiscard]] Result<vdev::ReadOutcome> read(ByteOffset offset,
                                                 MutableBytes out,
                                                 const vdev::Verifier& verify,
                                                 const vdev::ReadOptions& /*options*/) override
    {
        ++reads;
        if (beforeRead) {
            beforeRead();
        }
        if (missing) {
            return fail(ErrorCode::DeviceMissing, "the device is missing");
        }
        if (offset.value() > m_bytes.size() || out.size() > m_bytes.size() - offset.value()) {
            return fail(ErrorCode::BadBlockPointer, "outside the vdev");
        }
        std::memcpy(out.data(), &m_bytes[offset.value()], out.size());
        if (!verify(out)) {
            return fail(ErrorCode::ChecksumMismatch, "the checksum does not match");
        }
        return vdev::ReadOutcome{};
    }

    void readRun(std::span<vdev::RunBlock> blocks) override
    {
        ++runs;
        for (vdev::RunBlock& block : blocks) {
            ++reads;
            if (beforeRead) {
                beforeRead();
            }
            const std::uint64_t offset = block.offset.value();
            if (!missing && offset <= m_bytes.size() &&
                block.out.size() <= m_bytes.size() - offset) {
                std::memcpy(block.out.data(), &m_bytes[offset], block.out.size());
                block.isRead = true;
            }
        }
    }

    [[nodiscard]] Result<vdev::ScrubOutcome> scrubRead(ByteOffset offset,
                                                       MutableBytes out,
                                                       const vdev::Verifier& verify,
                                                       const vdev::ReadOptions& options,
                                                       const vdev::ScrubSink& sink) override
    {
        auto outcome = read(offset, out, verify, options);
        if (!outcome) {
            sink({.kind = outcome.error().is(ErrorCode::DeviceMissing)
                              ? vdev::ScrubFinding::Kind::AwaitingResilver
                              : vdev::ScrubFinding::Kind::BadData,
                  .leaf = guid(),
                  .path = {},
                  .offset = offset,
                  .size = ByteCount(out.size())});
            return fail(std::move(outcome).error());
        }
        return vdev::ScrubOutcome{.bytesRead = out.size(), .findings = 0};
    }

    /// At the next free place.
    std::uint64_t append(Bytes bytes)
    {
        const std::uint64_t at = m_next;
        std::memcpy(&m_bytes.at(at), bytes.data(), bytes.size());
        m_next += alignUp(bytes.size(), 512);
        return at;
    }

    ByteVector& bytes() { return m_bytes; }

    std::atomic<bool> missing = false;
    std::atomic<unsigned> reads = 0;  ///< of blocks
    std::atomic<unsigned> runs = 0;   ///< of more than one
    std::function<void()> beforeRead; ///< in the reading thread

private:
    VdevId m_id;
    format::NvList m_config;
    ByteVector m_bytes;
    std::uint64_t m_next = 512; // a block at offset 0 of vdev 0 looks like a hole
};

class MemoryVdevs final : public block::VdevMap
{
public:
    explicit MemoryVdevs(std::uint32_t count, std::size_t size = 8 * MiB)
    {
        for (std::uint32_t id = 0; id < count; ++id) {
            m_tops.push_back(std::make_unique<MemoryTop>(VdevId(id), size));
        }
    }

    [[nodiscard]] vdev::TopLevel* top(VdevId id) const override
    {
        return id.value() < m_tops.size() ? m_tops[id.value()].get() : nullptr;
    }

    [[nodiscard]] std::uint32_t count() const override
    {
        return static_cast<std::uint32_t>(m_tops.size());
    }

    MemoryTop& operator[](std::size_t id) { return *m_tops[id]; }

private:
    std::vector<std::unique_ptr<MemoryTop>> m_tops;
};

struct WriteSpec
{
    codec::ChecksumAlgorithm checksum = codec::ChecksumAlgorithm::Fletcher4;
    codec::CompressionAlgorithm compression = codec::CompressionAlgorithm::Off;
    ByteOrder order = ByteOrder::Little;
    std::vector<std::uint32_t> vdevs = {0}; ///< one copy on each
    const codec::ChecksumSalt* salt = nullptr;
    std::uint8_t type = 19;
    bool crypt = false;
    std::uint64_t birth = 7;
};

/// Writes a block and gives its pointer, as a writer would.
[[nodiscard]] format::BlockPointer
writeBlock(MemoryVdevs& vdevs, const ByteVector& content, const WriteSpec& spec);

/// The same cut into pieces of the given sizes (a gang), each piece again a gang of gangs for
/// `depth` more levels.
[[nodiscard]] format::BlockPointer
writeGang(MemoryVdevs& vdevs, const ByteVector& content, const WriteSpec& spec, unsigned depth);

[[nodiscard]] ByteVector randomBytes(std::uint64_t seed, std::size_t size);
[[nodiscard]] ByteVector textBytes(std::size_t size); ///< compressible

} // namespace millpond::test
