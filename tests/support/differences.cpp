// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/differences.h"

#include "support/manifest.h"

#include <QJsonDocument>
#include <QSet>

#include <cstdio>

namespace millpond::test {

namespace {
QString shown(const QJsonValue& value)
{
    if (value.isUndefined()) {
        return QStringLiteral("(none)");
    }
    const QString text =
        QString::fromUtf8(QJsonDocument(QJsonArray{value}).toJson(QJsonDocument::Compact));
    constexpr qsizetype kLongest = 300;
    const QString inner = text.mid(1, text.size() - 2);
    return inner.size() > kLongest ? inner.left(kLongest) + QStringLiteral("…") : inner;
}

QString place(const QString& dataset, const QByteArray& path)
{
    return dataset + u' ' + QString::fromUtf8(path);
}
} // namespace

void Differences::add(const QString& text)
{
    if (++m_count <= kShown) {
        m_shown << text;
    }
}

void Differences::compare(const QString& where,
                          const QString& field,
                          const QJsonValue& expected,
                          const QJsonValue& got)
{
    if (expected != got) {
        add(QStringLiteral("%1: %2: expected %3, got %4")
                .arg(where, field, shown(expected), shown(got)));
    }
}

QByteArray Differences::summary() const
{
    return none()
               ? QByteArray()
               : QByteArray::number(m_count) + " differences, first: " + m_shown.first().toUtf8();
}

void Differences::print(const QString& title) const
{
    if (none()) {
        return;
    }
    std::printf("%s: %d differences\n", qPrintable(title), m_count);
    for (const QString& line : m_shown) {
        std::printf("    %s\n", qPrintable(line));
    }
    if (m_count > kShown) {
        std::printf("    … and %d more\n", m_count - kShown);
    }
    std::fflush(stdout);
}

void compareFiles(const QString& dataset,
                  const QJsonArray& expected,
                  const FileEntries& found,
                  Differences& differences,
                  const QStringList& ignored)
{
    QSet<QByteArray> known;
    for (const QJsonValue item : expected) {
        const QJsonObject entry = item.toObject();
        const QByteArray path = entryPath(entry);
        known.insert(path);
        const auto match = found.find(path);
        if (match == found.end()) {
            differences.add(place(dataset, path) + QStringLiteral(": not found"));
            continue;
        }
        QStringList fields = entry.keys() + match->keys();
        fields.removeDuplicates();
        for (const QString& field : fields) {
            if (!field.startsWith(QLatin1String("path")) && !ignored.contains(field)) {
                differences.compare(place(dataset, path), field, entry[field], (*match)[field]);
            }
        }
    }
    for (auto entry = found.begin(); entry != found.end(); ++entry) {
        if (!known.contains(entry.key())) {
            differences.add(place(dataset, entry.key()) +
                            QStringLiteral(": found, but the manifest has no such file"));
        }
    }
}

} // namespace millpond::test
