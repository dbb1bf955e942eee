// SPDX-License-Identifier: GPL-3.0-or-later
// Property: any old znode, ACL or table of domains is refused or read; ACL entries encode to the
// bytes they were read from. The target's own bits: version and count of the entries.
#include "format/znode.h"
#include "fuzz/format_input.h"

#include <algorithm>

using namespace millpond;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const fuzz::FormatInput input(data, size);
    if (const auto znode = format::ZnodePhys::decode(input.bytes, input.order)) {
        fuzz::use(znode->toText());
        const Bytes tail = input.bytes.subspan(format::ZnodePhys::kAclOffset);
        if (const auto acl = format::ZnodeAcl::decode(tail, input.order)) {
            fuzz::use(acl->aces.size());
        }
    }
    const auto version =
        (input.choice & 1) != 0 ? format::AclVersion::Fuid : format::AclVersion::Initial;
    if (const auto aces =
            format::decodeAces(input.bytes, input.choice >> 1, version, input.order)) {
        const auto out = format::encodeAces(*aces, version, input.order);
        MP_CHECK(std::ranges::equal(out, input.bytes.first(out.size())));
    }
    if (const auto domains = format::decodeFuidTable(input.bytes)) {
        fuzz::use(domains->size());
    }
    return 0;
}
