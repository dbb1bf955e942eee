// SPDX-License-Identifier: GPL-3.0-or-later
// GB/s of every checksum, decompressor and parity on one core, for blocks of 4 KiB, 128 KiB and
// 1 MiB (`bench_codec [substring of a name]`), beside a peer where a library has one. No
// assertions: figures to look at.
#include "base/buffer.h"
#include "codec/checksum.h"
#include "codec/compression.h"
#include "codec/parity.h"
#include "engine/codec/codec_data.h"

#include <isa-l/raid.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>

using namespace millpond;
using namespace millpond::codec;
using namespace millpond::test;

namespace {

constexpr std::size_t kSizes[] = {4 * KiB, 128 * KiB, 1 * MiB};
constexpr double kTimeSeconds = 0.05;          ///< per figure and try
constexpr int kTries = 3;                      ///< the best counts: other work disturbs
constexpr std::size_t kBatchBytes = 256 * KiB; ///< between two looks at the clock

/// Of this process' processor time, so that other work counts only through caches and the sibling
/// thread.
double secondsUsed()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double speedOf(std::size_t bytes, const std::function<void()>& work)
{
    const std::size_t batch = std::max<std::size_t>(1, kBatchBytes / bytes);
    double best = 0;
    for (int attempt = 0; attempt < kTries; ++attempt) {
        std::size_t done = 0;
        const double start = secondsUsed();
        double used = 0;
        while (used < kTimeSeconds) {
            for (std::size_t i = 0; i < batch; ++i) {
                work();
            }
            done += batch * bytes;
            used = secondsUsed() - start;
        }
        best = std::max(best, static_cast<double>(done) / used);
    }
    return best / 1e9;
}

class Report
{
public:
    explicit Report(std::string filter)
        : m_filter(std::move(filter))
    {
    }

    /// `prepare` gets a size and returns the work on that many bytes.
    void line(const std::string& name,
              const std::function<std::function<void()>(std::size_t)>& prepare) const
    {
        if (name.find(m_filter) == std::string::npos) {
            return;
        }
        std::printf("%-28s", name.c_str());
        for (const std::size_t size : kSizes) {
            std::printf("%10.2f", speedOf(size, prepare(size)));
        }
        std::printf("\n");
        std::fflush(stdout);
    }

private:
    std::string m_filter;
};

void require(bool ok)
{
    if (!ok) {
        std::fprintf(stderr, "a codec failed\n");
        std::exit(1);
    }
}

std::shared_ptr<Octets> noise(std::size_t size)
{
    SeededRandom random(1);
    return std::make_shared<Octets>(randomOctets(size, random));
}

void checksums(const Report& report)
{
    const auto salt = std::make_shared<ChecksumSalt>(std::array<std::byte, 32>{});
    const auto context = std::make_shared<ChecksumContext>();
    for (const auto algorithm : {ChecksumAlgorithm::Fletcher2,
                                 ChecksumAlgorithm::Fletcher4,
                                 ChecksumAlgorithm::Sha256,
                                 ChecksumAlgorithm::Sha512,
                                 ChecksumAlgorithm::Skein,
                                 ChecksumAlgorithm::EdonR,
                                 ChecksumAlgorithm::Blake3}) {
        for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
            const bool swapped = order == ByteOrder::Big;
            if (swapped && algorithm > ChecksumAlgorithm::Fletcher4) {
                continue;
            }
            report.line(std::string(checksumName(algorithm)) + (swapped ? " big-endian" : ""),
                        [=](std::size_t size) {
                            return [=, data = noise(size)] {
                                require(
                                    computeChecksum(algorithm, *data, order, salt.get(), *context)
                                        .has_value());
                            };
                        });
        }
    }
    report.line("sha256, no context kept", [](std::size_t size) {
        return [data = noise(size)] {
            require(
                computeChecksum(ChecksumAlgorithm::Sha256, *data, ByteOrder::Little).has_value());
        };
    });
    for (const char* name : {"SHA256", "SHA512-256", "BLAKE2S-256"}) {
        report.line(std::string("  peer: OpenSSL ") + name, [=](std::size_t size) {
            const std::shared_ptr<EVP_MD> digest(EVP_MD_fetch(nullptr, name, nullptr), EVP_MD_free);
            return [=, data = noise(size)] {
                unsigned char out[EVP_MAX_MD_SIZE];
                unsigned length = 0;
                require(EVP_Digest(
                            data->data(), data->size(), out, &length, digest.get(), nullptr) == 1);
            };
        });
    }
}

