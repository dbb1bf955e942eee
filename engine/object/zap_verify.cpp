// SPDX-License-Identifier: GPL-3.0-or-later
// Zap::verify(): what a reader of single entries never notices.
#include "object/detail/fat_zap.h"
#include "object/detail/name_folding.h"
#include "object/zap.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

namespace millpond::object {

using detail::FatZap;
using detail::ZapOrder;
using format::MicroZapView;
using format::ZapLeafView;

namespace {

/// After so many problems the rest is not worth telling.
constexpr std::size_t kMaxProblems = 100;
/// A pointer table of more blocks would name more entries than a pool can hold.
constexpr std::uint64_t kMaxTableBlocks = 65536;

class Problems
{
public:
    template <class... Args> void add(fmt::format_string<Args...> text, Args&&... args)
    {
        if (!full()) {
            m_texts.push_back(fmt::format(text, std::forward<Args>(args)...));
        }
    }

    /// True: damage, noted; false: an error that is not about this ZAP's bytes.
    [[nodiscard]] bool note(const Error& error)
    {
        if (error.errorClass() != ErrorClass::Corrupt && error.errorClass() != ErrorClass::Io) {
            return false;
        }
        add("{}", error.toText());
        return true;
    }

    [[nodiscard]] bool full() const { return m_texts.size() >= kMaxProblems; }

    [[nodiscard]] std::vector<std::string> take() { return std::move(m_texts); }

private:
    std::vector<std::string> m_texts;
};

void verifyMicro(const MicroZapView& view, Problems& problems)
{
    std::unordered_set<std::string_view> names;
    std::set<std::pair<std::uint64_t, std::uint32_t>> places;
    const bool folded = view.normalization() != 0;
    for (std::size_t slot = 0; slot < view.slots(); ++slot) {
        const std::optional<MicroZapView::Entry> entry = view.entry(slot);
        if (!entry) {
            continue;
        }
        if (entry->name.size() >= format::kMicroZapNameBytes) {
            problems.add("slot {}: its name has no end", slot);
        }
        if (!names.insert(entry->name).second) {
            problems.add("the name \"{}\" is there twice", entry->name);
        }
        if (folded && !detail::isAscii(entry->name)) {
            continue; // the writer's tables may fold it otherwise
        }
        const std::uint64_t hash =
            view.hash(folded ? detail::foldName(entry->name, view.normalization())
                             : std::string(entry->name));
        if (!places.emplace(hash, entry->collision).second) {
            problems.add("\"{}\": another entry has the same hash and collision number",
                         entry->name);
        }
    }
}

/// Every chunk of a leaf belongs to exactly one entry, array or the free list.
class LeafCheck
{
public:
    LeafCheck(FatZap& zap, const FatZap::Leaf& leaf, Problems& problems)
        : m_zap(zap)
        , m_leaf(leaf)
        , m_view(leaf.view)
        , m_problems(problems)
        , m_used(leaf.view.chunks())
    {
    }

    /// The entries found.
    std::uint64_t run()
    {
        std::uint64_t entries = 0;
        for (std::size_t slot = 0; slot < m_view.hashSlots(); ++slot) {
            entries += checkChain(slot);
        }
        if (entries != m_view.header().entries) {
            complain(fmt::format(
                "has {} entries, its header says {}", entries, m_view.header().entries));
        }
        checkFreeList();
        const auto lost = std::ranges::count(m_used, false);
        if (lost != 0) {
            complain(fmt::format("{} chunks belong to nothing", lost));
        }
        return entries;
    }

private:
    void complain(const std::string& what) { m_problems.add("leaf {}: {}", m_leaf.blockId, what); }

    /// False: used already, or no chunk.
    bool claim(std::uint16_t chunk, std::string_view as)
    {
        if (chunk >= m_used.size() || m_used[chunk]) {
            complain(fmt::format("chunk {} cannot be {}", chunk, as));
            return false;
        }
        m_used[chunk] = true;
        return true;
    }

    std::uint64_t checkChain(std::size_t slot)
    {
        std::uint64_t entries = 0;
        std::uint32_t lastCollision = 0;
        std::uint64_t lastHash = 0;
        const bool sorted = (m_view.header().flags & ZapLeafView::kEntriesSorted) != 0;
        for (std::uint16_t chunk = m_view.chainHead(slot); chunk != ZapLeafView::kChainEnd;) {
            if (!claim(chunk, "an entry")) {
                break;
            }
            const Result<ZapLeafView::Entry> entry = m_view.entry(chunk);
            if (!entry) {
                complain(entry.error().what());
                break;
            }
            ++entries;
            if (!m_leaf.covers(entry->hash) || m_view.hashSlot(entry->hash) != slot) {
                complain(fmt::format("an entry in the chain of another hash, {:#x}", entry->hash));
            }
            if (sorted && entries > 1 && entry->hash == lastHash &&
                entry->collision < lastCollision) {
                complain("a chain is not in the order of collision numbers");
            }
            lastCollision = entry->collision;
            lastHash = entry->hash;
            checkEntry(*entry);
            chunk = entry->next;
        }
        return entries;
    }

