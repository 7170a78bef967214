// The words that CUDA adds to C++. What must be seen in the source (__global__, __shared__,
// __constant__, __launch_bounds__, __noinline__) is no macro: the builder rewrites it after
// preprocessing.
#pragma once

#define __host__
#define __device__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __nv_pure__
#define __builtin_assume(condition) static_cast<void>(0)
#define CUDART_VERSION 13000
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
