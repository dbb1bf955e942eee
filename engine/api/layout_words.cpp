// SPDX-License-Identifier: GPL-3.0-or-later
#include "api/layout_words.h"

#include <fmt/format.h>

#include <map>
#include <optional>

namespace millpond::api {

namespace {
using pool::VdevRequest;
using vdev::AllocationClass;

/// Where the devices that follow belong.
enum class Part : std::uint8_t
{
    Normal,
    Log,
    Special,
    Dedup,
    Spare,
    Cache,
};

std::optional<Part> partOf(std::string_view word)
{
    static constexpr std::pair<std::string_view, Part> kWords[] = {{"log", Part::Log},
                                                                   {"special", Part::Special},
                                                                   {"dedup", Part::Dedup},
                                                                   {"spare", Part::Spare},
                                                                   {"cache", Part::Cache}};
    for (const auto& [name, part] : kWords) {
        if (name == word) {
            return part;
        }
    }
    return std::nullopt;
}

/// A group without its devices; nothing: the word is no such thing.
std::optional<VdevRequest> groupOf(std::string_view word)
{
    static constexpr std::pair<std::string_view, unsigned> kRaidz[] = {
        {"raidz", 1}, {"raidz1", 1}, {"raidz2", 2}, {"raidz3", 3}};
    VdevRequest group{.path = {}, .children = {}};
    if (word == "mirror") {
        group.kind = VdevRequest::Kind::Mirror;
        return group;
    }
    for (const auto& [name, parity] : kRaidz) {
        if (name == word) {
            group.kind = VdevRequest::Kind::Raidz;
            group.parity = parity;
            return group;
        }
    }
    return std::nullopt;
}

AllocationClass classOf(Part part)
{
    switch (part) {
    case Part::Log:
        return AllocationClass::Log;
    case Part::Special:
        return AllocationClass::Special;
    case Part::Dedup:
        return AllocationClass::Dedup;
    default:
        return AllocationClass::Normal;
    }
}
} // namespace

Result<pool::LayoutRequest> layoutFromWords(std::span<const std::string> words)
{
    pool::LayoutRequest layout;
    Part part = Part::Normal;
    bool inGroup = false;
    bool awaiting = false; // a device must follow the last word
    for (const std::string& word : words) {
        const auto newPart = partOf(word);
        auto group = groupOf(word);
        // Behind "log" a group may follow at once; behind "mirror" nothing but devices.
        if (awaiting && (newPart || (group && inGroup))) {
            return fail(ErrorCode::InvalidArgument,
                        fmt::format("no devices in front of '{}'", word));
        }
        if (word.starts_with("draid")) {
            return fail(ErrorCode::UnsupportedVdev, "draid can't be made yet");
        }
        if (newPart) {
            part = *newPart;
            inGroup = false;
            awaiting = true;
            continue;
        }
        if (group) {
            if (part == Part::Spare || part == Part::Cache) {
                return fail(ErrorCode::InvalidArgument,
                            fmt::format("spares and cache devices are single: no '{}'", word));
            }
            group->allocationClass = classOf(part);
            layout.tops.push_back(std::move(*group));
            inGroup = true;
            awaiting = true;
            continue;
        }
        awaiting = false;
        VdevRequest leaf{.path = word, .children = {}};
        if (part == Part::Spare) {
            layout.spares.push_back(word);
        } else if (part == Part::Cache) {
            layout.caches.push_back(word);
        } else if (inGroup) {
            layout.tops.back().children.push_back(std::move(leaf));
        } else {
            leaf.allocationClass = classOf(part);
            layout.tops.push_back(std::move(leaf));
        }
    }
    if (awaiting) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("no devices behind '{}'", words.back()));
    }
    MP_TRY(pool::checkLayout(layout));
    return layout;
}

} // namespace millpond::api
