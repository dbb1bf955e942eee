// SPDX-License-Identifier: GPL-3.0-or-later
//
// ZAPs. Theory statement: object_set.cpp. Here in addition:
//
// On disk. A micro ZAP is one block of 64-byte entries (text to one word). A fat ZAP is an
// extendible hash table: the header block has, or leads to, a table of 2^shift block numbers; a
// leaf of prefix length p is named by 2^(shift-p) neighbours in it. While a larger table is being
// filled (nextTableBlock), the old one stays valid. In a leaf, entries hang in chains by the hash
// bits behind the prefix; names and values are chains of chunks.
//
// Order. The place of an entry is (hash, collision number), unique in a sound ZAP and independent
// of splits and of micro or fat. Entries that share a place (damage) are spread over the places
// behind, so that a walk neither skips nor repeats one. [zap_cursor_serialize]
//
// Folded names. A ZAP with normalisation hashes the folded name. Our tables and the writer's are of
// different Unicode versions, so when the chain of our hash has no match and the name is not ASCII,
// all entries are compared.

#include "object/zap.h"

#include "object/detail/fat_zap.h"
#include "object/detail/name_folding.h"

#include <algorithm>

namespace millpond::object {

using detail::FatZap;
using detail::ZapOrder;
using format::MicroZapView;
using format::ZapLeafView;

namespace {

constexpr std::size_t kBatch = 512;               ///< entries per step of forEach()
constexpr std::uint64_t kPrefetchBytes = 4 * MiB; ///< of leaves, when a walk begins

ZapEntry fromMicro(const MicroZapView::Entry& entry)
{
    return {.name = std::string(entry.name), .key = {}, .integerBytes = 8, .values = {entry.value}};
}

Result<ZapEntry>
fromLeaf(const ZapLeafView& leaf, const ZapLeafView::Entry& entry, std::uint64_t zapFlags)
{
    ZapEntry result;
    if ((zapFlags & format::ZapFlag::kUint64Key) != 0) {
        result.key = MP_TRY(leaf.key(entry));
    } else {
        result.name = MP_TRY(leaf.name(entry));
    }
    result.integerBytes = entry.integerBytes;
    result.values = MP_TRY(leaf.values(entry));
    return result;
}

std::uint64_t foldingOf(NameMatching matching)
{
    return matching.normalization |
           (matching.ignoreCase ? format::NormalizationFlag::kToUpper : std::uint64_t{0});
}

/// An entry of one block and its place in hash order.
struct Placed
{
    std::uint64_t position = 0;
    std::size_t index = 0;
};

void sortPlaces(std::vector<Placed>& places)
{
    std::ranges::sort(places, [](const Placed& a, const Placed& b) {
        return std::pair(a.position, a.index) < std::pair(b.position, b.index);
    });
    for (std::size_t i = 1; i < places.size(); ++i) {
        places[i].position = std::max(places[i].position, places[i - 1].position + 1);
    }
}

} // namespace

std::string ZapEntry::text() const
{
    std::string result;
    if (integerBytes != 1) {
        return result;
    }
    for (const std::uint64_t value : values) {
        result.push_back(static_cast<char>(value));
    }
    if (!result.empty() && result.back() == '\0') {
        result.pop_back();
    }
    return result;
}

Error Zap::locate(Error error) const
{
    return std::move(error).at({.objset = m_dnode->objset, .object = m_dnode->id});
}

std::unexpected<Error> Zap::absent() const
{
    return fail(ErrorCode::NoSuchEntry,
                "no such entry",
                {.objset = m_dnode->objset, .object = m_dnode->id});
}

Result<Zap> Zap::open(ObjectSet& objset, ObjectId object, const ReadContext& context)
{
    return open(objset, MP_TRY(objset.dnode(object, context)), context);
}

Result<Zap> Zap::open(ObjectSet& objset, DnodeRef dnode, const ReadContext& context)
{
    const ErrorContext where{.objset = dnode->objset, .object = dnode->id};
    if (format::objectLayout(dnode->type) != format::Layout::Zap) {
        return fail(ErrorCode::BadZap, "the object is no ZAP", where);
    }
    ObjectSet::Block first = MP_TRY(objset.readBlock(*dnode, BlockIndex(0), context));
    if (!first.data) {
        return fail(ErrorCode::BadZap, "its first block is missing", where);
    }
    const Result<format::ZapKind> kind = format::zapKind(first.data->bytes(), first.order);
    if (!kind) {
        return fail(Error(kind.error()).at(where));
    }
    return Zap(objset, std::move(dnode), std::move(first), *kind == format::ZapKind::Micro);
}

Result<ZapEntry> Zap::lookup(std::string_view name, const ReadContext& context) const
{
    return lookup(name, NameMatching{}, context);
}

Result<ZapEntry>
Zap::lookup(std::string_view name, NameMatching matching, const ReadContext& context) const
{
    Result<ZapEntry> found =
        m_micro ? lookupMicro(name, matching) : lookupFat(name, matching, context);
    if (!found) {
        return fail(locate(std::move(found).error()));
    }
    return found;
}

Result<ZapEntry> Zap::lookupMicro(std::string_view name, NameMatching matching) const
{
    const MicroZapView view = MP_TRY(MicroZapView::create(m_first.data->bytes(), m_first.order));
    if (const std::optional<MicroZapView::Entry> entry = view.find(name)) {
        return fromMicro(*entry);
    }
    const std::uint64_t folding = foldingOf(matching);
    if (folding == 0) {
        return absent();
    }
    const std::string wanted = detail::foldName(name, folding);
    for (std::size_t slot = 0; slot < view.slots(); ++slot) {
        const std::optional<MicroZapView::Entry> entry = view.entry(slot);
        if (entry && detail::foldName(entry->name, folding) == wanted) {
            return fromMicro(*entry);
        }
    }
    return absent();
}

Result<ZapEntry>
Zap::lookupFat(std::string_view name, NameMatching matching, const ReadContext& context) const
{
    FatZap zap = MP_TRY(FatZap::create(*m_objset, *m_dnode, m_first, context));
    const std::uint64_t flags = zap.header().flags;
    if ((flags & format::ZapFlag::kUint64Key) != 0) {
        return absent();
    }
    const std::uint64_t hashFolding = zap.header().normalization;
    const std::uint64_t hash = zap.view().hash(detail::foldName(name, hashFolding));
    const FatZap::Leaf leaf = MP_TRY(zap.leafFor(hash));
    if (const auto entry = MP_TRY(leaf.view.find(hash, name))) {
        return fromLeaf(leaf.view, *entry, flags);
    }
    const std::uint64_t folding = foldingOf(matching);
    if (folding != 0) {
        const std::string wanted = detail::foldName(name, folding);
        for (const ZapLeafView::Entry& entry : MP_TRY(leaf.view.chain(leaf.view.hashSlot(hash)))) {
            if (entry.hash == hash &&
                detail::foldName(MP_TRY(leaf.view.name(entry)), folding) == wanted) {
                return fromLeaf(leaf.view, entry, flags);
            }
        }
    }
    if ((folding | hashFolding) != 0 && !detail::isAscii(name)) {
        return searchAll(name, folding, context);
    }
    return absent();
}

Result<ZapEntry>
Zap::searchAll(std::string_view name, std::uint64_t folding, const ReadContext& context) const
{
    const std::string wanted = detail::foldName(name, folding);
    std::optional<ZapEntry> found;
    MP_TRY(forEach(
        [&](const ZapEntry& entry) -> Result<bool> {
            if (entry.name == name || detail::foldName(entry.name, folding) == wanted) {
                found = entry;
            }
            return !found;
        },
        context));
    return found ? Result<ZapEntry>(*std::move(found)) : absent();
}

Result<ZapEntry> Zap::lookup(std::span<const std::uint64_t> key, const ReadContext& context) const
{
    if (m_micro) {
        return absent();
    }
    FatZap zap = MP_TRY(FatZap::create(*m_objset, *m_dnode, m_first, context));
    const std::uint64_t flags = zap.header().flags;
    if ((flags & format::ZapFlag::kUint64Key) == 0 || key.empty()) {
        return absent();
    }
    const std::uint64_t hash = zap.view().hash(key);
    const FatZap::Leaf leaf = MP_TRY(zap.leafFor(hash));
    Result<std::optional<ZapLeafView::Entry>> entry = leaf.view.find(hash, key);
    if (!entry) {
        return fail(locate(std::move(entry).error()));
    }
    return *entry ? fromLeaf(leaf.view, **entry, flags) : absent();
}

Result<std::uint64_t> Zap::number(std::string_view name, const ReadContext& context) const
{
    const ZapEntry entry = MP_TRY(lookup(name, context));
    if (entry.values.empty()) {
        return fail(locate({ErrorCode::BadZap, "an entry without a value"}));
    }
    return entry.values.front();
}

Result<Zap::Entries>
Zap::list(std::uint64_t cursor, std::size_t atMost, const ReadContext& context) const
{
    if (cursor == kEnd) {
        return Entries{};
    }
    const std::size_t count = std::max<std::size_t>(atMost, 1);
    Result<Entries> result = m_micro ? listMicro(cursor, count) : listFat(cursor, count, context);
    if (!result) {
        return fail(locate(std::move(result).error()));
    }
    return result;
}

Result<Zap::Entries> Zap::listMicro(std::uint64_t cursor, std::size_t atMost) const
{
    const MicroZapView view = MP_TRY(MicroZapView::create(m_first.data->bytes(), m_first.order));
    const ZapOrder order(0);
    std::vector<Placed> places;
    for (std::size_t slot = 0; slot < view.slots(); ++slot) {
        if (const std::optional<MicroZapView::Entry> entry = view.entry(slot)) {
            const std::uint64_t hash =
                view.normalization() == 0
                    ? view.hash(entry->name)
                    : view.hash(detail::foldName(entry->name, view.normalization()));
            places.push_back({*order.position(hash, entry->collision), slot});
        }
    }
    sortPlaces(places);
    Entries result;
    auto at = std::ranges::lower_bound(places, cursor, {}, &Placed::position);
    for (; at != places.end() && result.entries.size() < atMost; ++at) {
        result.entries.emplace_back(at->position + 1, fromMicro(*view.entry(at->index)));
    }
    if (at != places.end()) {
        result.next = result.entries.back().first;
    }
    return result;
}

namespace {

/// Appends a leaf's entries from `cursor` on; true when there are more than fit.
Result<bool> listLeaf(FatZap& zap,
                      const FatZap::Leaf& leaf,
                      std::uint64_t cursor,
                      std::size_t atMost,
                      Zap::Entries& result)
{
    const ZapOrder order(zap.header().flags);
    const std::vector<ZapLeafView::Entry> entries = MP_TRY(leaf.view.entries());
    std::vector<Placed> places;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const auto position = order.position(entries[i].hash, entries[i].collision);
        if (!position || !leaf.covers(entries[i].hash)) {
            return zap.bad("an entry that does not belong into its leaf", leaf.blockId);
        }
        places.push_back({*position, i});
    }
    sortPlaces(places);
    auto at = std::ranges::lower_bound(places, cursor, {}, &Placed::position);
    for (; at != places.end() && result.entries.size() < atMost; ++at) {
        result.entries.emplace_back(
            at->position + 1, MP_TRY(fromLeaf(leaf.view, entries[at->index], zap.header().flags)));
    }
    return at != places.end();
}

} // namespace

