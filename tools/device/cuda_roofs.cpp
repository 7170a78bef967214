#include "device/cuda_roofs.hpp"

#include "device/embedded_image.hpp"
#include "support/error.hpp"
#include "support/statistics.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

// The kernels as nvcc built them (CMake sets the path).
KERNELLOOP_EMBED_IMAGE(kernelloop_roof_image, KERNELLOOP_ROOF_IMAGE);

namespace kernelloop {
namespace {

using Word = unsigned long long;

constexpr int k_samples = 11;
constexpr double k_burst_us = 1000;
constexpr std::size_t k_unit = 16;  // bytes that a thread moves at a time

// Of roof_kernels.cu: instructions of a thread in an iteration, and of a warp or warp group.
constexpr double k_chain_steps = 8 * 16;
constexpr double k_tensor_steps = 16;

}  // namespace

// Streams through device memory.
struct CudaRoofs::Stream {
  const char* roof;
  const char* kernel;
  int read;              // buffers read
  int written;           // and written
  unsigned int threads;  // of a block
  unsigned int units;    // 16-byte units of a thread
};

// A unit of the multiprocessors.
struct CudaRoofs::Pipe {
  const char* roof;
  const char* kernel;
  unsigned int threads;
  unsigned int blocks;  // per multiprocessor
  std::size_t shared;   // bytes
  double hopper;        // operations or bytes of a block in an iteration, with code for sm_90a
  double other;         // the same elsewhere
};

namespace {

// m64n256 by a warp group, twice in a block; m16n8 by each of 8 warps.
constexpr double tensor_hopper(int k) { return 2.0 * 2 * 64 * 256 * k * k_tensor_steps; }
constexpr double tensor_other(int k) { return 8.0 * 2 * 16 * 8 * k * k_tensor_steps; }
constexpr double lanes(double operations) { return 256 * k_chain_steps * operations; }

}  // namespace

CudaRoofs::CudaRoofs(const CudaDriver& driver, CUdevice device, CudaHarness& harness)
    : driver_(driver), device_(device), harness_(harness), sink_(allocate(driver, 256)) {
  int value = 0;
  driver.check(
      driver.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
      "asking for the number of multiprocessors");
  multiprocessors_ = static_cast<unsigned int>(value);
  CUlibrary library = nullptr;
  driver.check(driver.cuLibraryLoadData(&library, kernelloop_roof_image, nullptr, nullptr, 0,
                                        nullptr, nullptr, 0),
               "loading the kernels that measure roofs");
  library_ = CudaLibrary(driver, library);
}

CUkernel CudaRoofs::find(const char* name) const {
  CUkernel kernel = nullptr;
  return driver_.cuLibraryGetKernel(&kernel, library_.get(), name) == CUDA_SUCCESS ? kernel
                                                                                   : nullptr;
}

RoofValue CudaRoofs::sample(const std::function<void()>& enqueue, bool flush) {
  enqueue();  // loads the kernel: a held stream would wait for that
  driver_.check(harness_.synchronize(), "warming up");
  std::vector<double> times;
  std::vector<double> clocks;
  for (int i = 0; i < k_samples; ++i) {
    if (flush) harness_.flush_l2();
    const auto taken = harness_.time(1, [&] {
      enqueue();
      return true;
    });
    if (!taken) continue;
    times.push_back(taken->microseconds);
    if (taken->clock_mhz > 0) clocks.push_back(taken->clock_mhz);
  }
  return {median(times), clocks.empty() ? 0.0 : median(clocks)};
}

RoofValue CudaRoofs::memory(const Stream& stream, std::size_t bytes) {
  const auto streams = static_cast<std::size_t>(stream.read + stream.written);
  std::vector<CudaMemory> buffers;
  buffers.reserve(streams);
  for (int i = 0; i < stream.read + stream.written; ++i) {
    buffers.push_back(allocate(driver_, bytes));
    harness_.fill(buffers.back().get(), bytes);
  }
  std::vector<CUdeviceptr> addresses;
  addresses.reserve(streams);
  std::vector<void*> arguments;
  arguments.reserve(streams + 2);
  for (const CudaMemory& buffer : buffers) addresses.push_back(buffer.get());
  CUdeviceptr sink = sink_.get();
  Word count = bytes / k_unit;
  for (CUdeviceptr& address : addresses) arguments.push_back(&address);
  // A kernel that only reads has somewhere to put what nobody needs.
  if (stream.written == 0) arguments.push_back(&sink);
  arguments.push_back(&count);
  CUkernel kernel = find(stream.kernel);
  const Word tile = Word{stream.threads} * stream.units;
  const CudaGrid grid{static_cast<unsigned int>((count + tile - 1) / tile), stream.threads,
                      harness_.stream()};
  RoofValue taken =
      sample([&] { kernelloop::launch(driver_, kernel, grid, arguments.data()); }, true);
  const double moved =
      static_cast<double>(bytes) * static_cast<double>(stream.read + stream.written);
  return {moved / (taken.value * 1e-6), taken.clock_mhz};
}

// What the driver itself does, on whichever engine it likes.
RoofValue CudaRoofs::driver_copy(std::size_t bytes) {
  const CudaMemory from = allocate(driver_, bytes);
  const CudaMemory to = allocate(driver_, bytes);
  harness_.fill(from.get(), bytes);
  harness_.fill(to.get(), bytes);
  const RoofValue taken = sample(
      [&] {
        driver_.check(driver_.cuMemcpyDtoDAsync(to.get(), from.get(), bytes, harness_.stream()),
                      "copying");
      },
      true);
  return {2.0 * static_cast<double>(bytes) / (taken.value * 1e-6), taken.clock_mhz};
}

RoofValue CudaRoofs::pipe(const Pipe& pipe) {
  CUkernel kernel = find(pipe.kernel);
  if (kernel == nullptr) return {};
  if (pipe.shared > 0) {
    driver_.check(driver_.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                               static_cast<int>(pipe.shared), kernel, device_),
                  "asking for shared memory");
  }
  int major = 0;
  driver_.check(
      driver_.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device_),
      "asking for the architecture");
  const unsigned int blocks = multiprocessors_ * pipe.blocks;
  Word iterations = 16;
  CUdeviceptr sink = sink_.get();
  std::array<void*, 2> arguments{&iterations, &sink};
  const auto enqueue = [&] {
    CudaGrid grid{blocks, pipe.threads, harness_.stream()};
    grid.shared_bytes = static_cast<unsigned int>(pipe.shared);
    kernelloop::launch(driver_, kernel, grid, arguments.data());
  };
  const double once_us = sample(enqueue, false).value;
  iterations = std::max<Word>(16, static_cast<Word>(16 * k_burst_us / std::max(once_us, 1.0)));
  const RoofValue taken = sample(enqueue, false);
  const double done = (major == 9 ? pipe.hopper : pipe.other) * static_cast<double>(iterations) *
                      static_cast<double>(blocks);
  return {done / (taken.value * 1e-6), taken.clock_mhz};
}

