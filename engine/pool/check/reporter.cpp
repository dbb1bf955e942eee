// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/check/reporter.h"

#include <fmt/format.h>

namespace millpond::pool {

namespace {
CheckFinding::Kind kindOf(const Error& error)
{
    switch (error.code()) {
    case ErrorCode::DeviceIo:
    case ErrorCode::DeviceMissing:
    case ErrorCode::ChecksumMismatch:
    case ErrorCode::BadCompression:
    case ErrorCode::BadGang:
        return CheckFinding::Kind::Unreadable;
    case ErrorCode::BadDirectory:
        return CheckFinding::Kind::Directory;
    default:
        return CheckFinding::Kind::Structure;
    }
}

/// "tank/home: /docs/letter: level 0 block 7: what is wrong"
std::string lineOf(const CheckFinding& finding)
{
    std::string place = finding.dataset.empty() ? "pool" : finding.dataset;
    if (!finding.path.empty()) {
        place += ": " + finding.path;
    } else if (finding.object != ObjectId()) {
        place += fmt::format(": object {}", finding.object.value());
    }
    return fmt::format("{}: {}", place, finding.text);
}
} // namespace

const Reporter::Named& Reporter::named(ObjsetId objset)
{
    const auto [found, isNew] = m_names.try_emplace(objset);
    Named& named = found->second;
    if (!isNew || objset == ObjsetId()) {
        return named;
    }
    const auto dataset = m_pool.datasets().dataset(objset);
    if (!dataset) {
        named.name = fmt::format("object set {}", objset.value());
        return named;
    }
    named.name = (*dataset)->name();
    auto opened = m_pool.datasets().openObjset(**dataset);
    if (opened && (*opened)->header().type == format::ObjsetType::Filesystem) {
        auto files = posix::FileSystem::open(std::move(*opened));
        named.files = files ? std::move(*files) : nullptr;
    }
    return named;
}

void Reporter::report(CheckFinding finding)
{
    const MutexLock lock(m_mutex);
    if (finding.dataset.empty()) {
        const Named& names = named(finding.objset);
        finding.dataset = names.name;
        if (finding.path.empty() && names.files != nullptr && finding.object != ObjectId()) {
            finding.path = names.files->pathOf(finding.object).value_or("");
        }
    }
    finding.text = lineOf(finding);
    m_sink.found(finding);
}

void Reporter::report(CheckFinding::Kind kind, const block::Bookmark& where, std::string text)
{
    CheckFinding finding;
    finding.kind = kind;
    finding.objset = where.objset;
    finding.object = where.object;
    finding.level = where.level.value();
    finding.block = where.block.value();
    finding.text = std::move(text);
    report(std::move(finding));
}

void Reporter::report(const Error& error, const block::Bookmark& where, std::string_view during)
{
    std::string text = during.empty() ? error.what() : fmt::format("{}: {}", during, error.what());
    const ErrorContext& at = error.where();
    if (at.level && at.block) {
        text = fmt::format("level {} block {}: {}", at.level->value(), at.block->value(), text);
    }
    report(kindOf(error), where, std::move(text));
}

void Reporter::total(std::uint64_t bytes)
{
    const MutexLock lock(m_mutex);
    m_sink.total(bytes);
}

void Reporter::advance(std::uint64_t bytes)
{
    const MutexLock lock(m_mutex);
    m_sink.advance(bytes);
}

} // namespace millpond::pool
