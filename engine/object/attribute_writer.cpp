// SPDX-License-Identifier: GPL-3.0-or-later
//
// Writing system attributes. Theory statement: object_set.cpp; what is on disk: attributes.cpp.
// Here in addition:
//
// Registry. The first sixteen attributes have fixed numbers, whether registered or not; the others
// get the next free ones. Everything is registered when the first object is written.
//
// Layouts. One for each order of attributes in one buffer; 0 and 1 stand for the old znode and for
// none and are never stored. A new layout has the number of layouts there are.
//
// Packing. All in the bonus buffer when they fit. Otherwise the bonus buffer gives up the room of a
// block pointer, takes as many from the front as fit, and the rest goes to the spill block, which
// has a layout of its own. The length of the first variable attribute stands in the eight bytes
// every header has; each further one takes two bytes, rounded up to eight together.
//
// INV-1 A layout and its attributes are in the registry before a buffer names them, and in the same
// or an earlier txg.
//
// Sources: OpenZFS include/sys/{sa_impl,zfs_sa}.h, module/zfs/{sa,zfs_sa}.c.

#include "object/attribute_writer.h"

#include "format/znode.h"
#include "object/live_object_set.h"
#include "object/zap.h"
#include "object/zap_writer.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::object {

namespace {

/// Attributes with fixed numbers: those of the old znode.
constexpr std::size_t kFixedAttributes = 16;
/// Layouts that are never stored.
constexpr std::size_t kUnstoredLayouts = 2;
constexpr std::uint16_t kEmptyLayout = 1;
constexpr std::size_t kMaxLayouts = 1024; // ten bits in the header
constexpr std::size_t kAlign = 8;

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadAttributes, std::move(what));
}

template <class T> std::vector<std::byte> nativeBytes(T value)
{
    std::vector<std::byte> bytes(sizeof(T));
    store(bytes, 0, value, kHostOrder);
    return bytes;
}

std::size_t headerBytes(std::size_t variableLengths)
{
    const std::size_t further = variableLengths > 1 ? variableLengths - 1 : 0;
    return static_cast<std::size_t>(
        alignUp(format::SaHeader::kMinBytes + further * sizeof(std::uint16_t), kAlign));
}

/// What a buffer with the first n of some attributes takes, as they are added.
class Measure
{
public:
    [[nodiscard]] std::size_t with(std::size_t length, bool variable)
    {
        m_values = static_cast<std::size_t>(alignUp(m_values, kAlign)) + length;
        m_variable += variable ? 1U : 0U;
        return headerBytes(m_variable) + m_values;
    }

private:
    std::size_t m_values = 0;
    std::size_t m_variable = 0;
};

Result<ByteOrder> orderOf(Bytes part)
{
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
        if (part.size() >= format::SaHeader::kMinBytes &&
            load<std::uint32_t>(part, 0, order) == format::SaHeader::kMagic) {
            return order;
        }
    }
    return bad("system attributes without their magic number");
}

bool isEmpty(Bytes part)
{
    return std::ranges::all_of(part, [](std::byte b) { return b == std::byte{0}; });
}

} // namespace

AttributeChange AttributeChange::number(std::string_view name, std::uint64_t value)
{
    return {name, nativeBytes(value)};
}

AttributeChange
AttributeChange::words(std::string_view name, std::uint64_t first, std::uint64_t second)
{
    std::vector<std::byte> bytes(2 * sizeof(std::uint64_t));
    store(bytes, 0, first, kHostOrder);
    store(bytes, sizeof(std::uint64_t), second, kHostOrder);
    return {name, std::move(bytes)};
}

AttributeChange AttributeChange::bytes(std::string_view name, Bytes value)
{
    return {name, std::vector<std::byte>(value.begin(), value.end())};
}

AttributeChange AttributeChange::removed(std::string_view name)
{
    return {name, std::nullopt};
}

Result<ObjectId> AttributeWriter::createObject(LiveObjectSet& objset, Txg txg)
{
    ZapSpec spec;
    spec.type = format::number(format::ObjectType::SaMasterNode);
    return ZapWriter(objset, txg).create(spec);
}

Result<std::unique_ptr<AttributeWriter>>
AttributeWriter::open(LiveObjectSet& objset, ObjectId saObject, const ReadContext& context)
{
    std::unique_ptr<AttributeWriter> writer(new AttributeWriter(objset, saObject));
    MP_TRY(writer->load(context));
    return writer;
}

