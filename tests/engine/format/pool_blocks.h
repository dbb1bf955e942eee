// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "format/block_pointer.h"
#include "format/dnode.h"
#include "format/objset.h"
#include "format/uberblock.h"
#include "format/zap.h"

#include <QFile>

#include <functional>
#include <map>
#include <string>
#include <vector>

// A reader of pools on one disk, just enough to hand every metadata block of an image to a test: no
// checksums, no redundancy, first copy only.

namespace millpond::test {

using BlockBytes = std::vector<std::byte>;

struct PoolBlock
{
    BlockBytes bytes;
    ByteOrder order = ByteOrder::Little;
};

/// A dnode with its bytes.
struct PoolObject
{
    std::uint64_t id = 0;
    BlockBytes bytes;
    ByteOrder order = ByteOrder::Little;

    [[nodiscard]] format::DnodeView view() const
    {
        return *format::DnodeView::create(bytes, order);
    }
};

struct PoolZapEntry
{
    std::string name;
    std::vector<std::uint64_t> key;
    std::uint8_t integerBytes = 8;
    std::vector<std::uint64_t> values;
};

class PoolBlocks
{
public:
    [[nodiscard]] Status open(const QString& image);

    [[nodiscard]] const format::Uberblock& uberblock() const { return m_uberblock; }

    [[nodiscard]] unsigned ashift() const { return m_ashift; }

    /// The 256 KiB of a label.
    [[nodiscard]] Result<BlockBytes> label(std::size_t index);
    [[nodiscard]] Result<PoolBlock> read(const format::BlockPointer& pointer);
    [[nodiscard]] Result<std::vector<PoolObject>> objects(const format::ObjsetPhys& objset);
    /// All pointers of an object's tree, highest level first, holes left out.
    using PointerVisitor = std::function<Status(const format::BlockPointer&, const PoolBlock&)>;
    [[nodiscard]] Status walk(const format::DnodeView& dnode, const PointerVisitor& visit);
    /// The level 0 blocks in order; holes are zeroes. Only of objects up to 64 MiB.
    [[nodiscard]] Result<PoolBlock> content(const format::DnodeView& dnode);
    [[nodiscard]] Result<std::vector<PoolZapEntry>> zap(const format::DnodeView& dnode);

private:
    Result<BlockBytes> readRaw(std::uint64_t offset, std::size_t size);
    Result<BlockBytes> readStored(const format::BlockPointer& pointer, unsigned depth);
    Status walkBelow(const format::BlockPointer& pointer, const PointerVisitor& visit);

    QFile m_file;
    format::Uberblock m_uberblock;
    unsigned m_ashift = 9;
};

} // namespace millpond::test
