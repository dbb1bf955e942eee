// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/json.h"
#include "cli/option_parser.h"
#include "cli/pool_commands.h"
#include "format/property.h"

#include <filesystem>

namespace millpond::cli {

namespace {
constexpr std::string_view kUsageText = "check [-j] [-d dir | device] ... <pool | id>\n";
constexpr OptionSpec kOptions[] = {{'d', {}, true}, {'j', "json"}};
/// `check` has exit codes of its own.
constexpr int kClean = 0, kProblems = 1, kNotChecked = 2;

int couldNot(Console& console, const std::string& pool, const Error& error)
{
    (void)complain(console, fmt::format("cannot check '{}'", pool), error);
    return kNotChecked;
}

void showProgress(Console& console, const bus::JobStatus& status)
{
    const double percent = status.total == 0 ? 0.0
                                             : 100.0 * static_cast<double>(status.done) /
                                                   static_cast<double>(status.total);
    console.err(fmt::format("\r{:5.1f}%  {} of {}, {}/s   ",
                            percent > 100.0 ? 100.0 : percent,
                            format::formatBytes(status.done),
                            format::formatBytes(status.total),
                            format::formatBytes(status.rate)));
}

Json problemJson(const bus::CheckProblemRow& row)
{
    Json problem = Json::object();
    problem.set("kind", row.kind)
        .set("dataset", row.dataset)
        .set("path", row.path)
        .set("device", row.device);
    problem.set("objset", Json::number(row.objset)).set("object", Json::number(row.object));
    problem.set("level", Json::number(row.level)).set("block", Json::number(row.block));
    problem.set("offset", Json::number(row.offset))
        .set("size", Json::number(row.size))
        .set("text", row.text);
    return problem;
}

std::string summaryText(const bus::CheckSummaryRow& row)
{
    std::string text = fmt::format("{}: {} datasets, {} snapshots, {} objects, {} blocks in {} "
                                   "copies; {} read of {} allocated in {:.1f} s\n",
                                   row.pool,
                                   row.datasets,
                                   row.snapshots,
                                   row.objects,
                                   row.blocks,
                                   row.copies,
                                   format::formatBytes(row.bytesRead),
                                   format::formatBytes(row.allocated),
                                   static_cast<double>(row.milliseconds) / 1000.0);
    if (row.awaitingResilver != 0) {
        text += fmt::format(
            "{}: {} await resilver\n", row.pool, format::formatBytes(row.awaitingResilver));
    }
    return text + (row.problemCount == 0
                       ? fmt::format("{}: clean\n", row.pool)
                       : fmt::format("{}: {} problems\n", row.pool, row.problemCount));
}

int printJson(Console& console,
              const bus::Rows<bus::CheckProblemRow>& problems,
              const bus::CheckSummaryRow& summary)
{
    Json document = jsonDocument("mpzpool check");
    document.set("pool", summary.pool)
        .set("pool_guid", Json::number(summary.guid))
        .set("txg", Json::number(summary.txg));
    document.set("problem_count", Json::number(summary.problemCount));
    document.set("awaiting_resilver", Json::number(summary.awaitingResilver));
    document.set("datasets", Json::number(summary.datasets))
        .set("snapshots", Json::number(summary.snapshots));
    document.set("objects", Json::number(summary.objects))
        .set("blocks", Json::number(summary.blocks));
    document.set("copies", Json::number(summary.copies))
        .set("bytes_read", Json::number(summary.bytesRead));
    document.set("allocated", Json::number(summary.allocated))
        .set("milliseconds", Json::number(summary.milliseconds));
    Json list = Json::array();
    for (const bus::CheckProblemRow& row : problems) {
        list.add(problemJson(row));
    }
    document.set("problems", std::move(list));
    console.out(document.toText());
    return summary.problemCount == 0 ? kClean : kProblems;
}

int report(Console& console,
           bus::Client& client,
           const std::string& job,
           const std::string& pool,
           bool json)
{
    auto output = client.jobOutput(job, 0);
    if (!output) {
        return couldNot(console, pool, output.error());
    }
    const auto problems = bus::Rows<bus::CheckProblemRow>::of(*output);
    const auto summary = bus::Rows<bus::CheckSummaryRow>::of(*output);
    if (!problems || !summary || summary->empty()) {
        return couldNot(console,
                        pool,
                        !problems  ? problems.error()
                        : !summary ? summary.error()
                                   : Error(ErrorCode::BadMessage, "the helper gave no summary"));
    }
    if (json) {
        return printJson(console, *problems, (*summary)[0]);
    }
    for (const bus::CheckProblemRow& row : *problems) {
        console.out(fmt::format("{}: {}\n", row.kind, row.text));
    }
    if ((*summary)[0].problemCount > problems->size()) {
        console.out(fmt::format("({} more problems are not listed)\n",
                                (*summary)[0].problemCount - problems->size()));
    }
    console.out(summaryText((*summary)[0]));
    return (*summary)[0].problemCount == 0 ? kClean : kProblems;
}
} // namespace

int poolCheck(Console& console, const Arguments& arguments)
{
    const auto parsed = parseOptions(arguments, kOptions);
    if (!parsed || parsed->operands.size() != 1) {
        return usageError(console, parsed ? "name one pool\n" : parsed.error().what(), kUsageText);
    }
    const std::string& pool = parsed->operands.front();
    bus::CheckOrder order{.pool = pool, .searchPaths = {}};
    for (const std::string& place : parsed->valuesOf('d')) {
        std::error_code error;
        order.searchPaths.push_back(
            std::filesystem::absolute(place, error).lexically_normal().string());
    }
    auto client = console.client();
    if (!client) {
        return couldNot(console, pool, client.error());
    }
    const auto job = (*client)->startCheck(order);
    if (!job) {
        return couldNot(console, pool, job.error());
    }
    const bool progress = console.isTerminal() && !parsed->has('j');
    const auto status = (*client)->waitForJob(*job, [&](const bus::JobStatus& now) {
        if (progress) {
            showProgress(console, now);
        }
        return true;
    });
    if (progress) {
        console.err("\r" + std::string(60, ' ') + "\r");
    }
    if (!status) {
        return couldNot(console, pool, status.error());
    }
    if (status->state != "done") {
        return couldNot(
            console,
            pool,
            Error(errorCodeFromName(status->errorName),
                  status->errorText.empty() ? "the check was stopped" : status->errorText));
    }
    return report(console, **client, *job, pool, parsed->has('j'));
}

} // namespace millpond::cli