    void checkEntry(const ZapLeafView::Entry& entry)
    {
        const bool words = (m_zap.header().flags & format::ZapFlag::kUint64Key) != 0;
        claimArray(entry.nameChunk, std::size_t{entry.nameLength} * (words ? 8U : 1U));
        claimArray(entry.valueChunk, std::size_t{entry.valueLength} * entry.integerBytes);
        if (!m_places.emplace(entry.hash, entry.collision).second) {
            complain("two entries have the same hash and collision number");
        }
        if (!ZapOrder(m_zap.header().flags).position(entry.hash, entry.collision)) {
            complain(fmt::format("a collision number of {}", entry.collision));
        }
        const std::optional<std::uint64_t> hash = hashOf(entry, words);
        if (hash && *hash != entry.hash) {
            complain(
                fmt::format("an entry with the hash {:#x} instead of {:#x}", entry.hash, *hash));
        }
        if (const auto values = m_view.values(entry); !values) {
            complain(values.error().what());
        }
    }

    /// Nothing when it cannot be told.
    std::optional<std::uint64_t> hashOf(const ZapLeafView::Entry& entry, bool words)
    {
        if (words) {
            const Result<std::vector<std::uint64_t>> key = m_view.key(entry);
            if (!key || key->empty()) {
                complain(key ? "an empty key" : key.error().what());
                return std::nullopt;
            }
            return m_zap.view().hash(*key);
        }
        const Result<std::string> name = m_view.name(entry);
        if (!name) {
            complain(name.error().what());
            return std::nullopt;
        }
        const std::uint64_t folding = m_zap.header().normalization;
        if (folding != 0 && !detail::isAscii(*name)) {
            return std::nullopt;
        }
        return m_zap.view().hash(detail::foldName(*name, folding));
    }

    void claimArray(std::uint16_t first, std::size_t bytes)
    {
        std::uint16_t chunk = first;
        for (std::size_t n = divideRoundUp(bytes, ZapLeafView::kArrayBytes); n > 0; --n) {
            if (!claim(chunk, "part of a name or value")) {
                return;
            }
            if (m_view.chunkType(chunk) !=
                static_cast<std::uint8_t>(ZapLeafView::ChunkType::Array)) {
                complain(fmt::format("chunk {} is no array", chunk));
            }
            chunk = m_view.nextChunk(chunk);
        }
    }

    void checkFreeList()
    {
        std::size_t free = 0;
        for (std::uint16_t chunk = m_view.header().freeList; chunk != ZapLeafView::kChainEnd;) {
            if (!claim(chunk, "free")) {
                break;
            }
            ++free;
            chunk = m_view.nextChunk(chunk);
        }
        if (free != m_view.header().freeChunks) {
            complain(fmt::format(
                "{} chunks are free, its header says {}", free, m_view.header().freeChunks));
        }
    }

    FatZap& m_zap;
    const FatZap::Leaf& m_leaf;
    const ZapLeafView& m_view;
    Problems& m_problems;
    std::vector<bool> m_used;
    std::set<std::pair<std::uint64_t, std::uint32_t>> m_places;
};

class FatCheck
{
public:
    FatCheck(FatZap& zap, Problems& problems)
        : m_zap(zap)
        , m_problems(problems)
    {
    }

    Status run()
    {
        if (!claimTable()) {
            return {};
        }
        std::optional<std::uint64_t> hash = 0;
        while (hash && !m_problems.full()) {
            hash = MP_TRY(checkLeaf(*hash));
        }
        if (hash) {
            return {}; // the counts would only be wrong because the walk ended early
        }
        compare("leaves", m_leaves, m_zap.header().leaves);
        compare("entries", m_entries, m_zap.header().entries);
        for (const std::uint64_t block : m_blocks) {
            if (block >= m_zap.header().freeBlock) {
                m_problems.add(
                    "block {} is in use, the header says that blocks from {} on are free",
                    block,
                    m_zap.header().freeBlock);
            }
        }
        return checkNextTable();
    }

private:
    void compare(std::string_view what, std::uint64_t found, std::uint64_t stated)
    {
        if (found != stated) {
            m_problems.add("has {} {}, its header says {}", found, what, stated);
        }
    }

    bool claimTable()
    {
        const auto& header = m_zap.header();
        if (m_zap.view().tableEmbedded()) {
            return true;
        }
        if (header.tableBlocks > kMaxTableBlocks) {
            m_problems.add("a pointer table of {} blocks", header.tableBlocks);
            return false;
        }
        for (std::uint64_t i = 0; i < header.tableBlocks; ++i) {
            m_blocks.insert(header.tableBlock + i);
        }
        return true;
    }

