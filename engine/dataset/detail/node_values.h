// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/detail/fixed_at_creation.h"
#include "dataset/detail/settings.h"
#include "dataset/properties.h"

#include <optional>
#include <string_view>

namespace millpond::dataset::detail {

/// The properties of one node that are no settings but follow from what it is: names, sizes, dates,
/// what the file system fixed at creation. Made for one query; reads only what is asked for.
class NodeValues
{
public:
    struct Sizes
    {
        std::uint64_t refQuota = 0, refReservation = 0; ///< settings, which sizes depend on
    };

    NodeValues(DatasetTree& tree,
               const Node& node,
               Sizes sizes,
               std::uint64_t usable,
               FixedValues& fixedValues,
               const ReadContext& context)
        : m_tree(tree)
        , m_node(node)
        , m_sizes(sizes)
        , m_usable(usable)
        , m_fixedValues(fixedValues)
        , m_context(context)
    {
    }

    /// Whether a property of that name is computed at all.
    [[nodiscard]] static bool isComputed(std::string_view name);
    /// Nothing when it does not apply or cannot be read. Only WouldBlock and what makes the whole
    /// dataset unreadable are errors.
    [[nodiscard]] Result<std::optional<SettingValue>> value(std::string_view name);

    [[nodiscard]] Space space() const;

private:
    using Value = Result<std::optional<SettingValue>>;
    using Getter = Value (NodeValues::*)();
    static Getter getter(std::string_view name);

    Status readFixed();
    Status readVolume(object::ObjectSet& objset, FixedAtCreation& fixed);
    Status readMaster(object::ObjectSet& objset, FixedAtCreation& fixed);
    Value fixed(std::optional<std::uint64_t> FixedAtCreation::* field);
    Value keyNumber(std::string_view key);
    Value breakdown(format::DirUsed part);
    Value bookmarkSum(std::uint64_t format::BookmarkPhys::* field);

    Value type();
    Value name();
    Value creation();
    Value used();
    Value available();
    Value referenced();
    Value logicalReferenced();
    Value logicalUsed();
    Value compressRatio();
    Value refCompressRatio();
    Value usedBySnapshots();
    Value usedByDataset();
    Value usedByChildren();
    Value usedByRefReservation();
    Value guid();
    Value createTxg();
    Value objsetId();
    Value written();
    Value userRefs();
    Value deferDestroy();
    Value origin();
    Value clones();
    Value quota();
    Value reservation();
    Value filesystemCount();
    Value snapshotCount();
    Value snapshotsChanged();
    Value version();
    Value normalization();
    Value utf8Only();
    Value caseSensitivity();
    Value volumeSize();
    Value volumeBlockSize();
    Value receiveResumeToken();
    Value redactSnapshots();
    Value encryption();
    Value keyFormat();
    Value pbkdf2Iterations();
    Value encryptionRoot();
    Value keyStatus();

    [[nodiscard]] const format::DslDatasetPhys& phys() const { return m_node.dataset->phys; }

    [[nodiscard]] const Directory& directory() const { return *m_node.directory; }

    [[nodiscard]] bool isBookmark() const { return m_node.bookmark.has_value(); }

    [[nodiscard]] bool isSnapshot() const { return m_node.kind == Kind::Snapshot; }

    DatasetTree& m_tree;
    const Node& m_node;
    Sizes m_sizes;
    std::uint64_t m_usable;
    FixedValues& m_fixedValues;
    const ReadContext& m_context;
    std::optional<FixedAtCreation> m_fixed;
};

} // namespace millpond::dataset::detail
