// SPDX-License-Identifier: GPL-3.0-or-later
#include "block/detail/copy_reader.h"

#include "format/dnode.h"
#include "format/gang.h"

#include <fmt/format.h>

#include <array>
#include <vector>

namespace millpond::block::detail {

using codec::ChecksumAlgorithm;
using format::BlockPointer;
using format::Dva;
using format::GangHeader;

namespace {

ChecksumAlgorithm algorithmOf(const BlockPointer& pointer)
{
    return static_cast<ChecksumAlgorithm>(static_cast<std::uint8_t>(pointer.checksumType()));
}

/// Half of the checksum of a protected block is its authentication code. The other half is the
/// checksum cut in two: folded, where the algorithm does not spread every bit over all words.
bool sameTruncated(codec::Checksum computed,
                   const format::ChecksumWords& stored,
                   ChecksumAlgorithm algorithm)
{
    const bool strong =
        algorithm == ChecksumAlgorithm::Sha256 || algorithm == ChecksumAlgorithm::Sha512 ||
        algorithm == ChecksumAlgorithm::Skein || algorithm == ChecksumAlgorithm::Blake3;
    if (!strong) {
        computed.words[0] ^= computed.words[2];
        computed.words[1] ^= computed.words[3];
    }
    return computed.words[0] == stored[0] && computed.words[1] == stored[1];
}

/// Collects why each copy failed.
class Failures
{
public:
    void add(unsigned copy, const Dva& dva, Error error)
    {
        const bool first = !m_error;
        if (!first) {
            m_text += "; ";
        }
        m_text += fmt::format("copy {} at {}: {}", copy, dva.toText(), error.what());
        if (first ||
            (error.is(ErrorCode::ChecksumMismatch) && !m_error->is(ErrorCode::ChecksumMismatch))) {
            m_error = std::move(error);
        }
        ++m_count;
    }

    [[nodiscard]] unsigned count() const { return m_count; }

    [[nodiscard]] Error take()
    {
        if (!m_error) {
            return {ErrorCode::BadBlockPointer, "a block pointer without a copy"};
        }
        if (m_count == 1) {
            return std::move(*m_error);
        }
        return {m_error->code(), std::move(m_text)};
    }

private:
    unsigned m_count = 0;
    std::string m_text;
    std::optional<Error> m_error; ///< the one that says most
};

struct Pieces
{
    GangHeader header;
    ByteOrder order = ByteOrder::Little;
};

/// Accepts a gang header and remembers its byte order.
class HeaderCheck
{
public:
    HeaderCheck(const BlockPointer& pointer, codec::ChecksumContext& context)
        : m_verifier(codec::gangVerifier(
              pointer.dva(0).vdev, pointer.dva(0).offset, pointer.physicalBirth()))
        , m_context(context)
    {
    }

    [[nodiscard]] bool operator()(Bytes bytes)
    {
        const Result<ByteOrder> order =
            codec::verifyEmbedded(ChecksumAlgorithm::GangHeader, bytes, m_verifier, m_context);
        if (order) {
            m_order = *order;
        }
        return order.has_value();
    }

