// SPDX-License-Identifier: GPL-3.0-or-later
// Property: every block device is listed with what it is and who uses it, from sysfs alone or with
// what udev left. Method: a made-up machine below a scratch folder; the real one with a loop
// device; made-up kernel events.
#include "device/device_list.h"
#include "support/cleanup.h"
#include "support/scratch.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTest>

using namespace millpond;
using namespace millpond::device;

class TestDeviceList : public QObject
{
    Q_OBJECT

private:
    test::ScratchFolder m_scratch;

    void put(const QString& path, const QByteArray& content) const
    {
        const QString full = m_scratch.path(path);
        QVERIFY(QDir().mkpath(QFileInfo(full).path()));
        QFile file(full);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }

    /// A device of the class "block", as sysfs shows it: a link to where it really is.
    void device(const QString& where, quint64 sectors, const QByteArray& number) const
    {
        const QString real = QStringLiteral("sys/devices/") + where;
        put(real + "/size", QByteArray::number(sectors) + "\n");
        put(real + "/dev", number + "\n");
        put(real + "/ro", "0\n");
        QVERIFY(QDir().mkpath(m_scratch.path("sys/class/block")));
        QVERIFY(QDir().mkpath(m_scratch.path(real + "/holders")));
        QVERIFY(QFile::link("../../devices/" + where,
                            m_scratch.path("sys/class/block/" + where.section('/', -1))));
    }

    [[nodiscard]] ListOptions options() const
    {
        const auto at = [this](const char* name) { return m_scratch.path(name).toStdString(); };
        return {.roots = {.sys = at("sys"),
                          .proc = at("proc"),
                          .dev = at("dev"),
                          .udevData = at("udev")},
                .probe = false};
    }

    static const DeviceInfo* find(const std::vector<DeviceInfo>& list, std::string_view name)
    {
        const auto found =
            std::ranges::find_if(list, [&](const DeviceInfo& d) { return d.name == name; });
        return found == list.end() ? nullptr : &*found;
    }

private Q_SLOTS:

