#include "support/error.hpp"

#include "comparator.hpp"

namespace kernelloop::benchmark {

int on_gpu() {
  fail(ExitCode::environment,
       "built without CUDA: the GPU part of this benchmark needs the CUDA Toolkit 12 or later");
}

}  // namespace kernelloop::benchmark
