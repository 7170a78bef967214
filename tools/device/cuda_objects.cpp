#include "device/cuda_objects.hpp"

#include "support/error.hpp"

#include <algorithm>
#include <cstring>

namespace kernelloop {

CudaContext::CudaContext(const CudaDriver& driver, CUdevice device)
    : driver_(driver), device_(device) {
  CUcontext context = nullptr;
  driver.check(driver.cuDevicePrimaryCtxRetain(&context, device), "creating a context");
  driver.check(driver.cuCtxSetCurrent(context), "using the context");
}

CudaContext::~CudaContext() { driver_.cuDevicePrimaryCtxRelease(device_); }

CudaGraph capture(const CudaDriver& driver, CUstream stream, const std::function<void()>& enqueue) {
  // Other streams are ours alone: what they do meanwhile cannot disturb the graph.
  driver.check(driver.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
               "beginning a graph");
  CUgraph recorded = nullptr;
  try {
    enqueue();
  } catch (...) {
    driver.cuStreamEndCapture(stream, &recorded);
    if (recorded != nullptr) driver.cuGraphDestroy(recorded);
    throw;
  }
  driver.check(driver.cuStreamEndCapture(stream, &recorded), "ending a graph");
  CUgraphExec executable = nullptr;
  const CUresult code = driver.cuGraphInstantiateWithFlags(&executable, recorded, 0);
  driver.cuGraphDestroy(recorded);
  driver.check(code, "instantiating a graph");
  CudaGraph graph(driver, executable);
  driver.check(driver.cuGraphUpload(executable, stream), "uploading a graph");
  return graph;
}

void launch(const CudaDriver& driver, CUkernel kernel, const CudaGrid& grid, void** arguments) {
  CUlaunchConfig config{};
  config.gridDimX = grid.blocks;
  config.gridDimY = 1;
  config.gridDimZ = 1;
  config.blockDimX = grid.threads;
  config.blockDimY = 1;
  config.blockDimZ = 1;
  config.sharedMemBytes = grid.shared_bytes;
  config.hStream = grid.stream;
  driver.check(
      driver.cuLaunchKernelEx(&config, reinterpret_cast<CUfunction>(kernel), arguments, nullptr),
      "launching a kernel of the harness");
}

CudaStream make_stream(const CudaDriver& driver) {
  CUstream stream = nullptr;
  driver.check(driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  return {driver, stream};
}

CudaEvent make_event(const CudaDriver& driver) {
  CUevent event = nullptr;
  driver.check(driver.cuEventCreate(&event, CU_EVENT_DEFAULT), "creating an event");
  return {driver, event};
}

void fail_without_memory(const CudaDriver& driver, std::size_t bytes) {
  std::size_t available = 0;
  std::size_t total = 0;
  driver.cuMemGetInfo(&available, &total);
  fail(ExitCode::environment,
       "the GPU has no {} MiB left ({} of {} MiB are free): use smaller shapes, or end what else "
       "runs on it",
       (bytes >> 20) + 1, available >> 20, total >> 20);
}

CudaMemory allocate(const CudaDriver& driver, std::size_t bytes) {
  CUdeviceptr address = 0;
  const CUresult code = driver.cuMemAlloc(&address, std::max<std::size_t>(bytes, 1));
  if (code == CUDA_ERROR_OUT_OF_MEMORY) fail_without_memory(driver, bytes);
  driver.check(code, "allocating device memory");
  return {driver, address};
}

CudaHostMemory allocate_pinned(const CudaDriver& driver, std::size_t bytes) {
  void* address = nullptr;
  driver.check(driver.cuMemHostAlloc(&address, bytes, 0), "allocating pinned memory");
  return {driver, address};
}

CudaHostMemory allocate_mapped(const CudaDriver& driver, std::size_t bytes) {
  void* address = nullptr;
  driver.check(driver.cuMemHostAlloc(&address, bytes, CU_MEMHOSTALLOC_DEVICEMAP),
               "allocating mapped memory");
  std::memset(address, 0, bytes);
  return {driver, address};
}

}  // namespace kernelloop