Status AttributeWriter::load(const ReadContext& context)
{
    const Zap master = MP_TRY(Zap::open(m_objset, m_master, context));
    const auto linked = [&](std::string_view name) -> Result<std::optional<ObjectId>> {
        const Result<std::uint64_t> number = master.number(name, context);
        if (!number) {
            return number.error().is(ErrorCode::NoSuchEntry)
                       ? Result<std::optional<ObjectId>>(std::nullopt)
                       : fail(number.error());
        }
        return std::optional(ObjectId(*number));
    };
    const std::optional<ObjectId> registry = MP_TRY(linked(format::kSaRegistry));
    const std::optional<ObjectId> layouts = MP_TRY(linked(format::kSaLayouts));
    auto table = std::make_shared<AttributeTable>();
    table->m_layouts.try_emplace(kEmptyLayout);
    if (registry) {
        MP_TRY(table->loadRegistry(m_objset, *registry, context));
    }
    if (layouts) {
        MP_TRY(table->loadLayouts(m_objset, *layouts, context));
    }
    std::vector<bool> registered;
    for (const std::string& name : table->m_names) {
        registered.push_back(!name.empty());
    }
    const std::span<const format::ZplAttribute> known = format::zplAttributes();
    for (std::size_t i = 0; i < known.size(); ++i) {
        if (std::ranges::find(table->m_names, known[i].name) != table->m_names.end()) {
            continue;
        }
        const std::size_t number =
            i < kFixedAttributes ? i : std::max(table->m_names.size(), kFixedAttributes);
        if (number >= table->m_names.size()) {
            table->m_names.resize(number + 1);
            table->m_lengths.resize(number + 1);
            table->m_kinds.resize(number + 1);
        }
        if (!table->m_names[number].empty()) {
            return bad("an attribute is registered under the number of another");
        }
        table->m_names[number] = known[i].name;
        table->m_lengths[number] = known[i].length;
        table->m_kinds[number] = known[i].byteswap;
    }
    registered.resize(table->m_names.size());
    const MutexLock growth(m_growth);
    m_registry = registry;
    m_layouts = layouts;
    m_registered = std::move(registered);
    const MutexLock lock(m_mutex);
    m_table = std::move(table);
    return {};
}

void AttributeWriter::setListener(Listener listener)
{
    m_listener = std::move(listener);
}

std::shared_ptr<const AttributeTable> AttributeWriter::table() const
{
    const MutexLock lock(m_mutex);
    return m_table;
}

void AttributeWriter::publish(Table table)
{
    {
        const MutexLock lock(m_mutex);
        m_table = table;
    }
    if (m_listener) {
        m_listener(std::move(table));
    }
}

Status AttributeWriter::registerAll(Txg txg)
{
    if (std::ranges::find(m_registered, false) == m_registered.end()) {
        return {};
    }
    ZapWriter zaps(m_objset, txg);
    if (!m_registry) {
        ZapSpec spec;
        spec.type = format::number(format::ObjectType::SaRegistration);
        m_registry = MP_TRY(zaps.createLinked(m_master, format::kSaRegistry, spec));
    }
    const Table known = table();
    for (std::size_t number = 0; number < m_registered.size(); ++number) {
        if (m_registered[number] || known->m_names[number].empty()) {
            m_registered[number] = true;
            continue;
        }
        const format::SaAttributeInfo info{
            static_cast<std::uint16_t>(number), known->m_lengths[number], known->m_kinds[number]};
        MP_TRY(zaps.update(*m_registry, known->m_names[number], info.encode()));
        m_registered[number] = true;
    }
    return {};
}

Result<std::uint16_t> AttributeWriter::layoutFor(Txg txg, std::span<const Item> items)
{
    std::vector<std::uint16_t> order;
    order.reserve(items.size());
    for (const Item& item : items) {
        order.push_back(item.number);
    }
    const auto find = [&](const AttributeTable& known) -> std::optional<std::uint16_t> {
        for (const auto& [number, layout] : known.m_layouts) {
            if (layout == order && number >= kEmptyLayout) {
                return number;
            }
        }
        return std::nullopt;
    };
    if (const auto number = find(*table())) {
        return *number;
    }
    const MutexLock growth(m_growth);
    const Table known = table();
    if (const auto number = find(*known)) {
        return *number;
    }
    MP_TRY(registerAll(txg));
    ZapWriter zaps(m_objset, txg);
    if (!m_layouts) {
        ZapSpec spec;
        spec.type = format::number(format::ObjectType::SaLayouts);
        m_layouts = MP_TRY(zaps.createLinked(m_master, format::kSaLayouts, spec));
    }
    std::size_t number = known->m_layouts.size() + kUnstoredLayouts - 1; // the empty one is in it
    while (known->m_layouts.contains(static_cast<std::uint16_t>(number))) {
        ++number;
    }
    if (number >= kMaxLayouts) {
        return fail(ErrorCode::TooMany, "there are no more numbers for layouts of attributes");
    }
    const std::vector<std::uint64_t> stored(order.begin(), order.end());
    MP_TRY(zaps.add(
        *m_layouts, std::to_string(number), ZapValue::integers(stored, sizeof(std::uint16_t))));
    auto grown = std::make_shared<AttributeTable>(*known);
    grown->m_layouts.insert_or_assign(static_cast<std::uint16_t>(number), std::move(order));
    publish(std::move(grown));
    return static_cast<std::uint16_t>(number);
}

