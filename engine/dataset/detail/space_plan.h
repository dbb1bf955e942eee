// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/live_tree.h"

#include <unordered_map>

namespace millpond::dataset::detail {

/// The bounds on a directory's space and on its live dataset's, in bytes; 0: none.
struct Limits
{
    std::uint64_t quota = 0, reservation = 0, refQuota = 0, refReservation = 0;
    bool setsQuota = false, setsRefQuota = false; ///< they are set, perhaps to what they were
};

/// What a live dataset counts.
struct HeadFigures
{
    std::uint64_t referenced = 0, unique = 0;
};

/// How figures would be after changes of limits, before any is made: tells whether all of them
/// together may be. Directories need not be known to the tree, only have a parent. While it is
/// used, nobody changes the figures.
class SpacePlan
{
public:
    explicit SpacePlan(std::uint64_t usable)
        : m_usable(usable)
    {
    }

    /// NoSpace; then the plan is worth no more.
    [[nodiscard]] Status
    change(const LiveDirectory& directory, HeadFigures head, const Limits& now, const Limits& next);

private:
    struct Level
    {
        const LiveDirectory* directory = nullptr;
        std::uint64_t used = 0, quota = 0, reserved = 0;
        std::uint64_t toWrite = 0; ///< admitted, and not in `used` yet
    };

    [[nodiscard]] Level& at(const LiveDirectory& directory);
    [[nodiscard]] std::uint64_t available(const LiveDirectory& directory, bool withAdmitted);
    void use(const LiveDirectory* directory, std::uint64_t bytes);
    [[nodiscard]] Status
    changeReservation(const LiveDirectory& directory, std::uint64_t bytes, std::uint64_t quota);

    std::uint64_t m_usable;
    std::unordered_map<const LiveDirectory*, Level> m_levels;
};

} // namespace millpond::dataset::detail
