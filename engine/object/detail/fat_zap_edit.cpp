// SPDX-License-Identifier: GPL-3.0-or-later
#include "object/detail/fat_zap_edit.h"

#include "object/detail/name_folding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace millpond::object::detail {

using format::FatZapHeaderView;
using format::ZapFlag;
using format::ZapLeafView;

namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr unsigned kWordBits = 64;

/// Words of the header.
enum HeaderWord : std::size_t
{
    Type = 0,
    Magic = 1,
    TableBlock = 2,
    TableBlocks = 3,
    TableShift = 4,
    NextTableBlock = 5,
    BlocksCopied = 6,
    FreeBlock = 7,
    Leaves = 8,
    Entries = 9,
    Salt = 10,
    Normalization = 11,
    Flags = 12,
};

/// The first leaf of a new ZAP.
constexpr std::uint64_t kFirstLeaf = 1;
/// Free chunks below which a leaf will soon be split. [ZAP_LEAF_LOW_WATER]
constexpr unsigned kLowWater = 20;
/// Hash bits that the table leaves alone: what needs them has far too many equal hashes.
constexpr unsigned kSpareHashBits = 2;
/// Each round of put() splits a leaf; a hash has no more bits.
constexpr unsigned kMaxRounds = 2 * kWordBits;

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadZap, std::move(what));
}

std::uint64_t get(Bytes header, HeaderWord word)
{
    return load<std::uint64_t>(header, word * kWord, ByteOrder::Little);
}

void set(MutableBytes header, HeaderWord word, std::uint64_t value)
{
    store(header, word * kWord, value);
}

std::uint64_t topBits(std::uint64_t hash, unsigned count)
{
    return count == 0 ? 0 : hash >> (kWordBits - count);
}

unsigned hashBits(std::uint64_t flags)
{
    return static_cast<unsigned>(std::popcount(format::zapHashMask(flags)));
}

LeafName nameOf(const ZapKey& key)
{
    return {key.stored(), key.length()};
}

} // namespace

Status FatZapEdit::initialize(const Spec& spec)
{
    MP_TRY(m_blocks.modify(0, [&](MutableBytes block) -> Status {
        std::memset(block.data(), 0, block.size());
        set(block, Type, format::kZapHeaderBlock);
        set(block, Magic, format::kZapMagic);
        const std::size_t pointers = block.size() / 2 / kWord;
        set(block, TableShift, static_cast<std::uint64_t>(std::countr_zero(pointers)));
        set(block, FreeBlock, kFirstLeaf + 1);
        set(block, Leaves, 1);
        set(block, Salt, spec.salt);
        set(block, Normalization, spec.normalization);
        set(block, Flags, spec.flags);
        for (std::size_t i = 0; i < pointers; ++i) {
            store(block, block.size() / 2 + i * kWord, kFirstLeaf);
        }
        return {};
    }));
    return m_blocks.modify(kFirstLeaf, [&](MutableBytes block) -> Status {
        ZapLeafEdit::initialize(block, 0, 0, spec.normalization != 0);
        return {};
    });
}

Result<FatZapEdit::Header> FatZapEdit::header()
{
    BufferRef block = MP_TRY(m_blocks.read(0));
    if (block == nullptr) {
        return bad("its first block is missing");
    }
    const FatZapHeaderView view =
        MP_TRY(FatZapHeaderView::create(block->bytes(), ByteOrder::Little));
    if (view.header().tableShift >= kWordBits || block->size() != m_blocks.blockBytes()) {
        return bad("a header that does not fit its object");
    }
    return Header{std::move(block), view};
}

Result<std::uint64_t> FatZapEdit::hashOf(const Header& header, const ZapKey& key)
{
    const std::uint64_t folding = header.view.header().normalization;
    if (!key.isText()) {
        return header.view.hash(key.words());
    }
    return folding == 0 ? header.view.hash(key.text())
                        : header.view.hash(foldName(key.text(), folding));
}

Status FatZapEdit::checkKey(const Header& header, const ZapKey& key) const
{
    const bool words = (header.view.header().flags & ZapFlag::kUint64Key) != 0;
    if (words == key.isText()) {
        return fail(ErrorCode::InvalidArgument,
                    words ? "the ZAP has words for names" : "the ZAP has text for names");
    }
    const std::size_t longest =
        m_blocks.allowsLongNames() ? format::kZapMaxLongNameBytes : format::kZapMaxNameBytes;
    if (key.stored().size() > longest) {
        return fail(ErrorCode::NameTooLong, "the name is too long");
    }
    return {};
}

