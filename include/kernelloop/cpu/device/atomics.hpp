// Atomics. One CUDA thread runs at a time, so plain reads and writes do.
#pragma once

#include "warp_functions.hpp"

namespace kernelloop_cpu {

template <typename T, typename F>
inline T exchange_with(T* address, F next, Site site) {
  count_atomic(site);
  __asm__ volatile("" ::: "memory");  // as fresh as a spin loop needs it
  const T old = *address;
  *address = next(old);
  return old;
}

}  // namespace kernelloop_cpu

// The forms for one block or the whole system do the same.
#define KERNELLOOP_CPU_ATOMIC(type, name, expression)                         \
  inline type name(type* address, type value, KERNELLOOP_CPU_SITE) {          \
    return kernelloop_cpu::exchange_with(                                     \
        address, [value](type old) -> type { return expression; }, site);     \
  }                                                                           \
  inline type name##_block(type* address, type value, KERNELLOOP_CPU_SITE) {  \
    return name(address, value, site);                                        \
  }                                                                           \
  inline type name##_system(type* address, type value, KERNELLOOP_CPU_SITE) { \
    return name(address, value, site);                                        \
  }

#define KERNELLOOP_CPU_ATOMICS_OF_INTEGERS(type)                                         \
  KERNELLOOP_CPU_ATOMIC(type, atomicMin, value < old ? value : old)                      \
  KERNELLOOP_CPU_ATOMIC(type, atomicMax, old < value ? value : old)                      \
  KERNELLOOP_CPU_ATOMIC(type, atomicAnd, old& value)                                     \
  KERNELLOOP_CPU_ATOMIC(type, atomicOr, old | value)                                     \
  KERNELLOOP_CPU_ATOMIC(type, atomicXor, old ^ value)                                    \
  KERNELLOOP_CPU_ATOMIC(type, atomicExch, ((void)old, value))                            \
  inline type atomicCAS(type* address, type expected, type value, KERNELLOOP_CPU_SITE) { \
    return kernelloop_cpu::exchange_with(                                                \
        address, [=](type old) -> type { return old == expected ? value : old; }, site); \
  }

KERNELLOOP_CPU_ATOMICS_OF_INTEGERS(int)
KERNELLOOP_CPU_ATOMICS_OF_INTEGERS(unsigned int)
KERNELLOOP_CPU_ATOMICS_OF_INTEGERS(long long)
KERNELLOOP_CPU_ATOMICS_OF_INTEGERS(unsigned long long)
#undef KERNELLOOP_CPU_ATOMICS_OF_INTEGERS

// Integers wrap round, without undefined behaviour.
KERNELLOOP_CPU_ATOMIC(int, atomicAdd,
                      static_cast<int>(static_cast<unsigned>(old) + static_cast<unsigned>(value)))
KERNELLOOP_CPU_ATOMIC(int, atomicSub,
                      static_cast<int>(static_cast<unsigned>(old) - static_cast<unsigned>(value)))
KERNELLOOP_CPU_ATOMIC(unsigned int, atomicAdd, old + value)
KERNELLOOP_CPU_ATOMIC(unsigned int, atomicSub, old - value)
KERNELLOOP_CPU_ATOMIC(unsigned long long, atomicAdd, old + value)
KERNELLOOP_CPU_ATOMIC(float, atomicAdd, old + value)
KERNELLOOP_CPU_ATOMIC(double, atomicAdd, old + value)
KERNELLOOP_CPU_ATOMIC(float, atomicExch, ((void)old, value))
KERNELLOOP_CPU_ATOMIC(unsigned int, atomicInc, old >= value ? 0u : old + 1u)
KERNELLOOP_CPU_ATOMIC(unsigned int, atomicDec, old == 0u || old > value ? value : old - 1u)

inline unsigned short atomicCAS(unsigned short* address, unsigned short expected,
                                unsigned short value, KERNELLOOP_CPU_SITE) {
  return kernelloop_cpu::exchange_with(
      address, [=](unsigned short old) { return old == expected ? value : old; }, site);
}
inline float2 atomicAdd(float2* address, float2 value, KERNELLOOP_CPU_SITE) {
  return float2{atomicAdd(&address->x, value.x, site), atomicAdd(&address->y, value.y, site)};
}
inline float4 atomicAdd(float4* address, float4 value, KERNELLOOP_CPU_SITE) {
  return float4{atomicAdd(&address->x, value.x, site), atomicAdd(&address->y, value.y, site),
                atomicAdd(&address->z, value.z, site), atomicAdd(&address->w, value.w, site)};
}
