// SPDX-License-Identifier: GPL-3.0-or-later
// Names of extended attributes between what is stored and what Linux shows: every namespace there
// is, and that no shown name leads into another namespace.
#include "posix/detail/xattr_name.h"

#include <QtTest>

using namespace millpond::posix::detail;

class tst_XattrName : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void shown_data();
    void shown();
    void stored_data();
    void stored();
};

void tst_XattrName::shown_data()
{
    QTest::addColumn<QString>("storedName");
    QTest::addColumn<QString>("expected");
    QTest::newRow("user") << "user.a" << "user.a";
    QTest::newRow("trusted") << "trusted.overlay" << "trusted.overlay";
    QTest::newRow("security") << "security.capability" << "security.capability";
    QTest::newRow("bare, from Solaris or FreeBSD") << "a" << "user.a";
    QTest::newRow("other system attribute") << "system.other" << "user.system.other";
    QTest::newRow("FreeBSD system") << "freebsd:system:x" << "";
    QTest::newRow("access ACL") << "system.posix_acl_access" << "";
    QTest::newRow("default ACL") << "system.posix_acl_default" << "";
    QTest::newRow("nothing") << "" << "";
}

void tst_XattrName::shown()
{
    QFETCH(QString, storedName);
    QFETCH(QString, expected);
    const auto name = shownXattrName(storedName.toStdString());
    QCOMPARE(QString::fromStdString(name.value_or("")), expected);
}

void tst_XattrName::stored_data()
{
    QTest::addColumn<QString>("asked");
    QTest::addColumn<QStringList>("expected");
    QTest::newRow("user: with the prefix first, then bare")
        << "user.a" << QStringList{"user.a", "a"};
    QTest::newRow("trusted") << "trusted.a" << QStringList{"trusted.a"};
    QTest::newRow("security") << "security.a" << QStringList{"security.a"};
    QTest::newRow("only the prefix") << "user." << QStringList{};
    QTest::newRow("no namespace") << "a" << QStringList{};
    QTest::newRow("ACLs are not read this way") << "system.posix_acl_access" << QStringList{};
    QTest::newRow("no way into trusted") << "user.trusted.a" << QStringList{};
    QTest::newRow("no way into security") << "user.security.a" << QStringList{};
    QTest::newRow("no way into system") << "user.system.posix_acl_access" << QStringList{};
    QTest::newRow("no way into FreeBSD's") << "user.freebsd:x" << QStringList{};
    QTest::newRow("user twice") << "user.user.a" << QStringList{};
}

void tst_XattrName::stored()
{
    QFETCH(QString, asked);
    QFETCH(QStringList, expected);
    QStringList names;
    for (const std::string& name : storedXattrNames(asked.toStdString())) {
        names << QString::fromStdString(name);
    }
    QCOMPARE(names, expected);
}

QTEST_GUILESS_MAIN(tst_XattrName)
#include "tst_xattr_name.moc"
