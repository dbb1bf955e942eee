// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/model/advice.h"

#include <QCoreApplication>

#include <array>

namespace millpond::model {

namespace {

// engine/api/detail/health.cpp has them; a test compares.
constexpr std::array kSentences{
    QT_TRANSLATE_NOOP(
        "Advice",
        "Devices are missing, and the copies that are left are not enough to read the pool."),
    QT_TRANSLATE_NOOP("Advice", "Connect the missing devices and try again."),
    QT_TRANSLATE_NOOP("Advice", "Some files are damaged and could not be rebuilt from any copy."),
    QT_TRANSLATE_NOOP("Advice", "Restore the files listed below from a backup, or delete them."),
    QT_TRANSLATE_NOOP(
        "Advice", "A device is being rebuilt. Until that is done the pool has less redundancy."),
    QT_TRANSLATE_NOOP("Advice", "Wait for the resilver to finish."),
    QT_TRANSLATE_NOOP(
        "Advice", "A device has no usable label. The other copies are enough to read everything."),
    QT_TRANSLATE_NOOP("Advice", "Replace the device."),
    QT_TRANSLATE_NOOP(
        "Advice", "A device could not be opened. The other copies are enough to read everything."),
    QT_TRANSLATE_NOOP("Advice", "Connect the device, or replace it."),
    QT_TRANSLATE_NOOP("Advice",
                      "A device was switched off by an administrator. The other copies are enough "
                      "to read everything."),
    QT_TRANSLATE_NOOP("Advice", "Bring the device back online, or replace it."),
    QT_TRANSLATE_NOOP("Advice",
                      "A device was taken out. The other copies are enough to read everything."),
    QT_TRANSLATE_NOOP("Advice", "Put the device back, or replace it."),
    QT_TRANSLATE_NOOP("Advice", "A device had too many errors and is no longer used."),
    QT_TRANSLATE_NOOP("Advice", "Replace the device, or clear its errors if it is sound."),
    QT_TRANSLATE_NOOP("Advice",
                      "A device returned errors. Everything was rebuilt from other copies."),
    QT_TRANSLATE_NOOP("Advice", "Check the device and its cable; replace it if errors come back."),
    QT_TRANSLATE_NOOP(
        "Advice",
        "The pool has an old on-disk version. It works, without what newer versions brought."),
    QT_TRANSLATE_NOOP(
        "Advice",
        "Nothing needs to be done. An upgrade shuts out software that knows no feature flags."),
    QT_TRANSLATE_NOOP(
        "Advice",
        "Some features that this program knows are not enabled. The pool works without them."),
    QT_TRANSLATE_NOOP(
        "Advice",
        "Nothing needs to be done. An upgrade shuts out software that lacks those features."),
};

} // namespace

QString translatedAdvice(const QString& sentence)
{
    return QCoreApplication::translate("Advice", sentence.toUtf8().constData());
}

QStringList knownAdvice()
{
    QStringList sentences;
    for (const char* sentence : kSentences) {
        sentences.append(QString::fromUtf8(sentence));
    }
    return sentences;
}

} // namespace millpond::model
