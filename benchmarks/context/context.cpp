// Prints how long it takes to index directories, to look at them again, and to search them:
//   context_benchmark <directory>...
#include "support/error.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include "context/context_index.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace kernelloop {
namespace {

struct Milliseconds {
  double wall = 0.0;
  double cpu = 0.0;  // of this process: what a quiet machine would take
};

template <typename Work>
Milliseconds timed(const Work& work) {
  const auto wall = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  work();
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - wall;
  return {passed.count(), 1e3 * static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC};
}

// What somebody who writes kernels asks: names, phrases, words that stand everywhere.
const std::vector<std::string>& queries() {
  static const std::vector<std::string> list{"__shfl_xor_sync",
                                             "cuda::memcpy_async pipeline",
                                             "mbarrier.try_wait parity",
                                             "tensor map encode tiled swizzle",
                                             "how to load 16 bytes from shared memory",
                                             "cluster launch attribute",
                                             "block reduce warp sum",
                                             "const void int float",
                                             "the return value of a function template",
                                             "cudaFuncSetAttribute MaxDynamicSharedMemorySize",
                                             "nothingisnamedlikethis",
                                             "wgmma fence commit wait group"};
  return list;
}

void measure(const std::vector<std::string>& directories) {
  const ContextFiles files(directories);
  const TemporaryDirectory scratch;
  ContextIndex index(files, index_path(scratch.path(), files));
  IndexUpdate update;
  fmt::print("{:9} {:>9} {:>9}\n", "", "wall ms", "cpu ms");
  const Milliseconds first = timed([&] { update = index.update(); });
  fmt::print("index     {:9.1f} {:9.1f}  {} files, {:.1f} MB, {} skipped{}\n", first.wall,
             first.cpu, update.files, static_cast<double>(update.bytes) / 1e6, update.skipped,
             update.full ? ", capped" : "");
  const Milliseconds again = timed([&] { index.update(); });
  fmt::print("unchanged {:9.1f} {:9.1f}\n", again.wall, again.cpu);

  double slowest = 0.0;
  for (const std::string& query : queries()) {
    ContextHits found;
    Milliseconds best = timed([&] { found = index.search(query, 6); });
    for (int i = 1; i < 5; ++i) {
      const Milliseconds next = timed([&] { found = index.search(query, 6); });
      if (next.wall < best.wall) best = next;
    }
    slowest = std::max(slowest, best.wall);
    fmt::print("query     {:9.2f} {:9.2f}  {} hits  {}\n", best.wall, best.cpu, found.hits.size(),
               query);
  }
  fmt::print("slowest   {:9.2f}            best of 5 each\n", slowest);
}

}  // namespace
}  // namespace kernelloop

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} <directory>...\n", argv[0]);
    return 2;
  }
  try {
    kernelloop::measure({argv + 1, argv + argc});
  } catch (const kernelloop::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
