// Stands in for the CUDA device where the CUDA toolkit was not found when the program was built.
#include "device/cuda_device.hpp"
#include "support/error.hpp"

namespace kernelloop {

namespace {

[[noreturn]] void fail_absent() {
  fail(ExitCode::environment,
       "this kernelloop-device was built without the CUDA toolkit (cuda.h and nvcc) and cannot "
       "drive a GPU; install the toolkit and build it again, or use the device 'cpu'");
}

}  // namespace

std::unique_ptr<Device> make_cuda_device() { fail_absent(); }

std::vector<DeviceDescription> list_cuda_devices() { fail_absent(); }

}  // namespace kernelloop
