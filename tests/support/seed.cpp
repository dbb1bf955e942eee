// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/seed.h"

#include <QRandomGenerator>
#include <QString>
#include <QtGlobal>

#include <cstdio>

namespace millpond::test {

std::uint64_t testSeed()
{
    static const std::uint64_t kSeed = [] {
        bool given = false;
        std::uint64_t seed = qEnvironmentVariable("MILLPOND_SEED").toULongLong(&given, 0);
        if (!given) {
            seed = QRandomGenerator::system()->generate();
        }
        std::printf("MILLPOND_SEED=%llu\n", static_cast<unsigned long long>(seed));
        std::fflush(stdout);
        return seed;
    }();
    return kSeed;
}

} // namespace millpond::test
