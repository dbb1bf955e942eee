// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: a mounted pool behaves like any other file system under whatever programs do to it, and
// the pool is in order afterwards. Method: the same random sequence of system calls on the mount
// and on the host's own file system, results and trees compared; then programs that people use;
// then export, zdb and our own check.

#include "api/engine.h"
#include "engine/pool/writing_pool.h"
#include "fuse/mounter.h"
#include "posix/mounted_pool.h"
#include "support/cleanup.h"
#include "support/mp_ok.h"
#include "support/process.h"
#include "support/scratch.h"
#include "support/seed.h"

#include <QElapsedTimer>
#include <QTest>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <map>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace millpond;
using namespace millpond::test;
namespace fs = std::filesystem;

namespace {
constexpr std::uint64_t kImageBytes = 3 * GiB;

/// A pool of its own with some file systems, mounted in this process.
class WrittenPool
{
public:
    explicit WrittenPool(const std::vector<api::NewDataset>& datasets = {})
    {
        ::chmod(qPrintable(m_scratch.path()), 0755); // others come in, too
        const QStringList images =
            makeImages(m_scratch.path(QStringLiteral("images")), 1, kImageBytes);
        m_engine = std::move(api::Engine::create({})).value();
        api::CreatePoolRequest create;
        create.name = "tank";
        create.vdevs = {images[0].toStdString()};
        create.fileSystemProperties = {{"acltype", "posix"}, {"xattr", "sa"}, {"atime", "off"}};
        auto made = m_engine->createPool(create);
        if (!made) {
            m_error = made.error().toText();
            return;
        }
        m_pool = *made;
        if (!datasets.empty()) {
            if (Status done = m_pool->createDatasets(datasets); !done) {
                m_error = done.error().toText();
                return;
            }
        }
        mount();
    }

    ~WrittenPool() { m_mounter.reset(); }

    void mount()
    {
        fuse::MountPolicy policy;
        policy.system = true;
        policy.foreignRoot = m_scratch.path(QStringLiteral("mounts")).toStdString();
        m_mounter = std::move(fuse::createMounter(policy)).value();
        for (const fuse::MountOutcome& outcome : m_mounter->mount(m_pool, {})) {
            m_error += outcome.error ? outcome.error->toText() : "";
        }
    }

    [[nodiscard]] std::string root() const
    {
        return m_scratch.path(QStringLiteral("mounts/tank")).toStdString();
    }

    [[nodiscard]] std::string reference() const
    {
        const std::string path = m_scratch.path(QStringLiteral("reference")).toStdString();
        fs::create_directories(path);
        return path;
    }

    [[nodiscard]] api::Pool& pool() { return *m_pool; }

    [[nodiscard]] QByteArray error() const { return QByteArray::fromStdString(m_error); }

    /// Unmounts, exports and has it judged; empty when all is well.
    [[nodiscard]] QString judged(bool force = false)
    {
        QString text;
        for (const fuse::MountOutcome& outcome :
             m_mounter->unmount("", {}, force, std::chrono::seconds(force ? 0 : 5))) {
            text += QString::fromStdString(outcome.error ? outcome.error->toText() : "");
        }
        m_mounter.reset();
        m_pool.reset();
        const Status exported = m_engine->exportPool("tank", false);
        text += exported ? QString() : QString::fromStdString(exported.error().toText());
        return text + judgePool(m_scratch.path(QStringLiteral("images")), QStringLiteral("tank"));
    }

private:
    ScratchFolder m_scratch;
    std::unique_ptr<api::Engine> m_engine;
    api::PoolRef m_pool;
    std::unique_ptr<fuse::Mounter> m_mounter;
    std::string m_error;
};

/// What a call gave: its value or -errno.
long outcome(long result)
{
    return result < 0 ? -errno : result;
}

/// One tree that calls are made in.
struct Side
{
    std::string root;

