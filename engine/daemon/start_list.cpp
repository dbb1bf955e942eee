// SPDX-License-Identifier: GPL-3.0-or-later
#include "daemon/start_list.h"

#include "bus/unique_fd.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <fstream>
#include <unistd.h>

namespace millpond::daemon {

// The file: one pool a line, fields separated by tabs: guid, name, search paths. Tab, line end and
// percent inside a field are written as %09, %0A, %25. Lines that begin with # are comments.

namespace {
constexpr std::size_t kMaxPools = 1000;

std::string escaped(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        if (c == '\t' || c == '\n' || c == '%' || (c == '#' && out.empty())) {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        } else {
            out += c;
        }
    }
    return out;
}

Result<std::string> unescaped(std::string_view text)
{
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        unsigned value = 0;
        const char* from = text.data() + i + 1;
        const char* to = text.data() + std::min(i + 3, text.size());
        const auto [end, error] = std::from_chars(from, to, value, 16);
        if (error != std::errc() || end - from != 2) {
            return fail(ErrorCode::BadConfig, "a percent sign without two hexadecimal digits");
        }
        out += static_cast<char>(value);
        i += 2;
    }
    return out;
}

std::vector<std::string_view> split(std::string_view line)
{
    std::vector<std::string_view> fields;
    for (;;) {
        const std::size_t tab = line.find('\t');
        fields.push_back(line.substr(0, tab));
        if (tab == std::string_view::npos) {
            return fields;
        }
        line.remove_prefix(tab + 1);
    }
}

Result<StartPool> parseLine(std::string_view line)
{
    const std::vector<std::string_view> fields = split(line);
    std::uint64_t guid = 0;
    const char* end = fields[0].data() + fields[0].size();
    const auto parsed = std::from_chars(fields[0].data(), end, guid);
    if (fields.size() < 2 || parsed.ec != std::errc() || parsed.ptr != end || guid == 0) {
        return fail(ErrorCode::BadConfig, "a line does not begin with a pool's guid and name");
    }
    StartPool pool;
    pool.guid = PoolGuid(guid);
    pool.name = MP_TRY(unescaped(fields[1]));
    for (std::size_t i = 2; i < fields.size(); ++i) {
        pool.searchPaths.push_back(MP_TRY(unescaped(fields[i])));
    }
    return pool;
}

std::string textOf(const std::vector<StartPool>& pools)
{
    std::string text =
        "# Pools that Millpond opens when it starts: guid, name, where to look (tabs between).\n";
    for (const StartPool& pool : pools) {
        text += fmt::format("{}\t{}", pool.guid.value(), escaped(pool.name));
        for (const std::string& path : pool.searchPaths) {
            text += '\t' + escaped(path);
        }
        text += '\n';
    }
    return text;
}

Status writeAll(int fd, std::string_view text, const std::string& path)
{
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written < 0) {
            return fail(systemError(errno, "write", path));
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}
} // namespace

StartList::StartList(std::string path)
    : m_path(std::move(path))
{
}

Result<std::vector<StartPool>> StartList::readFile(const std::string& path)
{
    std::vector<StartPool> pools;
    std::ifstream file(path);
    if (!file) {
        if (errno == ENOENT) {
            return pools;
        }
        return fail(systemError(errno, "cannot read the list of pools to open", path));
    }
    std::string line;
    while (std::getline(file, line)) {
        if (line.empty() || line.starts_with('#')) {
            continue;
        }
        if (pools.size() == kMaxPools) {
            return fail(ErrorCode::TooMany, path + ": too many pools");
        }
        Result<StartPool> pool = parseLine(line);
        if (!pool) {
            return fail(std::move(pool.error()).at({.path = path}));
        }
        pools.push_back(std::move(*pool));
    }
    return pools;
}

Status StartList::load()
{
    Result<std::vector<StartPool>> pools = readFile(m_path);
    const MutexLock lock(m_mutex);
    m_usable = pools.has_value();
    if (!pools) {
        return fail(pools.error());
    }
    m_pools = std::move(*pools);
    return {};
}

std::vector<StartPool> StartList::pools() const
{
    const MutexLock lock(m_mutex);
    return m_pools;
}

bool StartList::contains(PoolGuid guid) const
{
    const MutexLock lock(m_mutex);
    return std::ranges::find(m_pools, guid, &StartPool::guid) != m_pools.end();
}

Result<bool> StartList::add(StartPool pool)
{
    const MutexLock lock(m_mutex);
    std::vector<StartPool> pools = m_pools;
    const auto found = std::ranges::find(pools, pool.guid, &StartPool::guid);
    if (found != pools.end()) {
        if (found->name == pool.name && found->searchPaths == pool.searchPaths) {
            return false;
        }
        *found = std::move(pool);
    } else {
        pools.push_back(std::move(pool));
    }
    if (!m_usable) {
        return fail(ErrorCode::BadConfig, m_path + " is damaged; repair or remove it first");
    }
    MP_TRY(write(pools));
    m_pools = std::move(pools);
    return true;
}

Result<bool> StartList::remove(PoolGuid guid)
{
    const MutexLock lock(m_mutex);
    std::vector<StartPool> pools = m_pools;
    if (std::erase_if(pools, [guid](const StartPool& pool) { return pool.guid == guid; }) == 0) {
        return false;
    }
    MP_TRY(write(pools));
    m_pools = std::move(pools);
    return true;
}

Status StartList::write(const std::vector<StartPool>& pools) const
{
    const std::string next = m_path + ".new";
    const bus::UniqueFd fd(::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd.valid()) {
        return fail(systemError(errno, "open", next));
    }
    MP_TRY(writeAll(fd.get(), textOf(pools), next));
    if (::fsync(fd.get()) != 0) {
        return fail(systemError(errno, "fsync", next));
    }
    if (::rename(next.c_str(), m_path.c_str()) != 0) {
        return fail(systemError(errno, "rename", m_path));
    }
    return {};
}

} // namespace millpond::daemon
