// SPDX-License-Identifier: GPL-3.0-or-later
//
// Flags of files as Linux' ioctls have them.
#include "format/znode.h"
#include "fuse/view.h"

#include <linux/fs.h>

namespace millpond::fuse {

namespace {
using format::ZnodeFlag;

struct Meaning
{
    std::uint64_t stored;
    std::uint32_t fileFlag, xflag;
};

constexpr Meaning kMeanings[] = {
    {ZnodeFlag::kImmutable, FS_IMMUTABLE_FL, FS_XFLAG_IMMUTABLE},
    {ZnodeFlag::kAppendOnly, FS_APPEND_FL, FS_XFLAG_APPEND},
    {ZnodeFlag::kNoDump, FS_NODUMP_FL, FS_XFLAG_NODUMP},
    {ZnodeFlag::kProjectInherit, FS_PROJINHERIT_FL, FS_XFLAG_PROJINHERIT},
};
} // namespace

Result<View::Flags> View::flags(std::uint64_t nodeId, const ReadContext& context)
{
    const Located located = MP_TRY(locate(nodeId, context));
    Flags flags;
    if (!located.fileSystem) {
        return flags;
    }
    const auto attributes = MP_TRY(located.fileSystem->attributes(located.node.object, context));
    for (const Meaning& meaning : kMeanings) {
        if ((attributes->flags & meaning.stored) != 0) {
            flags.fileFlags |= meaning.fileFlag;
            flags.xflags |= meaning.xflag;
        }
    }
    flags.projectId = attributes->projectId;
    return flags;
}

Status
View::setFlags(std::uint64_t nodeId, const Flags& flags, bool extended, const ReadContext& context)
{
    std::uint32_t known = 0;
    for (const Meaning& meaning : kMeanings) {
        known |= extended ? meaning.xflag : meaning.fileFlag;
    }
    const std::uint32_t asked = extended ? flags.xflags : flags.fileFlags;
    if ((asked & ~known) != 0) {
        return fail(ErrorCode::UnsupportedFeature, "a flag that files here do not have");
    }
    const Located file = MP_TRY(locate(nodeId, context));
    if (file.writer() == nullptr) {
        return fail(ErrorCode::ReadOnly, "nothing can be changed here");
    }
    const auto attributes = MP_TRY(file.fileSystem->attributes(file.node.object, context));
    std::uint64_t stored = attributes->flags;
    for (const Meaning& meaning : kMeanings) {
        const bool set = (asked & (extended ? meaning.xflag : meaning.fileFlag)) != 0;
        stored = set ? stored | meaning.stored : stored & ~meaning.stored;
    }
    posix::AttributeSettings settings;
    settings.flags = stored;
    if (extended && flags.projectId != attributes->projectId) {
        settings.projectId = flags.projectId;
    }
    (void)MP_TRY(file.writer()->setAttributes(file.node.object, settings, context));
    return {};
}

} // namespace millpond::fuse
