// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/dsl.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::format {

namespace {

constexpr std::size_t kDatasetRootOffset = 128;
constexpr std::size_t kDatasetTailOffset = 256;
constexpr std::size_t kMaxRedactionSnapshots = 4096;

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadDataset, std::move(what));
}

Status checkSize(Bytes bytes, std::size_t needed, std::string_view what)
{
    return bytes.size() >= needed ? Status()
                                  : bad(fmt::format("{} bytes are no {}", bytes.size(), what));
}

/// Takes words one after the other.
class WordReader
{
public:
    WordReader(Bytes bytes, ByteOrder order, std::size_t at = 0)
        : m_bytes(bytes)
        , m_order(order)
        , m_at(at)
    {
    }

    void operator()(std::uint64_t& value)
    {
        value = load<std::uint64_t>(m_bytes, m_at, m_order);
        m_at += 8;
    }

    template <class Tag> void operator()(Strong<Tag, std::uint64_t>& value)
    {
        std::uint64_t raw = 0;
        (*this)(raw);
        value = Strong<Tag, std::uint64_t>(raw);
    }

private:
    Bytes m_bytes;
    ByteOrder m_order;
    std::size_t m_at;
};

class WordWriter
{
public:
    WordWriter(MutableBytes bytes, ByteOrder order, std::size_t at = 0)
        : m_bytes(bytes)
        , m_order(order)
        , m_at(at)
    {
    }

    void operator()(std::uint64_t value)
    {
        store(m_bytes, m_at, value, m_order);
        m_at += 8;
    }

    template <class Tag> void operator()(Strong<Tag, std::uint64_t> value)
    {
        (*this)(value.value());
    }

private:
    MutableBytes m_bytes;
    ByteOrder m_order;
    std::size_t m_at;
};

// Each list names a structure's words in their order and serves both directions.

template <class Dir, class Visit> void visitDir(Dir& dir, Visit&& visit)
{
    visit(dir.creationTime);
    visit(dir.headDataset);
    visit(dir.parent);
    visit(dir.origin);
    visit(dir.childDirectories);
    visit(dir.usedBytes);
    visit(dir.compressedBytes);
    visit(dir.uncompressedBytes);
    visit(dir.quota);
    visit(dir.reserved);
    visit(dir.properties);
    visit(dir.permissions);
    visit(dir.flags);
    for (auto& used : dir.usedBreakdown) {
        visit(used);
    }
    visit(dir.clones);
}

template <class Dataset, class Visit> void visitDatasetHead(Dataset& dataset, Visit&& visit)
{
    visit(dataset.directory);
    visit(dataset.previousSnapshot);
    visit(dataset.previousSnapshotTxg);
    visit(dataset.nextSnapshot);
    visit(dataset.snapshotNames);
    visit(dataset.childCount);
    visit(dataset.creationTime);
    visit(dataset.creationTxg);
    visit(dataset.deadlist);
    visit(dataset.referencedBytes);
    visit(dataset.compressedBytes);
    visit(dataset.uncompressedBytes);
    visit(dataset.uniqueBytes);
    visit(dataset.fsidGuid);
    visit(dataset.guid);
    visit(dataset.flags);
}

template <class Dataset, class Visit> void visitDatasetTail(Dataset& dataset, Visit&& visit)
{
    visit(dataset.nextClones);
    visit(dataset.snapshotProperties);
    visit(dataset.userRefs);
}

template <class List, class Visit> void visitBpObject(List& list, Visit&& visit)
{
    visit(list.pointers);
    visit(list.bytes);
    if (list.sizeBytes >= BpObjectPhys::kBytesV1) {
        visit(list.compressedBytes);
        visit(list.uncompressedBytes);
    }
    if (list.sizeBytes >= BpObjectPhys::kBytesV2) {
        visit(list.subobjects);
        visit(list.subobjectCount);
    }
    if (list.sizeBytes >= BpObjectPhys::kBytesV3) {
        visit(list.freedCount);
    }
}

std::size_t bpObjectSize(std::size_t available)
{
    for (const std::size_t size :
         {BpObjectPhys::kBytesV3, BpObjectPhys::kBytesV2, BpObjectPhys::kBytesV1}) {
        if (available >= size) {
            return size;
        }
    }
    return BpObjectPhys::kBytesV0;
}

} // namespace

Result<DslDirPhys> DslDirPhys::decode(Bytes bonus, ByteOrder order)
{
    MP_TRY(checkSize(bonus, kBytes, "dataset directory"));
    DslDirPhys dir;
    visitDir(dir, WordReader(bonus, order));
    return dir;
}

void DslDirPhys::encode(MutableBytes out, ByteOrder order) const
{
    MP_CHECK(out.size() >= kBytes);
    std::ranges::fill(out.first(kBytes), std::byte{0});
    visitDir(*this, WordWriter(out, order));
}

std::string DslDirPhys::toText() const
{
    return fmt::format(
        "directory head={} parent={} origin={} children={} props={} used={} quota={} "
        "reserved={} flags={:#x}",
        headDataset.value(),
        parent.value(),
        origin.value(),
        childDirectories.value(),
        properties.value(),
        usedBytes,
        quota,
        reserved,
        flags);
}

