/* What a version built for the CPU device exports, and how the device program drives it.
 * Plain C, so that both sides can be built by different compilers. */
#ifndef KERNELLOOP_CPU_ABI_H
#define KERNELLOOP_CPU_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KERNELLOOP_CPU_ABI_VERSION 2

typedef struct KernelLoopCpuKernel {
  const char* name; /* as in the launch plan */
  size_t parameter_count;
  const size_t* parameter_sizes; /* bytes of each parameter */
  size_t static_shared_bytes;    /* of __shared__ variables, where known; else 0 */
} KernelLoopCpuKernel;

typedef struct KernelLoopCpuLaunch {
  size_t kernel; /* index into the table */
  uint64_t grid[3];
  uint64_t block[3];
  size_t dynamic_shared_bytes;
  void* const* arguments; /* one pointer per parameter, to a value of its size */
  uint64_t schedule_seed; /* 0: threads and blocks run in order; else as drawn from it */
  uint64_t noise_seed;    /* of what shared memory holds before a block; 0: 0xFF in every byte */
} KernelLoopCpuLaunch;

typedef enum KernelLoopCpuStatus {
  KERNELLOOP_CPU_OK = 0,
  KERNELLOOP_CPU_DIVERGENT_BARRIER = 1, /* some threads wait where others never come */
  KERNELLOOP_CPU_TRAP = 2,              /* __trap(), a failed assert */
  KERNELLOOP_CPU_LIMIT = 3,             /* block or shared memory over the limits of the GPU */
  KERNELLOOP_CPU_NOT_RUNNABLE = 4,      /* reached a construct that the emulation lacks */
  KERNELLOOP_CPU_MASK = 5               /* warp intrinsic with lanes missing from the mask */
} KernelLoopCpuStatus;

typedef struct KernelLoopCpuModule {
  uint32_t abi_version;
  size_t kernel_count;
  const KernelLoopCpuKernel* kernels;
  /* Runs one launch to its end on the calling thread. On a status other than OK, `message`
   * (of `message_size` bytes, zero-terminated) says what happened, with block, thread and, where
   * known, file:line. Out-of-bounds accesses end the process (sanitizer build) or raise SIGSEGV. */
  KernelLoopCpuStatus (*launch)(const KernelLoopCpuLaunch* launch, char* message,
                                size_t message_size);
} KernelLoopCpuModule;

/* The one exported symbol. */
const KernelLoopCpuModule* kernelloop_cpu_module(void);

#ifdef __cplusplus
}
#endif
#endif
