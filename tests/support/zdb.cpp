// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/zdb.h"

#include <QFileInfo>

namespace millpond::test {

QString judge(const QString& program)
{
    const QString folder = qEnvironmentVariable(
        "MILLPOND_JUDGES", QStringLiteral(MILLPOND_SOURCE_DIR "/build/judges"));
    const QFileInfo file(folder + QStringLiteral("/bin/") + program);
    return file.isExecutable() ? file.filePath() : QString();
}

ZdbVerdict runZdb(const QString& imageFolder, const QString& pool)
{
    ProcessOptions options;
    options.timeoutMs = 300'000;
    ZdbVerdict verdict;
    verdict.process = runProcess(
        judge(QStringLiteral("zdb")),
        {QStringLiteral("-e"), QStringLiteral("-p"), imageFolder, QStringLiteral("-bcc"), pool},
        options);
    verdict.passed = verdict.process.succeeded() && verdict.process.output.contains("No leaks");
    return verdict;
}

} // namespace millpond::test
