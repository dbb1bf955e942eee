// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool/error_list.h"

#include "format/error_log.h"
#include "posix/file_system.h"

#include <map>
#include <set>
#include <tuple>

namespace millpond::pool {

namespace {
constexpr std::string_view kHeadErrorLogFeature = "com.delphix:head_errlog";

class Reading
{
public:
    explicit Reading(const Pool& pool)
        : m_pool(pool)
    {
    }

    Result<ErrorList> run();

private:
    Status readLog(ObjectId log);
    Status readHeadLog(const object::ZapEntry& entry);
    void add(KnownError error);
    void nameIt(KnownError& error);

    using Key = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::uint64_t>;

    const Pool& m_pool;
    ErrorList m_list;
    std::set<Key> m_seen; ///< the last and the current scrub's lists overlap
    std::map<std::uint64_t, std::pair<std::string, std::shared_ptr<posix::FileSystem>>> m_datasets;
};

void Reading::nameIt(KnownError& error)
{
    auto [known, isNew] = m_datasets.try_emplace(error.position.objset);
    auto& [name, files] = known->second;
    if (isNew) {
        if (const auto dataset = m_pool.datasets().dataset(ObjsetId(error.position.objset))) {
            name = (*dataset)->name();
            if (auto objset = m_pool.datasets().openObjset(**dataset)) {
                auto opened = posix::FileSystem::open(std::move(*objset));
                files = opened ? std::move(*opened) : nullptr;
            }
        }
    }
    error.dataset = name;
    if (files != nullptr) {
        error.path = files->pathOf(ObjectId(error.position.object)).value_or("");
    }
}

void Reading::add(KnownError error)
{
    const format::BookmarkPosition& at = error.position;
    if (!m_seen.insert({at.objset, at.object, at.level, at.block}).second) {
        return;
    }
    ++m_list.count;
    if (m_list.errors.size() < ErrorList::kMaxListed) {
        nameIt(error);
        m_list.errors.push_back(std::move(error));
    }
}

Status Reading::readHeadLog(const object::ZapEntry& entry)
{
    const ObjsetId head = MP_TRY(format::HeadErrorLogKey::decodeDataset(entry.name));
    for (const object::ZapEntry& record : MP_TRY(m_pool.mos().entries(ObjectId(entry.first())))) {
        const auto key = MP_TRY(format::HeadErrorLogKey::decode(record.name));
        KnownError error{key.position, key.birth, {}, {}};
        error.position.objset = head.value();
        add(std::move(error));
    }
    return {};
}

Status Reading::readLog(ObjectId log)
{
    const bool byHead = m_pool.features().isActive(kHeadErrorLogFeature);
    for (const object::ZapEntry& entry : MP_TRY(m_pool.mos().entries(log))) {
        if (byHead) {
            MP_TRY(readHeadLog(entry));
        } else {
            add({MP_TRY(format::ErrorLogKey::decode(entry.name)), Txg(), {}, {}});
        }
    }
    return {};
}

Result<ErrorList> Reading::run()
{
    for (const std::string_view name : {format::kPoolErrorLogLast, format::kPoolErrorLogScrub}) {
        MP_TRY(readLog(ObjectId(MP_TRY(m_pool.mos().number(name)).value_or(0))));
    }
    return std::move(m_list);
}
} // namespace

Result<ErrorList> readErrorList(const Pool& pool)
{
    return Reading(pool).run();
}

} // namespace millpond::pool
