// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error.h"

#include <expected>
#include <utility>

namespace millpond {

/// What every call that can fail returns; ignoring it does not compile.
template <class T> class [[nodiscard]] Result : public std::expected<T, Error>
{
public:
    using std::expected<T, Error>::expected;
};

using Status = Result<void>;

[[nodiscard]] inline std::unexpected<Error> fail(ErrorCode code, std::string what)
{
    return std::unexpected<Error>(std::in_place, code, std::move(what));
}

[[nodiscard]] inline std::unexpected<Error>
fail(ErrorCode code, std::string what, ErrorContext where)
{
    return std::unexpected<Error>(std::in_place, code, std::move(what), std::move(where));
}

[[nodiscard]] inline std::unexpected<Error> fail(Error error)
{
    return std::unexpected<Error>(std::move(error));
}

namespace detail {
template <class T> T takeValue(Result<T>&& result)
{
    return std::move(*result);
}

inline void takeValue(Status&&) {}
} // namespace detail

} // namespace millpond

/// Yields the value, or returns the error from the calling function.
/// `auto block = MP_TRY(readBlock(x));`   `MP_TRY(flush());`
#define MP_TRY(expression) MP_TRY_NUMBERED(expression, __COUNTER__)
// The variable is numbered: a lambda in the expression may use MP_TRY itself without shadowing it.
#define MP_TRY_NUMBERED(expression, number) MP_TRY_NAMED(expression, MP_TRY_NAME(number))
#define MP_TRY_NAME(number) mpTryResult##number
#define MP_TRY_NAMED(expression, result)                                                           \
    __extension__({                                                                                \
        auto result = (expression);                                                                \
        if (!result) [[unlikely]] {                                                                \
            return ::std::unexpected(::std::move(result).error());                                 \
        }                                                                                          \
        ::millpond::detail::takeValue(::std::move(result));                                        \
    })
