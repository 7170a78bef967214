// Owners of what the driver hands out. Their destructors ignore errors: after a fault every call
// fails and the process ends anyway.
#pragma once

#include "device/cuda_driver.hpp"

#include <cstddef>
#include <functional>
#include <utility>

namespace kernelloop {

// The primary context of a device, current on this thread as long as this lives.
class CudaContext {
 public:
  CudaContext(const CudaDriver& driver, CUdevice device);
  ~CudaContext();
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

 private:
  const CudaDriver& driver_;
  CUdevice device_;
};

// A handle with one function that releases it.
template <typename Handle, auto Release>
class CudaOwner {
 public:
  CudaOwner() = default;
  CudaOwner(const CudaDriver& driver, Handle handle) : driver_(&driver), handle_(handle) {}
  ~CudaOwner() {
    if (driver_ != nullptr) (driver_->*Release)(handle_);
  }
  CudaOwner(CudaOwner&& other) noexcept
      : driver_(std::exchange(other.driver_, nullptr)), handle_(other.handle_) {}
  CudaOwner& operator=(CudaOwner&& other) noexcept {
    std::swap(driver_, other.driver_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  CudaOwner(const CudaOwner&) = delete;
  CudaOwner& operator=(const CudaOwner&) = delete;
  [[nodiscard]] Handle get() const noexcept { return handle_; }

 private:
  const CudaDriver* driver_ = nullptr;
  Handle handle_{};
};

using CudaLibrary = CudaOwner<CUlibrary, &CudaDriver::cuLibraryUnload>;
using CudaStream = CudaOwner<CUstream, &CudaDriver::cuStreamDestroy>;
using CudaEvent = CudaOwner<CUevent, &CudaDriver::cuEventDestroy>;
using CudaMemory = CudaOwner<CUdeviceptr, &CudaDriver::cuMemFree>;
using CudaHostMemory = CudaOwner<void*, &CudaDriver::cuMemFreeHost>;

using CudaGraph = CudaOwner<CUgraphExec, &CudaDriver::cuGraphExecDestroy>;

// What `enqueue` puts into the stream, which must be idle, as a graph that is ready to be launched
// there. Throws CudaFailure.
CudaGraph capture(const CudaDriver& driver, CUstream stream, const std::function<void()>& enqueue);

// A launch of our own kernels: one-dimensional.
struct CudaGrid {
  unsigned int blocks = 1;
  unsigned int threads = 1;
  CUstream stream = nullptr;
  unsigned int shared_bytes = 0;  // dynamic
};
void launch(const CudaDriver& driver, CUkernel kernel, const CudaGrid& grid, void** arguments);

CudaStream make_stream(const CudaDriver& driver);
CudaEvent make_event(const CudaDriver& driver);
// Throws Error(environment) that says how much was wanted and how much is free.
[[noreturn]] void fail_without_memory(const CudaDriver& driver, std::size_t bytes);
// At least one byte. Throws Error(environment) when the device has too little memory.
CudaMemory allocate(const CudaDriver& driver, std::size_t bytes);
// Host memory that the device copies from and to at the full speed of the bus.
CudaHostMemory allocate_pinned(const CudaDriver& driver, std::size_t bytes);
// Host memory that the device can read and write, zeroed.
CudaHostMemory allocate_mapped(const CudaDriver& driver, std::size_t bytes);

}  // namespace kernelloop
