// SPDX-License-Identifier: GPL-3.0-or-later
#include "crash/pool_damager.h"

#include "codec/checksum.h"
#include "format/dnode.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace millpond::test {

namespace {
using format::BlockPointer;

constexpr std::size_t kAlignment = 4096; // of blocks we write: fits every ashift in use
constexpr std::size_t kObjsetRootOffset = 128;
constexpr std::size_t kAccountingDnodes[] = {1024, 1536, 2048};
constexpr unsigned kDeepest = 40;

std::size_t below(SeededRandom& random, std::size_t bound)
{
    return bound == 0 ? 0 : static_cast<std::size_t>(random.next() % bound);
}

/// Adds the places of pointers that lead to a stored block.
void addPointer(Bytes content,
                std::size_t offset,
                ByteOrder order,
                std::vector<std::size_t>& places)
{
    if (offset + BlockPointer::kBytes > content.size()) {
        return;
    }
    const BlockPointer pointer = BlockPointer::at(content, offset, order);
    if (!pointer.isHole() && !pointer.isEmbedded() && pointer.validate(1)) {
        places.push_back(offset);
    }
}

void addDnode(Bytes content, std::size_t offset, ByteOrder order, std::vector<std::size_t>& places)
{
    const auto dnode = format::DnodeView::create(content.subspan(offset), order);
    if (!dnode) {
        return;
    }
    for (std::size_t i = 0; i < dnode->header().pointerCount; ++i) {
        addPointer(
            content, offset + format::kDnodeHeaderBytes + i * BlockPointer::kBytes, order, places);
    }
    if (dnode->hasSpill()) {
        addPointer(content, offset + dnode->sizeBytes() - BlockPointer::kBytes, order, places);
    }
    if (dnode->header().bonusType == format::number(format::ObjectType::DslDataset)) {
        const auto bonus = static_cast<std::size_t>(dnode->bonus().data() - content.data());
        addPointer(content, bonus + kObjsetRootOffset, order, places);
    }
}

/// Where the block pointers of a block's content stand, as far as they lead further down.
std::vector<std::size_t> childPlaces(const BlockPointer& pointer, Bytes content)
{
    std::vector<std::size_t> places;
    const ByteOrder order = pointer.byteOrder();
    if (pointer.level().value() > 0) {
        for (std::size_t at = 0; at < content.size(); at += BlockPointer::kBytes) {
            addPointer(content, at, order, places);
        }
    } else if (pointer.type() == format::number(format::ObjectType::Objset)) {
        addDnode(
            content.first(std::min(content.size(), format::kDnodeSlotBytes)), 0, order, places);
        for (const std::size_t at : kAccountingDnodes) {
            if (at + format::kDnodeSlotBytes <= content.size()) {
                addDnode(content.first(at + format::kDnodeSlotBytes), at, order, places);
            }
        }
    } else if (pointer.type() == format::number(format::ObjectType::Dnode)) {
        for (std::size_t at = 0; at + format::kDnodeSlotBytes <= content.size();
             at += format::kDnodeSlotBytes) {
            addDnode(content, at, order, places);
        }
    }
    return places;
}

std::uint64_t interestingNumber(SeededRandom& random)
{
    constexpr std::uint64_t kNumbers[] = {0,
                                          1,
                                          2,
                                          63,
                                          64,
                                          255,
                                          0x7fff,
                                          0xffff,
                                          1U << 20U,
                                          0x7fffffffU,
                                          0xffffffffU,
                                          std::uint64_t{1} << 32,
                                          std::uint64_t{1} << 48,
                                          std::uint64_t{1} << 62,
                                          std::uint64_t{1} << 63,
                                          ~std::uint64_t{0}};
    const std::size_t choice = below(random, std::size(kNumbers) + 4);
    return choice < std::size(kNumbers) ? kNumbers[choice] : random.next() >> below(random, 64);
}

/// A place to damage: often in the first part of the block or of a dnode slot, where the structure
/// is.
std::size_t damagePlace(const BlockPointer& pointer, std::size_t size, SeededRandom& random)
{
    if (pointer.level().value() == 0 &&
        pointer.type() == format::number(format::ObjectType::Dnode) && below(random, 4) != 0) {
        return below(random, size / format::kDnodeSlotBytes) * format::kDnodeSlotBytes +
               below(random, 320);
    }
    return below(random, 3) == 0 ? below(random, std::min<std::size_t>(size, 256))
                                 : below(random, size);
}

/// Changes `content`; says how.
std::string mutate(const BlockPointer& pointer, std::span<std::byte> content, SeededRandom& random)
{
    const std::size_t at = damagePlace(pointer, content.size(), random);
    const std::size_t room = content.size() - at;
    const auto noise = [&random](std::byte& byte) { byte = static_cast<std::byte>(random.next()); };
    switch (below(random, 8)) {
    case 0:
        std::ranges::for_each(content, noise);
        return "all noise";
    case 1: {
        const std::size_t length = std::min(room, 1 + below(random, 512));
        std::ranges::fill(content.subspan(at, length), std::byte{0});
        return fmt::format("{} bytes at {} zeroed", length, at);
    }
    case 2: {
        const std::size_t length = std::min(room, 1 + below(random, 64));
        std::ranges::for_each(content.subspan(at, length), noise);
        return fmt::format("{} bytes at {} noise", length, at);
    }
    case 3: {
        const std::size_t from = below(random, content.size());
        const std::size_t length = std::min({room, content.size() - from, 1 + below(random, 1024)});
        std::vector<std::byte> copy(content.begin() + static_cast<std::ptrdiff_t>(from),
                                    content.begin() + static_cast<std::ptrdiff_t>(from + length));
        std::ranges::copy(copy, content.begin() + static_cast<std::ptrdiff_t>(at));
        return fmt::format("{} bytes copied from {} to {}", length, from, at);
    }
    case 4:
        content[at] ^= std::byte{1} << below(random, 8);
        return fmt::format("a bit at {} flipped", at);
    case 5: {
        if (room < 2) {
            break;
        }
        const auto number = static_cast<std::uint16_t>(interestingNumber(random));
        store<std::uint16_t>(content, at & ~std::size_t{1}, number, pointer.byteOrder());
        return fmt::format("16 bits at {} set to {:#x}", at & ~std::size_t{1}, number);
    }
    default:
        break;
    }
    if (content.size() < 8) {
        content[0] ^= std::byte{0xff};
        return "first byte inverted";
    }
    const std::size_t place = std::min(at & ~std::size_t{7}, content.size() - 8);
    const std::uint64_t number = interestingNumber(random);
    store<std::uint64_t>(content, place, number, pointer.byteOrder());
    return fmt::format("64 bits at {} set to {:#x}", place, number);
}
} // namespace