RoofValue CudaRoofs::launch() {
  CUkernel kernel = find("kernelloop_roof_launch");
  const RoofValue taken = sample(
      [&] {
        kernelloop::launch(driver_, kernel, {1, 32, harness_.stream()}, nullptr);
      },
      false);
  return {taken.value * 1e-6, taken.clock_mhz};
}

RoofValue CudaRoofs::measure(const Roof& roof, std::int64_t bytes) {
  static constexpr std::array<Stream, 6> k_streams{{
      {"read", "kernelloop_roof_read", 1, 0, 512, 4},
      {"write", "kernelloop_roof_write", 0, 1, 512, 4},
      {"copy", "kernelloop_roof_copy1", 1, 1, 256, 1},
      {"copy", "kernelloop_roof_copy1", 1, 1, 1024, 1},
      {"copy", "kernelloop_roof_copy4", 1, 1, 512, 4},
      {"triad", "kernelloop_roof_triad", 2, 1, 1024, 1},
  }};
  static constexpr std::array<Pipe, 12> k_pipes{{
      {"shared", "kernelloop_roof_shared", 512, 2, 32768, 512 * k_chain_steps * 16,
       512 * k_chain_steps * 16},
      {"fp64", "kernelloop_roof_fp64", 256, 8, 0, lanes(2), lanes(2)},
      {"fp32", "kernelloop_roof_fp32", 256, 8, 0, lanes(2), lanes(2)},
      {"fp16", "kernelloop_roof_fp16", 256, 8, 0, lanes(4), lanes(4)},
      {"bf16", "kernelloop_roof_bf16", 256, 8, 0, lanes(4), lanes(4)},
      {"int32", "kernelloop_roof_int32", 256, 8, 0, lanes(2), lanes(2)},
      {"sfu", "kernelloop_roof_sfu", 256, 8, 0, lanes(1), lanes(1)},
      {"tf32_tensor", "kernelloop_roof_tf32_tensor", 256, 1, 49152, tensor_hopper(8),
       tensor_other(8)},
      {"fp16_tensor", "kernelloop_roof_fp16_tensor", 256, 1, 49152, tensor_hopper(16),
       tensor_other(16)},
      {"bf16_tensor", "kernelloop_roof_bf16_tensor", 256, 1, 49152, tensor_hopper(16),
       tensor_other(16)},
      {"fp8_tensor", "kernelloop_roof_fp8_tensor", 256, 1, 49152, tensor_hopper(32),
       tensor_other(32)},
      {"int8_tensor", "kernelloop_roof_int8_tensor", 256, 1, 49152, tensor_hopper(32),
       tensor_other(32)},
  }};
  const std::string_view name = roof.name;
  if (name == "launch") return launch();
  for (const Pipe& one : k_pipes) {
    if (name == one.roof) return pipe(one);
  }
  const std::size_t size = static_cast<std::size_t>(bytes) / k_unit * k_unit;
  if (bytes < static_cast<std::int64_t>(k_unit)) {
    fail(ExitCode::internal, "cannot measure the roof '{}' with {} bytes", roof.name, bytes);
  }
  RoofValue best;
  for (const Stream& one : k_streams) {
    if (name != one.roof) continue;
    const RoofValue value = memory(one, size);
    if (value.value > best.value) best = value;
  }
  if (name == "copy") {
    const RoofValue value = driver_copy(size);
    if (value.value > best.value) best = value;
  }
  return best;
}

}  // namespace kernelloop