    /// The hash behind the leaf. After a leaf that cannot be read, the next pointer's.
    Result<std::optional<std::uint64_t>> checkLeaf(std::uint64_t hash)
    {
        const Result<FatZap::Leaf> leaf = m_zap.leafFor(hash);
        if (!leaf) {
            if (!m_problems.note(leaf.error())) {
                return fail(leaf.error());
            }
            return nextPointer(hash);
        }
        if (leaf->beginHash() != hash) {
            m_problems.add("leaf {} begins before {:#x}", leaf->blockId, hash);
        }
        if (!m_blocks.insert(leaf->blockId).second) {
            m_problems.add("block {} is used twice", leaf->blockId);
        }
        ++m_leaves;
        m_entries += LeafCheck(m_zap, *leaf, m_problems).run();
        MP_TRY(checkRun(*leaf));
        return leaf->endHash();
    }

    std::optional<std::uint64_t> nextPointer(std::uint64_t hash) const
    {
        const std::uint64_t next = m_zap.view().tableIndex(hash) + 1;
        const std::uint64_t shift = m_zap.header().tableShift;
        if (next >= m_zap.view().tableEntries()) {
            return std::nullopt;
        }
        return next << (64 - shift);
    }

    /// All pointers for the leaf's prefix name it.
    Status checkRun(const FatZap::Leaf& leaf)
    {
        const std::uint64_t count =
            std::uint64_t{1} << (m_zap.header().tableShift - leaf.view.header().prefixLength);
        const std::uint64_t first = m_zap.view().tableIndex(leaf.beginHash());
        for (std::uint64_t i = 1; i < count && !m_problems.full(); ++i) {
            const Result<std::uint64_t> pointer = m_zap.pointer(first + i);
            if (!pointer) {
                return m_problems.note(pointer.error()) ? Status() : fail(pointer.error());
            }
            if (*pointer != leaf.blockId) {
                m_problems.add(
                    "pointer {} names block {} instead of {}", first + i, *pointer, leaf.blockId);
            }
        }
        return {};
    }

    /// What has been copied of the table to a larger one names the same leaves, twice each.
    Status checkNextTable()
    {
        const auto& header = m_zap.header();
        if (header.nextTableBlock == 0) {
            return {};
        }
        if (m_zap.view().tableEmbedded() || header.blocksCopied >= header.tableBlocks) {
            m_problems.add("a larger pointer table with {} of {} blocks copied",
                           header.blocksCopied,
                           header.tableBlocks);
            return {};
        }
        const std::uint64_t perBlock = m_zap.view().tableEntries() / header.tableBlocks;
        if (perBlock == 0) {
            m_problems.add("a pointer table of {} blocks for {} pointers",
                           header.tableBlocks,
                           m_zap.view().tableEntries());
            return {};
        }
        for (std::uint64_t index = 0; index < header.blocksCopied * perBlock && !m_problems.full();
             ++index) {
            const Status status = checkCopies(index, perBlock);
            if (!status) {
                return m_problems.note(status.error()) ? Status() : status;
            }
        }
        return {};
    }

    Status checkCopies(std::uint64_t index, std::uint64_t perBlock)
    {
        const std::uint64_t expected = MP_TRY(m_zap.pointer(index));
        const auto place = m_zap.view().tablePlace(index);
        for (const std::uint64_t copy : {2 * index, 2 * index + 1}) {
            const std::uint64_t block = m_zap.header().nextTableBlock + copy / perBlock;
            const std::size_t offset =
                static_cast<std::size_t>(copy % perBlock) * sizeof(std::uint64_t);
            if (MP_TRY(m_zap.tableWord(block, offset)) != expected) {
                m_problems.add(
                    "pointer {} of the larger table differs from block {}", copy, place.block);
            }
        }
        return {};
    }

    FatZap& m_zap;
    Problems& m_problems;
    std::set<std::uint64_t> m_blocks; ///< used by table and leaves
    std::uint64_t m_leaves = 0;
    std::uint64_t m_entries = 0;
};

} // namespace

Result<std::vector<std::string>> Zap::verify(const ReadContext& context) const
{
    Problems problems;
    if (m_micro) {
        const Result<MicroZapView> view =
            MicroZapView::create(m_first.data->bytes(), m_first.order);
        if (!view) {
            problems.add("{}", view.error().toText());
        } else {
            verifyMicro(*view, problems);
        }
        return problems.take();
    }
    Result<FatZap> zap = FatZap::create(*m_objset, *m_dnode, m_first, context);
    if (!zap) {
        problems.add("{}", zap.error().toText());
        return problems.take();
    }
    MP_TRY(FatCheck(*zap, problems).run());
    return problems.take();
}

} // namespace millpond::object