    [[nodiscard]] std::string path(const std::string& name) const { return root + '/' + name; }
};

std::string contentOf(const std::string& path)
{
    std::string content;
    const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return "cannot be opened: " + std::to_string(errno);
    }
    std::array<char, 65536> piece{};
    for (ssize_t got = 0; (got = ::read(fd, piece.data(), piece.size())) > 0;) {
        content.append(piece.data(), static_cast<std::size_t>(got));
    }
    ::close(fd);
    return content;
}

std::string xattrsOf(const std::string& path)
{
    std::array<char, 65536> names{};
    const ssize_t size = ::llistxattr(path.c_str(), names.data(), names.size());
    std::map<std::string, std::string> values;
    for (const char* at = names.data(); size > 0 && at < names.data() + size;
         at += std::strlen(at) + 1) {
        std::array<char, 65536> value{};
        const ssize_t length = ::lgetxattr(path.c_str(), at, value.data(), value.size());
        values[at] =
            std::string(value.data(), static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    }
    std::string text;
    for (const auto& [name, value] : values) {
        text += name + '=' + value + ';';
    }
    return text;
}

/// All of a tree, a line an entry, in an order that is the same everywhere.
QStringList describe(const std::string& root)
{
    QStringList lines;
    std::map<ino_t, std::string> firstNames;
    std::set<std::string> paths;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
        paths.insert(entry.path().string());
    }
    for (const std::string& path : paths) {
        struct stat info = {};
        if (::lstat(path.c_str(), &info) != 0) {
            lines << QString::fromStdString(path + " has gone");
            continue;
        }
        const std::string name = path.substr(root.size());
        const bool isFolder = S_ISDIR(info.st_mode);
        const std::string& first = firstNames.emplace(info.st_ino, name).first->second;
        QString line = QStringLiteral("%1 %2 %3:%4 links %5 size %6 rdev %7 same as %8")
                           .arg(QString::fromStdString(name))
                           .arg(info.st_mode, 0, 8)
                           .arg(info.st_uid)
                           .arg(info.st_gid)
                           .arg(isFolder ? 0 : info.st_nlink)
                           .arg(isFolder ? 0 : info.st_size)
                           .arg(info.st_rdev)
                           .arg(QString::fromStdString(first));
        line += QString::fromStdString(" xattrs " + xattrsOf(path));
        if (S_ISREG(info.st_mode)) {
            line += QStringLiteral(" content %1")
                        .arg(qHash(QByteArray::fromStdString(contentOf(path))));
        } else if (S_ISLNK(info.st_mode)) {
            line += QString::fromStdString(" to " + fs::read_symlink(path).string());
        }
        lines << line;
    }
    return lines;
}

/// Makes the same calls on both sides, from one sequence of random numbers.
class Sequence
{
public:
    Sequence(std::string ours, std::string theirs, std::uint64_t seed)
        : m_sides{Side{std::move(ours)}, Side{std::move(theirs)}}
        , m_random(seed)
    {
    }

    ~Sequence()
    {
        for (const auto& [ours, theirs] : m_open) {
            ::close(ours);
            ::close(theirs);
        }
    }

    /// Empty, or what went differently.
    QString step()
    {
        const unsigned kind = below(kKinds);
        const std::string name = anyName();
        const std::string other = anyName();
        const std::uint64_t a = m_random.next();
        const std::uint64_t b = m_random.next();
        const long ours = call(kind, 0, name, other, a, b);
        const long theirs = call(kind, 1, name, other, a, b);
        ++m_steps;
        if (ours == theirs) {
            return {};
        }
        return QStringLiteral("step %1: call %2 %3 %4 %5 %6: %7, expected %8")
            .arg(m_steps)
            .arg(kind)
            .arg(QString::fromStdString(name), QString::fromStdString(other))
            .arg(a % 1000)
            .arg(b % 1000)
            .arg(ours)
            .arg(theirs);
    }

private:
    static constexpr unsigned kKinds = 24;
    static constexpr std::size_t kMaxOpen = 6;

