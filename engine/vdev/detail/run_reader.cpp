// SPDX-License-Identifier: GPL-3.0-or-later
#include "vdev/detail/run_reader.h"

namespace millpond::vdev::detail {

void RunReader::add(std::size_t block, Leaf& leaf, ByteOffset offset, MutableBytes into)
{
    ++m_pieces[block];
    m_parts[&leaf].push_back({.block = block, .offset = offset, .into = into});
}

void RunReader::run()
{
    for (const auto& [leaf, parts] : m_parts) {
        readLeaf(*leaf, parts);
    }
    for (std::size_t i = 0; i < m_blocks.size(); ++i) {
        m_blocks[i].isRead = m_whole[i] && m_pieces[i] != 0;
    }
}

void RunReader::readLeaf(Leaf& leaf, std::span<const Part> parts)
{
    while (!parts.empty()) {
        const std::size_t count = together(parts);
        readTogether(leaf, parts.first(count));
        parts = parts.subspan(count);
    }
}

std::size_t RunReader::together(std::span<const Part> parts)
{
    std::size_t count = 1;
    for (; count < parts.size(); ++count) {
        const Part& last = parts[count - 1];
        const std::uint64_t end = last.offset.value() + last.into.size(); // checked: on the vdev
        const std::uint64_t next = parts[count].offset.value();
        if (next < end || next - end > kMaxGap) {
            break;
        }
    }
    return count;
}

void RunReader::readTogether(Leaf& leaf, std::span<const Part> parts)
{
    std::vector<MutableBytes> into;
    std::uint64_t end = parts.front().offset.value();
    bool ready = true;
    for (const Part& part : parts) {
        const auto gap = static_cast<std::size_t>(part.offset.value() - end);
        if (gap != 0 && m_waste.empty()) {
            Result<Buffer> waste = Buffer::create(kMaxGap);
            ready = waste.has_value();
            if (!ready) {
                break;
            }
            m_waste = std::move(*waste);
        }
        if (gap != 0) {
            into.push_back(m_waste.bytes().first(gap));
        }
        into.push_back(part.into);
        end = part.offset.value() + part.into.size();
    }
    if (ready && leaf.tryReadScattered(parts.front().offset, into)) {
        return;
    }
    for (const Part& part : parts) {
        m_whole[part.block] = false;
    }
}

} // namespace millpond::vdev::detail
