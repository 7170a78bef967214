#include "propose/prompt.hpp"
#include "spec/precision.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernelloop {
namespace {

std::string describe_axis(const Axis& axis) {
  std::string text = "- `" + axis.name + "`: ";
  switch (axis.kind) {
    case Axis::Kind::constant:
      text += fmt::format("constant {}", axis.value);
      break;
    case Axis::Kind::variable:
      text += "any size from 1";
      break;
    case Axis::Kind::expression:
      text += "`" + axis.formula->text() + "`";
      break;
  }
  return text + (axis.description.empty() ? "" : "; " + axis.description) + "\n";
}

std::string describe_tensor(const char* kind, const Tensor& tensor) {
  const DTypeInfo& type = info(tensor.dtype);
  const std::string shape =
      tensor.scalar ? "scalar, by value" : fmt::format("[{}]", fmt::join(tensor.shape, ", "));
  const std::string header =
      type.cuda_header.empty() ? "" : fmt::format(" from {}", type.cuda_header);
  const std::string alignment = tensor.alignment == Tensor().alignment
                                    ? ""
                                    : fmt::format(", aligned to {} bytes", tensor.alignment);
  return fmt::format("- {} `{}`: {} {} (`{}`{}{}){}\n", kind, tensor.name, type.name, shape,
                     type.cuda_type, header, alignment,
                     tensor.description.empty() ? "" : "; " + tensor.description);
}

std::string describe_workloads(const OpSpec& spec, const std::string& device) {
  std::string text;
  for (const Workload& workload : spec.workloads_for(device)) {
    std::string axes;
    for (const auto& [name, value] : workload.axes) {
      axes += fmt::format("{}{}={}", axes.empty() ? "" : ", ", name, value);
    }
    for (const auto& [name, value] : workload.scalars) axes += fmt::format(", {}={}", name, value);
    text += fmt::format("- {}: {} (weight {:g})\n", workload.name, axes, workload.weight);
  }
  return text;
}

}  // namespace

std::string describe_op(const OpSpec& spec, const std::string& device) {
  std::string text = "`" + spec.name + "`: " + spec.description + "\n\nAxes:\n";
  for (const Axis& axis : spec.axes) text += describe_axis(axis);
  text += "\nTensors and scalars, by the names the plan uses:\n";
  for (const Tensor& tensor : spec.inputs) text += describe_tensor("input", tensor);
  for (const Tensor& tensor : spec.outputs) text += describe_tensor("output", tensor);
  for (const Expression& constraint : spec.constraints) {
    text += "\nAlways true: `" + constraint.text() + "`\n";
  }
  text += fmt::format(
      "\nPrecision: accumulate in {} or wider{}{}.\n", info(spec.precision.accumulate).name,
      spec.precision.allow_tf32 ? "; tf32 is allowed" : "",
      spec.precision.deterministic ? "" : "; results may differ from run to run within the bounds");
  const std::vector<std::string_view> factors = tensor_core_types(spec);
  text +=
      fmt::format("Tensor cores may multiply: {}. Sums and products rounded to 16 bits are {}.\n",
                  factors.empty() ? "nothing" : fmt::format("{}", fmt::join(factors, ", ")),
                  half_arithmetic_allowed(spec) ? "allowed" : "refused");
  text += fmt::format("Least traffic: `{}` bytes.", spec.cost.bytes.text());
  for (const auto& [kind, count] : spec.cost.flops) {
    text += fmt::format(" Least arithmetic: `{}` {}.", count.text(), kind);
  }
  return text + "\n\nTimed shapes:\n" + describe_workloads(spec, device) + "\n";
}

}  // namespace kernelloop
