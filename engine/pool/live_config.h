// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/live_object_set.h"
#include "pool/config_builder.h"
#include "pool/live_features.h"
#include "vdev/label_writer.h"
#include "vdev/vdev.h"

namespace millpond::pool {

/// Writes a packed list as an object's content, its size as the bonus [spa_sync_nvlist].
[[nodiscard]] Status
writePackedList(object::LiveObjectSet& mos, ObjectId object, const format::NvList& list, Txg txg);
/// A new object for one, entered into the pool directory.
[[nodiscard]] Result<ObjectId>
createPackedList(object::LiveObjectSet& mos, std::string_view entry, Txg txg);

/// The configuration of a pool that is written to: as an object of the pool, in the labels, and the
/// ZAPs that vdevs have. Syncing context, but for tree(), which nobody changes.
class LiveConfig
{
public:
    /// Both outlive this.
    LiveConfig(object::LiveObjectSet& mos, LiveFeatures& features, ConfigBuilder builder)
        : m_mos(mos)
        , m_features(features)
        , m_builder(std::move(builder))
    {
    }

    [[nodiscard]] Status create(Txg txg);
    [[nodiscard]] Status open(const Mos& mos);

    [[nodiscard]] const ConfigBuilder& builder() const { return m_builder; }

    /// Changes that sync() and the labels are to write.
    [[nodiscard]] ConfigBuilder& edit()
    {
        m_dirty = true;
        return m_builder;
    }

    [[nodiscard]] bool isDirty() const { return m_dirty; }

    /// Writes the object when something has changed; vdevs that lack ZAPs get them.
    [[nodiscard]] Status sync(Txg txg);

    /// What commitLabels() is to write for `leaves`: configurations when something has changed
    /// since the last commit (they lie in `configs`), else the uberblock on some of the vdevs.
    [[nodiscard]] std::vector<vdev::LabelLeaf>
    labels(const vdev::VdevTree& vdevs, Txg txg, std::vector<format::NvList>& configs) const;

    /// The labels are written.
    void committed() { m_dirty = false; }

private:
    [[nodiscard]] Status addZaps(Txg txg);
    [[nodiscard]] Status addVdevZaps(format::NvList& vdev, bool isTop, Txg txg);
    [[nodiscard]] Result<std::uint64_t> newZap(Txg txg);
    [[nodiscard]] Status recordClass(const format::NvList& top, ObjectId zap, Txg txg);

    object::LiveObjectSet& m_mos;
    LiveFeatures& m_features;
    ConfigBuilder m_builder;
    ObjectId m_object, m_vdevZaps;
    bool m_dirty = false;
};

} // namespace millpond::pool
