// SPDX-License-Identifier: GPL-3.0-or-later
//
// Changing ZAPs. Theory statement: object_set.cpp; what is on disk: zap.cpp. Here in addition:
//
// Structure. ZapEdit chooses between micro and fat and turns the one into the other (detail/
// zap_edit.h); it works on blocks it asks a port for, so that it can be tested on plain memory.
// ZapWriter puts a LiveObjectSet behind that port. Blocks of the other byte order are swapped on
// the way in and out and keep their order.
//
// When a micro ZAP becomes fat: for a value that is not one word, a name of 50 bytes or more, a
// block that would exceed 128 KiB, or so many names of one hash that a leaf could not hold them.
// It then has blocks of 16 KiB. A fat ZAP never becomes micro again, and never shrinks.
//
// Order. Cursors are hash and collision number, and neither changes while an entry lives: not when
// its leaf is split, nor when the ZAP becomes fat. So a walk that began before a change neither
// skips nor repeats what was there all the time.
//
// INV-1 A block is checked before it is changed, and a change of one block is whole or nothing.
// INV-2 What needs several blocks reads all of them before it changes the first. A new leaf and a
// new table are complete before anything leads to them.
//
// Sources: OpenZFS module/zfs/{zap,zap_impl,zap_micro,zap_fat,zap_leaf}.c.

#include "object/zap_writer.h"

#include "object/detail/zap_edit.h"
#include "object/live_object_set.h"
#include "object/zap.h"

#include <fmt/format.h>

#include <algorithm>

namespace millpond::object {

using detail::PutMode;
using detail::ZapKey;

namespace {

constexpr std::uint32_t kMicroBlockBytes = 512;
constexpr unsigned kDefaultLeafShift = 14;

/// Blocks of one object of a LiveObjectSet.
class LiveZapBlocks final : public detail::ZapBlocks
{
public:
    [[nodiscard]] static Result<LiveZapBlocks> open(LiveObjectSet& objset, Txg txg, ObjectId object)
    {
        DnodeRef dnode = MP_TRY(objset.dnode(object));
        if (format::objectLayout(dnode->type) != format::Layout::Zap) {
            return fail(ErrorCode::BadZap,
                        "the object is no ZAP",
                        {.objset = objset.id(), .object = object});
        }
        return LiveZapBlocks(objset, txg, std::move(dnode));
    }

    [[nodiscard]] std::uint32_t blockBytes() const override { return m_dnode->dataBlockBytes; }

    [[nodiscard]] Result<BufferRef> read(std::uint64_t block) override
    {
        ObjectSet::Block found = MP_TRY(m_objset.readBlock(*m_dnode, BlockIndex(block)));
        if (found.data == nullptr || found.order == ByteOrder::Little) {
            return std::move(found.data);
        }
        Buffer swapped = MP_TRY(Buffer::copyOf(found.data->bytes()));
        detail::swapZapBlock(swapped.bytes(), ByteOrder::Big);
        return std::make_shared<const Buffer>(std::move(swapped));
    }

    [[nodiscard]] Status modify(std::uint64_t block,
                                FunctionRef<Status(MutableBytes)> change) override
    {
        return m_objset.modifyBlock(m_txg,
                                    m_dnode->id,
                                    BlockIndex(block),
                                    [&](MutableBytes bytes, ByteOrder order) -> Status {
                                        if (order == ByteOrder::Little) {
                                            return change(bytes);
                                        }
                                        Buffer swapped = MP_TRY(Buffer::copyOf(bytes));
                                        detail::swapZapBlock(swapped.bytes(), ByteOrder::Big);
                                        MP_TRY(change(swapped.bytes()));
                                        detail::swapZapBlock(swapped.bytes(), ByteOrder::Little);
                                        std::ranges::copy(swapped.bytes(), bytes.begin());
                                        return {};
                                    });
    }

    [[nodiscard]] Status setBlockBytes(std::uint32_t bytes) override
    {
        MP_TRY(m_objset.setBlockSize(m_txg, m_dnode->id, bytes));
        m_dnode = MP_TRY(m_objset.dnode(m_dnode->id));
        return {};
    }

    [[nodiscard]] Status free(std::uint64_t firstBlock, std::uint64_t count) override
    {
        return m_objset.freeRange(m_txg,
                                  m_dnode->id,
                                  ByteOffset(firstBlock * blockBytes()),
                                  ByteCount(count * blockBytes()));
    }

    [[nodiscard]] bool allowsLongNames() const override
    {
        return m_dnode->type == format::number(format::ObjectType::Directory);
    }

private:
    LiveZapBlocks(LiveObjectSet& objset, Txg txg, DnodeRef dnode)
        : m_objset(objset)
        , m_txg(txg)
        , m_dnode(std::move(dnode))
    {
    }

