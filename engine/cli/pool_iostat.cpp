// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/compat_phrases.h"
#include "cli/iostat_report.h"
#include "cli/option_parser.h"
#include "cli/pool_commands.h"
#include "cli/pool_names.h"
#include "cli/repeat.h"
#include "cli/table_printer.h"

#include <algorithm>
#include <optional>

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText =
    "iostat [[-lq]|[-rw]] [-T d | u] [-ghHLpPvy]\n"
    "\t    [[pool ...]|[pool vdev ...]|[vdev ...]] [[-n] interval [count]]\n";
constexpr OptionSpec kOptions[] = {{'g'},
                                   {'H'},
                                   {'h'},
                                   {'L'},
                                   {'l'},
                                   {'n'},
                                   {'P'},
                                   {'p'},
                                   {'q'},
                                   {'r'},
                                   {'T', {}, true},
                                   {'v'},
                                   {'w'},
                                   {'y'}};
/// What the numbers of a line take beside its name.
constexpr std::size_t kNumbersWidth = 42;

struct IostatOptions
{
    IostatFormat format;
    bool skipFirst = false, headingsOnce = false;
    std::string timestamp;
    Arguments pools; ///< to ask for; empty: all
    Repetition repetition;
};

Result<IostatOptions> parse(const Arguments& arguments)
{
    ParsedOptions parsed = MP_TRY(parseOptions(arguments, kOptions));
    if (parsed.has('h')) {
        return fail(ErrorCode::InvalidArgument, "");
    }
    const bool histogram = parsed.has('r') || parsed.has('w');
    if (histogram && (parsed.has('l') || parsed.has('q'))) {
        return fail(ErrorCode::InvalidArgument, "[-r|-w] isn't allowed with [-c|-l|-q]\n");
    }
    if (parsed.has('r') && parsed.has('w')) {
        return fail(ErrorCode::InvalidArgument, "Only one of [-r|-w] can be passed at a time\n");
    }
    IostatOptions options;
    options.format.kind = parsed.has('w')   ? IostatFormat::Kind::Latencies
                          : parsed.has('r') ? IostatFormat::Kind::Sizes
                                            : IostatFormat::Kind::Table;
    options.format.waits = parsed.has('l');
    options.format.queues = parsed.has('q');
    options.format.forScripts = parsed.has('H');
    options.format.exact = parsed.has('p');
    options.format.vdevs = parsed.has('v');
    options.format.naming = vdevNaming(parsed);
    options.skipFirst = parsed.has('y');
    options.headingsOnce = parsed.has('n');
    options.timestamp = parsed.valueOf('T');
    options.repetition = takeRepetition(parsed.operands);
    options.pools = std::move(parsed.operands);
    return options;
}

/// Sorts the words behind the options into pools and vdevs: "pool ...", "pool vdev ..." or
/// "vdev ...". Says what is wrong and gives the exit code when they are none of these.
class Targets
{
public:
    Targets(const bus::Rows<bus::PoolRow>& pools, const bus::Rows<bus::VdevRow>& vdevs)
        : m_pools(pools)
        , m_vdevs(vdevs)
    {
    }

    std::optional<int> sort(Console& console, IostatOptions& options) const;

private:
    [[nodiscard]] bool isPool(std::string_view word) const
    {
        for (const bus::PoolRow& row : m_pools) {
            if (row.name == word) {
                return true;
            }
        }
        return false;
    }

    /// 0: there is none. `pool` empty: of any pool.
    [[nodiscard]] std::uint64_t vdev(std::string_view pool, std::string_view word) const
    {
        for (const bus::VdevRow& row : m_vdevs) {
            if ((pool.empty() || row.pool == pool) && row.guid != 0 && isCalled(row, word)) {
                return row.guid;
            }
        }
        return 0;
    }

    const bus::Rows<bus::PoolRow>& m_pools;
    const bus::Rows<bus::VdevRow>& m_vdevs;
};

std::optional<int> Targets::sort(Console& console, IostatOptions& options) const
{
    const Arguments words = options.pools;
    if (std::ranges::all_of(words, [this](const auto& word) { return isPool(word); })) {
        return std::nullopt;
    }
    const bool poolFirst = isPool(words.front());
    const std::string_view pool = poolFirst ? std::string_view(words.front()) : "";
    options.pools.clear();
    if (poolFirst) {
        options.pools.push_back(words.front());
    }
    for (std::size_t i = poolFirst ? 1 : 0; i < words.size(); ++i) {
        const std::uint64_t guid = vdev(pool, words[i]);
        if (guid == 0 && poolFirst) {
            return usageError(
                console,
                fmt::format("Expected either a list of pools, or list of vdevs in \"{}\", but "
                            "got:\n\t{}\n\n",
                            pool,
                            words[i]),
                kUsageText);
        }
        if (guid == 0) {
            return complain(console,
                            fmt::format(phrases::kCannotOpen, words[i]),
                            Error(ErrorCode::NoSuchPool, std::string(phrases::kNoPool)));
        }
        options.format.only.insert(guid);
    }
    return std::nullopt;
}

std::optional<int> sortTargets(Console& console, bus::Client& client, IostatOptions& options)
{
    if (options.pools.empty()) {
        return std::nullopt;
    }
    const auto status = client.poolStatus({});
    if (!status) {
        return complain(console, status.error());
    }
    const auto pools = bus::Rows<bus::PoolRow>::of(*status);
    const auto vdevs = bus::Rows<bus::VdevRow>::of(*status);
    if (!pools || !vdevs) {
        return complain(console, !pools ? pools.error() : vdevs.error());
    }
    return Targets(*pools, *vdevs).sort(console, options);
}

/// Once; with -v above each report; on a terminal again when the last are out of sight.
bool wantsHeadings(const Console& console, const IostatOptions& options, std::uint64_t iteration)
{
    if (options.format.kind != IostatFormat::Kind::Table || options.format.forScripts) {
        return false;
    }
    const auto terminal = console.terminalSize();
    return iteration == 1 || options.format.vdevs ||
           (terminal && !options.headingsOnce && iteration % terminal->lines == 0);
}

int reportAgainAndAgain(Console& console, bus::Client& client, IostatOptions& options)
{
    IostatReport report(options.format);
    const bool skip = options.skipFirst && options.repetition.interval > 0;
    if (skip && options.repetition.count != 0) {
        ++options.repetition.count; // The report that is left out does not count.
    }
    std::uint64_t iteration = 0;
    return repeat(console, options.repetition, [&](bool first) -> int {
        const auto document = client.iostat(options.pools);
        if (!document) {
            return complain(console, document.error());
        }
        if (const Status taken = report.take(*document); !taken) {
            return complain(console, taken.error());
        }
        if (skip && first) {
            return kDone;
        }
        console.out(timestampLine(options.timestamp));
        if (wantsHeadings(console, options, ++iteration)) {
            console.out(report.headings());
        }
        console.out(report.text());
        return kDone;
    });
}
} // namespace

int poolIostat(Console& console, const Arguments& arguments)
{
    auto options = parse(arguments);
    if (!options) {
        return usageError(console, options.error().what(), kUsageText);
    }
    if (const auto terminal = console.terminalSize()) {
        options->format.widestName =
            terminal->columns > kNumbersWidth ? terminal->columns - kNumbersWidth : 0;
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    if (const auto code = sortTargets(console, **client, *options)) {
        return *code;
    }
    return reportAgainAndAgain(console, **client, *options);
}

} // namespace millpond::cli
