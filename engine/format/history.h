// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/byte_order.h"
#include "base/result.h"
#include "format/nvlist.h"

#include <optional>
#include <string_view>

namespace millpond::format {

/// A pool's history: the bonus (5 words) describes a ring in the object; the first part, up to
/// poolCreateEnd, is never overwritten. Records: length (8 bytes, little-endian always), packed
/// nvlist (XDR in old pools, else native).
struct HistoryPhys
{
    static constexpr std::size_t kBytes = 40;

    std::uint64_t poolCreateEnd = 0;   ///< where the ring begins
    std::uint64_t physicalMaximum = 0; ///< where it ends
    std::uint64_t begin = 0;           ///< logical offset of the first record in the ring
    std::uint64_t end = 0;             ///< logical offset behind the last
    std::uint64_t recordsLost = 0;

    /// BadLog when the offsets make no sense.
    [[nodiscard]] static Result<HistoryPhys> decode(Bytes bonus, ByteOrder order);
    void encode(MutableBytes out, ByteOrder order = ByteOrder::Little) const; ///< kBytes
    /// Where a logical offset lies in the object.
    [[nodiscard]] std::uint64_t physical(std::uint64_t logical) const;

    /// Bytes of records still there, the first part included.
    [[nodiscard]] std::uint64_t bytes() const { return poolCreateEnd + (end - begin); }
};

inline constexpr std::string_view kHistoryCommand = "history command";
inline constexpr std::string_view kHistoryTime = "history time";
inline constexpr std::string_view kHistoryWho = "history who";
inline constexpr std::string_view kHistoryZone = "history zone";
inline constexpr std::string_view kHistoryHost = "history hostname";
inline constexpr std::string_view kHistoryTxg = "history txg";
inline constexpr std::string_view kHistoryInternalEvent = "history internal event";
inline constexpr std::string_view kHistoryInternalText = "history internal str";
inline constexpr std::string_view kHistoryInternalName = "internal_name";
inline constexpr std::string_view kHistoryIoctl = "ioctl";
inline constexpr std::string_view kHistoryInput = "in_nvl";
inline constexpr std::string_view kHistoryOutput = "out_nvl";
inline constexpr std::string_view kHistoryErrno = "errno";
inline constexpr std::string_view kHistoryDatasetName = "dsname";
inline constexpr std::string_view kHistoryDatasetId = "dsid";

/// The name of an old pool's numbered internal event; empty when unknown.
[[nodiscard]] std::string_view historyEventName(std::uint64_t event);

/// Takes records one by one from bytes put in logical order.
class HistoryReader
{
public:
    static constexpr std::uint64_t kMaxRecordBytes = NvList::kMaxPackedBytes;

    explicit HistoryReader(Bytes bytes)
        : m_bytes(bytes)
    {
    }

    /// Nothing when what is left is no whole record (the caller may put more bytes behind it).
    /// BadLog or BadNvlist for a broken one; the reader then stands behind it where its length
    /// allows.
    [[nodiscard]] Result<std::optional<NvList>> next();

    /// Bytes consumed so far.
    [[nodiscard]] std::size_t position() const { return m_position; }

private:
    Bytes m_bytes;
    std::size_t m_position = 0;
};

} // namespace millpond::format
