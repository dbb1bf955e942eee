// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "format/nvlist.h"
#include "object/object_set.h"
#include "object/zap.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace millpond::pool {

/// The pool's own object set [MOS] and its directory of objects. Thread-safe.
class Mos
{
public:
    [[nodiscard]] static Result<Mos> open(std::shared_ptr<object::ObjectSet> objset);

    [[nodiscard]] object::ObjectSet& objset() const { return *m_objset; }

    [[nodiscard]] const std::shared_ptr<object::ObjectSet>& shared() const { return m_objset; }

    /// The directory's entry as an object number or plain number; nothing when absent.
    [[nodiscard]] Result<std::optional<std::uint64_t>> number(std::string_view name) const;
    /// As number(), for what every pool has: BadConfig when absent.
    [[nodiscard]] Result<ObjectId> require(std::string_view name) const;
    /// The directory's entry as words; empty when absent.
    [[nodiscard]] Result<std::vector<std::uint64_t>> words(std::string_view name) const;
    /// A packed nvlist object: its size stands in its bonus buffer.
    [[nodiscard]] Result<format::NvList> packedList(ObjectId object) const;
    /// Every entry of a ZAP; nothing when `object` is 0.
    [[nodiscard]] Result<std::vector<object::ZapEntry>> entries(ObjectId object) const;

private:
    Mos(std::shared_ptr<object::ObjectSet> objset, object::Zap directory)
        : m_objset(std::move(objset))
        , m_directory(std::move(directory))
    {
    }

    std::shared_ptr<object::ObjectSet> m_objset;
    object::Zap m_directory;
};

} // namespace millpond::pool
