// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/status_report.h"
#include "cli/vdev_json.h"

#include <algorithm>
#include <array>
#include <bit>

namespace millpond::cli {

namespace {
struct AuxToken
{
    std::string_view words, token;
};

/// JSON has the reason's name where text has words for it.
constexpr std::array kAuxTokens = {AuxToken{"cannot open", "OPEN_FAILED"},
                                   AuxToken{"corrupted data", "CORRUPT_DATA"},
                                   AuxToken{"insufficient replicas", "NO_REPLICAS"},
                                   AuxToken{"missing device", "BAD_GUID_SUM"},
                                   AuxToken{"invalid label", "BAD_LABEL"},
                                   AuxToken{"newer version", "VERSION_NEWER"},
                                   AuxToken{"unsupported feature(s)", "UNSUP_FEAT"},
                                   AuxToken{"currently in use", "SPARED"},
                                   AuxToken{"too many errors", "ERR_EXCEEDED"},
                                   AuxToken{"experienced I/O failures", "IO_FAILURE"},
                                   AuxToken{"bad intent log", "BAD_LOG"},
                                   AuxToken{"external device fault", "EXTERNAL"},
                                   AuxToken{"split into new pool", "SPLIT_POOL"},
                                   AuxToken{"all children offline", "CHILDREN_OFFLINE"},
                                   AuxToken{"unsupported minimum blocksize", "ASHIFT_TOO_BIG"}};

std::string_view auxToken(std::string_view words)
{
    const auto found = std::ranges::find(kAuxTokens, words, &AuxToken::words);
    return found == kAuxTokens.end() ? words : found->token;
}

std::string_view scanStateToken(std::string_view state)
{
    return state == "running" ? "SCANNING" : state == "finished" ? "FINISHED" : "CANCELED";
}

class Report
{
public:
    Report(const bus::PoolRow& pool, const StatusAnswer& answer, const StatusOptions& options)
        : m_pool(pool)
        , m_answer(answer)
        , m_options(options)
        , m_numbers{options.exact, options.jsonInt}
    {
    }

    Json run() const;

private:
    [[nodiscard]] Json scan() const;
    [[nodiscard]] Json removal(const std::vector<VdevSection>& sections) const;
    [[nodiscard]] Json dedup() const;
    [[nodiscard]] Json vdev(const VdevNode& node) const;
    void addCounters(Json& json, const bus::VdevRow& row) const;
    void addWork(Json& json, const bus::VdevRow& row) const;
    void addTree(Json& into, const VdevNode& node, std::string_view parent) const;
    void addErrors(Json& json) const;

