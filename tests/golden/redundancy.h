// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/pool_status.h"

#include <QList>
#include <QStringList>

#include <cstdint>

namespace millpond::test {

/// Every set of images that the pool must be readable without, from its own vdev tree: up to the
/// parity of each raidz, all but one side of each mirror, in all combinations; and one set with all
/// logs, caches and spares. A leaf that is offline or still resilvering counts as gone already.
/// File names as status() says they were opened.
[[nodiscard]] QList<QStringList> survivableSets(const api::PoolStatus& status);

/// Those of them that no other one contains and that hold data leaves: the most damage it must
/// bear.
[[nodiscard]] QList<QStringList> worstSets(const api::PoolStatus& status);

enum class LabelDamage
{
    Spare,
    Damage
};

/// Overwrites about half of what is stored in an image, in pieces of 512 bytes to 64 KiB, with
/// noise. The labels at both ends only if asked.
[[nodiscard]] bool damageImage(const QString& image, std::uint64_t seed, LabelDamage labels);

} // namespace millpond::test
