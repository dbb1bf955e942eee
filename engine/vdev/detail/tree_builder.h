// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "vdev/detail/node.h"
#include "vdev/vdev.h"

namespace millpond::vdev::detail {

/// Turns a pool's configuration into nodes with their first states. The configuration comes from a
/// disk: everything in it is checked.
class TreeBuilder
{
public:
    TreeBuilder(const DeviceMap& devices, const TreeContext& context)
        : m_devices(devices)
        , m_context(context)
    {
    }

    /// `config` outlives the nodes.
    [[nodiscard]] Result<std::unique_ptr<Node>> build(const format::NvList& config);

private:
    /// What a leaf must have room for; 0: not known.
    struct Above
    {
        Node* parent = nullptr;
        unsigned depth = 0;
        std::uint64_t minimumBytes = 0;
    };

    [[nodiscard]] Result<std::unique_ptr<Node>>
    buildNode(const format::NvList& config, std::size_t index, const Above& above);
    [[nodiscard]] Status readCommon(Node& node, const format::NvList& config, std::size_t index);
    [[nodiscard]] Status readTopLevel(Node& node);
    [[nodiscard]] Status buildChildren(Node& node, const Above& above);
    [[nodiscard]] Status buildLeaf(Node& node, const Above& above);

    const DeviceMap& m_devices;
    const TreeContext& m_context;
    std::size_t m_leaves = 0;
};

} // namespace millpond::vdev::detail
