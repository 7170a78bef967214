#include "bench/peak_rates.hpp"

#include "spec/precision.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace kernelloop {
namespace {

// Operations per clock and multiprocessor; a fused multiply-add is two. 0: there is no such unit,
// or its rate is not published.
//
// The ordinary pipes are those of the table "Throughput of Native Arithmetic Instructions" in the
// CUDA C++ Programming Guide, times two for multiply-adds, and:
// - fp32, fp16 and bf16 count comparisons as operations, which another pipe does meanwhile: to two
//   operations for each lane of the multiply-add pipe come those that the issue slots have left,
//   128 lanes in all (two for a packed comparison of 16-bit values). sm_100 and later issue two
//   float32 multiply-adds for a lane (fma.f32x2).
// - int32 is the issue limit with two operations a lane (IADD3, IMAD).
// - sfu adds to the special-function unit a quarter of the float32 multiply-adds: polynomials serve
//   an exponential too, and none that meets a 16-bit bound takes fewer than four.
// Tensor rates are dense and follow from the datasheets: rate / (multiprocessors x boost clock), of
// V100, T4, A100, RTX A6000, Orin, L40S, H100 SXM, B200, B300, RTX PRO 6000. Boards that run some
// of them at half rate (GeForce) are bounded less tightly.
struct Architecture {
  std::string_view name;
  double fp64, fp32, fp16, bf16, int32, sfu;
  double fp64_tensor, tf32_tensor, fp16_tensor, bf16_tensor, fp8_tensor, int8_tensor;
};

constexpr std::array<Architecture, 11> k_architectures{{
    //          fp64 fp32 fp16 bf16 int  sfu  fp64t tf32t fp16t bf16t fp8t   int8t
    {"sm_70", 64, 192, 384, 0, 256, 32, 0, 0, 1024, 0, 0, 0},
    {"sm_75", 4, 192, 384, 0, 256, 32, 0, 0, 1024, 0, 0, 2048},
    {"sm_80", 64, 192, 512, 384, 256, 32, 128, 1024, 2048, 2048, 0, 4096},
    {"sm_86", 4, 256, 384, 384, 256, 48, 0, 512, 1024, 1024, 0, 2048},
    {"sm_87", 4, 256, 512, 384, 256, 48, 0, 1024, 2048, 2048, 0, 4096},
    {"sm_89", 4, 256, 384, 384, 256, 48, 0, 512, 1024, 1024, 2048, 2048},
    {"sm_90", 128, 256, 512, 512, 256, 48, 256, 2048, 4096, 4096, 8192, 8192},
    {"sm_100", 128, 384, 512, 512, 256, 48, 128, 4096, 8192, 8192, 16384, 16384},
    {"sm_103", 0, 384, 512, 512, 256, 64, 0, 4096, 8192, 8192, 16384, 0},
    {"sm_120", 4, 384, 384, 384, 256, 48, 0, 512, 1024, 1024, 2048, 2048},
    {"sm_121", 4, 384, 384, 384, 256, 48, 0, 512, 1024, 1024, 2048, 2048},
}};

struct Unit {
  std::string_view name;
  double Architecture::*rate;
};

constexpr std::array<Unit, 12> k_units{{
    {"fp64", &Architecture::fp64},
    {"fp32", &Architecture::fp32},
    {"fp16", &Architecture::fp16},
    {"bf16", &Architecture::bf16},
    {"int32", &Architecture::int32},
    {"sfu", &Architecture::sfu},
    {"fp64_tensor", &Architecture::fp64_tensor},
    {"tf32_tensor", &Architecture::tf32_tensor},
    {"fp16_tensor", &Architecture::fp16_tensor},
    {"bf16_tensor", &Architecture::bf16_tensor},
    {"fp8_tensor", &Architecture::fp8_tensor},
    {"int8_tensor", &Architecture::int8_tensor},
}};

std::string_view unit_of_tensor_type(std::string_view ptx) {
  if (ptx == "f64") return "fp64_tensor";
  if (ptx == "tf32") return "tf32_tensor";
  if (ptx == "f16") return "fp16_tensor";
  if (ptx == "bf16") return "bf16_tensor";
  return ptx == "s8" || ptx == "u8" ? "int8_tensor" : "fp8_tensor";
}

// The units that may do the operations of a class. Special functions and double precision have no
// faster substitute: tensor cores that multiply narrower types give neither.
std::vector<std::string_view> units_for(const OpSpec& spec, std::string_view arithmetic) {
  if (arithmetic == "sfu") return {arithmetic};
  if (arithmetic == "fp64" || arithmetic == "fp64_tensor") return {"fp64", "fp64_tensor"};
  std::vector<std::string_view> units{arithmetic};
  for (const std::string_view type : tensor_core_types(spec)) {
    units.push_back(unit_of_tensor_type(type));
  }
  // Wider pipes serve a narrower class, and narrower ones a wider class where the op lets them.
  if (arithmetic != "int32" && arithmetic != "int8_tensor") {
    units.push_back("fp32");
    if (half_arithmetic_allowed(spec)) {
      units.push_back("fp16");
      units.push_back("bf16");
    }
  }
  return units;
}

}  // namespace

double operations_per_clock(std::string_view architecture, std::string_view unit) {
  const auto known =
      std::find_if(k_architectures.begin(), k_architectures.end(),
                   [&](const Architecture& one) { return one.name == architecture; });
  const auto column = std::find_if(k_units.begin(), k_units.end(),
                                   [&](const Unit& one) { return one.name == unit; });
  if (known == k_architectures.end() || column == k_units.end()) return 0;
  return *known.*column->rate;
}

std::optional<PeakRate> peak_rate(const DeviceDescription& device, double clock_hz,
                                  const OpSpec& spec, std::string_view arithmetic) {
  // A class whose own unit is unknown bounds nothing, whatever may serve it.
  if (!(operations_per_clock(device.architecture, arithmetic) > 0)) return std::nullopt;
  PeakRate peak;
  for (const std::string_view unit : units_for(spec, arithmetic)) {
    const double rate = operations_per_clock(device.architecture, unit) *
                        static_cast<double>(device.multiprocessors) * clock_hz;
    if (rate > peak.operations_per_second) peak = {rate, std::string(unit)};
  }
  return peak.operations_per_second > 0 ? std::optional<PeakRate>(peak) : std::nullopt;
}

}  // namespace kernelloop
