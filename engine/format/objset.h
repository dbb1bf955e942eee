// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/dnode.h"
#include "format/intent_log.h"

#include <optional>
#include <string>
#include <string_view>

namespace millpond::format {

enum class ObjsetType : std::uint64_t
{
    None = 0,
    Meta = 1,       ///< the pool's own objects
    Filesystem = 2, ///< ZPL
    Volume = 3,
    Other = 4,
    Any = 5,
};

[[nodiscard]] std::string_view objsetTypeName(ObjsetType type);

struct ObjsetFlag
{
    static constexpr std::uint64_t kUserAccountingComplete = 1;
    static constexpr std::uint64_t kUserObjectAccountingComplete = 2;
    static constexpr std::uint64_t kProjectQuotaComplete = 4;
};

/// The root block of an object set [objset_phys_t]: 0 meta dnode (512), 512 intent log header
/// (192), 704 type, 712 flags, 720 portable MAC (32), 752 local MAC (32); from version 15 pools on
/// 1024 and 1536 dnodes of user and group accounting; with project quotas 2048 dnode of project
/// accounting.
struct ObjsetPhys
{
    static constexpr std::size_t kBytesV1 = 1024;
    static constexpr std::size_t kBytesV2 = 2048;
    static constexpr std::size_t kBytesV3 = 4096;
    static constexpr std::size_t kMacBytes = 32;

    std::array<std::byte, kDnodeSlotBytes> metaDnode{}; ///< in the order below
    ZilHeader intentLog;
    ObjsetType type = ObjsetType::None;
    std::uint64_t flags = 0; ///< ObjsetFlag
    std::array<std::byte, kMacBytes> portableMac{};
    std::array<std::byte, kMacBytes> localMac{};
    /// Absent in short headers and where the slot is free.
    std::optional<std::array<std::byte, kDnodeSlotBytes>> userUsedDnode;
    std::optional<std::array<std::byte, kDnodeSlotBytes>> groupUsedDnode;
    std::optional<std::array<std::byte, kDnodeSlotBytes>> projectUsedDnode;
    ByteOrder order = ByteOrder::Little; ///< of the dnodes' bytes, for DnodeView
    std::size_t sizeBytes = 0;           ///< kBytesV1, V2 or V3: what was decoded

    /// BadObjset when shorter than kBytesV1, of an unknown type, or with a senseless meta dnode.
    /// Bytes beyond a known size are ignored.
    [[nodiscard]] static Result<ObjsetPhys> decode(Bytes bytes, ByteOrder order);
    /// `out` has sizeBytes bytes, written in `order`; absent parts become zero.
    void encode(MutableBytes out) const;
    [[nodiscard]] std::string toText() const;
};

} // namespace millpond::format
