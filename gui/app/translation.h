// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QCoreApplication;
class QLocale;

namespace millpond::app {

/// Installs the texts of a language, Qt's own and the program's; English where there are none.
void loadTranslations(QCoreApplication& application, const QLocale& locale);

} // namespace millpond::app
