// SPDX-License-Identifier: GPL-3.0-or-later
#include "codec/detail/gzip.h"

#define ZLIB_CONST // input buffers are const
#include <zlib.h>

namespace millpond::codec::detail {

namespace {

void setBuffers(z_stream& stream, Bytes in, MutableBytes out)
{
    stream.next_in = reinterpret_cast<const Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
}

std::unexpected<Error> noMemory()
{
    return fail(ErrorCode::OutOfMemory, "gzip: no memory for zlib");
}

} // namespace

void Inflater::Free::operator()(z_stream_s* stream) const
{
    inflateEnd(stream);
    delete stream;
}

void Deflater::Free::operator()(z_stream_s* stream) const
{
    deflateEnd(stream);
    delete stream;
}

Status Inflater::decompress(Bytes in, MutableBytes out)
{
    if (!m_stream) {
        auto stream = std::make_unique<z_stream>();
        if (inflateInit(stream.get()) != Z_OK) {
            return noMemory();
        }
        m_stream.reset(stream.release());
    } else {
        inflateReset(m_stream.get());
    }
    setBuffers(*m_stream, in, out);
    if (inflate(m_stream.get(), Z_FINISH) != Z_STREAM_END || m_stream->avail_out != 0) {
        return fail(ErrorCode::BadCompression, "gzip: damaged stream or wrong length");
    }
    return {};
}

Result<std::optional<std::size_t>> Deflater::compress(Bytes in, MutableBytes out, int level)
{
    if (!m_stream || m_level != level) {
        auto stream = std::make_unique<z_stream>();
        if (deflateInit(stream.get(), level) != Z_OK) {
            return noMemory();
        }
        m_stream.reset(stream.release());
        m_level = level;
    } else {
        deflateReset(m_stream.get());
    }
    setBuffers(*m_stream, in, out);
    if (deflate(m_stream.get(), Z_FINISH) != Z_STREAM_END) {
        return std::optional<std::size_t>();
    }
    return std::optional(out.size() - m_stream->avail_out);
}

} // namespace millpond::codec::detail
