// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/iostat_report.h"

#include "format/property.h"

#include <algorithm>
#include <fmt/ranges.h>

// The engine sends requests straight to the devices: what OpenZFS counts as waiting in its own
// queues is nothing here, and the time in all is the time at the device. Reads count as its
// synchronous reads, writes as its asynchronous writes.

namespace millpond::cli {

namespace {
constexpr std::size_t kNarrowestName = 10;
constexpr std::uint64_t kLatencyBuckets = 37; ///< up to a minute and more
constexpr std::uint64_t kFirstSize = 9;       ///< 512 bytes
constexpr std::uint64_t kSizeBuckets = 25;    ///< 16 MiB
constexpr double kNanoseconds = 1e9;

/// The row as names are made of it.
bus::VdevRow namedRow(const bus::IostatRow& row)
{
    bus::VdevRow named;
    named.depth = row.depth;
    named.name = row.name;
    named.type = row.type;
    named.guid = row.guid;
    named.allocClass = row.allocClass;
    named.openedAs = row.openedAs;
    named.isLeaf = row.isLeaf;
    named.wholeDisk = row.wholeDisk;
    return named;
}

/// A title stands over the middle of its columns, a little to the left.
std::string titleOver(std::string_view title, std::size_t width, std::size_t columns)
{
    const std::size_t whole = width * columns + 2 * (columns - 1);
    const std::size_t middle = whole / columns;
    const std::size_t half = title.size() / columns;
    const std::string shifted =
        std::string(middle > half ? middle - half : 0, ' ') + std::string(title);
    return fmt::format("  {:<{}}", shifted, whole);
}

std::uint64_t since(std::uint64_t now, std::uint64_t before)
{
    return now - std::min(now, before);
}

std::uint64_t scaled(std::uint64_t value, double rate)
{
    return static_cast<std::uint64_t>(static_cast<double>(value) * rate);
}
} // namespace

Result<IostatReport::Sample> IostatReport::sampleOf(const bus::Document& document)
{
    Sample sample{MP_TRY(bus::Rows<bus::IostatRow>::of(document)), {}, {}};
    for (const bus::IostatRow& row : sample.rows) {
        sample.byGuid.emplace(row.guid, row);
    }
    const auto buckets = MP_TRY(bus::Rows<bus::IostatBucketRow>::of(document));
    for (const bus::IostatBucketRow& row : buckets) {
        sample.buckets[{row.guid, row.histogram, row.bucket}] = row.count;
    }
    return sample;
}

Status IostatReport::take(const bus::Document& document)
{
    Sample sample = MP_TRY(sampleOf(document));
    m_before = std::move(m_now);
    m_now.emplace(std::move(sample));
    return {};
}

std::vector<IostatReport::Pool> IostatReport::pools() const
{
    std::vector<Pool> pools;
    std::vector<bus::VdevRow> rows;
    const auto close = [&] {
        if (!rows.empty()) {
            pools.back().sections = vdevSections(rows);
            rows.clear();
        }
    };
    if (m_now) {
        for (const bus::IostatRow& row : m_now->rows) {
            if (pools.empty() || pools.back().name != row.pool) {
                close();
                pools.push_back({row.pool, {}});
            }
            rows.push_back(namedRow(row));
        }
    }
    close();
    return pools;
}

std::vector<IostatReport::Group> IostatReport::groups() const
{
    using Columns = std::vector<std::string_view>;
    const Columns ways{"read", "write"};
    const Columns depths{"pend", "activ"};
    const Columns kinds{"ind", "agg"};
    const auto width = [this](std::size_t exact) { return m_format.exact ? exact : 5; };
    std::vector<Group> groups;
    const auto add = [&](std::initializer_list<std::string_view> titles,
                         const Columns& columns,
                         std::size_t columnWidth) {
        for (const std::string_view title : titles) {
            groups.push_back({title, columns, columnWidth});
        }
    };
    switch (m_format.kind) {
    case IostatFormat::Kind::Table:
        add({"capacity"}, {"alloc", "free"}, width(15));
        add({"operations", "bandwidth"}, ways, width(15));
        if (m_format.waits) {
            add({"total_wait", "disk_wait", "syncq_wait", "asyncq_wait"}, ways, width(10));
            add({"scrub", "trim", "rebuild"}, {"wait"}, width(10));
        }
        if (m_format.queues) {
            add({"syncq_read",
                 "syncq_write",
                 "asyncq_read",
                 "asyncq_write",
                 "scrubq_read",
                 "trimq_write",
                 "rebuildq_write"},
                depths,
                width(6));
        }
        break;
    case IostatFormat::Kind::Latencies:
        add({"total_wait", "disk_wait", "syncq_wait", "asyncq_wait"}, ways, 5);
        for (const std::string_view column : {"scrub", "trim", "rebuild"}) {
            groups.push_back({{}, {column}, 5});
        }
        break;
    case IostatFormat::Kind::Sizes:
        add({"sync_read", "sync_write", "async_read", "async_write", "scrub", "trim", "rebuild"},
            kinds,
            5);
        break;
    }
    return groups;
}

bool IostatReport::isShown(const bus::VdevRow& row) const
{
    return m_format.only.empty() ? row.depth == 0 || m_format.vdevs
                                 : m_format.only.contains(row.guid);
}

std::size_t IostatReport::indentOf(const bus::VdevRow& row) const
{
    return m_format.only.empty() ? row.depth * 2 : 0;
}

std::size_t IostatReport::nameWidth() const
{
    std::size_t width = kNarrowestName;
    for (const Pool& pool : pools()) {
        for (const VdevSection& section : pool.sections) {
            for (const bus::VdevRow& row : section.rows) {
                if (row.depth == 0 || m_format.vdevs || !m_format.only.empty()) {
                    width = std::max(width, vdevName(row, m_format.naming).size() + row.depth * 2);
                }
            }
        }
    }
    return std::max(std::min(width, m_format.widestName), kNarrowestName);
}

std::string IostatReport::headingsOf(const std::vector<Group>& groups,
                                     std::string_view above,
                                     std::string_view title) const
{
    const std::size_t width = nameWidth();
    std::string first = fmt::format("{:<{}}", above, width);
    std::string second = fmt::format("{:<{}}", title, width);
    for (const Group& group : groups) {
        if (!group.title.empty()) {
            first += titleOver(group.title, group.width, group.columns.size());
        }
        for (const std::string_view column : group.columns) {
            second += titleOver(column, group.width, 1);
        }
    }
    return first + "\n" + second + "\n" + rule(groups);
}

std::string IostatReport::headings() const
{
    return headingsOf(groups(), {}, m_format.only.empty() ? "pool" : "vdev");
}

std::string IostatReport::rule(const std::vector<Group>& groups) const
{
    std::string rule(nameWidth(), '-');
    for (const Group& group : groups) {
        for (std::size_t i = 0; i < group.columns.size(); ++i) {
            rule += "  " + std::string(group.width, '-');
        }
    }
    return rule + "\n";
}

std::string IostatReport::text() const
{
    const std::vector<Pool> all = pools();
    const bool ruled = m_format.kind == IostatFormat::Kind::Table && !m_format.forScripts;
    const bool afterEach = m_format.vdevs && m_format.only.empty();
    std::string text;
    for (const Pool& pool : all) {
        for (const VdevSection& vdevs : pool.sections) {
            text += section(vdevs);
        }
        text += ruled && afterEach ? rule(groups()) : "";
    }
    const bool atEnd = !m_format.only.empty() || (all.size() > 1 && !m_format.vdevs);
    return text + (ruled && atEnd ? rule(groups()) : "");
}

std::string IostatReport::section(const VdevSection& section) const
{
    std::string text;
    if (!section.heading.empty() && m_format.vdevs && m_format.only.empty()) {
        text += classHeading(section.heading);
    }
    for (const bus::VdevRow& row : section.rows) {
        if (isShown(row)) {
            text += m_format.kind == IostatFormat::Kind::Table ? line(row) : histogram(row);
        }
    }
    return text;
}

/// Scripts and histograms get an empty line, as OpenZFS has it.
std::string IostatReport::classHeading(std::string_view heading) const
{
    std::string line;
    if (m_format.kind == IostatFormat::Kind::Table && !m_format.forScripts) {
        line = fmt::format("{:<{}}", heading, nameWidth());
        for (const Group& group : groups()) {
            for (std::size_t i = 0; i < group.columns.size(); ++i) {
                line += fmt::format("  {:>{}}", "-", group.width);
            }
        }
    }
    return line + "\n";
}

/// What turns a number since the answer before into one per second.
double IostatReport::rateOf(const bus::IostatRow& now) const
{
    std::uint64_t from = now.importedAt;
    if (m_before) {
        const auto before = m_before->byGuid.find(now.guid);
        from = before == m_before->byGuid.end() ? from : before->second.takenAt;
    }
    const std::uint64_t time = since(now.takenAt, from);
    return time == 0 ? 1 : kNanoseconds / static_cast<double>(time);
}

std::string IostatReport::count(std::uint64_t value) const
{
    return m_format.exact ? std::to_string(value) : format::formatCount(value);
}

/// All nothing where the answer before does not have it.
bus::IostatRow IostatReport::oldOf(std::uint64_t guid) const
{
    const auto found = m_before ? m_before->byGuid.find(guid) : m_now->byGuid.end();
    return m_before && found != m_before->byGuid.end() ? found->second : bus::IostatRow();
}

std::string IostatReport::line(const bus::VdevRow& row) const
{
    const bus::IostatRow& now = m_now->byGuid.at(row.guid);
    std::vector<std::string> cells = spaceAndRates(now);
    const auto append = [&cells](const std::vector<std::string>& more) {
        cells.insert(cells.end(), more.begin(), more.end());
    };
    if (m_format.waits) {
        append(meanWaits(now));
    }
    if (m_format.queues) {
        append(queueLengths(now));
    }
    const std::string name = vdevName(row, m_format.naming);
    if (m_format.forScripts) {
        return fmt::format("{}\t{}\n", name, fmt::join(cells, "\t"));
    }
    std::string line = fmt::format("{:<{}}", std::string(indentOf(row), ' ') + name, nameWidth());
    std::size_t cell = 0;
    for (const Group& group : groups()) {
        for (std::size_t i = 0; i < group.columns.size(); ++i) {
            line += fmt::format("  {:>{}}", cells[cell++], group.width);
        }
    }
    return line + "\n";
}

std::vector<std::string> IostatReport::spaceAndRates(const bus::IostatRow& now) const
{
    const bus::IostatRow old = oldOf(now.guid);
    const double rate = rateOf(now);
    const auto perSecond = [&](std::uint64_t value, std::uint64_t oldValue) {
        return count(scaled(since(value, oldValue), rate));
    };
    const bool hasSpace = now.allocated + now.free != 0;
    const std::string none = m_format.exact ? "0" : "-";
    return {hasSpace ? count(now.allocated) : none,
            hasSpace ? count(now.free) : none,
            perSecond(now.readOps, old.readOps),
            perSecond(now.writeOps, old.writeOps),
            perSecond(now.readBytes, old.readBytes),
            perSecond(now.writeBytes, old.writeBytes)};
}

std::vector<std::string> IostatReport::meanWaits(const bus::IostatRow& now) const
{
    const bus::IostatRow old = oldOf(now.guid);
    const auto mean = [&](std::uint64_t time, std::uint64_t operations) {
        const std::uint64_t each = operations == 0 ? 0 : time / operations;
        return m_format.exact && each != 0 ? std::to_string(each) : format::formatDuration(each);
    };
    const std::string reads =
        mean(since(now.readTimeNs, old.readTimeNs), since(now.readOps, old.readOps));
    const std::string writes =
        mean(since(now.writeTimeNs, old.writeTimeNs), since(now.writeOps, old.writeOps));
    return {reads, writes, reads, writes, "-", "-", "-", "-", "-", "-", "-"};
}

std::vector<std::string> IostatReport::queueLengths(const bus::IostatRow& now) const
{
    std::vector<std::string> cells(14, "0");
    cells[1] = count(now.readsActive);
    cells[7] = count(now.writesActive);
    return cells;
}

std::uint64_t IostatReport::Sample::inBucket(const BucketKey& key) const
{
    const auto found = buckets.find(key);
    return found == buckets.end() ? 0 : found->second;
}

/// Since the import the numbers themselves are of interest, later how many came in a second.
std::uint64_t IostatReport::inBucket(const BucketKey& key) const
{
    const std::uint64_t now = m_now->inBucket(key);
    return m_before ? scaled(since(now, m_before->inBucket(key)),
                             rateOf(m_now->byGuid.at(std::get<0>(key))))
                    : now;
}

std::string IostatReport::histogram(const bus::VdevRow& row) const
{
    const bool latencies = m_format.kind == IostatFormat::Kind::Latencies;
    // Which histogram each column shows; those that the engine has nothing for are empty.
    using Names = std::vector<std::string_view>;
    const Names names = latencies ? Names{"read_latency",
                                          "write_latency",
                                          "read_latency",
                                          "write_latency",
                                          "",
                                          "",
                                          "",
                                          "",
                                          "",
                                          "",
                                          ""}
                                  : Names{"read_size",
                                          "joined_read_size",
                                          "",
                                          "",
                                          "",
                                          "",
                                          "write_size",
                                          "joined_write_size",
                                          "",
                                          "",
                                          "",
                                          "",
                                          "",
                                          ""};
    std::vector<Group> columns = groups();
    std::vector<std::vector<std::string>> table;
    std::size_t width = 5;
    for (std::uint64_t bucket = latencies ? 0 : kFirstSize;
         bucket < (latencies ? kLatencyBuckets : kSizeBuckets);
         ++bucket) {
        // A latency goes by where its bucket ends, a size by where it begins.
        const std::uint64_t label =
            latencies ? (std::uint64_t{2} << bucket) - 1 : std::uint64_t{1} << bucket;
        std::vector<std::string>& cells = table.emplace_back();
        cells.push_back(m_format.forScripts ? std::to_string(label)
                        : latencies         ? format::formatDuration(label)
                                            : format::formatCount(label));
        for (const std::string_view name : names) {
            cells.push_back(count(name.empty() ? 0 : inBucket({row.guid, name, bucket})));
            width = std::max(width, cells.back().size());
        }
    }
    const std::string name = vdevName(row, m_format.naming);
    std::string text = "\n";
    if (m_format.forScripts) {
        text += name + "\n";
        for (const std::vector<std::string>& cells : table) {
            text += fmt::format("{}\n", fmt::join(cells, "\t"));
        }
        return text;
    }
    for (Group& group : columns) {
        group.width = width;
    }
    const std::string ruled = rule(columns);
    text += headingsOf(columns, name, latencies ? "latency" : "req_size");
    for (const std::vector<std::string>& cells : table) {
        text += fmt::format("{:<{}}", cells.front(), nameWidth());
        for (std::size_t i = 1; i < cells.size(); ++i) {
            text += fmt::format("  {:>{}}", cells[i], width);
        }
        text += "\n";
    }
    return text + std::string(ruled.size() - 1, '-') + "\n";
}

} // namespace millpond::cli
