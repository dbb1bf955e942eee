// SPDX-License-Identifier: GPL-3.0-or-later
//
// Property: an object set that is changed reads as a plain model in memory at any time, and what
// its sync writes reads, as an immutable object set, as the model was at the end of that txg; the
// blocks born and not killed are just those that the root leads to; counts and sizes on the way
// are right. Method: random operations on few objects, several txgs unsynced at a time; then
// threads that write, read and sync at the same time.

#include "engine/object/memory_pool.h"
#include "object/zap.h"
#include "object/zap_writer.h"
#include "runtime/simulation.h"
#include "runtime/thread_pool.h"
#include "support/mp_ok.h"
#include "support/seed.h"

#include <QTest>

#include <atomic>
#include <fmt/format.h>
#include <thread>

using namespace millpond;
using namespace millpond::object;
using namespace millpond::test;
using format::BlockPointer;

namespace {

constexpr std::uint8_t kFile = format::number(format::ObjectType::PlainFile);
constexpr std::uint8_t kAttributes = format::number(format::ObjectType::SystemAttributes);

struct ModelObject
{
    std::vector<std::byte> content; ///< zeroes behind
    std::vector<std::byte> bonus;
    std::vector<std::byte> spill;
    std::uint8_t slots = 1;
};

using Model = std::map<std::uint64_t, ModelObject>;

std::vector<std::byte> randomBytes(Random& random, std::size_t size)
{
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) {
        byte = std::byte(static_cast<std::uint8_t>(random.next() | 1U));
    }
    return bytes;
}

/// Compares one object with its model through any kind of object set.
std::string compare(ObjectSet& set, std::uint64_t id, const ModelObject& model)
{
    const Result<DnodeRef> dnode = set.dnode(ObjectId(id));
    if (!dnode) {
        return dnode.error().toText();
    }
    if ((*dnode)->bonus != model.bonus || (*dnode)->slots != model.slots) {
        return fmt::format("object {}: bonus or slots differ", id);
    }
    std::vector<std::byte> content(model.content.size() + 3000);
    const Status read = set.read(**dnode, ByteOffset(0), content);
    if (!read) {
        return read.error().toText();
    }
    std::vector<std::byte> expected = model.content;
    expected.resize(content.size());
    if (content != expected) {
        const auto at = std::ranges::mismatch(content, expected).in1 - content.begin();
        return fmt::format("object {}: content differs at {}", id, at);
    }
    const Result<ObjectSet::Block> spill = set.readSpill(**dnode);
    if (!spill) {
        return spill.error().toText();
    }
    std::vector<std::byte> spilled;
    if (spill->data != nullptr) {
        spilled.assign(spill->data->bytes().begin(), spill->data->bytes().end());
    }
    if (spilled != model.spill) {
        return fmt::format("object {}: spill differs", id);
    }
    // Data and holes: all data lie in data, and what is called a hole is zero.
    std::uint64_t at = 0;
    while (at < content.size()) {
        const auto data = set.nextData(**dnode, ByteOffset(at));
        if (!data) {
            return data.error().toText();
        }
        const std::uint64_t from = *data ? (*data)->value() : content.size();
        for (std::uint64_t i = at; i < std::min<std::uint64_t>(from, content.size()); ++i) {
            if (content[i] != std::byte{0}) {
                return fmt::format("object {}: data at {} in a hole {}..{}", id, i, at, from);
            }
        }
        if (!*data) {
            break;
        }
        const auto hole = set.nextHole(**dnode, **data);
        if (!hole) {
            return hole.error().toText();
        }
        if (hole->value() <= from) {
            return fmt::format("object {}: no data at {}", id, from);
        }
        at = hole->value();
    }
    return {};
}

std::string compareAll(ObjectSet& set, const Model& model)
{
    std::uint64_t after = 0;
    for (const auto& [id, object] : model) {
        const auto next = set.nextObject(ObjectId(after));
        if (!next) {
            return next.error().toText();
        }
        if (!*next || (*next)->value() != id) {
            return fmt::format(
                "after object {} comes {} and not {}", after, *next ? (*next)->value() : 0, id);
        }
        after = id;
        if (std::string problem = compare(set, id, object); !problem.empty()) {
            return problem;
        }
    }
    const auto next = set.nextObject(ObjectId(after));
    return next && !*next ? "" : "an object too many";
}

