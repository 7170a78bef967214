#include "verify/inputs.hpp"

#include "support/error.hpp"
#include "support/random.hpp"
#include "verify/drawn_elements.hpp"

#include <algorithm>
#include <array>

namespace kernelloop {
namespace {

// Largest magnitude of an integer that reaches the reference unharmed.
constexpr double k_exact_integer = 0x1p53;

// Two elements at a time: a pair of normal numbers costs hardly more than one.
template <typename Real>
void fill_normal(const DrawnElements& elements, const InputValues& values,
                 const RandomStream& stream) {
  const auto mean = static_cast<Real>(values.mean);
  const auto deviation = static_cast<Real>(values.deviation);
  elements.fill([&](std::int64_t begin, std::int64_t end, const auto& put) {
    for (std::int64_t index = begin; index < end; index += 2) {
      const auto pair = stream.normal_pair<Real>(static_cast<std::uint64_t>(index / 2));
      put(index, mean + deviation * pair.first);
      if (index + 1 == end) break;
      put(index + 1, mean + deviation * pair.second);
    }
  });
}

void vary_constant(const Tensor& tensor, std::uint64_t seed, InputValues& values) {
  if (values.family != "constant" || !info(tensor.dtype).floating) return;
  const RandomStream stream(seed, tensor.name + ".varied");
  // Smaller or larger by 2 to 4, as the range that is served allows: a kernel may take it for a
  // limit on either side.
  const auto served = [&](double value) {
    return !(values.at_least && value < *values.at_least) &&
           !(values.at_most && value > *values.at_most);
  };
  const double factor = 2.0 + 2.0 * stream.uniform(0);
  std::array sides{values.value / factor, values.value * factor};
  if (stream.uniform(1) < 0.5) std::swap(sides[0], sides[1]);
  const auto side = std::find_if(sides.begin(), sides.end(), served);
  if (side != sides.end()) values.value = *side;
}

}  // namespace

void draw_tensor(const Tensor& tensor, const InputValues& values, std::uint64_t seed,
                 std::span<std::byte> bytes, std::span<double> exact) {
  const RandomStream stream(seed, tensor.name);
  const DrawnElements elements(tensor.dtype, bytes, exact);
  const auto at = [](std::int64_t index) { return static_cast<std::uint64_t>(index); };
  if (values.family == "normal") {
    if (tensor.dtype == DType::float64) {
      fill_normal<double>(elements, values, stream);
    } else {
      fill_normal<float>(elements, values, stream);
    }
  } else if (values.family == "uniform") {
    const double width = values.high - values.low;
    elements.fill_each(
        [&](std::int64_t index) { return values.low + width * stream.uniform(at(index)); });
  } else if (values.family == "constant") {
    elements.fill_each([&](std::int64_t) { return values.value; });
  } else if (values.family == "integers") {
    const double low = std::clamp(std::ceil(values.low), -k_exact_integer, k_exact_integer);
    const double high = std::clamp(std::floor(values.high), -k_exact_integer, k_exact_integer);
    elements.fill_each([&](std::int64_t index) {
      return std::min(high, low + std::floor((high - low + 1.0) * stream.uniform(at(index))));
    });
  } else {
    fail(ExitCode::bad_input,
         "input '{}': no values of family '{}'; use normal, uniform, constant or integers",
         tensor.name, values.family);
  }
  if (values.special_share > 0.0) {
    const RandomStream special(seed, tensor.name + ".special");
    elements.overwrite(values.special_value, [&](std::int64_t index) {
      return special.uniform(at(index)) < values.special_share;
    });
  }
}

std::map<std::string, double> draw_scalars(const OpSpec& spec, const Bindings& axes,
                                           const std::map<std::string, double>& overrides,
                                           std::uint64_t seed, bool vary) {
  std::map<std::string, double> scalars;
  for (const Tensor& tensor : spec.inputs) {
    if (!tensor.scalar) continue;
    InputValues values = values_at(tensor, axes);
    if (const auto found = overrides.find(tensor.name); found != overrides.end()) {
      values = {};
      values.family = "constant";
      values.value = found->second;
    } else if (vary) {
      vary_constant(tensor, seed, values);
    }
    std::array<std::byte, 8> bytes{};
    double exact = 0.0;
    draw_tensor(tensor, values, seed, std::span(bytes).first(info(tensor.dtype).size), {&exact, 1});
    scalars[tensor.name] = exact;
  }
  return scalars;
}

}  // namespace kernelloop
