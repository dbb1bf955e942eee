// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "codec/compression.h"

struct ZSTD_DCtx_s;
struct ZSTD_CCtx_s;

namespace millpond::codec::detail {

/// libzstd's decoder, kept between blocks.
class ZstdDecoder
{
public:
    [[nodiscard]] Status decompress(Bytes in, MutableBytes out);

private:
    struct Free
    {
        void operator()(ZSTD_DCtx_s* context) const;
    };

    std::unique_ptr<ZSTD_DCtx_s, Free> m_context;
};

/// libzstd's encoder, kept between blocks.
class ZstdEncoder
{
public:
    [[nodiscard]] Result<std::optional<std::size_t>>
    compress(Bytes in, MutableBytes out, ZstdLevel level);

private:
    struct Free
    {
        void operator()(ZSTD_CCtx_s* context) const;
    };

    std::unique_ptr<ZSTD_CCtx_s, Free> m_context;
};

} // namespace millpond::codec::detail
