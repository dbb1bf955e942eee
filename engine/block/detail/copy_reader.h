// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "block/block_reader.h"
#include "block/detail/context_pool.h"

#include <atomic>
#include <optional>

namespace millpond::block::detail {

/// Decides whether bytes are what a pointer says. For one thread.
class ContentCheck
{
public:
    /// All outlive the check; `salt` may be null.
    ContentCheck(const format::BlockPointer& pointer,
                 const codec::ChecksumSalt* salt,
                 codec::ChecksumContext& context);

    [[nodiscard]] bool operator()(Bytes bytes);

    /// Why no bytes can be right: an algorithm that is not known or has no salt.
    [[nodiscard]] const std::optional<Error>& trouble() const { return m_trouble; }

private:
    const format::BlockPointer& m_pointer;
    const codec::ChecksumSalt* m_salt;
    codec::ChecksumContext& m_context;
    std::optional<Error> m_trouble;
};

/// One block of CopyReader::readRun().
struct StoredBlock
{
    const format::BlockPointer& pointer;
    Buffer bytes;      ///< physical ones, when good
    bool good = false; ///< read and verified
};

/// From a pointer to its verified physical bytes: copies and gangs. Thread-safe.
class CopyReader
{
public:
    /// All outlive the reader.
    CopyReader(const VdevMap& vdevs,
               ContextPool& contexts,
               const std::atomic<const codec::ChecksumSalt*>& salt);

    /// Fills `out`, of the pointer's physical size. True when something had to be repaired.
    [[nodiscard]] Result<bool> read(const format::BlockPointer& pointer, MutableBytes out);

    /// Reads neighbours on one vdev (by their first copy) together. What does not become good is
    /// for read(), which finds out why.
    void readRun(std::span<StoredBlock* const> blocks);

    [[nodiscard]] Result<CopiesOutcome> verify(const format::BlockPointer& pointer,
                                               const CopySink& sink);

private:
    struct Scrub; // one run of verify()

    [[nodiscard]] Result<bool>
    readPlain(const format::BlockPointer& pointer, MutableBytes out, codec::ChecksumContext&);
    [[nodiscard]] Result<bool> readGang(const format::BlockPointer& pointer,
                                        MutableBytes out,
                                        unsigned depth,
                                        codec::ChecksumContext& context);
    [[nodiscard]] Result<bool> readAnyCopy(const format::BlockPointer& pointer,
                                           MutableBytes out,
                                           const vdev::Verifier& verify);
    [[nodiscard]] Result<unsigned> scrubCopies(const format::BlockPointer& pointer,
                                               MutableBytes out,
                                               const vdev::Verifier& verify,
                                               Scrub& scrub);
    [[nodiscard]] Result<unsigned>
    scrubPlain(const format::BlockPointer& pointer, MutableBytes out, Scrub& scrub);
    [[nodiscard]] Result<unsigned>
    scrubGang(const format::BlockPointer& pointer, MutableBytes out, unsigned depth, Scrub& scrub);

    const VdevMap& m_vdevs;
    ContextPool& m_contexts;
    const std::atomic<const codec::ChecksumSalt*>& m_salt;
};

} // namespace millpond::block::detail
