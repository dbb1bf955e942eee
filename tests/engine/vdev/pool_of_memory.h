// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/clock.h"
#include "device/fault_devices.h"
#include "device/memory_device.h"
#include "format/label.h"
#include "vdev/detail/same_bytes.h"
#include "vdev/vdev.h"

#include <QTest>

#include <algorithm>
#include <array>

// One top-level vdev on memory devices, and a slow writer that knows raidz only by its picture:
// sectors in a row, parity first.

namespace millpond::test {

inline std::vector<std::byte> randomBytes(std::uint64_t seed, std::size_t size)
{
    SeededRandom random(seed);
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(random.next());
    }
    return bytes;
}

/// In the field of 256 elements that raidz uses (polynomial 0x11d).
inline std::uint8_t timesTwo(std::uint8_t x)
{
    return static_cast<std::uint8_t>((x << 1) ^ ((x & 0x80) != 0 ? 0x1d : 0));
}

inline format::NvList vdevConfig(std::string_view type, std::uint64_t id, std::uint64_t guid)
{
    format::NvList config;
    config.setText("type", type);
    config.setU64("id", id);
    config.setU64("guid", guid);
    return config;
}

inline void setChildren(format::NvList& config, std::vector<format::NvList> children)
{
    config.set("children", format::NvValue::lists(std::move(children)));
}

inline format::NvList rootOf(std::vector<format::NvList> tops)
{
    format::NvList root = vdevConfig("root", 0, 1);
    setChildren(root, std::move(tops));
    return root;
}

/// Leaves are numbered from 0; leaf n has the guid 100 + n.
class MemoryPool
{
public:
    static constexpr std::uint64_t kDeviceBytes = 64 * MiB;

    /// The configuration of the next leaf.
    format::NvList addLeaf()
    {
        const std::uint64_t number = m_memory.size();
        const std::string path = "/dev/mem" + std::to_string(number);
        m_memory.push_back(std::make_shared<device::MemoryDevice>(
            device::MemoryDevice::Options{.path = path, .size = ByteCount(kDeviceBytes)}));
        m_faulty.push_back(std::make_shared<device::FaultyDevice>(m_memory.back()));
        m_present.push_back(true);
        format::NvList leaf = vdevConfig("disk", number, 100 + number);
        leaf.setText("path", path);
        return leaf;
    }

    [[nodiscard]] static VdevGuid guid(std::size_t leaf) { return VdevGuid(100 + leaf); }

    /// Raidz over `width` leaves.
    static format::NvList
    raidz(std::vector<format::NvList> children, std::uint64_t parity, std::uint64_t ashift)
    {
        format::NvList config = vdevConfig("raidz", 0, 10);
        config.setU64("nparity", parity);
        const std::uint64_t width = children.size();
        finishTop(config, ashift, width * (kDeviceBytes - 4608 * KiB));
        setChildren(config, std::move(children));
        return config;
    }

    /// A top-level vdev over new leaves: raidz with parity, else a mirror, else a single leaf.
    format::NvList addTop(std::size_t width, std::uint64_t parity, std::uint64_t ashift)
    {
        std::vector<format::NvList> leaves;
        for (std::size_t i = 0; i < width; ++i) {
            leaves.push_back(addLeaf());
        }
        if (parity > 0) {
            return raidz(std::move(leaves), parity, ashift);
        }
        format::NvList config = width > 1 ? vdevConfig("mirror", 0, 10) : std::move(leaves[0]);
        if (width > 1) {
            setChildren(config, std::move(leaves));
        }
        finishTop(config, ashift, kDeviceBytes - 4608 * KiB);
        return config;
    }

    static void finishTop(format::NvList& config, std::uint64_t ashift, std::uint64_t asize)
    {
        config.setU64("ashift", ashift);
        config.setU64("asize", asize);
    }

    void setPresent(std::size_t leaf, bool present) { m_present[leaf] = present; }

    [[nodiscard]] device::FaultyDevice& faulty(std::size_t leaf) { return *m_faulty[leaf]; }

    [[nodiscard]] device::MemoryDevice& memory(std::size_t leaf) { return *m_memory[leaf]; }

    [[nodiscard]] vdev::DeviceMap devices() const
    {
        vdev::DeviceMap map;
        for (std::size_t i = 0; i < m_memory.size(); ++i) {
            if (m_present[i]) {
                map[guid(i)] = {.device = m_faulty[i]};
            }
        }
        return map;
    }