    LiveObjectSet& m_objset;
    Txg m_txg;
    DnodeRef m_dnode;
};

/// A salt need not be secret, only different: a simulation must be able to repeat it.
std::uint64_t saltFor(ObjsetId objset, ObjectId object, Txg txg)
{
    std::uint64_t x = objset.value() * 0x9e3779b97f4a7c15ULL + object.value() + (txg.value() << 32);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return (x ^ (x >> 31)) | 1U; // never 0
}

ObjectSpec objectOf(const ZapSpec& spec, Bytes bonus)
{
    ObjectSpec object;
    object.type = spec.type;
    object.bonusType = spec.bonusType;
    object.bonus = bonus;
    const unsigned shift = spec.leafBlockShift == 0 ? kDefaultLeafShift : spec.leafBlockShift;
    object.dataBlockBytes = spec.flags == 0 ? kMicroBlockBytes : 1U << shift;
    object.indirectShift = spec.indirectShift;
    object.slots = spec.dnodeSlots;
    return object;
}

Status checkSpec(const ZapSpec& spec)
{
    if (format::objectLayout(spec.type) != format::Layout::Zap ||
        (spec.leafBlockShift != 0 && (spec.leafBlockShift < format::kMinZapBlockShift ||
                                      spec.leafBlockShift > format::kMaxZapBlockShift)) ||
        spec.bonusBytes > format::kMaxDnodeBytes) {
        return fail(ErrorCode::InvalidArgument, "no ZAP can be made like this");
    }
    return {};
}

} // namespace

Result<ObjectId> ZapWriter::create(const ZapSpec& spec)
{
    MP_TRY(checkSpec(spec));
    const std::vector<std::byte> bonus(spec.bonusBytes);
    const ObjectId object = MP_TRY(m_objset.allocateObject(m_txg, objectOf(spec, bonus)));
    MP_TRY(initialize(object, spec));
    return object;
}

Status ZapWriter::claim(ObjectId object, const ZapSpec& spec)
{
    MP_TRY(checkSpec(spec));
    const std::vector<std::byte> bonus(spec.bonusBytes);
    MP_TRY(m_objset.claimObject(m_txg, object, objectOf(spec, bonus)));
    return initialize(object, spec);
}

Status ZapWriter::initialize(ObjectId object, const ZapSpec& spec)
{
    auto blocks = MP_TRY(LiveZapBlocks::open(m_objset, m_txg, object));
    return detail::ZapEdit(blocks).initialize(
        {saltFor(m_objset.id(), object, m_txg), spec.normalization, spec.flags});
}

Result<ObjectId>
ZapWriter::createLinked(ObjectId parent, std::string_view name, const ZapSpec& spec)
{
    const ObjectId object = MP_TRY(create(spec));
    MP_TRY(add(parent, name, object.value()));
    return object;
}

template <class Change> Status ZapWriter::change(ObjectId zap, Change&& change)
{
    auto blocks = MP_TRY(LiveZapBlocks::open(m_objset, m_txg, zap));
    Status status = change(detail::ZapEdit(blocks));
    if (!status) {
        return fail(std::move(status).error().at({.objset = m_objset.id(), .object = zap}));
    }
    return {};
}

Status ZapWriter::add(ObjectId zap, std::string_view name, const ZapValue& value)
{
    return change(
        zap, [&](detail::ZapEdit edit) { return edit.put(ZapKey(name), value, PutMode::Add); });
}

Status ZapWriter::add(ObjectId zap, std::span<const std::uint64_t> key, const ZapValue& value)
{
    return change(zap,
                  [&](detail::ZapEdit edit) { return edit.put(ZapKey(key), value, PutMode::Add); });
}

Status ZapWriter::update(ObjectId zap, std::string_view name, const ZapValue& value)
{
    return change(
        zap, [&](detail::ZapEdit edit) { return edit.put(ZapKey(name), value, PutMode::Update); });
}

Status ZapWriter::update(ObjectId zap, std::span<const std::uint64_t> key, const ZapValue& value)
{
    return change(
        zap, [&](detail::ZapEdit edit) { return edit.put(ZapKey(key), value, PutMode::Update); });
}

Status ZapWriter::remove(ObjectId zap, std::string_view name)
{
    return change(zap, [&](detail::ZapEdit edit) { return edit.remove(ZapKey(name)); });
}

Status ZapWriter::remove(ObjectId zap, std::span<const std::uint64_t> key)
{
    return change(zap, [&](detail::ZapEdit edit) { return edit.remove(ZapKey(key)); });
}

Status ZapWriter::increment(ObjectId zap, std::string_view name, std::int64_t delta)
{
    if (delta == 0) {
        return {};
    }
    const Zap table = MP_TRY(Zap::open(m_objset, zap));
    const Result<std::uint64_t> before = table.number(name);
    if (!before && !before.error().is(ErrorCode::NoSuchEntry)) {
        return fail(before.error());
    }
    const std::uint64_t sum = before.value_or(0) + static_cast<std::uint64_t>(delta);
    return sum == 0 ? (before ? remove(zap, name) : Status()) : update(zap, name, sum);
}

Status ZapWriter::addNumber(ObjectId zap, std::uint64_t number)
{
    return add(zap, fmt::format("{:x}", number), number);
}

Status ZapWriter::removeNumber(ObjectId zap, std::uint64_t number)
{
    return remove(zap, fmt::format("{:x}", number));
}

} // namespace millpond::object
