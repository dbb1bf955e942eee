// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuse/dataset_infos.h"

#include <charconv>

namespace millpond::fuse {

namespace {
api::DatasetQuery query(const std::string& root)
{
    api::DatasetQuery query;
    query.roots = {root};
    query.kinds = static_cast<unsigned>(api::DatasetKind::Filesystem);
    query.properties = {"objsetid",
                        "creation",
                        "mountpoint",
                        "canmount",
                        "setuid",
                        "devices",
                        "exec",
                        "snapdir",
                        "keystatus",
                        "millpond:mount"};
    return query;
}

std::uint64_t number(std::string_view text)
{
    std::uint64_t value = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

DatasetInfo infoOf(const api::DatasetRow& row)
{
    std::map<std::string_view, std::string_view> values;
    for (const api::PropertyValue& property : row.properties) {
        values[property.name] = property.value;
    }
    DatasetInfo info;
    info.name = row.name;
    info.objset = ObjsetId(number(values["objsetid"]));
    info.creationTime = number(values["creation"]);
    info.mountpoint = values["mountpoint"];
    info.canMount = values["canmount"];
    info.setuid = values["setuid"] != "off";
    info.devices = values["devices"] != "off";
    info.exec = values["exec"] != "off";
    info.separateMount = values["millpond:mount"] == "separate";
    info.snapdirVisible = values["snapdir"] == "visible";
    info.encrypted = values["keystatus"] == "unavailable";
    return info;
}
} // namespace

Result<DatasetInfos> DatasetInfos::all(api::Pool& pool)
{
    api::DatasetQuery everything = query(pool.name());
    everything.recurse = true;
    DatasetInfos infos;
    for (const api::DatasetRow& row : MP_TRY(pool.datasets(everything))) {
        infos.m_infos[row.name] = infoOf(row);
    }
    return infos;
}

Status DatasetInfos::add(api::Pool& pool, const std::string& name)
{
    for (std::size_t end = name.find('/');; end = name.find('/', end + 1)) {
        const std::string ancestor = name.substr(0, end);
        if (!m_infos.contains(ancestor)) {
            const auto rows = MP_TRY(pool.datasets(query(ancestor)));
            if (rows.size() != 1 || rows.front().kind != api::DatasetKind::Filesystem) {
                return fail(ErrorCode::InvalidArgument,
                            "operation not applicable to datasets of this type",
                            {.dataset = ancestor});
            }
            m_infos[ancestor] = infoOf(rows.front());
        }
        if (end == std::string::npos) {
            return {};
        }
    }
}

const DatasetInfo* DatasetInfos::find(const std::string& name) const
{
    const auto found = m_infos.find(name);
    return found == m_infos.end() ? nullptr : &found->second;
}

std::vector<DatasetInfo> DatasetInfos::between(const std::string& ancestor,
                                               const std::string& name) const
{
    std::vector<DatasetInfo> found;
    for (std::size_t end = name.find('/', ancestor.size() + 1);
         name.size() > ancestor.size() && end != std::string::npos;
         end = name.find('/', end + 1)) {
        if (const DatasetInfo* info = find(name.substr(0, end))) {
            found.push_back(*info);
        }
    }
    return found;
}

} // namespace millpond::fuse
