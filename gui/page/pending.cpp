// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/page/pending.h"

#include <QPointer>

namespace millpond::page {

Pending::Ticket Pending::begin(const QString& text)
{
    m_texts.append(text);
    emit changed();
    return {this, [guard = QPointer<Pending>(this), text](void*) {
                if (guard) {
                    guard->end(text);
                }
            }};
}

void Pending::end(const QString& text)
{
    m_texts.removeOne(text);
    emit changed();
}

} // namespace millpond::page
