// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "dataset/feature_counts.h"
#include "format/feature.h"
#include "object/live_object_set.h"
#include "pool/features.h"

#include <set>

namespace millpond::pool {

/// The features of a pool that is written to: what readFeatures() reads, kept in memory and in the
/// MOS alike. Reading from any thread; changes in syncing context. Pools of numbered versions have
/// none: nothing is enabled, and counting is refused.
class LiveFeatures final : public dataset::FeatureCounts
{
public:
    /// `mos` outlives this.
    explicit LiveFeatures(object::LiveObjectSet& mos)
        : m_mos(mos)
    {
    }

    /// Of a new pool, or one that is upgraded: the objects that hold them, empty.
    [[nodiscard]] Status create(Txg txg);
    /// From the MOS.
    [[nodiscard]] Status open(const Mos& mos);

    /// With what it depends on; those enabled already stay as they are. NoSuchProperty.
    [[nodiscard]] Status enable(std::string_view name, Txg txg);

    [[nodiscard]] bool isEnabled(std::string_view name) const override;
    [[nodiscard]] bool isActive(std::string_view name) const override;
    [[nodiscard]] Status count(std::string_view name, std::int64_t delta, Txg txg) override;

    /// Guids of the active ones that whoever reads the MOS needs: labels name them.
    [[nodiscard]] std::vector<std::string> neededForMos() const;

private:
    struct Entry
    {
        const format::Feature* feature = nullptr;
        std::uint64_t uses = 0;
    };

    [[nodiscard]] Status put(const format::Feature& feature, std::uint64_t uses, Txg txg);
    [[nodiscard]] Status addEnabledTxg(const format::Feature& feature, Txg txg);

    object::LiveObjectSet& m_mos;
    ObjectId m_forRead, m_forWrite, m_descriptions, m_enabledTxg;
    mutable Mutex m_mutex;
    std::map<std::string, Entry, std::less<>> m_enabled MP_GUARDED_BY(m_mutex); ///< by name
};

} // namespace millpond::pool
