// What generated launchers stand on: an embedded image that is loaded once, and a launch.
// C++17; the CUDA runtime is the only dependency.
#pragma once

#include <cuda_runtime_api.h>

#include <kernelloop/checked.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mutex>

namespace kernelloop::detail {

// An architecture that an image was compiled for: sm_90a is {9, 0, 'a'}.
struct Target {
  int major;
  int minor;
  char feature;  // 'a': this chip only; 'f': its family; '\0': later minors of the major too

  [[nodiscard]] constexpr bool runs_on(int device_major, int device_minor) const noexcept {
    if (major != device_major) return false;
    return feature == 'a' ? minor == device_minor : minor <= device_minor;
  }
};

// A kernel of an image, and what its launches need allowed.
struct KernelNeeds {
  const char* name;
  bool large_shared;   // may ask for more than 48 KiB of dynamic shared memory
  bool large_cluster;  // may ask for clusters of more than 8 blocks
};

inline constexpr int k_most_devices = 64;

// The kernels of one embedded image. Must have static storage duration. Loads the image at the
// first use in the process and prepares each device at its first use; after that, `acquire` takes
// no lock and allocates nothing. The image is never unloaded: the runtime does so at exit.
template <std::size_t kernel_count, std::size_t target_count>
class KernelSet {
 public:
  constexpr KernelSet(const void* image, const KernelNeeds (&needs)[kernel_count],
                      const Target (&targets)[target_count]) noexcept
      : image_(image), needs_(needs), targets_(targets) {}

  // Makes the kernels ready on the current device. cudaErrorNoKernelImageForDevice when the image
  // holds nothing for it. A failure is not remembered: the next call tries again.
  cudaError_t acquire() noexcept {
    int device = 0;
    const cudaError_t status = cudaGetDevice(&device);
    if (status != cudaSuccess) return status;
    if (device < 0 || device >= k_most_devices) return cudaErrorInvalidDevice;
    switch (states_[device].load(std::memory_order_acquire)) {
      case k_ready:
        return cudaSuccess;
      case k_unsupported:
        return cudaErrorNoKernelImageForDevice;
      default:
        return prepare(device);
    }
  }

  // After acquire() returned cudaSuccess.
  [[nodiscard]] cudaKernel_t kernel(std::size_t index) const noexcept { return kernels_[index]; }

 private:
  enum State : unsigned char { k_unknown, k_ready, k_unsupported };

  cudaError_t prepare(int device) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (states_[device].load(std::memory_order_relaxed) == k_ready) return cudaSuccess;
    // Loading may allocate, which a stream capture in global or thread-local mode forbids to its
    // thread, although it touches no captured stream. Relaxed mode says that we know.
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaError_t status = cudaThreadExchangeStreamCaptureMode(&mode);
    if (status != cudaSuccess) return status;
    status = load_on(device);
    const cudaError_t restored = cudaThreadExchangeStreamCaptureMode(&mode);
    if (status == cudaErrorNoKernelImageForDevice) {
      states_[device].store(k_unsupported, std::memory_order_release);
    }
    if (status == cudaSuccess && restored == cudaSuccess) {
      states_[device].store(k_ready, std::memory_order_release);
    }
    return status != cudaSuccess ? status : restored;
  }

  cudaError_t load_on(int device) noexcept {
    int major = 0;
    int minor = 0;
    cudaError_t status = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    if (status == cudaSuccess) {
      status = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    }
    if (status != cudaSuccess) return status;
    bool fits = false;
    for (const Target& target : targets_) fits = fits || target.runs_on(major, minor);
    if (!fits) return cudaErrorNoKernelImageForDevice;
    if (library_ == nullptr) {
      cudaLibrary_t library = nullptr;
      status = cudaLibraryLoadData(&library, image_, nullptr, nullptr, 0, nullptr, nullptr, 0);
      if (status != cudaSuccess) return status;
      library_ = library;
    }
    for (std::size_t i = 0; i < kernel_count && status == cudaSuccess; ++i) {
      status = prepare_kernel(i, device);
    }
    return status;
  }