    /// The tree with `top` as its only top-level vdev.
    [[nodiscard]] std::unique_ptr<vdev::VdevTree> tree(format::NvList top) const
    {
        auto built = vdev::VdevTree::build(rootOf({std::move(top)}), devices());
        if (!built) {
            qWarning("%s", built.error().toText().c_str());
            return nullptr;
        }
        return *std::move(built);
    }

    void write(std::size_t leaf, std::uint64_t offset, Bytes bytes)
    {
        QVERIFY(m_memory[leaf]
                    ->write(ByteOffset(offset + format::kLabelStartBytes), bytes)
                    .has_value());
    }

    /// Turns every bit of a range around: no byte stays what it was.
    void damage(std::size_t leaf, std::uint64_t offset, std::size_t size)
    {
        std::vector<std::byte> bytes(size);
        const ByteOffset at(offset + format::kLabelStartBytes);
        QVERIFY(m_memory[leaf]->read(at, bytes).has_value());
        for (std::byte& byte : bytes) {
            byte = ~byte;
        }
        QVERIFY(m_memory[leaf]->write(at, bytes).has_value());
    }

private:
    std::vector<std::shared_ptr<device::MemoryDevice>> m_memory;
    std::vector<std::shared_ptr<device::FaultyDevice>> m_faulty;
    std::vector<bool> m_present;
};

/// A column as the slow model has it.
struct ModelColumn
{
    std::size_t child = 0;
    std::uint64_t offset = 0;
    std::size_t sectors = 0;
    std::vector<std::byte> content; ///< see modelRaidz()
};

/// Lays out `dataSectors` sector by sector: cell after cell from the DVA's sector on, row by row,
/// the first `parity` cells of each row parity.
inline std::vector<ModelColumn> modelLayout(std::size_t width,
                                            std::size_t parity,
                                            unsigned ashift,
                                            std::uint64_t offset,
                                            std::size_t dataSectors)
{
    const std::size_t sector = std::size_t{1} << ashift;
    std::vector<ModelColumn> columns;
    std::uint64_t cell = offset / sector;
    while (dataSectors > 0) {
        for (std::size_t i = 0; i < width && (i < parity || dataSectors > 0); ++i, ++cell) {
            if (i == columns.size()) {
                columns.push_back({.child = cell % width, .offset = cell / width * sector});
            }
            ++columns[i].sectors;
            dataSectors -= i < parity ? 0 : 1;
        }
    }
    if (parity == 1 && (offset & MiB) != 0) {
        std::swap(columns[0].child, columns[1].child);
        std::swap(columns[0].offset, columns[1].offset);
    }
    return columns;
}

/// The layout with its content: data columns take the data one after the other.
inline std::vector<ModelColumn>
modelRaidz(std::size_t width, std::size_t parity, unsigned ashift, std::uint64_t offset, Bytes data)
{
    std::vector<ModelColumn> columns =
        modelLayout(width, parity, ashift, offset, data.size() >> ashift);
    std::size_t taken = 0;
    for (std::size_t i = parity; i < columns.size(); ++i) {
        const Bytes part = data.subspan(taken, columns[i].sectors << ashift);
        columns[i].content.assign(part.begin(), part.end());
        taken += part.size();
    }
    for (std::size_t p = 0; p < parity; ++p) {
        columns[p].content.resize(columns[p].sectors << ashift);
        for (std::size_t at = 0; at < columns[p].content.size(); ++at) {
            std::uint8_t sum = 0;
            for (std::size_t i = parity; i < columns.size(); ++i) {
                for (std::size_t times = 0; times < p; ++times) {
                    sum = timesTwo(sum); // Horner: the first data column has the highest power
                }
                const auto& content = columns[i].content;
                sum ^= at < content.size() ? static_cast<std::uint8_t>(content[at]) : 0;
            }
            columns[p].content[at] = static_cast<std::byte>(sum);
        }
    }
    return columns;
}

/// All subsets of {0 … n-1} with at most `limit` members, as bit masks.
inline std::vector<std::uint32_t> subsets(std::size_t n, std::size_t limit)
{
    std::vector<std::uint32_t> found;
    for (std::uint32_t mask = 0; mask < (1U << n); ++mask) {
        if (static_cast<std::size_t>(__builtin_popcount(mask)) <= limit) {
            found.push_back(mask);
        }
    }
    return found;
}

} // namespace millpond::test