Status AttributeWriter::appendItems(const AttributeTable& table, Bytes part, Items& items)
{
    if (part.size() < format::SaHeader::kMinBytes || isEmpty(part)) {
        return {}; // a new object
    }
    const ByteOrder order = MP_TRY(orderOf(part));
    const format::SaHeader header = MP_TRY(format::SaHeader::decode(part, order));
    const auto layout = table.m_layouts.find(header.layout == 0 ? kEmptyLayout : header.layout);
    if (layout == table.m_layouts.end()) {
        return bad(fmt::format("there is no layout {}", header.layout));
    }
    for (const format::SaPlacedAttribute& place :
         MP_TRY(format::placeSaAttributes(part, header, layout->second, table.m_lengths))) {
        if (table.m_names[place.number].empty()) {
            return bad(fmt::format("attribute {} is not registered", place.number));
        }
        items.push_back({place.number,
                         format::swapSaValue(part.subspan(place.offset, place.length),
                                             table.m_kinds[place.number],
                                             order)});
    }
    return {};
}

Result<AttributeWriter::Items>
AttributeWriter::items(const AttributeTable& table, const Dnode& dnode, const ReadContext& context)
{
    if (dnode.bonusType != format::number(format::ObjectType::SystemAttributes)) {
        return bad("the object has no system attributes");
    }
    Items items;
    MP_TRY(appendItems(table, dnode.bonus, items));
    if (dnode.spill) {
        const ObjectSet::Block spill = MP_TRY(m_objset.readSpill(dnode, context));
        if (spill.data != nullptr) {
            MP_TRY(appendItems(table, spill.data->bytes(), items));
        }
    }
    return items;
}

Result<std::vector<AttributeWriter::Attribute>> AttributeWriter::read(ObjectId object,
                                                                      const ReadContext& context)
{
    const Table known = table();
    const DnodeRef dnode = MP_TRY(m_objset.dnode(object, context));
    Items found = MP_TRY(items(*known, *dnode, context));
    std::vector<Attribute> result;
    result.reserve(found.size());
    for (Item& item : found) {
        result.push_back({known->m_names[item.number], std::move(item.value)});
    }
    return result;
}

Result<AttributeWriter::Item> AttributeWriter::itemOf(const AttributeTable& table,
                                                      const AttributeChange& change)
{
    const auto name = std::ranges::find(table.m_names, change.name);
    if (name == table.m_names.end() || change.name.empty()) {
        return bad(fmt::format("there is no attribute {}", change.name));
    }
    Item item{static_cast<std::uint16_t>(name - table.m_names.begin()), {}};
    if (change.value) {
        const std::uint16_t length = table.m_lengths[item.number];
        if (length != 0 && change.value->size() != length) {
            return bad(fmt::format("{} has {} bytes", change.name, length));
        }
        if (change.value->size() > UINT16_MAX) {
            return fail(ErrorCode::TooLarge, "an attribute of 64 KiB or more");
        }
        item.value = *change.value;
    }
    return item;
}

Result<std::vector<std::byte>> AttributeWriter::encode(Txg txg, std::span<const Item> items)
{
    format::SaHeader header;
    header.layout = MP_TRY(layoutFor(txg, items));
    const Table known = table();
    std::size_t variable = 0;
    for (const Item& item : items) {
        if (known->m_lengths[item.number] == 0) {
            header.lengths.push_back(static_cast<std::uint16_t>(item.value.size()));
            ++variable;
        }
    }
    header.sizeBytes = headerBytes(variable);
    header.lengths.resize((header.sizeBytes - 6) / sizeof(std::uint16_t));
    std::vector<std::byte> part(header.sizeBytes);
    header.encode(part, kHostOrder);
    for (const Item& item : items) {
        part.resize(static_cast<std::size_t>(alignUp(part.size(), kAlign)));
        part.insert(part.end(), item.value.begin(), item.value.end());
    }
    return part;
}

