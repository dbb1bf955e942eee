// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <source_location>

// Broken program, never broken input: MP_CHECK stays in release builds, MP_DCHECK is for hot paths.
// Cite the invariant: MP_CHECK(x); // INV-3

namespace millpond::detail {
[[noreturn]] void checkFailed(const char* condition, std::source_location where);
}

#define MP_CHECK(condition)                                                                        \
    (static_cast<bool>(condition)                                                                  \
         ? void(0)                                                                                 \
         : ::millpond::detail::checkFailed(#condition, ::std::source_location::current()))

#ifdef NDEBUG
#define MP_DCHECK(condition) void(0)
#else
#define MP_DCHECK(condition) MP_CHECK(condition)
#endif