Result<std::uint64_t> FatZapEdit::pointer(const Header& header, std::uint64_t index)
{
    if (header.view.tableEmbedded()) {
        return header.view.embeddedPointer(index);
    }
    const FatZapHeaderView::TablePlace place = header.view.tablePlace(index);
    const BufferRef block = MP_TRY(m_blocks.read(place.block));
    if (block == nullptr || place.offsetBytes + kWord > block->size()) {
        return bad("a block of its pointer table is missing");
    }
    return load<std::uint64_t>(block->bytes(), place.offsetBytes, ByteOrder::Little);
}

Result<std::uint64_t> FatZapEdit::leafBlock(const Header& header, std::uint64_t hash)
{
    const std::uint64_t block = MP_TRY(pointer(header, header.view.tableIndex(hash)));
    const BufferRef content = block == 0 ? nullptr : MP_TRY(m_blocks.read(block));
    if (content == nullptr) {
        return bad(fmt::format("there is no leaf for hashes from {:#x} on", hash));
    }
    const ZapLeafView leaf = MP_TRY(ZapLeafView::create(content->bytes(), ByteOrder::Little));
    const unsigned length = leaf.header().prefixLength;
    if (length > header.view.header().tableShift || topBits(hash, length) != leaf.header().prefix) {
        return bad(fmt::format("the leaf for hashes from {:#x} on is of others", hash));
    }
    return block;
}

Result<FatZapEdit::Place> FatZapEdit::place(const ZapKey& key, bool asStored)
{
    const Header at = MP_TRY(header());
    MP_TRY(checkKey(at, key));
    const std::uint64_t hash = MP_TRY(asStored ? storedHash(at, key) : hashOf(at, key));
    return Place{hash, MP_TRY(leafBlock(at, hash))};
}

Result<FatZapEdit::Put> FatZapEdit::putIntoLeaf(const Place& place,
                                                const ZapKey& key,
                                                const LeafValue& value,
                                                PutMode mode,
                                                std::optional<std::uint32_t> collision)
{
    Put put;
    MP_TRY(m_blocks.modify(place.leaf, [&](MutableBytes content) -> Status {
        ZapLeafEdit leaf = MP_TRY(ZapLeafEdit::open(content));
        if (const auto found = MP_TRY(leaf.find(place.hash, nameOf(key)))) {
            if (mode == PutMode::Add) {
                return fail(ErrorCode::AlreadyExists, "the entry is there already");
            }
            put.outcome = MP_TRY(leaf.replace(*found, value)) ? Outcome::Replaced : Outcome::Full;
        } else {
            put.outcome = MP_TRY(leaf.insert(place.hash, nameOf(key), value, collision))
                              ? Outcome::Added
                              : Outcome::Full;
        }
        put.freeChunks = leaf.view().header().freeChunks;
        put.prefixLength = leaf.view().header().prefixLength;
        return {};
    }));
    return put;
}

Status FatZapEdit::put(const ZapKey& key,
                       const LeafValue& value,
                       PutMode mode,
                       std::optional<std::uint32_t> collision)
{
    if (value.stored.size() > format::kZapMaxValueBytes) {
        return fail(ErrorCode::TooLarge, "the value is larger than a ZAP holds");
    }
    for (unsigned round = 0; round < kMaxRounds; ++round) {
        const Place at = MP_TRY(place(key, mode == PutMode::Update));
        const Put put = MP_TRY(putIntoLeaf(at, key, value, mode, collision));
        if (put.outcome == Outcome::Full) {
            MP_TRY(expand(at.hash));
            continue;
        }
        if (put.outcome == Outcome::Added) {
            MP_TRY(changeHeader(
                [](MutableBytes header) { set(header, Entries, get(header, Entries) + 1); }));
        }
        growAhead(put);
        return {};
    }
    return bad("splitting leaves makes no room");
}

Status FatZapEdit::remove(const ZapKey& key)
{
    const Place at = MP_TRY(place(key, true));
    MP_TRY(m_blocks.modify(at.leaf, [&](MutableBytes content) -> Status {
        ZapLeafEdit leaf = MP_TRY(ZapLeafEdit::open(content));
        const auto found = MP_TRY(leaf.find(at.hash, nameOf(key)));
        return found ? leaf.remove(*found) : fail(ErrorCode::NoSuchEntry, "no such entry");
    }));
    return changeHeader(
        [](MutableBytes header) { set(header, Entries, get(header, Entries) - 1); });
}