PoolDamager::PoolDamager(PoolImages images, PoolImages::Free free)
    : m_images(std::move(images))
    , m_free(free)
{
}

Result<PoolDamager> PoolDamager::open(const QStringList& images)
{
    PoolImages opened = MP_TRY(PoolImages::open(images));
    const PoolImages::Free free = MP_TRY(opened.findFree());
    return PoolDamager(std::move(opened), free);
}

Result<std::vector<PoolDamager::Step>> PoolDamager::descend(SeededRandom& random) const
{
    std::vector<Step> path;
    BlockPointer next = m_images.uberblock().root;
    while (path.size() < kDeepest) {
        auto content = m_images.readBlock(next);
        if (!content) {
            break; // damaged before, or not plain: change the block that leads here
        }
        path.push_back({next, std::move(*content), 0});
        const auto places = childPlaces(next, path.back().content);
        constexpr std::size_t kStopOneIn = 6;
        if (places.empty() || below(random, kStopOneIn) == 0) {
            break;
        }
        path.back().childOffset = places[below(random, places.size())];
        next = BlockPointer::at(
            path.back().content, path.back().childOffset, path.back().pointer.byteOrder());
    }
    if (path.empty()) {
        return fail(ErrorCode::BadUberblock, "the root block cannot be read");
    }
    return path;
}

Status PoolDamager::relocate(BlockPointer& pointer, Bytes content)
{
    const std::uint64_t stored =
        alignUp(m_images.allocatedSize(m_free.vdev, content.size()), kAlignment);
    if (m_free.begin + stored > m_free.end) {
        return fail(ErrorCode::TooMany, "no free space left in the images");
    }
    const format::Dva place{m_free.vdev, ByteOffset(m_free.begin), ByteCount(stored), false};
    MP_TRY(m_images.write(place, content));
    m_free.begin += stored;

    // One copy; size as stored = logical size; not compressed, not deduplicated; fletcher4.
    const std::uint64_t sectors = content.size() / format::kSectorBytes;
    pointer.words[0] = (std::uint64_t{m_free.vdev.value()} << 32) | (stored / format::kSectorBytes);
    pointer.words[1] = place.offset.value() / format::kSectorBytes;
    std::fill(pointer.words.begin() + 2, pointer.words.begin() + 6, 0);
    constexpr std::uint64_t kKept =
        (std::uint64_t{0xff} << 48) | (std::uint64_t{0x1f} << 56) | (std::uint64_t{1} << 63);
    pointer.words[6] =
        (pointer.words[6] & kKept) | (sectors - 1) | ((sectors - 1) << 16) |
        (std::uint64_t{static_cast<std::uint8_t>(format::CompressionType::Off)} << 32) |
        (std::uint64_t{static_cast<std::uint8_t>(format::ChecksumType::Fletcher4)} << 40);
    const auto checksum = MP_TRY(
        codec::computeChecksum(codec::ChecksumAlgorithm::Fletcher4, content, pointer.byteOrder()));
    std::ranges::copy(checksum.words, pointer.words.begin() + 12);
    return {};
}

Result<std::string> PoolDamager::damage(SeededRandom& random)
{
    auto path = MP_TRY(descend(random));
    Step& target = path.back();
    const std::string how = mutate(target.pointer, target.content, random);
    const std::string what = fmt::format("{} level {} ({} deep, {} bytes): {}",
                                         format::objectTypeName(target.pointer.type()),
                                         target.pointer.level().value(),
                                         path.size(),
                                         target.content.size(),
                                         how);
    for (std::size_t i = path.size(); i-- > 0;) {
        MP_TRY(relocate(path[i].pointer, path[i].content));
        if (i > 0) {
            Step& parent = path[i - 1];
            path[i].pointer.encode(
                MutableBytes(parent.content).subspan(parent.childOffset, BlockPointer::kBytes),
                parent.pointer.byteOrder());
        }
    }
    MP_TRY(m_images.setRoot(path.front().pointer));
    return what;
}

} // namespace millpond::test
