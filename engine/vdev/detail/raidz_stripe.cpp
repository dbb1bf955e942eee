// SPDX-License-Identifier: GPL-3.0-or-later
#include "vdev/detail/raidz_stripe.h"

#include "base/check.h"
#include "codec/parity.h"
#include "vdev/detail/same_bytes.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace millpond::vdev::detail {

namespace {

/// The next subset of {0 … n-1} of the same size, in lexicographic order; false after the last.
bool nextSubset(std::vector<std::size_t>& subset, std::size_t n)
{
    const std::size_t k = subset.size();
    for (std::size_t i = k; i-- > 0;) {
        if (subset[i] < n - k + i) {
            ++subset[i];
            for (std::size_t j = i + 1; j < k; ++j) {
                subset[j] = subset[j - 1] + 1;
            }
            return true;
        }
    }
    return false;
}

std::vector<std::size_t> firstSubset(std::size_t k)
{
    std::vector<std::size_t> subset(k);
    for (std::size_t i = 0; i < k; ++i) {
        subset[i] = i;
    }
    return subset;
}

} // namespace

RaidzStripe::Candidate* RaidzStripe::Column::fresh()
{
    for (Candidate& candidate : candidates) {
        if (!candidate.missed && (!candidate.tried || candidate.isRead)) {
            return &candidate;
        }
    }
    return nullptr;
}

RaidzStripe::RaidzStripe(const RaidzMap& map,
                         std::span<const std::vector<Leaf*>> leaves,
                         MutableBytes out,
                         const Verifier& verify,
                         Txg birth)
    : m_map(map)
    , m_out(out)
    , m_verify(verify)
    , m_birth(birth)
    , m_columns(map.columns.size())
{
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        Column& column = m_columns[i];
        std::vector<Candidate> stale;
        for (Leaf* leaf : leaves[map.columns[i].child]) {
            if (!leaf->readable()) {
                column.absent.push_back(leaf);
            } else if (leaf->missed(birth)) {
                stale.push_back({.leaf = leaf, .missed = true});
            } else {
                column.candidates.push_back({.leaf = leaf});
            }
        }
        column.candidates.insert(column.candidates.end(), stale.begin(), stale.end());
    }
}

MutableBytes RaidzStripe::work(std::size_t column)
{
    const RaidzColumn& place = m_map.columns[column];
    if (isData(column)) {
        return m_out.subspan(place.inData, place.size);
    }
    return m_parity.bytes().subspan(column * m_map.columnBytes(), place.size);
}

Status RaidzStripe::makeParityArea()
{
    if (m_parity.empty()) {
        m_parity = MP_TRY(Buffer::create(parity() * m_map.columnBytes()));
    }
    return {};
}

Result<RaidzStripe::Found> RaidzStripe::read()
{
    Indexes erased;
    if (MP_TRY(readFresh(erased)) && tryFresh(erased)) {
        return erased.empty() ? Found::AsStored : Found::Rebuilt;
    }
    m_searched = true;
    MP_TRY(readEverything());
    MP_TRY(moveAside());
    if (!search()) {
        return Found::Nothing;
    }
    MP_TRY(judge([](std::size_t, Candidate& candidate, bool right, Bytes) {
        if (candidate.isRead && !right && !candidate.missed) {
            candidate.leaf->counters().countChecksumError();
        }
    }));
    return Found::Rebuilt;
}

Result<RaidzStripe::Found> RaidzStripe::scrub(ScrubTeller& teller, bool repair)
{
    MP_TRY(readEverything());
    const Indexes erased = columnsWithout(true);
    const bool enough = erased.size() + columnsWithout(false).size() <= parity();
    bool found = enough && tryFresh(erased);
    if (!found) {
        MP_TRY(moveAside());
        found = search();
    }
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const RaidzColumn& place = m_map.columns[i];
        for (const Leaf* leaf : m_columns[i].absent) {
            teller.tell(ScrubFinding::Kind::AwaitingResilver, *leaf, place.offset, place.size);
        }
        for (const Candidate& candidate : m_columns[i].candidates) {
            teller.countRead(candidate.isRead ? place.size : 0);
        }
    }
    if (!found) {
        return Found::Nothing;
    }
    MP_TRY(judge([&](std::size_t column, Candidate& candidate, bool right, Bytes content) {
        if (!right) {
            const RaidzColumn& place = m_map.columns[column];
            teller.tellBad(*candidate.leaf,
                           candidate.isRead,
                           candidate.missed,
                           place.offset,
                           place.size,
                           isData(column) ? ScrubFinding::Kind::BadData
                                          : ScrubFinding::Kind::BadParity);
            if (repair) {
                teller.repair(*candidate.leaf, place.offset, content, m_birth);
            }
        }
    }));
    return erased.empty() ? Found::AsStored : Found::Rebuilt;
}

