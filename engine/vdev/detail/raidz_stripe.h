// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/buffer.h"
#include "vdev/detail/leaf.h"
#include "vdev/detail/raidz_map.h"
#include "vdev/detail/scrub_teller.h"

#include <optional>
#include <span>
#include <vector>

namespace millpond::vdev::detail {

/// One block on a raidz vdev, from reading its columns to finding out which of them lie. Used once,
/// by one thread.
///
/// The work area is `out` for data columns, in place, and a buffer for parity. Where the search has
/// to change it, what was read is first moved aside.
class RaidzStripe
{
public:
    /// `leaves` by child; `out` is whole sectors, `verify` is asked about all of it.
    RaidzStripe(const RaidzMap& map,
                std::span<const std::vector<Leaf*>> leaves,
                MutableBytes out,
                const Verifier& verify,
                Txg birth);

    enum class Found : std::uint8_t
    {
        AsStored, ///< straight from the data columns
        Rebuilt,
        Nothing ///< no combination verifies
    };

    /// Stops at the first content that verifies. An error only where memory is short.
    [[nodiscard]] Result<Found> read();
    /// Reads everything there is and tells what is wrong with it; writes it anew, if asked to.
    [[nodiscard]] Result<Found> scrub(ScrubTeller& teller, bool repair);

    /// After read(): something is wrong with leaves that are there and missed nothing.
    [[nodiscard]] bool damaged() const;

    /// After Nothing: enough columns were read, but their content is wrong.
    [[nodiscard]] bool sawEnough() const;

    [[nodiscard]] std::optional<Error>& lastError() { return m_lastError; }

    /// Bounds of the search: attempts, and bytes rebuilt and verified by them.
    static constexpr std::uint64_t kMaxAttempts = 20'000;
    static constexpr std::uint64_t kMaxAttemptBytes = 8 * GiB;
    /// Ways to choose among differing copies of columns (spares, replacements).
    static constexpr std::size_t kMaxChoices = 64;

private:
    /// One place a column's bytes may be: a leaf, and what was read from it.
    struct Candidate
    {
        Leaf* leaf = nullptr;
        bool missed = false;
        bool tried = false;
        bool isRead = false;
        Bytes content;
    };

    struct Column
    {
        std::vector<Candidate> candidates; ///< readable leaves, up to date ones first
        std::vector<Leaf*> absent;         ///< leaves that cannot be read at all
        std::vector<std::size_t> distinct; ///< candidates that were read and differ; see choices()

        /// The candidate to read or use first: up to date, and not failed. Null when none is.
        [[nodiscard]] Candidate* fresh();
    };

    using Indexes = std::vector<std::size_t>;

    [[nodiscard]] std::size_t parity() const { return m_map.parity; }

    [[nodiscard]] bool isData(std::size_t column) const { return column >= m_map.parity; }

    /// The column's part of the work area.
    [[nodiscard]] MutableBytes work(std::size_t column);
    [[nodiscard]] Status makeParityArea();

    /// Fresh data columns, and as many fresh parity columns as data columns lack one. False when
    /// there is not enough of them.
    [[nodiscard]] Result<bool> readFresh(Indexes& erased);
    [[nodiscard]] Result<bool> readChosen(std::span<const std::size_t> columns);
    [[nodiscard]] Indexes columnsWithout(bool data);
    /// Rebuilds `erased` data columns in the work area from fresh parity, and verifies.
    [[nodiscard]] bool tryFresh(const Indexes& erased);
    [[nodiscard]] bool rebuild(const Indexes& erased, std::uint8_t parityMask);

    [[nodiscard]] Status readEverything();
    void useSecondChoices();
    [[nodiscard]] Status moveAside();
    void findDistinct();

    [[nodiscard]] bool search();
    [[nodiscard]] bool searchChoice(std::size_t erasures);
    [[nodiscard]] bool searchParity(const Indexes& erased);
    [[nodiscard]] bool attempt(const Indexes& erased, std::uint8_t parityMask);
    void restore(const Indexes& columns);
    [[nodiscard]] bool nextChoice();
    void findWrongParity();

    /// Parity columns of what is in the work area; false where codec/ refuses, which it has no
    /// reason to.
    [[nodiscard]] bool generate(MutableBytes into);
    /// With the right content in `out`: which candidates differ.
    template <class Visit> [[nodiscard]] Status judge(Visit visit);

    const RaidzMap& m_map;
    MutableBytes m_out;
    const Verifier& m_verify;
    const Txg m_birth;
    std::vector<Column> m_columns;
    Buffer m_parity;             ///< work area of the parity columns
    Buffer m_asideData;          ///< the data columns as read
    Buffer m_asideParity;        ///< the parity columns as read
    std::vector<Buffer> m_extra; ///< further candidates
    std::optional<Error> m_lastError;

    // The search.
    bool m_searched = false;
    Indexes m_choice; ///< by column: which of its distinct candidates
    std::uint8_t m_wrongParity = 0;
    bool m_parityKnown = false; ///< m_wrongParity holds for the present choice
    std::uint64_t m_attempts = 0;
};

} // namespace millpond::vdev::detail
