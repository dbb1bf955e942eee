// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/object/memory_objects.h"
#include "engine/object/zap_builder.h"
#include "posix/file_system.h"

#include <map>
#include <string>
#include <vector>

// File systems made by hand, in either byte order and in both layouts of attributes.

namespace millpond::test {

enum class AttributeLayout
{
    OldZnode,        ///< file system version 3
    SystemAttributes ///< version 5
};

struct FileSpec
{
    std::uint64_t mode = 0100644;
    std::uint64_t size = 0;
    std::uint64_t links = 1;
    std::uint64_t uid = 0, gid = 0;
    std::uint64_t parent = 3;
    std::uint64_t flags = 0;
    std::uint64_t xattrDirectory = 0;
    std::uint64_t rdev = 0;
    std::uint64_t generation = 7;
    std::uint64_t project = 0;
    std::uint64_t mtime[2] = {1'700'000'000, 123};
    std::string link;     ///< of a short link, kept with the attributes
    ByteVector xattrList; ///< packed; system attributes only
    TreeSpec data;        ///< blocks of a file
};

using Names = std::vector<std::pair<std::string, std::uint64_t>>; ///< name → raw directory value

/// A directory value of a file of some type (mode >> 12) and number.
[[nodiscard]] constexpr std::uint64_t directoryValue(std::uint64_t object, std::uint64_t type)
{
    return object | type << 60;
}

class FileSystemBuilder
{
public:
    FileSystemBuilder(MemoryBlocks& blocks, AttributeLayout layout, ByteOrder order);

    /// More entries of the master node (object 1); a name given again is replaced.
    void setMaster(const std::string& name, std::uint64_t value);

    /// Folding of names in directories made from now on: flags of format::NormalizationFlag.
    void setNormalization(std::uint64_t flags) { m_normalization = flags; }

    void addFile(std::uint64_t object, const FileSpec& file);
    /// `spec.mode` of a directory is made one; root is object 3.
    void addDirectory(std::uint64_t object, const Names& names, FileSpec spec = {});
    void addTable(std::uint64_t object, const Names& names);

    void addRaw(std::uint64_t object, const DnodeSpec& dnode, const TreeSpec& spec)
    {
        m_objects.add(object, dnode, spec);
    }

    [[nodiscard]] std::shared_ptr<object::ObjectSet> buildObjset();
    [[nodiscard]] Result<std::shared_ptr<posix::FileSystem>>
    build(const posix::ShowOptions& show = {});

private:
    [[nodiscard]] DnodeSpec dnodeOf(const FileSpec& file, std::uint8_t type) const;
    [[nodiscard]] TreeSpec tableOf(const Names& names, std::uint64_t normalization) const;
    void addAttributeTables();

    MemoryBlocks& m_blocks;
    ObjsetBuilder m_objects;
    AttributeLayout m_layout;
    ByteOrder m_order;
    std::uint64_t m_normalization = 0;
    std::map<std::string, std::uint64_t> m_master;
};

} // namespace millpond::test
