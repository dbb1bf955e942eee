// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace millpond {

template <class Signature> class FunctionRef;

/// A borrowed callable: two pointers, no allocation. For parameters only: what it refers to must
/// outlive the call it is passed to.
template <class R, class... Args> class FunctionRef<R(Args...)>
{
public:
    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef> &&
                 std::is_invocable_r_v<R, F&, Args...>)
    // NOLINTNEXTLINE(google-explicit-constructor): made to be passed lambdas
    FunctionRef(F&& function)
        : m_object(const_cast<void*>(static_cast<const void*>(std::addressof(function))))
        , m_call([](void* object, Args... args) -> R {
            return (*static_cast<std::add_pointer_t<F>>(object))(std::forward<Args>(args)...);
        })
    {
    }

    R operator()(Args... args) const { return m_call(m_object, std::forward<Args>(args)...); }

private:
    void* m_object;
    R (*m_call)(void*, Args...);
};

} // namespace millpond
