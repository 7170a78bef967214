// Stands in for the C library's header: a failed assertion stops the launch, not the process. Like
// the original it can be included several times, with and without NDEBUG.
#include "cuda_runtime.h"

#ifndef KERNELLOOP_CPU_ASSERT_FAILED
#define KERNELLOOP_CPU_ASSERT_FAILED
namespace kernelloop_cpu {
[[noreturn]] inline void assert_failed(const char* expression, Site site) {
  stop_at(KERNELLOOP_CPU_TRAP, site, "assertion `%s` failed", expression);
}
}  // namespace kernelloop_cpu
#endif

#undef assert
#ifdef NDEBUG
#define assert(expression) static_cast<void>(0)
#else
#define assert(...)                                              \
  ((__VA_ARGS__) ? static_cast<void>(0)                          \
                 : ::kernelloop_cpu::assert_failed(#__VA_ARGS__, \
                                                   ::kernelloop_cpu::Site{__FILE__, __LINE__}))
#endif
