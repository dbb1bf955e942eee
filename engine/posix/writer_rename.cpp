// SPDX-License-Identifier: GPL-3.0-or-later
//
// Names move. Theory statement: file_system_writer.cpp.
#include "posix/detail/writer_private.h"

namespace millpond::posix {

using detail::Znode;
using format::DirectoryValue;
using format::ZnodeFlag;

namespace {

/// Deeper than any tree of directories that a disk of today can hold.
constexpr std::uint64_t kMaxDepth = std::uint64_t{1} << 32;

bool isDirectory(const Znode& znode)
{
    return znode.attributes.type == FileType::Directory;
}

bool maybeDirectory(FileType type)
{
    return type == FileType::Directory || type == FileType::Unknown;
}

/// The object has come into a directory by another name.
void settle(Znode& object, const Znode& directory, Time now)
{
    object.attributes.parent = directory.attributes.object;
    detail::stampChanged(object, now);
    object.attributes.flags |= ZnodeFlag::kModified;
    object.attributes.flags |= directory.attributes.flags & ZnodeFlag::kProjectInherit;
}

} // namespace

Status FileSystemWriter::Private::checkNotBelow(ObjectId directory,
                                                ObjectId object,
                                                const ReadContext& context) const
{
    ObjectId place = directory;
    for (std::uint64_t depth = 0; depth < kMaxDepth; ++depth) {
        if (place == object) {
            return fail(
                ErrorCode::InvalidArgument, "a directory can't be moved below itself", at(object));
        }
        if (place == reader().root) {
            return {};
        }
        const ObjectId above = MP_TRY(reader().attributesUnlocked(place, context))->parent;
        if (above == place) {
            break;
        }
        place = above;
    }
    return fail(ErrorCode::BadDirectory, "a directory does not lead to the root", at(directory));
}

Result<bool> FileSystemWriter::Private::stillThere(const Transaction& change, Move& move) const
{
    const std::optional<Entry> source = MP_TRY(find(move.from, change.context()));
    if (!source) {
        return fail(ErrorCode::NoSuchEntry, "no such file", at(move.from.directory));
    }
    const std::optional<Entry> target = MP_TRY(find(move.to, change.context()));
    if (source->object != move.source.object || target.has_value() != move.target.has_value() ||
        (target && target->object != move.target->object)) {
        return false;
    }
    move.source.name = source->name;
    if (target) {
        move.target->name = target->name;
    }
    return true;
}

Status FileSystemWriter::Private::exchange(Transaction& change, const Move& move)
{
    Znode* from = MP_TRY(directory(change, move.from.directory));
    Znode* to = MP_TRY(directory(change, move.to.directory));
    Znode* source = MP_TRY(change.edit(move.source.object));
    Znode* target = MP_TRY(change.edit(move.target->object));
    MP_TRY(canRemove(*to, *target));
    if (from != to) {
        MP_TRY(checkProject(*from, *target));
        if (isDirectory(*target)) {
            MP_TRY(checkNotBelow(move.from.directory, move.target->object, change.context()));
        }
    }
    const auto put =
        [&](ObjectId table, const std::string& name, const Znode& is, const Znode& was) -> Status {
        const auto valueOf = [](const Znode& object) {
            return DirectoryValue{object.attributes.object,
                                  static_cast<std::uint8_t>(object.attributes.type)}
                .encode();
        };
        MP_TRY(change.zaps().update(table, name, valueOf(is)));
        change.onFailure([zaps = change.zaps(), table, name, value = valueOf(was)]() mutable {
            return zaps.update(table, name, value);
        });
        return {};
    };
    MP_TRY(put(move.from.directory, move.source.name, *target, *source));
    MP_TRY(put(move.to.directory, move.target->name, *source, *target));
    if (isDirectory(*source) != isDirectory(*target)) {
        Znode* gains = isDirectory(*source) ? to : from;
        Znode* loses = isDirectory(*source) ? from : to;
        ++gains->attributes.links;
        --loses->attributes.links;
    }
    detail::stampModified(*from, change.now());
    detail::stampModified(*to, change.now());
    settle(*source, *to, change.now());
    settle(*target, *from, change.now());
    return {};
}

Status FileSystemWriter::Private::replace(Transaction& change, const Move& move)
{
    Znode* from = MP_TRY(directory(change, move.from.directory));
    Znode* to = MP_TRY(directory(change, move.to.directory));
    Znode* source = MP_TRY(change.edit(move.source.object));
    Znode* target = nullptr;
    if (move.target) {
        target = MP_TRY(change.edit(move.target->object));
        if (isDirectory(*source) != isDirectory(*target)) {
            return isDirectory(*source)
                       ? fail(ErrorCode::NotDirectory, "not a directory", at(move.target->object))
                       : fail(ErrorCode::IsDirectory, "is a directory", at(move.target->object));
        }
        MP_TRY(canRemove(*to, *target));
        if (isDirectory(*target)) {
            MP_TRY(checkEmpty(change, *target));
        }
    }
    MP_TRY(canAdd(*to));
    MP_TRY(removeEntry(change, *from, move.source.name, *source));
    if (target != nullptr) {
        MP_TRY(removeEntry(change, *to, move.target->name, *target));
        MP_TRY(dropLink(change, *target));
    }
    MP_TRY(addEntry(change, *to, move.to.name, *source));
    settle(*source, *to, change.now());
    return {};
}

/// A name that differs only in what the file system's rule for names does not look at.
Status FileSystemWriter::Private::changeCase(Transaction& change, const Move& move)
{
    Znode* parent = MP_TRY(directory(change, move.from.directory));
    Znode* source = MP_TRY(change.edit(move.source.object));
    MP_TRY(canRemove(*parent, *source));
    MP_TRY(removeEntry(change, *parent, move.source.name, *source));
    MP_TRY(addEntry(change, *parent, move.to.name, *source));
    settle(*source, *parent, change.now());
    return {};
}

Status FileSystemWriter::Private::applyMove(Transaction& change, const Move& move)
{
    const bool sameDirectory = move.from.directory == move.to.directory;
    if (move.target && move.target->object == move.source.object) {
        // Two names of one object: nothing to do [rename(2)]. One name written differently: that.
        const bool oneName = sameDirectory && move.target->name == move.source.name;
        const bool rewritten = oneName && move.source.name != move.to.name;
        if (move.mode == RenameMode::NoReplace && !rewritten) {
            return fail(ErrorCode::AlreadyExists, "the name is taken", at(move.to.directory));
        }
        return rewritten && move.mode != RenameMode::Exchange ? changeCase(change, move) : Status();
    }
    if (move.target && move.mode == RenameMode::NoReplace) {
        return fail(ErrorCode::AlreadyExists, "the name is taken", at(move.to.directory));
    }
    if (!move.target && move.mode == RenameMode::Exchange) {
        return fail(ErrorCode::NoSuchEntry, "no such file", at(move.to.directory));
    }
    const Znode* from = MP_TRY(directory(change, move.from.directory));
    const Znode* to = MP_TRY(directory(change, move.to.directory));
    const Znode* source = MP_TRY(change.edit(move.source.object));
    MP_TRY(canRemove(*from, *source));
    if (!sameDirectory) {
        MP_TRY(checkProject(*to, *source));
        if (isDirectory(*source)) {
            MP_TRY(checkNotBelow(move.to.directory, move.source.object, change.context()));
        }
    }
    return move.mode == RenameMode::Exchange ? exchange(change, move) : replace(change, move);
}

Result<FileSystemWriter::Renamed> FileSystemWriter::rename(const DirectoryPlace& from,
                                                           const DirectoryPlace& to,
                                                           RenameMode mode,
                                                           const ReadContext& context)
{
    MP_TRY(d->checkNewName(to));
    for (;;) {
        const std::optional<Private::Entry> source = MP_TRY(d->look(from, context));
        if (!source) {
            return fail(ErrorCode::NoSuchEntry, "no such file", d->at(from.directory));
        }
        Private::Move move{from, to, mode, *source, MP_TRY(d->look(to, context))};
        Private::ChangeRequest request{
            .locks = {{from.directory}, {to.directory}, {source->object}},
            .freeing = move.target.has_value()};
        if (move.target) {
            request.locks.push_back({move.target->object});
        }
        const bool movesDirectory =
            maybeDirectory(source->type) || (move.target && maybeDirectory(move.target->type));
        if (from.directory != to.directory && movesDirectory) {
            request.locks.push_back({Private::kMoveLock});
        }
        bool done = false;
        MP_TRY(d->change(request, context, [&](Transaction& change) -> Status {
            (void)MP_TRY(d->directory(change, from.directory));
            (void)MP_TRY(d->directory(change, to.directory));
            done = MP_TRY(d->stillThere(change, move));
            return done ? d->applyMove(change, move) : Status();
        }));
        if (done) {
            Renamed renamed{move.source.object, std::nullopt};
            if (move.target && move.target->object != move.source.object) {
                renamed.replaced = move.target->object;
            }
            return renamed;
        }
    }
}

} // namespace millpond::posix
