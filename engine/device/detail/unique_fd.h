// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <utility>

namespace millpond::device::detail {

class UniqueFd
{
public:
    UniqueFd() = default;

    explicit UniqueFd(int fd)
        : m_fd(fd)
    {
    }

    ~UniqueFd() { reset(); }

    UniqueFd(UniqueFd&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
    {
    }

    UniqueFd& operator=(UniqueFd&& other) noexcept
    {
        if (this != &other) {
            reset();
            m_fd = std::exchange(other.m_fd, -1);
        }
        return *this;
    }

    UniqueFd(const UniqueFd&) = delete;
    UniqueFd& operator=(const UniqueFd&) = delete;

    [[nodiscard]] int get() const { return m_fd; }

    [[nodiscard]] bool isOpen() const { return m_fd >= 0; }

    void reset()
    {
        if (m_fd >= 0) {
            close(std::exchange(m_fd, -1));
        }
    }

private:
    int m_fd = -1;
};

/// Another descriptor, with its own open file description, of the file that `file` is; -1 and
/// errno.
[[nodiscard]] inline int reopen(int file, int flags)
{
    return open(("/proc/self/fd/" + std::to_string(file)).c_str(), flags);
}

} // namespace millpond::device::detail
