// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "space/detail/metaslab.h"

#include <set>
#include <vector>

namespace millpond::space::detail {

/// The metaslabs of one top-level vdev, in the order in which they are to be used. All under the
/// Allocator's lock.
class VdevSpace
{
public:
    /// BadSpaceMap for a shift or figures that make no sense.
    [[nodiscard]] static Result<std::unique_ptr<VdevSpace>> create(TopLevelSource source);

    [[nodiscard]] const vdev::TopLevel& top() const { return *m_top; }

    [[nodiscard]] vdev::AllocationClass allocationClass() const { return m_top->allocationClass(); }

    [[nodiscard]] const std::vector<std::unique_ptr<Metaslab>>& metaslabs() const
    {
        return m_metaslabs;
    }

    /// Null: behind the last one.
    [[nodiscard]] Metaslab* metaslabAt(std::uint64_t offset) const;

    [[nodiscard]] const SpaceFigures& figures() const { return m_figures; }

    [[nodiscard]] std::uint64_t freeBytes() const { return m_figures.free(); }

    void noteUsed(std::uint64_t bytes) { m_figures.allocated += bytes; }

    void noteFree(std::uint64_t bytes) { m_figures.allocated -= bytes; }

    void noteKept(std::uint64_t bytes) { m_figures.deferred += bytes; }

    void noteReleased(std::uint64_t bytes) { m_figures.deferred -= bytes; }

    /// How much it is given before it is the next one's turn, where vdevs have so much free space
    /// on average.
    [[nodiscard]] std::uint64_t share(std::uint64_t averageFree) const;

    /// Puts it where its longest run belongs.
    void reconsider(Metaslab& metaslab);
    /// It is not in memory any more.
    void forget(Metaslab& metaslab);

    /// First copies, second and third ones: each kind fills metaslabs of its own.
    static constexpr std::size_t kKinds = 3;

    /// Goes through the metaslabs that may have room, the most promising first.
    class Search
    {
    public:
        /// Null: there are no more. May be not loaded; may turn out to be too full, and is then to
        /// be reconsidered.
        [[nodiscard]] Metaslab* next();
        /// Where the search ended.
        void settleFor(Metaslab& metaslab);

    private:
        friend class VdevSpace;

        enum class Step : std::uint8_t
        {
            Active,      ///< the one in use
            Promising,   ///< apart from copies and from other kinds
            Shared,      ///< wherever there is room
            AgainstHope, ///< not loaded, and not promising
            Nowhere
        };

        [[nodiscard]] Metaslab* candidate();
        [[nodiscard]] Metaslab* promising(bool shared);
        [[nodiscard]] Metaslab* unloaded();
        [[nodiscard]] bool isTaken(const Metaslab& metaslab) const;
        [[nodiscard]] bool usable(const Metaslab& metaslab) const;

        VdevSpace* m_space = nullptr;
        std::uint64_t m_size = 0;
        std::size_t m_kind = 0;
        std::vector<const Metaslab*> m_apart; ///< hold other copies
        std::vector<const Metaslab*> m_tried;
        Step m_step = Step::Active;
    };

    [[nodiscard]] Search search(std::uint64_t size, std::span<const Extent> apartFrom);

private:
    struct MorePromising
    {
        bool operator()(const std::pair<std::uint64_t, Metaslab*>& a,
                        const std::pair<std::uint64_t, Metaslab*>& b) const
        {
            return a.first != b.first ? a.first > b.first
                                      : a.second->place.id.index < b.second->place.id.index;
        }
    };

    VdevSpace() = default;

    const vdev::TopLevel* m_top = nullptr;
    unsigned m_shift = 0;
    std::vector<std::unique_ptr<Metaslab>> m_metaslabs;
    std::set<std::pair<std::uint64_t, Metaslab*>, MorePromising> m_order; ///< by estimate
    std::array<Metaslab*, kKinds> m_active{};
    SpaceFigures m_figures;
};

} // namespace millpond::space::detail
