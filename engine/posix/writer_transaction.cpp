// SPDX-License-Identifier: GPL-3.0-or-later
//
// How a change is made, and taken back when it fails. Theory statement: file_system_writer.cpp.
#include "format/zap.h"
#include "posix/detail/writer_private.h"

#include <algorithm>
#include <ranges>

namespace millpond::posix {

using detail::Znode;
using format::ZnodeFlag;
using object::AttributeChange;

namespace {

constexpr std::uint8_t kFileContents = format::number(format::ObjectType::PlainFile);
constexpr std::uint8_t kDirectoryContents = format::number(format::ObjectType::Directory);
constexpr std::uint8_t kAttributesBonus = format::number(format::ObjectType::SystemAttributes);
/// What dnodesize=auto makes. [dnodesize_changed_cb]
constexpr std::uint8_t kAutoSlots = 2;
constexpr std::uint64_t kMaxLinkBytes = 64 * KiB;

} // namespace

FileSystemWriter::Transaction::Transaction(Private& writer, Txg txg, const ReadContext& context)
    : m_writer(writer)
    , m_txg(txg)
    , m_now(writer.clock.wall())
    , m_context(context)
{
}

object::ZapWriter FileSystemWriter::Transaction::zaps() const
{
    return {*m_writer.objset, m_txg};
}

FileSystemWriter::Transaction::Edited* FileSystemWriter::Transaction::find(ObjectId object)
{
    const auto found = std::ranges::find(m_edited, object, &Edited::object);
    return found == m_edited.end() ? nullptr : &*found;
}

Result<Znode*> FileSystemWriter::Transaction::edit(ObjectId object)
{
    if (Edited* known = find(object)) {
        return &known->now;
    }
    const auto cached = m_writer.reader().cache.find(object).znode;
    Znode znode =
        cached != nullptr ? *cached : MP_TRY(m_writer.reader().file(object, m_context)).znode;
    if (!znode.aclIsOld && !znode.acl.empty() && znode.aclOrder != kHostOrder) {
        const auto aces = MP_TRY(m_writer.reader().nfsv4Acl(znode, m_context));
        znode.acl = format::encodeAces(aces, format::AclVersion::Fuid, kHostOrder);
        znode.aclOrder = kHostOrder;
    }
    Edited& edited = m_edited.emplace_back();
    edited.object = object;
    edited.now = znode;
    edited.before = std::move(znode);
    if (edited.now.aclIsOld) {
        if (Status converted = convertOldZnode(edited); !converted) {
            m_edited.pop_back();
            return std::unexpected(std::move(converted).error());
        }
    }
    return &edited.now;
}

/// What system attributes say where the old znode had a place of its own. [zfs_sa_upgrade]
Status FileSystemWriter::Transaction::convertOldZnode(Edited& edited)
{
    Znode& znode = edited.now;
    const auto old = MP_TRY(format::ZnodeAcl::decode(znode.acl, znode.aclOrder));
    const auto aces = MP_TRY(m_writer.reader().nfsv4Acl(znode, m_context));
    znode.acl = format::encodeAces(aces, format::AclVersion::Fuid, kHostOrder);
    znode.aclCount = aces.size();
    znode.aclOrder = kHostOrder;
    znode.aclIsOld = false;
    Attributes& attributes = znode.attributes;
    attributes.flags &= ~ZnodeFlag::kBonusScanStamp; // a virus scanner's, which will scan again
    if (m_writer.hasProjects) {
        attributes.flags |= ZnodeFlag::kProjectId;
    }
    if (attributes.type == FileType::Link && znode.link.empty() &&
        attributes.size <= kMaxLinkBytes) {
        const auto dnode = MP_TRY(m_writer.objset->dnode(edited.object, m_context));
        znode.link.resize(attributes.size);
        MP_TRY(m_writer.objset->read(*dnode, ByteOffset(0), znode.link, m_context));
    }
    if (old.external.value() != 0) {
        m_freed.push_back(old.external);
    }
    return {};
}

Result<Znode*> FileSystemWriter::Transaction::make(Znode znode)
{
    const bool isDirectory = znode.attributes.type == FileType::Directory;
    const std::uint8_t slots = m_writer.currentOptions()->dnodeSlots;
    object::ObjectSpec spec;
    spec.type = isDirectory ? kDirectoryContents : kFileContents;
    spec.bonusType = kAttributesBonus;
    spec.slots = slots == 0 ? kAutoSlots : slots;
    const ObjectId object = MP_TRY(m_writer.objset->allocateObject(m_txg, spec, m_context));
    onFailure([this, object] { return m_writer.objset->freeObject(m_txg, object); });
    if (isDirectory) {
        object::ZapSpec table;
        table.type = kDirectoryContents;
        table.normalization = m_writer.reader().matching.normalization |
                              (m_writer.foldsCase ? format::NormalizationFlag::kToUpper : 0);
        MP_TRY(zaps().initialize(object, table));
    }
    Edited& edited = m_edited.emplace_back();
    edited.object = object;
    edited.now = std::move(znode);
    edited.now.attributes.object = object;
    edited.now.attributes.generation = m_txg.value();
    return &edited.now;
}

void FileSystemWriter::Transaction::onFailure(std::function<Status()> undo)
{
    m_undo.push_back(std::move(undo));
}

void FileSystemWriter::Transaction::onSuccess(std::function<void()> note)
{
    m_notes.push_back(std::move(note));
}

Result<FileSystemWriter::AttributesRef> FileSystemWriter::Transaction::shown(ObjectId object)
{
    const Znode* znode = MP_TRY(edit(object));
    auto shown = MP_TRY(m_writer.reader().present(*znode, m_context));
    const auto dnode = MP_TRY(m_writer.objset->dnode(object, m_context));
    detail::setSpaceUsed(*shown, *dnode);
    return m_shown.emplace_back(std::move(shown));
}

void FileSystemWriter::Transaction::freeAtEnd(ObjectId object)
{
    m_freed.push_back(object);
    if (Edited* edited = find(object)) {
        edited->freed = true;
    }
}

Status FileSystemWriter::Transaction::write(Edited& edited)
{
    object::AttributeWriter& writer = *m_writer.attributeWriter;
    if (!edited.before) {
        return writer.replaceAll(m_txg, edited.object, detail::allAttributes(edited.now));
    }
    if (!detail::movesAttributes(*edited.before, edited.now)) {
        const auto changes = detail::changedAttributes(*edited.before, edited.now);
        return changes.empty() ? Status() : writer.update(m_txg, edited.object, changes);
    }
    std::vector<AttributeChange> all = detail::allAttributes(edited.now);
    if (!edited.before->aclIsOld) {
        // What this program does not know comes last.
        const auto stored = MP_TRY(writer.read(edited.object, m_context));
        const std::vector<AttributeChange> known = detail::allAttributes(*edited.before);
        for (const auto& attribute : stored) {
            const bool isKnown =
                std::ranges::find(known, attribute.name, &AttributeChange::name) != known.end();
            if (!isKnown) {
                all.push_back(AttributeChange::bytes(attribute.name, attribute.value));
            }
        }
    }
    return writer.replaceAll(m_txg, edited.object, all);
}

Status FileSystemWriter::Transaction::commit()
{
    for (Edited& edited : m_edited) {
        if (!edited.freed) {
            edited.written = true; // in part, when it fails
            MP_TRY(write(edited));
        }
    }
    for (const ObjectId object : m_freed) {
        MP_TRY(m_writer.objset->freeObject(m_txg, object, m_context));
    }
    return {};
}

/// The next change will ask for it. Objects with extended attributes are left to who asks: those
/// may have to be read.
void FileSystemWriter::Transaction::remember()
{
    FileSystem::Private& reader = m_writer.reader();
    for (Edited& edited : m_edited) {
        const ObjectId object = edited.object;
        const auto shown = std::ranges::find(
            m_shown, object, [](const AttributesRef& attributes) { return attributes->object; });
        AttributesRef attributes = shown == m_shown.end() ? nullptr : *shown;
        const bool plain =
            edited.now.xattrList.empty() && edited.now.attributes.xattrDirectory.value() == 0;
        if (attributes == nullptr && plain) {
            auto presented = reader.present(edited.now, m_context);
            attributes = presented ? std::move(*presented) : nullptr;
        }
        if (attributes != nullptr && !edited.freed) {
            auto znode = plain ? std::make_shared<const Znode>(std::move(edited.now)) : nullptr;
            const std::uint64_t changes = reader.cache.changes(object);
            reader.cache.insert(object, {std::move(attributes), false, std::move(znode)}, changes);
        }
    }
}

/// Nothing here reads what was not read a moment ago. Should it fail even so, a damaged device is
/// to blame, and the damage is confined to the objects of this change.
void FileSystemWriter::Transaction::rollBack()
{
    for (Edited& edited : m_edited | std::views::reverse) {
        if (edited.written && edited.before) {
            Edited back;
            back.object = edited.object;
            back.before = edited.now;
            back.now = *edited.before;
            back.now.aclIsOld = false;
            if (edited.before->aclIsOld) { // converted it stays
                back.now.acl = edited.now.acl;
                back.now.aclCount = edited.now.aclCount;
                back.now.link = edited.now.link;
            }
            (void)write(back);
        }
    }
    for (const std::function<Status()>& undo : m_undo | std::views::reverse) {
        (void)undo();
    }
}

/// A hold in which there is room for the change. What is on its way to disk is counted at its
/// largest: when there is no room for more, it is written first.
Result<txg::Hold> FileSystemWriter::Private::admitted(const ChangeRequest& request, bool mayWait)
{
    const auto current = currentOptions();
    const txg::HoldRequest wanted{.dirtyEstimate = request.dirty, .urgent = request.own};
    for (;;) {
        Txg full;
        {
            txg::Hold hold = MP_TRY(mayWait ? groups.hold(wanted) : groups.tryHold(wanted));
            if (!current->admit || request.own) {
                return hold;
            }
            Status room = current->admit(hold.txg(), request.dirty, request.freeing);
            if (room) {
                return hold;
            }
            if (!room.error().is(ErrorCode::WouldBlock) || !mayWait) {
                return fail(std::move(room).error());
            }
            full = hold.txg();
        }
        MP_TRY(groups.waitSynced(full));
    }
}

Status FileSystemWriter::Private::change(const ChangeRequest& request,
                                         const ReadContext& context,
                                         Apply apply)
{
    const bool mayWait = context.wait == block::Wait::MayBlock;
    const auto current = currentOptions();
    if (current->readOnly && !request.own) {
        return fail(ErrorCode::ReadOnly, "the file system is read-only", {.objset = objset->id()});
    }
    if (mayWait) {
        for (const Lock& lock : request.locks) {
            (void)objset->dnode(lock.object, context); // reads before anybody has to wait for it
        }
    }
    const txg::Hold hold = MP_TRY(admitted(request, mayWait));
    const auto locked = MP_TRY(reader().locks->acquire(request.locks, context.wait));
    Transaction change(*this, hold.txg(), context);
    Status status = apply(change);
    if (status) {
        status = change.commit();
    }
    if (!status) {
        change.rollBack();
    }
    for (const Transaction::Edited& edited : change.m_edited) {
        reader().cache.forget(edited.object);
    }
    if (status) {
        change.remember();
        for (const std::function<void()>& note : change.m_notes) {
            note();
        }
        std::uint64_t last = lastGroup.load();
        while (last < hold.txg().value() &&
               !lastGroup.compare_exchange_weak(last, hold.txg().value())) {
        }
    }
    return status;
}

Status FileSystemWriter::Private::change(ObjectId object, const ReadContext& context, Apply apply)
{
    return change({.locks = {{object}}}, context, apply);
}

} // namespace millpond::posix
