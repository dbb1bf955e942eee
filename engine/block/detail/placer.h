// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "block/detail/block_encoder.h"
#include "space/allocator.h"

#include <vector>

namespace millpond::block::detail {

/// What has to be written for one or several blocks.
struct WritePlan
{
    std::vector<vdev::BlockWrite> writes;
    std::vector<std::size_t> owners; ///< for each write: whose it is
    std::vector<Buffer> headers;     ///< what writes point into
    std::size_t owner = 0;           ///< of writes added from now on

    void add(const format::Dva& place, Bytes data)
    {
        writes.push_back({.vdev = place.vdev, .offset = place.offset, .data = data, .status = {}});
        owners.push_back(owner);
    }
};

/// Gives a block its places: copies, gangs. Thread-safe.
class Placer
{
public:
    /// All outlive the placer.
    Placer(const VdevMap& vdevs,
           space::Allocator& allocator,
           const BlockEncoder& encoder,
           const BlockWriterOptions& options)
        : m_vdevs(vdevs)
        , m_allocator(allocator)
        , m_encoder(encoder)
        , m_options(options)
    {
    }

    struct Request
    {
        unsigned copies = 1;
        vdev::AllocationClass allocationClass = vdev::AllocationClass::Normal;
        Txg txg;
    };

    /// Allocates, sets the pointer's places and plans the writes. `bytes` outlives the plan. What
    /// was allocated is added to `taken`, also when it fails. NoSpace; errors of the allocator.
    [[nodiscard]] Status place(format::BlockPointer& pointer,
                               Bytes bytes,
                               const Request& request,
                               WritePlan& plan,
                               std::vector<space::Extent>& taken) const;

    /// The same in the places of `previous`, of equal size and born in this txg. Errors: BadGang.
    [[nodiscard]] Status rewrite(format::BlockPointer& pointer,
                                 const format::BlockPointer& previous,
                                 Bytes bytes,
                                 WritePlan& plan) const;

private:
    struct Job
    {
        const Request& request;
        WritePlan& plan;
        std::vector<space::Extent>& taken;
    };

    [[nodiscard]] Status placeBlock(format::BlockPointer& pointer,
                                    Bytes bytes,
                                    const Job& job,
                                    std::optional<VdevId> near,
                                    unsigned depth) const;
    [[nodiscard]] Status
    placeGang(format::BlockPointer& pointer, Bytes bytes, const Job& job, unsigned depth) const;
    [[nodiscard]] Status
    allocateCopies(format::BlockPointer& pointer, const Job& job, std::optional<VdevId> near) const;
    [[nodiscard]] Status allocate(const space::AllocationRequest& request,
                                  unsigned copies,
                                  std::vector<space::Extent>& taken) const;
    [[nodiscard]] Status rewriteBlock(format::BlockPointer& pointer,
                                      const format::BlockPointer& previous,
                                      Bytes bytes,
                                      WritePlan& plan,
                                      unsigned depth) const;
    [[nodiscard]] Result<format::BlockPointer> member(const format::BlockPointer& leader,
                                                      Bytes bytes) const;
    [[nodiscard]] Status writeHeader(const format::BlockPointer& pointer,
                                     const std::array<format::BlockPointer, 3>& members,
                                     WritePlan& plan) const;

    const VdevMap& m_vdevs;
    space::Allocator& m_allocator;
    const BlockEncoder& m_encoder;
    const BlockWriterOptions& m_options;
};

} // namespace millpond::block::detail
