// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace millpond {

enum class LogLevel : unsigned char
{
    Error,
    Warning,
    Info,
    Debug
};

/// Where messages go. The daemon implements it for the journal or stderr; tests collect. Engine
/// classes that log take one by reference; nothing logs to a global.
class Log
{
public:
    virtual ~Log() = default;
    [[nodiscard]] virtual bool wants(LogLevel level) const = 0;
    virtual void write(LogLevel level, std::string_view message) = 0; ///< any thread

    template <class... Args>
    void print(LogLevel level, fmt::format_string<Args...> format, Args&&... args)
    {
        if (wants(level)) {
            write(level, fmt::format(format, std::forward<Args>(args)...));
        }
    }
};

/// Says nothing.
class NullLog final : public Log
{
public:
    [[nodiscard]] bool wants(LogLevel) const override { return false; }

    void write(LogLevel, std::string_view) override {}
};

} // namespace millpond
