// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "support/scratch.h"

#include <QProcess>
#include <QStringList>

#include <functional>

namespace millpond::test {

enum class MountMode
{
    System,  ///< root, mounted as the properties say, below an altroot
    Foreign, ///< root, below a folder by the names of the datasets, nosuid and nodev
    Private  ///< an unprivileged user, through fusermount3
};

/// Why pools cannot be mounted here in this mode, for QSKIP; empty when they can.
[[nodiscard]] QString cannotMount(MountMode mode);

/// A mount_host with one pool. Whatever happens, its mounts are gone at the end.
class MountedPool
{
public:
    explicit MountedPool(MountMode mode);
    ~MountedPool();
    MountedPool(const MountedPool&) = delete;
    MountedPool& operator=(const MountedPool&) = delete;

    /// Imports; false with an error text when that failed.
    [[nodiscard]] bool start(const QString& imageFolder, const QString& pool);
    /// The rest of the answer after "ok ", or error() has it.
    bool command(const QString& line);

    [[nodiscard]] QString answer() const { return m_answer; }

    [[nodiscard]] QByteArray error() const { return m_answer.toUtf8(); }

    /// Where everything of the pool is mounted below.
    [[nodiscard]] QString root() const { return m_root; }

    /// Where a dataset is to be found; empty when it is not mounted.
    [[nodiscard]] QString pathOf(const QString& dataset);

    [[nodiscard]] QProcess& process() { return m_host; }

    /// SIGTERM, and the end within the time.
    [[nodiscard]] bool terminate(int milliseconds);

    /// Runs `work` with this mode's user: in private mode nobody else may look at the mount. Its
    /// text comes back.
    [[nodiscard]] static QByteArray asUser(MountMode mode, const std::function<QByteArray()>& work);

private:
    [[nodiscard]] bool readAnswer();

    MountMode m_mode;
    ScratchFolder m_scratch;
    QString m_root;
    QString m_answer;
    QProcess m_host;
    uint m_deviceMode = 0; ///< of /dev/fuse before it was opened for everybody
};

/// All below ends within the time, or the program is killed.
[[nodiscard]] QByteArray
outputOf(const QString& program, const QStringList& arguments, int seconds = 60);

} // namespace millpond::test
