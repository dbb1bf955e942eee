// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "crash/pool_editor.h"
#include "engine/pool/opened_pool.h"

#include <QString>
#include <QStringList>

#include <functional>
#include <optional>
#include <string>

// What the check must find, planted one at a time into a copy of a sound pool. The places are
// looked up in the pool itself: always in blocks that only one dataset uses, so that no other
// pointer to them becomes wrong.

namespace millpond::test {

/// What the report must have in one of its lines.
struct Expected
{
    api::CheckProblem::Kind kind = api::CheckProblem::Kind::Structure;
    std::string dataset, path; ///< empty: any
    std::string text;          ///< part of it
};

class Planter
{
public:
    /// `really` false: every block is written anew, but as it was.
    Planter(const QString& folder, const QStringList& disks, bool really);

    /// Each answers what has to be found; nothing, where the pool has no place for it.
    using Planted = Result<std::optional<Expected>>;

    [[nodiscard]] Planted leakedSegment();
    [[nodiscard]] Planted freeSegmentInUse();
    [[nodiscard]] Planted sharedSegment(const std::string& dataset);
    [[nodiscard]] Planted referencedCount(const std::string& dataset);
    [[nodiscard]] Planted entryToFreedObject(const std::string& dataset);
    [[nodiscard]] Planted linkCount(const std::string& dataset);
    [[nodiscard]] Planted objectSpace(const std::string& dataset);
    [[nodiscard]] Planted directorySpace(const std::string& dataset);
    [[nodiscard]] Planted nextSnapshot(const std::string& snapshot);
    [[nodiscard]] Planted deadlistSum(const std::string& dataset);
    [[nodiscard]] Planted zapCount();

private:
    /// A dataset opened, with what tells its own blocks from those of its neighbours.
    struct Layer
    {
        dataset::DatasetRef dataset;
        std::shared_ptr<object::ObjectSet> objset;
        std::shared_ptr<posix::FileSystem> files;
        std::shared_ptr<object::ObjectSet> next; ///< of a snapshot: the one after it
    };

    struct Entry
    {
        PoolEditor::Place place;
        std::size_t offset = 0; ///< in the block
        bool allocates = false;
        bool twoWords = false;
        std::uint64_t begin = 0, end = 0; ///< in units
    };

    [[nodiscard]] Result<Layer> layer(const std::string& name) const;
    [[nodiscard]] bool
    isOwn(const Layer& layer, const object::Dnode& dnode, Level level, BlockIndex index) const;
    /// The first object that will do, and whose dnode is the layer's own.
    [[nodiscard]] Result<object::DnodeRef>
    findObject(const Layer& layer, const std::function<bool(const object::Dnode&)>& suits) const;
    [[nodiscard]] Result<std::vector<Entry>> spaceMapEntries(ObjectId map) const;
    /// Makes an entry of a space map one unit longer or shorter, and the map's sum with it.
    [[nodiscard]] Status resize(const Entry& entry, unsigned ashift, std::int64_t by);
    [[nodiscard]] Status edit(const PoolEditor::Place& place, PoolEditor::Edit edit);
    /// Adds to a word of an object's bonus buffer.
    [[nodiscard]] Status
    addToBonus(ObjsetId objset, ObjectId object, std::size_t offset, std::uint64_t by);

    QStringList m_images;
    std::unique_ptr<OpenedPool> m_opened;
    bool m_really;
};

} // namespace millpond::test
