// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/option_parser.h"

#include "cli/compat_phrases.h"

#include <algorithm>
#include <charconv>

namespace millpond::cli {

namespace {
const OptionSpec* findLetter(std::span<const OptionSpec> specs, char letter)
{
    const auto found = std::find_if(specs.begin(), specs.end(), [letter](const OptionSpec& spec) {
        return spec.letter == letter && !spec.longOnly;
    });
    return found == specs.end() ? nullptr : &*found;
}

const OptionSpec* findLong(std::span<const OptionSpec> specs, std::string_view name)
{
    const auto found = std::find_if(specs.begin(), specs.end(), [name](const OptionSpec& spec) {
        return !spec.longName.empty() && spec.longName == name;
    });
    return found == specs.end() ? nullptr : &*found;
}

class Parser
{
public:
    Parser(std::span<const std::string> arguments, std::span<const OptionSpec> specs)
        : m_arguments(arguments)
        , m_specs(specs)
    {
    }

    Result<ParsedOptions> run();

private:
    Status longOption(std::string_view text);
    Status letters(std::string_view text);
    Result<std::string> nextValue(std::string_view option);

    std::span<const std::string> m_arguments;
    std::span<const OptionSpec> m_specs;
    std::size_t m_at = 0;
    ParsedOptions m_parsed;
};

Result<std::string> Parser::nextValue(std::string_view option)
{
    if (m_at == m_arguments.size()) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format("missing argument for '{}' option\n", option));
    }
    return m_arguments[m_at++];
}

Status Parser::longOption(std::string_view text)
{
    const std::size_t equals = text.find('=');
    const std::string_view name = text.substr(0, equals);
    const OptionSpec* spec = findLong(m_specs, name);
    if (spec == nullptr || (equals != std::string_view::npos && !spec->takesValue)) {
        return fail(ErrorCode::InvalidArgument,
                    fmt::format(phrases::kInvalidOption, "--" + std::string(name)));
    }
    Option option{spec->letter, {}};
    if (spec->takesValue) {
        option.value = equals == std::string_view::npos ? MP_TRY(nextValue(name))
                                                        : std::string(text.substr(equals + 1));
    }
    m_parsed.options.push_back(std::move(option));
    return {};
}

Status Parser::letters(std::string_view text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const OptionSpec* spec = findLetter(m_specs, text[i]);
        if (spec == nullptr) {
            return fail(ErrorCode::InvalidArgument, fmt::format(phrases::kInvalidOption, text[i]));
        }
        if (!spec->takesValue) {
            m_parsed.options.push_back({spec->letter, {}});
            continue;
        }
        std::string value(text.substr(i + 1));
        if (value.empty()) {
            value = MP_TRY(nextValue(text.substr(i, 1)));
        }
        m_parsed.options.push_back({spec->letter, std::move(value)});
        return {};
    }
    return {};
}

Result<ParsedOptions> Parser::run()
{
    while (m_at < m_arguments.size()) {
        const std::string& argument = m_arguments[m_at++];
        if (argument == "--") {
            m_parsed.operands.insert(m_parsed.operands.end(),
                                     m_arguments.begin() + static_cast<std::ptrdiff_t>(m_at),
                                     m_arguments.end());
            break;
        }
        if (argument.starts_with("--")) {
            MP_TRY(longOption(std::string_view(argument).substr(2)));
        } else if (argument.size() > 1 && argument.starts_with("-")) {
            MP_TRY(letters(std::string_view(argument).substr(1)));
        } else {
            m_parsed.operands.push_back(argument);
        }
    }
    return std::move(m_parsed);
}

template <class T> std::optional<T> numberOf(const std::string& text)
{
    T value{};
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size()
               ? std::optional(value)
               : std::nullopt;
}
} // namespace

bool ParsedOptions::has(char letter) const
{
    return std::any_of(options.begin(), options.end(), [letter](const Option& option) {
        return option.letter == letter;
    });
}

std::string ParsedOptions::valueOf(char letter) const
{
    const std::vector<std::string> values = valuesOf(letter);
    return values.empty() ? std::string() : values.back();
}

std::vector<std::string> ParsedOptions::valuesOf(char letter) const
{
    std::vector<std::string> values;
    for (const Option& option : options) {
        if (option.letter == letter) {
            values.push_back(option.value);
        }
    }
    return values;
}

Result<ParsedOptions> parseOptions(std::span<const std::string> arguments,
                                   std::span<const OptionSpec> specs)
{
    return Parser(arguments, specs).run();
}

std::vector<std::string> splitList(std::string_view list)
{
    std::vector<std::string> parts;
    while (true) {
        const std::size_t comma = list.find(',');
        parts.emplace_back(list.substr(0, comma));
        if (comma == std::string_view::npos) {
            return parts;
        }
        list.remove_prefix(comma + 1);
    }
}

Repetition takeRepetition(Arguments& operands)
{
    // Names begin with a letter, so that a number at the end is an interval or a count.
    constexpr double kLongest = 1e9;
    const auto interval = [](const std::string& text) -> std::optional<double> {
        const auto value = numberOf<double>(text);
        return value && *value > 0 && *value <= kLongest ? value : std::nullopt;
    };
    Repetition repetition;
    if (operands.size() >= 2) {
        const auto seconds = interval(operands[operands.size() - 2]);
        const auto count = numberOf<std::uint64_t>(operands.back());
        if (seconds && count && *count > 0) {
            operands.resize(operands.size() - 2);
            return {.interval = *seconds, .count = *count};
        }
    }
    if (!operands.empty()) {
        if (const auto seconds = interval(operands.back())) {
            operands.pop_back();
            repetition.interval = *seconds;
        }
    }
    return repetition;
}

} // namespace millpond::cli
