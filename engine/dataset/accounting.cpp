// SPDX-License-Identifier: GPL-3.0-or-later
#include "dataset/accounting.h"

#include "format/znode.h"
#include "object/zap.h"

#include <fmt/format.h>

#include <charconv>
#include <map>

namespace millpond::dataset {

using format::ObjsetFlag;
using object::DnodeRef;
using object::ObjectSet;
using object::Zap;
using object::ZapEntry;

namespace {

struct QuotaNames
{
    std::string_view bytes, objects;
};

QuotaNames quotaNames(AccountKind kind)
{
    switch (kind) {
    case AccountKind::User:
        return {format::kMasterUserQuota, format::kMasterUserObjectQuota};
    case AccountKind::Group:
        return {format::kMasterGroupQuota, format::kMasterGroupObjectQuota};
    default:
        return {format::kMasterProjectQuota, format::kMasterProjectObjectQuota};
    }
}

DnodeRef usedDnode(const ObjectSet& objset, AccountKind kind)
{
    switch (kind) {
    case AccountKind::User:
        return objset.userUsedDnode();
    case AccountKind::Group:
        return objset.groupUsedDnode();
    default:
        return objset.projectUsedDnode();
    }
}

/// The table of quotas, which exists from the first quota on.
Result<std::optional<Zap>>
quotaTable(ObjectSet& objset, std::string_view name, const ReadContext& context)
{
    const Zap master = MP_TRY(Zap::open(objset, format::kMasterNodeObject, context));
    const auto object = master.number(name, context);
    if (!object) {
        if (object.error().is(ErrorCode::NoSuchEntry)) {
            return std::nullopt;
        }
        return fail(object.error());
    }
    return MP_TRY(Zap::open(objset, ObjectId(*object), context));
}

using Accounts = std::map<std::uint64_t, Account>;

/// Adds every entry of a table to `accounts`; keys that are no ids are ignored.
template <class Store>
Status addTable(const Zap& zap, Accounts& accounts, const Store& store, const ReadContext& context)
{
    return zap.forEach(
        [&](const ZapEntry& entry) -> Result<bool> {
            std::string_view key = entry.name;
            const bool counts = key.starts_with(format::kObjectCountPrefix);
            key.remove_prefix(counts ? format::kObjectCountPrefix.size() : 0);
            std::uint64_t id = 0;
            const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id, 16);
            if (error == std::errc() && end == key.data() + key.size()) {
                Account& account = accounts[id];
                account.id = id;
                store(account, counts, entry.first());
            }
            return true;
        },
        context);
}

/// Nothing when absent.
Result<std::uint64_t>
numberOrZero(const Zap& zap, const std::string& key, const ReadContext& context)
{
    const auto number = zap.number(key, context);
    if (!number && number.error().is(ErrorCode::NoSuchEntry)) {
        return 0;
    }
    return number;
}

} // namespace

Accounting accountingOf(const ObjectSet& objset, AccountKind kind)
{
    const std::uint64_t flags = objset.header().flags;
    const bool users = (flags & ObjsetFlag::kUserAccountingComplete) != 0;
    const bool projects = (flags & ObjsetFlag::kProjectQuotaComplete) != 0;
    const bool kept =
        users && (kind != AccountKind::Project || projects) && usedDnode(objset, kind);
    return {kept, kept && (flags & ObjsetFlag::kUserObjectAccountingComplete) != 0};
}

Result<std::vector<Account>>
readAccounts(ObjectSet& objset, AccountKind kind, const ReadContext& context)
{
    std::vector<Account> result;
    const Accounting kept = accountingOf(objset, kind);
    if (!kept.bytes) {
        return result;
    }
    Accounts accounts;
    const Zap used = MP_TRY(Zap::open(objset, usedDnode(objset, kind), context));
    MP_TRY(addTable(
        used,
        accounts,
        [](Account& account, bool counts, std::uint64_t value) {
            (counts ? account.objects : account.used) = value;
        },
        context));
    const QuotaNames names = quotaNames(kind);
    if (const auto quotas = MP_TRY(quotaTable(objset, names.bytes, context))) {
        MP_TRY(addTable(
            *quotas,
            accounts,
            [](Account& account, bool, std::uint64_t value) { account.quota = value; },
            context));
    }
    const auto objectQuotas = MP_TRY(quotaTable(objset, names.objects, context));
    if (objectQuotas && kept.objects) {
        MP_TRY(addTable(
            *objectQuotas,
            accounts,
            [](Account& account, bool, std::uint64_t value) { account.objectQuota = value; },
            context));
    }
    for (const auto& [id, account] : accounts) {
        result.push_back(account);
    }
    return result;
}

Result<std::optional<std::uint64_t>> readAccount(ObjectSet& objset,
                                                 AccountKind kind,
                                                 AccountFigure figure,
                                                 std::uint64_t id,
                                                 const ReadContext& context)
{
    const Accounting kept = accountingOf(objset, kind);
    const bool ofObjects = figure == AccountFigure::Objects || figure == AccountFigure::ObjectQuota;
    if (ofObjects ? !kept.objects : !kept.bytes) {
        return std::nullopt;
    }
    const std::string key = fmt::format("{:x}", id);
    if (figure == AccountFigure::Used || figure == AccountFigure::Objects) {
        const Zap used = MP_TRY(Zap::open(objset, usedDnode(objset, kind), context));
        const std::string prefix(ofObjects ? format::kObjectCountPrefix : std::string_view());
        return MP_TRY(numberOrZero(used, prefix + key, context));
    }
    const QuotaNames names = quotaNames(kind);
    const auto quotas =
        MP_TRY(quotaTable(objset, ofObjects ? names.objects : names.bytes, context));
    return quotas ? MP_TRY(numberOrZero(*quotas, key, context)) : 0;
}

} // namespace millpond::dataset
