// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/pools/commands.h"

#include <algorithm>

namespace millpond::pools::commands {

namespace {

QString line(const QStringList& words)
{
    QStringList quoted;
    std::ranges::transform(words, std::back_inserter(quoted), shellWord);
    return quoted.join(QLatin1Char(' '));
}

QStringList searchOptions(const Source& source)
{
    return source.isMachine() ? QStringList() : QStringList{QStringLiteral("-d"), source.folder};
}

QString listCommand(const QStringList& options, const QStringList& properties, const QString& root)
{
    const QString columns = QStringLiteral("name,") + properties.join(QLatin1Char(','));
    return line(QStringList{QStringLiteral("mpzfs"), QStringLiteral("list")} + options +
                QStringList{QStringLiteral("-o"), columns, root});
}

} // namespace

QString shellWord(const QString& text)
{
    static const QString kPlain = QStringLiteral("%+,-./:=@_");
    const bool plain = !text.isEmpty() && std::ranges::all_of(text, [](QChar letter) {
        return (letter.unicode() < 128 && letter.isLetterOrNumber()) || kPlain.contains(letter);
    });
    if (plain) {
        return text;
    }
    QString quoted = text;
    quoted.replace(QLatin1Char('\''), QStringLiteral("'\\''"));
    return QLatin1Char('\'') + quoted + QLatin1Char('\'');
}

QString scan(const Source& source)
{
    return line(QStringList{QStringLiteral("mpzpool"), QStringLiteral("import")} +
                searchOptions(source));
}

QString importPool(const QString& pool, const Source& source, bool force)
{
    QStringList words{QStringLiteral("mpzpool"), QStringLiteral("import")};
    if (force) {
        words.append(QStringLiteral("-f"));
    }
    words += QStringList{QStringLiteral("-o"), QStringLiteral("readonly=on")};
    return line(words + searchOptions(source) + QStringList{pool});
}

QString exportPool(const QString& pool)
{
    return line({QStringLiteral("mpzpool"), QStringLiteral("export"), pool});
}

QString check(const QString& pool, const Source& source)
{
    return line(QStringList{QStringLiteral("mpzpool"), QStringLiteral("check")} +
                searchOptions(source) + QStringList{pool});
}

QString datasets(const QString& root, const QStringList& properties)
{
    return listCommand({QStringLiteral("-r")}, properties, root);
}

QString snapshots(const QString& dataset, const QStringList& properties)
{
    return listCommand({QStringLiteral("-t"),
                        QStringLiteral("snapshot"),
                        QStringLiteral("-d"),
                        QStringLiteral("1")},
                       properties,
                       dataset);
}

QString mount(const QString& dataset)
{
    return line({QStringLiteral("mpzfs"), QStringLiteral("mount"), dataset});
}

QString unmount(const QString& dataset)
{
    return line({QStringLiteral("mpzfs"), QStringLiteral("unmount"), dataset});
}

} // namespace millpond::pools::commands
