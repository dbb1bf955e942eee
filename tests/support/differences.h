// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QJsonArray>
#include <QJsonObject>
#include <QJsonValue>
#include <QMap>
#include <QString>
#include <QStringList>

namespace millpond::test {

/// Collects where what we see differs from what a manifest says; keeps the first kShown as text.
class Differences
{
public:
    static constexpr int kShown = 20;

    void add(const QString& text);
    /// Compares one field; a difference reads "tank/fs dir/file: size: expected 5, got 6".
    void compare(const QString& where,
                 const QString& field,
                 const QJsonValue& expected,
                 const QJsonValue& got);

    [[nodiscard]] int count() const { return m_count; }

    [[nodiscard]] bool none() const { return m_count == 0; }

    /// For QVERIFY2, which cuts long texts off.
    [[nodiscard]] QByteArray summary() const;
    /// Prints what is kept, where there is anything.
    void print(const QString& title) const;

private:
    int m_count = 0;
    QStringList m_shown;
};

/// Entries by path, in the manifest's form (../shared/pools/README.md): what a reader, through the
/// engine or through a mount, found in a dataset.
using FileEntries = QMap<QByteArray, QJsonObject>;

/// Compares every field of every entry of a dataset's list in the manifest with what was found, and
/// that nothing is missing or added. Fields named in `ignored` are not compared, nor are "path" and
/// "path_hex".
void compareFiles(const QString& dataset,
                  const QJsonArray& expected,
                  const FileEntries& found,
                  Differences& differences,
                  const QStringList& ignored = {});

} // namespace millpond::test
