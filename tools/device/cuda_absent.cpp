// Stands in for the CUDA device where the CUDA toolkit was not found when the program was built.
#include "device/cuda_device.hpp"
#include "support/error.hpp"

namespace kernelloop {

std::unique_ptr<Device> make_cuda_device() {
  fail(ExitCode::environment,
       "this kernelloop-device was built without the CUDA toolkit (cuda.h and nvcc) and cannot "
       "drive a GPU; install the toolkit and build it again, or use the device 'cpu'");
}

}  // namespace kernelloop
