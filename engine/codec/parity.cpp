// SPDX-License-Identifier: GPL-3.0-or-later
//
// Both directions are one product of a matrix over GF(2^8) with the columns, done by ISA-L in one
// pass. To rebuild m data columns, m parity rows restricted to them form a matrix that is always
// invertible (up to three of the rows 1, 2^i, 4^i with i < 255); its inverse, applied to "parity
// minus what the known columns contribute", gives each missing column as a combination of known
// data and parity. Unequal columns split a row into segments in which a column is there or zero.
//
// ISA-L's own RAID-6 numbers columns the other way round; the coefficients here are explicit, so
// that its order never enters.
#include "codec/parity.h"

#include "base/check.h"

#include <fmt/format.h>
#include <isa-l/erasure_code.h>
#include <isa-l/raid.h>

#include <algorithm>
#include <array>

namespace millpond::codec {

namespace {

using Octet = unsigned char;

constexpr std::size_t kMaxColumns = kMaxParity + kMaxDataColumns;
constexpr std::size_t kMaxColumnBytes = GiB; ///< far more than a block; ISA-L counts in int
constexpr std::size_t kTableBytes = 32;      ///< ISA-L's lookup tables for one coefficient
constexpr std::size_t kXorAlignment = 32;    ///< of every buffer given to xor_gen

constexpr Octet doubled(Octet x)
{
    return static_cast<Octet>(x << 1 ^ ((x & 0x80) != 0 ? 0x1d : 0));
}

/// 2^i for i below 255, the order of the field's multiplicative group.
constexpr std::array<Octet, 255> kPowers = [] {
    std::array<Octet, 255> powers{};
    Octet power = 1;
    for (Octet& entry : powers) {
        entry = power;
        power = doubled(power);
    }
    return powers;
}();

/// What data column `index` of `count` counts in parity row 0 (P), 1 (Q), 2 (R).
Octet coefficient(std::size_t row, std::size_t index, std::size_t count)
{
    return kPowers[row * (count - 1 - index) % kPowers.size()];
}

struct ParityInput
{
    std::size_t row;
    Bytes bytes;
};

struct ParityOutput
{
    std::size_t row;
    MutableBytes bytes;
};

/// A part of a row in which no data column ends.
struct Segment
{
    std::size_t begin;
    std::size_t end;

    [[nodiscard]] bool covers(Bytes column) const { return column.size() > begin; }
};

/// Collects sources with their coefficients for each output, then runs ISA-L over one segment.
class Product
{
public:
    using Coefficients = std::array<Octet, kMaxParity>;

    explicit Product(Segment segment)
        : m_segment(segment)
    {
    }

    void addSource(Bytes source, const Coefficients& coefficients)
    {
        // ISA-L's interface is not const-correct; it only reads sources.
        m_sources[m_count] =
            const_cast<Octet*>(reinterpret_cast<const Octet*>(source.data() + m_segment.begin));
        m_coefficients[m_count] = coefficients;
        ++m_count;
    }

    void addOutput(MutableBytes output)
    {
        m_outputs[m_outputCount] = reinterpret_cast<Octet*>(output.data() + m_segment.begin);
        ++m_outputCount;
    }

    void run()
    {
        if (isAlignedXor()) {
            runXor();
        } else {
            runMatrix();
        }
    }

private:
    /// P alone, or one column from P: no field arithmetic. ISA-L's xor is two to three times as
    /// fast as its products but wants alignment, which buffers of whole sectors have.
    [[nodiscard]] bool isAlignedXor() const
    {
        const auto aligned = [](const Octet* pointer) {
            return reinterpret_cast<std::uintptr_t>(pointer) % kXorAlignment == 0;
        };
        if (m_outputCount != 1 || m_count < 2 || !aligned(m_outputs[0])) {
            return false;
        }
        for (std::size_t i = 0; i < m_count; ++i) {
            if (m_coefficients[i][0] != 1 || !aligned(m_sources[i])) {
                return false;
            }
        }
        return true;
    }

    [[nodiscard]] int length() const { return static_cast<int>(m_segment.end - m_segment.begin); }

    void runXor()
    {
        std::array<void*, kMaxColumns + 1> vectors;
        std::copy_n(m_sources.begin(), m_count, vectors.begin());
        vectors[m_count] = m_outputs[0];
        const int failed = xor_gen(static_cast<int>(m_count) + 1, length(), vectors.data());
        MP_CHECK(failed == 0); // it fails on unaligned buffers and fewer than two sources only
    }

