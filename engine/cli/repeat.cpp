// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/repeat.h"

#include <chrono>
#include <thread>

namespace millpond::cli {

int repeat(Console& console,
           const Repetition& repetition,
           const std::function<int(bool first)>& once)
{
    int code = once(true);
    for (std::uint64_t done = 1; code == kDone && repetition.interval > 0 &&
                                 (repetition.count == 0 || done < repetition.count);
         ++done) {
        console.flush();
        std::this_thread::sleep_for(std::chrono::duration<double>(repetition.interval));
        code = once(false);
    }
    return code;
}

} // namespace millpond::cli
