# SPDX-License-Identifier: GPL-3.0-or-later
# Precompiled headers, where no ccache makes a build quick: the first build of a machine and CI, which
# take half as long with them. Two thirds of compiling a file of ours is reading the standard library, fmt
# and Qt. With ccache they are off: it does better, and builds without them find a missing include.
#
#   millpond_precompile(<target> engine|tests|gui)
#
# A target can use them when its flags are those of its kind: the engine's (no exceptions), a test's, a
# folder's of gui/.
if(MILLPOND_CCACHE)
    set(precompile OFF)
else()
    set(precompile ON)
endif()
option(MILLPOND_PRECOMPILE "Use precompiled headers" ${precompile})

if(MILLPOND_PRECOMPILE)
    # libfuse wants it; a header compiled without would not fit.
    add_compile_definitions(_FILE_OFFSET_BITS=64)
endif()

set(MILLPOND_STANDARD_HEADERS
    <algorithm> <array> <atomic> <charconv> <chrono> <cstdint> <cstring> <deque> <functional>
    <map> <memory> <optional> <set> <span> <string> <string_view> <unordered_map> <utility> <vector>
    <fmt/format.h>)

# A library with one empty file, whose precompiled header the others use.
function(millpond_add_precompiled kind)
    cmake_parse_arguments(PRECOMPILED "" "" "LIBRARIES;DEFINITIONS;HEADERS" ${ARGN})
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled_${kind}.cpp CONTENT "")
    add_library(millpond_precompiled_${kind} OBJECT ${CMAKE_BINARY_DIR}/precompiled_${kind}.cpp)
    set_target_properties(millpond_precompiled_${kind} PROPERTIES AUTOMOC OFF AUTORCC OFF)
    target_link_libraries(millpond_precompiled_${kind} PRIVATE ${PRECOMPILED_LIBRARIES})
    target_compile_definitions(millpond_precompiled_${kind} PRIVATE ${PRECOMPILED_DEFINITIONS})
    target_precompile_headers(millpond_precompiled_${kind} PRIVATE ${PRECOMPILED_HEADERS})
endfunction()

function(millpond_precompile target kind)
    if(NOT MILLPOND_PRECOMPILE)
        return()
    endif()
    if(NOT TARGET millpond_precompiled_${kind})
        if(kind STREQUAL engine)
            millpond_add_precompiled(engine HEADERS ${MILLPOND_STANDARD_HEADERS}
                LIBRARIES millpond_engine_flags fmt::fmt Threads::Threads)
        elseif(kind STREQUAL tests)
            millpond_add_precompiled(tests HEADERS <QtTest> ${MILLPOND_STANDARD_HEADERS}
                LIBRARIES millpond_flags Qt6::Test fmt::fmt Threads::Threads DEFINITIONS QT_NO_KEYWORDS)
        elseif(kind STREQUAL gui)
            millpond_add_precompiled(gui HEADERS <QtWidgets>
                LIBRARIES millpond_flags Qt6::Widgets DEFINITIONS QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII)
        else()
            message(FATAL_ERROR "millpond_precompile: no kind ${kind}")
        endif()
    endif()
    target_precompile_headers(${target} REUSE_FROM millpond_precompiled_${kind})
endfunction()
