// SPDX-License-Identifier: GPL-3.0-or-later
#include "object/detail/name_folding.h"

#include "format/zap.h"

#include <algorithm>
#include <glib.h>
#include <memory>
#include <optional>

namespace millpond::object::detail {

using format::NormalizationFlag;

namespace {

char foldAscii(char c, std::uint64_t flags)
{
    if ((flags & NormalizationFlag::kToUpper) != 0 && c >= 'a' && c <= 'z') {
        return static_cast<char>(c - 'a' + 'A');
    }
    if ((flags & NormalizationFlag::kToLower) != 0 && c >= 'A' && c <= 'Z') {
        return static_cast<char>(c - 'A' + 'a');
    }
    return c;
}

std::optional<GNormalizeMode> normalizeMode(std::uint64_t flags)
{
    const bool compose = (flags & NormalizationFlag::kCanonicalComposition) != 0;
    if ((flags & NormalizationFlag::kCompatibleDecomposition) != 0) {
        return compose ? G_NORMALIZE_NFKC : G_NORMALIZE_NFKD;
    }
    if ((flags & NormalizationFlag::kCanonicalDecomposition) != 0) {
        return compose ? G_NORMALIZE_NFC : G_NORMALIZE_NFD;
    }
    return std::nullopt;
}

/// `text` is valid UTF-8.
std::string foldCase(std::string_view text, std::uint64_t flags)
{
    constexpr std::size_t kMaxUtf8 = 6;
    std::string folded;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
        gunichar c = g_utf8_get_char(at);
        if ((flags & NormalizationFlag::kToUpper) != 0) {
            c = g_unichar_toupper(c);
        } else if ((flags & NormalizationFlag::kToLower) != 0) {
            c = g_unichar_tolower(c);
        }
        char buffer[kMaxUtf8];
        folded.append(buffer, static_cast<std::size_t>(g_unichar_to_utf8(c, buffer)));
        at = g_utf8_next_char(at);
    }
    return folded;
}

/// `text` is valid UTF-8.
std::string foldValid(std::string_view text, std::uint64_t flags)
{
    std::string folded = foldCase(text, flags);
    const std::optional<GNormalizeMode> mode = normalizeMode(flags);
    if (!mode) {
        return folded;
    }
    const std::unique_ptr<char, void (*)(void*)> normalized(
        g_utf8_normalize(folded.data(), static_cast<gssize>(folded.size()), *mode),
        [](void* memory) { g_free(memory); });
    return normalized ? std::string(normalized.get()) : folded;
}

} // namespace

bool isAscii(std::string_view name)
{
    return std::ranges::all_of(name, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string foldName(std::string_view name, std::uint64_t flags)
{
    if (flags == 0) {
        return std::string(name);
    }
    std::string folded;
    folded.reserve(name.size());
    if (isAscii(name)) {
        for (const char c : name) {
            folded.push_back(foldAscii(c, flags));
        }
        return folded;
    }
    while (!name.empty()) {
        const char* end = nullptr;
        (void)g_utf8_validate(name.data(), static_cast<gssize>(name.size()), &end);
        const auto valid = static_cast<std::size_t>(end - name.data());
        folded += foldValid(name.substr(0, valid), flags);
        name.remove_prefix(valid);
        if (!name.empty()) {
            folded.push_back(name.front());
            name.remove_prefix(1);
        }
    }
    return folded;
}

} // namespace millpond::object::detail
