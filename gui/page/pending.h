// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>

#include <memory>

namespace millpond::page {

/// What a page is waiting for, in words. A Ticket stands for one call; it ends when its last copy
/// does, so a callback that holds one cannot forget to end it.
class Pending : public QObject
{
    Q_OBJECT

public:
    using Ticket = std::shared_ptr<void>;

    using QObject::QObject;

    [[nodiscard]] Ticket begin(const QString& text);

    [[nodiscard]] bool isEmpty() const { return m_texts.isEmpty(); }

    /// Of the newest thing waited for.
    [[nodiscard]] QString text() const { return m_texts.isEmpty() ? QString() : m_texts.back(); }

signals:
    void changed();

private:
    void end(const QString& text);

    QStringList m_texts;
};

} // namespace millpond::page
