// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/detail/extensible.h"

#include "format/dnode.h"
#include "object/zap.h"
#include "object/zap_writer.h"

// Sources: OpenZFS module/zfs/dmu_object.c.

namespace millpond::dataset::detail {

using object::Zap;
using object::ZapWriter;

namespace {
constexpr std::string_view kExtensible = "extensible_dataset";
constexpr std::uint8_t kExtensibleType = format::newType(format::Layout::Zap, true);
} // namespace

Result<bool> isExtensible(ListContext& context, ObjectId object)
{
    return MP_TRY(context.mos.dnode(object))->type == kExtensibleType;
}

Status makeExtensible(ListContext& context, ObjectId object, Txg txg)
{
    if (MP_TRY(isExtensible(context, object))) {
        return {};
    }
    MP_TRY(context.mos.setType(txg, object, kExtensibleType));
    MP_TRY(ZapWriter(context.mos, txg).initialize(object, {.type = kExtensibleType}));
    return context.features.count(kExtensible, 1, txg);
}

Status freeExtensible(ListContext& context, ObjectId object, Txg txg)
{
    if (MP_TRY(isExtensible(context, object))) {
        MP_TRY(context.features.count(kExtensible, -1, txg));
    }
    return context.mos.freeObject(txg, object);
}

Result<std::optional<std::uint64_t>>
field(ListContext& context, ObjectId object, std::string_view name)
{
    if (!MP_TRY(isExtensible(context, object))) {
        return std::nullopt;
    }
    return numberIn(context, object, name);
}

Result<std::optional<std::uint64_t>>
numberIn(ListContext& context, ObjectId zap, std::string_view name)
{
    if (zap.value() == 0) {
        return std::nullopt;
    }
    const Zap entries = MP_TRY(Zap::open(context.mos, zap));
    const auto number = entries.number(name);
    if (number) {
        return *number;
    }
    if (number.error().is(ErrorCode::NoSuchEntry)) {
        return std::nullopt;
    }
    return fail(number.error());
}

Status removeIfThere(ListContext& context, ObjectId zap, std::string_view name, Txg txg)
{
    Status status = ZapWriter(context.mos, txg).remove(zap, name);
    if (!status && !status.error().is(ErrorCode::NoSuchEntry)) {
        return status;
    }
    return {};
}

} // namespace millpond::dataset::detail
