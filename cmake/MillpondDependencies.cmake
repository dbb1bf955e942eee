# SPDX-License-Identifier: GPL-3.0-or-later
# Every library the project uses, by Debian package. Each is wrapped in one folder of the engine,
# which links it privately.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)                                      # libfmt-dev: everywhere
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)          # libzstd-dev: engine/codec
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)            # liblz4-dev: engine/codec
pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)             # zlib1g-dev: engine/codec
pkg_check_modules(CRYPTO REQUIRED IMPORTED_TARGET libcrypto)      # libssl-dev: engine/codec
pkg_check_modules(ISAL REQUIRED IMPORTED_TARGET libisal)          # libisal-dev: engine/codec
pkg_check_modules(URING REQUIRED IMPORTED_TARGET liburing)        # liburing-dev: engine/runtime
pkg_check_modules(BLKID REQUIRED IMPORTED_TARGET blkid)           # libblkid-dev: engine/device
pkg_check_modules(UDEV REQUIRED IMPORTED_TARGET libudev)          # libudev-dev: engine/device
pkg_check_modules(SYSTEMD REQUIRED IMPORTED_TARGET libsystemd)    # libsystemd-dev: engine/bus
pkg_check_modules(FUSE3 REQUIRED IMPORTED_TARGET fuse3)           # libfuse3-dev: engine/fuse
pkg_check_modules(GLIB REQUIRED IMPORTED_TARGET glib-2.0)         # libglib2.0-dev: engine/object (names in Unicode)
if(MILLPOND_BUILD_GUI OR MILLPOND_BUILD_TESTS)
    find_package(Qt6 6.4 REQUIRED COMPONENTS Core Gui Widgets DBus Svg Test)
endif()
