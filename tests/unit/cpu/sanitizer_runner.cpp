// Loads a sanitized version and launches one of its kernels, as a device worker does: started with
// sanitizer_environment(), every buffer a block of malloc.
//   cpu_sanitizer_runner LIBRARY KERNEL THREADS DYNAMIC_SHARED_BYTES SEED N
// The kernel's parameters are float* (of N elements) and int (N).
#include "kernelloop/cpu/abi.h"

#include <dlfcn.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv) {
  if (argc != 7) return 2;
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  using Entry = const KernelLoopCpuModule* (*)();
  const KernelLoopCpuModule* module =
      reinterpret_cast<Entry>(dlsym(library, "kernelloop_cpu_module"))();
  int n = std::atoi(argv[6]);
  float* x = static_cast<float*>(std::calloc(static_cast<std::size_t>(n), sizeof(float)));
  std::array<void*, 2> arguments = {&x, &n};
  KernelLoopCpuLaunch launch{};
  while (std::strcmp(module->kernels[launch.kernel].name, argv[2]) != 0) ++launch.kernel;
  for (int i = 0; i < 3; ++i) launch.grid[i] = launch.block[i] = 1;
  launch.grid[0] = 2;
  launch.block[0] = std::strtoull(argv[3], nullptr, 10);
  launch.dynamic_shared_bytes = std::strtoull(argv[4], nullptr, 10);
  launch.schedule_seed = std::strtoull(argv[5], nullptr, 10);
  launch.arguments = arguments.data();
  std::array<char, 512> message{};
  const KernelLoopCpuStatus status = module->launch(&launch, message.data(), message.size());
  std::printf("status %d %s\n", static_cast<int>(status), message.data());
  std::free(x);
  return 0;
}
