// SPDX-License-Identifier: GPL-3.0-or-later
#include "bus/vtables.h"

#include "bus/server.h"

#include <systemd/sd-bus.h>

namespace millpond::bus {

namespace {
int onCall(sd_bus_message* message, void* userdata, sd_bus_error*)
{
    detail::dispatchCall(message, userdata);
    return 1; // answered now or later
}

int onGet(sd_bus*,
          const char*,
          const char*,
          const char* property,
          sd_bus_message* reply,
          void* userdata,
          sd_bus_error*)
{
    return detail::dispatchGet(property, reply, userdata);
}

// Who may call is polkit's affair or the peer check's, not sd-bus' capability check.
constexpr std::uint64_t kOpen = SD_BUS_VTABLE_UNPRIVILEGED;
constexpr std::uint64_t kConst = SD_BUS_VTABLE_PROPERTY_CONST;
} // namespace

#define MP_NO_ARGS ""

const sd_bus_vtable kManagerVtable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("InterfaceVersion", "u", onGet, 0, kConst),
    SD_BUS_PROPERTY("Version", "s", onGet, 0, kConst),
    SD_BUS_PROPERTY("Mode", "s", onGet, 0, kConst),
    SD_BUS_METHOD_WITH_NAMES("Scan",
                             "asb",
                             SD_BUS_PARAM(search_paths) SD_BUS_PARAM(destroyed_too),
                             "h",
                             SD_BUS_PARAM(document),
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES(
        "Import",
        "ssassa(ss)bbbb",
        SD_BUS_PARAM(pool) SD_BUS_PARAM(new_name) SD_BUS_PARAM(search_paths) SD_BUS_PARAM(altroot)
            SD_BUS_PARAM(properties) SD_BUS_PARAM(read_only) SD_BUS_PARAM(force) SD_BUS_PARAM(mount)
                SD_BUS_PARAM(missing_log_ok),
        "stbh",
        SD_BUS_PARAM(name) SD_BUS_PARAM(guid) SD_BUS_PARAM(changed) SD_BUS_PARAM(mounts),
        onCall,
        kOpen),
    SD_BUS_METHOD_WITH_NAMES(
        "Export", "sb", SD_BUS_PARAM(pool) SD_BUS_PARAM(force), "", MP_NO_ARGS, onCall, kOpen),
    SD_BUS_METHOD_WITH_NAMES(
        "CreatePool",
        "sasa(ss)a(ss)bsbbs",
        SD_BUS_PARAM(name) SD_BUS_PARAM(vdevs) SD_BUS_PARAM(properties)
            SD_BUS_PARAM(file_system_properties) SD_BUS_PARAM(no_features) SD_BUS_PARAM(altroot)
                SD_BUS_PARAM(force) SD_BUS_PARAM(mount) SD_BUS_PARAM(command),
        "th",
        SD_BUS_PARAM(guid) SD_BUS_PARAM(mounts),
        onCall,
        kOpen),
    SD_BUS_METHOD_WITH_NAMES(
        "DestroyPool", "sb", SD_BUS_PARAM(pool) SD_BUS_PARAM(force), "", MP_NO_ARGS, onCall, kOpen),
    SD_BUS_METHOD_WITH_NAMES("Sync", "as", SD_BUS_PARAM(pools), "", MP_NO_ARGS, onCall, kOpen),
    SD_BUS_METHOD_WITH_NAMES("PoolProperties",
                             "asas",
                             SD_BUS_PARAM(pools) SD_BUS_PARAM(properties),
                             "h",
                             SD_BUS_PARAM(document),
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("VdevProperties",
                             "sas",
                             SD_BUS_PARAM(pool) SD_BUS_PARAM(properties),
                             "h",
                             SD_BUS_PARAM(document),
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES(
        "PoolStatus", "as", SD_BUS_PARAM(pools), "h", SD_BUS_PARAM(document), onCall, kOpen),
    SD_BUS_METHOD_WITH_NAMES(
        "PoolHistory", "as", SD_BUS_PARAM(pools), "h", SD_BUS_PARAM(document), onCall, kOpen),
    SD_BUS_METHOD_WITH_NAMES(
        "Iostat", "as", SD_BUS_PARAM(pools), "h", SD_BUS_PARAM(document), onCall, kOpen),
    SD_BUS_METHOD_WITH_NAMES(
        "Events", "t", SD_BUS_PARAM(after), "h", SD_BUS_PARAM(document), onCall, kOpen),
    SD_BUS_METHOD_WITH_NAMES(
        "ClearEvents", "", MP_NO_ARGS, "t", SD_BUS_PARAM(count), onCall, kOpen),
    SD_BUS_METHOD_WITH_NAMES(
        "StartPools", "", MP_NO_ARGS, "h", SD_BUS_PARAM(document), onCall, kOpen),
    SD_BUS_METHOD_WITH_NAMES("SetOpenAtStart",
                             "sb",
                             SD_BUS_PARAM(pool) SD_BUS_PARAM(enabled),
                             "b",
                             SD_BUS_PARAM(changed),
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("DatasetProperties",
                             "asbtasas",
                             SD_BUS_PARAM(roots) SD_BUS_PARAM(recurse) SD_BUS_PARAM(depth)
                                 SD_BUS_PARAM(types) SD_BUS_PARAM(properties),
                             "h",
                             SD_BUS_PARAM(document),
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("CreateDatasets",
                             "a(sa(ss)uuu)bs",
                             SD_BUS_PARAM(datasets) SD_BUS_PARAM(mount) SD_BUS_PARAM(command),
                             "h",
                             SD_BUS_PARAM(mounts),
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("DestroyDatasets",
                             "asbs",
                             SD_BUS_PARAM(datasets) SD_BUS_PARAM(force) SD_BUS_PARAM(command),
                             "",
                             MP_NO_ARGS,
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("RenameDataset",
                             "ssbbs",
                             SD_BUS_PARAM(dataset) SD_BUS_PARAM(new_name) SD_BUS_PARAM(force)
                                 SD_BUS_PARAM(mount) SD_BUS_PARAM(command),
                             "h",
                             SD_BUS_PARAM(mounts),
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("SetProperties",
                             "asa(ss)bs",
                             SD_BUS_PARAM(datasets) SD_BUS_PARAM(properties) SD_BUS_PARAM(mount)
                                 SD_BUS_PARAM(command),
                             "h",
                             SD_BUS_PARAM(mounts),
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("InheritProperty",
                             "assbs",
                             SD_BUS_PARAM(datasets) SD_BUS_PARAM(property) SD_BUS_PARAM(received)
                                 SD_BUS_PARAM(command),
                             "h",
                             SD_BUS_PARAM(mounts),
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("Holds",
                             "asb",
                             SD_BUS_PARAM(snapshots) SD_BUS_PARAM(recursive),
                             "h",
                             SD_BUS_PARAM(document),
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("Mount",
                             "assbb",
                             SD_BUS_PARAM(datasets) SD_BUS_PARAM(options) SD_BUS_PARAM(overlay)
                                 SD_BUS_PARAM(force),
                             "h",
                             SD_BUS_PARAM(document),
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("Unmount",
                             "asb",
                             SD_BUS_PARAM(targets) SD_BUS_PARAM(force),
                             "h",
                             SD_BUS_PARAM(document),
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("Mounts", "", MP_NO_ARGS, "h", SD_BUS_PARAM(document), onCall, kOpen),
    SD_BUS_METHOD_WITH_NAMES("Devices", "", MP_NO_ARGS, "h", SD_BUS_PARAM(document), onCall, kOpen),
    SD_BUS_METHOD_WITH_NAMES("StartCheck",
                             "sas",
                             SD_BUS_PARAM(pool) SD_BUS_PARAM(search_paths),
                             "o",
                             SD_BUS_PARAM(job),
                             onCall,
                             kOpen),
    SD_BUS_METHOD_WITH_NAMES("Jobs", "", MP_NO_ARGS, "h", SD_BUS_PARAM(document), onCall, kOpen),
    SD_BUS_SIGNAL_WITH_NAMES(
        "PoolsChanged", "tat", SD_BUS_PARAM(generation) SD_BUS_PARAM(guids), 0),
    SD_BUS_SIGNAL_WITH_NAMES(
        "DatasetsChanged", "tas", SD_BUS_PARAM(generation) SD_BUS_PARAM(names), 0),
    SD_BUS_SIGNAL_WITH_NAMES(
        "MountsChanged", "tas", SD_BUS_PARAM(generation) SD_BUS_PARAM(datasets), 0),
    SD_BUS_SIGNAL_WITH_NAMES(
        "DevicesChanged", "tas", SD_BUS_PARAM(generation) SD_BUS_PARAM(paths), 0),
    SD_BUS_SIGNAL_WITH_NAMES("EventsAdded", "t", SD_BUS_PARAM(last), 0),
    SD_BUS_SIGNAL_WITH_NAMES("JobAdded", "o", SD_BUS_PARAM(job), 0),
    SD_BUS_SIGNAL_WITH_NAMES("JobRemoved", "o", SD_BUS_PARAM(job), 0),
    SD_BUS_VTABLE_END,
};

const sd_bus_vtable kJobVtable[] = {
    SD_BUS_VTABLE_START(0),
    SD_BUS_PROPERTY("Kind", "s", onGet, 0, kConst),
    SD_BUS_PROPERTY("Title", "s", onGet, 0, kConst),
    SD_BUS_PROPERTY("State", "s", onGet, 0, 0),
    SD_BUS_PROPERTY("Done", "t", onGet, 0, 0),
    SD_BUS_PROPERTY("Total", "t", onGet, 0, 0),
    SD_BUS_PROPERTY("Unit", "s", onGet, 0, kConst),
    SD_BUS_PROPERTY("Rate", "t", onGet, 0, 0),
    SD_BUS_PROPERTY("SecondsLeft", "t", onGet, 0, 0),
    SD_BUS_PROPERTY("Started", "t", onGet, 0, kConst),
    SD_BUS_PROPERTY("Ended", "t", onGet, 0, 0),
    SD_BUS_PROPERTY("Owner", "u", onGet, 0, kConst),
    SD_BUS_PROPERTY("ErrorName", "s", onGet, 0, 0),
    SD_BUS_PROPERTY("ErrorText", "s", onGet, 0, 0),
    SD_BUS_METHOD_WITH_NAMES("Cancel", "", MP_NO_ARGS, "", MP_NO_ARGS, onCall, kOpen),
    SD_BUS_METHOD_WITH_NAMES(
        "Output", "t", SD_BUS_PARAM(first_row), "h", SD_BUS_PARAM(document), onCall, kOpen),
    SD_BUS_SIGNAL_WITH_NAMES("Changed",
                             "stttt",
                             SD_BUS_PARAM(state) SD_BUS_PARAM(done) SD_BUS_PARAM(total)
                                 SD_BUS_PARAM(rate) SD_BUS_PARAM(seconds_left),
                             0),
    SD_BUS_VTABLE_END,
};

#undef MP_NO_ARGS

} // namespace millpond::bus
