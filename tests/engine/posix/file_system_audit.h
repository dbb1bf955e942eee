// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/posix/writable_file_system.h"

#include <set>
#include <string>

namespace millpond::test {

/// What a walk over all objects finds wrong: links, sizes, parents, objects that nobody leads to,
/// the delete queue, accounts. Empty: nothing. `unlinked`: objects without names that are there.
[[nodiscard]] std::string audit(WritableFileSystem& system,
                                const std::set<std::uint64_t>& unlinked = {});
/// The same of what the last sync left.
[[nodiscard]] std::string auditFrozen(WritableFileSystem& system,
                                      const std::set<std::uint64_t>& unlinked = {});

} // namespace millpond::test

/// Fails the test with a text that says what is wrong.
#define NO_PROBLEM(expression)                                                                     \
    do {                                                                                           \
        const std::string noProblem = (expression);                                                \
        QVERIFY2(noProblem.empty(), noProblem.c_str());                                            \
    } while (false)
