// SPDX-License-Identifier: GPL-3.0-or-later
// POSIX ACLs as Linux lays them out: every kind of entry, and everything that is no ACL is refused:
// every truncation, every wrong version and tag.
#include "posix/detail/posix_acl.h"

#include "base/byte_order.h"

#include <QtTest>

using namespace millpond;
using posix::AclEntry;
using Tag = AclEntry::Tag;

namespace {

struct Raw
{
    std::uint16_t tag, permissions;
    std::uint32_t id;
};

std::vector<std::byte> encode(const std::vector<Raw>& entries, std::uint32_t version = 2)
{
    std::vector<std::byte> bytes(4 + entries.size() * 8);
    store(bytes, 0, version);
    std::size_t at = 4;
    for (const Raw& entry : entries) {
        store(bytes, at, entry.tag);
        store(bytes, at + 2, entry.permissions);
        store(bytes, at + 4, entry.id);
        at += 8;
    }
    return bytes;
}

constexpr std::uint32_t kNoId = 0xffffffff;

const std::vector<Raw> kAllKinds = {{1, 7, kNoId},
                                    {2, 6, 1001},
                                    {4, 5, kNoId},
                                    {8, 4, 4'000'000'000},
                                    {16, 7, kNoId},
                                    {32, 0, kNoId}};

} // namespace

class tst_PosixAcl : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void allKinds();
    void truncated();
    void refused();
};

void tst_PosixAcl::allKinds()
{
    const auto acl = posix::detail::decodePosixAcl(encode(kAllKinds));
    QVERIFY(acl.has_value());
    QCOMPARE(acl->size(), kAllKinds.size());
    const Tag tags[] = {
        Tag::UserObject, Tag::User, Tag::GroupObject, Tag::Group, Tag::Mask, Tag::Other};
    for (std::size_t i = 0; i < acl->size(); ++i) {
        const AclEntry& entry = (*acl)[i];
        QVERIFY(entry.tag == tags[i]);
        QCOMPARE(entry.permissions, kAllKinds[i].permissions);
        QCOMPARE(entry.id, kAllKinds[i].id == kNoId ? 0U : kAllKinds[i].id);
    }
    const auto none = posix::detail::decodePosixAcl(encode({}));
    QVERIFY(none.has_value() && none->empty());
}

void tst_PosixAcl::truncated()
{
    const auto whole = encode(kAllKinds);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto acl = posix::detail::decodePosixAcl(Bytes(whole).first(size));
        QCOMPARE(acl.has_value(), size >= 4 && (size - 4) % 8 == 0);
        QVERIFY(acl.has_value() || acl.error().is(ErrorCode::BadAttributes));
    }
}

void tst_PosixAcl::refused()
{
    QVERIFY(!posix::detail::decodePosixAcl(encode(kAllKinds, 1)));
    QVERIFY(!posix::detail::decodePosixAcl(encode(kAllKinds, 0x02000000)));
    for (const std::uint16_t tag : {0, 3, 64, 0xffff}) {
        QVERIFY(!posix::detail::decodePosixAcl(encode({{tag, 7, 0}})));
    }
    // Bits beyond rwx mean nothing and are not passed on.
    const auto acl = posix::detail::decodePosixAcl(encode({{1, 0xffff, 0}}));
    QVERIFY(acl.has_value());
    QCOMPARE(acl->front().permissions, std::uint8_t{7});
}

QTEST_GUILESS_MAIN(tst_PosixAcl)
#include "tst_posix_acl.moc"
