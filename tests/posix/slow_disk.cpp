// SPDX-License-Identifier: GPL-3.0-or-later
//
// A folder with one image in it whose reads take their time: slow_disk IMAGE FOLDER SWITCH. Each
// read waits for as many milliseconds as the file SWITCH says, 0 where there is none. Ends when it
// is unmounted.
#define FUSE_USE_VERSION 35

#include <fuse_lowlevel.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {
constexpr fuse_ino_t kImage = 2;
constexpr const char* kName = "disk0.img";

struct Disk
{
    int image = -1;
    off_t size = 0;
    std::string control;
};

Disk& diskOf(fuse_req_t request)
{
    return *static_cast<Disk*>(fuse_req_userdata(request));
}

struct stat statOf(const Disk& disk, fuse_ino_t node)
{
    struct stat out = {};
    out.st_ino = node;
    out.st_mode = node == kImage ? S_IFREG | 0644 : S_IFDIR | 0755;
    out.st_nlink = 1;
    out.st_size = node == kImage ? disk.size : 0;
    return out;
}

void lookup(fuse_req_t request, fuse_ino_t, const char* name)
{
    if (std::strcmp(name, kName) != 0) {
        fuse_reply_err(request, ENOENT);
        return;
    }
    fuse_entry_param entry = {};
    entry.ino = kImage;
    entry.attr = statOf(diskOf(request), kImage);
    fuse_reply_entry(request, &entry);
}

void getattr(fuse_req_t request, fuse_ino_t node, fuse_file_info*)
{
    const struct stat out = statOf(diskOf(request), node);
    fuse_reply_attr(request, &out, 0);
}

void open(fuse_req_t request, fuse_ino_t, fuse_file_info* info)
{
    info->direct_io = 1;
    fuse_reply_open(request, info);
}

void read(fuse_req_t request, fuse_ino_t, std::size_t size, off_t offset, fuse_file_info*)
{
    int milliseconds = 0;
    std::ifstream(diskOf(request).control) >> milliseconds;
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    std::vector<char> bytes(size);
    const ssize_t got = ::pread(diskOf(request).image, bytes.data(), size, offset);
    fuse_reply_buf(request, bytes.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
}

void readdir(fuse_req_t request, fuse_ino_t, std::size_t size, off_t offset, fuse_file_info*)
{
    std::vector<char> buffer(size);
    std::size_t used = 0;
    if (offset == 0) {
        const struct stat out = statOf(diskOf(request), kImage);
        used = fuse_add_direntry(request, buffer.data(), size, kName, &out, 1);
    }
    fuse_reply_buf(request, buffer.data(), used);
}
} // namespace

int main(int argc, char** argv)
{
    if (argc != 4) {
        return 2;
    }
    Disk disk{::open(argv[1], O_RDONLY | O_CLOEXEC), 0, argv[3]};
    struct stat info = {};
    if (disk.image < 0 || ::fstat(disk.image, &info) != 0) {
        return 1;
    }
    disk.size = info.st_size;
    fuse_lowlevel_ops operations = {};
    operations.lookup = lookup;
    operations.getattr = getattr;
    operations.open = open;
    operations.read = read;
    operations.readdir = readdir;
    fuse_args arguments = FUSE_ARGS_INIT(1, argv);
    fuse_session* session = fuse_session_new(&arguments, &operations, sizeof(operations), &disk);
    if (session == nullptr || fuse_session_mount(session, argv[2]) != 0) {
        return 1;
    }
    fuse_loop_config config = {};
    config.max_idle_threads = 32;
    (void)fuse_session_loop_mt(session, &config);
    fuse_session_unmount(session);
    fuse_session_destroy(session);
    return 0;
}
