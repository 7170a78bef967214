#include "device/cuda_driver.hpp"

#include "support/error.hpp"

#include <dlfcn.h>

#define KERNELLOOP_TEXT_OF(name) #name
#define KERNELLOOP_TEXT(name) KERNELLOOP_TEXT_OF(name)

namespace kernelloop {
namespace {

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) {
    fail(ExitCode::environment,
         "the NVIDIA driver is too old: it lacks {}; this program needs a driver for CUDA {}.{} or "
         "newer",
         name, CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
  }
}

}  // namespace

CudaDriver CudaDriver::load() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fail(ExitCode::environment,
         "no NVIDIA driver on this machine ({}); use the device 'cpu', or a machine with a GPU",
         ::dlerror());
  }
  CudaDriver driver;
#define KERNELLOOP_CUDA_FIND(name) find(library, KERNELLOOP_TEXT(name), driver.name);
  KERNELLOOP_CUDA_FUNCTIONS(KERNELLOOP_CUDA_FIND)
#undef KERNELLOOP_CUDA_FIND
  driver.parameter_info =
      reinterpret_cast<CudaParameterInfo>(::dlsym(library, "cuKernelGetParamInfo"));
  const CUresult code = driver.cuInit(0);
  if (code != CUDA_SUCCESS) {
    fail(ExitCode::environment, "the NVIDIA driver does not start: {}; nvidia-smi may say more",
         driver.name_of(code));
  }
  int count = 0;
  if (driver.cuDeviceGetCount(&count) != CUDA_SUCCESS || count == 0) {
    fail(ExitCode::environment,
         "the NVIDIA driver shows no GPU to this process; look at CUDA_VISIBLE_DEVICES");
  }
  return driver;
}

std::string CudaDriver::name_of(CUresult code) const {
  const char* name = nullptr;
  const char* text = nullptr;
  if (cuGetErrorName(code, &name) != CUDA_SUCCESS || name == nullptr) name = "unknown error";
  if (cuGetErrorString(code, &text) != CUDA_SUCCESS || text == nullptr) text = "";
  return fmt::format("{} {} ({})", static_cast<int>(code), name, text);
}

void CudaDriver::check(CUresult code, const char* what) const {
  if (code != CUDA_SUCCESS) throw CudaFailure(code, fmt::format("{}: {}", what, name_of(code)));
}

}  // namespace kernelloop
