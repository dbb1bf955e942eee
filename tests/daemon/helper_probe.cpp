// SPDX-License-Identifier: GPL-3.0-or-later
// A client for tests: `helper_probe CALL [ARGUMENT]...` prints "ok ..." or "error CODE: text".
#include "bus/client.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>
#include <vector>

using namespace millpond;
using namespace millpond::bus;

namespace {
int refused(const Error& error)
{
    fmt::print("error {}: {}\n", errorName(error.code()), error.toText());
    return 1;
}

template <class R> int rows(const Result<Document>& document)
{
    if (!document) {
        return refused(document.error());
    }
    const auto read = Rows<R>::of(*document);
    if (!read) {
        return refused(read.error());
    }
    fmt::print("ok {} rows\n", read->size());
    return 0;
}

int call(Client& client, const std::vector<std::string>& words)
{
    const std::string& name = words[0];
    const std::string first = words.size() > 1 ? words[1] : "";
    const std::string second = words.size() > 2 ? words[2] : "";
    if (name == "facts") {
        fmt::print("ok {} {}\n", client.helper().version, client.helper().mode);
        return 0;
    }
    if (name == "scan") {
        return rows<PoolRow>(
            client.scan({first.empty() ? std::vector<std::string>() : std::vector{first}}));
    }
    if (name == "import") {
        const auto answer = client.importPool({.pool = first, .searchPaths = {second}});
        if (!answer) {
            return refused(answer.error());
        }
        fmt::print("ok {} {}\n", answer->name, answer->changed ? "changed" : "unchanged");
        return 0;
    }
    if (name == "export") {
        const Status done = client.exportPool(first, false);
        return done ? fmt::print("ok\n"), 0 : refused(done.error());
    }
    if (name == "status") {
        return rows<PoolRow>(client.poolStatus({}));
    }
    if (name == "devices") {
        return rows<DeviceRow>(client.devices());
    }
    if (name == "properties") {
        return rows<DatasetPropertyRow>(client.datasetProperties({}));
    }
    fmt::print("error unknown call\n");
    return 2;
}
} // namespace

int main(int argc, char** argv)
{
    ConnectOptions options;
    options.startHelper = false;
    options.interactive = std::getenv("HELPER_PROBE_SILENT") == nullptr;
    auto client = Client::connect(options);
    if (!client) {
        return refused(client.error());
    }
    return argc < 2 ? 2 : call(*client, {argv + 1, argv + argc});
}
