// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/dataset_tree.h"
#include "engine/object/memory_objects.h"
#include "engine/object/zap_builder.h"

#include <map>
#include <string>
#include <vector>

// A pool's own object set made by hand, with a tree of datasets, in either byte order.

namespace millpond::test {

/// A setting as stored: a number, or with integerBytes 1 a text (see textItem()).
[[nodiscard]] ZapItem numberItem(const std::string& name, std::uint64_t value);
[[nodiscard]] ZapItem textItem(const std::string& name, const std::string& text);

struct SnapshotSpec
{
    std::string name;
    std::uint64_t txg = 0;
    format::DslDatasetPhys phys{}; ///< links and numbers of objects are filled in
    std::vector<ZapItem> settings{};
    std::vector<std::string> holds{};
};

struct DatasetSpec
{
    std::string name; ///< of the leaf
    std::vector<ZapItem> settings{};
    std::vector<SnapshotSpec> snapshots{}; ///< in order of txg
    std::vector<DatasetSpec> children{};
    format::DslDirPhys dir{}; ///< links and numbers of objects are filled in
    format::DslDatasetPhys head{};
};

/// Pointers in a deadlist's groups: txg → births of the pointers (each counts 512 bytes).
using DeadlistSpec = std::map<std::uint64_t, std::vector<std::uint64_t>>;

class MosBuilder
{
public:
    explicit MosBuilder(MemoryBlocks& blocks, ByteOrder order = ByteOrder::Little);

    /// The whole tree; its root is the pool.
    void addTree(const DatasetSpec& root);
    /// Returns the object's number. The sums are as the pointers say.
    std::uint64_t addBpObject(const std::vector<std::uint64_t>& births,
                              const std::vector<std::uint64_t>& lists = {});
    std::uint64_t addDeadlist(const DeadlistSpec& deadlist);
    std::uint64_t addZap(std::vector<ZapItem> items, const DnodeSpec& dnode = {});
    std::uint64_t add(const DnodeSpec& dnode, const TreeSpec& spec);

    /// Changes a directory or dataset before it is built.
    format::DslDirPhys& dir(const std::string& name) { return m_dirs.at(name).phys; }

    format::DslDatasetPhys& dataset(const std::string& name) { return m_datasets.at(name).phys; }

    /// Makes a directory or dataset a ZAP as well, with these fields of later features.
    void extendDir(const std::string& name, std::vector<ZapItem> fields)
    {
        m_dirs.at(name).fields = std::move(fields);
    }

    void extendDataset(const std::string& name, std::vector<ZapItem> fields)
    {
        m_datasets.at(name).fields = std::move(fields);
    }

    [[nodiscard]] std::uint64_t dirObject(const std::string& name) const
    {
        return m_dirs.at(name).object;
    }

    [[nodiscard]] std::uint64_t datasetObject(const std::string& name) const
    {
        return m_datasets.at(name).object;
    }

    /// Entries of a directory's table of children.
    std::vector<ZapItem>& childItems(const std::string& name) { return m_children.at(name); }

    [[nodiscard]] std::shared_ptr<object::ObjectSet> buildObjset();
    [[nodiscard]] Result<std::shared_ptr<dataset::DatasetTree>> build();

private:
    struct Dir
    {
        std::uint64_t object;
        format::DslDirPhys phys;
        std::vector<ZapItem> fields{};
    };

    struct Dataset
    {
        std::uint64_t object;
        format::DslDatasetPhys phys;
        std::vector<ZapItem> fields{};
    };

    [[nodiscard]] TreeSpec tableOf(std::vector<ZapItem>& items) const;
    void addExtended(std::uint64_t object, DnodeSpec dnode, std::vector<ZapItem> fields);
    void addNode(const DatasetSpec& spec,
                 const std::string& name,
                 std::uint64_t object,
                 std::uint64_t parent);
    void addSnapshots(const DatasetSpec& spec, const std::string& name);

    std::uint64_t next() { return m_next++; }

    ObjsetBuilder m_objects;
    ByteOrder m_order;
    std::uint64_t m_next = 2;
    std::string m_poolName;
    std::map<std::string, Dir> m_dirs;
    std::map<std::string, Dataset> m_datasets;
    std::map<std::string, std::vector<ZapItem>> m_children;
};

} // namespace millpond::test
