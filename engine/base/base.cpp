// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/buffer.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/error.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/random.h>
#include <system_error>

namespace millpond {

namespace {
struct CodeFacts
{
    std::string_view name;
    ErrorClass errorClass;
    int errnoValue;
};

constexpr CodeFacts kCodes[] = {
#define MP_FACTS(name, class_, errno_) {#name, ErrorClass::class_, errno_},
    MP_ERROR_CODES(MP_FACTS)
#undef MP_FACTS
};

template <class T> void fillIn(std::optional<T>& mine, const std::optional<T>& other)
{
    if (!mine) {
        mine = other;
    }
}
} // namespace

ErrorClass errorClass(ErrorCode code)
{
    return kCodes[static_cast<std::size_t>(code)].errorClass;
}

int errorErrno(ErrorCode code)
{
    return kCodes[static_cast<std::size_t>(code)].errnoValue;
}

std::string_view errorName(ErrorCode code)
{
    return kCodes[static_cast<std::size_t>(code)].name;
}

ErrorCode errorCodeFromName(std::string_view name)
{
    for (std::size_t i = 0; i < std::size(kCodes); ++i) {
        if (kCodes[i].name == name) {
            return static_cast<ErrorCode>(i);
        }
    }
    return ErrorCode::System;
}

Error::Error(ErrorCode code, std::string what)
    : m_detail(std::make_unique<Detail>(Detail{code, std::move(what), {}}))
{
}

Error::Error(ErrorCode code, std::string what, ErrorContext where)
    : m_detail(std::make_unique<Detail>(Detail{code, std::move(what), std::move(where)}))
{
}

Error::Error(const Error& other)
    : m_detail(std::make_unique<Detail>(*other.m_detail))
{
}

Error& Error::operator=(const Error& other)
{
    if (this != &other) {
        m_detail = std::make_unique<Detail>(*other.m_detail);
    }
    return *this;
}

Error Error::at(ErrorContext where) &&
{
    ErrorContext& mine = m_detail->where;
    fillIn(mine.vdev, where.vdev);
    fillIn(mine.objset, where.objset);
    fillIn(mine.object, where.object);
    fillIn(mine.level, where.level);
    fillIn(mine.block, where.block);
    fillIn(mine.txg, where.txg);
    if (mine.dataset.empty()) {
        mine.dataset = std::move(where.dataset);
    }
    if (mine.path.empty()) {
        mine.path = std::move(where.path);
    }
    return std::move(*this);
}

Error Error::during(std::string_view attempt) &&
{
    m_detail->what.insert(0, fmt::format("{}: ", attempt));
    return std::move(*this);
}

std::string Error::toText() const
{
    const ErrorContext& where = m_detail->where;
    std::string text;
    const auto part = [&text](std::string piece) { text += (text.empty() ? "" : " ") + piece; };
    if (!where.dataset.empty()) {
        part(where.dataset + ":");
    } else if (where.objset) {
        part(fmt::format("object set {}:", where.objset->value()));
    }
    if (!where.path.empty()) {
        part(where.path + ":");
    }
    if (where.vdev) {
        part(fmt::format("vdev {}:", where.vdev->value()));
    }
    if (where.object) {
        std::string object = fmt::format("object {}", where.object->value());
        if (where.level) {
            object += fmt::format(" level {}", where.level->value());
        }
        if (where.block) {
            object += fmt::format(" block {}", where.block->value());
        }
        part(object + ":");
    }
    part(m_detail->what);
    if (where.txg) {
        part(fmt::format("(txg {})", where.txg->value()));
    }
    return text;
}

Error systemError(int errnoValue, std::string_view call, std::string_view path)
{
    ErrorCode code = ErrorCode::System;
    switch (errnoValue) {
    case ENOENT:
        code = ErrorCode::NoSuchEntry;
        break;
    case ENODEV:
    case ENXIO:
        code = ErrorCode::NoSuchDevice;
        break;
    case EACCES:
        code = ErrorCode::NotAuthorized;
        break;
    case EPERM:
        code = ErrorCode::NotPermitted;
        break;
    case EBUSY:
        code = ErrorCode::DeviceBusy;
        break;
    case EEXIST:
        code = ErrorCode::AlreadyExists;
        break;
    case ENOTDIR:
        code = ErrorCode::NotDirectory;
        break;
    case EISDIR:
        code = ErrorCode::IsDirectory;
        break;
    case EINVAL:
        code = ErrorCode::InvalidArgument;
        break;
    case ENAMETOOLONG:
        code = ErrorCode::NameTooLong;
        break;
    case EROFS:
        code = ErrorCode::ReadOnly;
        break;
    case ENOMEM:
        code = ErrorCode::OutOfMemory;
        break;
    case EIO:
        code = ErrorCode::DeviceIo;
        break;
    default:
        break;
    }
    ErrorContext where;
    where.path = path;
    return {code,
            fmt::format("{}: {}", call, std::generic_category().message(errnoValue)),
            std::move(where)};
}

namespace detail {
void checkFailed(const char* condition, std::source_location where)
{
    fmt::print(stderr,
               "{}:{}: {}: check failed: {}\n",
               where.file_name(),
               where.line(),
               where.function_name(),
               condition);
    std::abort();
}
} // namespace detail

void Buffer::Free::operator()(std::byte* data) const
{
    std::free(data);
}

Result<Buffer> Buffer::create(std::size_t size)
{
    if (size > kMaxBytes) {
        return fail(ErrorCode::OutOfMemory,
                    fmt::format("a buffer of {} bytes is over the limit", size));
    }
    Buffer buffer;
    if (size == 0) {
        return buffer;
    }
    // aligned_alloc wants a multiple of the alignment; small buffers need no alignment for direct
    // I/O.
    void* memory = size < kAlignment ? std::malloc(size)
                                     : std::aligned_alloc(kAlignment, alignUp(size, kAlignment));
    if (memory == nullptr) {
        return fail(ErrorCode::OutOfMemory,
                    fmt::format("no memory for a buffer of {} bytes", size));
    }
    buffer.m_data.reset(static_cast<std::byte*>(memory));
    buffer.m_size = size;
    return buffer;
}

Result<Buffer> Buffer::createZeroed(std::size_t size)
{
    Buffer buffer = MP_TRY(create(size));
    if (size != 0) {
        std::memset(buffer.m_data.get(), 0, size);
    }
    return buffer;
}

Result<Buffer> Buffer::copyOf(Bytes bytes)
{
    Buffer buffer = MP_TRY(create(bytes.size()));
    if (!bytes.empty()) {
        std::memcpy(buffer.m_data.get(), bytes.data(), bytes.size());
    }
    return buffer;
}

void Buffer::shrink(std::size_t size)
{
    MP_CHECK(size <= m_size);
    m_size = size;
}

std::chrono::nanoseconds SystemClock::monotonic() const
{
    return std::chrono::steady_clock::now().time_since_epoch();
}

std::chrono::nanoseconds SystemClock::wall() const
{
    return std::chrono::system_clock::now().time_since_epoch();
}

std::uint64_t SystemRandom::next()
{
    std::uint64_t value = 0;
    MP_CHECK(getrandom(&value, sizeof(value), 0) == static_cast<ssize_t>(sizeof(value)));
    return value;
}

std::uint64_t SeededRandom::next()
{
    // SplitMix64, Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", 2014.
    m_state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = m_state;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
}

} // namespace millpond
