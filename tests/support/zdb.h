// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/process.h"

#include <QString>

namespace millpond::test {

/// A program of OpenZFS that tests/interop/fetch-judges unpacked ("zdb", "ztest", "zstream",
/// "raidz_test"), as a wrapper that sets its library path. $MILLPOND_JUDGES, else build/judges of
/// this checkout. Empty when it is not there: the test then skips and says so.
[[nodiscard]] QString judge(const QString& program);

/// `zdb -e -p FOLDER -bcc POOL` on exported images. Passed when zdb exits with 0 and says that
/// nothing leaked.
struct ZdbVerdict
{
    bool passed = false;
    ProcessResult process;
};

[[nodiscard]] ZdbVerdict runZdb(const QString& imageFolder, const QString& pool);

} // namespace millpond::test

/// First line of a test that asks a judge.
#define MP_REQUIRE_JUDGE(program)                                                                  \
    do {                                                                                           \
        if (::millpond::test::judge(program).isEmpty()) {                                          \
            QSKIP("needs OpenZFS' " program ": run tests/interop/fetch-judges");                   \
        }                                                                                          \
    } while (false)
