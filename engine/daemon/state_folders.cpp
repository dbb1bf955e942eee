// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/state_folders.h"

#include "bus/helper_launcher.h"

#include <cstdlib>
#include <filesystem>
#include <pwd.h>
#include <unistd.h>

namespace millpond::daemon {

namespace {
std::string environmentOr(const char* name, std::string otherwise)
{
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nothing here sets it
    return value != nullptr && *value == '/' ? std::string(value) : std::move(otherwise);
}

std::string homeFolder()
{
    const passwd* user = ::getpwuid(::geteuid()); // NOLINT(concurrency-mt-unsafe): at start
    return environmentOr("HOME", user != nullptr ? user->pw_dir : "/tmp");
}
} // namespace

StateFolders StateFolders::forSystem()
{
    // systemd names the folders it made for a unit in these variables.
    const std::string runtime = environmentOr("RUNTIME_DIRECTORY", "/run/millpond");
    return {environmentOr("CONFIGURATION_DIRECTORY", "/etc/millpond"),
            environmentOr("STATE_DIRECTORY", "/var/lib/millpond"),
            runtime,
            runtime};
}

StateFolders StateFolders::forUser()
{
    const std::string home = homeFolder();
    return {environmentOr("XDG_CONFIG_HOME", home + "/.config") + "/millpond",
            environmentOr("XDG_STATE_HOME", home + "/.local/state") + "/millpond",
            std::filesystem::path(bus::defaultSocketPath()).parent_path(),
            home + "/Millpond"};
}

Status StateFolders::create() const
{
    for (const std::string& folder : {state, runtime}) {
        std::error_code error;
        std::filesystem::create_directories(folder, error);
        if (error) {
            return fail(systemError(error.value(), "cannot make the folder", folder));
        }
    }
    return {};
}

} // namespace millpond::daemon
