// SPDX-License-Identifier: GPL-3.0-or-later
//
// The volume layer: theory.
//
// A volume's object set holds object 1, the data, and object 2, a ZAP with "size" in bytes. Reads
// go through object/ and end at the size; holes are zeroes. Everything is immutable, so any thread
// may read at any time. Sizes are checked when the volume is opened. (OpenZFS: zvol.c.)
#include "volume/volume.h"

#include "format/znode.h"
#include "object/zap.h"

namespace millpond::volume {

using object::ObjectSet;
using object::Zap;

namespace {

// The largest offset Linux knows; a volume beyond it could not be served.
constexpr std::uint64_t kMaxVolumeBytes = std::uint64_t{1} << 63;

} // namespace

Volume::Volume(std::shared_ptr<ObjectSet> objset, object::DnodeRef data, ByteCount size)
    : m_objset(std::move(objset))
    , m_data(std::move(data))
    , m_size(size)
{
}

Result<std::shared_ptr<Volume>> Volume::open(std::shared_ptr<ObjectSet> objset,
                                             const block::ReadContext& context)
{
    if (objset->header().type != format::ObjsetType::Volume) {
        return fail(
            ErrorCode::InvalidArgument, "the dataset is no volume", {.objset = objset->id()});
    }
    const Zap table = MP_TRY(Zap::open(*objset, format::kVolumeZapObject, context));
    const std::uint64_t size = MP_TRY(table.number(format::kVolumeSize, context));
    if (size > kMaxVolumeBytes) {
        return fail(ErrorCode::BadObjset, "a volume of impossible size", {.objset = objset->id()});
    }
    auto data = MP_TRY(objset->dnode(format::kVolumeDataObject, context));
    return std::shared_ptr<Volume>(new Volume(std::move(objset), std::move(data), ByteCount(size)));
}

ByteCount Volume::blockSize() const
{
    return ByteCount(m_data->dataBlockBytes);
}

Status Volume::read(ByteOffset offset, MutableBytes out, const block::ReadContext& context)
{
    std::uint64_t end = 0;
    if (!checkedAdd(offset.value(), out.size(), end) || end > m_size.value()) {
        return fail(ErrorCode::InvalidArgument,
                    "the range goes past the end of the volume",
                    {.objset = m_objset->id()});
    }
    return m_objset->read(*m_data, offset, out, context);
}

} // namespace millpond::volume
