# SPDX-License-Identifier: GPL-3.0-or-later
foreach(format_part IN ITEMS nvlist label block_pointer dnode micro_zap fat_zap sa znode space_map zil history ddt)
    millpond_add_fuzz(fuzz_format_${format_part} SOURCES fuzz_format_${format_part}.cpp LAYERS format)
endforeach()
