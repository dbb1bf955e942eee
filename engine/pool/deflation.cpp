// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/deflation.h"

#include "format/dsl.h"

namespace millpond::pool {

namespace {
constexpr std::uint64_t kMeasureBytes = 128 * KiB;
} // namespace

Result<Deflation> Deflation::of(const Mos& mos, const vdev::VdevTree& vdevs)
{
    Deflation deflation = of(vdevs);
    deflation.m_deflates = MP_TRY(mos.number(format::kPoolDeflate)).value_or(0) != 0;
    return deflation;
}

Deflation Deflation::of(const vdev::VdevTree& vdevs)
{
    Deflation deflation;
    deflation.m_deflates = true;
    for (std::size_t i = 0; i < vdevs.topLevelCount(); ++i) {
        const VdevId id(static_cast<std::uint32_t>(i));
        const vdev::TopLevel* top = vdevs.top(id);
        const std::uint64_t sectors =
            top == nullptr
                ? 0
                : top->allocatedSize(ByteCount(kMeasureBytes)).value() >> format::kSectorShift;
        if (sectors != 0) {
            deflation.m_ratios[id.value()] = kMeasureBytes / sectors;
        }
    }
    return deflation;
}

std::uint64_t Deflation::bytes(VdevId vdev, std::uint64_t allocated) const
{
    if (!m_deflates) {
        return allocated;
    }
    const auto ratio = m_ratios.find(vdev.value());
    return ratio == m_ratios.end() ? 0 : (allocated >> format::kSectorShift) * ratio->second;
}

std::uint64_t Deflation::bytes(const format::BlockPointer& pointer) const
{
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < pointer.dvaCount(); ++i) {
        const format::Dva dva = pointer.dva(i);
        sum += bytes(dva.vdev, dva.allocated.value());
    }
    return sum;
}

} // namespace millpond::pool
