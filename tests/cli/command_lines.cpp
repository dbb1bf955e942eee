// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/command_lines.h"

#include "support/pools.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QThread>

namespace millpond::test {

namespace {
QString programFile(const QString& name)
{
    return QStringLiteral(MILLPOND_BINARY_DIR "/bin/") + name;
}

QString outputOf(const ProcessResult& result)
{
    if (!result.succeeded() || !result.errors.isEmpty()) {
        qWarning("%s", qPrintable(result.toText()));
        return {};
    }
    return QString::fromUtf8(result.output);
}
} // namespace

CommandLines::~CommandLines()
{
    stop();
}

void CommandLines::stop()
{
    if (m_helper.state() == QProcess::NotRunning) {
        return;
    }
    m_helper.terminate();
    if (!m_helper.waitForFinished(20'000)) {
        m_helper.kill();
        m_helper.waitForFinished();
    }
}

bool CommandLines::start()
{
    if (!QDir(m_scratch.path()).mkpath(QStringLiteral("run"))) {
        return false;
    }
    QFile::setPermissions(m_scratch.path(QStringLiteral("run")),
                          QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("HOME"), m_scratch.path());
    environment.insert(QStringLiteral("XDG_STATE_HOME"), m_scratch.path(QStringLiteral("state")));
    environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), m_scratch.path(QStringLiteral("run")));
    m_helper.setProcessEnvironment(environment);
    m_helper.setProcessChannelMode(QProcess::ForwardedChannels);
    m_helper.start(programFile(QStringLiteral("millpondd")),
                   {QStringLiteral("--private"),
                    QStringLiteral("--socket"),
                    socket(),
                    QStringLiteral("--idle-timeout"),
                    QStringLiteral("0"),
                    QStringLiteral("--log-level"),
                    QStringLiteral("warning")});
    QElapsedTimer waited;
    waited.start();
    while (!QFile::exists(socket())) {
        if (waited.elapsed() > 30'000 || m_helper.waitForFinished(20)) {
            qWarning("the helper does not come up: %s", qPrintable(m_helper.errorString()));
            return false;
        }
    }
    return true;
}

bool CommandLines::importPool(const QString& goldenName)
{
    const auto pool = findGoldenPool(goldenName);
    const QString images = unpackGoldenPool(goldenName);
    if (!pool || images.isEmpty()) {
        return false;
    }
    const ProcessResult result = zpool({QStringLiteral("import"),
                                        QStringLiteral("-o"),
                                        QStringLiteral("readonly=on"),
                                        QStringLiteral("-f"),
                                        QStringLiteral("-N"),
                                        QStringLiteral("-d"),
                                        images,
                                        pool->pool});
    if (!result.succeeded() || !result.errors.isEmpty() || !result.output.isEmpty()) {
        qWarning("%s", qPrintable(result.toText()));
        return false;
    }
    return true;
}

ProcessResult CommandLines::run(const QString& program, const QStringList& arguments) const
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("TZ"), QStringLiteral("UTC"));
    environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("de_DE.UTF-8")); // must not matter
    return runProcess(programFile(program),
                      QStringList{QStringLiteral("--socket"), socket()} + arguments,
                      {.environment = environment});
}

ProcessResult CommandLines::zpool(const QStringList& arguments) const
{
    return run(QStringLiteral("mpzpool"), arguments);
}

ProcessResult CommandLines::zfs(const QStringList& arguments) const
{
    return run(QStringLiteral("mpzfs"), arguments);
}

QString CommandLines::zpoolOutput(const QStringList& arguments) const
{
    return outputOf(zpool(arguments));
}

QString CommandLines::zfsOutput(const QStringList& arguments) const
{
    return outputOf(zfs(arguments));
}

QStringList CommandLines::zpoolLines(const QStringList& arguments) const
{
    return linesOf(zpoolOutput(arguments));
}

QStringList CommandLines::zfsLines(const QStringList& arguments) const
{
    return linesOf(zfsOutput(arguments));
}

QStringList linesOf(const QString& output)
{
    QStringList lines = output.split(u'\n');
    if (lines.last().isEmpty()) {
        lines.removeLast();
    }
    return lines;
}

} // namespace millpond::test
