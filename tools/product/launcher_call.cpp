#include "product/launcher_call.hpp"

#include "plan/tensor_map.hpp"
#include "product/launcher_axes.hpp"
#include "product/signature.hpp"
#include "support/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace kernelloop {
namespace {

constexpr std::int64_t k_shared_without_asking = std::int64_t{48} * 1024;
constexpr std::int64_t k_portable_cluster = 8;

const KernelInfo& find_kernel(const OpSpec& spec, const ShippedVersion& version,
                              const std::string& name) {
  const auto found = std::find_if(version.kernels.begin(), version.kernels.end(),
                                  [&](const KernelInfo& one) { return one.name == name; });
  if (found == version.kernels.end()) {
    fail(ExitCode::bad_input, "the plan of {} {} launches {}, which its compiled image lacks",
         spec.name, version.version, name);
  }
  return *found;
}

// Whether a value may exceed a limit: a constant is known, anything else may.
bool may_exceed(const Expression& value, std::int64_t limit) {
  return !value.names().empty() || value.evaluate({}) > limit;
}

bool cluster_may_be_large(const Launch& launch) {
  std::int64_t blocks = 1;
  for (const Expression& dimension : launch.cluster) {
    if (!dimension.names().empty()) {
      return launch.has_cluster;
    }
    blocks *= dimension.evaluate({});
  }
  return launch.has_cluster && blocks > k_portable_cluster;
}

struct Needs {
  std::size_t index = 0;
  bool large_shared = false;
  bool large_cluster = false;
};
using NeedsByName = std::map<std::string, Needs>;

NeedsByName collect_needs(const OpSpec& spec, const ShippedVersion& version) {
  NeedsByName needs;
  for (const Launch& launch : version.plan.launches) {
    const KernelInfo& kernel = find_kernel(spec, version, launch.kernel);
    Needs& one = needs[launch.kernel];
    one.large_shared =
        one.large_shared || may_exceed(launch.dynamic_shared_bytes,
                                       k_shared_without_asking - kernel.static_shared_bytes);
    one.large_cluster = one.large_cluster || cluster_may_be_large(launch);
  }
  std::size_t next = 0;
  for (auto& [name, one] : needs) {
    one.index = next++;
  }
  return needs;
}

std::string tables_text(const NeedsByName& needs, const ShippedVersion& version) {
  std::string text = "constexpr kernelloop::detail::KernelNeeds k_needs[] = {\n";
  for (const auto& [name, one] : needs) {
    fmt::format_to(std::back_inserter(text), "    {{\"{}\", {}, {}}},\n", name, one.large_shared,
                   one.large_cluster);
  }
  text += "};\nconstexpr kernelloop::detail::Target k_targets[] = {";
  for (const std::string& architecture : version.architectures) {
    text += target_text(architecture) + ", ";
  }
  fmt::format_to(std::back_inserter(text),
                 "}};\nkernelloop::detail::KernelSet<{}, {}> kl_kernels(k_image, k_needs, "
                 "k_targets);\n\n",
                 needs.size(), version.architectures.size());
  return text;
}

std::string shape_functions(const OpSpec& spec) {
  const std::vector<Parameter> axes = axis_parameters(spec);
  const std::string object =
      axes.empty() ? "Axes kl_axes;" : fmt::format("Axes kl_axes({});", passed(axes));
  return fmt::format(
      "bool supports({0}) noexcept {{\n  {1}\n  return kl_axes.kl_valid();\n}}\n\n"
      "std::size_t workspace_of({0}) noexcept {{\n  {1}\n"
      "  if (!kl_axes.kl_valid()) return 0;\n  bool kl_failed = false;\n"
      "  const std::size_t kl_bytes = kernelloop::detail::byte_count(kl_axes.kl_workspace(), "
      "kl_failed);\n  return kl_failed || kl_axes.kl_failed ? 0 : kl_bytes;\n}}\n\n",
      declared(axes), object);
}

// A launch's numbers, and what each kernel argument points at.
struct LaunchText {
  std::string variables;  // declarations with neutral values
  std::string compute;    // assignments, when the launch is selected
  std::string pointers;   // of the arguments
};

void add_integer(LaunchText& text, const std::string& id, std::size_t size) {
  if (size == 4) {
    text.variables += fmt::format("  std::int32_t kl_argument_{} = 0;\n", id);
    text.compute += fmt::format(
        "    kl_argument_{0} = kernelloop::detail::narrow(kl_axes.kl_value_{0}(), kl_failed);\n",
        id);
  } else {
    text.variables += fmt::format("  std::int64_t kl_argument_{} = 0;\n", id);
    text.compute += fmt::format("    kl_argument_{0} = kl_axes.kl_value_{0}().value();\n", id);
  }
  text.pointers += fmt::format("&kl_argument_{}, ", id);
}

void add_workspace(LaunchText& text, const std::string& id) {
  text.variables +=
      fmt::format("  std::size_t kl_offset_{0} = 0;\n  void* kl_argument_{0} = nullptr;\n", id);
  text.compute += fmt::format(
      "    kl_offset_{0} = kernelloop::detail::byte_count(kl_axes.kl_value_{0}(), kl_failed);\n"
      "    if (kl_offset_{0} > kl_needed) kl_failed = true;\n"
      "    if (workspace != nullptr && !kl_failed) {{\n"
      "      kl_argument_{0} = static_cast<char*>(workspace) + kl_offset_{0};\n    }}\n",
      id);
  text.pointers += fmt::format("&kl_argument_{}, ", id);
}

// Encoded before anything is launched: what the driver refuses enqueues nothing.
void add_tensor_map(LaunchText& text, const std::string& id, const OpSpec& spec,
                    const TensorMapArgument& map) {
  const bool scratch = spec.find_tensor(map.tensor) == nullptr;
  text.variables += fmt::format("  CUtensorMap kl_argument_{}{{}};\n", id);
  text.compute += fmt::format(
      "    {{\n      const kernelloop::detail::TensorMapNumbers kl_map = kl_axes.kl_map_{0}();\n"
      "      const std::int64_t kl_bytes = {1};\n"
      "      if (kl_failed || kl_axes.kl_failed) return cudaErrorInvalidValue;\n"
      "      const cudaError_t kl_encoded = kl_encoder.encode(kl_map, {2}, {3}, kl_bytes, "
      "kl_argument_{0});\n"
      "      if (kl_encoded != cudaSuccess) return kl_encoded;\n    }}\n",
      id,
      scratch ? std::string("static_cast<std::int64_t>(kl_needed)")
              : fmt::format("kl_axes.kl_bytes_{}().value()", id),
      find_map_type(map.dtype)->size, map.tensor);
  text.pointers += fmt::format("&kl_argument_{}, ", id);
}

LaunchText text_of(const Launch& launch, std::size_t index, const KernelInfo& kernel,
                   const OpSpec& spec, const ShippedVersion& version) {
  if (launch.arguments.size() != kernel.parameters.size()) {
    fail(ExitCode::bad_input, "the plan of {} {} passes {} arguments to {}, which takes {}",
         spec.name, version.version, launch.arguments.size(), launch.kernel,
         kernel.parameters.size());
  }
  LaunchText text;
  text.variables = fmt::format("  kernelloop::detail::LaunchSize kl_size_{}{{}};\n", index);
  text.compute = fmt::format("    kl_size_{0} = kl_axes.kl_size_{0}(kl_failed);\n", index);
  for (std::size_t j = 0; j < launch.arguments.size(); ++j) {
    const std::string id = fmt::format("{}_{}", index, j);
    const Argument& argument = launch.arguments[j];
    if (const auto* tensor = std::get_if<TensorArgument>(&argument)) {
      text.pointers += fmt::format("&{}, ", tensor->tensor);
    } else if (const auto* scalar = std::get_if<ScalarArgument>(&argument)) {
      text.pointers += fmt::format("&{}, ", scalar->input);
    } else if (std::holds_alternative<IntegerArgument>(argument)) {
      const std::size_t size = kernel.parameters[j].size;
      if (size != 4 && size != 8) {
        fail(ExitCode::bad_input,
             "argument {} of {} in {} {} is an integer of {} bytes, not 4 or 8", j, launch.kernel,
             spec.name, version.version, size);
      }
      add_integer(text, id, size);
    } else if (const auto* map = std::get_if<TensorMapArgument>(&argument)) {
      add_tensor_map(text, id, spec, *map);
    } else {
      add_workspace(text, id);
    }
  }
  return text;
}

std::string pointer_checks(const OpSpec& spec) {
  std::string text;
  const auto add = [&](const Tensor& tensor) {
    if (!tensor.scalar) {
      fmt::format_to(std::back_inserter(text),
                     "  if ({0} == nullptr || !kernelloop::detail::is_aligned({0}, {1})) return "
                     "cudaErrorInvalidValue;\n",
                     tensor.name, tensor.alignment);
    }
  };
  std::for_each(spec.inputs.begin(), spec.inputs.end(), add);
  std::for_each(spec.outputs.begin(), spec.outputs.end(), add);
  return text;
}

// A scalar that the plan does not pass, or a workspace that it does not need.
std::string unused_parameters(const OpSpec& spec) {
  std::string text;
  for (const Tensor& input : spec.inputs) {
    if (input.scalar) {
      text += fmt::format("  static_cast<void>({});\n", input.name);
    }
  }
  return text;
}

std::string launch_statement(const Launch& launch, std::size_t index, std::size_t kernel,
                             const std::string& pointers) {
  const std::string arguments = pointers.empty()
                                    ? std::string("    void** kl_arguments = nullptr;\n")
                                    : fmt::format("    void* kl_arguments[] = {{{}}};\n", pointers);
  return fmt::format(
      "  if (kl_status == cudaSuccess && kl_when_{0}) {{\n{1}"
      "    kl_status = kernelloop::detail::launch(kl_kernels.kernel({2}), kl_size_{0}, "
      "{{{3}, {4}, {5}}}, kl_arguments, stream);\n  }}\n",
      index, arguments, kernel, launch.has_cluster, launch.cooperative,
      launch.programmatic_dependent);
}

std::string call_function(const OpSpec& spec, const ShippedVersion& version,
                          const NeedsByName& needs) {
  const std::vector<Parameter> axes = axis_parameters(spec);
  std::string variables;
  std::string computes;
  std::string statements;
  std::string selected;
  for (std::size_t i = 0; i < version.plan.launches.size(); ++i) {
    const Launch& launch = version.plan.launches[i];
    const LaunchText text =
        text_of(launch, i, find_kernel(spec, version, launch.kernel), spec, version);
    variables +=
        fmt::format("  const bool kl_when_{0} = kl_axes.kl_when_{0}();\n{1}", i, text.variables);
    computes += fmt::format("  if (kl_when_{}) {{\n{}  }}\n", i, text.compute);
    statements += launch_statement(launch, i, needs.at(launch.kernel).index, text.pointers);
    selected += fmt::format("{}kl_when_{}", i == 0 ? "" : " || ", i);
  }
  return fmt::format(
      "// Computes every launch before the first, so that a bad shape enqueues nothing.\n"
      "cudaError_t call({}) noexcept {{\n"
      "  const cudaError_t kl_ready = kl_kernels.acquire();\n"
      "  if (kl_ready != cudaSuccess) return kl_ready;\n{}{}"
      "  Axes kl_axes{};\n  if (!kl_axes.kl_valid()) return cudaErrorInvalidValue;\n"
      "  bool kl_failed = false;\n"
      "  const std::size_t kl_needed = kernelloop::detail::byte_count(kl_axes.kl_workspace(), "
      "kl_failed);\n"
      "  if (workspace_bytes < kl_needed || (kl_needed > 0 && workspace == nullptr) ||\n"
      "      !kernelloop::detail::is_aligned(workspace, "
      "kernelloop::detail::k_workspace_alignment)) {{\n    return cudaErrorInvalidValue;\n  "
      "}}\n"
      "{}{}"
      "  if (kl_failed || kl_axes.kl_failed || !({})) return cudaErrorInvalidValue;\n"
      "  cudaError_t kl_status = cudaSuccess;\n{}  return kl_status;\n}}\n\n",
      declared(call_parameters(spec, true)), pointer_checks(spec), unused_parameters(spec),
      axes.empty() ? std::string() : "(" + passed(axes) + ")", variables, computes, selected,
      statements);
}

}  // namespace

std::string call_text(const OpSpec& spec, const ShippedVersion& version) {
  const NeedsByName needs = collect_needs(spec, version);
  return tables_text(needs, version) + shape_functions(spec) + call_function(spec, version, needs);
}

}  // namespace kernelloop
