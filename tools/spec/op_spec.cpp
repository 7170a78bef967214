#include "spec/op_spec.hpp"

#include "support/error.hpp"
#include "support/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelloop {
namespace {

const Tensor* find_in(const std::vector<Tensor>& tensors, const std::string& name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const Tensor& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

std::vector<std::string> variable_names(const OpSpec& spec) {
  std::vector<std::string> names;
  for (const Axis& axis : spec.axes) {
    if (axis.kind == Axis::Kind::variable) names.push_back(axis.name);
  }
  return names;
}

// What follows resolves axes or refuses. `refuse` gets a function that words the reason: the search
// for shapes asks for thousands that are not allowed, and has no use for words or exceptions.

template <typename Refuse>
bool variables_allowed(const OpSpec& spec, const Bindings& variables, const Refuse& refuse) {
  for (const auto& [name, value] : variables) {
    const Axis* axis = spec.find_axis(name);
    if (axis == nullptr) {
      return refuse([&, &name = name] {
        return fmt::format("unknown axis `{}`; {}", name, name_hint(name, variable_names(spec)));
      });
    }
    if (axis->kind != Axis::Kind::variable) {
      return refuse([&, &name = name] {
        return fmt::format(
            "axis `{}` is {}; leave it out", name,
            axis->kind == Axis::Kind::constant ? "constant" : "computed from others");
      });
    }
    if (value < 1) {
      return refuse([&name = name, value = value] {
        return fmt::format("axis `{}` is {}; it must be at least 1", name, value);
      });
    }
  }
  return true;
}

template <typename Refuse>
bool compute_axis(const Axis& axis, Bindings& axes, const Refuse& refuse) {
  try {
    const std::int64_t value = axis.formula->evaluate(axes);
    if (value < 0) {
      return refuse([&] {
        return fmt::format("axis `{}` = {} is {}; a size is never negative", axis.name,
                           axis.formula->text(), value);
      });
    }
    axes[axis.name] = value;
    return true;
  } catch (const ExpressionError& error) {
    return refuse([&] {
      return fmt::format("axis `{}` = {}: {}", axis.name, axis.formula->text(), error.what());
    });
  }
}

template <typename Refuse>
bool add_computed_axes(const OpSpec& spec, Bindings& axes, const Refuse& refuse) {
  return std::ranges::all_of(spec.computed_axes, [&](std::size_t index) {
    return compute_axis(spec.axes[index], axes, refuse);
  });
}

std::string shape_text(const Bindings& variables) {
  std::string text;
  for (const auto& [name, value] : variables) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

template <typename Refuse>
bool constraints_hold(const OpSpec& spec, const Bindings& axes, const Bindings& variables,
                      const Refuse& refuse) {
  for (const Expression& constraint : spec.constraints) {
    try {
      if (constraint.evaluate(axes) != 0) continue;
    } catch (const ExpressionError& error) {
      return refuse([&] {
        return fmt::format("constraint `{}` for {}: {}", constraint.text(), shape_text(variables),
                           error.what());
      });
    }
    return refuse([&] {
      return fmt::format("constraint `{}` does not hold for {}", constraint.text(),
                         shape_text(variables));
    });
  }
  return true;
}

// Puts all axes' values into `axes`.
template <typename Refuse>
bool resolve(const OpSpec& spec, const Bindings& variables, Bindings& axes, const Refuse& refuse) {
  if (!variables_allowed(spec, variables, refuse)) return false;
  for (const Axis& axis : spec.axes) {
    if (axis.kind == Axis::Kind::constant) axes[axis.name] = axis.value;
    if (axis.kind != Axis::Kind::variable) continue;
    const auto found = variables.find(axis.name);
    if (found == variables.end()) {
      return refuse([&] { return fmt::format("axis `{}` has no value; give it one", axis.name); });
    }
    axes[axis.name] = found->second;
  }
  return add_computed_axes(spec, axes, refuse) && constraints_hold(spec, axes, variables, refuse);
}

}  // namespace

const Tensor* OpSpec::find_tensor(const std::string& tensor) const {
  const Tensor* input = find_in(inputs, tensor);
  return input != nullptr ? input : find_in(outputs, tensor);
}

const Axis* OpSpec::find_axis(const std::string& axis) const {
  const auto found = std::find_if(axes.begin(), axes.end(),
                                  [&](const Axis& candidate) { return candidate.name == axis; });
  return found == axes.end() ? nullptr : &*found;
}

std::vector<Workload> OpSpec::workloads_for(const std::string& device) const {
  std::vector<Workload> result;
  for (const Workload& workload : workloads) {
    const auto& devices = workload.devices;
    if (devices.empty() || std::find(devices.begin(), devices.end(), device) != devices.end()) {
      result.push_back(workload);
    }
  }
  return result;
}

Bindings resolve_axes(const OpSpec& spec, const Bindings& variables) {
  Bindings axes;
  resolve(spec, variables, axes,
          [](const auto& reason) -> bool { fail(ExitCode::bad_input, "{}", reason()); });
  return axes;
}

bool admissible(const OpSpec& spec, const Bindings& variables) {
  Bindings axes;
  return resolve(spec, variables, axes, [](const auto&) { return false; });
}

std::vector<std::int64_t> shape_of(const Tensor& tensor, const Bindings& axes) {
  std::vector<std::int64_t> shape;
  for (const std::string& text : tensor.shape) {
    try {
      shape.push_back(Expression::parse(text).evaluate(axes));
    } catch (const ExpressionError& error) {
      fail(ExitCode::bad_input, "dimension {} of `{}` (`{}`): {}", shape.size(), tensor.name, text,
           error.what());
    }
    if (shape.back() < 0) {
      fail(ExitCode::bad_input, "dimension {} of `{}` (`{}`) is {}; a size is never negative",
           shape.size() - 1, tensor.name, text, shape.back());
    }
  }
  return shape;
}

std::int64_t element_count(const Tensor& tensor, const Bindings& axes) {
  const std::vector<std::int64_t> shape = shape_of(tensor, axes);
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  std::int64_t count = 1;
  auto bytes = static_cast<std::int64_t>(info(tensor.dtype).size);
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) {
      fail(ExitCode::bad_input, "`{}` has more bytes than 64 bits can count; make it smaller",
           tensor.name);
    }
    count *= size;
  }
  return count;
}

double total_bytes(const std::vector<Tensor>& tensors, const Bindings& axes) {
  double bytes = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.scalar) continue;
    bytes += static_cast<double>(element_count(tensor, axes)) *
             static_cast<double>(info(tensor.dtype).size);
  }
  return bytes;
}

}  // namespace kernelloop
