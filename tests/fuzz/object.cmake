# SPDX-License-Identifier: GPL-3.0-or-later
# Targets of engine/object: what lies inside objects.
set(fuzz_objects ${CMAKE_SOURCE_DIR}/tests/engine/object)
millpond_add_fuzz(fuzz_zap LAYERS object
    SOURCES fuzz_zap.cpp ${fuzz_objects}/memory_objects.cpp)
millpond_add_fuzz(fuzz_sa LAYERS object
    SOURCES fuzz_sa.cpp ${fuzz_objects}/attribute_objects.cpp ${fuzz_objects}/memory_objects.cpp ${fuzz_objects}/zap_builder.cpp)