void compression(const Report& report)
{
    const auto decompressor = std::make_shared<Decompressor>();
    const auto compressor = std::make_shared<Compressor>();
    for (const auto algorithm : {CompressionAlgorithm::Lzjb,
                                 CompressionAlgorithm::Gzip6,
                                 CompressionAlgorithm::Zle,
                                 CompressionAlgorithm::Lz4,
                                 CompressionAlgorithm::Zstd}) {
        const std::string name(compressionName(algorithm));
        const auto prepare = [=](std::size_t size) {
            SeededRandom random(1);
            const auto data = std::make_shared<Octets>(textLikeOctets(size, random));
            const auto stream = std::make_shared<Octets>(2 * size);
            const auto used = compressor->compress(algorithm, *data, *stream);
            require(used && *used);
            stream->resize(**used);
            return std::pair(data, stream);
        };
        report.line(name + " decompress", [=](std::size_t size) {
            const auto blocks = prepare(size);
            return [=] {
                require(
                    decompressor->decompress(algorithm, *blocks.second, *blocks.first).has_value());
            };
        });
        report.line(name + " compress", [=](std::size_t size) {
            const auto blocks = prepare(size);
            return [=] {
                require(compressor->compress(algorithm, *blocks.first, *blocks.second).has_value());
            };
        });
    }
}

/// Columns of `size / dataCount` bytes; figures count the data.
struct Columns
{
    Columns(std::size_t parityCount, std::size_t dataCount, std::size_t size)
    {
        SeededRandom random(1);
        for (std::size_t i = 0; i < parityCount + dataCount; ++i) {
            // Whole pages: only those are aligned, which xor_gen wants.
            auto buffer = Buffer::copyOf(randomOctets(alignUp(size / dataCount, 4096), random));
            require(buffer.has_value());
            buffers.push_back(std::move(*buffer));
        }
        for (Buffer& buffer : buffers) {
            all.push_back(buffer.bytes().first(size / dataCount));
        }
        data.assign(all.begin() + static_cast<std::ptrdiff_t>(parityCount), all.end());
        parity.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(parityCount));
    }

    std::vector<Buffer> buffers;
    std::vector<MutableBytes> all;
    std::vector<Bytes> data;
    std::vector<MutableBytes> parity;
};

void parities(const Report& report)
{
    static constexpr std::size_t kData = 8;
    for (const std::size_t count : {1U, 2U, 3U}) {
        const std::string name = "raidz" + std::to_string(count) + " of 8+" + std::to_string(count);
        report.line(name + " generate", [=](std::size_t size) {
            const auto columns = std::make_shared<Columns>(count, kData, size);
            return [=] { require(generateParity(columns->data, columns->parity).has_value()); };
        });
        report.line(name + " rebuild", [=](std::size_t size) {
            const auto columns = std::make_shared<Columns>(count, kData, size);
            std::vector<std::size_t> missing;
            for (std::size_t i = 0; i < count; ++i) {
                missing.push_back(count + 2 * i);
            }
            return [=] { require(reconstruct(count, columns->all, missing).has_value()); };
        });
    }
    report.line("  peer: ISA-L xor_gen 8+1", [](std::size_t size) {
        const auto columns = std::make_shared<Columns>(1, kData, size);
        auto vectors = std::make_shared<std::vector<void*>>();
        for (std::size_t i = 0; i <= kData; ++i) {
            vectors->push_back(columns->all[(i + 1) % (kData + 1)].data());
        }
        return [=] {
            require(xor_gen(static_cast<int>(vectors->size()),
                            static_cast<int>(columns->all[0].size()),
                            vectors->data()) == 0);
        };
    });
}

} // namespace

int main(int argc, char** argv)
{
    const Report report(argc > 1 ? argv[1] : "");
    std::printf("%-28s%10s%10s%10s   GB/s, one core\n", "", "4 KiB", "128 KiB", "1 MiB");
    checksums(report);
    compression(report);
    parities(report);
    return 0;
}
