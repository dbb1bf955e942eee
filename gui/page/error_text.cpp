// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/page/error_text.h"

#include <QCoreApplication>

namespace millpond::page {

namespace {

struct ErrorText
{
    Q_DECLARE_TR_FUNCTIONS(ErrorText)
};

} // namespace

QString reasonText(const state::CallError& error)
{
    using Kind = state::CallError::Kind;
    switch (error.kind) {
    case Kind::Denied:
        return error.text.isEmpty()
                   ? ErrorText::tr("You are not allowed to do this.")
                   : ErrorText::tr("You are not allowed to do this: %1").arg(error.text);
    case Kind::TimedOut:
        return ErrorText::tr(
            "The helper did not answer in time. A disk may be slow or not respond.");
    case Kind::NoHelper:
        return ErrorText::tr("The storage helper is not running.");
    case Kind::BadAnswer:
        return ErrorText::tr("The helper's answer could not be understood: %1").arg(error.text);
    case Kind::Refused:
        break;
    }
    return error.text.isEmpty() ? ErrorText::tr("The helper refused: %1").arg(error.name)
                                : error.text;
}

QString helperTitle(const state::Helper& helper)
{
    using State = state::Helper::State;
    switch (helper.state) {
    case State::Absent:
    case State::Starting:
        return helper.mode == state::HelperMode::System
                   ? ErrorText::tr("Connecting to the storage helper of this machine")
                   : ErrorText::tr("Starting the storage helper");
    case State::Ready:
        return ErrorText::tr("The storage helper is ready");
    case State::Lost:
        return ErrorText::tr("The storage helper has ended");
    case State::WrongVersion:
        return ErrorText::tr("The storage helper has another version");
    case State::Failed:
        break;
    }
    return helper.mode == state::HelperMode::System
               ? ErrorText::tr("The storage helper of this machine cannot be reached")
               : ErrorText::tr("The storage helper could not be started");
}

QString helperText(const state::Helper& helper)
{
    using State = state::Helper::State;
    switch (helper.state) {
    case State::Absent:
    case State::Starting:
        return ErrorText::tr("It reads disks and image files for this window.");
    case State::Ready:
        return {};
    case State::Lost:
        return ErrorText::tr(
            "Pools that were open in it are closed; nothing on the disks was changed. "
            "It can be started again.");
    case State::WrongVersion:
    case State::Failed:
        break;
    }
    return helper.text;
}

} // namespace millpond::page
