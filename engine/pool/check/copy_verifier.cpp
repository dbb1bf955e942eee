// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/check/copy_verifier.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::pool {

namespace {
/// Threads that wait for devices: enough to keep a few disks busy, and memory within bounds (each
/// holds one block of at most 16 MiB with its columns).
constexpr unsigned kThreads = 6;
/// A batch is sorted by place, so that small blocks are read in order.
constexpr std::size_t kBatchBlocks = 128;
constexpr std::uint64_t kBatchBytes = 4 * MiB;

std::string_view wordsFor(vdev::ScrubFinding::Kind kind)
{
    switch (kind) {
    case vdev::ScrubFinding::Kind::Unreadable:
        return "can't be read";
    case vdev::ScrubFinding::Kind::BadData:
        return "is damaged";
    case vdev::ScrubFinding::Kind::BadParity:
        return "has wrong parity";
    case vdev::ScrubFinding::Kind::AwaitingResilver:
        return "awaits resilver";
    case vdev::ScrubFinding::Kind::Unrecoverable:
        return "can't be rebuilt from any copy";
    }
    return "is damaged";
}

CheckFinding::Kind kindFor(vdev::ScrubFinding::Kind kind)
{
    switch (kind) {
    case vdev::ScrubFinding::Kind::Unreadable:
        return CheckFinding::Kind::Device;
    case vdev::ScrubFinding::Kind::BadParity:
        return CheckFinding::Kind::Parity;
    case vdev::ScrubFinding::Kind::Unrecoverable:
        return CheckFinding::Kind::Unreadable;
    case vdev::ScrubFinding::Kind::BadData:
    case vdev::ScrubFinding::Kind::AwaitingResilver:
        break;
    }
    return CheckFinding::Kind::Checksum;
}
} // namespace

Result<std::unique_ptr<CopyVerifier>> CopyVerifier::create(const Pool& pool, Reporter& reporter)
{
    auto threads = MP_TRY(runtime::ThreadPool::create({.name = "mp-check", .threads = kThreads}));
    return std::unique_ptr<CopyVerifier>(new CopyVerifier(pool, reporter, std::move(threads)));
}

CopyVerifier::CopyVerifier(const Pool& pool,
                           Reporter& reporter,
                           std::unique_ptr<runtime::ThreadPool> threads)
    : m_pool(pool)
    , m_reporter(reporter)
    , m_threads(std::move(threads))
    , m_group(*m_threads)
{
}

void CopyVerifier::add(const format::BlockPointer& pointer, const block::Bookmark& where)
{
    m_batch.push_back({pointer, where});
    m_batchBytes += pointer.physicalSize().value();
    if (m_batch.size() >= kBatchBlocks || m_batchBytes >= kBatchBytes) {
        send();
    }
}

void CopyVerifier::send()
{
    m_group.run([this, batch = std::move(m_batch)]() mutable {
        std::sort(batch.begin(), batch.end(), [](const Item& a, const Item& b) {
            return a.pointer.dva(0) < b.pointer.dva(0);
        });
        return verify(batch);
    });
    m_batch = {};
    m_batchBytes = 0;
}

Status CopyVerifier::finish()
{
    send();
    return m_group.wait();
}

Status CopyVerifier::verify(const Batch& batch)
{
    for (const Item& item : batch) {
        MP_TRY(m_reporter.proceed());
        MP_TRY(verify(item));
    }
    return {};
}

Status CopyVerifier::verify(const Item& item)
{
    auto outcome = m_pool.blocks().verifyCopies(
        item.pointer, item.where, [&](const block::CopyFinding& finding) { found(item, finding); });
    m_blocks.fetch_add(1);
    m_copies.fetch_add(item.pointer.dvaCount());
    m_reporter.advance(item.pointer.allocatedSize().value());
    if (outcome) {
        m_bytesRead.fetch_add(outcome->bytesRead);
        return {};
    }
    if (outcome.error().is(ErrorCode::OutOfMemory)) {
        return fail(std::move(outcome).error());
    }
    m_reporter.report(outcome.error(), item.where);
    return {};
}

void CopyVerifier::found(const Item& item, const block::CopyFinding& finding)
{
    const vdev::ScrubFinding& what = finding.finding;
    if (what.kind == vdev::ScrubFinding::Kind::AwaitingResilver) {
        m_awaitingResilver.fetch_add(what.size.value());
        return;
    }
    CheckFinding report;
    report.kind = kindFor(what.kind);
    report.objset = item.where.objset;
    report.object = item.where.object;
    report.level = item.where.level.value();
    report.block = item.where.block.value();
    report.device = what.path;
    report.offset = what.offset.value();
    report.size = what.size.value();
    report.text = fmt::format("level {} block {}, copy {}: {} bytes at {:#x} of {} {}",
                              report.level,
                              report.block,
                              finding.copy,
                              report.size,
                              report.offset,
                              what.path.empty() ? fmt::format("vdev {}", finding.dva.vdev.value())
                                                : what.path,
                              wordsFor(what.kind));
    m_reporter.report(std::move(report));
}

CopyVerifier::Counts CopyVerifier::counts() const
{
    return {m_blocks.load(), m_copies.load(), m_bytesRead.load(), m_awaitingResilver.load()};
}

} // namespace millpond::pool
