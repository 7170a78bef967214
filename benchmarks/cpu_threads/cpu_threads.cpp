// How many CUDA threads a second one core runs on the CPU device: a softmax over rows of a block's
// size with ten shuffles and four barriers a thread. Prints one line per build and schedule.
#include "cpu/cpu_build.hpp"
#include "kernelloop/cpu/abi.h"
#include "support/error.hpp"
#include "support/files.hpp"

#include <fmt/format.h>

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
using Module = const KernelLoopCpuModule* (*)();

constexpr double k_target = 1e6;  // CUDA threads a second and core
constexpr std::size_t k_block = 256;
constexpr std::size_t k_blocks = 400;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Processor time, so that a busy machine does not count against the emulation.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double threads_per_second(const KernelLoopCpuModule& module, std::uint64_t seed) {
  std::vector<float> x(k_block * k_blocks);
  std::vector<float> y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 7919 % 1000) * 0.01f;
  const float* px = x.data();
  float* py = y.data();
  const std::array<void*, 2> arguments = {&px, &py};
  KernelLoopCpuLaunch launch{0, {k_blocks, 1, 1}, {k_block, 1, 1}, 0, arguments.data(), seed, 0};
  std::array<char, 512> message{};
  double best = 0;
  for (int repeat = 0; repeat < 9; ++repeat) {
    const double start = processor_seconds();
    if (module.launch(&launch, message.data(), message.size()) != KERNELLOOP_CPU_OK) {
      kernelloop::fail(kernelloop::ExitCode::internal, "{}", message.data());
    }
    best = std::max(best, static_cast<double>(x.size()) / (processor_seconds() - start));
  }
  double sum = 0;
  for (std::size_t i = 0; i < k_block; ++i) sum += static_cast<double>(y[i]);
  if (std::abs(sum - 1.0) > 1e-3) {
    kernelloop::fail(kernelloop::ExitCode::internal, "the kernel's result is wrong: {}", sum);
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace kernelloop;
  try {
    if (argc != 4) fail(ExitCode::usage, "usage: {} KERNEL.cu INCLUDE_DIR COMPILER", argv[0]);
    const TemporaryDirectory work;
    CpuBuildRequest request;
    request.source = argv[1];
    request.output = work.path() / "kernel.cpu.so";
    request.include_dir = argv[2];
    request.compiler = argv[3];
    const auto start = Clock::now();
    const CpuBuildResult built = build_for_cpu(request);
    if (built.status != CpuBuildResult::Status::built) {
      fail(ExitCode::internal, "{}\n{}", built.reason, built.diagnostics);
    }
    fmt::print("build: {:.2f} s\n", seconds_since(start));
    void* library = dlopen(request.output.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) fail(ExitCode::internal, "{}", dlerror());
    const auto entry = reinterpret_cast<Module>(dlsym(library, "kernelloop_cpu_module"));
    for (const std::uint64_t seed : {0, 1}) {
      const double rate = threads_per_second(*entry(), seed);
      fmt::print(
          "{}: {:.2f} million CUDA threads/s per core, {:.2f} of the target ({:.0f} million)\n",
          seed == 0 ? "in order       " : "random priority", rate * 1e-6, rate / k_target,
          k_target * 1e-6);
    }
    return 0;
  } catch (const Error& error) {
    fmt::print(stderr, "cpu_threads: {}\n", error.what());
    return static_cast<int>(error.code());
  }
}
