// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/error_code.h"

#include <string_view>

// Words that programs match on, kept as OpenZFS 2.3 has them, each with the client that needs it.
// This is an interface, and the only place for such words.

namespace millpond::cli::phrases {

// zrepl, syncoid, Proxmox, Ansible: "cannot open '...': dataset does not exist".
inline constexpr std::string_view kCannotOpen = "cannot open '{}'";
inline constexpr std::string_view kNoDataset = "dataset does not exist";
// go-zfs, Ansible, sanoid.
inline constexpr std::string_view kNoPool = "no such pool";
// Proxmox: "dataset is busy".
inline constexpr std::string_view kDatasetBusy = "dataset is busy";
// Ansible, zrepl, syncoid: of create and rename.
inline constexpr std::string_view kDatasetExists = "dataset already exists";
inline constexpr std::string_view kNoParent = "parent does not exist";
inline constexpr std::string_view kPoolExists = "pool already exists";
// sanoid, zfs-auto-snapshot, znapzend: what `status` says.
inline constexpr std::string_view kNoErrors = "errors: No known data errors\n";
inline constexpr std::string_view kAllHealthy = "all pools are healthy\n";
inline constexpr std::string_view kHealthy = "pool '{}' is healthy\n";
// sanoid and monitors.
inline constexpr std::string_view kNoPools = "no pools available\n";
inline constexpr std::string_view kNoDatasets = "no datasets available\n";
// syncoid's probes.
inline constexpr std::string_view kBadPropertyList = "bad property list: invalid property '{}'\n";
inline constexpr std::string_view kNoProperties = "bad property list: no properties specified\n";
inline constexpr std::string_view kInvalidProperty = "invalid property '{}'\n";
inline constexpr std::string_view kInvalidOption = "invalid option '{}'\n";
// syncoid: types it asks for.
inline constexpr std::string_view kInvalidType = "invalid type '{}'\n";
inline constexpr std::string_view kWrongType = "operation not applicable to datasets of this type";
// Proxmox.
inline constexpr std::string_view kNotMounted = "not currently mounted";

// zrepl looks for "receive_resume_token", "-A <filesystem|volume>",
// "<filesystem|volume>@<snap>[%<snap>][,...]", and "load-key" with "keylocation".
inline constexpr std::string_view kSendUsage =
    "send [-DLPbcehnpsVvw] [-i|-I snapshot] <snapshot>\n"
    "\tsend [-DLPcensVvw] [-i snapshot|bookmark] <filesystem|volume|snapshot>\n"
    "\tsend [-PnVve] -t <receive_resume_token>\n";
inline constexpr std::string_view kReceiveUsage =
    "receive [-vMnsFhu] [-o <property>=<value>] ... [-x <property>] ...\n"
    "\t    <filesystem|volume|snapshot>\n"
    "\treceive -A <filesystem|volume>\n";
inline constexpr std::string_view kDestroyUsage =
    "destroy [-fnpRrv] <filesystem|volume>\n"
    "\tdestroy [-dnpRrv] <filesystem|volume>@<snap>[%<snap>][,...]\n"
    "\tdestroy <filesystem|volume>#<bookmark>\n";
inline constexpr std::string_view kLoadKeyUsage =
    "load-key [-rn] [-L <keylocation>] <-a | filesystem|volume>\n";

inline constexpr std::string_view kAlreadyMounted = "filesystem already mounted";

/// The words for an error where programs know some; empty: the error's own text serves.
[[nodiscard]] constexpr std::string_view reasonFor(ErrorCode code)
{
    switch (code) {
    case ErrorCode::NoSuchDataset:
        return kNoDataset;
    case ErrorCode::NoSuchPool:
        return kNoPool;
    case ErrorCode::DatasetBusy:
        return kDatasetBusy;
    case ErrorCode::NotMounted:
        return kNotMounted;
    default:
        return {};
    }
}

} // namespace millpond::cli::phrases
