// SPDX-License-Identifier: GPL-3.0-or-later
#include "golden/golden_pool.h"

namespace millpond::test {

Result<std::unique_ptr<api::Engine>> createTestEngine()
{
    api::EngineOptions options;
    options.hostName = "golden";
    options.hostId = 1;
    options.workers = 2;
    return api::Engine::create(std::move(options));
}

Result<GoldenImport> GoldenImport::open(const QString& folder, const QString& pool)
{
    api::ScanRequest where;
    where.directories = {folder.toStdString()};
    return open(std::move(where), pool);
}

Result<GoldenImport> GoldenImport::open(const QStringList& images, const QString& pool)
{
    api::ScanRequest where;
    for (const QString& image : images) {
        where.devices.push_back(image.toStdString());
    }
    return open(std::move(where), pool);
}

Result<GoldenImport> GoldenImport::open(api::ScanRequest where, const QString& pool)
{
    GoldenImport import;
    import.engine = MP_TRY(createTestEngine());
    api::ImportRequest request;
    request.pool = pool.toStdString();
    request.where = std::move(where);
    request.readOnly = true;
    request.force = true;        // k-* were in use when the power was cut
    request.missingLogOk = true; // one of the sets of images that a pool survives without
    import.pool = MP_TRY(import.engine->importPool(request));
    return import;
}

GoldenImport::~GoldenImport()
{
    if (pool) {
        const std::string name = pool->name();
        pool.reset();
        (void)engine->exportPool(name, true);
    }
}

QByteArray errorText(const Error& error)
{
    return QByteArray::fromStdString(std::string(errorName(error.code())) + ": " + error.toText());
}

} // namespace millpond::test
