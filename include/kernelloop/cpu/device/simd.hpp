// Intrinsics over the two halfwords or four bytes of a word, and the maxima and minima of three
// operands.
#pragma once

#include <stdint.h>

namespace kernelloop_cpu {

// Part `i` of a word, of 16, 8 or all 32 bits.
template <int Bits, bool Signed>
constexpr int64_t simd_part(unsigned word, int i) {
  const uint64_t part = static_cast<uint64_t>(word) >> (Bits * i) & ((uint64_t{1} << Bits) - 1);
  const bool negative = Signed && (part >> (Bits - 1)) != 0;
  return static_cast<int64_t>(part) - (negative ? int64_t{1} << Bits : 0);
}

// The word of what `f` makes of the parts of the words; what has too many bits wraps.
template <int Bits, bool Signed, class F, class... Words>
constexpr unsigned simd_map(const F& f, Words... words) {
  unsigned result = 0;
  for (int i = 0; i < 32 / Bits; ++i) {
    const auto part = static_cast<uint64_t>(f(simd_part<Bits, Signed>(words, i)...));
    result |= static_cast<unsigned>((part & ((uint64_t{1} << Bits) - 1)) << (Bits * i));
  }
  return result;
}

template <int Bits, bool Signed>
constexpr int64_t simd_saturated(int64_t value) {
  const int64_t most = (int64_t{1} << (Signed ? Bits - 1 : Bits)) - 1;
  const int64_t least = Signed ? -most - 1 : 0;
  return value < least ? least : value > most ? most : value;
}

// a + b as a part holds it.
template <int Bits, bool Signed>
constexpr int64_t simd_wrapped_sum(int64_t a, int64_t b) {
  const auto bits = static_cast<uint64_t>(a + b) & ((uint64_t{1} << Bits) - 1);
  return simd_part<Bits, Signed>(static_cast<unsigned>(bits), 0);
}

constexpr int64_t simd_absolute(int64_t value) { return value < 0 ? -value : value; }
constexpr int64_t simd_larger(int64_t a, int64_t b) { return a > b ? a : b; }
constexpr int64_t simd_smaller(int64_t a, int64_t b) { return a < b ? a : b; }

// Halves are rounded away from zero.
constexpr int64_t simd_average(int64_t sum) { return sum < 0 ? -((1 - sum) / 2) : (sum + 1) / 2; }

template <int Bits, bool Signed>
constexpr unsigned simd_sum_of_differences(unsigned a, unsigned b) {
  int64_t sum = 0;
  for (int i = 0; i < 32 / Bits; ++i) {
    sum += simd_absolute(simd_part<Bits, Signed>(a, i) - simd_part<Bits, Signed>(b, i));
  }
  return static_cast<unsigned>(sum);
}

}  // namespace kernelloop_cpu

#define KERNELLOOP_SIMD_1(name, bits, sign, expression)                                      \
  constexpr unsigned name(unsigned word) {                                                   \
    return kernelloop_cpu::simd_map<bits, sign>([](int64_t a) { return expression; }, word); \
  }
#define KERNELLOOP_SIMD_2(name, bits, sign, expression)                                        \
  constexpr unsigned name(unsigned first, unsigned second) {                                   \
    return kernelloop_cpu::simd_map<bits, sign>(                                               \
        [](int64_t a, int64_t b) { return static_cast<int64_t>(expression); }, first, second); \
  }
