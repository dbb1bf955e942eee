# SPDX-License-Identifier: GPL-3.0-or-later
millpond_add_fuzz(fuzz_vdev_config SOURCES fuzz_vdev_config.cpp LAYERS vdev)
