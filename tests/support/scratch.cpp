// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/scratch.h"

#include "support/cleanup.h"

#include <QDir>

namespace millpond::test {

ScratchFolder::ScratchFolder()
    : m_folder(QDir::tempPath() + QStringLiteral("/mp-XXXXXX"))
{
    if (!m_folder.isValid()) {
        qFatal("no scratch folder: %s", qPrintable(m_folder.errorString()));
    }
}

ScratchFolder::~ScratchFolder()
{
    unmountBelow(path());
}

} // namespace millpond::test
