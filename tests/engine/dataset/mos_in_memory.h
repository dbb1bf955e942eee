// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/feature_counts.h"
#include "engine/object/memory_pool.h"
#include "format/dsl.h"
#include "object/live_object_set.h"
#include "object/zap_writer.h"
#include "runtime/simulation.h"

#include <initializer_list>
#include <map>
#include <memory>
#include <string>

namespace millpond::test {

/// The features that are enabled, with their counts; at first empty_bpobj alone.
class FeatureTable final : public dataset::FeatureCounts
{
public:
    std::map<std::string, std::int64_t, std::less<>> counts{{"empty_bpobj", 0}};

    void enable(std::initializer_list<std::string_view> names)
    {
        for (const std::string_view name : names) {
            counts.emplace(name, 0);
        }
    }

    [[nodiscard]] bool isEnabled(std::string_view name) const override
    {
        return counts.contains(name);
    }

    [[nodiscard]] bool isActive(std::string_view name) const override
    {
        const auto found = counts.find(name);
        return found != counts.end() && found->second > 0;
    }

    [[nodiscard]] Status count(std::string_view name, std::int64_t delta, Txg /*txg*/) override
    {
        const auto found = counts.find(name);
        if (found == counts.end() || found->second + delta < 0) {
            return fail(ErrorCode::BadConfig, "a feature counted below nothing");
        }
        found->second += delta;
        return {};
    }
};

/// A pool's own object set in memory that is written to; at first with nothing but the directory,
/// made in txg 4.
struct MosInMemory
{
    MemoryPool storage;
    FeatureTable features;
    runtime::SeededExecutor executor{1};
    std::shared_ptr<object::LiveObjectSet> mos;
    format::BlockPointer root;

    [[nodiscard]] Status make()
    {
        mos = MP_TRY(object::LiveObjectSet::create(
            storage, ObjsetId(0), {.type = format::ObjsetType::Meta}, Txg(4)));
        object::ZapWriter zaps(*mos, Txg(4));
        return zaps.claim(format::kPoolDirectoryObject,
                          {.type = format::number(format::ObjectType::ObjectDirectory)});
    }

    [[nodiscard]] Status sync(Txg txg)
    {
        object::SyncContext context{.sink = storage,
                                    .executor = executor,
                                    .ledger = storage,
                                    .txg = txg,
                                    .pass = 1,
                                    .settings = object::WriteSettings::forMos(),
                                    .owners = nullptr};
        root = MP_TRY(mos->sync(context));
        return {};
    }
};

} // namespace millpond::test
