// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Small text files of /proc, /sys and udev. Everything that cannot be read is empty: a device that
// vanishes between two reads is no error.

namespace millpond::device::detail {

/// At most 4 MiB: the mount table of a machine with very many mounts.
[[nodiscard]] std::string readText(const std::filesystem::path& path);
/// The first line, without blanks at its ends.
[[nodiscard]] std::string readLine(const std::filesystem::path& path);
[[nodiscard]] std::optional<std::uint64_t> readNumber(const std::filesystem::path& path);
[[nodiscard]] std::vector<std::string_view> splitLines(std::string_view text);
[[nodiscard]] std::vector<std::string_view> splitBlanks(std::string_view line);

struct MountEntry
{
    std::string device; ///< "8:1"
    std::string mountPoint;
    std::string source; ///< "/dev/sda1": where the device number is not the device's (btrfs)
};

/// `proc`/self/mountinfo.
[[nodiscard]] std::vector<MountEntry> readMounts(const std::filesystem::path& proc);
/// Device paths in `proc`/swaps.
[[nodiscard]] std::vector<std::string> readSwaps(const std::filesystem::path& proc);

} // namespace millpond::device::detail
