// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/check_job.h"
#include "daemon/methods.h"

namespace millpond::daemon {

namespace {
using Texts = std::vector<std::string>;

Error noSuchJob(std::string_view path)
{
    return {ErrorCode::NoSuchJob, fmt::format("there is no job {}", path)};
}

/// Where to look is worked out on the executor; the job itself begins on the loop's thread.
Result<Prepared> prepareStartCheck(const MethodParts& parts, bus::Call& call)
{
    auto [pool, paths] = MP_TRY((call.arguments().read<std::string, Texts>()));
    if (pool.empty()) {
        return fail(ErrorCode::InvalidArgument, "no pool was named");
    }
    return Prepared{Action::ImportExport,
                    [&parts, pool, paths](const Caller& caller) -> Result<Reply> {
                        const api::CheckRequest request{pool, MP_TRY(parts.pools.places(paths))};
                        return Reply([&parts, request, caller](bus::Call& each) {
                            const Result<std::string> path = parts.jobs().start(
                                "check",
                                fmt::format("check of {}", request.pool),
                                "bytes",
                                caller.uid,
                                std::make_unique<CheckJob>(parts.engine, request));
                            if (path) {
                                each.reply(bus::ObjectPath{*path});
                            } else {
                                each.fail(path.error());
                            }
                        });
                    },
                    {}};
}

Result<Prepared> prepareJobs(const MethodParts& parts, bus::Call&)
{
    return Prepared{Action::ReadStatus,
                    [&parts](const Caller&) -> Result<Reply> {
                        return Reply([&parts](bus::Call& each) {
                            bus::DocumentWriter document(parts.changes.nextGeneration());
                            parts.jobs().addRows(document);
                            const Result<Reply> reply = replyWithDocument(document);
                            if (reply) {
                                (*reply)(each);
                            } else {
                                each.fail(reply.error());
                            }
                        });
                    },
                    {}};
}

Result<Prepared> prepareCancel(const MethodParts& parts, bus::Call& call)
{
    const Job* job = parts.jobs().find(call.path());
    if (job == nullptr) {
        return fail(noSuchJob(call.path()));
    }
    const std::shared_ptr<Job::Work> work = job->work();
    const std::uint32_t owner = job->facts().owner;
    return Prepared{Action::ReadStatus,
                    [work](const Caller&) -> Result<Reply> {
                        work->progress.cancel();
                        return replyWith();
                    },
                    [owner](const Caller& caller) -> std::optional<Action> {
                        return caller.uid == owner ? std::nullopt
                                                   : std::optional(Action::ImportExport);
                    }};
}

Result<Prepared> prepareOutput(const MethodParts& parts, bus::Call& call)
{
    auto [firstRow] = MP_TRY((call.arguments().read<std::uint64_t>()));
    const Job* job = parts.jobs().find(call.path());
    if (job == nullptr) {
        return fail(noSuchJob(call.path()));
    }
    // Asked before the output is taken: what was finished then is complete in it.
    const bool complete = job->finished();
    return Prepared{
        Action::ReadStatus,
        [&parts, firstRow, complete, work = job->work(), path = std::string(call.path())](
            const Caller&) -> Result<Reply> {
            bus::DocumentWriter document(parts.changes.nextGeneration());
            MP_TRY(work->body->addOutput(document, firstRow));
            const Reply reply = MP_TRY(replyWithDocument(document));
            return Reply([&parts, complete, path, reply](bus::Call& each) {
                Job* fetched = parts.jobs().find(path);
                if (complete && fetched != nullptr) {
                    fetched->markFetched();
                }
                reply(each);
            });
        },
        {}};
}
} // namespace

void addJobMethods(MethodTable& table, const MethodParts& parts)
{
    const auto add = [&](const char* name,
                         Result<Prepared> (*prepare)(const MethodParts&, bus::Call&)) {
        table[name] = [&parts, prepare](bus::Call& call) { return prepare(parts, call); };
    };
    add("StartCheck", prepareStartCheck);
    add("Jobs", prepareJobs);
    add("Cancel", prepareCancel);
    add("Output", prepareOutput);
}

} // namespace millpond::daemon
