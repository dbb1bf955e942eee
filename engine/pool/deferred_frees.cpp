// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/deferred_frees.h"

#include "format/dsl.h"
#include "object/zap_writer.h"

namespace millpond::pool {

namespace {
constexpr std::uint32_t kListBlockBytes = 16 * 1024;
constexpr unsigned kFirstDeferringPass = 2;
} // namespace

Status DeferredFrees::create(Txg txg)
{
    m_list = MP_TRY(dataset::BpObjectWriter(m_lists, txg).create(kListBlockBytes));
    // Blocks that always have the same size can be written in place in later passes.
    MP_TRY(m_lists.mos.setCompression(
        txg, m_list, static_cast<std::uint8_t>(format::CompressionType::Off)));
    object::ZapWriter zaps(m_lists.mos, txg);
    return zaps.add(format::kPoolDirectoryObject, format::kPoolSyncBpObject, m_list.value());
}

Status DeferredFrees::freeDeferred(Txg txg)
{
    std::vector<format::BlockPointer> pointers;
    {
        const dataset::BpObject list = MP_TRY(dataset::BpObject::open(m_lists.mos, m_list));
        if (list.ownEntries() == 0) {
            return {};
        }
        MP_TRY(list.forEach([&](const format::BlockPointer& pointer, bool) -> Result<bool> {
            pointers.push_back(pointer);
            return true;
        }));
    }
    for (const format::BlockPointer& pointer : pointers) {
        MP_TRY(m_writer.free(pointer, txg));
    }
    return dataset::BpObjectWriter(m_lists, txg).clear(m_list);
}

Status DeferredFrees::process(Txg txg, unsigned pass)
{
    const std::vector<format::BlockPointer> pointers = std::exchange(m_waiting, {});
    if (pass >= kFirstDeferringPass) {
        return dataset::BpObjectWriter(m_lists, txg).append(m_list, pointers);
    }
    for (const format::BlockPointer& pointer : pointers) {
        MP_TRY(m_writer.free(pointer, txg));
    }
    return {};
}

} // namespace millpond::pool
