// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/label.h"
#include "vdev/detail/node.h"

namespace millpond::vdev::detail {

/// Hands findings to the sink and counts them; a wrong copy is also counted against its leaf.
class ScrubTeller
{
public:
    ScrubTeller(const ScrubSink& sink, bool counts)
        : m_sink(sink)
        , m_counts(counts)
    {
    }

    void countRead(std::size_t bytes) { m_outcome.bytesRead += bytes; }

    /// `offset` as of a DVA.
    void tell(ScrubFinding::Kind kind, const Leaf& leaf, ByteOffset offset, std::size_t size)
    {
        send(kind, leaf.guid(), leaf.knownAs(), offset, size);
    }

    /// A copy or column that could not be read, or holds something else than it should.
    void tellBad(Leaf& leaf,
                 bool wasRead,
                 bool missed,
                 ByteOffset offset,
                 std::size_t size,
                 ScrubFinding::Kind wrong = ScrubFinding::Kind::BadData)
    {
        if (missed) {
            tell(ScrubFinding::Kind::AwaitingResilver, leaf, offset, size);
            return;
        }
        if (wasRead && m_counts) {
            leaf.counters().countChecksumError();
        }
        tell(wasRead ? wrong : ScrubFinding::Kind::Unreadable, leaf, offset, size);
    }

    /// Writes what should be there, whole sectors. A failure is counted against the leaf.
    void repair(Leaf& leaf, ByteOffset offset, Bytes right, Txg birth)
    {
        if (!leaf.write(offset, right)) {
            return;
        }
        m_outcome.bytesRepaired += right.size();
        if (birth != Txg(0)) {
            leaf.journal().noteWritten(birth);
        }
    }

    void tellLost(const Node& top, ByteOffset offset, std::size_t size)
    {
        send(ScrubFinding::Kind::Unrecoverable, top.guid, top.name(), offset, size);
    }

    [[nodiscard]] const ScrubOutcome& outcome() const { return m_outcome; }

private:
    void send(ScrubFinding::Kind kind,
              VdevGuid guid,
              const std::string& path,
              ByteOffset offset,
              std::size_t size)
    {
        ++m_outcome.findings;
        m_sink({.kind = kind,
                .leaf = guid,
                .path = path,
                .offset = offset + ByteCount(format::kLabelStartBytes),
                .size = ByteCount(size)});
    }

    const ScrubSink& m_sink;
    const bool m_counts;
    ScrubOutcome m_outcome;
};

} // namespace millpond::vdev::detail
