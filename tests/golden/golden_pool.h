// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"

#include <QString>
#include <QStringList>

namespace millpond::test {

/// A pool imported read-only from image files, with an engine of its own.
struct GoldenImport
{
    std::unique_ptr<api::Engine> engine;
    api::PoolRef pool;

    /// Looks for the pool in a folder, or in these images only.
    [[nodiscard]] static Result<GoldenImport> open(const QString& folder, const QString& pool);
    [[nodiscard]] static Result<GoldenImport> open(const QStringList& images, const QString& pool);

    GoldenImport(GoldenImport&&) noexcept = default;
    GoldenImport& operator=(GoldenImport&&) noexcept = default;
    GoldenImport(const GoldenImport&) = delete;
    GoldenImport& operator=(const GoldenImport&) = delete;
    ~GoldenImport();

private:
    GoldenImport() = default;
    [[nodiscard]] static Result<GoldenImport> open(api::ScanRequest where, const QString& pool);
};

[[nodiscard]] Result<std::unique_ptr<api::Engine>> createTestEngine();
[[nodiscard]] QByteArray errorText(const Error& error);

/// Empty for a success; QVERIFY2 evaluates its message in any case.
template <class T> [[nodiscard]] QByteArray errorText(const Result<T>& result)
{
    return result ? QByteArray() : errorText(result.error());
}

} // namespace millpond::test
