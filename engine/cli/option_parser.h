// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "cli/console.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millpond::cli {

struct OptionSpec
{
    char letter = 0; ///< names it to the caller; no letter on the line if > 127 or upper part
    std::string_view longName; ///< empty: none
    bool takesValue = false;
    bool longOnly = false;
};

struct Option
{
    char letter = 0;
    std::string value;
};

struct ParsedOptions
{
    std::vector<Option> options; ///< in the order given
    Arguments operands;

    [[nodiscard]] bool has(char letter) const;
    /// Of the last one given; empty when there is none.
    [[nodiscard]] std::string valueOf(char letter) const;
    [[nodiscard]] std::vector<std::string> valuesOf(char letter) const;
};

/// Letters may be bundled ("-Hp"), a value may follow at once ("-o name") or be joined ("-oname",
/// "--long=x"); operands and options mix; "--" ends options. InvalidArgument with the text to show.
[[nodiscard]] Result<ParsedOptions> parseOptions(std::span<const std::string> arguments,
                                                 std::span<const OptionSpec> specs);

/// "a,b,c" → parts; empty parts stay.
[[nodiscard]] std::vector<std::string> splitList(std::string_view list);

/// The interval and count at the end of the operands, as list, status and iostat take them; they
/// are taken off. Interval 0: none; count 0: for ever.
struct Repetition
{
    double interval = 0;
    std::uint64_t count = 0;
};

[[nodiscard]] Repetition takeRepetition(Arguments& operands);

} // namespace millpond::cli
