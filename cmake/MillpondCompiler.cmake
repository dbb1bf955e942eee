# SPDX-License-Identifier: GPL-3.0-or-later
# Flags every target gets, and the two variants: the engine is built without exceptions.
find_program(MILLPOND_CCACHE ccache)
if(MILLPOND_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${MILLPOND_CCACHE})
endif()
find_program(MILLPOND_MOLD mold)
if(MILLPOND_MOLD)
    add_link_options(-fuse-ld=mold)
endif()

add_library(millpond_flags INTERFACE)
target_compile_options(millpond_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough
    # What a designated initialiser leaves out has its default: that is what they are for.
    -Wno-missing-field-initializers
    -Werror
    $<$<CXX_COMPILER_ID:Clang>:-Wthread-safety>)
target_compile_definitions(millpond_flags INTERFACE
    $<$<NOT:$<CONFIG:RelWithDebInfo>>:_GLIBCXX_ASSERTIONS>)
if(CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    target_compile_options(millpond_flags INTERFACE -fstack-protector-strong)
    target_compile_definitions(millpond_flags INTERFACE _FORTIFY_SOURCE=2)
endif()

# Debian 12's libstdc++ hides std::expected from clang older than 19; both compilers we build with have it.
add_library(millpond_engine_flags INTERFACE)
target_link_libraries(millpond_engine_flags INTERFACE millpond_flags)
target_compile_options(millpond_engine_flags INTERFACE -Wconversion -Wsign-conversion -fno-exceptions)

if(MILLPOND_SANITIZE)
    add_compile_options(-fsanitize=${MILLPOND_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${MILLPOND_SANITIZE})
endif()