Result<DslDatasetPhys> DslDatasetPhys::decode(Bytes bonus, ByteOrder order)
{
    MP_TRY(checkSize(bonus, kBytes, "dataset"));
    DslDatasetPhys dataset;
    visitDatasetHead(dataset, WordReader(bonus, order));
    dataset.root = BlockPointer::at(bonus, kDatasetRootOffset, order);
    visitDatasetTail(dataset, WordReader(bonus, order, kDatasetTailOffset));
    if (auto valid = dataset.root.validate(); !valid) {
        return bad("dataset with a broken pointer: " + valid.error().what());
    }
    return dataset;
}

void DslDatasetPhys::encode(MutableBytes out, ByteOrder order) const
{
    MP_CHECK(out.size() >= kBytes);
    std::ranges::fill(out.first(kBytes), std::byte{0});
    visitDatasetHead(*this, WordWriter(out, order));
    root.encode(out.subspan(kDatasetRootOffset), order);
    visitDatasetTail(*this, WordWriter(out, order, kDatasetTailOffset));
}

std::string DslDatasetPhys::toText() const
{
    return fmt::format("{} dir={} prev={}@{} next={} snaps={} created={} guid={} referenced={} "
                       "unique={} deadlist={} flags={:#x} root={}",
                       isSnapshot() ? "snapshot" : "dataset",
                       directory.value(),
                       previousSnapshot.value(),
                       previousSnapshotTxg.value(),
                       nextSnapshot.value(),
                       snapshotNames.value(),
                       creationTxg.value(),
                       guid,
                       referencedBytes,
                       uniqueBytes,
                       deadlist.value(),
                       flags,
                       root.toText());
}

Result<DeadlistPhys> DeadlistPhys::decode(Bytes bonus, ByteOrder order)
{
    MP_TRY(checkSize(bonus, 24, "deadlist"));
    return DeadlistPhys{load<std::uint64_t>(bonus, 0, order),
                        load<std::uint64_t>(bonus, 8, order),
                        load<std::uint64_t>(bonus, 16, order)};
}

void DeadlistPhys::encode(MutableBytes out, ByteOrder order) const
{
    MP_CHECK(out.size() >= kBytes);
    std::ranges::fill(out.first(kBytes), std::byte{0});
    store(out, 0, usedBytes, order);
    store(out, 8, compressedBytes, order);
    store(out, 16, uncompressedBytes, order);
}

Result<BpObjectPhys> BpObjectPhys::decode(Bytes bonus, ByteOrder order)
{
    MP_TRY(checkSize(bonus, kBytesV0, "list of block pointers"));
    BpObjectPhys list;
    list.sizeBytes = bpObjectSize(bonus.size());
    visitBpObject(list, WordReader(bonus, order));
    return list;
}

void BpObjectPhys::encode(MutableBytes out, ByteOrder order) const
{
    MP_CHECK(out.size() >= sizeBytes && sizeBytes >= kBytesV0);
    visitBpObject(*this, WordWriter(out, order));
}

Result<BookmarkPhys> BookmarkPhys::decode(std::span<const std::uint64_t> stored)
{
    if (stored.size() < kWordsV1 || stored.size() > kWordsV2) {
        return bad(fmt::format("bookmark of {} words", stored.size()));
    }
    std::array<std::uint64_t, kWordsV2> w{};
    std::ranges::copy(stored, w.begin());
    BookmarkPhys bookmark;
    bookmark.guid = w[0];
    bookmark.creationTxg = Txg(w[1]);
    bookmark.creationTime = w[2];
    bookmark.redaction = ObjectId(w[3]);
    bookmark.flags = w[4];
    bookmark.referencedBytes = w[5];
    bookmark.compressedBytes = w[6];
    bookmark.uncompressedBytes = w[7];
    bookmark.referencedFreedBeforeNext = w[8];
    bookmark.compressedFreedBeforeNext = w[9];
    bookmark.uncompressedFreedBeforeNext = w[10];
    bookmark.ivsetGuid = w[11];
    bookmark.words = stored.size();
    return bookmark;
}

std::vector<std::uint64_t> BookmarkPhys::encode() const
{
    std::vector<std::uint64_t> stored = {guid,
                                         creationTxg.value(),
                                         creationTime,
                                         redaction.value(),
                                         flags,
                                         referencedBytes,
                                         compressedBytes,
                                         uncompressedBytes,
                                         referencedFreedBeforeNext,
                                         compressedFreedBeforeNext,
                                         uncompressedFreedBeforeNext,
                                         ivsetGuid};
    stored.resize(std::clamp(words, kWordsV1, kWordsV2));
    return stored;
}

Result<BpTreePhys> BpTreePhys::decode(Bytes bonus, ByteOrder order)
{
    MP_TRY(checkSize(bonus, kBytes, "tree of freed blocks"));
    const auto word = [&](std::size_t index) {
        return load<std::uint64_t>(bonus, index * 8, order);
    };
    const BpTreePhys tree{word(0), word(1), word(2), word(3), word(4)};
    if (tree.begin > tree.end) {
        return bad("tree of freed blocks that ends before it begins");
    }
    return tree;
}

