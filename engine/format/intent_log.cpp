// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/intent_log.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::format {

namespace {

constexpr std::uint64_t kIgnoreCaseBit = std::uint64_t{1} << 63;
/// A SetAttributes record carries extra attributes: the bit that Linux, and the one that Solaris
/// uses.
constexpr std::uint64_t kMaskExtraLinux = std::uint64_t{1} << 31;
constexpr std::uint64_t kMaskExtraSolaris = std::uint64_t{1} << 16;
constexpr std::uint32_t kMaxAttributeMaskWords = 16;
constexpr std::size_t kExtraTailBytes = 56;
constexpr std::size_t kChainNextOffset = 8;
constexpr std::size_t kChainUsedOffset = 136;

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadLog, std::move(what));
}

constexpr std::array<std::string_view, kZilRecordTypes> kNames = {
    "TX_COMMIT",          "TX_CREATE",     "TX_MKDIR",           "TX_MKXATTR",
    "TX_SYMLINK",         "TX_REMOVE",     "TX_RMDIR",           "TX_LINK",
    "TX_RENAME",          "TX_WRITE",      "TX_TRUNCATE",        "TX_SETATTR",
    "TX_ACL_V0",          "TX_ACL_ACL",    "TX_CREATE_ACL",      "TX_CREATE_ATTR",
    "TX_CREATE_ACL_ATTR", "TX_MKDIR_ACL",  "TX_MKDIR_ATTR",      "TX_MKDIR_ACL_ATTR",
    "TX_WRITE2",          "TX_SETSAXATTR", "TX_RENAME_EXCHANGE", "TX_RENAME_WHITEOUT",
    "TX_CLONE_RANGE",
};

/// Parses what follows a record's common header.
class Body
{
public:
    Body(Bytes bytes, ByteOrder order, ZilRecord& record)
        : m_cursor(bytes, order)
        , m_record(record)
    {
    }

    Status parse()
    {
        MP_TRY(dispatch());
        return m_cursor.ok() ? Status() : bad("log record cut off");
    }

private:
    Status dispatch()
    {
        switch (m_record.type) {
        case ZilRecordType::Commit:
            return {};
        case ZilRecordType::Create:
        case ZilRecordType::MakeDirectory:
        case ZilRecordType::MakeXattrDirectory:
            return create(false, false);
        case ZilRecordType::CreateAttributes:
        case ZilRecordType::MakeDirectoryAttributes:
            return create(true, false);
        case ZilRecordType::CreateAcl:
        case ZilRecordType::MakeDirectoryAcl:
            return create(false, true);
        case ZilRecordType::CreateAclAttributes:
        case ZilRecordType::MakeDirectoryAclAttributes:
            return create(true, true);
        case ZilRecordType::Symlink:
            return symlink();
        case ZilRecordType::Remove:
        case ZilRecordType::RemoveDirectory:
            m_record.directory = word();
            return name(m_record.name);
        case ZilRecordType::Link:
            m_record.directory = word();
            object();
            return name(m_record.name);
        case ZilRecordType::Rename:
        case ZilRecordType::RenameExchange:
            return rename(false);
        case ZilRecordType::RenameWhiteout:
            return rename(true);
        case ZilRecordType::Write:
            return write();
        case ZilRecordType::Write2:
        case ZilRecordType::Truncate:
            object();
            extent();
            return {};
        case ZilRecordType::SetAttributes:
            return setAttributes();
        case ZilRecordType::AclV0:
            return aclV0();
        case ZilRecordType::Acl:
            object();
            return acl();
        case ZilRecordType::SetSaXattr:
            return setSaXattr();
        case ZilRecordType::CloneRange:
            return cloneRange();
        }
        return bad(
            fmt::format("log record of unknown type {}", static_cast<unsigned>(m_record.type)));
    }

    std::uint64_t word() { return m_cursor.take<std::uint64_t>(); }

    ZilTime time()
    {
        const std::uint64_t seconds = word();
        return {seconds, word()};
    }

    void object() { m_record.object = ZilObject::of(word()); }

    void extent()
    {
        m_record.offset = word();
        m_record.size = word();
    }

