// SPDX-License-Identifier: GPL-3.0-or-later
//
// System attributes. Theory statement: object_set.cpp. Here in addition:
//
// On disk. The registry ZAP names each attribute's number and length, the layouts ZAP lists for
// each layout number the attributes in their order. A buffer (bonus, then spill block) is a header
// with a layout number and the lengths of its variable attributes, then the values without gaps but
// for rounding up to eight bytes. The header's magic number tells the byte order: a dnode block may
// be rewritten by a machine of the other order without these bytes being touched. [sa]

#include "object/attributes.h"

#include "format/sa.h"
#include "object/zap.h"

#include <fmt/format.h>

namespace millpond::object {

namespace {

/// Registered numbers are counted up from zero; the format has some thirty.
constexpr std::uint16_t kMaxAttributes = 4096;
/// The layout without attributes has this number everywhere; 0 stands for the old znode.
constexpr std::uint16_t kEmptyLayout = 1;

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadAttributes, std::move(what));
}

Result<ByteOrder> orderOf(Bytes part)
{
    if (part.size() < format::SaHeader::kMinBytes) {
        return bad(fmt::format("system attributes of {} bytes", part.size()));
    }
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
        if (load<std::uint32_t>(part, 0, order) == format::SaHeader::kMagic) {
            return order;
        }
    }
    return bad("system attributes without their magic number");
}

} // namespace

Result<AttributeTable>
AttributeTable::open(ObjectSet& objset, ObjectId saObject, const ReadContext& context)
{
    const Zap master = MP_TRY(Zap::open(objset, saObject, context));
    const std::uint64_t registry = MP_TRY(master.number(format::kSaRegistry, context));
    const std::uint64_t layouts = MP_TRY(master.number(format::kSaLayouts, context));
    AttributeTable table;
    MP_TRY(table.loadRegistry(objset, ObjectId(registry), context));
    MP_TRY(table.loadLayouts(objset, ObjectId(layouts), context));
    return table;
}

Status
AttributeTable::loadRegistry(ObjectSet& objset, ObjectId registry, const ReadContext& context)
{
    const ErrorContext where{.objset = objset.id(), .object = registry};
    const Zap zap = MP_TRY(Zap::open(objset, registry, context));
    return zap.forEach(
        [&](const ZapEntry& entry) -> Result<bool> {
            const Result<format::SaAttributeInfo> info =
                format::SaAttributeInfo::decode(entry.first());
            if (!info || info->number >= kMaxAttributes || entry.name.empty()) {
                return fail(ErrorCode::BadAttributes,
                            fmt::format("the attribute \"{}\" is registered as {:#x}",
                                        entry.name,
                                        entry.first()),
                            where);
            }
            if (info->number >= m_names.size()) {
                m_names.resize(info->number + std::size_t{1});
                m_lengths.resize(m_names.size());
                m_kinds.resize(m_names.size());
            }
            if (!m_names[info->number].empty()) {
                return fail(ErrorCode::BadAttributes,
                            fmt::format("two attributes have the number {}", info->number),
                            where);
            }
            m_names[info->number] = entry.name;
            m_lengths[info->number] = info->length;
            m_kinds[info->number] = info->byteswap;
            return true;
        },
        context);
}

Status AttributeTable::loadLayouts(ObjectSet& objset, ObjectId layouts, const ReadContext& context)
{
    const ErrorContext where{.objset = objset.id(), .object = layouts};
    m_layouts.try_emplace(kEmptyLayout); // never stored
    const Zap zap = MP_TRY(Zap::open(objset, layouts, context));
    return zap.forEach(
        [&](const ZapEntry& entry) -> Result<bool> {
            const Result<std::uint16_t> number = format::decodeSaLayoutNumber(entry.name);
            Result<std::vector<std::uint16_t>> layout = format::decodeSaLayout(entry.values);
            if (!number || !layout) {
                Error error = number ? std::move(layout).error() : number.error();
                return fail(std::move(error).at(where));
            }
            m_layouts.insert_or_assign(*number, std::move(*layout));
            return true;
        },
        context);
}

Result<AttributeTable::Values>
AttributeTable::read(ObjectSet& objset, const Dnode& dnode, const ReadContext& context) const
{
    const ErrorContext where{.objset = dnode.objset, .object = dnode.id};
    if (dnode.bonusType != format::number(format::ObjectType::SystemAttributes)) {
        return fail(ErrorCode::BadAttributes, "the object has no system attributes", where);
    }
    Values values;
    if (const Status status = readPart(dnode.bonus, values); !status) {
        return fail(Error(status.error()).at(where));
    }
    if (dnode.spill) {
        const ObjectSet::Block spill = MP_TRY(objset.readSpill(dnode, context));
        if (const Status status = spill.data ? readPart(spill.data->bytes(), values) : Status();
            !status) {
            return fail(Error(status.error()).during("in the spill block").at(where));
        }
    }
    return values;
}

Status AttributeTable::readPart(Bytes part, Values& values) const
{
    const ByteOrder order = MP_TRY(orderOf(part));
    const format::SaHeader header = MP_TRY(format::SaHeader::decode(part, order));
    const auto layout = m_layouts.find(header.layout);
    if (layout == m_layouts.end()) {
        return bad(fmt::format("there is no layout {}", header.layout));
    }
    for (const std::uint16_t number : layout->second) {
        if (number >= m_names.size() || m_names[number].empty()) {
            return bad(fmt::format(
                "layout {} has an attribute {} that is not registered", header.layout, number));
        }
    }
    const std::vector<format::SaPlacedAttribute> places =
        MP_TRY(format::placeSaAttributes(part, header, layout->second, m_lengths));
    for (const format::SaPlacedAttribute& place : places) {
        if (place.number >= m_names.size() || place.offset > part.size() ||
            place.length > part.size() - place.offset) {
            return bad("an attribute outside its buffer");
        }
        const Bytes bytes = part.subspan(place.offset, place.length);
        values.insert_or_assign(
            m_names[place.number],
            AttributeValue{std::vector<std::byte>(bytes.begin(), bytes.end()), order});
    }
    return {};
}

} // namespace millpond::object
