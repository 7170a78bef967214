// exact: small integers, so that nothing is rounded and every element must be right bit for bit.
#include "support/error.hpp"
#include "verify/compare.hpp"
#include "verify/inputs.hpp"
#include "verify/rung.hpp"
#include "verify/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelloop {
namespace {

// What the reference makes of the inputs of a case, in double.
std::map<std::string, ReferenceOutput> expected_of(const RungContext& context,
                                                   const CasePlan& plan) {
  ReferenceInputs inputs;
  inputs.axes = resolve_axes(context.spec, plan.variables);
  inputs.scalars = draw_scalars(context.spec, inputs.axes, plan.scalars, plan.seed);
  inputs.finite = false;
  std::vector<std::byte> bytes;
  std::map<std::string, std::vector<double>> values;
  for (const Tensor& tensor : context.spec.inputs) {
    if (tensor.scalar) continue;
    std::vector<double>& exact = values[tensor.name];
    exact.resize(static_cast<std::size_t>(element_count(tensor, inputs.axes)));
    bytes.resize(exact.size() * info(tensor.dtype).size);
    draw_input(context.spec, tensor, inputs.axes, plan.family, plan.seed, bytes, exact);
    inputs.tensors[tensor.name] = exact;
  }
  return context.reference.run(context.spec, inputs);
}

// Whether some floating output can hold all that the reference computes.
bool is_exact(const RungContext& context, const CasePlan& plan) {
  const auto expected = expected_of(context, plan);
  return std::any_of(context.spec.outputs.begin(), context.spec.outputs.end(),
                     [&](const Tensor& output) {
                       return info(output.dtype).floating &&
                              holds_exactly(output.dtype, expected.at(output.name).values);
                     });
}

}  // namespace

std::vector<CasePlan> exact_cases(const RungContext& context) {
  const OpSpec& spec = context.spec;
  const std::optional<bool>& declared = spec.precision.exact;
  if (declared == false || !applies(exact_integers(), spec)) return {};
  std::vector<CasePlan> cases;
  const auto add_exact_ones = [&](const std::vector<Bindings>& shapes) {
    for (const Bindings& shape : shapes) {
      CasePlan plan = shape_case(context, shape, 0);
      plan.family = {&exact_integers(), ""};
      plan.runs.resize(1);
      if (is_exact(context, plan)) {
        cases.push_back(std::move(plan));
      } else if (declared == true) {
        fail(ExitCode::bad_input,
             "op '{}': precision.exact is true, but the reference's results for small integers "
             "({}) cannot be held by any output; set it to false, or leave it out",
             spec.name, plan.name);
      }
    }
  };
  add_exact_ones(value_shapes(spec, context.device, "exact"));
  // More terms are no more exact than few.
  if (cases.empty()) return cases;
  if (const auto own = spec.ladder.shapes.find("exact");
      own == spec.ladder.shapes.end() || own->second.empty()) {
    // As long as can be with one index of the others, and with 11: beyond a vector, and odd as
    // well.
    for (const std::int64_t others : {1, 11}) {
      add_exact_ones(long_for_every_launch(
          context, long_odd_shapes(spec, context.device, others, context.seeds.next())));
    }
  }
  return cases;
}

}  // namespace kernelloop