  cudaError_t prepare_kernel(std::size_t index, int device) noexcept {
    // The handle serves every device, and other threads may read it already: write it once.
    if (kernels_[index] == nullptr) {
      const cudaError_t status =
          cudaLibraryGetKernel(&kernels_[index], library_, needs_[index].name);
      if (status != cudaSuccess) return status;
    }
    const cudaKernel_t kernel = kernels_[index];
    // Asking for attributes also brings the code onto the device, so that a first launch need not.
    cudaFuncAttributes attributes{};
    cudaError_t status = cudaFuncGetAttributes(&attributes, static_cast<const void*>(kernel));
    if (status == cudaSuccess && needs_[index].large_shared) {
      int most = 0;
      status = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
      if (status == cudaSuccess) {
        status = cudaKernelSetAttributeForDevice(
            kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
            most - static_cast<int>(attributes.sharedSizeBytes), device);
      }
    }
    if (status == cudaSuccess && needs_[index].large_cluster) {
      status = cudaKernelSetAttributeForDevice(
          kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1, device);
    }
    return status;
  }

  const void* image_;
  const KernelNeeds (&needs_)[kernel_count];
  const Target (&targets_)[target_count];
  std::mutex mutex_{};
  std::atomic<unsigned char> states_[k_most_devices]{};
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernels_[kernel_count]{};
};

// One launch in numbers.
struct LaunchSize {
  unsigned grid[3];
  unsigned block[3];
  unsigned cluster[3];
  std::size_t shared_bytes;
};

// A launch dimension: from 1 to `most`, or the flag is set.
constexpr unsigned dimension(Checked value, std::int64_t most, bool& failed) noexcept {
  if (value.value() < 1 || value.value() > most) {
    failed = true;
    return 1;
  }
  return static_cast<unsigned>(value.value());
}

// A size or offset in bytes: not negative, or the flag is set.
constexpr std::size_t byte_count(Checked value, bool& failed) noexcept {
  if (value.value() < 0) {
    failed = true;
    return 0;
  }
  return static_cast<std::size_t>(value.value());
}

// A kernel argument of 4 bytes: the flag is set when the value does not fit.
constexpr std::int32_t narrow(Checked value, bool& failed) noexcept {
  if (value.value() < std::numeric_limits<std::int32_t>::min() ||
      value.value() > std::numeric_limits<std::int32_t>::max()) {
    failed = true;
    return 0;
  }
  return static_cast<std::int32_t>(value.value());
}

// What verified kernels may rely on: everything that cudaMalloc promises of the workspace. The
// alignment of tensors stands in the operator's specification.
inline constexpr std::uintptr_t k_workspace_alignment = 256;

inline bool is_aligned(const void* pointer, std::uintptr_t alignment) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer) % alignment == 0;
}

struct LaunchOptions {
  bool cluster = false;
  bool cooperative = false;
  bool programmatic_dependent = false;
};

inline cudaError_t launch(cudaKernel_t kernel, const LaunchSize& size, LaunchOptions options,
                          void** arguments, cudaStream_t stream) noexcept {
  cudaLaunchAttribute attributes[3];
  unsigned count = 0;
  if (options.cluster) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count].val.clusterDim.x = size.cluster[0];
    attributes[count].val.clusterDim.y = size.cluster[1];
    attributes[count].val.clusterDim.z = size.cluster[2];
    ++count;
  }
  if (options.cooperative) {
    attributes[count].id = cudaLaunchAttributeCooperative;
    attributes[count].val.cooperative = 1;
    ++count;
  }
  if (options.programmatic_dependent) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count].val.programmaticStreamSerializationAllowed = 1;
    ++count;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(size.grid[0], size.grid[1], size.grid[2]);
  config.blockDim = dim3(size.block[0], size.block[1], size.block[2]);
  config.dynamicSmemBytes = size.shared_bytes;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  return cudaLaunchKernelExC(&config, static_cast<const void*>(kernel), arguments);
}

}  // namespace kernelloop::detail
