// SPDX-License-Identifier: GPL-3.0-or-later
#include "object/detail/live_object.h"

#include <algorithm>
#include <ranges>

namespace millpond::object::detail {

void BlockRanges::add(std::uint64_t first, std::uint64_t last)
{
    auto at = m_ranges.upper_bound(first);
    if (at != m_ranges.begin()) {
        const auto before = std::prev(at);
        if (before->second >= first || before->second + 1 == first) {
            first = before->first;
            last = std::max(last, before->second);
            at = m_ranges.erase(before);
        }
    }
    while (at != m_ranges.end() && (at->first <= last || at->first - 1 == last)) {
        last = std::max(last, at->second);
        at = m_ranges.erase(at);
    }
    m_ranges.emplace(first, last);
}

bool BlockRanges::contains(std::uint64_t block) const
{
    const auto after = m_ranges.upper_bound(block);
    return after != m_ranges.begin() && std::prev(after)->second >= block;
}

std::uint64_t BlockRanges::lastOf(std::uint64_t block) const
{
    const auto after = m_ranges.upper_bound(block);
    MP_CHECK(after != m_ranges.begin());
    return std::prev(after)->second;
}

Result<DirtyBlockRef> DirtyBlock::copyOf(Bytes bytes, ByteOrder order)
{
    auto block = std::make_shared<DirtyBlock>();
    block->data = MP_TRY(Buffer::copyOf(bytes));
    block->order = order;
    return block;
}

Result<DirtyBlockRef> DirtyBlock::zeroed(std::size_t size)
{
    auto block = std::make_shared<DirtyBlock>();
    block->data = MP_TRY(Buffer::createZeroed(size));
    return block;
}

namespace {

class Loan
{
public:
    explicit Loan(DirtyBlockRef block)
        : m_block(std::move(block))
    {
        m_block->loans.fetch_add(1, std::memory_order_relaxed); // under the object's lock
    }

    ~Loan() { m_block->loans.fetch_sub(1, std::memory_order_release); }

    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

private:
    DirtyBlockRef m_block;
};

} // namespace

BufferRef lend(const DirtyBlockRef& block)
{
    return {std::make_shared<Loan>(block), &block->data};
}

BufferRef frozen(const DirtyBlockRef& block)
{
    return {block, &block->data};
}

const Dnode* LiveObject::newest() const
{
    if (!changes.empty()) {
        return changes.back()->freed ? nullptr : &changes.back()->state;
    }
    return synced.get();
}

DnodeRef LiveObject::takeSnapshot()
{
    if (snapshot != nullptr) {
        return snapshot;
    }
    if (changes.empty()) {
        snapshot = synced;
        return snapshot;
    }
    const Dnode* state = newest();
    if (state == nullptr) {
        return nullptr;
    }
    auto copy = std::make_shared<Dnode>(*state);
    if (synced != nullptr) {
        copy->levels = synced->levels;
        copy->pointers = synced->pointers;
        copy->flags = synced->flags;
        copy->usedBytes = synced->usedBytes;
        const bool spillOnDisk = std::ranges::none_of(
            changes, [](const std::unique_ptr<Changes>& c) { return c->spillChanged; });
        if (spillOnDisk) {
            copy->spill = synced->spill;
        }
    }
    snapshot = std::move(copy);
    return snapshot;
}

BlockPlace LiveObject::place(std::uint64_t block) const
{
    for (const std::unique_ptr<Changes>& change : changes | std::views::reverse) {
        if (const auto found = change->blocks.find(block); found != change->blocks.end()) {
            return {BlockPlace::Kind::Memory, found->second};
        }
        if (change->holes.contains(block)) {
            return {};
        }
    }
    if (synced == nullptr || block > synced->maxBlockId) {
        return {};
    }
    return {BlockPlace::Kind::Disk, nullptr};
}

} // namespace millpond::object::detail
