// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mutex.h"
#include "object/attributes.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace millpond::object {

class LiveObjectSet;

/// One attribute to be written: its name and its value in native byte order. A value of a
/// registered length must have that length.
struct AttributeChange
{
    std::string_view name;
    /// Absent: the attribute is removed (nothing happens when it is not there).
    std::optional<std::vector<std::byte>> value;

    [[nodiscard]] static AttributeChange number(std::string_view name, std::uint64_t value);
    /// Two words: a time's seconds and nanoseconds.
    [[nodiscard]] static AttributeChange
    words(std::string_view name, std::uint64_t first, std::uint64_t second);
    [[nodiscard]] static AttributeChange bytes(std::string_view name, Bytes value);
    [[nodiscard]] static AttributeChange removed(std::string_view name);
};

/// Writes system attributes of one object set [sa]: registers attributes and layouts as they are
/// needed, packs values into bonus buffer and spill block as OpenZFS does. One per object set,
/// living as long as the LiveObjectSet. Thread-safe for different objects; changes of one object
/// are the caller's to serialise.
///
/// Attributes this program does not know are kept with their bytes and their place.
class AttributeWriter
{
public:
    /// The ZAP that is to be the master node's SA_ATTRS entry. The registry and the layouts come
    /// into being with the first object that is written.
    [[nodiscard]] static Result<ObjectId> createObject(LiveObjectSet& objset, Txg txg);

    /// `saObject` is the master node's SA_ATTRS entry. BadAttributes, BadZap.
    [[nodiscard]] static Result<std::unique_ptr<AttributeWriter>>
    open(LiveObjectSet& objset, ObjectId saObject, const ReadContext& context = {});

    /// Called with every new state of registry and layouts before anything is written that needs
    /// it; whoever reads attributes meanwhile goes by it. Set before the first change.
    using Listener = std::function<void(std::shared_ptr<const AttributeTable>)>;
    void setListener(Listener listener);
    [[nodiscard]] std::shared_ptr<const AttributeTable> table() const;

    /// Writes all attributes of a new object in this order [sa_replace_all_by_template]. The bonus
    /// type of the object must be SystemAttributes. TooLarge when they exceed 128 KiB together;
    /// BadAttributes for an attribute that is neither registered nor one of
    /// format::zplAttributes().
    [[nodiscard]] Status
    replaceAll(Txg txg, ObjectId object, std::span<const AttributeChange> attributes);
    /// Changes, adds or removes some [sa_bulk_update, sa_update, sa_remove]. Values of unchanged
    /// length are changed in their place; else all are packed again, new ones at the end.
    [[nodiscard]] Status update(Txg txg, ObjectId object, std::span<const AttributeChange> changes);

    /// Every attribute of an object in its stored order, bytes in native order.
    struct Attribute
    {
        std::string_view name; ///< lives in the writer
        std::vector<std::byte> value;
    };

    [[nodiscard]] Result<std::vector<Attribute>> read(ObjectId object,
                                                      const ReadContext& context = {});

    /// Of all values of one object.
    static constexpr std::size_t kMaxTotalBytes = 131072;

    AttributeWriter(const AttributeWriter&) = delete;
    AttributeWriter& operator=(const AttributeWriter&) = delete;
    ~AttributeWriter() = default;

private:
    AttributeWriter(LiveObjectSet& objset, ObjectId master)
        : m_objset(objset)
        , m_master(master)
    {
    }

    /// One attribute with its value in native order.
    struct Item
    {
        std::uint16_t number = 0;
        std::vector<std::byte> value;
    };

    using Items = std::vector<Item>;
    using Table = std::shared_ptr<const AttributeTable>;

    [[nodiscard]] Status load(const ReadContext& context);
    /// The stored parts taken apart: bonus, then spill.
    [[nodiscard]] Result<Items>
    items(const AttributeTable& table, const Dnode& dnode, const ReadContext& context);
    [[nodiscard]] static Status appendItems(const AttributeTable& table, Bytes part, Items& items);
    /// False: something is added, removed or has another length.
    [[nodiscard]] static Result<bool>
    replaceInPlace(const AttributeTable& table, MutableBytes part, std::vector<Item>& changes);
    [[nodiscard]] Result<Item> itemOf(const AttributeTable& table, const AttributeChange& change);
    [[nodiscard]] Status pack(Txg txg, const Dnode& dnode, const Items& items);
    [[nodiscard]] Result<std::vector<std::byte>> encode(Txg txg, std::span<const Item> items);
    [[nodiscard]] Result<std::uint16_t> layoutFor(Txg txg, std::span<const Item> items);
    [[nodiscard]] Status registerAll(Txg txg);
    void publish(std::shared_ptr<const AttributeTable> table);

    LiveObjectSet& m_objset;
    ObjectId m_master;
    Listener m_listener;
    /// One thread at a time adds to registry or layouts: taken before m_mutex and the locks of
    /// LiveObjectSet.
    Mutex m_growth;
    mutable Mutex m_mutex;
    Table m_table MP_GUARDED_BY(m_mutex);
    std::vector<bool> m_registered MP_GUARDED_BY(m_growth); ///< by number
    std::optional<ObjectId> m_registry MP_GUARDED_BY(m_growth);
    std::optional<ObjectId> m_layouts MP_GUARDED_BY(m_growth);
};

} // namespace millpond::object
