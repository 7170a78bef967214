#include "verify/linearity.hpp"

#include "verify/inputs.hpp"
#include "verify/reference_library.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace kernelloop {
namespace {

using Outputs = std::map<std::string, ReferenceOutput>;

class ScaledInputs {
 public:
  ScaledInputs(const OpSpec& spec, const Bindings& shape, std::uint64_t seed) : spec_(spec) {
    inputs_.axes = resolve_axes(spec, shape);
    inputs_.scalars = draw_scalars(spec, inputs_.axes, {}, seed);
    inputs_.finite = false;  // 0 / 0 is an answer too
    std::vector<std::byte> bytes;
    for (const Tensor& tensor : spec.inputs) {
      if (tensor.scalar) continue;
      std::vector<double>& values = values_[tensor.name];
      values.resize(static_cast<std::size_t>(element_count(tensor, inputs_.axes)));
      bytes.resize(values.size() * info(tensor.dtype).size);
      draw_tensor(tensor, values_at(tensor, inputs_.axes), seed, bytes, values);
      inputs_.tensors[tensor.name] = values;
    }
  }

  // The reference's outputs with the tensor `input` times `factor`.
  Outputs with(const ReferenceLibrary& reference, const std::string& input, double factor) {
    return run(reference, factor, [&](const Tensor& tensor) { return tensor.name == input; });
  }
  // With all other floating inputs times `factor`.
  Outputs beside(const ReferenceLibrary& reference, const std::string& input, double factor) {
    return run(reference, factor, [&](const Tensor& tensor) {
      return tensor.name != input && info(tensor.dtype).floating;
    });
  }

 private:
  template <typename Chosen>
  Outputs run(const ReferenceLibrary& reference, double factor, const Chosen& chosen) {
    ReferenceInputs inputs = inputs_;
    std::map<std::string, std::vector<double>> scaled;
    for (const Tensor& tensor : spec_.inputs) {
      if (!chosen(tensor)) continue;
      if (tensor.scalar) {
        inputs.scalars.at(tensor.name) *= factor;
        continue;
      }
      std::vector<double>& values = scaled[tensor.name];
      values = values_.at(tensor.name);
      for (double& value : values) value *= factor;
      inputs.tensors[tensor.name] = values;
    }
    return reference.run(spec_, inputs);
  }

  const OpSpec& spec_;
  ReferenceInputs inputs_;
  std::map<std::string, std::vector<double>> values_;
};

bool in_a_line(std::span<const double> none, std::span<const double> once,
               std::span<const double> twice) {
  constexpr double k_rounding = 1e-9;
  double size = 0.0;
  double off = 0.0;
  for (std::size_t i = 0; i < once.size(); ++i) {
    size = std::max({size, std::fabs(none[i]), std::fabs(once[i]), std::fabs(twice[i])});
    const double bend = std::fabs((twice[i] - once[i]) - (once[i] - none[i]));
    if (!(bend <= off)) off = bend;  // NaN too
  }
  return off <= k_rounding * size;
}

}  // namespace

bool is_made_of_products_of_two(const RungContext& context, const Bindings& shape,
                                std::uint64_t seed) {
  const OpSpec& spec = context.spec;
  const auto floating = [](const Tensor& tensor) { return info(tensor.dtype).floating; };
  if (std::none_of(spec.outputs.begin(), spec.outputs.end(), floating)) return false;
  ScaledInputs inputs(spec, shape, seed);
  const auto is_line = [&](const auto& at) {
    const Outputs none = at(0.0);
    const Outputs once = at(1.0);
    const Outputs twice = at(2.0);
    return std::all_of(once.begin(), once.end(), [&](const auto& entry) {
      const auto& [name, output] = entry;
      return in_a_line(none.at(name).values, output.values, twice.at(name).values);
    });
  };
  bool any = false;
  for (const Tensor& input : spec.inputs) {
    if (input.scalar || !floating(input)) continue;
    any = true;
    if (!is_line(
            [&](double factor) { return inputs.with(context.reference, input.name, factor); }) ||
        !is_line(
            [&](double factor) { return inputs.beside(context.reference, input.name, factor); })) {
      return false;
    }
  }
  return any;
}

}  // namespace kernelloop
