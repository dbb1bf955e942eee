// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

#include <optional>

namespace millpond::test {

/// Unpacks `packed` into `image`, leaving holes where 4 KiB or more are zero.
[[nodiscard]] bool unpackSparse(const QString& packed, const QString& image);

/// The whole content of a packed file (meant for manifests).
[[nodiscard]] std::optional<QByteArray> unpackToMemory(const QString& packed);

} // namespace millpond::test
