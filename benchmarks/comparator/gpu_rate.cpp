// The figure to reach: 1 GiB of bfloat16 against its 4 GiB of double reference, judged with the
// whole panel.
#include "device/cuda_harness.hpp"
#include "support/error.hpp"
#include "verify/cuda_comparator.hpp"

#include <fmt/format.h>

#include "comparator.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace kernelloop::benchmark {
namespace {

constexpr double k_target = 50.0;  // ms
constexpr int k_repeats = 10;
constexpr std::int64_t k_count = std::int64_t{1} << 29;
constexpr std::int64_t k_sample = std::int64_t{1} << 24;  // repeated to fill the output

struct Gpu {
  CudaDriver driver = CudaDriver::load();
  CUdevice device = first_device(driver);
  CudaContext context{driver, device};
  CudaHarness harness{driver, device};

  static CUdevice first_device(const CudaDriver& driver) {
    CUdevice device = 0;
    driver.check(driver.cuDeviceGet(&device, 0), "choosing a GPU");
    return device;
  }

  // `bytes` times `times`, one after the other.
  CudaMemory repeated(const void* from, std::size_t bytes, std::size_t times) {
    CudaMemory memory = allocate(driver, bytes * times);
    for (std::size_t i = 0; i < times; ++i) {
      driver.check(
          driver.cuMemcpyHtoDAsync(memory.get() + i * bytes, from, bytes, harness.stream()),
          "uploading");
    }
    driver.check(harness.synchronize(), "uploading");
    return memory;
  }

  // The best of a few, in milliseconds.
  template <typename Enqueue>
  double milliseconds(const Enqueue& enqueue) {
    double best = std::numeric_limits<double>::infinity();
    for (int repeat = 0; repeat < k_repeats; ++repeat) {
      harness.flush_l2();
      const auto sample = harness.time(8, [&] {
        enqueue();
        return true;
      });
      if (sample) best = std::min(best, sample->microseconds * 1e-3);
    }
    return best;
  }
};

void print(const char* what, double milliseconds, double bytes, double copy_rate) {
  const double rate = bytes / milliseconds * 1e-6;
  fmt::print("{:<28} {:8.3f} ms, {:7.1f} GB/s, {:.2f} of the copy rate\n", what, milliseconds, rate,
             rate / copy_rate);
}

}  // namespace

int on_gpu() {
  Gpu gpu;
  const Sample sample = make_sample(DType::bfloat16, k_sample);
  constexpr auto k_times = static_cast<std::size_t>(k_count / k_sample);
  const CudaMemory candidate =
      gpu.repeated(sample.candidate.data(), sample.candidate.size(), k_times);
  const CudaMemory reference =
      gpu.repeated(sample.reference.data(), sample.reference.size() * sizeof(double), k_times);
  const double bytes = sample.bytes() * static_cast<double>(k_times);

  const std::size_t half = static_cast<std::size_t>(k_count) * sizeof(double) / 2;
  const CudaMemory copy = allocate(gpu.driver, half);
  const double copy_ms = gpu.milliseconds([&] {
    gpu.driver.check(
        gpu.driver.cuMemcpyDtoDAsync(copy.get(), reference.get(), half, gpu.harness.stream()),
        "copying");
  });
  const double copy_rate = 2.0 * static_cast<double>(half) / copy_ms * 1e-6;
  print("copy", copy_ms, 2.0 * static_cast<double>(half), copy_rate);

  CudaComparator comparator(gpu.driver);
  CudaComparator::Output output{DType::bfloat16, candidate.get(), reference.get(), 0, {}};
  double slowest = 0.0;
  // Slabs of a warp, of a block, and longer than a unit of work: the last reads its reference
  // twice.
  for (const std::int64_t columns : {std::int64_t{64}, std::int64_t{1024}, k_columns, k_count}) {
    output.shape = {k_count / columns, columns};
    gpu.driver.check(
        (comparator.enqueue(output, sample.model, gpu.harness.stream()), gpu.harness.synchronize()),
        "comparing");
    const double kernels =
        gpu.milliseconds([&] { comparator.enqueue(output, sample.model, gpu.harness.stream()); });
    const auto start = std::chrono::steady_clock::now();
    const Metrics metrics = comparator.compare(output, sample.model, gpu.harness.stream()).metrics;
    const double whole =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    print(fmt::format("compare [{}, {}]", k_count / columns, columns).c_str(), kernels, bytes,
          copy_rate);
    fmt::print("{:<28} {:8.3f} ms with the download of the sums\n", "", whole);
    slowest = std::max({slowest, kernels, whole});
    if (metrics.compared != k_count || metrics.nonfinite != 0 || metrics.max_ulp < 0.49) {
      fail(ExitCode::internal, "the comparison is wrong: {} elements, {} ulp", metrics.compared,
           metrics.max_ulp);
    }
  }
  fmt::print("the slowest takes {:.2f} of the {:.0f} ms that are the target\n", slowest / k_target,
             k_target);
  return 0;
}

}  // namespace kernelloop::benchmark
