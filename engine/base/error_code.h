// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string_view>

// The one list of error codes. A code has a class, an errno for FUSE and a stable name for the bus
// (org.millpond.Error.<Name>). Outward mapping happens in three places only: fuse (errno), bus
// (name), cli (text and exit code).

namespace millpond {

enum class ErrorClass : std::uint8_t
{
    Io,          ///< a device failed; retrying may help
    Corrupt,     ///< bytes from outside are not what the format allows
    NotFound,    ///< the named thing does not exist
    Exists,      ///< the name is taken
    Busy,        ///< in use by somebody; later may work
    Invalid,     ///< the request makes no sense
    Denied,      ///< the caller may not
    Unsupported, ///< a feature or version this program does not have
    Limit,       ///< a named bound was met
    Cancelled,   ///< somebody asked to stop, or the answer may not wait
};

// name, class, errno
#define MP_ERROR_CODES(X)                                                                          \
    X(DeviceIo, Io, EIO)                                                                           \
    X(DeviceMissing, Io, EIO)                                                                      \
    X(DeviceTooSmall, Io, EIO)                                                                     \
    X(ChecksumMismatch, Corrupt, EIO)                                                              \
    X(BadLabel, Corrupt, EIO)                                                                      \
    X(BadNvlist, Corrupt, EIO)                                                                     \
    X(BadUberblock, Corrupt, EIO)                                                                  \
    X(BadBlockPointer, Corrupt, EIO)                                                               \
    X(BadCompression, Corrupt, EIO)                                                                \
    X(BadGang, Corrupt, EIO)                                                                       \
    X(BadDnode, Corrupt, EIO)                                                                      \
    X(BadObjset, Corrupt, EIO)                                                                     \
    X(BadZap, Corrupt, EIO)                                                                        \
    X(BadAttributes, Corrupt, EIO)                                                                 \
    X(BadSpaceMap, Corrupt, EIO)                                                                   \
    X(BadDataset, Corrupt, EIO)                                                                    \
    X(BadDirectory, Corrupt, EIO)                                                                  \
    X(BadConfig, Corrupt, EIO)                                                                     \
    X(BadLog, Corrupt, EIO)                                                                        \
    X(NoSuchPool, NotFound, ENOENT)                                                                \
    X(NoSuchDataset, NotFound, ENOENT)                                                             \
    X(NoSuchDevice, NotFound, ENODEV)                                                              \
    X(NoSuchObject, NotFound, ENOENT)                                                              \
    X(NoSuchEntry, NotFound, ENOENT)                                                               \
    X(NoSuchAttribute, NotFound, ENODATA)                                                          \
    X(NoSuchProperty, NotFound, ENOENT)                                                            \
    X(NoSuchJob, NotFound, ENOENT)                                                                 \
    X(AlreadyExists, Exists, EEXIST)                                                               \
    X(NotEmpty, Exists, ENOTEMPTY)                                                                 \
    X(AlreadyMounted, Exists, EBUSY)                                                               \
    X(NotMounted, NotFound, EINVAL)                                                                \
    X(DeviceBusy, Busy, EBUSY)                                                                     \
    X(PoolBusy, Busy, EBUSY)                                                                       \
    X(DatasetBusy, Busy, EBUSY)                                                                    \
    X(PoolActive, Busy, EBUSY)                                                                     \
    X(InvalidArgument, Invalid, EINVAL)                                                            \
    X(InvalidName, Invalid, EINVAL)                                                                \
    X(NameTooLong, Invalid, ENAMETOOLONG)                                                          \
    X(NotUtf8, Invalid, EILSEQ)                                                                    \
    X(Ambiguous, Invalid, EINVAL)                                                                  \
    X(NotDirectory, Invalid, ENOTDIR)                                                              \
    X(IsDirectory, Invalid, EISDIR)                                                                \
    X(NotLink, Invalid, EINVAL)                                                                    \
    X(CrossesBoundary, Invalid, EXDEV)                                                             \
    X(ReadOnly, Denied, EROFS)                                                                     \
    X(NotAuthorized, Denied, EACCES)                                                               \
    X(NotPermitted, Denied, EPERM)                                                                 \
    X(UnsupportedFeature, Unsupported, ENOTSUP)                                                    \
    X(UnsupportedVersion, Unsupported, ENOTSUP)                                                    \
    X(UnsupportedVdev, Unsupported, ENOTSUP)                                                       \
    X(UnsupportedMethod, Unsupported, ENOSYS)                                                      \
    X(Encrypted, Unsupported, EACCES)                                                              \
    X(NoSpace, Limit, ENOSPC)                                                                      \
    X(QuotaExceeded, Limit, EDQUOT)                                                                \
    X(TooLarge, Limit, EFBIG)                                                                      \
    X(TooMany, Limit, E2BIG)                                                                       \
    X(OutOfMemory, Limit, ENOMEM)                                                                  \
    X(BufferTooSmall, Limit, ERANGE)                                                               \
    X(WouldBlock, Cancelled, EAGAIN)                                                               \
    X(Cancelled, Cancelled, EINTR)                                                                 \
    X(TimedOut, Cancelled, ETIMEDOUT)                                                              \
    X(System, Io, EIO)                                                                             \
    X(ConnectionLost, Io, EPIPE)                                                                   \
    X(BadMessage, Corrupt, EPROTO)

enum class ErrorCode : std::uint8_t
{
#define MP_ENUMERATOR(name, class_, errno_) name,
    MP_ERROR_CODES(MP_ENUMERATOR)
#undef MP_ENUMERATOR
};

[[nodiscard]] ErrorClass errorClass(ErrorCode code);
[[nodiscard]] int errorErrno(ErrorCode code);
[[nodiscard]] std::string_view errorName(ErrorCode code);
/// The way back, for clients of the bus; System when the name is not known.
[[nodiscard]] ErrorCode errorCodeFromName(std::string_view name);

} // namespace millpond
