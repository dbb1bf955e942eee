// SPDX-License-Identifier: GPL-3.0-or-later
#include "device/detail/text_file.h"

#include "base/types.h"
#include "device/detail/unique_fd.h"

#include <algorithm>
#include <charconv>
#include <fcntl.h>

namespace millpond::device::detail {

namespace {

constexpr std::size_t kMaxText = 4 * MiB;

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

int octalDigit(char c)
{
    return c >= '0' && c <= '7' ? c - '0' : -1;
}

/// The kernel writes blanks in paths as \040.
std::string unescaped(std::string_view text)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 3 < text.size() && octalDigit(text[i + 1]) >= 0 &&
            octalDigit(text[i + 2]) >= 0 && octalDigit(text[i + 3]) >= 0) {
            result += static_cast<char>(octalDigit(text[i + 1]) * 64 + octalDigit(text[i + 2]) * 8 +
                                        octalDigit(text[i + 3]));
            i += 3;
        } else {
            result += text[i];
        }
    }
    return result;
}

} // namespace

std::string readText(const std::filesystem::path& path)
{
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    std::string text;
    char block[4096];
    while (file.isOpen() && text.size() < kMaxText) {
        const ssize_t count = read(file.get(), block, sizeof(block));
        if (count <= 0) {
            break;
        }
        text.append(block, static_cast<std::size_t>(count));
    }
    return text;
}

std::string readLine(const std::filesystem::path& path)
{
    const std::string text = readText(path);
    return std::string(trimmed(std::string_view(text).substr(0, text.find('\n'))));
}

std::optional<std::uint64_t> readNumber(const std::filesystem::path& path)
{
    const std::string line = readLine(path);
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc() || end != line.data() + line.size()) {
        return std::nullopt;
    }
    return value;
}

std::vector<std::string_view> splitLines(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

std::vector<std::string_view> splitBlanks(std::string_view line)
{
    std::vector<std::string_view> words;
    for (;;) {
        const auto first = line.find_first_not_of(" \t");
        if (first == std::string_view::npos) {
            return words;
        }
        line.remove_prefix(first);
        const auto end = std::min(line.find_first_of(" \t"), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

std::vector<MountEntry> readMounts(const std::filesystem::path& proc)
{
    std::vector<MountEntry> mounts;
    const std::string text = readText(proc / "self/mountinfo");
    for (const std::string_view line : splitLines(text)) {
        const auto words = splitBlanks(line);
        const auto dash = std::find(words.begin(), words.end(), "-");
        if (words.size() < 6 || words.end() - dash < 3) {
            continue;
        }
        mounts.push_back({.device = std::string(words[2]),
                          .mountPoint = unescaped(words[4]),
                          .source = unescaped(dash[2])});
    }
    return mounts;
}

std::vector<std::string> readSwaps(const std::filesystem::path& proc)
{
    std::vector<std::string> swaps;
    const std::string text = readText(proc / "swaps");
    for (const std::string_view line : splitLines(text)) {
        const auto words = splitBlanks(line);
        if (!words.empty() && words[0].starts_with('/')) {
            swaps.push_back(unescaped(words[0]));
        }
    }
    return swaps;
}

} // namespace millpond::device::detail
