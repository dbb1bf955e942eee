// SPDX-License-Identifier: GPL-3.0-or-later
#include "posix/show_options.h"

namespace millpond::posix {

Result<ShowOptions> showOptions(dataset::Properties& properties,
                                const dataset::Node& node,
                                const ReadContext& context)
{
    const std::string names[] = {"acltype", "xattr", "snapdir"};
    const auto values = MP_TRY(properties.select(node, names, context));
    ShowOptions show;
    show.posixAcls = values[0].value == "posix";
    show.userAttributes = values[1].value != "off";
    show.snapshotDirectoryVisible = values[2].value == "visible"; // "-" of a snapshot
    return show;
}

} // namespace millpond::posix