/// Everything a root leads to.
class Walk
{
public:
    Walk(MemoryPool& pool, ObjectSet& set)
        : m_pool(pool)
        , m_set(set)
    {
    }

    std::string run(const BlockPointer& root)
    {
        note(root);
        const DnodeRef meta = m_set.metaDnode();
        std::uint64_t dnodes = 0;
        tree(*meta, dnodes);
        std::uint64_t objects = 0;
        ObjectId at(0);
        for (;;) {
            const auto next = m_set.nextObject(at);
            if (!next || !*next) {
                break;
            }
            at = **next;
            ++objects;
            const Result<DnodeRef> dnode = m_set.dnode(at);
            if (!dnode) {
                return dnode.error().toText();
            }
            object(**dnode);
        }
        for (const DnodeRef& special :
             {m_set.userUsedDnode(), m_set.groupUsedDnode(), m_set.projectUsedDnode()}) {
            if (special != nullptr) {
                object(*special);
            }
        }
        if (objects != dnodes || root.fill() != objects) {
            m_problem = fmt::format(
                "{} objects, counted {}, the root says {}", objects, dnodes, root.fill());
        }
        if (m_problem.empty() && m_found != m_pool.inUse()) {
            m_problem =
                fmt::format("{} blocks reached, {} in use", m_found.size(), m_pool.inUse().size());
        }
        return m_problem;
    }

private:
    void note(const BlockPointer& pointer)
    {
        if (!pointer.isHole() && !m_found.insert(MemoryPool::addressOf(pointer)).second) {
            m_problem = "reached twice: " + pointer.toText();
        }
    }

    void object(const Dnode& dnode)
    {
        std::uint64_t blocks = 0;
        std::uint64_t bytes = tree(dnode, blocks);
        if (dnode.spill) {
            note(*dnode.spill);
            bytes += dnode.spill->isHole() ? 0 : dnode.spill->physicalSize().value();
        }
        if (bytes != dnode.usedBytes) {
            m_problem = fmt::format(
                "object {} uses {} bytes, says {}", dnode.id.value(), bytes, dnode.usedBytes);
        }
    }

    std::uint64_t tree(const Dnode& dnode, std::uint64_t& fill)
    {
        std::uint64_t bytes = 0;
        for (const BlockPointer& pointer : dnode.pointers) {
            bytes += below(dnode, pointer, dnode.levels - 1U);
            fill += pointer.isHole() ? 0 : pointer.fill();
        }
        return bytes;
    }

    std::uint64_t below(const Dnode& dnode, const BlockPointer& pointer, unsigned level)
    {
        if (pointer.isHole()) {
            return 0;
        }
        note(pointer);
        std::uint64_t bytes = pointer.physicalSize().value();
        if (pointer.level().value() != level || pointer.type() != dnode.type) {
            m_problem = "out of place: " + pointer.toText();
            return bytes;
        }
        if (level == 0) {
            return bytes;
        }
        const Result<BufferRef> data = m_pool.read(pointer, {}, {});
        if (!data) {
            m_problem = data.error().toText();
            return bytes;
        }
        std::uint64_t fill = 0;
        for (std::size_t at = 0; at < (*data)->size(); at += BlockPointer::kBytes) {
            const BlockPointer child = BlockPointer::at((*data)->bytes(), at, ByteOrder::Little);
            bytes += below(dnode, child, level - 1); // NOLINT(misc-no-recursion): a few levels
            fill += child.isHole() ? 0 : child.fill();
            if (!child.isHole() && child.birth() > pointer.birth()) {
                m_problem = "younger than its parent: " + child.toText();
            }
        }
        if (fill != pointer.fill()) {
            m_problem = fmt::format("counts {} blocks, not {}", pointer.fill(), fill);
        }
        return bytes;
    }

    MemoryPool& m_pool;
    ObjectSet& m_set;
    std::set<std::uint64_t> m_found;
    std::string m_problem;
};

class Meter final : public DirtyMeter
{
public:
    void dirtied(Txg, ByteCount bytes) override
    {
        m_dirty += static_cast<std::int64_t>(bytes.value());
    }

    void cleaned(Txg, ByteCount bytes) override
    {
        m_dirty -= static_cast<std::int64_t>(bytes.value());
    }