    unsigned below(unsigned limit) { return static_cast<unsigned>(m_random.next() % limit); }

    std::string anyName()
    {
        std::string name;
        for (unsigned depth = below(3); depth > 0; --depth) {
            name += "d" + std::to_string(below(3)) + '/';
        }
        return name + (below(3) == 0 ? "d" : "f") + std::to_string(below(6) % 3);
    }

    static std::string pattern(std::uint64_t seed, std::size_t size)
    {
        std::string text(size, '\0');
        for (std::size_t i = 0; i < size; ++i) {
            text[i] = static_cast<char>('a' + (seed + i * 7 + i / 251) % 26);
        }
        return text;
    }

    int& fd(std::size_t index, unsigned side)
    {
        auto& pair = m_open[index % m_open.size()];
        return side == 0 ? pair.first : pair.second;
    }

    long openNow(unsigned side, const std::string& path, std::uint64_t a, std::uint64_t b)
    {
        static constexpr std::array kFlags = {O_RDWR,
                                              O_RDWR | O_CREAT,
                                              O_RDWR | O_CREAT | O_TRUNC,
                                              O_RDWR | O_CREAT | O_EXCL,
                                              O_RDWR | O_APPEND | O_CREAT,
                                              O_RDWR | O_TMPFILE};
        int flags = kFlags[a % kFlags.size()];
        std::string where = path;
        if ((flags & O_TMPFILE) == O_TMPFILE) {
            where = m_sides[side].root;
        }
        const int opened = ::open(where.c_str(), flags | O_CLOEXEC | O_NOFOLLOW, 0600 | (b & 0177));
        const int error = errno;
        if (side == 0) {
            m_pending = opened;
            errno = error;
            return opened < 0 ? -error : 0;
        }
        if (opened >= 0 && m_pending >= 0) {
            if (m_open.size() == kMaxOpen) {
                ::close(m_open.front().first);
                ::close(m_open.front().second);
                m_open.erase(m_open.begin());
            }
            m_open.emplace_back(m_pending, opened);
        }
        return opened < 0 ? -error : 0;
    }