Result<std::uint64_t> FatZapEdit::storedHash(const Header& header, const ZapKey& key)
{
    const std::uint64_t ours = MP_TRY(hashOf(header, key));
    if (header.view.header().normalization == 0 || isAscii(key.text())) {
        return ours;
    }
    const auto holds =
        [&](std::uint64_t hash,
            bool anyHash) -> Result<std::pair<std::optional<std::uint64_t>, std::uint64_t>> {
        const std::uint64_t block = MP_TRY(leafBlock(header, hash));
        const BufferRef content = MP_TRY(m_blocks.read(block));
        const ZapLeafView leaf = MP_TRY(ZapLeafView::create(content->bytes(), ByteOrder::Little));
        std::optional<std::uint64_t> found;
        for (const ZapLeafView::Entry& entry : MP_TRY(leaf.entries())) {
            if ((anyHash || entry.hash == hash) && MP_TRY(leaf.name(entry)) == key.text()) {
                found = entry.hash;
            }
        }
        const unsigned length = leaf.header().prefixLength;
        const std::uint64_t next = leaf.header().prefix + 1;
        const bool last = length == 0 || next >> length != 0;
        return std::pair(found, last ? std::uint64_t{0} : next << (kWordBits - length));
    };
    if (const auto [found, next] = MP_TRY(holds(ours, false)); found) {
        return ours;
    }
    std::uint64_t hash = 0;
    do {
        const auto [found, next] = MP_TRY(holds(hash, true));
        if (found) {
            return *found;
        }
        hash = next;
    } while (hash != 0);
    return ours;
}

Status FatZapEdit::expand(std::uint64_t hash)
{
    Header at = MP_TRY(header());
    const std::uint64_t block = MP_TRY(leafBlock(at, hash));
    const BufferRef old = MP_TRY(m_blocks.read(block));
    Buffer lower = MP_TRY(Buffer::copyOf(old->bytes()));
    Buffer upper = MP_TRY(Buffer::create(old->size()));
    ZapLeafEdit leaf = MP_TRY(ZapLeafEdit::open(lower.bytes()));
    const std::vector<ZapLeafView::Entry> entries = MP_TRY(leaf.view().entries());
    if (std::ranges::all_of(entries, [hash](const auto& entry) { return entry.hash == hash; })) {
        // No number of bits will tell them apart; the table would grow without an end.
        return fail(ErrorCode::TooMany, "too many entries have the same hash");
    }
    const unsigned length = leaf.view().header().prefixLength;
    const std::uint64_t prefix = leaf.view().header().prefix;
    for (std::uint64_t steps = 0; length == at.view.header().tableShift; ++steps) {
        if (steps > 2 * at.view.header().tableBlocks + 1) {
            return bad("a pointer table that never becomes larger");
        }
        MP_TRY(growTable(at));
        at = MP_TRY(header());
    }
    const std::size_t nameIntegerBytes =
        (at.view.header().flags & ZapFlag::kUint64Key) != 0 ? kWord : 1;
    MP_TRY(leaf.split(upper.bytes(), nameIntegerBytes, at.view.header().normalization != 0));
    const auto below = static_cast<unsigned>(at.view.header().tableShift) - (length + 1);
    const PointerChange change{.first = (prefix << 1U | 1U) << below,
                               .count = std::uint64_t{1} << below,
                               .from = block,
                               .to = at.view.header().freeBlock};
    MP_TRY(checkPointers(at, change));
    const auto copy = [](const Buffer& from) {
        return [&from](MutableBytes to) -> Status {
            std::ranges::copy(from.bytes(), to.begin());
            return {};
        };
    };
    MP_TRY(m_blocks.modify(change.to, copy(upper)));
    MP_TRY(changeHeader([](MutableBytes header) {
        set(header, FreeBlock, get(header, FreeBlock) + 1);
        set(header, Leaves, get(header, Leaves) + 1);
    }));
    MP_TRY(setPointers(at, change));
    return m_blocks.modify(block, copy(lower));
}

Status FatZapEdit::checkPointers(const Header& header, const PointerChange& change)
{
    for (std::uint64_t i = 0; i < change.count; ++i) {
        if (MP_TRY(pointer(header, change.first + i)) != change.from) {
            return bad(
                fmt::format("pointer {} does not name leaf {}", change.first + i, change.from));
        }
    }
    return {};
}

Status FatZapEdit::setPointers(const Header& header, const PointerChange& change)
{
    const FatZapHeaderView& view = header.view;
    if (view.tableEmbedded()) {
        return changeHeader([&](MutableBytes block) {
            for (std::uint64_t i = 0; i < change.count; ++i) {
                store(block, block.size() / 2 + (change.first + i) * kWord, change.to);
            }
        });
    }
    MP_TRY(storePointers(view.header().tableBlock, change.first, change.count, change.to));
    if (view.header().nextTableBlock == 0) {
        return {};
    }
    const std::uint64_t copied =
        view.header().blocksCopied * (header.block->size() / kWord); // pointers
    if (change.first >= copied) {
        return {};
    }
    return storePointers(view.header().nextTableBlock,
                         2 * change.first,
                         2 * std::min(change.count, copied - change.first),
                         change.to);
}