    void runMatrix()
    {
        std::array<Octet, kMaxParity * kMaxColumns> matrix;
        for (std::size_t output = 0; output < m_outputCount; ++output) {
            for (std::size_t source = 0; source < m_count; ++source) {
                matrix[output * m_count + source] = m_coefficients[source][output];
            }
        }
        std::array<Octet, kTableBytes * kMaxParity * kMaxColumns> tables;
        const int sources = static_cast<int>(m_count);
        const int outputs = static_cast<int>(m_outputCount);
        ec_init_tables(sources, outputs, matrix.data(), tables.data());
        ec_encode_data(
            length(), sources, outputs, tables.data(), m_sources.data(), m_outputs.data());
    }

    Segment m_segment;
    std::size_t m_count = 0;
    std::size_t m_outputCount = 0;
    std::array<Octet*, kMaxColumns> m_sources;
    std::array<Coefficients, kMaxColumns> m_coefficients;
    std::array<Octet*, kMaxParity> m_outputs;
};

std::unexpected<Error> invalid(std::string_view what)
{
    return fail(ErrorCode::InvalidArgument, fmt::format("parity: {}", what));
}

template <class Column> std::size_t longest(std::span<const Column> columns)
{
    std::size_t size = 0;
    for (const Column& column : columns) {
        size = std::max(size, column.size());
    }
    return size;
}

template <class DataColumn>
Status checkShape(std::span<const DataColumn> data, std::span<const MutableBytes> parity)
{
    if (parity.empty() || parity.size() > kMaxParity || data.empty() ||
        data.size() > kMaxDataColumns) {
        return invalid(fmt::format("{} data and {} parity columns", data.size(), parity.size()));
    }
    const std::size_t longestData = longest(data);
    if (longestData > kMaxColumnBytes || longest(parity) > kMaxColumnBytes) {
        return invalid("column too long");
    }
    for (const MutableBytes column : parity) {
        if (column.size() < longestData) {
            return invalid(fmt::format(
                "parity column of {} bytes for data of {}", column.size(), longestData));
        }
    }
    return {};
}

template <class Use> void forEachSegment(std::span<const Bytes> data, Use use)
{
    const std::size_t size = longest(data);
    for (Segment segment{0, 0}; segment.begin < size; segment.begin = segment.end) {
        segment.end = size;
        for (const Bytes column : data) {
            if (segment.covers(column)) {
                segment.end = std::min(segment.end, column.size());
            }
        }
        use(segment);
    }
}

void generateRows(std::span<const Bytes> data, std::span<const ParityOutput> outputs)
{
    forEachSegment(data, [&](Segment segment) {
        Product product(segment);
        for (std::size_t i = 0; i < data.size(); ++i) {
            if (!segment.covers(data[i])) {
                continue;
            }
            Product::Coefficients coefficients{};
            for (std::size_t k = 0; k < outputs.size(); ++k) {
                coefficients[k] = coefficient(outputs[k].row, i, data.size());
            }
            product.addSource(data[i], coefficients);
        }
        for (const ParityOutput& output : outputs) {
            product.addOutput(output.bytes);
        }
        product.run();
    });
    for (const ParityOutput& output : outputs) {
        std::ranges::fill(output.bytes.subspan(longest(data)), std::byte{0});
    }
}

/// The data columns of a row with those to be rebuilt, at most three, and the parity to do it with.
struct Puzzle
{
    std::span<const Bytes> data;
    std::span<const MutableBytes> writable; ///< the same columns
    std::span<const std::size_t> missing;   ///< indexes into data
    std::span<const ParityInput> parity;    ///< at least as many as missing

