// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "dataset/feature_counts.h"
#include "engine/object/memory_pool.h"
#include "format/dsl.h"
#include "object/live_object_set.h"
#include "object/zap_writer.h"
#include "runtime/simulation.h"

#include <memory>

namespace millpond::test {

/// One feature, empty_bpobj, with its count.
class EmptyListCount final : public dataset::FeatureCounts
{
public:
    bool enabled = true;
    std::int64_t value = 0;

    [[nodiscard]] bool isEnabled(std::string_view name) const override
    {
        return enabled && name == "empty_bpobj";
    }

    [[nodiscard]] bool isActive(std::string_view name) const override
    {
        return isEnabled(name) && value > 0;
    }

    [[nodiscard]] Status count(std::string_view name, std::int64_t delta, Txg /*txg*/) override
    {
        if (!isEnabled(name) || value + delta < 0) {
            return fail(ErrorCode::BadConfig, "a feature counted below nothing");
        }
        value += delta;
        return {};
    }
};

/// A pool's own object set in memory that is written to; at first with nothing but the directory,
/// made in txg 4.
struct MosInMemory
{
    MemoryPool storage;
    EmptyListCount features;
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
