// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace millpond::state {

enum class HelperMode
{
    Private,
    System
};

/// How things stand with the helper.
struct Helper
{
    enum class State
    {
        Absent,   ///< nobody has asked for it yet
        Starting, ///< being started or connected to
        Ready,
        Lost,        ///< it was there and is gone
        Failed,      ///< could not be started or reached
        WrongVersion ///< speaks another version of the interface
    };

    HelperMode mode = HelperMode::Private;
    State state = State::Absent;
    QString text;    ///< why, in plain words, when it is not ready
    QString version; ///< of the program, when ready
};

/// Why a call gave no answer.
struct CallError
{
    enum class Kind
    {
        Refused,  ///< the helper answered with an error
        Denied,   ///< the caller may not
        TimedOut, ///< no answer within the deadline
        NoHelper, ///< there is no helper to ask, or it died meanwhile
        BadAnswer ///< the answer makes no sense
    };

    Kind kind = Kind::Refused;
    QString name; ///< of the error code, "NoSuchPool"; empty when the helper did not say
    QString text; ///< in plain words
};

} // namespace millpond::state