    [[nodiscard]] bool isMissing(std::size_t index) const
    {
        return std::ranges::find(missing, index) != missing.end();
    }
};

void rebuildSegment(const Puzzle& puzzle, Segment segment)
{
    const std::size_t count = puzzle.data.size();
    std::array<std::size_t, kMaxParity> wanted{};
    std::size_t size = 0;
    for (const std::size_t index : puzzle.missing) {
        if (segment.covers(puzzle.data[index])) {
            wanted[size] = index;
            ++size;
        }
    }
    if (size == 0) {
        return;
    }
    std::array<Octet, kMaxParity * kMaxParity> equations{};
    std::array<Octet, kMaxParity * kMaxParity> inverse{};
    for (std::size_t k = 0; k < size; ++k) {
        for (std::size_t j = 0; j < size; ++j) {
            equations[k * size + j] = coefficient(puzzle.parity[k].row, wanted[j], count);
        }
    }
    const int singular = gf_invert_matrix(equations.data(), inverse.data(), static_cast<int>(size));
    MP_CHECK(singular == 0); // see the head of this file

    Product product(segment);
    for (std::size_t i = 0; i < count; ++i) {
        if (puzzle.isMissing(i) || !segment.covers(puzzle.data[i])) {
            continue;
        }
        Product::Coefficients coefficients{};
        for (std::size_t j = 0; j < size; ++j) {
            for (std::size_t k = 0; k < size; ++k) {
                coefficients[j] ^=
                    gf_mul(inverse[j * size + k], coefficient(puzzle.parity[k].row, i, count));
            }
        }
        product.addSource(puzzle.data[i], coefficients);
    }
    for (std::size_t k = 0; k < size; ++k) {
        Product::Coefficients coefficients{};
        for (std::size_t j = 0; j < size; ++j) {
            coefficients[j] = inverse[j * size + k];
        }
        product.addSource(puzzle.parity[k].bytes, coefficients);
        product.addOutput(puzzle.writable[wanted[k]]);
    }
    product.run();
}

/// `missing` sorted into data and parity columns.
struct Losses
{
    std::array<bool, kMaxColumns> lost{};
    std::array<std::size_t, kMaxParity> data{};
    std::size_t dataCount = 0;
};

Result<Losses> lossesOf(std::size_t parityCount,
                        std::span<const MutableBytes> columns,
                        std::span<const std::size_t> missing)
{
    Losses losses;
    for (const std::size_t index : missing) {
        if (index >= columns.size() || losses.lost[index]) {
            return invalid(fmt::format("missing column {} out of range or twice", index));
        }
        losses.lost[index] = true;
        if (index < parityCount || columns[index].empty()) {
            continue;
        }
        if (losses.dataCount == parityCount) {
            return invalid("more columns missing than there is parity");
        }
        losses.data[losses.dataCount] = index - parityCount;
        ++losses.dataCount;
    }
    return losses;
}

} // namespace

Status generateParity(std::span<const Bytes> data, std::span<const MutableBytes> parity)
{
    MP_TRY(checkShape(data, parity));
    std::array<ParityOutput, kMaxParity> outputs;
    for (std::size_t row = 0; row < parity.size(); ++row) {
        outputs[row] = {row, parity[row]};
    }
    generateRows(data, std::span(outputs).first(parity.size()));
    return {};
}

Status reconstruct(std::size_t parityCount,
                   std::span<const MutableBytes> columns,
                   std::span<const std::size_t> missing,
                   ParityMask use)
{
    if (parityCount >= columns.size()) {
        return invalid(fmt::format("{} columns, {} of them parity", columns.size(), parityCount));
    }
    const auto parity = columns.first(parityCount);
    const auto writable = columns.subspan(parityCount);
    MP_TRY(checkShape(writable, parity));
    const Losses losses = MP_TRY(lossesOf(parityCount, columns, missing));

    std::array<ParityInput, kMaxParity> inputs;
    std::array<ParityOutput, kMaxParity> outputs;
    std::size_t inputCount = 0;
    std::size_t outputCount = 0;
    for (std::size_t row = 0; row < parityCount; ++row) {
        if (losses.lost[row]) {
            outputs[outputCount] = {row, parity[row]};
            ++outputCount;
        } else if ((use.value() >> row & 1) != 0) {
            inputs[inputCount] = {row, parity[row]};
            ++inputCount;
        }
    }
    if (inputCount < losses.dataCount) {
        return invalid(fmt::format(
            "{} data columns missing, {} parity columns to use", losses.dataCount, inputCount));
    }

    std::array<Bytes, kMaxDataColumns> data;
    std::ranges::copy(writable, data.begin());
    const auto dataColumns = std::span<const Bytes>(data).first(writable.size());
    const Puzzle puzzle{dataColumns,
                        writable,
                        std::span(losses.data).first(losses.dataCount),
                        std::span(inputs).first(inputCount)};
    forEachSegment(dataColumns, [&](Segment segment) { rebuildSegment(puzzle, segment); });
    if (outputCount != 0) {
        generateRows(dataColumns, std::span(outputs).first(outputCount));
    }
    return {};
}

} // namespace millpond::codec