Status FatZapEdit::storePointers(std::uint64_t tableBlock,
                                 std::uint64_t first,
                                 std::uint64_t count,
                                 std::uint64_t to)
{
    const std::uint64_t perBlock = m_blocks.blockBytes() / kWord;
    while (count > 0) {
        const std::uint64_t at = first % perBlock;
        const std::uint64_t here = std::min(count, perBlock - at);
        MP_TRY(m_blocks.modify(tableBlock + first / perBlock, [&](MutableBytes block) -> Status {
            for (std::uint64_t i = 0; i < here; ++i) {
                store(block, static_cast<std::size_t>(at + i) * kWord, to);
            }
            return {};
        }));
        first += here;
        count -= here;
    }
    return {};
}

void FatZapEdit::growAhead(const Put& put)
{
    const Result<Header> now = header();
    if (!now) {
        return;
    }
    const FatZapHeaderView::Header& words = now->view.header();
    const bool soon = put.prefixLength == words.tableShift && put.freeChunks < kLowWater;
    if (soon || words.nextTableBlock != 0) {
        // The entry is in: what keeps the table from growing is met, and told, by expand().
        (void)growTable(*now);
    }
}

Status FatZapEdit::growTable(const Header& header)
{
    if (header.view.header().tableShift + kSpareHashBits >= hashBits(header.view.header().flags)) {
        return fail(ErrorCode::TooMany, "too many entries have nearly the same hash");
    }
    return header.view.tableEmbedded() ? growEmbeddedTable(header) : growExternalTable(header);
}

Status FatZapEdit::copyPointers(Bytes from, std::uint64_t toBlock)
{
    return m_blocks.modify(toBlock, [&](MutableBytes to) -> Status {
        MP_CHECK(to.size() == 2 * from.size());
        for (std::size_t at = 0; at < from.size(); at += kWord) {
            const auto word = load<std::uint64_t>(from, at, ByteOrder::Little);
            store(to, 2 * at, word);
            store(to, 2 * at + kWord, word);
        }
        return {};
    });
}

Status FatZapEdit::growEmbeddedTable(const Header& header)
{
    const Bytes block = header.block->bytes();
    const Bytes table = block.subspan(block.size() / 2);
    if (header.view.tableEntries() * kWord != table.size()) {
        return bad("a small pointer table that does not fill its place");
    }
    const std::uint64_t to = header.view.header().freeBlock;
    MP_TRY(copyPointers(table, to));
    return changeHeader([&](MutableBytes words) {
        set(words, TableBlock, to);
        set(words, TableBlocks, 1);
        set(words, TableShift, get(words, TableShift) + 1);
        set(words, FreeBlock, to + 1);
    });
}

Status FatZapEdit::growExternalTable(const Header& header)
{
    const FatZapHeaderView::Header& now = header.view.header();
    const std::size_t blockBytes = header.block->size();
    if (now.tableBlocks * blockBytes != header.view.tableEntries() * kWord ||
        now.blocksCopied >= now.tableBlocks) {
        return bad("a pointer table that does not fill its blocks");
    }
    const bool begun = now.nextTableBlock != 0;
    const std::uint64_t next = begun ? now.nextTableBlock : now.freeBlock;
    const BufferRef from = MP_TRY(m_blocks.read(now.tableBlock + now.blocksCopied));
    if (from == nullptr) {
        return bad("a block of its pointer table is missing");
    }
    const Bytes pointers = from->bytes();
    MP_TRY(copyPointers(pointers.first(blockBytes / 2), next + 2 * now.blocksCopied));
    MP_TRY(copyPointers(pointers.subspan(blockBytes / 2), next + 2 * now.blocksCopied + 1));
    const bool done = now.blocksCopied + 1 == now.tableBlocks;
    MP_TRY(changeHeader([&](MutableBytes words) {
        if (!begun) {
            set(words, FreeBlock, next + 2 * now.tableBlocks);
        }
        set(words, NextTableBlock, done ? 0 : next);
        set(words, BlocksCopied, done ? 0 : now.blocksCopied + 1);
        if (done) {
            set(words, TableBlock, next);
            set(words, TableBlocks, 2 * now.tableBlocks);
            set(words, TableShift, now.tableShift + 1);
        }
    }));
    return done ? m_blocks.free(now.tableBlock, now.tableBlocks) : Status();
}

Status FatZapEdit::changeHeader(FunctionRef<void(MutableBytes)> change)
{
    return m_blocks.modify(0, [&](MutableBytes block) -> Status {
        change(block);
        return {};
    });
}

} // namespace millpond::object::detail
