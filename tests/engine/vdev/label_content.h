// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/uberblock.h"
#include "pool_of_memory.h"

namespace millpond::test {

/// What the label of a single disk of a small pool says.
inline format::NvList labelConfig(std::uint64_t txg, std::uint64_t ashift)
{
    format::NvList config;
    config.setText("name", "pond");
    config.setU64("pool_guid", 4711);
    config.setU64("guid", 100);
    config.setU64("txg", txg);
    format::NvList tree = vdevConfig("disk", 0, 100);
    tree.setU64("ashift", ashift);
    config.setList("vdev_tree", tree);
    return config;
}

/// With a plausible root: one copy, 1 KiB, an object set, little-endian.
inline format::Uberblock uberblockOf(std::uint64_t txg)
{
    format::Uberblock uberblock;
    uberblock.version = 5000;
    uberblock.txg = Txg(txg);
    uberblock.timestamp = 1'600'000'000 + txg;
    uberblock.root.words[0] = 2;
    uberblock.root.words[1] = 64;
    uberblock.root.words[6] = (std::uint64_t{1} << 63) | (std::uint64_t{11} << 48) |
                              (std::uint64_t{7} << 40) | (std::uint64_t{2} << 32) |
                              (std::uint64_t{1} << 16) | 1;
    uberblock.root.words[10] = txg;
    return uberblock;
}

} // namespace millpond::test
