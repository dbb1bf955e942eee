// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/detail/space_plan.h"

#include "dataset/detail/available.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

// Sources: OpenZFS module/zfs/dsl_dir.c (dsl_dir_set_quota_check, dsl_dir_set_reservation_check),
// dsl_dataset.c (dsl_dataset_set_refquota_check, dsl_dataset_set_refreservation_check).

namespace millpond::dataset::detail {

namespace {

std::unexpected<Error> refused(const LiveDirectory& directory, std::string_view what)
{
    return fail(ErrorCode::NoSpace, fmt::format("{}: {}", directory.name, what));
}

/// What is counted more when something of `used` bytes gets more reserved.
std::uint64_t growth(std::uint64_t used, std::uint64_t before, std::uint64_t after)
{
    const std::uint64_t now = std::max(used, before);
    const std::uint64_t next = std::max(used, after);
    return next > now ? next - now : 0;
}

} // namespace

SpacePlan::Level& SpacePlan::at(const LiveDirectory& directory)
{
    const auto [place, isNew] = m_levels.try_emplace(&directory);
    if (isNew) {
        const auto& toWrite = directory.toWrite;
        place->second = {.directory = &directory,
                         .used = directory.phys.usedBytes,
                         .quota = directory.phys.quota,
                         .reserved = directory.phys.reserved,
                         .toWrite =
                             std::accumulate(toWrite.begin(), toWrite.end(), std::uint64_t{0})};
    }
    return place->second;
}

std::uint64_t SpacePlan::available(const LiveDirectory& directory, bool withAdmitted)
{
    std::vector<SpaceLevel> upwards;
    for (const LiveDirectory* place = &directory; place != nullptr; place = place->parent) {
        const Level& level = at(*place);
        upwards.push_back(
            {level.used + (withAdmitted ? level.toWrite : 0), level.quota, level.reserved, 0});
    }
    return availableAt(upwards, m_usable);
}

/// More is used, or counted as if it were: what a level's reservation does not cover goes on up.
void SpacePlan::use(const LiveDirectory* directory, std::uint64_t bytes)
{
    for (; directory != nullptr && bytes != 0; directory = directory->parent) {
        Level& level = at(*directory);
        const std::uint64_t counted = std::max(level.used, level.reserved);
        level.used += bytes;
        bytes = std::max(level.used, level.reserved) - counted;
    }
}

Status SpacePlan::change(const LiveDirectory& directory,
                         HeadFigures head,
                         const Limits& now,
                         const Limits& next)
{
    Level& level = at(directory);
    level.quota = next.quota;
    if (next.setsQuota && next.quota != 0 &&
        (next.quota < next.reservation || next.quota < level.used + level.toWrite)) {
        return refused(directory, "size is less than current used or reserved space");
    }
    if (next.setsRefQuota && next.refQuota != 0 &&
        (next.refQuota < head.referenced || next.refQuota < next.refReservation)) {
        return refused(directory, "size is less than current used or reserved space");
    }
    MP_TRY(changeReservation(directory, next.reservation, next.quota));
    const std::uint64_t more = growth(head.unique, now.refReservation, next.refReservation);
    if (more > available(directory, false) ||
        (more != 0 && next.refQuota != 0 && next.refReservation > next.refQuota)) {
        return refused(directory, "size is greater than available space");
    }
    use(&directory, more);
    return {};
}

Status SpacePlan::changeReservation(const LiveDirectory& directory,
                                    std::uint64_t bytes,
                                    std::uint64_t quota)
{
    Level& level = at(directory);
    const std::uint64_t more = growth(level.used, level.reserved, bytes);
    const std::uint64_t room = directory.parent != nullptr
                                   ? available(*directory.parent, true)
                                   : m_usable - std::min(m_usable, level.used);
    if (more > room || (more != 0 && quota != 0 && bytes > quota)) {
        return refused(directory, "size is greater than available space");
    }
    level.reserved = bytes;
    use(directory.parent, more);
    return {};
}

} // namespace millpond::dataset::detail
