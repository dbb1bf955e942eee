// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/status_report.h"
#include "cli/table_printer.h"
#include "format/property.h"

#include <algorithm>

namespace millpond::cli {

namespace {
std::string count(std::uint64_t value, const StatusOptions& options)
{
    return options.exact ? std::to_string(value) : format::formatCount(value);
}

std::string duration(std::uint64_t seconds)
{
    const std::uint64_t days = seconds / 86400;
    return fmt::format("{}{:02}:{:02}:{:02}",
                       days == 0 ? "" : fmt::format("{} days ", days),
                       seconds / 3600 % 24,
                       seconds / 60 % 60,
                       seconds % 60);
}

/// A paragraph behind its heading, further lines indented by a tab.
std::string paragraph(std::string_view heading, std::string_view text)
{
    constexpr std::size_t kWidth = 72;
    std::string out(heading);
    std::size_t column = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string_view word = text.substr(at, end - at);
        if (column != 0 && column + 1 + word.size() > kWidth) {
            out += "\n\t";
            column = 0;
        }
        out += (column == 0 ? "" : " ") + std::string(word);
        column += word.size() + (column == 0 ? 0 : 1);
        at = end + 1;
    }
    return out + "\n";
}

std::string scanText(const bus::PoolRow& pool)
{
    const std::string size = format::formatBytes(pool.scanProcessed);
    const bool scrub = pool.scanKind == "scrub";
    if (pool.scanState == "finished") {
        return fmt::format("  scan: {} {} in {} with {} errors on {}\n",
                           scrub ? "scrub repaired" : "resilvered",
                           size,
                           duration(pool.scanEnded - std::min(pool.scanEnded, pool.scanStarted)),
                           pool.scanErrors,
                           dateText(pool.scanEnded));
    }
    if (pool.scanState == "cancelled") {
        return fmt::format("  scan: {} canceled on {}\n", pool.scanKind, dateText(pool.scanEnded));
    }
    if (pool.scanState != "running") {
        return {};
    }
    const std::uint64_t toIssue =
        pool.scanToExamine - std::min(pool.scanToExamine, pool.scanSkipped);
    return fmt::format("  scan: {} in progress since {}\n\t{} / {} scanned, {} / {} issued\n\t{} "
                       "{}, {:.2f}% done, no estimated "
                       "completion time\n",
                       pool.scanKind,
                       dateText(pool.scanStarted),
                       format::formatBytes(pool.scanExamined),
                       format::formatBytes(pool.scanToExamine),
                       format::formatBytes(pool.scanIssued),
                       format::formatBytes(toIssue),
                       size,
                       scrub ? "repaired" : "resilvered",
                       100.0 * static_cast<double>(pool.scanIssued) /
                           static_cast<double>(std::max<std::uint64_t>(toIssue, 1)));
}

/// Blocks that only a checkpoint refers to are not scanned.
std::string scanWarning(const bus::PoolRow& pool)
{
    const bool running = pool.scanState == "running";
    const bool over = pool.scanState == "finished" || pool.scanState == "cancelled";
    const bool since = over && pool.scanEnded >= pool.checkpointCreated;
    if (pool.checkpointState != "exists" || (!running && !since)) {
        return {};
    }
    return fmt::format("    scan warning: {} blocks that are only referenced by the checkpoint.\n",
                       running ? "skipping" : "skipped");
}

std::string removalText(const bus::PoolRow& pool)
{
    if (pool.removalState == "finished") {
        const std::uint64_t minutes =
            (pool.removalEnded - std::min(pool.removalEnded, pool.removalStarted)) / 60;
        return fmt::format("remove: Removal of vdev {} copied {} in {}h{}m, completed on {}\n",
                           pool.removalVdev,
                           format::formatCount(pool.removalCopied),
                           minutes / 60,
                           minutes % 60,
                           dateText(pool.removalEnded));
    }
    if (pool.removalState == "cancelled") {
        return fmt::format("remove: Removal of {} canceled on {}\n",
                           pool.removalName,
                           dateText(pool.removalEnded));
    }
    if (pool.removalState != "running") {
        return {};
    }
    const auto total = static_cast<double>(std::max<std::uint64_t>(pool.removalToCopy, 1));
    return fmt::format("remove: Evacuation of {} in progress since {}\n"
                       "\t{} copied out of {}, {:.2f}% done, (copy is slow, no estimated time)\n",
                       pool.removalName,
                       dateText(pool.removalStarted),
                       format::formatCount(pool.removalCopied),
                       format::formatCount(pool.removalToCopy),
                       100.0 * static_cast<double>(pool.removalCopied) / total);
}

std::string checkpointText(const bus::PoolRow& pool)
{
    const std::string size = format::formatCount(pool.checkpointBytes);
    if (pool.checkpointState == "exists") {
        return fmt::format(
            "checkpoint: created {}, consumes {}\n", dateText(pool.checkpointCreated), size);
    }
    return pool.checkpointState == "discarding"
               ? fmt::format("checkpoint: discarding, {} remaining.\n", size)
               : std::string();
}

/// "(42% trimmed, started at Mon Nov 30 18:24:48 2026)"
std::string progressText(std::string_view state,
                         std::uint64_t done,
                         std::uint64_t total,
                         std::uint64_t time,
                         std::string_view word)
{
    const bool complete = state == "complete";
    const double percent =
        complete ? 100 : 100.0 * static_cast<double>(done) / (static_cast<double>(total) + 1);
    const std::string_view since = complete               ? "completed at"
                                   : state == "suspended" ? "suspended, started at"
                                                          : "started at";
    return fmt::format(
        "  ({}% {}, {} {})", static_cast<unsigned>(percent), word, since, dateText(time));
}

std::string workText(const bus::VdevRow& row, const StatusOptions& options)
{
    const auto known = [](std::string_view state) {
        return state == "active" || state == "suspended" || state == "complete";
    };
    std::string text;
    if (options.initialize) {
        text += known(row.initializeState) ? progressText(row.initializeState,
                                                          row.initializeDone,
                                                          row.initializeTotal,
                                                          row.initializeTime,
                                                          "initialized")
                                           : "  (uninitialized)";
    } else if (row.initializeState == "active") {
        text += "  (initializing)";
    }
    if (options.trim) {
        text +=
            known(row.trimState)
                ? progressText(row.trimState, row.trimDone, row.trimTotal, row.trimTime, "trimmed")
                : "  (untrimmed)";
    } else if (row.trimState == "active") {
        text += "  (trimming)";
    }
    return text;
}

std::string vdevLine(const bus::VdevRow& row, std::size_t width, const StatusOptions& options)
{
    const std::size_t indent = row.depth * 2;
    std::string line = fmt::format("\t{:{}}{:<{}}  {:<8}",
                                   "",
                                   indent,
                                   vdevName(row, options.naming),
                                   width - indent,
                                   row.state);
    if (!row.isSpare) {
        line += fmt::format(" {:>5} {:>5} {:>5}",
                            count(row.readErrors, options),
                            count(row.writeErrors, options),
                            count(row.checksumErrors, options));
        if (options.slow) {
            line += fmt::format(" {:>5}",
                                row.isLeaf || options.exact ? count(row.slowIos, options) : "-");
        }
        line += options.power ? "     -" : "";
        // Nothing is ever written from buffers that a program may change meanwhile.
        line += options.directErrors ? "     0" : "";
    }
    const std::string_view note = row.notes.empty() ? row.aux : row.notes;
    line += note.empty() ? "" : "  " + std::string(note);
    return line + (row.isLeaf ? workText(row, options) : std::string()) + "\n";
}

// NOLINTNEXTLINE(misc-no-recursion): a tree of vdevs is a few levels deep
void addTree(std::string& text,
             const VdevNode& node,
             std::size_t width,
             const StatusOptions& options)
{
    if (options.onlyBadVdevs && node.row.depth != 0 && isHealthy(node, options)) {
        return;
    }
    text += vdevLine(node.row, width, options);
    for (const VdevNode& child : node.children) {
        addTree(text, child, width, options);
    }
}

std::string configText(const std::vector<VdevSection>& sections, const StatusOptions& options)
{
    std::size_t width = 10;
    for (const VdevSection& section : sections) {
        for (const bus::VdevRow& row : section.rows) {
            width = std::max(width, row.depth * 2 + vdevName(row, options.naming).size());
        }
    }
    std::string text = fmt::format("config:\n\n\t{:<{}}  {:<8} {:>5} {:>5} {:>5}{}{}{}\n",
                                   "NAME",
                                   width,
                                   "STATE",
                                   "READ",
                                   "WRITE",
                                   "CKSUM",
                                   options.slow ? "  SLOW" : "",
                                   options.power ? " POWER" : "",
                                   options.directErrors ? "   DIO" : "");
    for (const VdevSection& section : sections) {
        if (!section.heading.empty()) {
            // Classes are printed by a routine that ends the heading with a tab; cache and spares
            // are not.
            const bool tab = section.heading != "cache" && section.heading != "spares";
            text += "\t" + section.heading + (tab ? "\t" : "") + "\n";
        }
        for (const VdevNode& node : vdevTrees(section.rows)) {
            addTree(text, node, width, options);
        }
    }
    return text + "\n";
}

std::string
errorsText(const bus::PoolRow& pool, const StatusAnswer& answer, const StatusOptions& options)
{
    if (pool.errorCount == 0) {
        return std::string(phrases::kNoErrors);
    }
    if (!options.files) {
        return fmt::format("errors: {} data errors, use '-v' for a list\n", pool.errorCount);
    }
    std::string text = "errors: Permanent errors have been detected in the following files:\n\n";
    for (const bus::DataErrorRow& row : answer.errors) {
        if (row.pool == pool.name) {
            text += "        " + errorName(row) + "\n";
        }
    }
    return text;
}

std::string bucketLine(std::string_view name, const bus::DedupRow& row)
{
    return fmt::format("{:>6}   {:>6}   {:>5}   {:>5}   {:>5}   {:>6}   {:>5}   {:>5}   {:>5}\n",
                       name,
                       format::formatCount(row.blocks),
                       format::formatBytes(row.logical),
                       format::formatBytes(row.physical),
                       format::formatBytes(row.deflated),
                       format::formatCount(row.referencedBlocks),
                       format::formatBytes(row.referencedLogical),
                       format::formatBytes(row.referencedPhysical),
                       format::formatBytes(row.referencedDeflated));
}

std::string
dedupText(const bus::PoolRow& pool, const StatusAnswer& answer, const StatusOptions& options)
{
    const bus::DedupRow total = dedupTotal(pool, answer.dedup);
    if (total.blocks == 0) {
        return "\n dedup: no DDT entries\n";
    }
    std::string text = fmt::format("\n dedup: DDT entries {}, size {} on disk, {} in core\n\n",
                                   total.blocks,
                                   count(pool.dedupDiskBytes, options),
                                   count(pool.dedupMemoryBytes, options));
    text += "bucket              allocated                       referenced          \n"
            "______   ______________________________   ______________________________\n"
            "refcnt   blocks   LSIZE   PSIZE   DSIZE   blocks   LSIZE   PSIZE   DSIZE\n"
            "------   ------   -----   -----   -----   ------   -----   -----   -----\n";
    for (const bus::DedupRow& row : answer.dedup) {
        if (row.pool == pool.name) {
            text += bucketLine(format::formatCount(row.references), row);
        }
    }
    return text + bucketLine("Total", total) + "\n";
}
} // namespace