void BpTreePhys::encode(MutableBytes out, ByteOrder order) const
{
    WordWriter put(out, order);
    for (const std::uint64_t word : {begin, end, bytes, compressedBytes, uncompressedBytes}) {
        put(word);
    }
}

Result<BpTreeEntry> BpTreeEntry::decode(Bytes bytes, ByteOrder order)
{
    MP_TRY(checkSize(bytes, kBytes, "entry of freed blocks"));
    const auto word = [&](std::size_t at) { return load<std::uint64_t>(bytes, at, order); };
    BpTreeEntry entry;
    entry.pointer = BlockPointer::at(bytes, 0, order);
    entry.birth = Txg(word(128));
    entry.position = {word(136), word(144), static_cast<std::int64_t>(word(152)), word(160)};
    if (auto valid = entry.pointer.validate(); !valid) {
        return bad("freed tree with a broken pointer: " + valid.error().what());
    }
    return entry;
}

void BpTreeEntry::encode(MutableBytes out, ByteOrder order) const
{
    pointer.encode(out, order);
    WordWriter put(out, order, BlockPointer::kBytes);
    put(birth.value());
    put(position.objset);
    put(position.object);
    put(static_cast<std::uint64_t>(position.level));
    put(position.block);
}

Result<ScanPhys> ScanPhys::decode(std::span<const std::uint64_t> words)
{
    if (words.size() < kWords) {
        return bad(fmt::format("scan state of {} words", words.size()));
    }
    ScanPhys scan;
    scan.function = ScanFunction(words[0]);
    scan.state = ScanState(words[1]);
    scan.queue = ObjectId(words[2]);
    scan.minTxg = Txg(words[3]);
    scan.maxTxg = Txg(words[4]);
    scan.currentMinTxg = Txg(words[5]);
    scan.currentMaxTxg = Txg(words[6]);
    scan.startTime = words[7];
    scan.endTime = words[8];
    scan.toExamine = words[9];
    scan.examined = words[10];
    scan.skipped = words[11];
    scan.processed = words[12];
    scan.errors = words[13];
    scan.ddtClassMax = words[14];
    std::ranges::copy(words.subspan(15, 4), scan.ddtBookmark.begin());
    scan.position = {words[19], words[20], static_cast<std::int64_t>(words[21]), words[22]};
    scan.flags = words[23];
    return scan;
}

std::string ScanPhys::toText() const
{
    return fmt::format("scan function={} state={} txg {}-{} start={} end={} examined {} of {} "
                       "processed={} errors={} flags={:#x}",
                       static_cast<std::uint64_t>(function),
                       static_cast<std::uint64_t>(state),
                       minTxg.value(),
                       maxTxg.value(),
                       startTime,
                       endTime,
                       examined,
                       toExamine,
                       processed,
                       errors,
                       flags);
}

Result<RedactionListPhys> RedactionListPhys::decode(Bytes bonus, ByteOrder order)
{
    MP_TRY(checkSize(bonus, 32, "redaction list"));
    const auto word = [&](std::size_t index) {
        return load<std::uint64_t>(bonus, index * 8, order);
    };
    RedactionListPhys list;
    list.lastObject = word(0);
    list.lastBlock = word(1);
    list.entries = word(2);
    const std::uint64_t count = word(3);
    if (count > kMaxRedactionSnapshots || count > bonus.size() / 8 - 4) {
        return bad(fmt::format("redaction list of {} snapshots", count));
    }
    for (std::size_t i = 0; i < count; ++i) {
        list.snapshotGuids.push_back(word(4 + i));
    }
    return list;
}

Result<RemovingPhys> RemovingPhys::decode(std::span<const std::uint64_t> words)
{
    if (words.size() < kWords) {
        return bad(fmt::format("removal state of {} words", words.size()));
    }
    return RemovingPhys{
        ScanState(words[0]), words[1], words[2], words[3], words[4], words[5], words[6]};
}

Result<IndirectMappingEntry> IndirectMappingEntry::decode(Bytes bytes, ByteOrder order)
{
    MP_TRY(checkSize(bytes, kBytes, "mapping of a removed device"));
    const auto word = [&](std::size_t at) { return load<std::uint64_t>(bytes, at, order); };
    return IndirectMappingEntry{ByteOffset(bits(word(0), 0, 63) << kSectorShift),
                                Dva::decode(word(8), word(16))};
}

Result<IndirectMappingPhys> IndirectMappingPhys::decode(Bytes bonus, ByteOrder order)
{
    MP_TRY(checkSize(bonus, kBytesV0, "mapping of a removed device"));
    const auto word = [&](std::size_t at) { return load<std::uint64_t>(bonus, at, order); };
    return IndirectMappingPhys{
        word(0), word(8), word(16), ObjectId(bonus.size() >= kBytesV1 ? word(24) : 0)};
}

} // namespace millpond::format
