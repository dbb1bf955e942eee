// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "bus/records.h"
#include "gui/client/client.h"

// Documents of the bus as state values. Nothing here trusts the document: what does not fit is a
// BadAnswer.

namespace millpond::client {

/// Owns the descriptor only during the call.
[[nodiscard]] Answer<bus::Document> openDocument(int fd);

[[nodiscard]] Answer<QList<state::Pool>> importedPools(const bus::Document& document);
[[nodiscard]] Answer<QList<state::Pool>> foundPools(const bus::Document& document);
[[nodiscard]] Answer<QList<MountResult>> mountResults(const bus::Document& document);
[[nodiscard]] Answer<QList<state::Mount>> mountList(const bus::Document& document);
[[nodiscard]] Answer<state::DatasetTable> datasetTable(const bus::Document& document,
                                                       const QStringList& properties);
[[nodiscard]] Answer<QList<state::Job>> jobList(const bus::Document& document);
[[nodiscard]] Answer<state::CheckReport> checkReport(const bus::Document& document);

/// "queued", "running", ...
[[nodiscard]] state::Job::State jobStateFromWord(std::string_view word);

} // namespace millpond::client