    [[nodiscard]] std::int64_t dirty() const { return m_dirty; }

private:
    std::atomic<std::int64_t> m_dirty{0};
};

/// Random operations; the model follows.
class Tester
{
public:
    explicit Tester(std::uint64_t seed, format::ObjsetType type)
        : m_random(seed)
        , m_executor(seed)
    {
        LiveOptions options;
        options.indirectShift = 10; // eight pointers in an indirect block
        options.meter = &m_meter;
        options.cleanObjects = 3;
        m_set = *LiveObjectSet::create(m_pool, ObjsetId(5), {.type = type}, m_open, options);
    }

    std::string step()
    {
        switch (below(16)) {
        case 0:
            return m_model.size() < 12 ? allocate() : std::string();
        case 1:
            return below(8) == 0 ? freeOne() : std::string();
        case 2:
            return freeRange();
        case 3:
            return setBonus();
        case 4:
            return setSpill();
        case 5:
            return modify();
        case 6:
            return below(4) == 0 ? quiesce() : std::string();
        case 7:
            return below(4) == 0 ? syncOldest() : std::string();
        case 8:
        case 9:
            return lookAt();
        case 10:
            return resize();
        default:
            return write();
        }
    }

    std::string finish()
    {
        std::string problem = compareAll(*m_set, m_model);
        while (problem.empty() && m_synced < m_open.value()) {
            problem = quiesce();
        }
        if (problem.empty()) {
            problem = syncOldest();
        }
        if (problem.empty() && (m_meter.dirty() != 0 && m_quiesced.empty())) {
            problem = fmt::format("{} bytes dirty in the end", m_meter.dirty());
        }
        return problem;
    }

    [[nodiscard]] std::size_t syncs() const { return m_syncs; }

private:
    std::uint64_t below(std::uint64_t limit) { return m_random.next() % limit; }

    static std::string text(const Status& status)
    {
        return status ? std::string() : status.error().toText();
    }

    std::uint64_t pick()
    {
        auto at = m_model.begin();
        std::advance(at, static_cast<std::ptrdiff_t>(below(m_model.size())));
        return at->first;
    }

    std::string allocate()
    {
        ModelObject model;
        model.slots = static_cast<std::uint8_t>(below(3) == 0 ? 1 + below(4) : 1);
        model.bonus = randomBytes(m_random, below(100));
        const ObjectSpec spec{.type = kFile,
                              .bonusType = below(2) == 0 ? kAttributes : kFile,
                              .bonus = model.bonus,
                              .dataBlockBytes = static_cast<std::uint32_t>(512 << below(3)),
                              .slots = model.slots};
        std::uint64_t id = 0;
        if (below(4) == 0) {
            id = 1 + below(500);
            const Status claimed = m_set->claimObject(m_open, ObjectId(id), spec);
            if (!claimed) {
                const bool refused = claimed.error().is(ErrorCode::AlreadyExists) ||
                                     claimed.error().is(ErrorCode::InvalidArgument);
                return refused ? std::string() : claimed.error().toText();
            }
        } else {
            const Result<ObjectId> made = m_set->allocateObject(m_open, spec);
            if (!made) {
                return made.error().toText();
            }
            id = made->value();
        }
        for (const auto& [other, object] : m_model) {
            if (id < other + object.slots && other < id + model.slots) {
                return fmt::format("number {} given out, {} has it", id, other);
            }
        }
        m_model[id] = std::move(model);
        return {};
    }

    std::string freeOne()
    {
        if (m_model.empty()) {
            return {};
        }
        const std::uint64_t id = pick();
        m_model.erase(id);
        return text(m_set->freeObject(m_open, ObjectId(id)));
    }

