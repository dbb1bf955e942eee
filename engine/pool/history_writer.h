// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "format/history.h"
#include "object/live_object_set.h"

#include <string>

namespace millpond::pool {

/// Writes what history.h reads. Syncing context, one thread.
class HistoryWriter
{
public:
    /// Both outlive this.
    HistoryWriter(object::LiveObjectSet& mos, const Clock& clock, std::string host)
        : m_mos(mos)
        , m_clock(clock)
        , m_host(std::move(host))
    {
    }

    /// `poolBytes`: of the normal class, what the size of the ring follows from.
    [[nodiscard]] Status create(std::uint64_t poolBytes, Txg txg);

    /// Of a pool that has one. 0: none, nothing is written.
    void open(ObjectId object) { m_object = object; }

    /// What somebody asked for, as he would type it. The first one of a pool is never overwritten.
    [[nodiscard]] Status addCommand(std::string_view command, std::uint64_t user, Txg txg);

    /// What the engine did.
    struct InternalEvent
    {
        std::string_view name;    ///< "create", "set", …
        std::string_view dataset; ///< empty: of the pool
        ObjsetId objset;
        std::string_view text;
    };

    [[nodiscard]] Status addEvent(const InternalEvent& event, Txg txg);

private:
    [[nodiscard]] format::NvList newRecord() const;
    [[nodiscard]] Status add(const format::NvList& record, bool isCommand, Txg txg);
    [[nodiscard]] Status dropOldest(const object::Dnode& dnode, format::HistoryPhys& phys) const;
    [[nodiscard]] Status write(const format::HistoryPhys& phys, Bytes bytes, Txg txg);

    object::LiveObjectSet& m_mos;
    const Clock& m_clock;
    std::string m_host;
    ObjectId m_object;
};

} // namespace millpond::pool
