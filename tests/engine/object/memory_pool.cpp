// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/object/memory_pool.h"

#include <algorithm>
#include <utility>

namespace millpond::test {

using format::BlockPointer;

namespace {

constexpr unsigned kRewritePass = 2;

std::uint64_t propertyWord(const block::WriteRequest& request, std::uint64_t sectors)
{
    constexpr std::uint64_t kOff = 2;
    const block::WriteProperties& properties = request.properties;
    return (sectors - 1) | ((sectors - 1) << 16U) | (kOff << 32U) |
           (std::uint64_t(properties.checksum) << 40U) | (std::uint64_t{properties.type} << 48U) |
           (std::uint64_t{properties.level.value()} << 56U) | (std::uint64_t{1} << 63U);
}

} // namespace

Result<BufferRef> MemoryPool::read(const BlockPointer& pointer,
                                   const block::Bookmark& /*bookmark*/,
                                   const block::ReadContext& /*context*/)
{
    const MutexLock lock(m_mutex);
    const auto found = m_blocks.find(addressOf(pointer));
    if (found == m_blocks.end()) {
        return fail(ErrorCode::ChecksumMismatch, "nothing is there");
    }
    return found->second;
}

Status MemoryPool::write(std::span<block::WriteRequest> requests, Txg txg, unsigned pass)
{
    const MutexLock lock(m_mutex);
    if (txg > m_txg) {
        for (const std::uint64_t address : m_dead) {
            m_blocks.erase(address);
        }
        m_dead = std::exchange(m_dying, {});
        m_txg = txg;
    }
    for (block::WriteRequest& request : requests) {
        const std::uint64_t sectors = request.data->size() / format::kSectorBytes;
        const bool zero = std::ranges::all_of(request.data->bytes(),
                                              [](std::byte b) { return b == std::byte{0}; });
        BlockPointer& result = request.result;
        result = {};
        result.words[6] = propertyWord(request, sectors);
        result.words[10] = txg.value();
        request.outcome = block::WriteRequest::Outcome::Written;
        if (zero) {
            result.words[6] &= ~(std::uint64_t{0xffff} << 16U);
            continue;
        }
        result.words[11] = request.properties.fill;
        const BlockPointer& before = request.previous;
        std::uint64_t address = 0;
        if (pass >= kRewritePass && !before.isHole() && before.birth() == txg &&
            before.logicalSize().value() == request.data->size()) {
            address = addressOf(before);
            request.outcome = block::WriteRequest::Outcome::Rewritten;
            ++m_rewritten;
        } else {
            address = m_next;
            m_next += format::kSectorBytes;
        }
        result.words[0] = sectors;
        result.words[1] = address / format::kSectorBytes;
        m_blocks[address] = request.data;
    }
    return {};
}

Status MemoryPool::born(const BlockPointer& pointer)
{
    const MutexLock lock(m_mutex);
    if (!m_inUse.insert(addressOf(pointer)).second) {
        m_complaints.push_back("born twice: " + pointer.toText());
    }
    return {};
}

Status MemoryPool::killed(const BlockPointer& pointer)
{
    const MutexLock lock(m_mutex);
    if (m_inUse.erase(addressOf(pointer)) == 0) {
        m_complaints.push_back("killed twice: " + pointer.toText());
    }
    m_dying.insert(addressOf(pointer));
    return {};
}

std::set<std::uint64_t> MemoryPool::inUse() const
{
    const MutexLock lock(m_mutex);
    return m_inUse;
}

std::vector<std::string> MemoryPool::complaints() const
{
    const MutexLock lock(m_mutex);
    return m_complaints;
}

std::size_t MemoryPool::rewritten() const
{
    const MutexLock lock(m_mutex);
    return m_rewritten;
}

} // namespace millpond::test