    Result<std::string_view> text()
    {
        const Bytes rest = m_cursor.takeBytes(m_cursor.remaining());
        const std::string_view found = textOf(rest);
        if (found.size() >= rest.size()) {
            return bad("log record with a name without an end");
        }
        m_cursor = Cursor(rest.subspan(found.size() + 1), m_cursor.order());
        return found;
    }

    Status name(std::string_view& into)
    {
        into = MP_TRY(text());
        return {};
    }

    void owner()
    {
        m_record.mode = word();
        m_record.uid = word();
        m_record.gid = word();
    }

    void newObject()
    {
        owner();
        m_record.generation = word();
        m_record.created = time();
        m_record.rdev = word();
    }

    Status create(bool hasExtra, bool hasAcl)
    {
        m_record.directory = word();
        object();
        newObject();
        ZilAcl parsed;
        std::uint64_t fuids = 0;
        std::uint64_t aceBytes = 0;
        if (hasAcl) {
            aceBytes = aclCounts(parsed, fuids);
        }
        if (hasExtra) {
            MP_TRY(extra());
        }
        if (hasAcl) {
            MP_TRY(aclContent(parsed, aceBytes, fuids));
        } else {
            MP_TRY(skipOwnerDomains());
        }
        return name(m_record.name);
    }

    /// Ids that are not POSIX' carry their domains' names, each domain once.
    Status skipOwnerDomains()
    {
        const std::uint64_t user = m_record.uid >> 32;
        const std::uint64_t group = m_record.gid >> 32;
        const unsigned count = (user != 0 ? 1U : 0U) + (group != 0 && group != user ? 1U : 0U);
        for (unsigned i = 0; i < count; ++i) {
            MP_TRY(text());
        }
        return {};
    }

    Status symlink()
    {
        m_record.directory = word();
        object();
        newObject();
        MP_TRY(skipOwnerDomains());
        MP_TRY(name(m_record.name));
        return name(m_record.targetName);
    }

    Status rename(bool whiteout)
    {
        m_record.directory = word();
        m_record.targetDirectory = word();
        if (whiteout) {
            object();
            newObject();
        }
        MP_TRY(name(m_record.name));
        return name(m_record.targetName);
    }

    Result<BlockPointer> pointer()
    {
        const Bytes raw = m_cursor.takeBytes(BlockPointer::kBytes);
        const BlockPointer found = MP_TRY(BlockPointer::decode(raw, m_cursor.order()));
        if (auto valid = found.validate(); !valid) {
            return bad("log record with a broken pointer: " + valid.error().what());
        }
        return found;
    }

    Status write()
    {
        object();
        extent();
        m_cursor.skip(8);
        if (m_cursor.remaining() < BlockPointer::kBytes) {
            return bad("log record cut off");
        }
        const Bytes raw = m_cursor.takeBytes(BlockPointer::kBytes);
        if (m_cursor.remaining() == 0) {
            m_cursor = Cursor(raw, m_cursor.order());
            m_record.pointer = MP_TRY(pointer());
            return {};
        }
        // The data follow; the pointer's place is not cleared then.
        m_record.data = m_cursor.takeBytes(m_record.size);
        return {};
    }

    Status extra()
    {
        const auto words = m_cursor.take<std::uint32_t>();
        if (words == 0 || words > kMaxAttributeMaskWords) {
            return bad(fmt::format("log record with {} words of attribute mask", words));
        }
        ZilExtraAttributes attributes;
        for (std::uint32_t i = 0; i < words; ++i) {
            attributes.mask.push_back(m_cursor.take<std::uint32_t>());
        }
        attributes.attributes = word();
        attributes.created = time();
        const Bytes stamp = m_cursor.takeBytes(attributes.scanStamp.size());
        std::ranges::copy(stamp, attributes.scanStamp.begin());
        m_record.extra = std::move(attributes);
        return m_cursor.ok() ? Status() : bad("log record cut off");
    }

    Status setAttributes()
    {
        object();
        m_record.mask = word();
        owner();
        m_record.size = word();
        m_record.accessed = time();
        m_record.modified = time();
        const bool linux = (m_record.mask & kMaskExtraLinux) != 0;
        const bool solaris =
            (m_record.mask & kMaskExtraSolaris) != 0 && m_cursor.remaining() >= kExtraTailBytes + 8;
        return linux || solaris ? extra() : Status();
    }

