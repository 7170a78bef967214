// What the builder adds for each kernel: a way to call it with pointers to its arguments, and a
// record of its parameters that can be read from the file without running anything.
#pragma once

#include "launch.hpp"

namespace kernelloop_cpu {

template <typename Function>
struct Signature;

template <typename... Parameters>
struct Signature<void (*)(Parameters...)> {
  static constexpr size_t count = sizeof...(Parameters);
  static constexpr size_t sizes[count + 1] = {sizeof(Parameters)..., 0};

  // Found by the builder through `marker`, which is unique to the build and the kernel.
  struct Record {
    char marker[80];
    uint64_t max_threads;
    uint64_t parameter_count;
    uint64_t sizes_and_alignments[2 * sizeof...(Parameters) + 1];
  };

  static constexpr Record record(const char* marker, uint64_t max_threads) {
    Record result{};
    for (size_t i = 0; i + 1 < sizeof result.marker && marker[i] != '\0'; ++i) {
      result.marker[i] = marker[i];
    }
    result.max_threads = max_threads;
    result.parameter_count = count;
    [[maybe_unused]] size_t i = 0;
    ((result.sizes_and_alignments[i] = sizeof(Parameters),
      result.sizes_and_alignments[i + 1] = alignof(Parameters), i += 2),
     ...);
    return result;
  }

  template <void (*kernel)(Parameters...)>
  static void call(void* const* arguments) {
    call_with<kernel>(arguments, static_cast<Signature*>(nullptr), Indices<count>{});
  }

 private:
  template <size_t... index>
  struct List {};
  template <size_t n, size_t... index>
  struct Build : Build<n - 1, n - 1, index...> {};
  template <size_t... index>
  struct Build<0, index...> : List<index...> {};
  template <size_t n>
  using Indices = Build<n>;

  template <void (*kernel)(Parameters...), size_t... index>
  static void call_with(void* const* arguments, Signature*, List<index...>) {
    (void)arguments;
    kernel(*static_cast<const Parameters*>(arguments[index])...);
  }
};

constexpr uint32_t k_abi_version = KERNELLOOP_CPU_ABI_VERSION;

// `kernels` has `count` entries.
inline KernelLoopCpuStatus launch_one_of(const Kernel* const* kernels, size_t count,
                                         const KernelLoopCpuLaunch& launch, char* message,
                                         size_t size) {
  if (launch.kernel >= count) {
    return refuse(KERNELLOOP_CPU_NOT_RUNNABLE, message, size,
                  "there is no kernel %zu; there are %zu", launch.kernel, count);
  }
  return run_launch(*kernels[launch.kernel], launch, message, size);
}

template <typename Function>
constexpr KernelLoopCpuKernel describe(const char* name) {
  return KernelLoopCpuKernel{name, Signature<Function>::count, Signature<Function>::sizes, 0};
}

}  // namespace kernelloop_cpu
