// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bus/records.h"
#include "cli/vdev_names.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace millpond::cli {

/// What `iostat` shows, and how.
struct IostatFormat
{
    enum class Kind : std::uint8_t
    {
        Table,
        Latencies, ///< -w: a histogram of each vdev
        Sizes      ///< -r
    };
    Kind kind = Kind::Table;
    bool waits = false, queues = false; ///< of the table: -l, -q
    bool forScripts = false, exact = false;
    bool vdevs = false; ///< not only the pools
    VdevNaming naming;
    std::set<std::uint64_t> only; ///< guids of the vdevs asked for; empty: all
    std::size_t widestName = 999; ///< beyond it names push their line to the right
};

/// Answers of the helper as text, each against the one before it.
class IostatReport
{
public:
    explicit IostatReport(IostatFormat format)
        : m_format(std::move(format))
    {
    }

    /// The next answer. BadMessage.
    [[nodiscard]] Status take(const bus::Document& document);

    /// Two lines and a rule: what stands above a table. Histograms bring their own.
    [[nodiscard]] std::string headings() const;
    /// What the last answer tells: numbers per second since the one before, or since the import.
    [[nodiscard]] std::string text() const;

private:
    using BucketKey = std::tuple<std::uint64_t, std::string_view, std::uint64_t>; ///< guid first

    struct Sample
    {
        bus::Rows<bus::IostatRow> rows;
        std::map<std::uint64_t, bus::IostatRow> byGuid;
        std::map<BucketKey, std::uint64_t> buckets; ///< those that are not empty

        [[nodiscard]] std::uint64_t inBucket(const BucketKey& key) const;
    };

    /// A title above one or several columns, what stands below it, how wide its columns are.
    struct Group
    {
        std::string_view title;
        std::vector<std::string_view> columns;
        std::size_t width = 5;
    };

    struct Pool
    {
        std::string_view name;
        std::vector<VdevSection> sections;
    };

    [[nodiscard]] static Result<Sample> sampleOf(const bus::Document& document);
    [[nodiscard]] std::vector<Pool> pools() const;
    [[nodiscard]] std::vector<Group> groups() const;
    [[nodiscard]] bool isShown(const bus::VdevRow& row) const;
    [[nodiscard]] std::size_t indentOf(const bus::VdevRow& row) const;
    [[nodiscard]] std::size_t nameWidth() const;
    [[nodiscard]] std::string headingsOf(const std::vector<Group>& groups,
                                         std::string_view above,
                                         std::string_view title) const;
    [[nodiscard]] std::string rule(const std::vector<Group>& groups) const;
    [[nodiscard]] std::string section(const VdevSection& section) const;
    [[nodiscard]] std::string classHeading(std::string_view heading) const;

    [[nodiscard]] bus::IostatRow oldOf(std::uint64_t guid) const;
    [[nodiscard]] double rateOf(const bus::IostatRow& now) const;
    [[nodiscard]] std::string line(const bus::VdevRow& row) const;
    [[nodiscard]] std::vector<std::string> spaceAndRates(const bus::IostatRow& now) const;
    [[nodiscard]] std::vector<std::string> meanWaits(const bus::IostatRow& now) const;
    [[nodiscard]] std::vector<std::string> queueLengths(const bus::IostatRow& now) const;
    [[nodiscard]] std::string count(std::uint64_t value) const;

    [[nodiscard]] std::string histogram(const bus::VdevRow& row) const;
    [[nodiscard]] std::uint64_t inBucket(const BucketKey& key) const;

    IostatFormat m_format;
    std::optional<Sample> m_now, m_before;
};

} // namespace millpond::cli