bool RaidzStripe::damaged() const
{
    const auto failed = [](const Candidate& candidate) {
        return candidate.tried && !candidate.isRead && !candidate.missed;
    };
    return m_searched || std::ranges::any_of(m_columns, [&](const Column& column) {
               return std::ranges::any_of(column.candidates, failed);
           });
}

bool RaidzStripe::sawEnough() const
{
    const auto isRead = [](const Column& column) {
        return std::any_of(column.candidates.begin(),
                           column.candidates.end(),
                           [](const Candidate& c) { return c.isRead; });
    };
    const auto count = std::count_if(m_columns.begin(), m_columns.end(), isRead);
    return static_cast<std::size_t>(count) >= m_map.dataColumns();
}

// --- reading -----------------------------------------------------------------------------------

RaidzStripe::Indexes RaidzStripe::columnsWithout(bool data)
{
    Indexes without;
    for (std::size_t i = data ? parity() : 0; i < (data ? m_columns.size() : parity()); ++i) {
        if (m_columns[i].fresh() == nullptr) {
            without.push_back(i);
        }
    }
    return without;
}

Result<bool> RaidzStripe::readFresh(Indexes& erased)
{
    for (;;) {
        erased = columnsWithout(true);
        Indexes wanted;
        std::size_t parityWanted = erased.size();
        for (std::size_t i = 0; i < m_columns.size(); ++i) {
            if (m_columns[i].fresh() != nullptr && (isData(i) || parityWanted > 0)) {
                wanted.push_back(i);
                parityWanted -= isData(i) ? 0U : 1U;
            }
        }
        if (parityWanted > 0) {
            return false;
        }
        if (!erased.empty()) {
            MP_TRY(makeParityArea());
        }
        if (MP_TRY(readChosen(wanted))) {
            return true;
        }
    }
}

/// Reads the fresh candidates of these columns that are not read yet into the work area. False when
/// one of them failed: then there is one candidate less.
Result<bool> RaidzStripe::readChosen(std::span<const std::size_t> columns)
{
    std::vector<Piece> pieces;
    std::vector<Candidate*> chosen;
    pieces.reserve(columns.size());
    for (const std::size_t column : columns) {
        Candidate* candidate = m_columns[column].fresh();
        MP_CHECK(candidate != nullptr);
        if (!candidate->tried) {
            chosen.push_back(candidate);
            pieces.push_back({.leaf = candidate->leaf,
                              .offset = m_map.columns[column].offset,
                              .into = work(column),
                              .status = Status()});
        }
    }
    readPieces(pieces);
    bool whole = true;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        chosen[i]->tried = true;
        chosen[i]->isRead = pieces[i].status.has_value();
        chosen[i]->content = pieces[i].into;
        if (!pieces[i].status) {
            m_lastError = std::move(pieces[i].status).error();
            whole = false;
        }
    }
    return whole;
}

bool RaidzStripe::tryFresh(const Indexes& erased)
{
    if (erased.empty()) {
        return m_verify(m_out);
    }
    std::uint8_t mask = 0;
    for (std::size_t i = 0; i < parity(); ++i) {
        const Candidate* candidate = m_columns[i].fresh();
        const bool usable = candidate != nullptr && candidate->isRead;
        if (usable && static_cast<std::size_t>(std::popcount(mask)) < erased.size()) {
            mask = static_cast<std::uint8_t>(mask | (1U << i));
        }
    }
    return static_cast<std::size_t>(std::popcount(mask)) == erased.size() &&
           rebuild(erased, mask) && m_verify(m_out);
}

bool RaidzStripe::rebuild(const Indexes& erased, std::uint8_t parityMask)
{
    std::vector<MutableBytes> columns;
    columns.reserve(m_columns.size());
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        columns.push_back(work(i));
    }
    return codec::reconstruct(parity(), columns, erased, codec::ParityMask(parityMask)).has_value();
}

