// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

// raidz and draid parity: P, Q and R over the data columns of one row. Theory statement:
// checksum.cpp. Any thread. Columns are in the order of the raidz map: parity first (P, Q, R), then
// data. Columns may be of unequal length: a short one counts as filled up with zeros at its end. A
// parity column is at least as long as the longest data column.

namespace millpond::codec {

inline constexpr std::size_t kMaxParity = 3;
/// The field has 255 different powers of two.
inline constexpr std::size_t kMaxDataColumns = 255;

/// Which parity columns a reconstruction may use: bit 0 is P, 1 is Q, 2 is R.
using ParityMask = Strong<struct ParityMaskTag, std::uint8_t>;
inline constexpr ParityMask kAnyParity{7};

/// Fills `parity` (one to three columns: P, Q, R) from `data`. A parity column longer than the
/// longest data column ends in zeros.
/// Errors: InvalidArgument (numbers or lengths of columns out of range).
[[nodiscard]] Status generateParity(std::span<const Bytes> data,
                                    std::span<const MutableBytes> parity);

/// Rebuilds the columns whose indexes are in `missing` (parity and data alike; each once) from the
/// others, which are only read. Missing data needs as many parity columns that are not missing and
/// allowed by `use`; they are taken in the order P, Q, R. No checksum is looked at: whether the
/// result is right, the caller finds out.
/// Errors: InvalidArgument (as above; an index out of range or twice; not enough parity).
[[nodiscard]] Status reconstruct(std::size_t parityCount,
                                 std::span<const MutableBytes> columns,
                                 std::span<const std::size_t> missing,
                                 ParityMask use = kAnyParity);

} // namespace millpond::codec
