// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/dnode.h"
#include "object/object_set.h"
#include "object/zap_value.h"

#include <span>
#include <string_view>

namespace millpond::object {

class LiveObjectSet;

/// A ZAP to be made. The defaults give what OpenZFS makes by default: a micro ZAP of 512 bytes.
struct ZapSpec
{
    std::uint8_t type = format::number(format::ObjectType::OtherZap); ///< of a layout Zap
    std::uint64_t normalization = 0; ///< format::NormalizationFlag: how names are hashed
    std::uint64_t flags = 0;         ///< format::ZapFlag; any makes it fat from the beginning
    unsigned leafBlockShift = 0;     ///< log2 of bytes, for a fat ZAP; 0: 14
    std::uint8_t indirectShift = 0;  ///< 0: the object set's default
    std::uint8_t bonusType = format::number(format::ObjectType::None);
    std::uint16_t bonusBytes = 0;
    std::uint8_t dnodeSlots = 1;
};

/// Changes ZAPs of one object set in one transaction group [zap_add and kin]. Cheap to make, holds
/// nothing: make one for each transaction.
///
/// The caller holds the transaction group open (or is in syncing context) and sees to it that no
/// other thread reads or changes the same ZAP meanwhile: a split is visible in several blocks. A
/// Zap opened before a change must not be used after it.
///
/// Names are compared byte by byte; for a ZAP with normalisation the caller looks up first by its
/// own rule. Damage met on the way is BadZap and leaves the ZAP as it was, so does an error of a
/// read. All cost O(1) blocks; a micro ZAP costs a walk over its one block.
class ZapWriter
{
public:
    /// `objset` outlives the writer.
    ZapWriter(LiveObjectSet& objset, Txg txg)
        : m_objset(objset)
        , m_txg(txg)
    {
    }

    /// A new object.
    [[nodiscard]] Result<ObjectId> create(const ZapSpec& spec = {});
    /// As create(), of a given number that is free (log replay, object 1).
    [[nodiscard]] Status claim(ObjectId object, const ZapSpec& spec = {});
    /// Makes an empty ZAP of an object allocated already, with one block or none.
    [[nodiscard]] Status initialize(ObjectId object, const ZapSpec& spec = {});
    /// A new ZAP whose number is added to `parent` as `name` [zap_create_link].
    [[nodiscard]] Result<ObjectId>
    createLinked(ObjectId parent, std::string_view name, const ZapSpec& spec = {});

    /// AlreadyExists. NameTooLong: names have at most 255 bytes, in directories 1023. TooLarge:
    /// values have at most 8192 bytes and must fit a leaf. InvalidName for an empty name.
    [[nodiscard]] Status add(ObjectId zap, std::string_view name, const ZapValue& value);
    [[nodiscard]] Status
    add(ObjectId zap, std::span<const std::uint64_t> key, const ZapValue& value);
    /// Adds or replaces.
    [[nodiscard]] Status update(ObjectId zap, std::string_view name, const ZapValue& value);
    [[nodiscard]] Status
    update(ObjectId zap, std::span<const std::uint64_t> key, const ZapValue& value);
    /// NoSuchEntry.
    [[nodiscard]] Status remove(ObjectId zap, std::string_view name);
    [[nodiscard]] Status remove(ObjectId zap, std::span<const std::uint64_t> key);

    /// Adds to a number (absent: 0; modulo 2^64); removes the entry when the sum is 0.
    [[nodiscard]] Status increment(ObjectId zap, std::string_view name, std::int64_t delta);
    /// A set of numbers: the name is the number in hexadecimal [zap_add_int]. As add and remove.
    [[nodiscard]] Status addNumber(ObjectId zap, std::uint64_t number);
    [[nodiscard]] Status removeNumber(ObjectId zap, std::uint64_t number);

private:
    template <class Change> Status change(ObjectId zap, Change&& change);

    LiveObjectSet& m_objset;
    Txg m_txg;
};

} // namespace millpond::object
