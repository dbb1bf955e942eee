# SPDX-License-Identifier: GPL-3.0-or-later
# The window's texts in other languages: millpond_LANG.ts, compiled into gui/app under :/i18n.
# millpond_en.ts holds the English plurals only. `cmake --build BUILD --target update_translations`
# brings new texts in.
find_package(Qt6 6.4 REQUIRED COMPONENTS LinguistTools)

set(languages de es fr ja pt_BR zh_CN)
set(ts_files ${languages})
list(TRANSFORM ts_files REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/translations/millpond_\\1.ts")
set(english ${CMAKE_SOURCE_DIR}/translations/millpond_en.ts)

qt_add_lrelease(millpond_gui_app TS_FILES ${ts_files} ${english} QM_FILES_OUTPUT_VARIABLE qm_files)
qt_add_resources(millpond_gui_app millpond_i18n PREFIX /i18n BASE ${CMAKE_CURRENT_BINARY_DIR} FILES ${qm_files})

set(lupdate $<TARGET_FILE:Qt6::lupdate> ${CMAKE_SOURCE_DIR}/gui -silent -no-obsolete -locations none -source-language en)
add_custom_target(update_translations
    COMMAND ${lupdate} -ts ${ts_files}
    COMMAND ${lupdate} -pluralonly -ts ${english}
    COMMENT "Bringing new texts into translations/"
    VERBATIM)