// A comparison as a mask of its part, and as 0 or 1.
#define KERNELLOOP_SIMD_COMPARISON(suffix, bits, sign, operation)       \
  KERNELLOOP_SIMD_2(__vcmp##suffix, bits, sign, a operation b ? -1 : 0) \
  KERNELLOOP_SIMD_2(__vset##suffix, bits, sign, a operation b ? 1 : 0)
#define KERNELLOOP_SIMD_COMPARISONS(parts, bits)          \
  KERNELLOOP_SIMD_COMPARISON(eq##parts, bits, false, ==)  \
  KERNELLOOP_SIMD_COMPARISON(ne##parts, bits, false, !=)  \
  KERNELLOOP_SIMD_COMPARISON(ges##parts, bits, true, >=)  \
  KERNELLOOP_SIMD_COMPARISON(geu##parts, bits, false, >=) \
  KERNELLOOP_SIMD_COMPARISON(gts##parts, bits, true, >)   \
  KERNELLOOP_SIMD_COMPARISON(gtu##parts, bits, false, >)  \
  KERNELLOOP_SIMD_COMPARISON(les##parts, bits, true, <=)  \
  KERNELLOOP_SIMD_COMPARISON(leu##parts, bits, false, <=) \
  KERNELLOOP_SIMD_COMPARISON(lts##parts, bits, true, <)   \
  KERNELLOOP_SIMD_COMPARISON(ltu##parts, bits, false, <)
#define KERNELLOOP_SIMD_ARITHMETIC(parts, bits)                                                    \
  KERNELLOOP_SIMD_1(__vabs##parts, bits, true, kernelloop_cpu::simd_absolute(a))                   \
  KERNELLOOP_SIMD_1(                                                                               \
      __vabsss##parts, bits, true,                                                                 \
      (kernelloop_cpu::simd_saturated<bits, true>(kernelloop_cpu::simd_absolute(a))))              \
  KERNELLOOP_SIMD_1(__vneg##parts, bits, true, -a)                                                 \
  KERNELLOOP_SIMD_1(__vnegss##parts, bits, true, (kernelloop_cpu::simd_saturated<bits, true>(-a))) \
  KERNELLOOP_SIMD_2(__vabsdiffs##parts, bits, true, kernelloop_cpu::simd_absolute(a - b))          \
  KERNELLOOP_SIMD_2(__vabsdiffu##parts, bits, false, kernelloop_cpu::simd_absolute(a - b))         \
  KERNELLOOP_SIMD_2(__vadd##parts, bits, false, a + b)                                             \
  KERNELLOOP_SIMD_2(__vaddss##parts, bits, true,                                                   \
                    (kernelloop_cpu::simd_saturated<bits, true>(a + b)))                           \
  KERNELLOOP_SIMD_2(__vaddus##parts, bits, false,                                                  \
                    (kernelloop_cpu::simd_saturated<bits, false>(a + b)))                          \
  KERNELLOOP_SIMD_2(__vsub##parts, bits, false, a - b)                                             \
  KERNELLOOP_SIMD_2(__vsubss##parts, bits, true,                                                   \
                    (kernelloop_cpu::simd_saturated<bits, true>(a - b)))                           \
  KERNELLOOP_SIMD_2(__vsubus##parts, bits, false,                                                  \
                    (kernelloop_cpu::simd_saturated<bits, false>(a - b)))                          \
  KERNELLOOP_SIMD_2(__vavgs##parts, bits, true, kernelloop_cpu::simd_average(a + b))               \
  KERNELLOOP_SIMD_2(__vavgu##parts, bits, false, kernelloop_cpu::simd_average(a + b))              \
  KERNELLOOP_SIMD_2(__vhaddu##parts, bits, false, (a + b) / 2)                                     \
  KERNELLOOP_SIMD_2(__vmaxs##parts, bits, true, kernelloop_cpu::simd_larger(a, b))                 \
  KERNELLOOP_SIMD_2(__vmaxu##parts, bits, false, kernelloop_cpu::simd_larger(a, b))                \
  KERNELLOOP_SIMD_2(__vmins##parts, bits, true, kernelloop_cpu::simd_smaller(a, b))                \
  KERNELLOOP_SIMD_2(__vminu##parts, bits, false, kernelloop_cpu::simd_smaller(a, b))               \
  constexpr unsigned __vsads##parts(unsigned a, unsigned b) {                                      \
    return kernelloop_cpu::simd_sum_of_differences<bits, true>(a, b);                              \
  }                                                                                                \
  constexpr unsigned __vsadu##parts(unsigned a, unsigned b) {                                      \
    return kernelloop_cpu::simd_sum_of_differences<bits, false>(a, b);                             \
  }

KERNELLOOP_SIMD_COMPARISONS(2, 16)
KERNELLOOP_SIMD_COMPARISONS(4, 8)
KERNELLOOP_SIMD_ARITHMETIC(2, 16)
KERNELLOOP_SIMD_ARITHMETIC(4, 8)

// max(a, b, c), max(a + b, c), and max(a, b) with where a is the greater; the minima alike.
#define KERNELLOOP_SIMD_3(name, type, bits, sign, expression)        \
  constexpr type name(type first, type second, type third) {         \
    return static_cast<type>(kernelloop_cpu::simd_map<bits, sign>(   \
        [](int64_t a, int64_t b, int64_t c) {                        \
          using namespace kernelloop_cpu;                            \
          return expression;                                         \
        },                                                           \
        static_cast<unsigned>(first), static_cast<unsigned>(second), \
        static_cast<unsigned>(third)));                              \
  }
#define KERNELLOOP_SIMD_OF_THREE(max, select, type, suffix, bits, sign)               \
  KERNELLOOP_SIMD_3(__vi##max##3_##suffix, type, bits, sign, select(select(a, b), c)) \
  KERNELLOOP_SIMD_3(__viadd##max##_##suffix, type, bits, sign,                        \
                    select((simd_wrapped_sum<bits, sign>(a, b)), c))
// Of signed parts also with 0 as the least result.
#define KERNELLOOP_SIMD_RELU(max, select, type, suffix, bits)                        \
  KERNELLOOP_SIMD_3(__vi##max##3_##suffix##_relu, type, bits, true,                  \
                    simd_larger(select(select(a, b), c), 0))                         \
  KERNELLOOP_SIMD_3(__viadd##max##_##suffix##_relu, type, bits, true,                \
                    simd_larger(select((simd_wrapped_sum<bits, true>(a, b)), c), 0)) \
  constexpr type __vi##max##_##suffix##_relu(type a, type b) {                       \
    return __vi##max##3_##suffix##_relu(a, b, b);                                    \
  }
#define KERNELLOOP_SIMD_WHICH(max, type, suffix, operation)               \
  constexpr type __vib##max##_##suffix##32(type a, type b, bool* first) { \
    *first = a operation b;                                               \
    return *first ? a : b;                                                \
  }
#define KERNELLOOP_SIMD_WHICH_PARTS(max, suffix, sign, operation)                                 \
  constexpr unsigned __vib##max##_##suffix##16x2(unsigned a, unsigned b, bool* high, bool* low) { \
    using kernelloop_cpu::simd_part;                                                              \
    *high = simd_part<16, sign>(a, 1) operation simd_part<16, sign>(b, 1);                        \
    *low = simd_part<16, sign>(a, 0) operation simd_part<16, sign>(b, 0);                         \
    return ((*high ? a : b) & 0xFFFF0000u) | ((*low ? a : b) & 0xFFFFu);                          \
  }
#define KERNELLOOP_SIMD_EXTREME(max, select, operation)             \
  KERNELLOOP_SIMD_OF_THREE(max, select, int, s32, 32, true)         \
  KERNELLOOP_SIMD_OF_THREE(max, select, unsigned, u32, 32, false)   \
  KERNELLOOP_SIMD_OF_THREE(max, select, unsigned, s16x2, 16, true)  \
  KERNELLOOP_SIMD_OF_THREE(max, select, unsigned, u16x2, 16, false) \
  KERNELLOOP_SIMD_RELU(max, select, int, s32, 32)                   \
  KERNELLOOP_SIMD_RELU(max, select, unsigned, s16x2, 16)            \
  KERNELLOOP_SIMD_WHICH(max, int, s, operation)                     \
  KERNELLOOP_SIMD_WHICH(max, unsigned, u, operation)                \
  KERNELLOOP_SIMD_WHICH_PARTS(max, s, true, operation)              \
  KERNELLOOP_SIMD_WHICH_PARTS(max, u, false, operation)

KERNELLOOP_SIMD_EXTREME(max, simd_larger, >=)
KERNELLOOP_SIMD_EXTREME(min, simd_smaller, <=)

#undef KERNELLOOP_SIMD_EXTREME
#undef KERNELLOOP_SIMD_WHICH_PARTS
#undef KERNELLOOP_SIMD_WHICH
#undef KERNELLOOP_SIMD_RELU
#undef KERNELLOOP_SIMD_OF_THREE
#undef KERNELLOOP_SIMD_3
#undef KERNELLOOP_SIMD_ARITHMETIC
#undef KERNELLOOP_SIMD_COMPARISONS
#undef KERNELLOOP_SIMD_COMPARISON
#undef KERNELLOOP_SIMD_2
#undef KERNELLOOP_SIMD_1
