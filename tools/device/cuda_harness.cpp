#include "device/cuda_harness.hpp"

#include "device/embedded_image.hpp"
#include "support/error.hpp"

#include <algorithm>
#include <array>
#include <atomic>

// The kernels as nvcc built them (CMake sets the path).
KERNELLOOP_EMBED_IMAGE(kernelloop_harness_image, KERNELLOOP_HARNESS_IMAGE);

namespace kernelloop {
namespace {

using Word = unsigned long long;

constexpr Word k_hold_nanoseconds = 2'000'000'000;
constexpr unsigned int k_threads = 512;
constexpr std::size_t k_stamp_words = 3;

}  // namespace

CudaHarness::CudaHarness(const CudaDriver& driver, CUdevice device)
    : driver_(driver),
      stream_(make_stream(driver)),
      begin_(make_event(driver)),
      end_(make_event(driver)),
      flags_(allocate_mapped(driver, 2 * sizeof(int))),
      stamps_(allocate(driver, 2 * k_stamp_words * sizeof(Word))),
      scratch_(allocate(driver, sizeof(Word))) {
  int value = 0;
  driver.check(
      driver.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device),
      "asking for the number of multiprocessors");
  multiprocessors_ = static_cast<unsigned int>(value);
  driver.check(driver.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device),
               "asking for the size of the L2 cache");
  flush_bytes_ = static_cast<std::size_t>(std::max(value, 1 << 20)) * 2;

  CUlibrary library = nullptr;
  driver.check(driver.cuLibraryLoadData(&library, kernelloop_harness_image, nullptr, nullptr, 0,
                                        nullptr, nullptr, 0),
               "loading the harness's own kernels");
  library_ = CudaLibrary(driver, library);
  hold_kernel_ = find("kernelloop_hold");
  stamp_kernel_ = find("kernelloop_stamp");
  flush_kernel_ = find("kernelloop_flush");
  hash_kernel_ = find("kernelloop_hash");
  scrub_kernel_ = find("kernelloop_scrub");
  driver.check(driver.cuDeviceGetAttribute(
                   &value, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device),
               "asking for the shared memory of a block");
  shared_bytes_ = static_cast<unsigned int>(value);
  driver.check(driver.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, value,
                                           scrub_kernel_, device),
               "asking for shared memory");
  fill_kernel_ = find("kernelloop_fill");
}

void CudaHarness::prepare_timing() {
  if (flush_buffer_.get() != 0) return;
  flush_buffer_ = allocate(driver_, flush_bytes_);
  fill(flush_buffer_.get(), flush_bytes_);
  flush_l2();
  hash(scratch_.get(), sizeof(Word), 0);
  scrub();
  time(0, [] { return true; });
}

CUkernel CudaHarness::find(const char* name) const {
  CUkernel kernel = nullptr;
  driver_.check(driver_.cuLibraryGetKernel(&kernel, library_.get(), name), name);
  return kernel;
}

void CudaHarness::launch(CUkernel kernel, unsigned int blocks, unsigned int threads,
                         void** arguments) const {
  kernelloop::launch(driver_, kernel, {blocks, threads, stream_.get()}, arguments);
}

CUresult CudaHarness::synchronize() const { return driver_.cuStreamSynchronize(stream_.get()); }

std::uint64_t CudaHarness::hash(CUdeviceptr data, std::size_t bytes, std::uint64_t seed) {
  CUdeviceptr out = scratch_.get();
  Word size = bytes;
  Word start = seed;
  driver_.check(driver_.cuMemsetD8Async(out, 0, sizeof(Word), stream_.get()), "clearing a word");
  std::array<void*, 4> arguments{&data, &size, &start, &out};
  launch(hash_kernel_, multiprocessors_ * 4, k_threads, arguments.data());
  Word result = 0;
  driver_.check(driver_.cuMemcpyDtoHAsync(&result, out, sizeof result, stream_.get()),
                "reading a hash");
  driver_.check(synchronize(), "hashing");
  return result;
}

void CudaHarness::scrub() {
  // One block at a time fills the shared memory of a multiprocessor; several turns reach them all.
  constexpr unsigned int k_turns = 4;
  unsigned int words = shared_bytes_ / sizeof(unsigned int);
  Word seed = ++scrubs_ * 0x9E3779B97F4A7C15u;
  CUdeviceptr sink = scratch_.get();
  std::array<void*, 3> arguments{&words, &seed, &sink};
  kernelloop::launch(driver_, scrub_kernel_,
                     {multiprocessors_ * k_turns, k_threads, stream_.get(), shared_bytes_},
                     arguments.data());
}

