// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/options.h"

#include <charconv>
#include <optional>

namespace millpond::daemon {

namespace {
std::optional<int> numberOf(std::string_view text, int highest)
{
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > highest) {
        return std::nullopt;
    }
    return value;
}

std::optional<LogLevel> levelOf(std::string_view text)
{
    struct Named
    {
        std::string_view name;
        LogLevel level;
    };

    constexpr Named kLevels[] = {{"error", LogLevel::Error},
                                 {"warning", LogLevel::Warning},
                                 {"info", LogLevel::Info},
                                 {"debug", LogLevel::Debug}};
    for (const Named& named : kLevels) {
        if (named.name == text) {
            return named.level;
        }
    }
    return std::nullopt;
}

Status badValue(std::string_view option, std::string_view value)
{
    return fail(
        ErrorCode::InvalidArgument,
        fmt::format("{}: \"{}\" is not a value for it; see millpondd --help", option, value));
}

Status takeValue(Options& options, std::string_view option, std::string_view value)
{
    if (option == "--socket") {
        options.socketPath = value;
        return value.starts_with('/') ? Status() : badValue(option, value);
    }
    if (option == "--log-level") {
        const std::optional<LogLevel> level = levelOf(value);
        options.logLevel = level.value_or(LogLevel::Info);
        return level ? Status() : badValue(option, value);
    }
    if (option == "--ready-fd") {
        const std::optional<int> fd = numberOf(value, 1 << 20);
        options.readyFd = fd.value_or(-1);
        return fd ? Status() : badValue(option, value);
    }
    if (option == "--idle-timeout") {
        const std::optional<int> seconds = numberOf(value, 1'000'000);
        options.idleTimeout = std::chrono::seconds(seconds.value_or(60));
        return seconds ? Status() : badValue(option, value);
    }
    return fail(ErrorCode::InvalidArgument,
                fmt::format("no such option: {}; see millpondd --help", option));
}

/// True when `argument` was an option without a value.
bool takeFlag(Options& options, std::string_view argument, bool& modeGiven)
{
    if (argument == "--system" || argument == "--private") {
        options.mode = argument == "--system" ? Options::Mode::System : Options::Mode::Private;
        modeGiven = true;
    } else if (argument == "--version") {
        options.mode = Options::Mode::ShowVersion;
        modeGiven = true;
    } else if (argument == "--help" || argument == "-h") {
        options.mode = Options::Mode::ShowHelp;
        modeGiven = true;
    } else if (argument == "--detach") {
        options.detach = true;
    } else {
        return false;
    }
    return true;
}
} // namespace

Result<Options> parseOptions(std::span<const char* const> arguments)
{
    Options options;
    bool modeGiven = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        if (takeFlag(options, argument, modeGiven)) {
            continue;
        }
        const std::size_t equals = argument.find('=');
        if (equals != std::string_view::npos) {
            MP_TRY(takeValue(options, argument.substr(0, equals), argument.substr(equals + 1)));
        } else if (i + 1 < arguments.size()) {
            MP_TRY(takeValue(options, argument, arguments[++i]));
        } else {
            MP_TRY(takeValue(options, argument, ""));
        }
    }
    if (!modeGiven) {
        return fail(ErrorCode::InvalidArgument, "say --system or --private; see millpondd --help");
    }
    return options;
}

std::string helpText()
{
    return "Usage: millpondd --system | --private [OPTION]...\n"
           "The helper of Millpond: opens pools, serves their mounts, answers over D-Bus.\n"
           "\n"
           "  --system              on the system bus, as root; D-Bus or systemd starts it so\n"
           "  --private             for one user, on a unix socket; the programs start it so\n"
           "  --socket PATH         private: listen there instead of\n"
           "                        $XDG_RUNTIME_DIR/millpond/helper.sock\n"
           "  --idle-timeout SECONDS\n"
           "                        private: end after that long without pool, client and job\n"
           "                        (60; 0 means never)\n"
           "  --log-level LEVEL     error, warning, info or debug; to the journal or stderr\n"
           "  --detach              go on in the background\n"
           "  --ready-fd N          write \"ready\" to that descriptor once calls are accepted\n"
           "  --version, --help\n";
}

} // namespace millpond::daemon
