// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <memory>
#include <optional>

struct z_stream_s;

namespace millpond::codec::detail {

/// zlib's decoder, kept between blocks.
class Inflater
{
public:
    [[nodiscard]] Status decompress(Bytes in, MutableBytes out);

private:
    struct Free
    {
        void operator()(z_stream_s* stream) const;
    };

    std::unique_ptr<z_stream_s, Free> m_stream;
};

/// zlib's encoder, kept between blocks of the same level (1 to 9).
class Deflater
{
public:
    [[nodiscard]] Result<std::optional<std::size_t>>
    compress(Bytes in, MutableBytes out, int level);

private:
    struct Free
    {
        void operator()(z_stream_s* stream) const;
    };

    std::unique_ptr<z_stream_s, Free> m_stream;
    int m_level = 0;
};

} // namespace millpond::codec::detail
