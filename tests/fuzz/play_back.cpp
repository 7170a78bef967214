// play_back CORPUS N: what libFuzzer would do, without libFuzzer: every file of the corpus, then N
// mutations of them, always the same ones. A crash or a broken promise ends it with a signal.
#include "support/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void run_one(const std::string& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

// A few edits: flip, insert, remove, repeat, or a piece of another file.
std::string mutated(std::string text, const std::vector<std::string>& corpus,
                    std::mt19937& random) {
  const auto below = [&](std::size_t limit) {
    return limit == 0 ? std::size_t{0} : static_cast<std::size_t>(random()) % limit;
  };
  for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
    const std::size_t at = below(text.size());
    switch (below(5)) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(below(256)));
        break;
      case 2:
        text.erase(at, below(32));
        break;
      case 3:
        text.insert(below(text.size()), text.substr(at, below(64)));
        break;
      default: {
        const std::string& other = corpus[below(corpus.size())];
        text.insert(at, other.substr(below(other.size()), below(128)));
      }
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1])) {
      files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> corpus;
    for (const auto& file : files) corpus.push_back(kernelloop::read_file(file));
    if (corpus.empty()) {
      fmt::print(stderr, "play_back: {} holds no inputs\n", argv[1]);
      return 1;
    }
    for (const std::string& text : corpus) run_one(text);
    std::mt19937 random(20261129);  // always the same
    const int count = argc > 2 ? std::stoi(argv[2]) : 1000;
    for (int i = 0; i < count; ++i) {
      run_one(mutated(corpus[random() % corpus.size()], corpus, random));
    }
    fmt::print("{} inputs, {} mutations\n", corpus.size(), count);
  } catch (const std::exception& error) {
    fmt::print(stderr, "play_back: {}\n", error.what());
    return 1;
  }
  return 0;
}