Status AttributeWriter::pack(Txg txg, const Dnode& dnode, const Items& items)
{
    const Table known = table();
    const std::size_t room = LiveObjectSet::bonusRoom(dnode, false);
    const std::size_t roomWithSpill = LiveObjectSet::bonusRoom(dnode, true);
    Measure measure;
    std::size_t all = headerBytes(0);
    std::size_t inBonus = 0; // attributes, should there be a spill block
    for (std::size_t i = 0; i < items.size(); ++i) {
        all = measure.with(items[i].value.size(), known->m_lengths[items[i].number] == 0);
        if (inBonus == i && all <= roomWithSpill) {
            inBonus = i + 1;
        }
    }
    if (all > kMaxTotalBytes) {
        return fail(ErrorCode::TooLarge, "the attributes exceed 128 KiB");
    }
    const std::uint8_t type = format::number(format::ObjectType::SystemAttributes);
    const std::span<const Item> each(items);
    if (all <= room) {
        const std::vector<std::byte> bonus = MP_TRY(encode(txg, each));
        if (dnode.spill) {
            MP_TRY(m_objset.removeSpill(txg, dnode.id));
        }
        return m_objset.setBonus(txg, dnode.id, type, bonus);
    }
    std::vector<std::byte> bonus = MP_TRY(encode(txg, each.first(inBonus)));
    const std::vector<std::byte> spill = MP_TRY(encode(txg, each.subspan(inBonus)));
    bonus.resize(roomWithSpill);
    MP_TRY(m_objset.setBonus(txg, dnode.id, type, bonus));
    return m_objset.setSpill(txg, dnode.id, spill);
}

Status
AttributeWriter::replaceAll(Txg txg, ObjectId object, std::span<const AttributeChange> attributes)
{
    const Table known = table();
    Items items;
    items.reserve(attributes.size());
    for (const AttributeChange& attribute : attributes) {
        if (attribute.value) {
            items.push_back(MP_TRY(itemOf(*known, attribute)));
        }
    }
    const DnodeRef dnode = MP_TRY(m_objset.dnode(object));
    return pack(txg, *dnode, items);
}

Result<bool> AttributeWriter::replaceInPlace(const AttributeTable& table,
                                             MutableBytes part,
                                             std::vector<Item>& changes)
{
    if (part.size() < format::SaHeader::kMinBytes || isEmpty(part) ||
        MP_TRY(orderOf(part)) != kHostOrder) {
        return false;
    }
    const format::SaHeader header = MP_TRY(format::SaHeader::decode(part, kHostOrder));
    const auto layout = table.m_layouts.find(header.layout);
    if (layout == table.m_layouts.end()) {
        return bad(fmt::format("there is no layout {}", header.layout));
    }
    bool any = false;
    for (const format::SaPlacedAttribute& place :
         MP_TRY(format::placeSaAttributes(part, header, layout->second, table.m_lengths))) {
        const auto change = std::ranges::find(changes, place.number, &Item::number);
        if (change != changes.end() && change->value.size() == place.length) {
            std::ranges::copy(change->value, part.subspan(place.offset).begin());
            changes.erase(change);
            any = true;
        }
    }
    return any;
}

Status AttributeWriter::update(Txg txg, ObjectId object, std::span<const AttributeChange> changes)
{
    const Table known = table();
    const DnodeRef dnode = MP_TRY(m_objset.dnode(object));
    std::vector<Item> replaced;
    std::vector<std::uint16_t> removed;
    for (const AttributeChange& change : changes) {
        Item item = MP_TRY(itemOf(*known, change));
        if (change.value) {
            replaced.push_back(std::move(item));
        } else {
            removed.push_back(item.number);
        }
    }
    if (removed.empty()) {
        std::vector<Item> left = replaced;
        std::vector<std::byte> bonus = dnode->bonus;
        if (MP_TRY(replaceInPlace(*known, bonus, left)) && left.empty()) {
            return m_objset.setBonus(txg, object, dnode->bonusType, bonus);
        }
    }
    Items items = MP_TRY(this->items(*known, *dnode, {}));
    const std::size_t before = items.size();
    std::erase_if(items, [&](const Item& item) {
        return std::ranges::find(removed, item.number) != removed.end();
    });
    if (replaced.empty() && items.size() == before) {
        return {};
    }
    for (Item& item : replaced) {
        const auto old = std::ranges::find(items, item.number, &Item::number);
        if (old != items.end()) {
            old->value = std::move(item.value);
        } else {
            items.push_back(std::move(item));
        }
    }
    return pack(txg, *dnode, items);
}

} // namespace millpond::object