    [[nodiscard]] ByteOrder order() const { return m_order; }

private:
    codec::Checksum m_verifier;
    codec::ChecksumContext& m_context;
    ByteOrder m_order = ByteOrder::Little;
};

/// The pieces of a gang; their sizes add up to `size`.
Result<GangHeader> decodeHeader(Bytes bytes, ByteOrder order, std::size_t size, unsigned depth)
{
    if (depth >= GangHeader::kMaxDepth) {
        return fail(ErrorCode::BadGang, "gangs of gangs deeper than a block can be cut up");
    }
    const GangHeader header = MP_TRY(GangHeader::decode(bytes, order));
    std::uint64_t sum = 0;
    for (const BlockPointer& piece : header.pointers) {
        if (piece.isEmbedded()) {
            return fail(ErrorCode::BadGang, "a gang with an embedded piece");
        }
        sum += piece.isHole() ? 0 : piece.physicalSize().value();
    }
    if (sum != size) {
        return fail(ErrorCode::BadGang,
                    fmt::format("a gang of {} bytes for a block of {}", sum, size));
    }
    return header;
}

/// Aligned for direct I/O.
Result<Buffer> headerBuffer()
{
    Buffer buffer = MP_TRY(Buffer::create(Buffer::kAlignment));
    buffer.shrink(GangHeader::kBytes);
    return buffer;
}

} // namespace

ContentCheck::ContentCheck(const BlockPointer& pointer,
                           const codec::ChecksumSalt* salt,
                           codec::ChecksumContext& context)
    : m_pointer(pointer)
    , m_salt(salt)
    , m_context(context)
{
}

bool ContentCheck::operator()(Bytes bytes)
{
    const ChecksumAlgorithm algorithm = algorithmOf(m_pointer);
    const format::ChecksumWords stored = m_pointer.checksum();
    if (algorithm == ChecksumAlgorithm::Off || algorithm == ChecksumAlgorithm::NoParity) {
        return true;
    }
    if (codec::isEmbedded(algorithm)) {
        return codec::verifyEmbedded(algorithm, bytes, codec::Checksum{stored}, m_context)
            .has_value();
    }
    Result<codec::Checksum> computed =
        codec::computeChecksum(algorithm, bytes, m_pointer.byteOrder(), m_salt, m_context);
    if (!computed) {
        m_trouble = std::move(computed).error();
        return false;
    }
    const bool halved =
        m_pointer.usesCrypt() && m_pointer.type() != format::number(format::ObjectType::Objset);
    return halved ? sameTruncated(*computed, stored, algorithm) : computed->words == stored;
}

CopyReader::CopyReader(const VdevMap& vdevs,
                       ContextPool& contexts,
                       const std::atomic<const codec::ChecksumSalt*>& salt)
    : m_vdevs(vdevs)
    , m_contexts(contexts)
    , m_salt(salt)
{
}

Result<bool> CopyReader::read(const BlockPointer& pointer, MutableBytes out)
{
    const ContextPool::Lease context = m_contexts.borrow();
    return pointer.isGang() ? readGang(pointer, out, 0, context->checksum)
                            : readPlain(pointer, out, context->checksum);
}

Result<bool> CopyReader::readPlain(const BlockPointer& pointer,
                                   MutableBytes out,
                                   codec::ChecksumContext& context)
{
    ContentCheck check(pointer, m_salt, context);
    Result<bool> result = readAnyCopy(pointer, out, check);
    if (!result && check.trouble()) {
        return fail(*check.trouble());
    }
    return result;
}

// NOLINTNEXTLINE(misc-no-recursion): at most GangHeader::kMaxDepth deep
Result<bool> CopyReader::readGang(const BlockPointer& pointer,
                                  MutableBytes out,
                                  unsigned depth,
                                  codec::ChecksumContext& context)
{
    Buffer bytes = MP_TRY(headerBuffer());
    HeaderCheck checkHeader(pointer, context);
    bool repaired = MP_TRY(readAnyCopy(pointer, bytes.bytes(), checkHeader));
    const GangHeader header =
        MP_TRY(decodeHeader(bytes.bytes(), checkHeader.order(), out.size(), depth));
    std::size_t offset = 0;
    for (const BlockPointer& piece : header.pointers) {
        if (piece.isHole()) {
            continue;
        }
        MP_TRY(piece.validate(m_vdevs.count()));
        const MutableBytes part =
            out.subspan(offset, static_cast<std::size_t>(piece.physicalSize().value()));
        repaired |= MP_TRY(piece.isGang() ? readGang(piece, part, depth + 1, context)
                                          : readPlain(piece, part, context));
        offset += part.size();
    }
    ContentCheck check(pointer, m_salt, context);
    if (!check(out)) {
        return check.trouble() ? fail(*check.trouble())
                               : fail(ErrorCode::ChecksumMismatch,
                                      "the pieces of a gang do not make the block");
    }
    return repaired;
}

Result<bool>
CopyReader::readAnyCopy(const BlockPointer& pointer, MutableBytes out, const vdev::Verifier& verify)
{
    std::array<unsigned, BlockPointer::kDvas> order{};
    unsigned count = 0;
    for (const bool wanted : {true, false}) {
        for (unsigned copy = 0; copy < pointer.dvaCount(); ++copy) {
            const vdev::TopLevel* top = m_vdevs.top(pointer.dva(copy).vdev);
            if ((top != nullptr && top->readable()) == wanted) {
                order[count++] = copy;
            }
        }
    }

    Failures failures;
    for (unsigned i = 0; i < count; ++i) {
        const Dva dva = pointer.dva(order[i]);
        vdev::TopLevel* top = m_vdevs.top(dva.vdev);
        if (top == nullptr) {
            failures.add(order[i], dva, {ErrorCode::DeviceMissing, "there is no such vdev"});
            continue;
        }
        Result<vdev::ReadOutcome> outcome =
            top->read(dva.offset, out, verify, {.birth = pointer.physicalBirth()});
        if (outcome) {
            return outcome->repaired || failures.count() > 0;
        }
        failures.add(order[i], dva, std::move(outcome).error());
    }
    return fail(failures.take());
}

void CopyReader::readRun(std::span<StoredBlock* const> blocks)
{
    vdev::TopLevel* top = m_vdevs.top(blocks.front()->pointer.dva(0).vdev);
    if (top == nullptr) {
        return;
    }
    std::vector<vdev::RunBlock> run;
    std::vector<StoredBlock*> chosen;
    for (StoredBlock* block : blocks) {
        const BlockPointer& pointer = block->pointer;
        const bool sizesFit = pointer.compression() != format::CompressionType::Off ||
                              pointer.physicalSize().value() == pointer.logicalSize().value();
        if (!sizesFit || !pointer.validate(m_vdevs.count())) {
            continue;
        }
        Result<Buffer> bytes =
            Buffer::create(static_cast<std::size_t>(pointer.physicalSize().value()));
        if (bytes) {
            block->bytes = std::move(*bytes);
            chosen.push_back(block);
            run.push_back({.offset = pointer.dva(0).offset,
                           .out = block->bytes.bytes(),
                           .birth = pointer.physicalBirth()});
        }
    }
    top->readRun(run);
    const ContextPool::Lease context = m_contexts.borrow();
    for (std::size_t i = 0; i < run.size(); ++i) {
        ContentCheck check(chosen[i]->pointer, m_salt, context->checksum);
        chosen[i]->good = run[i].isRead && check(run[i].out);
    }
}

struct CopyReader::Scrub
{
    const CopySink& sink;
    codec::ChecksumContext& context;
    CopiesOutcome outcome;
};

Result<CopiesOutcome> CopyReader::verify(const BlockPointer& pointer, const CopySink& sink)
{
    const ContextPool::Lease context = m_contexts.borrow();
    Scrub scrub{.sink = sink, .context = context->checksum, .outcome = {}};
    Buffer buffer =
        MP_TRY(Buffer::create(static_cast<std::size_t>(pointer.physicalSize().value())));
    scrub.outcome.goodCopies =
        MP_TRY(pointer.isGang() ? scrubGang(pointer, buffer.bytes(), 0, scrub)
                                : scrubPlain(pointer, buffer.bytes(), scrub));
    return scrub.outcome;
}

Result<unsigned> CopyReader::scrubCopies(const BlockPointer& pointer,
                                         MutableBytes out,
                                         const vdev::Verifier& verify,
                                         Scrub& scrub)
{
    unsigned good = 0;
    Buffer spare; // so that a bad copy does not overwrite a good one
    for (unsigned copy = 0; copy < pointer.dvaCount(); ++copy) {
        const Dva dva = pointer.dva(copy);
        vdev::TopLevel* top = m_vdevs.top(dva.vdev);
        if (top == nullptr) {
            return fail(ErrorCode::BadBlockPointer,
                        fmt::format("copy {} is on vdev {}, which the pool does not have",
                                    copy,
                                    dva.vdev.value()));
        }
        if (good != 0 && spare.empty()) {
            spare = MP_TRY(Buffer::create(out.size()));
        }
        const auto tell = [&](const vdev::ScrubFinding& finding) {
            ++scrub.outcome.findings;
            scrub.sink({.copy = copy, .dva = dva, .finding = finding});
        };
        const Result<vdev::ScrubOutcome> outcome =
            top->scrubRead(dva.offset,
                           good != 0 ? spare.bytes() : out,
                           verify,
                           {.birth = pointer.physicalBirth()},
                           tell);
        if (outcome) {
            ++good;
            scrub.outcome.bytesRead += outcome->bytesRead;
        } else if (outcome.error().errorClass() != ErrorClass::Io &&
                   !outcome.error().is(ErrorCode::ChecksumMismatch)) {
            return fail(outcome.error());
        }
    }
    return good;
}

Result<unsigned> CopyReader::scrubPlain(const BlockPointer& pointer, MutableBytes out, Scrub& scrub)
{
    ContentCheck check(pointer, m_salt, scrub.context);
    const unsigned good = MP_TRY(scrubCopies(pointer, out, check, scrub));
    if (check.trouble()) {
        return fail(*check.trouble());
    }
    return good;
}

// NOLINTNEXTLINE(misc-no-recursion): at most GangHeader::kMaxDepth deep
Result<unsigned>
CopyReader::scrubGang(const BlockPointer& pointer, MutableBytes out, unsigned depth, Scrub& scrub)
{
    Buffer bytes = MP_TRY(headerBuffer());
    HeaderCheck checkHeader(pointer, scrub.context);
    const unsigned headers = MP_TRY(scrubCopies(pointer, bytes.bytes(), checkHeader, scrub));
    if (headers == 0) {
        return 0;
    }
    const GangHeader header =
        MP_TRY(decodeHeader(bytes.bytes(), checkHeader.order(), out.size(), depth));
    std::size_t offset = 0;
    bool whole = true;
    for (const BlockPointer& piece : header.pointers) {
        if (piece.isHole()) {
            continue;
        }
        MP_TRY(piece.validate(m_vdevs.count()));
        const MutableBytes part =
            out.subspan(offset, static_cast<std::size_t>(piece.physicalSize().value()));
        const unsigned good = MP_TRY(piece.isGang() ? scrubGang(piece, part, depth + 1, scrub)
                                                    : scrubPlain(piece, part, scrub));
        whole &= good != 0;
        offset += part.size();
    }
    if (!whole) {
        return 0;
    }
    ContentCheck check(pointer, m_salt, scrub.context);
    if (!check(out)) {
        return check.trouble()
                   ? fail(*check.trouble())
                   : fail(ErrorCode::BadGang, "the pieces of a gang do not make the block");
    }
    return headers;
}

} // namespace millpond::block::detail