    std::string write()
    {
        if (m_model.empty()) {
            return {};
        }
        const std::uint64_t id = pick();
        ModelObject& model = m_model[id];
        const std::uint64_t offset = below(below(3) == 0 ? 200'000 : 4000);
        const std::vector<std::byte> data = randomBytes(m_random, 1 + below(3000));
        const Status status = m_set->write(m_open, ObjectId(id), ByteOffset(offset), data);
        if (!status && status.error().is(ErrorCode::InvalidArgument)) {
            return {}; // its only block has an odd size
        }
        put(model, offset, data);
        return text(status);
    }

    static void put(ModelObject& model, std::uint64_t offset, const std::vector<std::byte>& data)
    {
        model.content.resize(std::max<std::size_t>(model.content.size(), offset + data.size()));
        std::ranges::copy(data, model.content.begin() + static_cast<std::ptrdiff_t>(offset));
    }

    std::string modify()
    {
        if (m_model.empty()) {
            return {};
        }
        const std::uint64_t id = pick();
        const std::uint64_t block = below(40);
        const auto stamp = std::byte(static_cast<std::uint8_t>(m_random.next()));
        std::uint64_t size = 0;
        const Status status = m_set->modifyBlock(
            m_open, ObjectId(id), BlockIndex(block), [&](MutableBytes bytes, ByteOrder&) -> Status {
                bytes[7] = stamp;
                size = bytes.size();
                return {};
            });
        if (!status) {
            return status.error().is(ErrorCode::InvalidArgument) ? "" : status.error().toText();
        }
        put(m_model[id], block * size + 7, {stamp});
        return {};
    }

    std::string freeRange()
    {
        if (m_model.empty()) {
            return {};
        }
        const std::uint64_t id = pick();
        ModelObject& model = m_model[id];
        const std::uint64_t offset = below(below(4) == 0 ? 1 : 60'000);
        const bool toEnd = below(3) == 0;
        const std::uint64_t size = 1 + below(60'000);
        if (offset < model.content.size()) {
            const std::uint64_t end =
                toEnd ? model.content.size()
                      : std::min<std::uint64_t>(model.content.size(), offset + size);
            std::fill(model.content.begin() + static_cast<std::ptrdiff_t>(offset),
                      model.content.begin() + static_cast<std::ptrdiff_t>(end),
                      std::byte{0});
        }
        return text(m_set->freeRange(m_open,
                                     ObjectId(id),
                                     ByteOffset(offset),
                                     toEnd ? LiveObjectSet::kToEnd : ByteCount(size)));
    }

    std::string setBonus()
    {
        if (m_model.empty()) {
            return {};
        }
        const std::uint64_t id = pick();
        const std::vector<std::byte> bonus = randomBytes(m_random, below(190));
        const Status status = m_set->setBonus(m_open, ObjectId(id), kAttributes, bonus);
        if (!status) {
            return status.error().is(ErrorCode::InvalidArgument) ? "" : status.error().toText();
        }
        m_model[id].bonus = bonus;
        return {};
    }

    std::string setSpill()
    {
        if (m_model.empty()) {
            return {};
        }
        const std::uint64_t id = pick();
        if (below(3) == 0) {
            m_model[id].spill.clear();
            return text(m_set->removeSpill(m_open, ObjectId(id)));
        }
        const std::vector<std::byte> spill = randomBytes(m_random, 512 * (1 + below(4)));
        const Status status = m_set->setSpill(m_open, ObjectId(id), spill);
        if (!status) {
            return status.error().is(ErrorCode::InvalidArgument) ? "" : status.error().toText();
        }
        m_model[id].spill = spill;
        return {};
    }

    std::string resize()
    {
        if (m_model.empty()) {
            return {};
        }
        const std::uint64_t id = pick();
        const Result<DnodeRef> dnode = m_set->dnode(ObjectId(id));
        if (!dnode) {
            return dnode.error().toText();
        }
        const std::uint32_t bytes =
            recommendedBlockSize(**dnode, (*dnode)->dataBlockBytes + below(3000), 4096);
        if (bytes < (*dnode)->dataBlockBytes || (*dnode)->maxBlockId != 0) {
            return {};
        }
        return text(m_set->setBlockSize(m_open, ObjectId(id), bytes));
    }

    std::string lookAt()
    {
        if (m_model.empty()) {
            return {};
        }
        const std::uint64_t id = pick();
        return compare(*m_set, id, m_model[id]);
    }

    std::string quiesce()
    {
        if (m_quiesced.size() == 2) {
            if (std::string problem = syncOldest(); !problem.empty()) {
                return problem;
            }
        }
        m_quiesced[m_open.value()] = m_model;
        m_open = Txg(m_open.value() + 1);
        return {};
    }

    std::string syncOldest()
    {
        if (m_quiesced.empty()) {
            return {};
        }
        const auto [txg, model] = *m_quiesced.begin();
        m_quiesced.erase(m_quiesced.begin());
        m_synced = txg;
        SyncContext context{m_pool, m_executor, m_pool, Txg(txg), 1, {}};
        const Result<BlockPointer> root = m_set->sync(context);
        if (!root) {
            return root.error().toText();
        }
        ++m_syncs;
        if (!m_pool.complaints().empty()) {
            return m_pool.complaints().front();
        }
        Result<std::shared_ptr<ObjectSet>> frozen = ObjectSet::open(m_pool, *root, ObjsetId(5));
        if (!frozen) {
            return frozen.error().toText();
        }
        if (std::string problem = compareAll(**frozen, model); !problem.empty()) {
            return fmt::format("txg {}: {}", txg, problem);
        }
        return Walk(m_pool, **frozen).run(*root);
    }

    SeededRandom m_random;
    runtime::SeededExecutor m_executor;
    MemoryPool m_pool;
    Meter m_meter;
    std::shared_ptr<LiveObjectSet> m_set;
    Txg m_open{10};
    std::uint64_t m_synced = 0;
    std::size_t m_syncs = 0;
    Model m_model;
    std::map<std::uint64_t, Model> m_quiesced;
};

} // namespace

class TestLiveObjectSet : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsAsTheModel_data();
    void readsAsTheModel();
    void severalPasses();
    void numbersAreUsedAgain();
    void olderTxgIsRefused();
    void loansStayAsTheyAre();
    void searchesOverFarHoles();
    void threads();
};

void TestLiveObjectSet::readsAsTheModel_data()
{
    QTest::addColumn<bool>("mos");
    QTest::addColumn<int>("round");
    for (int round = 0; round < 2; ++round) {
        QTest::addRow("file system %d", round) << false << round;
        QTest::addRow("pool %d", round) << true << round;
    }
}

void TestLiveObjectSet::readsAsTheModel()
{
    QFETCH(bool, mos);
    QFETCH(int, round);
    Tester tester(0x5eed0000U + static_cast<std::uint64_t>(round),
                  mos ? format::ObjsetType::Meta : format::ObjsetType::Filesystem);
    for (int i = 0; i < 1500; ++i) {
        const std::string problem = tester.step();
        QVERIFY2(problem.empty(), fmt::format("step {}: {}", i, problem).c_str());
    }
    QVERIFY(tester.syncs() > 10);
}

/// A second pass of a txg writes in place and loses nothing.
void TestLiveObjectSet::severalPasses()
{
    MemoryPool pool;
    runtime::SeededExecutor executor(1);
    const auto set =
        *LiveObjectSet::create(pool, ObjsetId(0), {.type = format::ObjsetType::Meta}, Txg(4));
    const Result<ObjectId> object = set->allocateObject(Txg(4), {.type = kFile});
    MP_OK(object);
    BlockPointer root;
    for (unsigned pass = 1; pass <= 5; ++pass) {
        const std::vector<std::byte> data(700, std::byte(pass));
        MP_OK(set->setBlockSize(Txg(4), *object, 1024));
        MP_OK(set->write(Txg(4), *object, ByteOffset(0), data));
        SyncContext context{pool, executor, pool, Txg(4), pass, WriteSettings::forMos()};
        const Result<BlockPointer> made = set->sync(context);
        MP_OK(made);
        root = *made;
        const auto frozen = ObjectSet::open(pool, root, ObjsetId(0));
        MP_OK(frozen);
        QCOMPARE(QString::fromStdString(compare(**frozen, object->value(), {data, {}, {}})),
                 QString());
        QCOMPARE(QString::fromStdString(Walk(pool, **frozen).run(root)), QString());
        QVERIFY(!set->isDirty(Txg(4)));
    }
    QVERIFY(pool.rewritten() > 0);
    QVERIFY(pool.complaints().empty());
}

void TestLiveObjectSet::numbersAreUsedAgain()
{
    MemoryPool pool;
    runtime::SeededExecutor executor(1);
    const auto set = *LiveObjectSet::create(pool, ObjsetId(7), {}, Txg(4));
    std::set<std::uint64_t> numbers;
    for (int i = 0; i < 100; ++i) {
        const Result<ObjectId> object = set->allocateObject(Txg(4), {.type = kFile});
        MP_OK(object);
        QVERIFY(numbers.insert(object->value()).second);
    }
    QCOMPARE(*numbers.begin(), 1U);
    QCOMPARE(*numbers.rbegin(), 100U);
    SyncContext first{pool, executor, pool, Txg(4), 1, {}};
    MP_OK(set->sync(first));
    MP_OK(set->freeObject(Txg(5), ObjectId(17)));
    const Result<ObjectId> notYet = set->allocateObject(Txg(5), {.type = kFile});
    MP_OK(notYet);
    QCOMPARE(notYet->value(), 101U);
    SyncContext second{pool, executor, pool, Txg(5), 1, {}};
    MP_OK(set->sync(second));
    bool again = false;
    for (int i = 0; i < 60 && !again; ++i) {
        const Result<ObjectId> object = set->allocateObject(Txg(6), {.type = kFile});
        MP_OK(object);
        again = object->value() == 17;
    }
    QVERIFY(again);
}

void TestLiveObjectSet::olderTxgIsRefused()
{
    MemoryPool pool;
    const auto set = *LiveObjectSet::create(pool, ObjsetId(7), {}, Txg(4));
    const ObjectId object = *set->allocateObject(Txg(4), {.type = kFile});
    const std::vector<std::byte> data(10, std::byte{1});
    MP_OK(set->write(Txg(5), object, ByteOffset(0), data));
    const Status refused = set->write(Txg(4), object, ByteOffset(0), data);
    QVERIFY(!refused);
    QVERIFY(refused.error().is(ErrorCode::InvalidArgument));
}

void TestLiveObjectSet::loansStayAsTheyAre()
{
    MemoryPool pool;
    const auto set = *LiveObjectSet::create(pool, ObjsetId(7), {}, Txg(4));
    const ObjectId object = *set->allocateObject(Txg(4), {.type = kFile});
    const std::vector<std::byte> ones(10, std::byte{1});
    const std::vector<std::byte> twos(10, std::byte{2});
    MP_OK(set->write(Txg(4), object, ByteOffset(0), ones));
    const DnodeRef dnode = *set->dnode(object);
    const ObjectSet::Block loan = *set->readBlock(*dnode, BlockIndex(0));
    MP_OK(set->write(Txg(4), object, ByteOffset(0), twos));
    QVERIFY(loan.data->bytes()[0] == std::byte{1});
    QVERIFY((*set->readBlock(*dnode, BlockIndex(0))).data->bytes()[0] == std::byte{2});
}

/// A search steps over what is no data in one step, in memory and on disk.
void TestLiveObjectSet::searchesOverFarHoles()
{
    MemoryPool pool;
    runtime::SeededExecutor executor(1);
    const auto set = *LiveObjectSet::create(pool, ObjsetId(7), {}, Txg(4));
    const ObjectId object = *set->allocateObject(Txg(4), {.type = kFile});
    constexpr ByteOffset kFar{std::uint64_t{1} << 60U};
    const auto search = [&] {
        const DnodeRef dnode = *set->dnode(object);
        const auto data = set->nextData(*dnode, ByteOffset(1024));
        const auto hole = set->nextHole(*dnode, kFar);
        return data && *data == kFar && hole && *hole == ByteOffset(kFar.value() + 512);
    };
    MP_OK(set->write(Txg(4), object, ByteOffset(0), std::vector(512, std::byte{1})));
    MP_OK(set->write(Txg(4), object, kFar, std::vector(512, std::byte{1})));
    QVERIFY(search());
    SyncContext context{pool, executor, pool, Txg(4), 1, {}};
    MP_OK(set->sync(context));
    QVERIFY(search());
    MP_OK(set->write(Txg(5), object, ByteOffset(kFar.value() * 2), std::vector(512, std::byte{1})));
    MP_OK(set->freeRange(Txg(5), object, ByteOffset(1024), ByteCount(1 * GiB)));
    QVERIFY(search());
    MP_OK(set->freeRange(Txg(5), object, kFar, LiveObjectSet::kToEnd));
    const DnodeRef dnode = *set->dnode(object);
    QVERIFY(!*set->nextData(*dnode, ByteOffset(512)));
}

/// Four writers with an object each and two readers, while txgs sync: every block is all of one
/// stamp, and never an older one than was seen before.
void TestLiveObjectSet::threads()
{
    constexpr std::uint64_t kBlocks = 64;
    constexpr std::size_t kWriters = 4;
    constexpr std::size_t kBlockBytes = 1024;
    MemoryPool pool;
    const std::unique_ptr<runtime::ThreadPool> threadPool =
        *runtime::ThreadPool::create({.threads = 2});
    runtime::ThreadPool& executor = *threadPool;
    LiveOptions options;
    options.indirectShift = 10;
    options.cleanObjects = 2;
    const auto set = *LiveObjectSet::create(pool, ObjsetId(7), {}, Txg(4), options);
    std::vector<ObjectId> objects;
    for (std::size_t i = 0; i < kWriters; ++i) {
        objects.push_back(
            *set->allocateObject(Txg(4), {.type = kFile, .dataBlockBytes = kBlockBytes}));
    }
    SharedMutex holds; // shared: a hold of the open txg
    std::atomic<std::uint64_t> open{4};
    std::atomic<bool> closing{false}; // nobody new: shared locks would keep the exclusive one out
    std::atomic<bool> stop{false};
    std::atomic<int> problems{0};
    std::vector<std::thread> threads;
    for (std::size_t w = 0; w < kWriters; ++w) {
        threads.emplace_back([&, w] {
            SeededRandom random(w + 1);
            for (std::uint8_t stamp = 1; !stop; ++stamp) {
                while (closing) {
                    std::this_thread::yield();
                }
                const SharedLock hold(holds);
                const Txg txg(open.load());
                const std::uint64_t block = random.next() % kBlocks;
                if (random.next() % 16 == 0) {
                    problems += set->freeRange(txg,
                                               objects[w],
                                               ByteOffset(block * kBlockBytes),
                                               ByteCount(4 * kBlockBytes))
                                    ? 0
                                    : 1;
                    continue;
                }
                const std::vector<std::byte> data(kBlockBytes, std::byte(stamp));
                problems +=
                    set->write(txg, objects[w], ByteOffset(block * kBlockBytes), data) ? 0 : 1;
                if (random.next() % 8 == 0) {
                    const Result<ObjectId> made = set->allocateObject(txg, {.type = kFile});
                    problems += made && set->freeObject(txg, *made) ? 0 : 1;
                }
            }
        });
    }
    for (std::size_t r = 0; r < 2; ++r) {
        threads.emplace_back([&, r] {
            SeededRandom random(r + 100);
            std::vector<std::byte> data(kBlockBytes);
            while (!stop) {
                const ObjectId object = objects[random.next() % kWriters];
                const Result<DnodeRef> dnode = set->dnode(object);
                const Status read =
                    dnode ? set->read(
                                **dnode, ByteOffset(random.next() % kBlocks * kBlockBytes), data)
                          : Status(std::unexpected(dnode.error()));
                const bool whole =
                    std::ranges::all_of(data, [&](std::byte byte) { return byte == data.front(); });
                problems += read && whole ? 0 : 1;
                if (random.next() % 16 != 0) {
                    continue;
                }
                // Overtaken by syncs, a search begins again.
                const ByteOffset from(random.next() % kBlocks * kBlockBytes);
                problems += dnode && set->nextData(**dnode, from) ? 0 : 1;
                problems += dnode && set->nextHole(**dnode, from) ? 0 : 1;
            }
        });
    }
    BlockPointer root;
    for (int i = 0; i < 30 && problems == 0; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        {
            closing = true;
            const ExclusiveLock quiesce(holds);
            ++open;
            closing = false;
        }
        SyncContext context{pool, executor, pool, Txg(open - 1), 1, {}};
        const Result<BlockPointer> made = set->sync(context);
        problems += made ? 0 : 1;
        root = made ? *made : root;
    }
    stop = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    SyncContext context{pool, executor, pool, Txg(open.load()), 1, {}};
    const Result<BlockPointer> last = set->sync(context);
    MP_OK(last);
    QCOMPARE(problems.load(), 0);
    QVERIFY2(pool.complaints().empty(),
             pool.complaints().empty() ? "" : pool.complaints()[0].c_str());
    const auto frozen = ObjectSet::open(pool, *last, ObjsetId(7));
    MP_OK(frozen);
    QCOMPARE(QString::fromStdString(Walk(pool, **frozen).run(*last)), QString());
}

QTEST_GUILESS_MAIN(TestLiveObjectSet)
#include "tst_live_object_set.moc"
