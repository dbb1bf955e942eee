// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>

namespace millpond {

/// The port to time: production reads the system's clocks, a simulation owns its own.
class Clock
{
public:
    virtual ~Clock() = default;
    /// Never goes back; the epoch has no meaning.
    [[nodiscard]] virtual std::chrono::nanoseconds monotonic() const = 0;
    /// Since 1970-01-01 UTC.
    [[nodiscard]] virtual std::chrono::nanoseconds wall() const = 0;
};

class SystemClock final : public Clock
{
public:
    [[nodiscard]] std::chrono::nanoseconds monotonic() const override;
    [[nodiscard]] std::chrono::nanoseconds wall() const override;
};

/// The port to randomness; a simulation seeds its own.
class Random
{
public:
    virtual ~Random() = default;
    [[nodiscard]] virtual std::uint64_t next() = 0; ///< any thread
};

/// getrandom(2).
class SystemRandom final : public Random
{
public:
    [[nodiscard]] std::uint64_t next() override;
};

/// Repeatable (SplitMix64): for simulations and tests. Not thread-safe.
class SeededRandom final : public Random
{
public:
    explicit SeededRandom(std::uint64_t seed)
        : m_state(seed)
    {
    }

    [[nodiscard]] std::uint64_t next() override;

private:
    std::uint64_t m_state;
};

} // namespace millpond
