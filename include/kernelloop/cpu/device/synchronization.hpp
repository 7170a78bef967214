// Barriers, fences, clocks and traps.
#pragma once

#include "../runtime/launch.hpp"
#include <time.h>

namespace kernelloop_cpu {
inline constexpr const char k_syncthreads[] = "__syncthreads()";
inline constexpr const char k_syncthreads_or[] = "__syncthreads_or()";
inline constexpr const char k_syncthreads_and[] = "__syncthreads_and()";
inline constexpr const char k_syncthreads_count[] = "__syncthreads_count()";
}  // namespace kernelloop_cpu

inline void __syncthreads(kernelloop_cpu::Site site = kernelloop_cpu::Site::here()) {
  kernelloop_cpu::wait_at_barrier(false, kernelloop_cpu::k_syncthreads, site);
}
inline int __syncthreads_or(int predicate,
                            kernelloop_cpu::Site site = kernelloop_cpu::Site::here()) {
  kernelloop_cpu::wait_at_barrier(predicate != 0, kernelloop_cpu::k_syncthreads_or, site);
  return kernelloop_cpu::state.barrier_result != 0;
}
inline int __syncthreads_and(int predicate,
                             kernelloop_cpu::Site site = kernelloop_cpu::Site::here()) {
  kernelloop_cpu::wait_at_barrier(predicate != 0, kernelloop_cpu::k_syncthreads_and, site);
  return kernelloop_cpu::state.barrier_result == kernelloop_cpu::state.barrier_arrivals;
}
inline int __syncthreads_count(int predicate,
                               kernelloop_cpu::Site site = kernelloop_cpu::Site::here()) {
  kernelloop_cpu::wait_at_barrier(predicate != 0, kernelloop_cpu::k_syncthreads_count, site);
  return static_cast<int>(kernelloop_cpu::state.barrier_result);
}

// One thread runs at a time, so memory is always in order. A fence in a spin loop still has to let
// the others run.
inline void __threadfence(kernelloop_cpu::Site site = kernelloop_cpu::Site::here()) {
  __asm__ volatile("" ::: "memory");
  kernelloop_cpu::count_atomic(site);
}
inline void __threadfence_block(kernelloop_cpu::Site site = kernelloop_cpu::Site::here()) {
  __threadfence(site);
}
inline void __threadfence_system(kernelloop_cpu::Site site = kernelloop_cpu::Site::here()) {
  __threadfence(site);
}
inline void __nanosleep(unsigned, kernelloop_cpu::Site site = kernelloop_cpu::Site::here()) {
  kernelloop_cpu::yield(site);
}

inline unsigned long long __globaltimer() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<unsigned long long>(now.tv_sec) * 1000000000ull +
         static_cast<unsigned long long>(now.tv_nsec);
}
inline long long clock64() {
#if defined(__x86_64__)
  return static_cast<long long>(__builtin_ia32_rdtsc());
#else
  return static_cast<long long>(__globaltimer());
#endif
}

[[noreturn]] inline void __trap(kernelloop_cpu::Site site = kernelloop_cpu::Site::here()) {
  kernelloop_cpu::stop_at(KERNELLOOP_CPU_TRAP, site, "__trap()");
}
inline void __brkpt() {}

// Launches run one after the other: a dependent launch never starts early.
inline void cudaGridDependencySynchronize() {}
inline void cudaTriggerProgrammaticLaunchCompletion() {}
