// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/vdev_names.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace millpond::cli {

namespace {
struct SectionKind
{
    std::string_view allocClass, heading;
};

constexpr std::array kSections = {SectionKind{"dedup", "dedup"},
                                  SectionKind{"special", "special"},
                                  SectionKind{"log", "logs"},
                                  SectionKind{"l2cache", "cache"},
                                  SectionKind{"spare", "spares"}};
} // namespace

VdevNaming vdevNaming(const ParsedOptions& options)
{
    return {.guids = options.has('g'), .resolve = options.has('L'), .fullPaths = options.has('P')};
}

std::string vdevName(const bus::VdevRow& row, const VdevNaming& naming)
{
    if (naming.guids && row.depth != 0) {
        return std::to_string(row.guid);
    }
    std::filesystem::path path = row.name;
    if (naming.resolve && row.isLeaf && !row.openedAs.empty()) {
        std::error_code error;
        const auto real = std::filesystem::canonical(std::filesystem::path(row.openedAs), error);
        path = error ? path : real;
    }
    // A disk goes by its last part; a file keeps its whole path.
    const bool shortened = !naming.fullPaths && row.type == "disk" && path.has_filename();
    if (!shortened) {
        return path.string();
    }
    return row.wholeDisk ? withoutPartition(path.filename().string()) : path.filename().string();
}

std::string withoutPartition(const std::string& name)
{
    constexpr std::string_view kDigits = "0123456789";
    const std::size_t digits = name.find_last_not_of(kDigits) + 1;
    const std::string_view stem = std::string_view(name).substr(0, digits);
    if (digits == name.size() || stem.empty()) {
        return name;
    }
    constexpr std::string_view kPart = "-part";
    if (stem.ends_with(kPart)) {
        return std::string(stem.substr(0, stem.size() - kPart.size()));
    }
    if (stem.size() > 2 && stem.back() == 'p' &&
        kDigits.find(stem[stem.size() - 2]) != std::string_view::npos) {
        return std::string(stem.substr(0, stem.size() - 1));
    }
    const bool lettered = stem.starts_with("sd") || stem.starts_with("hd") ||
                          stem.starts_with("vd") || stem.starts_with("xvd");
    const bool plain = std::ranges::all_of(stem, [](char c) { return c >= 'a' && c <= 'z'; });
    return lettered && plain ? std::string(stem) : name;
}

std::uint64_t deviceBytes(const bus::VdevRow& row)
{
    const bool closed = row.state == "OFFLINE" || row.state == "UNAVAIL" ||
                        row.state == "REMOVED" || row.state == "FAULTED";
    return closed || row.physicalSize == bus::kUnknown ? 0 : row.physicalSize;
}

bool isCalled(const bus::VdevRow& row, std::string_view word)
{
    if (row.depth == 0) {
        return false;
    }
    if (word == std::to_string(row.guid) || word == row.name || word == row.path ||
        (!row.openedAs.empty() && word == row.openedAs)) {
        return true;
    }
    return word == vdevName(row, {}) || word == vdevName(row, {.resolve = true}) ||
           word == vdevName(row, {.resolve = true, .fullPaths = true});
}

std::vector<VdevSection> vdevSections(const std::vector<bus::VdevRow>& rows)
{
    std::vector<VdevSection> sections(1 + kSections.size());
    for (std::size_t i = 0; i < kSections.size(); ++i) {
        sections[i + 1].heading = kSections[i].heading;
    }
    std::size_t current = 0;
    for (const bus::VdevRow& row : rows) {
        // What lies below a top-level vdev belongs where that does.
        if (row.depth <= 1) {
            current = 0;
            for (std::size_t i = 0; i < kSections.size(); ++i) {
                if (row.depth == 1 && row.allocClass == kSections[i].allocClass) {
                    current = i + 1;
                }
            }
        }
        sections[current].rows.push_back(row);
    }
    std::erase_if(sections, [](const VdevSection& section) { return section.rows.empty(); });
    return sections;
}

std::vector<VdevSection> vdevSections(const bus::Rows<bus::VdevRow>& rows, std::uint64_t poolGuid)
{
    std::vector<bus::VdevRow> own;
    for (const bus::VdevRow& row : rows) {
        if (poolGuid == 0 || row.poolGuid == poolGuid) {
            own.push_back(row);
        }
    }
    return vdevSections(own);
}

std::vector<VdevNode> vdevTrees(const std::vector<bus::VdevRow>& rows)
{
    std::vector<VdevNode> trees;
    std::vector<VdevNode*> path; // Parents come before children.
    for (const bus::VdevRow& row : rows) {
        while (!path.empty() && path.back()->row.depth >= row.depth) {
            path.pop_back();
        }
        const bool top = row.depth <= 1 || path.empty();
        VdevNode node{row, top ? row.allocClass : path.back()->topClass, {}};
        std::vector<VdevNode>& siblings = path.empty() ? trees : path.back()->children;
        siblings.push_back(std::move(node));
        path.push_back(&siblings.back());
    }
    return trees;
}

} // namespace millpond::cli
