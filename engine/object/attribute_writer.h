// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/object_set.h"

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
    ~AttributeWriter();

private:
    struct Private;
    explicit AttributeWriter(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace millpond::object
