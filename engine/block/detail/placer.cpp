// SPDX-License-Identifier: GPL-3.0-or-later
#include "block/detail/placer.h"

#include "block/extents.h"
#include "block/pointer_maker.h"
#include "format/dnode.h"
#include "format/gang.h"

#include <algorithm>

namespace millpond::block::detail {

using format::BlockPointer;
using format::Dva;
using format::GangHeader;

namespace {

constexpr ByteCount kHeaderSize{GangHeader::kBytes};

/// With the header lost nobody knows where the members are: never fewer than two copies.
unsigned headerCopies(unsigned copies)
{
    return std::max(copies, 2U);
}

void planCopies(const BlockPointer& pointer, Bytes bytes, WritePlan& plan)
{
    for (std::size_t copy = 0; copy < pointer.dvaCount(); ++copy) {
        plan.add(pointer.dva(copy), bytes);
    }
}

} // namespace

Status Placer::place(BlockPointer& pointer,
                     Bytes bytes,
                     const Request& request,
                     WritePlan& plan,
                     std::vector<space::Extent>& taken) const
{
    return placeBlock(
        pointer, bytes, {.request = request, .plan = plan, .taken = taken}, std::nullopt, 0);
}

// NOLINTNEXTLINE(misc-no-recursion): at most GangHeader::kMaxDepth deep
Status Placer::placeBlock(BlockPointer& pointer,
                          Bytes bytes,
                          const Job& job,
                          std::optional<VdevId> near,
                          unsigned depth) const
{
    Status status = allocateCopies(pointer, job, near);
    if (status) {
        planCopies(pointer, bytes, job.plan);
        return {};
    }
    const bool divisible = ByteCount(bytes.size()) > m_options.minimumAllocation;
    if (!status.error().is(ErrorCode::NoSpace) || !divisible || depth == GangHeader::kMaxDepth) {
        return status;
    }
    return placeGang(pointer, bytes, job, depth);
}

Status
Placer::allocateCopies(BlockPointer& pointer, const Job& job, std::optional<VdevId> near) const
{
    const std::size_t first = job.taken.size();
    MP_TRY(allocate({.allocationClass = job.request.allocationClass,
                     .physicalSize = pointer.physicalSize(),
                     .txg = job.request.txg,
                     .apartFrom = {},
                     .near = near},
                    job.request.copies,
                    job.taken));
    for (unsigned copy = 0; copy < job.request.copies; ++copy) {
        const space::Extent& extent = job.taken[first + copy];
        setDva(pointer,
               copy,
               {.vdev = extent.vdev, .offset = extent.offset, .allocated = extent.size});
    }
    return {};
}

/// All copies or none.
Status Placer::allocate(const space::AllocationRequest& request,
                        unsigned copies,
                        std::vector<space::Extent>& taken) const
{
    std::array<space::Extent, BlockPointer::kDvas> extents{};
    for (unsigned copy = 0; copy < copies; ++copy) {
        space::AllocationRequest one = request;
        one.apartFrom = std::span(extents).first(copy);
        Result<space::Extent> extent = m_allocator.allocate(one);
        if (!extent) {
            while (copy-- > 0) {
                MP_TRY(m_allocator.unallocate(extents[copy], request.txg));
            }
            return fail(std::move(extent).error());
        }
        extents[copy] = *extent;
    }
    taken.insert(taken.end(), extents.begin(), extents.begin() + copies);
    return {};
}

/// A piece of a block, with its checksum.
Result<BlockPointer> Placer::member(const BlockPointer& leader, Bytes bytes) const
{
    BlockPointer pointer = storedPointer({.type = format::number(format::ObjectType::None),
                                          .level = Level(0),
                                          .checksum = leader.checksumType(),
                                          .compression = format::CompressionType::Off,
                                          .logicalSize = ByteCount(bytes.size()),
                                          .physicalSize = ByteCount(bytes.size()),
                                          .birth = leader.physicalBirth(),
                                          .fill = 0});
    MP_TRY(m_encoder.seal(pointer, bytes));
    return pointer;
}

// NOLINTNEXTLINE(misc-no-recursion): at most GangHeader::kMaxDepth deep
Status Placer::placeGang(BlockPointer& pointer, Bytes bytes, const Job& job, unsigned depth) const
{
    const std::size_t first = job.taken.size();
    const unsigned copies = headerCopies(job.request.copies);
    MP_TRY(allocate({.allocationClass = job.request.allocationClass,
                     .physicalSize = kHeaderSize,
                     .txg = job.request.txg,
                     .apartFrom = {},
                     .near = std::nullopt},
                    copies,
                    job.taken));
    std::array<Dva, BlockPointer::kDvas> places{};
    for (unsigned copy = 0; copy < copies; ++copy) {
        const space::Extent& extent = job.taken[first + copy];
        places[copy] = {
            .vdev = extent.vdev, .offset = extent.offset, .allocated = extent.size, .gang = true};
    }

    std::array<BlockPointer, GangHeader::kPointers> members{};
    for (std::size_t i = 0; i < members.size() && !bytes.empty(); ++i) {
        const std::uint64_t share = alignUp(divideRoundUp(bytes.size(), members.size() - i),
                                            m_options.minimumAllocation.value());
        const Bytes piece = bytes.first(std::min<std::size_t>(bytes.size(), share));
        bytes = bytes.subspan(piece.size());
        members[i] = MP_TRY(member(pointer, piece));
        MP_TRY(placeBlock(members[i], piece, job, places[0].vdev, depth + 1));
        // The header's places count what is below them.
        for (std::size_t copy = 0; copy < members[i].dvaCount() && copy < copies; ++copy) {
            places[copy].allocated += members[i].dva(copy).allocated;
        }
    }
    for (unsigned copy = 0; copy < copies; ++copy) {
        setDva(pointer, copy, places[copy]);
    }
    return writeHeader(pointer, members, job.plan);
}

Status Placer::writeHeader(const BlockPointer& pointer,
                           const std::array<BlockPointer, 3>& members,
                           WritePlan& plan) const
{
    Buffer bytes = MP_TRY(Buffer::create(GangHeader::kBytes));
    GangHeader{.pointers = members}.encode(bytes.bytes());
    const Dva first = pointer.dva(0);
    MP_TRY(codec::sealEmbedded(
        codec::ChecksumAlgorithm::GangHeader,
        bytes.bytes(),
        codec::gangVerifier(first.vdev, first.offset, pointer.physicalBirth())));
    planCopies(pointer, bytes.bytes(), plan);
    plan.headers.push_back(std::move(bytes));
    return {};
}

Status Placer::rewrite(BlockPointer& pointer,
                       const BlockPointer& previous,
                       Bytes bytes,
                       WritePlan& plan) const
{
    return rewriteBlock(pointer, previous, bytes, plan, 0);
}

// NOLINTNEXTLINE(misc-no-recursion): at most GangHeader::kMaxDepth deep
Status Placer::rewriteBlock(BlockPointer& pointer,
                            const BlockPointer& previous,
                            Bytes bytes,
                            WritePlan& plan,
                            unsigned depth) const
{
    for (std::size_t copy = 0; copy < previous.dvaCount(); ++copy) {
        setDva(pointer, copy, previous.dva(copy));
    }
    if (!previous.isGang()) {
        planCopies(pointer, bytes, plan);
        return {};
    }
    if (depth == GangHeader::kMaxDepth) {
        return fail(ErrorCode::BadGang, "gangs nested too deep");
    }
    GangHeader header = MP_TRY(readGangHeader(m_vdevs, previous));
    for (BlockPointer& old : header.pointers) {
        if (old.isHole()) {
            continue;
        }
        if (old.physicalSize().value() > bytes.size()) {
            return fail(ErrorCode::BadGang, "the pieces of a gang are more than the block");
        }
        const Bytes piece = bytes.first(static_cast<std::size_t>(old.physicalSize().value()));
        bytes = bytes.subspan(piece.size());
        BlockPointer fresh = MP_TRY(member(pointer, piece));
        MP_TRY(rewriteBlock(fresh, old, piece, plan, depth + 1));
        old = fresh;
    }
    if (!bytes.empty()) {
        return fail(ErrorCode::BadGang, "the pieces of a gang are less than the block");
    }
    return writeHeader(pointer, header.pointers, plan);
}

} // namespace millpond::block::detail