    void initTestCase()
    {
        const QString ata = "pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda";
        device(ata, 1'953'525'168, "8:0");
        put("sys/devices/" + ata + "/queue/rotational", "1\n");
        put("sys/devices/" + ata + "/queue/logical_block_size", "512\n");
        put("sys/devices/" + ata + "/queue/physical_block_size", "4096\n");
        put("sys/devices/" + ata + "/device/model", "WDC WD10EZEX-08W\n");
        put("sys/devices/" + ata + "/device/vendor", "ATA     \n");
        put("sys/devices/" + ata + "/device/vpd_pg80",
            QByteArray("\x00\x80\x00\x14     WD-WCC6Y1234567", 25));
        device(ata + "/sda1", 1'048'576, "8:1");
        put("sys/devices/" + ata + "/sda1/partition", "1\n");
        device(ata + "/sda2", 4'194'304, "8:2");
        put("sys/devices/" + ata + "/sda2/partition", "2\n");
        device(ata + "/sda10", 2'048, "8:10");
        put("sys/devices/" + ata + "/sda10/partition", "10\n");
        put("sys/devices/" + ata + "/sda10/holders/dm-0/x", "");

        const QString usb = "pci0000:00/usb1/1-2/host3/target3:0:0/3:0:0:0/block/sdb";
        device(usb, 60'000'000, "8:16");
        put("sys/devices/" + usb + "/removable", "1\n");
        const QString nvme = "pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1";
        device(nvme, 1'000'215'216, "259:0");
        put("sys/devices/" + nvme + "/device/serial", "S4EWNX0N  \n");
        put("sys/devices/" + nvme + "/wwid", "eui.0025385\n");
        device("virtual/block/loop0", 204'800, "7:0");
        put("sys/devices/virtual/block/loop0/loop/backing_file", "/srv/image file\n");
        device("virtual/block/loop1", 0, "7:1"); // nothing attached
        device("virtual/block/dm-0", 4096, "253:0");
        put("sys/devices/virtual/block/dm-0/dm/uuid", "CRYPT-LUKS2-abc\n");
        put("sys/devices/virtual/block/dm-0/ro", "1\n");

        put("proc/self/mountinfo",
            "22 1 8:1 / /boot\\040files rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
            "garbage\n"
            "23 1 0:40 /sub /data rw - btrfs " +
                m_scratch.path("dev/nvme0n1").toUtf8() + " rw\n");
        put("proc/swaps",
            "Filename\tType\tSize\tUsed\tPriority\n" + m_scratch.path("dev/sda2").toUtf8() +
                " partition 100 0 -2\n");
        put("udev/b8:0",
            "S:disk/by-id/wwn-0x50014ee2\nS:disk/by-id/ata-WDC_WD10EZEX-08W_WD-WCC6Y1234567\n"
            "E:ID_SERIAL_SHORT=WD-WCC6Y1234567\nE:ID_WWN=0x50014ee2\nbroken\nE:\n");
        QVERIFY(QDir().mkpath(m_scratch.path("dev/disk/by-id")));
        QVERIFY(QFile::link("../../sdb", m_scratch.path("dev/disk/by-id/usb-Stick_123")));
    }

    void everythingInOrder()
    {
        const auto list = listDevices(options());
        QVERIFY(list.has_value());
        std::vector<std::string> names;
        for (const DeviceInfo& info : *list) {
            names.push_back(info.name);
        }
        QCOMPARE(names,
                 (std::vector<std::string>{
                     "dm-0", "loop0", "nvme0n1", "sda", "sda1", "sda2", "sda10", "sdb"}));
    }

    void hardware()
    {
        const auto list = *listDevices(options());
        const DeviceInfo& sda = *find(list, "sda");
        QCOMPARE(sda.kind, DeviceKind::Disk);
        QCOMPARE(sda.bus, std::string("ata"));
        QCOMPARE(sda.model, std::string("WDC WD10EZEX-08W"));
        QCOMPARE(sda.vendor, std::string("ATA"));
        QCOMPARE(sda.serial, std::string("WD-WCC6Y1234567"));
        QCOMPARE(sda.size.value(), std::uint64_t{1'953'525'168} * 512);
        QCOMPARE(sda.physicalSector, 4096U);
        QVERIFY(sda.rotational);
        QVERIFY(!sda.removable);
        QCOMPARE(
            sda.byId,
            m_scratch.path("dev/disk/by-id/ata-WDC_WD10EZEX-08W_WD-WCC6Y1234567").toStdString());
        const DeviceInfo& part = *find(list, "sda1");
        QCOMPARE(part.kind, DeviceKind::Partition);
        QCOMPARE(part.parent, sda.path);
        QCOMPARE(part.model, sda.model);
        const DeviceInfo& stick = *find(list, "sdb");
        QCOMPARE(stick.bus, std::string("usb"));
        QVERIFY(stick.removable);
        QCOMPARE(stick.byId, m_scratch.path("dev/disk/by-id/usb-Stick_123").toStdString());
        const DeviceInfo& nvme = *find(list, "nvme0n1");
        QCOMPARE(nvme.bus, std::string("nvme"));
        QCOMPARE(nvme.serial, std::string("S4EWNX0N"));
        QCOMPARE(nvme.wwn, std::string("eui.0025385"));
        QCOMPARE(find(list, "dm-0")->kind, DeviceKind::Crypt);
        QCOMPARE(find(list, "loop0")->kind, DeviceKind::Loop);
        QCOMPARE(find(list, "loop0")->backingFile, std::string("/srv/image file"));
    }

    /// Without udev's data the serial number comes from the device's own page.
    void withoutUdev()
    {
        ListOptions without = options();
        without.roots.udevData = "/nonexistent";
        const auto list = *listDevices(without);
        QCOMPARE(find(list, "sda")->serial, std::string("WD-WCC6Y1234567"));
        QCOMPARE(find(list, "sda")->byId, std::string());
    }

    void whoUsesWhat()
    {
        const auto list = *listDevices(options());
        QCOMPARE(find(list, "sda1")->useText(), std::string("mounted on /boot files"));
        QCOMPARE(find(list, "sda2")->useText(), std::string("swap space"));
        QCOMPARE(find(list, "sda10")->useText(), std::string("in use by dm-0"));
        QCOMPARE(find(list, "nvme0n1")->useText(), std::string("mounted on /data"));
        QCOMPARE(find(list, "dm-0")->useText(), std::string("read-only"));
        QVERIFY(find(list, "sdb")->isFree());
        QCOMPARE(find(list, "sda")->useText(), std::string("has partitions"));
        QCOMPARE(find(list, "sda")->uses.size(), std::size_t{4}); // and three partitions in use
    }

    void oneDevice()
    {
        const auto found = findDevice(m_scratch.path("dev/sdb").toStdString(), options());
        QVERIFY(found.has_value());
        QCOMPARE(found->name, std::string("sdb"));
        QCOMPARE(findDevice("/dev/none", options()).error().code(), ErrorCode::NoSuchDevice);
        QCOMPARE(listDevices({.roots = {.sys = "/nonexistent"}}).error().code(),
                 ErrorCode::NoSuchDevice);
    }

    void thisMachine()
    {
        QVERIFY(listDevices({.probe = false}).has_value());
        const QString image = m_scratch.path("disk.img");
        QFile file(image);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.resize(64 * 1024 * 1024));
        // An ext4 superblock as far as libblkid looks: magic, one group's worth of geometry.
        file.seek(1024);
        QByteArray superblock(1024, '\0');
        superblock[0x38] = '\x53';
        superblock[0x39] = '\xef';
        superblock[0x4c] = 1;    // dynamic revision
        superblock[0x60] = 0x40; // extents
        superblock[0x5c] = 0x04; // journal
        superblock.replace(0x78, 4, "pond");
        file.write(superblock);
        file.close();
        const test::LoopDevice loop(image, test::LoopDevice::Access::ReadWrite);
        if (loop.device().isEmpty()) {
            QSKIP("needs root to make a loop device");
        }
        const auto found = findDevice(loop.device().toStdString());
        QVERIFY(found.has_value());
        QCOMPARE(found->kind, DeviceKind::Loop);
        QCOMPARE(found->backingFile, image.toStdString());
        QCOMPARE(found->size.value(), std::uint64_t{64} * MiB);
        QVERIFY(found->contentKnown);
        QCOMPARE(found->content.type, std::string("ext4"));
        QCOMPARE(found->content.label, std::string("pond"));
        QCOMPARE(found->useText(), std::string("holds ext4"));
    }

    void uevents()
    {
        const auto event = [](std::string_view text) {
            return decodeUevent(std::as_bytes(std::span(text.data(), text.size())));
        };
        using namespace std::literals;
        const auto added = event(
            "add@/devices/virtual/block/loop0\0ACTION=add\0DEVPATH=/devices/virtual/block/loop0\0"
            "SUBSYSTEM=block\0MAJOR=7\0DEVNAME=loop0\0DEVTYPE=disk\0SEQNUM=1\0"sv);
        QVERIFY(added.has_value());
        QCOMPARE(added->action, DeviceEvent::Action::Added);
        QCOMPARE(added->path, std::string("/dev/loop0"));
        QVERIFY(!event("add@/x\0ACTION=add\0SUBSYSTEM=net\0DEVNAME=eth0\0"sv));
        QVERIFY(!event("add@/x\0ACTION=bind\0SUBSYSTEM=block\0DEVNAME=sda\0"sv));
        QVERIFY(!event(""sv));
        QVERIFY(!event("ACTION=add"sv));
        QVERIFY(event("ACTION=remove\0SUBSYSTEM=block\0DEVNAME=sda"sv).has_value());
    }

    void monitorStartsAndStops()
    {
        const auto monitor = DeviceMonitor::create([](const DeviceEvent&) {});
        if (!monitor) {
            QSKIP("no uevent socket in this container");
        }
        QVERIFY((*monitor)->source() == DeviceMonitor::Source::Kernel ||
                QFileInfo::exists("/run/udev/control"));
    }
};

QTEST_GUILESS_MAIN(TestDeviceList)
#include "tst_device_list.moc"
