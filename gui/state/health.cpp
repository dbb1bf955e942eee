// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/state/health.h"

#include <array>
#include <utility>

namespace millpond::state {

Health healthFromWord(QStringView word)
{
    static constexpr std::array<std::pair<const char16_t*, Health>, 9> kWords{{
        {u"ONLINE", Health::Online},
        {u"DEGRADED", Health::Degraded},
        {u"FAULTED", Health::Faulted},
        {u"UNAVAIL", Health::Unavailable},
        {u"OFFLINE", Health::Offline},
        {u"REMOVED", Health::Removed},
        {u"SUSPENDED", Health::Suspended},
        {u"AVAIL", Health::SpareAvailable},
        {u"INUSE", Health::SpareInUse},
    }};
    for (const auto& [known, health] : kWords) {
        if (word == QStringView(known)) {
            return health;
        }
    }
    return Health::Unknown;
}

bool needsAttention(Health health)
{
    switch (health) {
    case Health::Online:
    case Health::SpareAvailable:
    case Health::SpareInUse:
        return false;
    default:
        return true;
    }
}

} // namespace millpond::state
