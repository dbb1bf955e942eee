// SPDX-License-Identifier: GPL-3.0-or-later
#include "object/detail/micro_zap_edit.h"

#include "base/cursor.h"
#include "object/detail/name_folding.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace millpond::object::detail {

using format::MicroZapView;

namespace {

constexpr std::size_t kSalt = 8;
constexpr std::size_t kNormalization = 16;
constexpr std::size_t kCollision = 8; // in an entry
constexpr std::size_t kName = 14;

std::size_t offsetOf(std::size_t slot)
{
    return (slot + 1) * MicroZapView::kEntryBytes; // the header is as long as an entry
}

} // namespace

void MicroZapEdit::initialize(MutableBytes block, std::uint64_t salt, std::uint64_t normalization)
{
    std::memset(block.data(), 0, block.size());
    store(block, 0, format::kZapMicroBlock);
    store(block, kSalt, salt);
    store(block, kNormalization, normalization);
}

Result<MicroZapEdit> MicroZapEdit::open(MutableBytes block)
{
    return MicroZapEdit(block, MP_TRY(MicroZapView::create(block, ByteOrder::Little)));
}

std::optional<std::size_t> MicroZapEdit::find(std::string_view name) const
{
    const auto entry = m_view.find(name);
    if (!entry) {
        return std::nullopt;
    }
    const auto* at = reinterpret_cast<const std::byte*>(entry->name.data());
    const auto offset = static_cast<std::size_t>(at - m_block.data());
    return offset / MicroZapView::kEntryBytes - 1;
}

std::optional<std::size_t> MicroZapEdit::freeSlot() const
{
    for (std::size_t slot = 0; slot < m_view.slots(); ++slot) {
        if (m_block[offsetOf(slot) + kName] == std::byte{0}) {
            return slot;
        }
    }
    return std::nullopt;
}

std::uint64_t MicroZapEdit::hash(std::string_view name) const
{
    return m_view.normalization() == 0 ? m_view.hash(name)
                                       : m_view.hash(foldName(name, m_view.normalization()));
}

MicroZapEdit::Hashed MicroZapEdit::sameHash(std::string_view name) const
{
    const std::uint64_t wanted = hash(name);
    std::vector<std::uint32_t> used;
    for (std::size_t slot = 0; slot < m_view.slots(); ++slot) {
        if (m_block[offsetOf(slot) + kName] == std::byte{0}) {
            continue;
        }
        const auto entry = m_view.entry(slot);
        if (entry && hash(entry->name) == wanted) {
            used.push_back(entry->collision);
        }
    }
    std::ranges::sort(used);
    Hashed result{static_cast<std::uint32_t>(used.size()), 0};
    for (const std::uint32_t other : used) {
        result.collision += other == result.collision ? 1U : 0U;
    }
    return result;
}

void MicroZapEdit::insert(std::size_t slot,
                          std::string_view name,
                          std::uint64_t value,
                          std::uint32_t collision)
{
    MP_CHECK(slot < m_view.slots() && name.size() < format::kMicroZapNameBytes);
    const MutableBytes entry = m_block.subspan(offsetOf(slot), MicroZapView::kEntryBytes);
    std::memset(entry.data(), 0, entry.size());
    store(entry, 0, value);
    store(entry, kCollision, collision);
    std::ranges::copy(bytesOf(name), entry.subspan(kName).begin());
}

void MicroZapEdit::setValue(std::size_t slot, std::uint64_t value)
{
    MP_CHECK(slot < m_view.slots());
    store(m_block, offsetOf(slot), value);
}

void MicroZapEdit::remove(std::size_t slot)
{
    MP_CHECK(slot < m_view.slots());
    std::memset(&m_block[offsetOf(slot)], 0, MicroZapView::kEntryBytes);
}

} // namespace millpond::object::detail