    Status aclV0()
    {
        constexpr std::uint64_t kAceBytes = 12;
        object();
        ZilAcl parsed;
        parsed.count = word();
        std::uint64_t size = 0;
        if (!checkedMultiply(parsed.count, kAceBytes, size) || size > m_cursor.remaining()) {
            return bad("log record with an ACL cut off");
        }
        parsed.aces = m_cursor.takeBytes(size);
        m_record.acl = std::move(parsed);
        return {};
    }

    /// The five words before an ACL; returns its size in bytes.
    std::uint64_t aclCounts(ZilAcl& parsed, std::uint64_t& fuids)
    {
        parsed.count = word();
        parsed.domains = word();
        fuids = word();
        const std::uint64_t aceBytes = word();
        parsed.flags = word();
        return aceBytes;
    }

    Status aclContent(ZilAcl& parsed, std::uint64_t aceBytes, std::uint64_t fuids)
    {
        if (aceBytes > m_cursor.remaining() || fuids > m_cursor.remaining() / 8 ||
            parsed.domains > m_cursor.remaining()) {
            return bad("log record with an ACL cut off");
        }
        parsed.aces = m_cursor.takeBytes(aceBytes);
        m_cursor.skip(alignUp(aceBytes, 8) - aceBytes);
        for (std::uint64_t i = 0; i < fuids; ++i) {
            parsed.fuids.push_back(word());
        }
        if (!m_cursor.ok()) {
            return bad("log record with an ACL cut off");
        }
        for (std::uint64_t i = 0; i < parsed.domains; ++i) {
            parsed.domain.push_back(MP_TRY(text()));
        }
        m_record.acl = std::move(parsed);
        return {};
    }

    Status acl()
    {
        ZilAcl parsed;
        std::uint64_t fuids = 0;
        const std::uint64_t aceBytes = aclCounts(parsed, fuids);
        return aclContent(parsed, aceBytes, fuids);
    }

    Status setSaXattr()
    {
        object();
        m_record.size = word();
        MP_TRY(name(m_record.name));
        if (m_record.size > m_cursor.remaining()) {
            return bad("log record with an attribute cut off");
        }
        m_record.data = m_cursor.takeBytes(m_record.size);
        return {};
    }

    Status cloneRange()
    {
        object();
        extent();
        m_record.blockSize = word();
        const std::uint64_t count = word();
        if (count > m_cursor.remaining() / BlockPointer::kBytes) {
            return bad("log record with block pointers cut off");
        }
        m_record.pointers.reserve(count);
        for (std::uint64_t i = 0; i < count; ++i) {
            m_record.pointers.push_back(MP_TRY(pointer()));
        }
        return {};
    }

    Cursor m_cursor;
    ZilRecord& m_record;
};

} // namespace

Result<ZilHeader> ZilHeader::decode(Bytes bytes, ByteOrder order)
{
    if (bytes.size() < kBytes) {
        return bad(fmt::format("{} bytes are no intent log header", bytes.size()));
    }
    ZilHeader header;
    header.claimTxg = load<std::uint64_t>(bytes, 0, order);
    header.replaySequence = load<std::uint64_t>(bytes, 8, order);
    header.log = BlockPointer::at(bytes, 16, order);
    header.claimBlockSequence = load<std::uint64_t>(bytes, 144, order);
    header.flags = load<std::uint64_t>(bytes, 152, order);
    header.claimRecordSequence = load<std::uint64_t>(bytes, 160, order);
    return header;
}

void ZilHeader::encode(MutableBytes out, ByteOrder order) const
{
    MP_CHECK(out.size() >= kBytes);
    std::ranges::fill(out.first(kBytes), std::byte{0});
    store(out, 0, claimTxg, order);
    store(out, 8, replaySequence, order);
    log.encode(out.subspan(16), order);
    store(out, 144, claimBlockSequence, order);
    store(out, 152, flags, order);
    store(out, 160, claimRecordSequence, order);
}

