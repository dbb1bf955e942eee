// SPDX-License-Identifier: GPL-3.0-or-later
//
// From an object back to its path: a file knows its parent's number, not its name there.
#include "posix/detail/file_system_private.h"

#include <fmt/format.h>

namespace millpond::posix {

using object::Zap;
using object::ZapEntry;

namespace {

constexpr unsigned kMaxPathDepth = 4096; // INV-4; longer than any path Linux takes
constexpr std::string_view kXattrDirectory = "<xattrdir>";

} // namespace

Result<std::string> FileSystem::pathOf(ObjectId object, const ReadContext& context)
{
    std::string path;
    ObjectId at = object;
    for (unsigned depth = 0; at != root(); ++depth) {
        const auto here = MP_TRY(attributes(at, context));
        const bool inXattrs = (here->flags & format::ZnodeFlag::kXattr) != 0;
        std::string name;
        if (inXattrs && here->type == FileType::Directory) {
            name = kXattrDirectory;
        } else {
            const auto kept = MP_TRY(d->keep(here->parent, context));
            const Zap parent = MP_TRY(d->directory(here->parent, context));
            MP_TRY(parent.forEach(
                [&](const ZapEntry& entry) -> Result<bool> {
                    const bool found = format::DirectoryValue::decode(entry.first()).object == at;
                    name = found ? entry.name : std::string();
                    return !found;
                },
                context));
        }
        if (name.empty() || depth >= kMaxPathDepth) {
            return fail(ErrorCode::NoSuchEntry,
                        "the object has no place in the tree of directories",
                        {.objset = objset(), .object = object});
        }
        path = fmt::format("/{}{}", name, path);
        at = here->parent;
    }
    return path.empty() ? "/" : path;
}

} // namespace millpond::posix
