// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: an ACL's value is what Linux' own tools would have written. Method: a value that
// setfacl made on ext4, and the empty one.
#include "fuse/posix_acl_value.h"

#include <QByteArray>
#include <QTest>

using namespace millpond;
using posix::AclEntry;

namespace {
QByteArray hex(const std::vector<std::byte>& value)
{
    QByteArray bytes;
    for (const std::byte each : value) {
        bytes.append(static_cast<char>(each));
    }
    return bytes.toHex();
}
} // namespace

class TestPosixAclValue : public QObject
{
    Q_OBJECT

private Q_SLOTS:

    void looksAsLinuxWritesIt()
    {
        using Tag = AclEntry::Tag;
        const std::vector<AclEntry> entries = {{Tag::UserObject, 0, 7},
                                               {Tag::User, 1001, 7},
                                               {Tag::GroupObject, 0, 5},
                                               {Tag::Group, 1002, 1},
                                               {Tag::Mask, 0, 7},
                                               {Tag::Other, 0, 5}};
        QCOMPARE(hex(fuse::posixAclValue(entries)),
                 QByteArray("02000000"
                            "01000700ffffffff"
                            "02000700e9030000"
                            "04000500ffffffff"
                            "08000100ea030000"
                            "10000700ffffffff"
                            "20000500ffffffff"));
        const auto back = fuse::posixAclEntries(fuse::posixAclValue(entries));
        QVERIFY(back && back->size() == entries.size());
        for (std::size_t i = 0; i < entries.size(); ++i) {
            QVERIFY((*back)[i].tag == entries[i].tag && (*back)[i].id == entries[i].id &&
                    (*back)[i].permissions == entries[i].permissions);
        }
    }

    void whatIsNoneIsRefused()
    {
        for (const char* bytes : {"",
                                  "020000",
                                  "01000000",
                                  "0200000001000700ffffff",
                                  "0200000003000700ffffffff",
                                  "0200000001000800ffffffff"}) {
            const QByteArray value = QByteArray::fromHex(bytes);
            const auto entries = fuse::posixAclEntries(std::as_bytes(
                std::span(value.constData(), static_cast<std::size_t>(value.size()))));
            QVERIFY2(!entries && entries.error().is(ErrorCode::InvalidArgument), bytes);
        }
    }

    void emptyIsOnlyTheHead() { QCOMPARE(hex(fuse::posixAclValue({})), QByteArray("02000000")); }
};

QTEST_GUILESS_MAIN(TestPosixAclValue)
#include "tst_posix_acl_value.moc"
