// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "crash/pool_images.h"

#include <string>
#include <vector>

// Damage that gets past checksums. A block somewhere in the tree of a pool is changed, written to
// free space, and every block above it up to the uberblock is written anew with pointers and
// checksums that fit: what a hostile person, not a failing disk, would make.

namespace millpond::test {

class PoolDamager
{
public:
    /// Opens images for writing. BadUberblock when no valid uberblock is found.
    [[nodiscard]] static Result<PoolDamager> open(const QStringList& images);

    /// Changes one block chosen at random; says which and how. May be called again and again, also
    /// where what is met is damaged already.
    [[nodiscard]] Result<std::string> damage(SeededRandom& random);

private:
    /// A block on the way down, and where in it the pointer to the next one stands.
    struct Step
    {
        format::BlockPointer pointer;
        std::vector<std::byte> content;
        std::size_t childOffset = 0;
    };

    PoolDamager(PoolImages images, PoolImages::Free free);

    [[nodiscard]] Result<std::vector<Step>> descend(SeededRandom& random) const;
    /// Writes uncompressed into free space; `pointer` then leads there with a right checksum.
    [[nodiscard]] Status relocate(format::BlockPointer& pointer, Bytes content);

    PoolImages m_images;
    PoolImages::Free m_free; ///< `begin` moves on
};

} // namespace millpond::test
