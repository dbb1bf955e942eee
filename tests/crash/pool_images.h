// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "format/block_pointer.h"
#include "format/nvlist.h"
#include "format/uberblock.h"

#include <QFile>
#include <QStringList>

#include <map>
#include <memory>
#include <vector>

// Blocks of a pool in its image files, read and written where their pointers say, on single disks,
// mirrors and raidz. Uses format/ and codec/ only, and has a raidz map of its own: none of the code
// under test. For pools written by little-endian machines.

namespace millpond::test {

class PoolImages
{
public:
    /// Opens the images for writing. BadUberblock when no valid uberblock is found.
    [[nodiscard]] static Result<PoolImages> open(const QStringList& images);

    [[nodiscard]] const format::Uberblock& uberblock() const { return m_uberblock; }

    /// Decompressed, from the first copy whose checksum is right (salted ones are taken as they
    /// are). InvalidArgument for what is no plain block.
    [[nodiscard]] Result<std::vector<std::byte>>
    readBlock(const format::BlockPointer& pointer) const;
    /// Writes one copy, with its mirror sides or parity. No more than the size read later.
    [[nodiscard]] Status write(const format::Dva& place, Bytes stored) const;
    /// Lets the newest uberblock, wherever it stands, lead to another root.
    [[nodiscard]] Status setRoot(const format::BlockPointer& root);

    struct Free
    {
        VdevId vdev;
        std::uint64_t begin = 0, end = 0; ///< as offsets of DVAs
    };

    /// The longest stretch of one top-level vdev that was never written.
    [[nodiscard]] Result<Free> findFree() const;
    /// What a block of so many bytes takes on a top-level vdev, with parity and padding.
    [[nodiscard]] std::uint64_t allocatedSize(VdevId vdev, std::uint64_t bytes) const;

private:
    struct Top
    {
        unsigned ashift = 9;
        std::size_t parity = 0;     ///< of raidz
        bool raidz = false;         ///< else leaves are sides of a mirror
        std::vector<QFile*> leaves; ///< null: no image
    };

    struct Slot
    {
        QFile* image = nullptr;
        std::uint64_t offset = 0;
        std::size_t bytes = 0;
    };

    /// What one leaf holds of a raidz block; parity first.
    struct Column
    {
        QFile* leaf = nullptr;
        std::uint64_t offset = 0; ///< on the leaf, behind the labels
        std::size_t size = 0;
    };

    void addLeaves(const std::map<std::uint64_t, QFile*>& byGuid, const format::NvList& tree);
    [[nodiscard]] Status findUberblock(QFile& image);
    [[nodiscard]] static std::vector<Column>
    columnsOf(const Top& top, std::uint64_t offset, std::size_t size);
    [[nodiscard]] const Top* top(VdevId vdev) const;
    [[nodiscard]] std::vector<std::vector<std::byte>> candidates(const format::Dva& place,
                                                                 std::size_t size) const;

    std::vector<std::unique_ptr<QFile>> m_files;
    std::map<std::uint32_t, Top> m_tops;
    std::vector<Slot> m_slots; ///< of the newest uberblock
    format::Uberblock m_uberblock;
};

} // namespace millpond::test