    const bus::PoolRow& m_pool;
    const StatusAnswer& m_answer;
    const StatusOptions& m_options;
    JsonNumbers m_numbers;
};

Json Report::scan() const
{
    Json json = Json::object();
    json.set("function", upperCase(m_pool.scanKind));
    json.set("state", scanStateToken(m_pool.scanState));
    json.set("start_time", m_numbers.time(m_pool.scanStarted));
    json.set("end_time", m_numbers.time(m_pool.scanEnded));
    json.set("to_examine", m_numbers.bytes(m_pool.scanToExamine));
    json.set("examined", m_numbers.bytes(m_pool.scanExamined));
    json.set("skipped", m_numbers.bytes(m_pool.scanSkipped));
    json.set("processed", m_numbers.bytes(m_pool.scanProcessed));
    json.set("errors", m_numbers.count(m_pool.scanErrors));
    // Of the pass since import: there is none while nothing is written.
    json.set("bytes_per_scan", m_numbers.bytes(0));
    json.set("pass_start", m_numbers.plain(m_pool.scanStarted));
    json.set("scrub_pause", m_numbers.time(0));
    json.set("scrub_spent_paused", m_numbers.plain(0));
    json.set("issued_bytes_per_scan", m_numbers.bytes(0));
    json.set("issued", m_numbers.bytes(m_pool.scanIssued));
    return json;
}

Json Report::removal(const std::vector<VdevSection>& sections) const
{
    Json json = Json::object();
    json.set("name", m_pool.removalName);
    for (const VdevSection& section : sections) {
        for (const bus::VdevRow& row : section.rows) {
            if (row.depth == 1 && row.name == m_pool.removalName) {
                json = vdevJson({row, row.allocClass, {}}, m_options.naming, m_numbers);
            }
        }
    }
    json.replace("state", Json::text(scanStateToken(m_pool.removalState)));
    json.set("removing_vdev", m_numbers.plain(m_pool.removalVdev));
    json.set("start_time", m_numbers.time(m_pool.removalStarted));
    json.set("end_time", m_numbers.time(m_pool.removalEnded));
    json.set("to_copy", m_numbers.bytes(m_pool.removalToCopy));
    json.set("copied", m_numbers.bytes(m_pool.removalCopied));
    json.set("mapping_memory", m_numbers.bytes(0));
    return json;
}

Json bucketJson(const bus::DedupRow& row, const JsonNumbers& numbers)
{
    Json json = Json::object();
    json.set("blocks", numbers.count(row.blocks));
    json.set("logical_size", numbers.bytes(row.logical));
    json.set("physical_size", numbers.bytes(row.physical));
    json.set("deflated_size", numbers.bytes(row.deflated));
    json.set("ref_blocks", numbers.count(row.referencedBlocks));
    json.set("ref_lsize", numbers.bytes(row.referencedLogical));
    json.set("ref_psize", numbers.bytes(row.referencedPhysical));
    json.set("ref_dsize", numbers.bytes(row.referencedDeflated));
    return json;
}

Json Report::dedup() const
{
    const bus::DedupRow total = dedupTotal(m_pool, m_answer.dedup);
    Json json = Json::object();
    json.set("obj_count", m_numbers.count(total.blocks));
    if (total.blocks == 0) {
        json.set("ddt_object_stats", Json::object());
        return json;
    }
    json.set("dspace", m_numbers.count(m_pool.dedupDiskBytes));
    json.set("mspace", m_numbers.count(m_pool.dedupMemoryBytes));
    json.set("cspace", m_numbers.count(0));
    Json histogram = Json::object();
    for (const bus::DedupRow& row : m_answer.dedup) {
        if (row.pool == m_pool.name) {
            histogram.set(std::to_string(std::bit_width(row.references) - 1),
                          bucketJson(row, m_numbers));
        }
    }
    Json stats = Json::object();
    stats.set("total", bucketJson(total, m_numbers)).set("histogram", std::move(histogram));
    json.set("ddt_stats", std::move(stats));
    return json;
}

void Report::addCounters(Json& json, const bus::VdevRow& row) const
{
    const auto sized = [&](std::string_view key, std::uint64_t value) {
        if (value != 0 && value != bus::kUnknown) {
            json.set(key, m_numbers.bytes(value));
        }
    };
    sized("alloc_space", row.allocated);
    sized("total_space", row.depth <= 1 ? row.size : 0);
    sized("rep_dev_size", row.deviceSize);
    sized("phys_space", deviceBytes(row));
    json.set("read_errors", m_numbers.count(row.readErrors));
    json.set("write_errors", m_numbers.count(row.writeErrors));
    json.set("checksum_errors", m_numbers.count(row.checksumErrors));
    sized("checkpoint_space", row.checkpointSpace);
    if (row.isLeaf) {
        json.set("slow_ios", m_numbers.count(row.slowIos));
    }
    if (m_options.power) {
        json.set("power_state", "-");
    }
}

std::string_view workToken(std::string_view state)
{
    return state == "active"      ? "ACTIVE"
           : state == "cancelled" ? "CANCELED"
           : state == "suspended" ? "SUSPENDED"
                                  : "COMPLETE";
}

void Report::addWork(Json& json, const bus::VdevRow& row) const
{
    if (m_options.initialize && row.initializeState == "none") {
        json.set("init_state", "UNINITIALIZED");
    } else if (m_options.initialize) {
        json.set("init_state", workToken(row.initializeState));
        json.set("initialized", m_numbers.bytes(row.initializeDone));
        json.set("to_initialize", m_numbers.bytes(row.initializeTotal));
        json.set("init_time", m_numbers.time(row.initializeTime));
        json.set("init_errors", m_numbers.count(0));
    }
    if (m_options.trim && row.trimState == "none") {
        json.set("trim_state", "UNTRIMMED");
    } else if (m_options.trim) {
        json.set("trim_state", workToken(row.trimState));
        json.set("trimmed", m_numbers.bytes(row.trimDone));
        json.set("to_trim", m_numbers.bytes(row.trimTotal));
        json.set("trim_time", m_numbers.time(row.trimTime));
        json.set("trim_errors", m_numbers.count(0));
    }
    if (m_options.trim) {
        json.set("trim_notsup", m_numbers.plain(0));
    }
}

Json Report::vdev(const VdevNode& node) const
{
    const bus::VdevRow& row = node.row;
    Json json = vdevJson(node, m_options.naming, m_numbers);
    if (row.isSpare) {
        if (row.state == "AVAIL" || row.state == "INUSE") {
            json.replace("state", Json::text(row.state));
        }
    } else {
        addCounters(json, row);
    }
    if (m_options.directErrors) {
        json.set("dio_verify_errors", m_numbers.count(0));
    }
    if (!row.notes.empty()) {
        json.set("not_present", m_numbers.plain(1)).set("was", row.path);
    } else if (!row.aux.empty()) {
        json.set("aux", auxToken(row.aux));
    }
    if (row.isLeaf) {
        addWork(json, row);
    }
    return json;
}

/// Flat means that all stand beside each other, each with the name of what it is part of; what has
/// parts lists them, flat again, too.
// NOLINTNEXTLINE(misc-no-recursion): a tree of vdevs is a few levels deep
void Report::addTree(Json& into, const VdevNode& node, std::string_view parent) const
{
    if (m_options.onlyBadVdevs && node.row.depth != 0 && isHealthy(node, m_options)) {
        return;
    }
    const std::string name = vdevName(node.row, m_options.naming);
    Json json = vdev(node);
    if (m_options.flat && !parent.empty()) {
        json.set("parent", parent);
    }
    Json parts = Json::object();
    for (const VdevNode& child : node.children) {
        if (m_options.flat) {
            addTree(into, child, name);
        }
        addTree(parts, child, name);
    }
    if (!parts.empty()) {
        json.set("vdevs", std::move(parts));
    }
    into.set(name, std::move(json));
}

void Report::addErrors(Json& json) const
{
    json.set("error_count", m_numbers.count(m_pool.errorCount));
    if (m_pool.errorCount == 0 || !m_options.files) {
        return;
    }
    Json list = Json::array();
    for (const bus::DataErrorRow& row : m_answer.errors) {
        if (row.pool == m_pool.name) {
            list.add(Json::text(errorName(row)));
        }
    }
    json.set("errlist", std::move(list));
}

Json Report::run() const
{
    Json json = poolJson(m_pool, false, m_options.jsonInt);
    if (!m_pool.status.empty()) {
        json.set("status", m_pool.status).set("action", m_pool.action);
    }
    if (!m_pool.messageId.empty()) {
        json.set("msgid", m_pool.messageId)
            .set("moreinfo", fmt::format(kMoreInformation, m_pool.messageId));
    }
    if (m_pool.scanState != "none" && !m_pool.scanState.empty()) {
        json.set("scan_stats", scan());
    }
    const std::vector<VdevSection> sections = vdevSections(m_answer.vdevs, m_pool.guid);
    if (m_pool.removalState != "none" && !m_pool.removalState.empty()) {
        json.set("removal_stats", removal(sections));
    }
    if (m_pool.checkpointState == "exists" || m_pool.checkpointState == "discarding") {
        Json checkpoint = Json::object();
        checkpoint.set("state", upperCase(m_pool.checkpointState));
        checkpoint.set("start_time", m_numbers.time(m_pool.checkpointCreated));
        checkpoint.set("space", m_numbers.bytes(m_pool.checkpointBytes));
        json.set("checkpoint_stats", std::move(checkpoint));
    }
    for (const VdevSection& section : sections) {
        Json own = Json::object();
        for (const VdevNode& node : vdevTrees(section.rows)) {
            addTree(m_options.flat ? json.member("vdevs") : own, node, {});
        }
        if (!own.empty()) {
            json.set(sectionKey(section), std::move(own));
        }
    }
    if (m_options.dedup) {
        json.set("dedup_stats", dedup());
    }
    addErrors(json);
    return json;
}
} // namespace

Json statusJson(const bus::PoolRow& pool, const StatusAnswer& answer, const StatusOptions& options)
{
    return Report(pool, answer, options).run();
}

} // namespace millpond::cli
