// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "block/block_source.h"
#include "codec/checksum.h"
#include "format/block_pointer.h"
#include "object/object_set.h"

#include <QFile>
#include <QString>

#include <memory>
#include <optional>
#include <unordered_map>

namespace millpond::test {

/// Reads a pool that lies on one image, straight from its labels, without the layers in between:
/// what stands on object/ can be tested alone. Verifies checksums; every block is read from its
/// first copy.
class SingleDiskPool final : public block::BlockSource
{
public:
    /// From the newest uberblock of the first label.
    [[nodiscard]] static Result<std::unique_ptr<SingleDiskPool>> open(const QString& image);

    [[nodiscard]] std::shared_ptr<object::ObjectSet> mos() const { return m_mos; }

    [[nodiscard]] std::string name() const { return m_name; }

    [[nodiscard]] std::uint64_t version() const { return m_version; }

    /// From now on reads under Wait::CachedOnly fail for blocks not read before; and all blocks
    /// read are counted.
    [[nodiscard]] std::size_t blocksRead() const { return m_cache.size(); }

    Result<BufferRef> read(const format::BlockPointer& pointer,
                           const block::Bookmark& bookmark,
                           const block::ReadContext& context) override;

    void prefetch(const format::BlockPointer&, const block::Bookmark&) override {}

private:
    SingleDiskPool() = default;

    [[nodiscard]] Result<Buffer> readAt(std::uint64_t offset, std::uint64_t size);
    [[nodiscard]] Result<Buffer> stored(const format::BlockPointer& pointer);
    [[nodiscard]] Result<Buffer> gang(const format::Dva& dva, const format::BlockPointer& pointer);
    [[nodiscard]] Status findUberblock();
    [[nodiscard]] Status loadSalt();

    QFile m_file;
    std::string m_name;
    std::uint64_t m_version = 0;
    format::BlockPointer m_root;
    std::optional<codec::ChecksumSalt> m_salt;
    std::shared_ptr<object::ObjectSet> m_mos;
    std::unordered_map<std::uint64_t, BufferRef> m_cache; ///< by offset
};

} // namespace millpond::test
