// SPDX-License-Identifier: GPL-3.0-or-later
#include "format/brt.h"

#include <fmt/format.h>

namespace millpond::format {

namespace {

std::unexpected<Error> bad(std::string what)
{
    return fail(ErrorCode::BadBlockPointer, std::move(what));
}

} // namespace

std::string brtObjectName(VdevId vdev)
{
    return fmt::format("{}{}", kBrtObjectPrefix, vdev.value());
}

Result<BrtVdevPhys> BrtVdevPhys::decode(Bytes bonus, ByteOrder order)
{
    if (bonus.size() < kBytes) {
        return bad(fmt::format("{} bytes are no clone table", bonus.size()));
    }
    const auto word = [&](std::size_t index) {
        return load<std::uint64_t>(bonus, index * 8, order);
    };
    if (word(2) > 1) {
        return bad(fmt::format("clone table of unknown byte order {}", word(2)));
    }
    BrtVdevPhys phys;
    phys.entries = ObjectId(word(0));
    phys.size = word(1);
    phys.order = word(2) == 0 ? ByteOrder::Little : ByteOrder::Big;
    phys.totalCount = word(3);
    phys.rangeSize = word(4);
    phys.usedSpace = word(5);
    phys.savedSpace = word(6);
    return phys;
}

Result<BrtEntry> BrtEntry::decode(std::span<const std::uint64_t> key,
                                  std::uint8_t integerBytes,
                                  std::span<const std::uint64_t> value)
{
    if (key.size() != 1) {
        return bad(fmt::format("clone table key of {} words", key.size()));
    }
    if (integerBytes == 8 && value.size() == 1) {
        return BrtEntry{ByteOffset(key[0]), value[0]};
    }
    if (integerBytes != 1 || value.size() != 8) {
        return bad(
            fmt::format("clone table value of {} times {} bytes", value.size(), integerBytes));
    }
    std::uint64_t references = 0;
    for (std::size_t i = 0; i < value.size(); ++i) {
        references |= (value[i] & 0xff) << (i * 8);
    }
    return BrtEntry{ByteOffset(key[0]), references};
}

} // namespace millpond::format