std::string errorName(const bus::DataErrorRow& row)
{
    if (row.dataset.empty()) {
        return fmt::format("<{:#x}>:<{:#x}>", row.objset, row.object);
    }
    return row.path.empty() ? fmt::format("{}:<{:#x}>", row.dataset, row.object)
                            : fmt::format("{}:{}", row.dataset, row.path);
}

bool isHealthy(const VdevNode& node, // NOLINT(misc-no-recursion): a few levels
               const StatusOptions& options)
{
    if (!node.children.empty()) {
        return std::ranges::all_of(
            node.children, [&options](const VdevNode& child) { return isHealthy(child, options); });
    }
    const bus::VdevRow& row = node.row;
    const bool up = row.state == "ONLINE" || row.state == "AVAIL" || row.state == "INUSE";
    return up && row.readErrors + row.writeErrors + row.checksumErrors == 0 &&
           (!options.slow || row.slowIos == 0);
}

bus::DedupRow dedupTotal(const bus::PoolRow& pool, const bus::Rows<bus::DedupRow>& rows)
{
    bus::DedupRow total;
    for (const bus::DedupRow& row : rows) {
        if (row.pool == pool.name) {
            total.blocks += row.blocks;
            total.logical += row.logical;
            total.physical += row.physical;
            total.deflated += row.deflated;
            total.referencedBlocks += row.referencedBlocks;
            total.referencedLogical += row.referencedLogical;
            total.referencedPhysical += row.referencedPhysical;
            total.referencedDeflated += row.referencedDeflated;
        }
    }
    return total;
}

std::string
statusText(const bus::PoolRow& pool, const StatusAnswer& answer, const StatusOptions& options)
{
    std::string text = fmt::format("  pool: {}\n state: {}\n", pool.name, pool.state);
    if (!pool.status.empty()) {
        text += paragraph("status: ", pool.status) + paragraph("action: ", pool.action);
    }
    if (!pool.messageId.empty()) {
        text += fmt::format("   see: {}\n", fmt::format(kMoreInformation, pool.messageId));
    }
    text += scanText(pool) + scanWarning(pool) + removalText(pool) + checkpointText(pool);
    text += configText(vdevSections(answer.vdevs, pool.guid), options);
    text += errorsText(pool, answer, options);
    return text + (options.dedup ? dedupText(pool, answer, options) : std::string());
}

} // namespace millpond::cli
