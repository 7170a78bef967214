// CUDA's own conversions and arithmetic, where its headers are installed.
#pragma once

#include <cstdint>

namespace kernelloop::testing::cuda {

float widen_half(std::uint16_t bits);
float widen_bfloat(std::uint16_t bits);
// As the kernel `shorten` in narrow.cu writes them.
void shorten(float value, std::uint16_t out[12]);
// As the kernel `shorten_double`.
void shorten_double(double value, std::uint16_t out[4]);
std::uint16_t widen_e4m3(std::uint8_t bits);
std::uint16_t widen_e5m2(std::uint8_t bits);
// As the kernel `arithmetic`.
void half_arithmetic(std::uint16_t a, std::uint16_t b, std::uint16_t out[8]);
void bfloat_arithmetic(std::uint16_t a, std::uint16_t b, std::uint16_t out[8]);

}  // namespace kernelloop::testing::cuda
