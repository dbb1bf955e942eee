// SPDX-License-Identifier: GPL-3.0-or-later
#include "object/detail/zap_edit.h"

#include "object/detail/micro_zap_edit.h"

namespace millpond::object::detail {

using format::MicroZapView;

namespace {

/// Block size of a ZAP that becomes fat. [fzap_default_block_shift]
constexpr std::uint32_t kFatBlockBytes = 16384;
/// A full micro ZAP grows by so much.
constexpr std::uint32_t kGrowBytes = 512;
/// Chunks of a leaf that the largest entry of a micro ZAP takes: itself, its name, its value.
constexpr std::size_t kEntryChunks =
    1 + divideRoundUp(format::kMicroZapNameBytes, format::ZapLeafView::kArrayBytes) + 1;

} // namespace

Status ZapEdit::initialize(const Spec& spec)
{
    if (spec.flags != 0) {
        return FatZapEdit(m_blocks).initialize({spec.salt, spec.normalization, spec.flags});
    }
    return m_blocks.modify(0, [&](MutableBytes block) -> Status {
        MicroZapEdit::initialize(block, spec.salt, spec.normalization);
        return {};
    });
}

Result<bool> ZapEdit::isMicro()
{
    const BufferRef block = MP_TRY(m_blocks.read(0));
    if (block == nullptr) {
        return fail(ErrorCode::BadZap, "its first block is missing");
    }
    return MP_TRY(format::zapKind(block->bytes(), ByteOrder::Little)) == format::ZapKind::Micro;
}

Status ZapEdit::put(const ZapKey& key, const ZapValue& value, PutMode mode)
{
    if (key.isText() && key.text().empty()) {
        return fail(ErrorCode::InvalidName, "a ZAP entry needs a name");
    }
    while (MP_TRY(isMicro())) {
        const std::optional<std::uint64_t> number = value.number();
        if (!key.isText() || !number || key.stored().size() > format::kMicroZapNameBytes) {
            MP_TRY(upgrade());
            break;
        }
        if (MP_TRY(putMicro(key, *number, mode))) {
            return {};
        }
    }
    return FatZapEdit(m_blocks).put(key, {value.stored(), value.integerBytes()}, mode);
}

Result<bool> ZapEdit::putMicro(const ZapKey& key, std::uint64_t value, PutMode mode)
{
    enum class Need : std::uint8_t
    {
        Nothing,
        Room,
        Leaf
    } need = Need::Nothing;
    MP_TRY(m_blocks.modify(0, [&](MutableBytes block) -> Status {
        MicroZapEdit micro = MP_TRY(MicroZapEdit::open(block));
        if (const std::optional<std::size_t> slot = micro.find(key.text())) {
            if (mode == PutMode::Add) {
                return fail(ErrorCode::AlreadyExists, "the entry is there already");
            }
            micro.setValue(*slot, value);
            return {};
        }
        const std::optional<std::size_t> slot = micro.freeSlot();
        if (!slot) {
            need = Need::Room;
            return {};
        }
        const MicroZapEdit::Hashed hashed = micro.sameHash(key.text());
        if ((hashed.entries + std::size_t{1}) * kEntryChunks >=
            LeafLayout(kFatBlockBytes).chunks()) {
            need = Need::Leaf;
            return {};
        }
        micro.insert(*slot, key.text(), value, hashed.collision);
        return {};
    }));
    if (need == Need::Nothing) {
        return true;
    }
    if (need == Need::Room && m_blocks.blockBytes() + kGrowBytes <= MicroZapEdit::kMaxBytes) {
        MP_TRY(m_blocks.setBlockBytes(m_blocks.blockBytes() + kGrowBytes));
    } else {
        MP_TRY(upgrade());
    }
    return false;
}

Status ZapEdit::upgrade()
{
    const BufferRef block = MP_TRY(m_blocks.read(0));
    const MicroZapView micro = MP_TRY(MicroZapView::create(block->bytes(), ByteOrder::Little));
    MP_TRY(m_blocks.setBlockBytes(kFatBlockBytes));
    FatZapEdit fat(m_blocks);
    MP_TRY(fat.initialize({micro.salt(), micro.normalization(), 0}));
    for (std::size_t slot = 0; slot < micro.slots(); ++slot) {
        if (const std::optional<MicroZapView::Entry> entry = micro.entry(slot)) {
            const ZapValue value(entry->value);
            MP_TRY(fat.put(ZapKey(entry->name),
                           {value.stored(), value.integerBytes()},
                           PutMode::Add,
                           entry->collision));
        }
    }
    return {};
}

Status ZapEdit::remove(const ZapKey& key)
{
    if (!MP_TRY(isMicro())) {
        return FatZapEdit(m_blocks).remove(key);
    }
    return m_blocks.modify(0, [&](MutableBytes block) -> Status {
        MicroZapEdit micro = MP_TRY(MicroZapEdit::open(block));
        const auto slot = key.isText() ? micro.find(key.text()) : std::nullopt;
        if (!slot) {
            return fail(ErrorCode::NoSuchEntry, "no such entry");
        }
        micro.remove(*slot);
        return {};
    });
}

} // namespace millpond::object::detail
