// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "base/types.h"
#include "format/dsl.h"

#include <string>
#include <string_view>

namespace millpond::format {

/// Persistent error logs are ZAPs. Old form: key "objset:object:level:block" in hex, value a name.
/// With the feature head_errlog: a ZAP from the head dataset's object (hex) to a ZAP whose keys are
/// "object:level:block:birth".
struct ErrorLogKey
{
    /// BadConfig when it has not four parts of hex digits.
    [[nodiscard]] static Result<BookmarkPosition> decode(std::string_view key);
    [[nodiscard]] static std::string encode(const BookmarkPosition& position);
};

struct HeadErrorLogKey
{
    BookmarkPosition position; ///< objset is the caller's to fill in
    Txg birth;

    [[nodiscard]] static Result<HeadErrorLogKey> decode(std::string_view key);
    [[nodiscard]] std::string encode() const;
    /// The head dataset of the outer ZAP's key.
    [[nodiscard]] static Result<ObjsetId> decodeDataset(std::string_view key);
};

} // namespace millpond::format
