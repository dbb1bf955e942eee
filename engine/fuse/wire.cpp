// SPDX-License-Identifier: GPL-3.0-or-later
//
// Between the kernel and libfuse: theory.
//
// Purpose. The kernel's protocol has things that libfuse 3.14 does not know. Here requests are
// changed on their way in and one reply on its way out, so that libfuse passes on what matters, in
// fields it knows. With a later libfuse less of this is needed.
//
// What is changed.
//   INIT, the reply: FUSE_HANDLE_KILLPRIV_V2, where the kernel offers it. Without it the kernel
//   asks
//       for security.capability at every write() of a file system that has attributes, which makes
//       a writer of small pieces ten times slower. With it we drop setuid, setgid and capabilities
//       when contents change, and are told when. FUSE_DIRECT_IO_ALLOW_MMAP, so that files past the
//       page cache can be mapped.
//   WRITE, OPEN, SETATTR: the flag that setuid and setgid are to be dropped moves to a bit of the
//       open flags or the mode that means nothing (Wire::kDropPrivileges).
//   TMPFILE becomes CREATE with O_TMPFILE among its flags. Both have the same arguments and reply.
//
// Invariants. The length of a request never changes. What is not recognised passes as it is.
//
// Failure. None: a request too short for its kind is libfuse's to refuse.
//
// Sources: Linux include/uapi/linux/fuse.h; libfuse 3.14 lib/fuse_lowlevel.c for what it passes on.
#define FUSE_USE_VERSION 35

#include "fuse/wire.h"

#include <fuse_lowlevel.h>
#include <linux/fuse.h>

#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace millpond::fuse {

namespace {
constexpr std::uint32_t kTmpfile = 51; ///< FUSE_TMPFILE, in headers from 6.1 on
constexpr std::uint64_t kAllowMmap = std::uint64_t{1} << 36U; ///< FUSE_DIRECT_IO_ALLOW_MMAP
constexpr unsigned kSecondFlags = 32; ///< where flags2 goes in the joined flags

/// A structure at the beginning of the bytes; false where they are too few.
template <class T> bool load(Bytes bytes, T& out)
{
    if (bytes.size() < sizeof(T)) {
        return false;
    }
    std::memcpy(&out, bytes.data(), sizeof(T));
    return true;
}

template <class T> void store(MutableBytes bytes, const T& value)
{
    std::memcpy(bytes.data(), &value, sizeof(T));
}

void changeWrite(MutableBytes body)
{
    fuse_write_in in = {};
    if (load(body, in) && (in.write_flags & FUSE_WRITE_KILL_SUIDGID) != 0) {
        in.flags |= Wire::kDropPrivileges;
        store(body, in);
    }
}

void changeOpen(MutableBytes body)
{
    fuse_open_in in = {};
    if (load(body, in) && (in.open_flags & FUSE_OPEN_KILL_SUIDGID) != 0) {
        in.flags |= Wire::kDropPrivileges;
        store(body, in);
    }
}

void changeSetattr(MutableBytes body)
{
    fuse_setattr_in in = {};
    if (load(body, in) && (in.valid & FATTR_KILL_SUIDGID) != 0) {
        in.mode |= Wire::kDropPrivileges;
        store(body, in);
    }
}

bool changeTmpfile(MutableBytes body)
{
    fuse_create_in in = {};
    if (!load(body, in)) {
        return false;
    }
    in.flags |= static_cast<std::uint32_t>(O_TMPFILE);
    store(body, in);
    return true;
}
} // namespace

void Wire::onRequest(MutableBytes request)
{
    fuse_in_header header = {};
    if (!load(request, header)) {
        return;
    }
    const MutableBytes body = request.subspan(sizeof(header));
    switch (header.opcode) {
    case FUSE_INIT: {
        fuse_init_in in = {};
        const Bytes known = Bytes(body).first(std::min(body.size(), sizeof(in)));
        std::memcpy(&in, known.data(), known.size()); // older kernels say less
        m_offered = in.flags | (std::uint64_t{in.flags2} << kSecondFlags);
        m_greeting.store(header.unique);
        break;
    }
    case FUSE_WRITE:
        changeWrite(body);
        break;
    case FUSE_OPEN:
        changeOpen(body);
        break;
    case FUSE_SETATTR:
        changeSetattr(body);
        break;
    case kTmpfile:
        if (changeTmpfile(body)) {
            header.opcode = FUSE_CREATE;
            store(request, header);
        }
        break;
    default:
        break;
    }
}

void Wire::onReply(const iovec* pieces, int count)
{
    const auto bytesOf = [](const iovec& piece) {
        return MutableBytes(static_cast<std::byte*>(piece.iov_base), piece.iov_len);
    };
    fuse_out_header header = {};
    if (m_greeting.load() == 0 || count != 2 || !load(bytesOf(pieces[0]), header) ||
        header.unique != m_greeting.load() || header.error != 0) {
        return;
    }
    fuse_init_out out = {};
    const MutableBytes body = bytesOf(pieces[1]);
    if (!load(body, out)) {
        return;
    }
    if ((m_offered & FUSE_HANDLE_KILLPRIV_V2) != 0) {
        out.flags |= FUSE_HANDLE_KILLPRIV_V2;
        out.flags &= ~static_cast<std::uint32_t>(FUSE_HANDLE_KILLPRIV);
    }
    if ((m_offered & FUSE_INIT_EXT) != 0 && (m_offered & kAllowMmap) != 0) {
        out.flags |= FUSE_INIT_EXT;
        out.flags2 |= static_cast<std::uint32_t>(kAllowMmap >> kSecondFlags);
    }
    store(body, out);
    m_greeting.store(0);
}

ssize_t Wire::read(int fd, void* buffer, std::size_t size, void* owner)
{
    const ssize_t got = ::read(fd, buffer, size);
    if (got > 0) {
        static_cast<WireOwner*>(owner)->wire.onRequest(
            {static_cast<std::byte*>(buffer), static_cast<std::size_t>(got)});
    }
    return got;
}

ssize_t Wire::write(int fd, iovec* pieces, int count, void* owner)
{
    static_cast<WireOwner*>(owner)->wire.onReply(pieces, count);
    return ::writev(fd, pieces, count);
}

bool Wire::attach(fuse_session* session, int fd)
{
    fuse_custom_io io = {};
    io.read = &Wire::read;
    io.writev = &Wire::write;
    return fuse_session_custom_io(session, &io, fd) == 0;
}

} // namespace millpond::fuse
