// SPDX-License-Identifier: GPL-3.0-or-later
//
// provision: many file systems of one kind, in one call and as few transaction groups as can be.
// Repeatable: what is there already is left as it is.
#include "cli/changes.h"
#include "cli/fs_commands.h"
#include "cli/pool_commands.h"

#include <charconv>
#include <pwd.h>
#include <set>

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText =
    "provision [-nv] --parent <filesystem> --pattern <name with %d> --range <first>-<last>\n"
    "\t    [--quota size] [-o property=value] ... [--owner-pattern <user with %d>]\n";
constexpr OptionSpec kOptions[] = {{'n'},
                                   {'v'},
                                   {'o', {}, true},
                                   {'A', "parent", true, true},
                                   {'B', "pattern", true, true},
                                   {'C', "range", true, true},
                                   {'D', "quota", true, true},
                                   {'E', "owner-pattern", true, true}};
constexpr std::uint64_t kMost = 100'000;

/// A text with one number in it: %d, %5d, %05d; %% is a percent sign.
class Pattern
{
public:
    [[nodiscard]] static Result<Pattern> parse(const std::string& text);

    [[nodiscard]] std::string with(std::uint64_t number) const
    {
        return m_before +
               (m_zeros ? fmt::format("{:0{}}", number, m_width)
                        : fmt::format("{:{}}", number, m_width)) +
               m_after;
    }

private:
    std::string m_before, m_after;
    bool m_zeros = false;
    int m_width = 0;
};

Result<Pattern> Pattern::parse(const std::string& text)
{
    constexpr int kMostDigits = 20;
    Pattern pattern;
    bool found = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string& part = found ? pattern.m_after : pattern.m_before;
        if (text[i] != '%') {
            part += text[i];
            continue;
        }
        if (text.compare(i, 2, "%%") == 0) {
            part += text[i++];
            continue;
        }
        const std::size_t end = text.find('d', i);
        const std::string width =
            end == std::string::npos ? std::string("?") : text.substr(i + 1, end - i - 1);
        pattern.m_zeros = width.starts_with('0');
        const auto read =
            std::from_chars(width.data(), width.data() + width.size(), pattern.m_width);
        const bool good =
            width.empty() || (read.ec == std::errc() && read.ptr == width.data() + width.size());
        if (found || !good || pattern.m_width < 0 || pattern.m_width > kMostDigits) {
            return fail(ErrorCode::InvalidArgument,
                        fmt::format("bad pattern '{}': it takes one %d or %05d\n", text));
        }
        found = true;
        i = end;
    }
    if (!found) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("bad pattern '{}': it has no %d\n", text));
    }
    return pattern;
}

struct Range
{
    std::uint64_t first = 0, last = 0;
};

Result<Range> parseRange(const std::string& text)
{
    Range range;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, range.first);
    const bool dash = first.ec == std::errc() && first.ptr != end && *first.ptr == '-';
    const auto last =
        dash ? std::from_chars(first.ptr + 1, end, range.last) : std::from_chars_result{end, {}};
    if (!dash || last.ec != std::errc() || last.ptr != end || range.last < range.first ||
        range.last - range.first >= kMost) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("bad range '{}': it is like 1-{}\n", text, kMost));
    }
    return range;
}

/// A number is a uid; anything else the name of a user that this machine knows.
Status setOwner(bus::NewDataset& dataset, const std::string& user)
{
    const char* end = user.data() + user.size();
    const auto number = std::from_chars(user.data(), end, dataset.uid);
    if (number.ec == std::errc() && number.ptr == end) {
        dataset.gid = dataset.uid;
        return {};
    }
    const passwd* entry = ::getpwnam(user.c_str()); // NOLINT(concurrency-mt-unsafe): one thread
    if (entry == nullptr) {
        return fail(ErrorCode::NoSuchEntry, fmt::format("there is no user '{}'", user));
    }
    dataset.uid = entry->pw_uid;
    dataset.gid = entry->pw_gid;
    return {};
}

struct Order
{
    std::string parent;
    Pattern pattern;
    std::optional<Pattern> owner;
    Range range;
    Properties properties;
    bool preview = false, verbose = false;
};

Result<Order> parse(const Arguments& arguments)
{
    const auto parsed = MP_TRY(parseOptions(arguments, kOptions));
    if (!parsed.has('A') || !parsed.has('B') || !parsed.has('C')) {
        return fail(ErrorCode::InvalidArgument, "missing --parent, --pattern or --range\n");
    }
    if (!parsed.operands.empty()) {
        return fail(ErrorCode::InvalidArgument, "too many arguments\n");
    }
    Order order;
    order.parent = parsed.valueOf('A');
    order.pattern = MP_TRY(Pattern::parse(parsed.valueOf('B')));
    order.range = MP_TRY(parseRange(parsed.valueOf('C')));
    std::vector<std::string> texts = parsed.valuesOf('o');
    if (parsed.has('D')) {
        texts.push_back("quota=" + parsed.valueOf('D'));
    }
    order.properties = MP_TRY(assignments(texts));
    if (parsed.has('E')) {
        order.owner = MP_TRY(Pattern::parse(parsed.valueOf('E')));
    }
    order.preview = parsed.has('n');
    order.verbose = parsed.has('v') || order.preview;
    return order;
}

/// Those that are not there yet.
Result<std::vector<bus::NewDataset>> missing(bus::Client& client, const Order& order)
{
    constexpr std::uint32_t kPrivate = 0700;
    const std::vector<std::string> below = MP_TRY(datasetsBelow(client, order.parent, 1, false));
    const std::set<std::string> there(below.begin(), below.end());
    std::vector<bus::NewDataset> wanted;
    for (std::uint64_t number = order.range.first;; ++number) {
        bus::NewDataset dataset;
        dataset.name = order.parent + "/" + order.pattern.with(number);
        if (!there.contains(dataset.name)) {
            dataset.properties = order.properties;
            if (order.owner) {
                dataset.mode = kPrivate;
                MP_TRY(setOwner(dataset, order.owner->with(number)));
            }
            wanted.push_back(std::move(dataset));
        }
        if (number == order.range.last) {
            return wanted;
        }
    }
}
} // namespace

int fsProvision(Console& console, const Arguments& arguments)
{
    const auto order = parse(arguments);
    if (!order) {
        return usageError(console, order.error().what(), kUsageText);
    }
    auto client = console.client();
    if (!client) {
        return complain(console, client.error());
    }
    const auto wanted = missing(**client, *order);
    if (!wanted) {
        return wanted.error().is(ErrorCode::NoSuchDataset)
                   ? complainAbout(console, "provision", order->parent, wanted.error())
                   : complain(console, "cannot provision", wanted.error());
    }
    if (order->verbose) {
        for (const bus::NewDataset& dataset : *wanted) {
            console.out(
                fmt::format("{} {}\n", order->preview ? "would create" : "create", dataset.name));
        }
    }
    const std::uint64_t kept = order->range.last - order->range.first + 1 - wanted->size();
    int code = kDone;
    if (!order->preview && !wanted->empty()) {
        const auto mounts =
            (*client)->createDatasets(*wanted, true, typed(console, "provision", arguments));
        if (!mounts) {
            return complainAbout(console, "provision", order->parent, mounts.error());
        }
        code = reportMounts(console, *mounts);
    }
    console.out(fmt::format("{} {}, {} there already\n",
                            wanted->size(),
                            order->preview ? "to be created" : "created",
                            kept));
    return code;
}

} // namespace millpond::cli