/// All that is readable and was not read. The first fresh candidate of a column goes to the work
/// area, the others to buffers of their own.
Status RaidzStripe::readEverything()
{
    MP_TRY(makeParityArea());
    std::vector<Piece> pieces;
    std::vector<Candidate*> chosen;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        Column& column = m_columns[i];
        bool workIsFree = std::none_of(column.candidates.begin(),
                                       column.candidates.end(),
                                       [](const Candidate& c) { return c.isRead; });
        for (Candidate& candidate : column.candidates) {
            if (candidate.tried) {
                continue;
            }
            MutableBytes into = work(i);
            if (candidate.missed || !workIsFree) {
                m_extra.push_back(MP_TRY(Buffer::create(into.size())));
                into = m_extra.back().bytes();
            }
            workIsFree = workIsFree && candidate.missed;
            chosen.push_back(&candidate);
            pieces.push_back({.leaf = candidate.leaf,
                              .offset = m_map.columns[i].offset,
                              .into = into,
                              .status = Status()});
        }
    }
    readPieces(pieces);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        chosen[i]->tried = true;
        chosen[i]->isRead = pieces[i].status.has_value();
        chosen[i]->content = pieces[i].into;
        if (!pieces[i].status) {
            m_lastError = std::move(pieces[i].status).error();
        }
    }
    useSecondChoices();
    return {};
}

/// Where the first fresh candidate of a column failed, the work area takes the next one.
void RaidzStripe::useSecondChoices()
{
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const Candidate* candidate = m_columns[i].fresh();
        if (candidate != nullptr && candidate->content.data() != work(i).data()) {
            std::memcpy(work(i).data(), candidate->content.data(), candidate->content.size());
        }
    }
}

// --- searching ---------------------------------------------------------------------------------

/// What was read into the work area is kept apart: the search writes there.
Status RaidzStripe::moveAside()
{
    m_asideData = MP_TRY(Buffer::copyOf(m_out));
    m_asideParity = MP_TRY(Buffer::copyOf(m_parity.bytes()));
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const RaidzColumn& place = m_map.columns[i];
        const Bytes aside =
            isData(i) ? Bytes(m_asideData.bytes()).subspan(place.inData, place.size)
                      : Bytes(m_asideParity.bytes()).subspan(i * m_map.columnBytes(), place.size);
        for (Candidate& candidate : m_columns[i].candidates) {
            if (candidate.content.data() == work(i).data()) {
                candidate.content = aside;
            }
        }
    }
    findDistinct();
    return {};
}

void RaidzStripe::findDistinct()
{
    for (Column& column : m_columns) {
        column.distinct.clear();
        for (std::size_t i = 0; i < column.candidates.size(); ++i) {
            const Candidate& candidate = column.candidates[i];
            if (!candidate.isRead) {
                continue;
            }
            const bool known =
                std::any_of(column.distinct.begin(), column.distinct.end(), [&](std::size_t other) {
                    return sameBytes(column.candidates[other].content, candidate.content);
                });
            if (!known) {
                column.distinct.push_back(i);
            }
        }
    }
}

/// Fewest columns taken for bad first: that is the likeliest, and the cheapest to try.
bool RaidzStripe::search()
{
    for (std::size_t erasures = 0; erasures <= parity(); ++erasures) {
        m_choice.assign(m_columns.size(), 0);
        std::size_t choices = 0;
        do {
            m_parityKnown = false;
            restore(firstSubset(m_columns.size()));
            if (searchChoice(erasures)) {
                return true;
            }
        } while (++choices < kMaxChoices && nextChoice());
    }
    return false;
}

/// Counts through the distinct candidates of all columns like the digits of a number.
bool RaidzStripe::nextChoice()
{
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        if (m_choice[i] + 1 < m_columns[i].distinct.size()) {
            ++m_choice[i];
            return true;
        }
        m_choice[i] = 0;
    }
    return false;
}

/// Fills the work area of these columns with their chosen candidates.
void RaidzStripe::restore(const Indexes& columns)
{
    for (const std::size_t i : columns) {
        const Column& column = m_columns[i];
        if (!column.distinct.empty()) {
            const Bytes content = column.candidates[column.distinct[m_choice[i]]].content;
            std::memcpy(work(i).data(), content.data(), content.size());
        }
    }
}