std::string ZilHeader::toText() const
{
    return fmt::format(
        "claim_txg={} replay_seq={} claim_blk_seq={} claim_lr_seq={} flags={:#x} log={}",
        claimTxg,
        replaySequence,
        claimBlockSequence,
        claimRecordSequence,
        flags,
        log.toText());
}

Result<ZilChain> ZilChain::decode(Bytes bytes, ByteOrder order)
{
    if (bytes.size() < kBytes) {
        return bad(fmt::format("{} bytes are no log chain", bytes.size()));
    }
    ZilChain chain;
    chain.next = BlockPointer::at(bytes, kChainNextOffset, order);
    chain.used = load<std::uint64_t>(bytes, kChainUsedOffset, order);
    if (auto valid = chain.next.validate(); !valid) {
        return bad("log chain with a broken pointer: " + valid.error().what());
    }
    return chain;
}

void ZilChain::encode(MutableBytes out, ByteOrder order) const
{
    MP_CHECK(out.size() >= kBytes);
    std::ranges::fill(out.first(kChainNextOffset), std::byte{0});
    next.encode(out.subspan(kChainNextOffset), order);
    store(out, kChainUsedOffset, used, order);
}

Result<ZilBlock> ZilBlock::decode(Bytes block, ChecksumType checksum, ByteOrder order)
{
    if (block.size() < ZilChain::kBytes) {
        return bad(fmt::format("{} bytes are no log block", block.size()));
    }
    ZilBlock decoded;
    if (checksum == ChecksumType::IntentLog2) {
        decoded.chain = MP_TRY(ZilChain::decode(block, order));
        if (decoded.chain.used < ZilChain::kBytes || decoded.chain.used > block.size()) {
            return bad(fmt::format("log block with {} bytes used", decoded.chain.used));
        }
        decoded.records = block.first(decoded.chain.used).subspan(ZilChain::kBytes);
        return decoded;
    }
    decoded.chain = MP_TRY(ZilChain::decode(block.last(ZilChain::kBytes), order));
    if (decoded.chain.used > block.size() - ZilChain::kBytes) {
        return bad(fmt::format("log block with {} bytes used", decoded.chain.used));
    }
    decoded.records = block.first(decoded.chain.used);
    return decoded;
}

std::string_view zilRecordTypeName(ZilRecordType type)
{
    const auto index = static_cast<std::size_t>(type);
    return index < kNames.size() ? kNames[index] : "TX_UNKNOWN";
}

Result<ZilRecord> ZilRecord::take(Cursor& cursor)
{
    ZilRecord record;
    const auto rawType = cursor.take<std::uint64_t>();
    record.length = cursor.take<std::uint64_t>();
    record.txg = Txg(cursor.take<std::uint64_t>());
    record.sequence = cursor.take<std::uint64_t>();
    if (!cursor.ok() || record.length < kHeaderBytes ||
        record.length - kHeaderBytes > cursor.remaining()) {
        return bad(fmt::format("log record of {} bytes", record.length));
    }
    const Bytes body = cursor.takeBytes(record.length - kHeaderBytes);
    const std::uint64_t type = rawType & ~kIgnoreCaseBit;
    if (type >= kZilRecordTypes) {
        return bad(fmt::format("log record of unknown type {}", type));
    }
    record.type = ZilRecordType(type);
    record.ignoreCase = (rawType & kIgnoreCaseBit) != 0;
    MP_TRY(Body(body, cursor.order(), record).parse());
    return record;
}

std::string ZilRecord::toText() const
{
    std::string text = fmt::format("{} len={} txg={} seq={} object={}",
                                   zilRecordTypeName(type),
                                   length,
                                   txg.value(),
                                   sequence,
                                   object.object);
    if (directory != 0) {
        text += fmt::format(" directory={}", directory);
    }
    if (!name.empty()) {
        text += fmt::format(" name='{}'", name);
    }
    if (!targetName.empty()) {
        text += fmt::format(" target='{}'", targetName);
    }
    if (size != 0 || offset != 0) {
        text += fmt::format(" offset={} size={}", offset, size);
    }
    return text;
}

} // namespace millpond::format
