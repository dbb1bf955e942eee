// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>

/// Fails the test with the error's text when a Result or Status has one.
#define MP_OK(expression)                                                                          \
    do {                                                                                           \
        const auto& mpOk = (expression);                                                           \
        QVERIFY2(mpOk, mpOk ? "" : mpOk.error().toText().c_str());                                 \
    } while (false)
