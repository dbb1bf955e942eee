// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "format/block_pointer.h"
#include "format/uberblock.h"

#include <QString>

#include <array>
#include <string>
#include <vector>

// Damage that gets past checksums. A block somewhere in the tree of a pool is changed, written to
// free space, and every block above it up to the uberblock is written anew with pointers and
// checksums that fit: what a hostile person, not a failing disk, would make.
// For pools of one disk written by little-endian machines. Uses format/ and codec/ only, none of
// the code under test above them.

namespace millpond::test {

class PoolDamager
{
public:
    /// Opens an image for writing. BadUberblock when no valid uberblock is found.
    [[nodiscard]] static Result<PoolDamager> open(const QString& image);
    ~PoolDamager();
    PoolDamager(PoolDamager&& other) noexcept;
    PoolDamager& operator=(PoolDamager&&) = delete;
    PoolDamager(const PoolDamager&) = delete;
    PoolDamager& operator=(const PoolDamager&) = delete;

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

    explicit PoolDamager(int file);

    [[nodiscard]] Status findUberblock(std::uint64_t size);
    [[nodiscard]] Status findFreeSpace(std::uint64_t size);
    [[nodiscard]] Result<std::vector<std::byte>> readRaw(std::uint64_t offset,
                                                         std::size_t size) const;
    [[nodiscard]] Status writeRaw(std::uint64_t offset, Bytes bytes) const;
    /// Decompressed; not verified.
    [[nodiscard]] Result<std::vector<std::byte>>
    readBlock(const format::BlockPointer& pointer) const;
    [[nodiscard]] Result<std::vector<Step>> descend(SeededRandom& random) const;
    /// Writes uncompressed into free space; `pointer` then leads there with a right checksum.
    [[nodiscard]] Status relocate(format::BlockPointer& pointer, Bytes content);
    [[nodiscard]] Status writeUberblocks();

    int m_file;
    std::array<std::uint64_t, 4> m_slots{}; ///< of the chosen uberblock, on the device
    std::size_t m_slotBytes = 0;
    format::Uberblock m_uberblock;
    std::uint64_t m_free = 0; ///< next free byte on the device
    std::uint64_t m_freeEnd = 0;
};

} // namespace millpond::test