Result<Zap::Entries>
Zap::listFat(std::uint64_t cursor, std::size_t atMost, const ReadContext& context) const
{
    FatZap zap = MP_TRY(FatZap::create(*m_objset, *m_dnode, m_first, context));
    if (cursor == kBegin && context.keep) {
        m_objset->prefetch(*m_dnode, {ByteOffset(0), ByteCount(kPrefetchBytes)});
    }
    Entries result;
    std::optional<std::uint64_t> hash = ZapOrder(zap.header().flags).hash(cursor);
    while (hash) {
        const FatZap::Leaf leaf = MP_TRY(zap.leafFor(*hash));
        const bool more = MP_TRY(listLeaf(zap, leaf, cursor, atMost, result));
        hash = leaf.endHash();
        if (more || (hash && result.entries.size() == atMost)) {
            result.next = result.entries.back().first;
            break;
        }
    }
    return result;
}

Status Zap::forEach(const std::function<Result<bool>(const ZapEntry&)>& visit,
                    const ReadContext& context) const
{
    std::uint64_t cursor = kBegin;
    while (cursor != kEnd) {
        const Entries batch = MP_TRY(list(cursor, kBatch, context));
        for (const auto& [next, entry] : batch.entries) {
            if (!MP_TRY(visit(entry))) {
                return {};
            }
        }
        cursor = batch.next;
    }
    return {};
}

Result<std::uint64_t> Zap::count(const ReadContext& context) const
{
    if (!m_micro) {
        return MP_TRY(FatZap::create(*m_objset, *m_dnode, m_first, context)).header().entries;
    }
    const Result<MicroZapView> view = MicroZapView::create(m_first.data->bytes(), m_first.order);
    if (!view) {
        return fail(locate(view.error()));
    }
    std::uint64_t entries = 0;
    for (std::size_t slot = 0; slot < view->slots(); ++slot) {
        entries += view->entry(slot) ? 1U : 0U;
    }
    return entries;
}

} // namespace millpond::object
