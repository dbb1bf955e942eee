// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/art/icon.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace millpond::art {

namespace {

/// Draws an SVG whose "currentColor" is replaced by the palette's text colour of the icon's mode.
class PaletteIconEngine : public QIconEngine
{
public:
    explicit PaletteIconEngine(QString name)
        : m_name(std::move(name))
    {
    }

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override
    {
        QSvgRenderer renderer(coloured(mode));
        if (mode == QIcon::Disabled) {
            painter->setOpacity(0.55);
        }
        renderer.render(painter, rect);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
    {
        const QString key = QStringLiteral("millpond/%1/%2x%3/%4")
                                .arg(m_name)
                                .arg(size.width())
                                .arg(size.height())
                                .arg(textColour(mode).name());
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap)) {
            return pixmap;
        }
        pixmap = QPixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        paint(&painter, QRect(QPoint(), size), mode, state);
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }

    [[nodiscard]] QIconEngine* clone() const override { return new PaletteIconEngine(m_name); }

private:
    [[nodiscard]] static QColor textColour(QIcon::Mode mode)
    {
        const QPalette palette = QApplication::palette();
        switch (mode) {
        case QIcon::Selected:
            return palette.color(QPalette::HighlightedText);
        case QIcon::Disabled:
            return palette.color(QPalette::Disabled, QPalette::WindowText);
        default:
            return palette.color(QPalette::WindowText);
        }
    }

    [[nodiscard]] QByteArray coloured(QIcon::Mode mode) const
    {
        QFile file(QStringLiteral(":/icons/%1.svg").arg(m_name));
        if (!file.open(QIODevice::ReadOnly)) {
            return {};
        }
        return file.readAll().replace("currentColor", textColour(mode).name().toLatin1());
    }

    QString m_name;
};

} // namespace

QIcon icon(const QString& name)
{
    return QIcon(new PaletteIconEngine(name));
}

QIcon themeIcon(const QString& themeName, const QString& ownName)
{
    return QIcon::hasThemeIcon(themeName) ? QIcon::fromTheme(themeName) : icon(ownName);
}

} // namespace millpond::art
