// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/state/helper.h"

#include <QWidget>

class QLabel;

namespace millpond::shell {

/// The part of the status line that says which helper the window works with and how it is.
class HelperStatus : public QWidget
{
    Q_OBJECT

public:
    explicit HelperStatus(QWidget* parent = nullptr);

    void setHelper(const state::Helper& helper);

    [[nodiscard]] QString text() const;

private:
    QLabel* m_icon;
    QLabel* m_text;
};

/// "Private mode: helper 0.1.0 is running"
[[nodiscard]] QString helperStatusText(const state::Helper& helper);

} // namespace millpond::shell
