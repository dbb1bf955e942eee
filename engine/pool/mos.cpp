// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/mos.h"

#include "format/dsl.h"

#include <fmt/format.h>

namespace millpond::pool {

Result<Mos> Mos::open(std::shared_ptr<object::ObjectSet> objset)
{
    auto directory = object::Zap::open(*objset, format::kPoolDirectoryObject);
    if (!directory) {
        return fail(std::move(directory).error().during("pool directory"));
    }
    return Mos(std::move(objset), std::move(*directory));
}

Result<std::optional<std::uint64_t>> Mos::number(std::string_view name) const
{
    auto found = m_directory.number(name);
    if (found) {
        return std::optional(*found);
    }
    if (found.error().is(ErrorCode::NoSuchEntry)) {
        return std::optional<std::uint64_t>();
    }
    return fail(std::move(found).error().during(name));
}

Result<ObjectId> Mos::require(std::string_view name) const
{
    const std::optional<std::uint64_t> found = MP_TRY(number(name));
    if (!found) {
        return fail(ErrorCode::BadConfig, fmt::format("the pool directory has no \"{}\"", name));
    }
    return ObjectId(*found);
}

Result<std::vector<std::uint64_t>> Mos::words(std::string_view name) const
{
    auto found = m_directory.lookup(name);
    if (found) {
        return std::move(found->values);
    }
    if (found.error().is(ErrorCode::NoSuchEntry)) {
        return std::vector<std::uint64_t>();
    }
    return fail(std::move(found).error().during(name));
}

Result<format::NvList> Mos::packedList(ObjectId object) const
{
    const object::DnodeRef dnode = MP_TRY(m_objset->dnode(object));
    if (dnode->bonus.size() < sizeof(std::uint64_t)) {
        return fail(ErrorCode::BadNvlist, "a packed list without a size", {.object = object});
    }
    const auto size = load<std::uint64_t>(dnode->bonus, 0, dnode->order);
    if (size > format::NvList::kMaxPackedBytes) {
        return fail(ErrorCode::BadNvlist,
                    fmt::format("a packed list of {} bytes", size),
                    {.object = object});
    }
    Buffer packed = MP_TRY(Buffer::create(static_cast<std::size_t>(size)));
    MP_TRY(m_objset->read(*dnode, ByteOffset(0), packed.bytes()));
    return format::NvList::decode(packed.bytes());
}

Result<std::vector<object::ZapEntry>> Mos::entries(ObjectId object) const
{
    std::vector<object::ZapEntry> all;
    if (object == ObjectId()) {
        return all;
    }
    const object::Zap zap = MP_TRY(object::Zap::open(*m_objset, object));
    MP_TRY(zap.forEach([&](const object::ZapEntry& entry) -> Result<bool> {
        all.push_back(entry);
        return true;
    }));
    return all;
}

} // namespace millpond::pool
