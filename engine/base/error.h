// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error_code.h"
#include "base/types.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace millpond {

/// Where something went wrong. Each layer fills in what it knows on the way up; what is already set
/// stays, because the lowest layer knows best.
struct ErrorContext
{
    std::optional<VdevGuid> vdev;
    std::optional<ObjsetId> objset;
    std::optional<ObjectId> object;
    std::optional<Level> level;
    std::optional<BlockIndex> block;
    std::optional<Txg> txg;
    std::string dataset; ///< name, where a layer above dataset/ knows it
    std::string path;    ///< path of a file or device
};

/// A code, what was attempted or found (one plain sentence fragment, no final stop), and where.
/// One pointer wide: a Result stays small. Moves are cheap, copies are deep.
class Error
{
public:
    Error(ErrorCode code, std::string what);
    Error(ErrorCode code, std::string what, ErrorContext where);
    Error(const Error& other);
    Error& operator=(const Error& other);
    Error(Error&&) noexcept = default;
    Error& operator=(Error&&) noexcept = default;
    ~Error() = default;

    [[nodiscard]] ErrorCode code() const { return m_detail->code; }

    [[nodiscard]] ErrorClass errorClass() const { return millpond::errorClass(code()); }

    [[nodiscard]] const std::string& what() const { return m_detail->what; }

    [[nodiscard]] const ErrorContext& where() const { return m_detail->where; }

    [[nodiscard]] bool is(ErrorCode code) const { return m_detail->code == code; }

    /// Adds what `where` knows and this error does not yet.
    [[nodiscard]] Error at(ErrorContext where) &&;
    /// "while reading the space map: " and the like, in front of what().
    [[nodiscard]] Error during(std::string_view attempt) &&;

    /// "tank/home: object 12 level 0 block 7: checksum mismatch"
    [[nodiscard]] std::string toText() const;

private:
    struct Detail
    {
        ErrorCode code;
        std::string what;
        ErrorContext where;
    };

    std::unique_ptr<Detail> m_detail;
};

/// An Error from errno after a system call on `path`.
[[nodiscard]] Error systemError(int errnoValue, std::string_view call, std::string_view path);

} // namespace millpond