    long onOpen(unsigned kind, unsigned side, std::uint64_t a, std::uint64_t b)
    {
        if (m_open.empty()) {
            return 0;
        }
        const int file = fd(a >> 32U, side);
        const auto offset = static_cast<off_t>(b % (a % 4 == 0 ? 3'000'000 : 100'000));
        const std::size_t size = a % (a % 5 == 0 ? 400'000 : 9'000);
        switch (kind) {
        case 0: {
            const std::string text = pattern(a, size);
            return outcome(::pwrite(file, text.data(), text.size(), offset));
        }
        case 1: {
            std::string text(size, '\0');
            const long got = outcome(::pread(file, text.data(), text.size(), offset));
            return got < 0
                       ? got
                       : static_cast<long>(qHash(QByteArray::fromStdString(text)) % 100'000) + got;
        }
        case 2:
            return outcome(::ftruncate(file, offset));
        case 3:
            return outcome(::fallocate(file, 0, offset, static_cast<off_t>(size + 1)));
        case 4:
            return outcome(::fallocate(file,
                                       FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                       offset,
                                       static_cast<off_t>(size + 1)));
        case 5: {
            struct stat info = {};
            const long got = outcome(::fstat(file, &info));
            return got < 0 ? got : info.st_size + static_cast<long>(info.st_nlink);
        }
        case 6: {
            off_t from = offset % 50'000;
            off_t to = offset;
            const int target = fd(b >> 32U, side);
            if (target == file) {
                return 0;
            }
            return outcome(::copy_file_range(file, &from, target, &to, size, 0));
        }
        default:
            return outcome(::fsync(file));
        }
    }

    long call(unsigned kind,
              unsigned side,
              const std::string& name,
              const std::string& other,
              std::uint64_t a,
              std::uint64_t b)
    {
        const std::string path = m_sides[side].path(name);
        const std::string second = m_sides[side].path(other);
        const auto mode = static_cast<mode_t>(a % 01000);
        switch (kind) {
        case 0:
        case 1:
            return outcome(::mkdir(path.c_str(), mode | 0700));
        case 2:
            return outcome(::mknod(path.c_str(), S_IFIFO | mode, 0));
        case 3:
            return outcome(::symlink(other.c_str(), path.c_str()));
        case 4:
            return outcome(::link(path.c_str(), second.c_str()));
        case 5:
            return outcome(::unlink(path.c_str()));
        case 6:
            return outcome(::rmdir(path.c_str()));
        case 7:
            return outcome(::rename(path.c_str(), second.c_str()));
        case 8:
            return outcome(::renameat2(AT_FDCWD,
                                       path.c_str(),
                                       AT_FDCWD,
                                       second.c_str(),
                                       a % 2 == 0 ? RENAME_NOREPLACE : RENAME_EXCHANGE));
        case 9:
            return outcome(::chmod(path.c_str(), mode | 0600));
        case 10:
            return outcome(
                ::lchown(path.c_str(), static_cast<uid_t>(a % 3), static_cast<gid_t>(b % 3)));
        case 11: {
            const std::string value = pattern(b, a % 300);
            const std::string attribute = "user.x" + std::to_string(a % 3);
            return outcome(::lsetxattr(path.c_str(),
                                       attribute.c_str(),
                                       value.data(),
                                       value.size(),
                                       static_cast<int>(b % 3)));
        }
        case 12: {
            const std::string attribute = "user.x" + std::to_string(a % 3);
            return outcome(::lremovexattr(path.c_str(), attribute.c_str()));
        }
        case 13:
            return outcome(::truncate(path.c_str(), static_cast<off_t>(a % 200'000)));
        case 14: {
            const std::array<timespec, 2> times = {timespec{static_cast<time_t>(a % 1'000'000), 5},
                                                   timespec{static_cast<time_t>(b % 1'000'000), 7}};
            const long set =
                outcome(::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW));
            struct stat info = {};
            const long got = outcome(::lstat(path.c_str(), &info));
            return set < 0 || got < 0 ? set : info.st_mtim.tv_sec + info.st_mtim.tv_nsec;
        }
        case 15:
        case 16:
            return openNow(side, path, a, b);
        case 17:
            return onOpen(5, side, a, b);
        case 18:
            return onOpen(a % 64 == 0 ? 7 : 1, side, a, b);
        default:
            return onOpen(static_cast<unsigned>((a >> 20U) % 7), side, a, b);
        }
    }

    std::array<Side, 2> m_sides;
    SeededRandom m_random;
    std::vector<std::pair<int, int>> m_open;
    int m_pending = -1;
    std::uint64_t m_steps = 0;
};

QString shell(const std::string& folder, const QString& script, int seconds = 300)
{
    ProcessOptions options;
    options.workingFolder = QString::fromStdString(folder);
    options.timeoutMs = seconds * 1000;
    const ProcessResult result =
        runProcess(QStringLiteral("sh"), {QStringLiteral("-euc"), script}, options);
    return result.succeeded() ? QString() : result.toText();
}
} // namespace

class TestWrittenMount : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void randomCalls();
    void programs();
    void manyFiles();
    void datasets();
    void unusualRequests();
    void pastTheCache();
    void openAtTheEnd();
};

void TestWrittenMount::initTestCase()
{
    if (const QString why = cannotMount(MountMode::System); !why.isEmpty()) {
        QSKIP(qPrintable(why));
    }
    ::umask(022);
}

void TestWrittenMount::randomCalls()
{
    WrittenPool written;
    QVERIFY2(written.error().isEmpty(), written.error());
    const std::string ours = written.root() + "/work";
    QCOMPARE(::mkdir(ours.c_str(), 0755), 0);
    const std::string theirs = written.reference();
    {
        Sequence sequence(ours, theirs, testSeed());
        QElapsedTimer timer;
        timer.start();
        for (int i = 0; i < 6000 && timer.elapsed() < 60'000; ++i) {
            const QString difference = sequence.step();
            QVERIFY2(difference.isEmpty(), qPrintable(difference));
            if (i % 1000 == 999) {
                QCOMPARE(describe(ours), describe(theirs));
            }
        }
    }
    const QStringList entries = describe(ours);
    QCOMPARE(entries, describe(theirs));
    QVERIFY2(entries.size() > 8, qPrintable(entries.join(QLatin1Char('\n'))));
    QCOMPARE(written.judged(), QString());
}

void TestWrittenMount::programs()
{
    WrittenPool written;
    QVERIFY2(written.error().isEmpty(), written.error());
    const std::string root = written.root();
    const auto run = [&root](const char* script) {
        QElapsedTimer timer;
        timer.start();
        const QString failed = shell(root, QString::fromLatin1(script));
        qInfo("%5lld ms: %.40s", timer.elapsed(), script);
        return failed;
    };
    QCOMPARE(run("mkdir src && cd src && for i in 1 2 3 4 5; do mkdir -p d$i/e; "
                 "dd if=/dev/urandom of=d$i/file bs=10k count=$i status=none; "
                 "ln d$i/file d$i/e/hard; ln -s ../file d$i/e/soft; done; "
                 "truncate -s 3M sparse; printf end >> sparse"),
             QString());
    QCOMPARE(run("cp -a src copy && diff -r --no-dereference src copy"), QString());
    QCOMPARE(run("tar -S -cf src.tar src && mkdir out && tar -S -xf src.tar -C out && "
                 "diff -r --no-dereference src out/src"),
             QString());
    QCOMPARE(run("if command -v rsync; then rsync -aHS src/ synced/ && "
                 "diff -r --no-dereference src synced; fi"),
             QString());
    QCOMPARE(run("dd if=/dev/urandom of=big bs=1M count=40 conv=fsync status=none && "
                 "cp big big2 && cmp big big2 && mv big2 big && test ! -e big2"),
             QString());
    // What another process is still writing is copied with its data (DESIGN 8.1).
    QCOMPARE(run("exec 3>growing; printf 'some data' >&3; cp --sparse=always growing g1; "
                 "cmp growing g1; tar -S -cf g.tar growing; "
                 "tar -xOf g.tar growing | cmp - growing"),
             QString());
    QCOMPARE(run("rm -rf copy out synced && test ! -e copy"), QString());
    QCOMPARE(written.judged(), QString());
}

void TestWrittenMount::manyFiles()
{
    constexpr int kFiles = 10'000;
    WrittenPool written;
    QVERIFY2(written.error().isEmpty(), written.error());
    const std::string folder = written.root() + "/many";
    QCOMPARE(::mkdir(folder.c_str(), 0755), 0);
    QElapsedTimer timer;
    timer.start();
    for (int i = 0; i < kFiles; ++i) {
        const int fd = ::open(
            (folder + "/file" + std::to_string(i)).c_str(), O_WRONLY | O_CREAT | O_EXCL, 0644);
        QVERIFY(fd >= 0);
        ::close(fd);
    }
    qInfo("10,000 x create and close: %lld ms", timer.restart());
    QCOMPARE(shell(written.root(), QStringLiteral("test $(ls many | wc -l) = 10000")), QString());
    qInfo("ls: %lld ms", timer.restart());
    QCOMPARE(shell(written.root(),
                   QStringLiteral("dd if=/dev/zero of=blocks bs=1k count=102400 status=none")),
             QString());
    qInfo("100 MiB in blocks of 1 KiB: %lld ms", timer.restart());
    QCOMPARE(shell(written.root(), QStringLiteral("rm -rf many")), QString());
    qInfo("rm -rf: %lld ms", timer.restart());
    QCOMPARE(written.judged(), QString());
}

void TestWrittenMount::datasets()
{
    WrittenPool written({{.name = "tank/a", .properties = {{"quota", "20M"}}},
                         {.name = "tank/b", .properties = {}},
                         {.name = "tank/ro", .properties = {{"readonly", "on"}}}});
    QVERIFY2(written.error().isEmpty(), written.error());
    const std::string root = written.root();
    const auto make = [](const std::string& path) {
        const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT, 0644);
        return fd < 0 ? -errno : ::close(fd);
    };
    QCOMPARE(make(root + "/a/file"), 0);
    QCOMPARE(make(root + "/ro/file"), -EROFS);
    QCOMPARE(make(root + "/.zfs/file"), -EROFS);
    QCOMPARE(outcome(::rename((root + "/a/file").c_str(), (root + "/b/file").c_str())), -EXDEV);
    QCOMPARE(outcome(::link((root + "/a/file").c_str(), (root + "/b/file").c_str())), -EXDEV);
    QCOMPARE(outcome(::rmdir((root + "/a").c_str())), -EBUSY);
    QCOMPARE(outcome(::rename((root + "/a").c_str(), (root + "/c").c_str())), -EBUSY);
    // A quota is met by write() itself, and by its own error.
    const int fd = ::open((root + "/a/full").c_str(), O_WRONLY | O_CREAT, 0644);
    QVERIFY(fd >= 0);
    std::vector<char> noise(1 * MiB);
    SeededRandom random(testSeed());
    long result = 0;
    for (int i = 0; i < 60 && result >= 0; ++i) {
        for (char& byte : noise) {
            byte = static_cast<char>(random.next());
        }
        result = outcome(::write(fd, noise.data(), noise.size()));
    }
    ::close(fd);
    QVERIFY2(result == -EDQUOT || result == -ENOSPC, qPrintable(QString::number(result)));
    QCOMPARE(outcome(::unlink((root + "/a/full").c_str())), 0L);
    QCOMPARE(written.judged(), QString());
}

/// What libfuse does not know of the protocol, or the kernel leaves to us.
void TestWrittenMount::unusualRequests()
{
    WrittenPool written;
    QVERIFY2(written.error().isEmpty(), written.error());
    const std::string root = written.root();
    const auto modeOf = [](const std::string& path) {
        struct stat info = {};
        return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0U;
    };
    { // O_TMPFILE
        const int fd = ::open(root.c_str(), O_RDWR | O_TMPFILE, 0640);
        QVERIFY2(fd >= 0, std::strerror(errno));
        QCOMPARE(::write(fd, "text", 4), ssize_t(4));
        const std::string self = "/proc/self/fd/" + std::to_string(fd);
        const std::string named = root + "/named";
        QCOMPARE(
            outcome(::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, named.c_str(), AT_SYMLINK_FOLLOW)),
            0L);
        ::close(fd);
        QCOMPARE(contentOf(named), std::string("text"));
        QCOMPARE(modeOf(named), 0640U);
    }
    { // setuid and setgid go when somebody else writes
        const std::string path = root + "/program";
        QCOMPARE(::close(::open(path.c_str(), O_WRONLY | O_CREAT, 0777)), 0);
        const auto asNobody = [&](const char* script) {
            ProcessOptions options;
            options.userId = 65534;
            return runProcess(QStringLiteral("sh"),
                              {QStringLiteral("-ec"),
                               QString::fromLatin1(script),
                               QStringLiteral("sh"),
                               QString::fromStdString(path)},
                              options);
        };
        for (const char* script : {"printf x >> \"$1\"", "truncate -s 1 \"$1\"", ": > \"$1\""}) {
            QCOMPARE(::chmod(path.c_str(), 06777), 0);
            QCOMPARE(modeOf(path), 06777U);
            const ProcessResult result = asNobody(script);
            QVERIFY2(result.succeeded(), qPrintable(result.toText()));
            QCOMPARE(modeOf(path), 0777U);
        }
        QCOMPARE(::chmod(path.c_str(), 06777), 0);
        QCOMPARE(shell(root, QStringLiteral("printf y >> program")), QString()); // root keeps them
        QCOMPARE(modeOf(path), 06777U);
    }
    { // far away
        const std::string path = root + "/far";
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
        constexpr off_t kFar = (off_t{1} << 41U) + 5;
        QCOMPARE(::pwrite(fd, "end", 3, kFar), ssize_t(3));
        QCOMPARE(::lseek(fd, 0, SEEK_DATA), kFar / 131072 * 131072);
        struct stat info = {};
        QCOMPARE(::fstat(fd, &info), 0);
        QVERIFY(info.st_size == kFar + 3 && info.st_blocks > 0 && info.st_blocks < 100'000);
        ::close(fd);
    }
    QCOMPARE(shell(root,
                   QStringLiteral("if command -v setfacl; then mkdir acl; "
                                  "setfacl -m u:7:rwx,d:u:8:rwx,d:g::r acl; umask 077; "
                                  "touch acl/file; getfacl -nc acl/file | grep -q user:8:rwx; "
                                  "getfacl -nc acl | grep -q user:7:rwx; fi")),
             QString());
    QCOMPARE(written.judged(), QString());
}

/// sync=always, and little room: nothing stays in the kernel.
void TestWrittenMount::pastTheCache()
{
    WrittenPool written({{.name = "tank/always", .properties = {{"sync", "always"}}},
                         {.name = "tank/small", .properties = {{"refquota", "100M"}}}});
    QVERIFY2(written.error().isEmpty(), written.error());
    for (const char* dataset : {"/always", "/small"}) {
        const std::string path = written.root() + dataset + "/file";
        const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
        QVERIFY(fd >= 0);
        const std::string text(5000, 'q');
        QCOMPARE(::pwrite(fd, text.data(), text.size(), 3), ssize_t(5000));
        auto* mapped =
            static_cast<char*>(::mmap(nullptr, 5003, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
        QVERIFY2(mapped != MAP_FAILED, std::strerror(errno));
        QCOMPARE(mapped[4], 'q');
        mapped[0] = 'm';
        QCOMPARE(::msync(mapped, 5003, MS_SYNC), 0);
        ::munmap(mapped, 5003);
        char first = 0;
        QCOMPARE(::pread(fd, &first, 1, 0), ssize_t(1));
        QCOMPARE(first, 'm');
        ::close(fd);
    }
    QCOMPARE(written.judged(), QString());
}

/// A file without a name is still open when the mount ends.
void TestWrittenMount::openAtTheEnd()
{
    WrittenPool written;
    QVERIFY2(written.error().isEmpty(), written.error());
    const std::string path = written.root() + "/file";
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT, 0600);
    QVERIFY(fd >= 0);
    const std::vector<char> text(3 * MiB, 't');
    QCOMPARE(::write(fd, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    QCOMPARE(::unlink(path.c_str()), 0);
    struct stat info = {};
    QCOMPARE(::fstat(fd, &info), 0);
    QCOMPARE(info.st_nlink, nlink_t(0));
    QCOMPARE(info.st_size, static_cast<off_t>(text.size()));
    char byte = 0;
    QCOMPARE(::pread(fd, &byte, 1, 1 * MiB), ssize_t(1));
    QCOMPARE(byte, 't');
    const QString judged = written.judged(true);
    ::close(fd);
    QCOMPARE(judged, QString());
}

QTEST_GUILESS_MAIN(TestWrittenMount)
#include "tst_written_mount.moc"
