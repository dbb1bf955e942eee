# SPDX-License-Identifier: GPL-3.0-or-later
millpond_add_fuzz(fuzz_posix_znode SOURCES fuzz_posix_znode.cpp LAYERS posix)
