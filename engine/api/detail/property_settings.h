// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "api/engine.h"
#include "base/result.h"
#include "dataset/live_tree.h"
#include "dataset/properties.h"
#include "object/write_policy.h"
#include "pool/writable_pool.h"
#include "posix/file_system_writer.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace millpond::api::detail {

using PropertyPairs = std::vector<std::pair<std::string, std::string>>;

/// Bytes or a count as people write them: "10G", "1.5T", "512", "none". InvalidArgument.
[[nodiscard]] Result<std::uint64_t> numberFromText(std::string_view text);

/// What `zfs set` and `zfs create -o` store, and what a new file system is fixed to.
struct ParsedProperties
{
    std::vector<dataset::Setting> settings;
    posix::NewFileSystem format;
};

/// `creating`: what is fixed at creation may be given. NoSuchProperty, ReadOnly (of a property),
/// InvalidArgument; each names the property.
[[nodiscard]] Result<ParsedProperties> parseProperties(const PropertyPairs& pairs, bool creating);

/// What `zpool create -o` and -d say. NoSuchProperty, ReadOnly, InvalidArgument.
[[nodiscard]] Status applyPoolProperties(const CreatePoolRequest& request,
                                         pool::CreateRequest& create);

/// What `zpool set` says. NoSuchProperty, ReadOnly, InvalidArgument.
[[nodiscard]] Result<pool::PoolChanges> parsePoolProperties(const PropertyPairs& pairs);

/// How a dataset's blocks are stored, by its properties.
[[nodiscard]] Result<object::WriteSettings> writeSettings(dataset::Properties& properties,
                                                          const dataset::Node& node,
                                                          object::WriteSettings usual);
[[nodiscard]] Result<posix::WriteOptions> writeOptions(dataset::Properties& properties,
                                                       const dataset::Node& node);

} // namespace millpond::api::detail
