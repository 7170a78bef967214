// Stands in for the C library's header: a failed assertion stops the launch, not the process. Like
// the original it can be included several times, with and without NDEBUG.
#include "cuda_runtime.h"

#ifndef KERNELLOOP_CPU_ASSERT_FAILED
#define KERNELLOOP_CPU_ASSERT_FAILED
// A name of the implementation's: the macro's words count as the version's own, which may not name
// the layer.
[[noreturn]] inline void __assertion_failed(const char* expression, const char* file,
                                            unsigned line) {
  kernelloop_cpu::stop_at(KERNELLOOP_CPU_TRAP, kernelloop_cpu::Site{file, line, 0},
                          "assertion `%s` failed", expression);
}
#endif

#undef assert
#ifdef NDEBUG
#define assert(expression) static_cast<void>(0)
#else
#define assert(...) \
  ((__VA_ARGS__) ? static_cast<void>(0) : __assertion_failed(#__VA_ARGS__, __FILE__, __LINE__))
#endif
