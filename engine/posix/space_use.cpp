// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/accounting.h"
#include "posix/detail/file_system_private.h"

namespace millpond::posix {

namespace {

// Thousands of domains of a hundred bytes each; Solaris machines had a handful.
constexpr std::uint64_t kMaxDomainTableBytes = 1 * MiB;

dataset::AccountKind accountKind(SpaceKind kind)
{
    switch (kind) {
    case SpaceKind::User:
        return dataset::AccountKind::User;
    case SpaceKind::Group:
        return dataset::AccountKind::Group;
    default:
        return dataset::AccountKind::Project;
    }
}

} // namespace

Result<std::vector<std::string>> FileSystem::Private::domains(const ReadContext& context)
{
    if (fuidTable.value() == 0) {
        return std::vector<std::string>();
    }
    const auto dnode = MP_TRY(objset->dnode(fuidTable, context));
    // The packed table's length is all its bonus buffer holds.
    const std::uint64_t size = dnode->bonus.size() >= sizeof(std::uint64_t)
                                   ? load<std::uint64_t>(dnode->bonus, 0, dnode->order)
                                   : 0;
    if (size == 0) {
        return std::vector<std::string>();
    }
    if (size > kMaxDomainTableBytes) {
        return fail(ErrorCode::BadAttributes,
                    "the table of domains is too large",
                    {.objset = objset->id(), .object = fuidTable});
    }
    std::vector<std::byte> packed(size);
    MP_TRY(objset->read(*dnode, ByteOffset(0), packed, context));
    return format::decodeFuidTable(packed);
}

Result<std::vector<SpaceUse>> FileSystem::spaceUse(SpaceKind kind, const ReadContext& context)
{
    const dataset::AccountKind accounts = accountKind(kind);
    const bool objectsCounted = dataset::accountingOf(*d->objset, accounts).objects;
    const auto domains = MP_TRY(d->domains(context));
    std::vector<SpaceUse> result;
    for (const dataset::Account& account :
         MP_TRY(dataset::readAccounts(*d->objset, accounts, context))) {
        const format::Fuid fuid = format::Fuid::decode(account.id);
        SpaceUse use;
        use.id = kind == SpaceKind::Project ? account.id : fuid.id;
        if (kind != SpaceKind::Project && fuid.domain != 0 && fuid.domain < domains.size()) {
            use.domain = domains[fuid.domain];
        }
        use.used = account.used;
        use.quota = account.quota;
        use.objectsUsed = account.objects;
        use.objectQuota = account.objectQuota;
        use.objectsCounted = objectsCounted;
        result.push_back(std::move(use));
    }
    return result;
}

} // namespace millpond::posix
