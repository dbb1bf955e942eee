// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a fuzz target over kept inputs, without libFuzzer: `replay_x FOLDER`. Files up to 1 KiB are
// also run cut off at every length. Fails when the folder is missing or empty.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kCutUpTo = 1024;

std::vector<std::uint8_t> contentOf(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A copy of exactly the right size, so that AddressSanitizer sees a read past the end.
void runOne(const std::vector<std::uint8_t>& content, std::size_t size)
{
    const std::vector<std::uint8_t> input(content.begin(),
                                          content.begin() + static_cast<std::ptrdiff_t>(size));
    (void)LLVMFuzzerTestOneInput(input.data(), input.size());
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1], error)) {
        files.push_back(entry.path());
    }
    if (error || files.empty()) {
        std::fprintf(stderr, "%s: no inputs\n", argv[1]);
        return 1;
    }
    std::sort(files.begin(), files.end());
    for (const auto& path : files) {
        std::printf("%s\n", path.filename().c_str());
        std::fflush(stdout); // the last line names the input that crashed
        const std::vector<std::uint8_t> content = contentOf(path);
        for (std::size_t size = 0; size < std::min(content.size(), kCutUpTo); ++size) {
            runOne(content, size);
        }
        runOne(content, content.size());
    }
    return 0;
}
