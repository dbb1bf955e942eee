// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// sd-bus's tables of the two interfaces; a test compares them with org.millpond.Manager1.xml. All
// methods and properties go to the ServerObject that an object was registered with (server.h).

struct sd_bus_vtable;

namespace millpond::bus {

extern const sd_bus_vtable kManagerVtable[];
extern const sd_bus_vtable kJobVtable[];

} // namespace millpond::bus
