// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

// One kernel source, compiled twice: for the baseline of the architecture and, on x86-64, for AVX2.
// The vectors are GCC's and clang's own extension, so other architectures get theirs.

#if defined(__x86_64__)
#define MP_TARGET_AVX2 __attribute__((target("avx2")))
#else
#define MP_TARGET_AVX2
#endif
#define MP_INLINE_KERNEL __attribute__((always_inline)) inline

namespace millpond::codec::detail {

/// Which implementation of one algorithm to run. Best is for everybody, the others for tests.
enum class Path : std::uint8_t
{
    Best,
    Baseline, ///< vectors as the architecture's baseline has them
    Scalar,   ///< one word at a time: the definition
};

[[nodiscard]] inline bool hasAvx2()
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") != 0;
#else
    return false;
#endif
}

} // namespace millpond::codec::detail
