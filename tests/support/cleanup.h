// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

namespace millpond::test {

/// Mount points at or below `folder`, deepest first, as the kernel lists them now.
[[nodiscard]] QStringList mountsBelow(const QString& folder);

/// Unmounts them, lazily where they are busy; as root with umount2, else with fusermount3.
void unmountBelow(const QString& folder);

/// A loop device over a file, detached at the end. Needs root; device() is empty where that failed.
class LoopDevice
{
public:
    enum class Access
    {
        ReadOnly,
        ReadWrite
    };

    LoopDevice(const QString& file, Access access);
    ~LoopDevice();
    LoopDevice(const LoopDevice&) = delete;
    LoopDevice& operator=(const LoopDevice&) = delete;

    [[nodiscard]] QString device() const { return m_device; }

private:
    QString m_device;
};

} // namespace millpond::test
