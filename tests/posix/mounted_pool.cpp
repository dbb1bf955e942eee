// SPDX-License-Identifier: GPL-3.0-or-later
#include "posix/mounted_pool.h"

#include "support/cleanup.h"
#include "support/process.h"

#include <QFile>
#include <QFileInfo>
#include <QMap>
#include <QStandardPaths>

#include <array>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace millpond::test {

namespace {
constexpr uint kNobody = 65534;
constexpr const char* kFuseDevice = "/dev/fuse";

QString hostProgram()
{
    return QStringLiteral(MILLPOND_BINARY_DIR "/tests/mount_host");
}

bool isRoot()
{
    return ::geteuid() == 0;
}
} // namespace

QString cannotMount(MountMode mode)
{
    if (!QFileInfo::exists(QString::fromLatin1(kFuseDevice))) {
        return QStringLiteral("needs /dev/fuse");
    }
    if (mode != MountMode::Private) {
        return isRoot() ? QString() : QStringLiteral("needs root");
    }
    for (const char* tool : {"fusermount3", "setpriv"}) {
        if (QStandardPaths::findExecutable(QString::fromLatin1(tool)).isEmpty()) {
            return QStringLiteral("needs ") + QString::fromLatin1(tool);
        }
    }
    return {};
}

MountedPool::MountedPool(MountMode mode)
    : m_mode(mode)
    , m_root(m_scratch.path(QStringLiteral("mounts")))
{
    ::mkdir(qPrintable(m_root), 0755);
    if (mode != MountMode::Private || !isRoot()) {
        return;
    }
    ::chmod(qPrintable(m_scratch.path()), 0755);
    (void)!::chown(qPrintable(m_root), kNobody, kNobody);
    // Udev lets everybody open it; a bare container may not.
    struct stat info = {};
    if (::stat(kFuseDevice, &info) == 0 && (info.st_mode & 0666) != 0666) {
        m_deviceMode = info.st_mode & 07777U;
        ::chmod(kFuseDevice, 0666);
    }
}

MountedPool::~MountedPool()
{
    if (m_host.state() != QProcess::NotRunning) {
        m_host.closeWriteChannel();
        if (!m_host.waitForFinished(15'000)) {
            m_host.kill();
            m_host.waitForFinished(5'000);
        }
    }
    unmountBelow(m_scratch.path());
    if (m_deviceMode != 0) {
        ::chmod(kFuseDevice, m_deviceMode);
    }
}

bool MountedPool::start(const QString& imageFolder, const QString& pool)
{
    QString mode = QStringLiteral("foreign");
    QStringList arguments = {m_root, imageFolder, pool};
    if (m_mode == MountMode::System) {
        mode = QStringLiteral("system");
        arguments << m_root;
    } else if (m_mode == MountMode::Private) {
        mode = QStringLiteral("private");
    }
    arguments.prepend(mode);
    QString program = hostProgram();
    if (m_mode == MountMode::Private && isRoot()) {
        const QString id = QString::number(kNobody);
        arguments = QStringList{QStringLiteral("--reuid=") + id,
                                QStringLiteral("--regid=") + id,
                                QStringLiteral("--clear-groups"),
                                program} +
                    arguments;
        program = QStringLiteral("setpriv");
    }
    m_host.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_host.start(program, arguments);
    return m_host.waitForStarted() && readAnswer();
}

bool MountedPool::readAnswer()
{
    while (!m_host.canReadLine()) {
        if (!m_host.waitForReadyRead(60'000)) {
            m_answer = QStringLiteral("mount_host does not answer");
            return false;
        }
    }
    m_answer = QString::fromUtf8(m_host.readLine()).trimmed();
    const bool good = m_answer == QLatin1String("ok") || m_answer.startsWith(QLatin1String("ok "));
    if (good) {
        m_answer = m_answer.mid(3);
    }
    return good;
}

bool MountedPool::command(const QString& line)
{
    m_host.write(line.toUtf8() + '\n');
    return readAnswer();
}

QString MountedPool::pathOf(const QString& dataset)
{
    if (!command(QStringLiteral("mounts"))) {
        return {};
    }
    for (const QString& entry : m_answer.split(QLatin1Char('|'), Qt::SkipEmptyParts)) {
        const QStringList parts = entry.split(QLatin1Char('='));
        if (parts.size() == 3 && parts[0] == dataset) {
            return parts[1];
        }
    }
    return {};
}

bool MountedPool::terminate(int milliseconds)
{
    m_host.terminate();
    return m_host.waitForFinished(milliseconds);
}

QByteArray MountedPool::asUser(MountMode mode, const std::function<QByteArray()>& work)
{
    if (mode != MountMode::Private || !isRoot()) {
        return work();
    }
    std::array<int, 2> ends = {-1, -1};
    if (::pipe(ends.data()) != 0) {
        return "no pipe";
    }
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        QByteArray text = "cannot become another user";
        if (::setresgid(kNobody, kNobody, kNobody) == 0 &&
            ::setresuid(kNobody, kNobody, kNobody) == 0) {
            text = work();
        }
        (void)!::write(ends[1], text.constData(), static_cast<std::size_t>(text.size()));
        ::_exit(0);
    }
    ::close(ends[1]);
    QByteArray text;
    std::array<char, 4096> bytes{};
    ssize_t got = 0;
    while ((got = ::read(ends[0], bytes.data(), bytes.size())) > 0) {
        text.append(bytes.data(), got);
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    return status == 0 ? text : QByteArray("the comparing process crashed");
}

QByteArray outputOf(const QString& program, const QStringList& arguments, int seconds)
{
    ProcessOptions options;
    options.timeoutMs = seconds * 1000;
    const ProcessResult result = runProcess(program, arguments, options);
    return result.succeeded() ? result.output : "FAILED " + result.toText().toUtf8();
}

} // namespace millpond::test
