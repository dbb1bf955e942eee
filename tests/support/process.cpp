// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/process.h"

#include <QProcess>

#include <csignal>
#include <grp.h>
#include <sys/resource.h>
#include <unistd.h>

namespace millpond::test {

namespace {
/// Runs in the child between fork and exec: system calls only.
void prepareChild(const ProcessOptions& options)
{
    setpgid(0, 0);
    if (options.addressSpaceBytes) {
        const rlimit limit{*options.addressSpaceBytes, *options.addressSpaceBytes};
        setrlimit(RLIMIT_AS, &limit);
    }
    if (options.cpuSeconds) {
        const rlimit limit{*options.cpuSeconds, *options.cpuSeconds + 1};
        setrlimit(RLIMIT_CPU, &limit);
    }
    if (options.userId) {
        if (setgroups(0, nullptr) != 0 || setgid(*options.userId) != 0 ||
            setuid(*options.userId) != 0) {
            _exit(126);
        }
    }
}
} // namespace

QString ProcessResult::toText() const
{
    QString end = QStringLiteral("exit code %1").arg(exitCode);
    if (!started) {
        end = QStringLiteral("did not start");
    } else if (timedOut) {
        end = QStringLiteral("timed out");
    } else if (signal != 0) {
        end = QStringLiteral("killed by signal %1").arg(signal);
    }
    constexpr qsizetype kTail = 4000;
    return QStringLiteral("%1\n%2\n%3")
        .arg(end, QString::fromUtf8(output.right(kTail)), QString::fromUtf8(errors.right(kTail)));
}

ProcessResult
runProcess(const QString& program, const QStringList& arguments, const ProcessOptions& options)
{
    QProcess process;
    process.setWorkingDirectory(options.workingFolder);
    if (options.environment) {
        process.setProcessEnvironment(*options.environment);
    }
    process.setChildProcessModifier([&options] { prepareChild(options); });
    process.start(program, arguments);
    ProcessResult result;
    result.started = process.waitForStarted();
    if (!result.started) {
        result.errors = process.errorString().toUtf8();
        return result;
    }
    const auto group = static_cast<pid_t>(process.processId());
    process.write(options.input);
    process.closeWriteChannel();
    if (!process.waitForFinished(options.timeoutMs)) {
        result.timedOut = true;
        kill(-group, SIGKILL);
        process.waitForFinished(5000);
    }
    result.output = process.readAllStandardOutput();
    result.errors = process.readAllStandardError();
    if (process.exitStatus() == QProcess::NormalExit) {
        result.exitCode = process.exitCode();
    } else {
        result.signal = process.exitCode(); // Qt reports the signal here after a crash
    }
    return result;
}

} // namespace millpond::test
