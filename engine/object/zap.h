// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "object/object_set.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace millpond::object {

/// One entry. For objects with uint64 keys `key` holds the words, and name is empty.
struct ZapEntry
{
    std::string name; ///< bytes as stored, without the NUL
    std::vector<std::uint64_t> key;
    std::uint8_t integerBytes = 8; ///< 1, 2, 4 or 8
    std::vector<std::uint64_t> values;
    /// For integerBytes == 1: the value as text, without a NUL at its end. Empty otherwise.
    [[nodiscard]] std::string text() const;

    [[nodiscard]] std::uint64_t first() const { return values.empty() ? 0 : values.front(); }
};

/// How names are compared: as the object set's properties say.
struct NameMatching
{
    bool ignoreCase = false;
    std::uint8_t normalization = 0; ///< as the property: 0 none, U8_TEXTPREP_* bits otherwise
};

/// A ZAP object, micro or fat. Cheap to make; thread-safe. Damage is BadZap.
class Zap
{
public:
    [[nodiscard]] static Result<Zap>
    open(ObjectSet& objset, ObjectId object, const ReadContext& context = {});
    [[nodiscard]] static Result<Zap>
    open(ObjectSet& objset, DnodeRef dnode, const ReadContext& context = {});

    /// NoSuchEntry when absent. The first form compares bytes.
    [[nodiscard]] Result<ZapEntry> lookup(std::string_view name,
                                          const ReadContext& context = {}) const;
    [[nodiscard]] Result<ZapEntry>
    lookup(std::string_view name, NameMatching matching, const ReadContext& context = {}) const;
    [[nodiscard]] Result<ZapEntry> lookup(std::span<const std::uint64_t> key,
                                          const ReadContext& context = {}) const;
    /// The first value as a number.
    [[nodiscard]] Result<std::uint64_t> number(std::string_view name,
                                               const ReadContext& context = {}) const;

    /// Walks from a cursor in hash order, a bounded number at a time: the cursor stays valid (for a
    /// directory read over several calls). kBegin starts; kEnd after the last. Any other number is
    /// safe, too. Cursors of ZAPs with text keys are below 2^60 (kEnd aside) unless a flag asks for
    /// long hashes, which directories never have.
    static constexpr std::uint64_t kBegin = 0;
    static constexpr std::uint64_t kEnd = ~std::uint64_t{0};

    struct Entries
    {
        std::vector<std::pair<std::uint64_t, ZapEntry>>
            entries; ///< cursor to go on AFTER this entry
        std::uint64_t next = kEnd;
    };

    [[nodiscard]] Result<Entries>
    list(std::uint64_t cursor, std::size_t atMost, const ReadContext& context = {}) const;
    /// All entries; stops early when the visitor returns false.
    [[nodiscard]] Status forEach(const std::function<Result<bool>(const ZapEntry&)>& visit,
                                 const ReadContext& context = {}) const;
    [[nodiscard]] Result<std::uint64_t> count(const ReadContext& context = {}) const;
    /// Structure check for the offline checker: every leaf reachable, hash chains whole, counts
    /// right, pointer table consistent. One text per problem.
    [[nodiscard]] Result<std::vector<std::string>> verify(const ReadContext& context = {}) const;

private:
    Zap(ObjectSet& objset, DnodeRef dnode, ObjectSet::Block first, bool micro)
        : m_objset(&objset)
        , m_dnode(std::move(dnode))
        , m_first(std::move(first))
        , m_micro(micro)
    {
    }

    [[nodiscard]] Result<ZapEntry> lookupMicro(std::string_view name, NameMatching matching) const;
    [[nodiscard]] Result<ZapEntry>
    lookupFat(std::string_view name, NameMatching matching, const ReadContext& context) const;
    [[nodiscard]] Result<ZapEntry>
    searchAll(std::string_view name, std::uint64_t folding, const ReadContext& context) const;
    [[nodiscard]] Result<Entries> listMicro(std::uint64_t cursor, std::size_t atMost) const;
    [[nodiscard]] Result<Entries>
    listFat(std::uint64_t cursor, std::size_t atMost, const ReadContext& context) const;
    [[nodiscard]] Error locate(Error error) const;
    [[nodiscard]] std::unexpected<Error> absent() const;

    ObjectSet* m_objset;
    DnodeRef m_dnode;
    ObjectSet::Block m_first; ///< block 0: all of a micro ZAP, the header of a fat one
    bool m_micro;
};

} // namespace millpond::object
