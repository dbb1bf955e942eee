// SPDX-License-Identifier: GPL-3.0-or-later
// Property: any header or leaf of a fat ZAP is refused, or all it says can be followed; a leaf
// never lists more entries than it has chunks.
#include "format/zap.h"
#include "fuzz/format_input.h"

#include <bit>

using namespace millpond;

namespace {

void readHeader(const format::FatZapHeaderView& zap)
{
    fuzz::use(zap.toText());
    const std::uint64_t last = zap.tableIndex(~std::uint64_t{0});
    MP_CHECK(last < zap.tableEntries());
    if (zap.tableEmbedded()) {
        fuzz::use(zap.embeddedPointer(last));
    } else {
        fuzz::use(zap.tablePlace(last).block);
    }
}

void readLeaf(const format::ZapLeafView& leaf)
{
    fuzz::use(leaf.toText());
    for (std::size_t chunk = 0; chunk < leaf.chunks(); ++chunk) {
        fuzz::use(leaf.nextChunk(chunk) + leaf.chunkType(chunk));
    }
    const auto entries = leaf.entries();
    if (!entries) {
        return;
    }
    MP_CHECK(entries->size() <= leaf.chunks());
    for (const auto& entry : *entries) {
        if (const auto values = leaf.values(entry)) {
            fuzz::use(values->size());
        }
        if (const auto name = leaf.name(entry)) {
            const auto found = leaf.find(entry.hash, *name);
            MP_CHECK(!found || found->has_value());
        }
        if (const auto key = leaf.key(entry)) {
            const auto found = leaf.find(entry.hash, std::span<const std::uint64_t>(*key));
            MP_CHECK(!found || found->has_value());
        }
    }
}

/// Cut to a power of two, which blocks are.
Bytes blockOf(Bytes bytes)
{
    return bytes.first(std::bit_floor(bytes.size()));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::FormatInput input(data, size);
    const Bytes block = blockOf(input.bytes);
    if (const auto header = format::FatZapHeaderView::create(block, input.order)) {
        readHeader(*header);
    }
    if (const auto leaf = format::ZapLeafView::create(block, input.order)) {
        readLeaf(*leaf);
    }
    return 0;
}
