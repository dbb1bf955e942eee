// SPDX-License-Identifier: GPL-3.0-or-later
// Property: any blocks as a ZAP object can be verified, listed, and looked up in, in bounded time,
// with cursors that only go forward. Input: a byte (bit 0 byte order, bits 1 to 3 block size), then
// the blocks.
#include "base/check.h"
#include "engine/object/memory_objects.h"
#include "object/zap.h"

using namespace millpond;
using object::Zap;

namespace {

void walk(const Zap& zap)
{
    std::uint64_t cursor = Zap::kBegin;
    while (cursor != Zap::kEnd) {
        const auto entries = zap.list(cursor, 7);
        if (!entries) {
            return;
        }
        MP_CHECK(entries->next > cursor);
        for (const auto& [after, entry] : entries->entries) {
            MP_CHECK(after > cursor);
            (void)zap.lookup(entry.name);
            (void)zap.lookup(entry.name, {.ignoreCase = true, .normalization = 0x50});
            (void)zap.lookup(entry.key);
            (void)entry.text();
        }
        cursor = entries->next;
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t kMaxBlocks = 64;
    if (size < 2) {
        return 0;
    }
    test::MemoryBlocks blocks;
    test::TreeSpec spec;
    spec.type = format::number(format::ObjectType::Directory);
    spec.blockBytes = std::uint32_t{512} << (data[0] >> 1U & 7U);
    spec.order = test::always((data[0] & 1U) != 0 ? ByteOrder::Big : ByteOrder::Little);
    const Bytes bytes = std::as_bytes(std::span(data + 1, size - 1));
    for (std::size_t at = 0; at < bytes.size() && spec.blocks.size() < kMaxBlocks;
         at += spec.blockBytes) {
        const Bytes part =
            bytes.subspan(at, std::min<std::size_t>(spec.blockBytes, bytes.size() - at));
        test::ByteVector& block = spec.blocks[at / spec.blockBytes];
        block.assign(part.begin(), part.end());
        block.resize(spec.blockBytes);
    }
    test::ObjsetBuilder builder(blocks);
    test::DnodeSpec dnode;
    dnode.type = spec.type;
    builder.add(1, dnode, spec);
    const auto objset = object::ObjectSet::open(blocks, builder.build(), ObjsetId(3));
    MP_CHECK(objset.has_value());
    const auto zap = Zap::open(**objset, ObjectId(1));
    if (!zap) {
        return 0;
    }
    (void)zap->count();
    (void)zap->verify();
    walk(*zap);
    return 0;
}