/// All ways to take exactly `erasures` data columns for bad, those that nobody could read included.
bool RaidzStripe::searchChoice(std::size_t erasures)
{
    Indexes missing;
    Indexes present;
    for (std::size_t i = parity(); i < m_columns.size(); ++i) {
        (m_columns[i].distinct.empty() ? missing : present).push_back(i);
    }
    if (missing.size() > erasures || erasures - missing.size() > present.size()) {
        return false;
    }
    if (missing.empty()) {
        findWrongParity();
    }
    Indexes subset = firstSubset(erasures - missing.size());
    do {
        Indexes erased = missing;
        for (const std::size_t i : subset) {
            erased.push_back(present[i]);
        }
        if (searchParity(erased)) {
            return true;
        }
    } while (nextSubset(subset, present.size()));
    return false;
}

/// All ways to choose the parity columns that rebuild `erased`.
bool RaidzStripe::searchParity(const Indexes& erased)
{
    Indexes usable;
    for (std::size_t i = 0; i < parity(); ++i) {
        if (!m_columns[i].distinct.empty()) {
            usable.push_back(i);
        }
    }
    if (usable.size() < erased.size()) {
        return false;
    }
    Indexes subset = firstSubset(erased.size());
    do {
        std::uint8_t mask = 0;
        for (const std::size_t i : subset) {
            mask = static_cast<std::uint8_t>(mask | (1U << usable[i]));
        }
        if (attempt(erased, mask)) {
            return true;
        }
    } while (nextSubset(subset, usable.size()));
    return false;
}

bool RaidzStripe::attempt(const Indexes& erased, std::uint8_t parityMask)
{
    // Parity that fits the data as read gives back that very data.
    if (!erased.empty() && m_parityKnown && (parityMask & m_wrongParity) == 0) {
        return false;
    }
    if (++m_attempts > kMaxAttempts || m_attempts * m_out.size() > kMaxAttemptBytes) {
        return false;
    }
    if (!erased.empty() && !rebuild(erased, parityMask)) {
        return false;
    }
    if (m_verify(m_out)) {
        return true;
    }
    restore(erased);
    return false;
}

/// With every data column there: which parity columns do not fit them. Where memory is short the
/// search goes on without knowing.
void RaidzStripe::findWrongParity()
{
    if (m_parityKnown) {
        return;
    }
    m_parityKnown = true;
    m_wrongParity = 0xff;
    Result<Buffer> scratch = Buffer::create(parity() * m_map.columnBytes());
    if (!scratch || !generate(scratch->bytes())) {
        return;
    }
    m_wrongParity = 0;
    for (std::size_t i = 0; i < parity(); ++i) {
        const Bytes expected =
            Bytes(scratch->bytes()).subspan(i * m_map.columnBytes(), m_map.columns[i].size);
        if (!sameBytes(expected, work(i))) {
            m_wrongParity = static_cast<std::uint8_t>(m_wrongParity | (1U << i));
        }
    }
}

// --- judging -----------------------------------------------------------------------------------

/// The parity of what is in `out`.
bool RaidzStripe::generate(MutableBytes into)
{
    std::vector<Bytes> data;
    std::vector<MutableBytes> columns;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        if (isData(i)) {
            data.push_back(work(i));
        } else {
            columns.push_back(into.subspan(i * m_map.columnBytes(), m_map.columns[i].size));
        }
    }
    return codec::generateParity(data, columns).has_value();
}

template <class Visit> Status RaidzStripe::judge(Visit visit)
{
    Buffer expected = MP_TRY(Buffer::create(parity() * m_map.columnBytes()));
    const bool parityKnown = generate(expected.bytes());
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        const Bytes right =
            isData(i)
                ? Bytes(work(i))
                : Bytes(expected.bytes()).subspan(i * m_map.columnBytes(), m_map.columns[i].size);
        for (Candidate& candidate : m_columns[i].candidates) {
            const bool fits = candidate.isRead && sameBytes(candidate.content, right);
            visit(i, candidate, fits || (!isData(i) && !parityKnown), right);
        }
    }
    return {};
}

} // namespace millpond::vdev::detail
