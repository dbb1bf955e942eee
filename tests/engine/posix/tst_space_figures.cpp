// SPDX-License-Identifier: GPL-3.0-or-later
// What statfs answers, worked out by hand from the rules OpenZFS follows on Linux.
#include "posix/space_figures.h"

#include <QtTest>

using namespace millpond;

class tst_SpaceFigures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void usual();
    void full();
    void oddRecordSize();
};

void tst_SpaceFigures::usual()
{
    dataset::Space space;
    space.referenced = 100 * KiB; // rounds up to one record
    space.available = 10 * MiB + 5;
    space.objects = 12;
    space.objectsAvailable = std::uint64_t{1} << 48;
    const auto figures = posix::spaceFigures(space, ByteCount(128 * KiB));
    QCOMPARE(figures.blockSize, 128 * KiB);
    QCOMPARE(figures.total, std::uint64_t{81});
    QCOMPARE(figures.free, std::uint64_t{80});
    QCOMPARE(figures.available, figures.free);
    QCOMPARE(figures.filesFree, std::uint64_t{20480}); // one dnode of 512 bytes each
    QCOMPARE(figures.files, std::uint64_t{20492});
}

void tst_SpaceFigures::full()
{
    dataset::Space space;
    space.referenced = 1;
    space.objects = 3;
    space.objectsAvailable = 7;
    auto figures = posix::spaceFigures(space, ByteCount(4 * KiB));
    QCOMPARE(figures.total, std::uint64_t{1}); // never a file system without blocks
    QCOMPARE(figures.free, std::uint64_t{0});
    QCOMPARE(figures.filesFree, std::uint64_t{0});
    QCOMPARE(figures.files, std::uint64_t{3});
    space.available = 1 * MiB;
    figures = posix::spaceFigures(space, ByteCount(4 * KiB));
    QCOMPARE(figures.filesFree, std::uint64_t{7}); // fewer objects than room
}

void tst_SpaceFigures::oddRecordSize()
{
    for (const std::uint64_t odd : {std::uint64_t{0}, std::uint64_t{3000}}) {
        QCOMPARE(posix::spaceFigures({}, ByteCount(odd)).blockSize, 128 * KiB);
    }
}

QTEST_GUILESS_MAIN(tst_SpaceFigures)
#include "tst_space_figures.moc"
