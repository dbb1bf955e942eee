// SPDX-License-Identifier: GPL-3.0-or-later
#include "support/zstd_file.h"

#include <QFile>

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <unistd.h>
#include <zstd.h>

namespace millpond::test {

namespace {
constexpr qsizetype kChunk = 1 << 20;
constexpr qsizetype kHole = 4096;

using Sink = std::function<bool(const char* data, qsizetype size)>;

/// Calls `sink` with chunks of kChunk bytes (the last may be shorter) of the unpacked content.
bool unpack(const QString& packed, const Sink& sink)
{
    QFile file(packed);
    if (!file.open(QIODevice::ReadOnly)) {
        return false;
    }
    const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                     ZSTD_freeDCtx);
    const QByteArray input = file.readAll();
    ZSTD_inBuffer in{input.constData(), static_cast<size_t>(input.size()), 0};
    QByteArray chunk(kChunk, Qt::Uninitialized);
    ZSTD_outBuffer out{chunk.data(), static_cast<size_t>(kChunk), 0};
    size_t left = 0;
    bool stalled = false;
    while (in.pos < in.size || (left != 0 && !stalled)) {
        const size_t before = out.pos;
        left = ZSTD_decompressStream(context.get(), &out, &in);
        if (ZSTD_isError(left) != 0U) {
            return false;
        }
        stalled = in.pos == in.size && out.pos == before;
        if (out.pos == out.size) {
            if (!sink(chunk.constData(), kChunk)) {
                return false;
            }
            out.pos = 0;
        }
    }
    return left == 0 && sink(chunk.constData(), static_cast<qsizetype>(out.pos));
}

bool isZero(const char* data, qsizetype size)
{
    // Equal to itself shifted by one: every byte equals the first.
    return data[0] == 0 && std::memcmp(data, data + 1, static_cast<size_t>(size) - 1) == 0;
}
} // namespace

bool unpackSparse(const QString& packed, const QString& image)
{
    const int target = open(qPrintable(image), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (target < 0) {
        return false;
    }
    off_t position = 0;
    const bool done = unpack(packed, [&](const char* data, qsizetype size) {
        for (qsizetype at = 0; at < size; at += kHole) {
            const qsizetype piece = std::min(kHole, size - at);
            if (!isZero(data + at, piece) &&
                pwrite(target, data + at, static_cast<size_t>(piece), position + at) != piece) {
                return false;
            }
        }
        position += size;
        return true;
    });
    const bool sized = ftruncate(target, position) == 0;
    close(target);
    return done && sized;
}

std::optional<QByteArray> unpackToMemory(const QString& packed)
{
    QByteArray content;
    const bool done = unpack(packed, [&content](const char* data, qsizetype size) {
        content.append(data, size);
        return true;
    });
    return done ? std::optional(content) : std::nullopt;
}

} // namespace millpond::test
