// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/error_log.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace millpond::format {

namespace {

std::unexpected<Error> bad(std::string_view key)
{
    return fail(ErrorCode::BadConfig, fmt::format("'{}' is no key of an error log", key));
}

bool parseHex(std::string_view text, std::uint64_t& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return error == std::errc() && end == text.data() + text.size();
}

/// Four hexadecimal numbers with colons between.
Result<std::array<std::uint64_t, 4>> parseFour(std::string_view key)
{
    std::array<std::uint64_t, 4> numbers{};
    std::string_view rest = key;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const bool last = i + 1 == numbers.size();
        const std::size_t colon = last ? rest.size() : rest.find(':');
        if (colon == std::string_view::npos || !parseHex(rest.substr(0, colon), numbers[i])) {
            return bad(key);
        }
        rest = last ? std::string_view() : rest.substr(colon + 1);
    }
    return numbers;
}

} // namespace

Result<BookmarkPosition> ErrorLogKey::decode(std::string_view key)
{
    const auto numbers = MP_TRY(parseFour(key));
    return BookmarkPosition{
        numbers[0], numbers[1], static_cast<std::int64_t>(numbers[2]), numbers[3]};
}

std::string ErrorLogKey::encode(const BookmarkPosition& position)
{
    return fmt::format("{:x}:{:x}:{:x}:{:x}",
                       position.objset,
                       position.object,
                       static_cast<std::uint64_t>(position.level),
                       position.block);
}

Result<HeadErrorLogKey> HeadErrorLogKey::decode(std::string_view key)
{
    const auto numbers = MP_TRY(parseFour(key));
    return HeadErrorLogKey{{0, numbers[0], static_cast<std::int64_t>(numbers[1]), numbers[2]},
                           Txg(numbers[3])};
}

std::string HeadErrorLogKey::encode() const
{
    return fmt::format("{:x}:{:x}:{:x}:{:x}",
                       position.object,
                       static_cast<std::uint64_t>(position.level),
                       position.block,
                       birth.value());
}

Result<ObjsetId> HeadErrorLogKey::decodeDataset(std::string_view key)
{
    std::uint64_t value = 0;
    if (!parseHex(key, value)) {
        return bad(key);
    }
    return ObjsetId(value);
}

} // namespace millpond::format
