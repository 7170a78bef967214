// Processor time is counted, on all threads together, so that a busy machine does not count against
// the comparator and the figure is one per core whatever their number.
#include "support/error.hpp"
#include "support/parallel.hpp"
#include "verify/elements.hpp"

#include <fmt/format.h>

#include "comparator.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <functional>
#include <limits>

namespace kernelloop::benchmark {
namespace {

constexpr double k_target = 1.0;  // GB/s and core
constexpr int k_repeats = 5;
constexpr std::int64_t k_count = std::int64_t{1} << 25;

struct Cost {
  double processor = std::numeric_limits<double>::infinity();  // seconds
  double wall = std::numeric_limits<double>::infinity();
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The best of a few runs.
Cost cost_of(const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  Cost best;
  for (int repeat = 0; repeat < k_repeats; ++repeat) {
    const auto start = Clock::now();
    const double processor = processor_seconds();
    work();
    best.processor = std::min(best.processor, processor_seconds() - processor);
    best.wall = std::min(best.wall, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

// Reads words and does next to nothing with them: what memory allows.
std::uint64_t read_all(const std::byte* bytes, std::int64_t count) {
  std::vector<std::uint64_t> parts(static_cast<std::size_t>(chunk_count(count / 8)));
  for_chunks(count / 8, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    std::uint64_t mixed = 0;
    for (std::int64_t index = begin; index < end; ++index) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes + index * 8, sizeof word);
      mixed ^= word;
    }
    parts[static_cast<std::size_t>(chunk)] = mixed;
  });
  std::uint64_t mixed = 0;
  for (const std::uint64_t part : parts) mixed ^= part;
  return mixed;
}

void print(const char* what, const Sample& sample, double bytes, const Cost& cost,
           double plain_rate) {
  const double rate = bytes / cost.processor * 1e-9;
  fmt::print(
      "{:<8} {:<9} {:6.2f} GB/s per core, {:.2f} of a plain read; {:.2f} ns an element; "
      "{:.1f} ms on {} cores\n",
      what, info(sample.type).name, rate, rate / plain_rate,
      cost.processor / static_cast<double>(sample.reference.size()) * 1e9, cost.wall * 1e3,
      core_count());
}

}  // namespace

Sample make_sample(DType type, std::int64_t count) {
  Sample sample;
  sample.type = type;
  sample.shape = {count / k_columns, k_columns};
  sample.reference.resize(static_cast<std::size_t>(count));
  sample.candidate.resize(static_cast<std::size_t>(count) * info(type).size);
  sample.model.output_roundoff = info(type).unit_roundoff;
  sample.model.accumulated = 0x1p-18;
  sample.model.underflow = 0x1p-126;
  sample.model.output_underflow = 0x1p-126;
  with_writer(type, sample.candidate.data(), [&](const auto& write) {
    for_chunks(count, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      auto state = static_cast<std::uint64_t>(begin) * 0x9E3779B97F4A7C15u + 1;
      const auto uniform = [&state] {  // in [-1, 1)
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-63;
      };
      for (std::int64_t index = begin; index < end; ++index) {
        const double value = uniform() + uniform() + uniform();
        sample.reference[static_cast<std::size_t>(index)] = value;
        write(index, value + uniform() * 0x1p-20);
      }
    });
  });
  return sample;
}

void on_cpu() {
  double slowest = std::numeric_limits<double>::infinity();
  for (const DType type : {DType::bfloat16, DType::float16, DType::float32}) {
    const Sample sample = make_sample(type, k_count);
    const auto* reference = reinterpret_cast<const std::byte*>(sample.reference.data());
    std::uint64_t sink = 0;
    const Cost plain = cost_of([&] {
      sink ^= read_all(reference, k_count * 8);
      sink ^= read_all(sample.candidate.data(), static_cast<std::int64_t>(sample.candidate.size()));
    });
    const double plain_rate = sample.bytes() / plain.processor * 1e-9;
    print("read", sample, sample.bytes(), plain, plain_rate);

    ReferenceScale scale;
    const Cost scaling = cost_of(
        [&] { scale = scale_of(sample.reference, sample.shape, sink | 1, info(type).largest); });
    print("scale_of", sample, static_cast<double>(k_count) * 8, scaling, plain_rate);

    Metrics metrics;
    const TermMagnitude estimated(scale, {});
    const Cost comparing = cost_of([&] {
      metrics =
          compare(type, sample.candidate.data(), sample.reference, scale, estimated, sample.model);
    });
    print("compare", sample, sample.bytes(), comparing, plain_rate);
    slowest = std::min(slowest, sample.bytes() / comparing.processor * 1e-9);
    if (metrics.compared != k_count || metrics.max_ulp < 0.49) {
      fail(ExitCode::internal, "the comparison is wrong: {} elements, {} ulp", metrics.compared,
           metrics.max_ulp);
    }
  }
  fmt::print("the slowest comparison reaches {:.2f} of the target, {:.0f} GB/s per core\n",
             slowest / k_target, k_target);
}

}  // namespace kernelloop::benchmark