void CudaHarness::flush_l2() {
  if (flush_buffer_.get() == 0) return prepare_timing();
  // Lines that a candidate asked to keep ("evict_last") survive any flush unless they are reset
  // before it; and the reset must find the device idle.
  driver_.check(synchronize(), "waiting for the device");
  const CUresult reset = driver_.cuCtxResetPersistingL2Cache();
  if (reset != CUDA_ERROR_NOT_SUPPORTED) driver_.check(reset, "resetting persisting L2 lines");
  CUdeviceptr data = flush_buffer_.get();
  Word count = flush_bytes_ / 16;
  CUdeviceptr sink = scratch_.get();
  std::array<void*, 3> arguments{&data, &count, &sink};
  launch(flush_kernel_, multiprocessors_ * 4, k_threads, arguments.data());
  driver_.check(synchronize(), "flushing L2");
}

void CudaHarness::stamp(std::size_t which) const {
  CUdeviceptr out = stamps_.get() + which * k_stamp_words * sizeof(Word);
  std::array<void*, 1> arguments{&out};
  launch(stamp_kernel_, 1, 1, arguments.data());
}

double CudaHarness::clock_between_stamps() const {
  std::array<Word, 2 * k_stamp_words> words{};
  driver_.check(driver_.cuMemcpyDtoHAsync(words.data(), stamps_.get(), sizeof words, stream_.get()),
                "reading the stamps");
  driver_.check(synchronize(), "reading the stamps");
  const Word nanoseconds = words[3] - words[0];
  const Word cycles = words[4] - words[1];
  // Each multiprocessor counts its own cycles.
  if (words[2] != words[5] || words[3] <= words[0] || nanoseconds < 1000) return 0;
  return static_cast<double>(cycles) / static_cast<double>(nanoseconds) * 1000.0;
}

void CudaHarness::hold() {
  CUdeviceptr release = 0;
  driver_.check(driver_.cuMemHostGetDevicePointer(&release, flags_.get(), 0),
                "mapping the release flag");
  CUdeviceptr expired = release + sizeof(int);
  Word limit = k_hold_nanoseconds;
  std::array<void*, 3> arguments{&release, &expired, &limit};
  launch(hold_kernel_, 1, 1, arguments.data());
}

std::optional<CudaSample> CudaHarness::time(std::size_t operations,
                                            const std::function<bool()>& enqueue) {
  constexpr int k_attempts = 3;
  auto* flags = static_cast<volatile int*>(flags_.get());
  const bool held = operations <= k_most_held_operations;
  for (int attempt = 0; attempt < k_attempts; ++attempt) {
    flags[0] = 0;
    flags[1] = 0;
    // The flags must be in memory before the kernel that reads them starts.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    // Whatever happens, the stream is not left held.
    struct Release {
      volatile int* flag;
      ~Release() { *flag = 1; }
    };
    bool enqueued = false;
    {
      const Release release{flags};
      if (held) hold();
      stamp(0);
      driver_.check(driver_.cuEventRecord(begin_.get(), stream_.get()), "recording an event");
      enqueued = enqueue();
      driver_.check(driver_.cuEventRecord(end_.get(), stream_.get()), "recording an event");
      stamp(1);
    }
    driver_.check(synchronize(), "waiting for a timed launch");
    if (!enqueued) return std::nullopt;
    // Something waited for the stream that we held: the sample contains that wait.
    if (flags[1] != 0) continue;
    float milliseconds = 0;
    driver_.check(driver_.cuEventElapsedTime(&milliseconds, begin_.get(), end_.get()),
                  "reading the events");
    return CudaSample{static_cast<double>(milliseconds) * 1000.0, clock_between_stamps()};
  }
  fail(ExitCode::environment,
       "launches waited for the held stream {} times in a row; is something else using this GPU?",
       k_attempts);
}

void CudaHarness::plant(const char* kernel) {
  constexpr unsigned int k_block = 128;
  const std::size_t bytes = 1000;
  const CudaMemory block = allocate(driver_, bytes);
  const CudaMemory sink = allocate(driver_, k_block * sizeof(unsigned int));
  CUdeviceptr data = block.get();
  Word size = bytes;
  CUdeviceptr out = sink.get();
  std::array<void*, 3> arguments{&data, &size, &out};
  launch(find(kernel), 1, k_block, arguments.data());
  driver_.check(synchronize(), "running the planted fault");
}

void CudaHarness::fill(CUdeviceptr data, std::size_t bytes) {
  Word words = bytes / sizeof(Word);
  std::array<void*, 2> arguments{&data, &words};
  launch(fill_kernel_, multiprocessors_ * 8, k_threads, arguments.data());
  driver_.check(synchronize(), "filling a buffer");
}

}  // namespace kernelloop
