// The shapes that a spec serves without naming them: its constraints allow them.
#include "spec/op_spec_source.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>

namespace kernelloop {
namespace {

constexpr std::array<std::int64_t, 8> k_sizes{1, 2, 3, 7, 33, 129, 1000, 33001};
constexpr std::int64_t k_reach = 64;  // how far the next size that the constraints allow may be
constexpr double k_most_elements =
    0x1p27;  // of all tensors; the verifier leaves out what is larger

std::string in_parentheses(const std::string& expression) {
  return expression.find_first_of("?&|<>=!") == std::string::npos ? expression
                                                                  : "(" + expression + ")";
}

std::string text_of(const Bindings& variables) {
  std::string text;
  for (const auto& [name, value] : variables) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  }
  return text;
}

Place place_of(const OpSpec& spec, const Tensor& tensor) {
  const bool input =
      !spec.inputs.empty() && &tensor >= &spec.inputs.front() && &tensor <= &spec.inputs.back();
  return Place()[input ? "inputs" : "outputs"][tensor.name];
}

// That no dimension is negative, as far as these go wrong.
std::string sizes_constraint(const Tensor& tensor, const Bindings& axes) {
  for (const std::string& dimension : tensor.shape) {
    try {
      if (Expression::parse(dimension).evaluate(axes) < 0) {
        return in_parentheses(dimension) + " >= 0";
      }
    } catch (const ExpressionError&) {
      return {};
    }
  }
  return {};
}

std::string end_text(const std::optional<Expression>& formula, double value) {
  return formula ? in_parentheses(formula->text()) : fmt::format("{:.0f}", value);
}

// That something can be drawn between both ends, as far as these have values at all.
std::string values_constraint(const InputValues& values, const Bindings& axes) {
  const bool uniform = values.family == "uniform";
  const std::string text =
      fmt::format("{} {} {}", end_text(values.low_formula, values.low),
                  uniform ? "<" : "<=", end_text(values.high_formula, values.high));
  try {
    return Expression::parse(text).evaluate(axes) == 0 ? text : std::string();
  } catch (const ExpressionError&) {
    return {};
  }
}

std::optional<ShapeFault> terms_fault(const Expression& terms, const Bindings& axes) {
  const Place place = Place()["precision"]["terms"];
  std::string fault;
  try {
    const std::int64_t value = terms.evaluate(axes);
    const bool empty =
        std::any_of(axes.begin(), axes.end(), [](const auto& axis) { return axis.second == 0; });
    if (value >= (empty ? 0 : 1)) return std::nullopt;
    fault = fmt::format("is {}; an output element adds up one term at least", value);
    return ShapeFault{place, fmt::format("`terms` (`{}`) {}", terms.text(), fault),
                      in_parentheses(terms.text()) + " >= 1"};
  } catch (const ExpressionError& error) {
    return ShapeFault{place, fmt::format("`terms` (`{}`): {}", terms.text(), error.what()), ""};
  }
}

class ServedShapes {
 public:
  explicit ServedShapes(const OpSpec& spec) : spec_(spec) {
    for (const Axis& axis : spec.axes) {
      if (axis.kind == Axis::Kind::variable) axes_.push_back(axis.name);
    }
    const Bindings start = spec.workloads.front().axes;
    for (const std::int64_t size : {1, 48}) {
      Bindings base;
      for (const std::string& axis : axes_) base[axis] = size;
      if (!admissible(spec, base)) {
        base = start;
        for (const std::string& axis : axes_) move(base, axis, size);
      }
      add(base);
      for (const std::string& axis : axes_) {
        for (const std::int64_t other : k_sizes) {
          Bindings shape = base;
          if (move(shape, axis, other)) add(shape);
        }
      }
    }
  }

  [[nodiscard]] const std::vector<Bindings>& shapes() const { return shapes_; }

 private:
  void add(const Bindings& shape) {
    if (seen_.insert(shape).second) shapes_.push_back(shape);
  }

  // One axis to the admissible value closest to `size`.
  bool move(Bindings& shape, const std::string& axis, std::int64_t size) const {
    for (std::int64_t distance = 0; distance <= k_reach; ++distance) {
      for (const std::int64_t value : {size + distance, size - distance}) {
        if (value < 1) continue;
        Bindings moved = shape;
        moved[axis] = value;
        if (!admissible(spec_, moved)) continue;
        shape = std::move(moved);
        return true;
      }
    }
    return false;
  }

  const OpSpec& spec_;
  std::vector<std::string> axes_;
  std::set<Bindings> seen_;
  std::vector<Bindings> shapes_;  // from small to large
};

bool too_large(const OpSpec& spec, const Bindings& axes) {
  double elements = 0.0;
  for (const auto* tensors : {&spec.inputs, &spec.outputs}) {
    for (const Tensor& tensor : *tensors) {
      double count = 1.0;
      for (const std::string& dimension : tensor.shape) {
        try {
          count *= static_cast<double>(Expression::parse(dimension).evaluate(axes));
        } catch (const ExpressionError&) {
          return false;  // a fault by itself
        }
      }
      elements += count;
    }
  }
  return elements > k_most_elements;
}

}  // namespace

std::optional<ShapeFault> shape_fault(const OpSpec& spec, const Bindings& axes) {
  constexpr std::int64_t k_widest = 8;  // bytes: the reference sees every element as double
  std::int64_t bytes = 0;
  for (const auto* tensors : {&spec.inputs, &spec.outputs}) {
    for (const Tensor& tensor : *tensors) {
      const Place place = place_of(spec, tensor)["shape"];
      try {
        std::int64_t more = 0;
        if (__builtin_mul_overflow(element_count(tensor, axes), k_widest, &more) ||
            __builtin_add_overflow(bytes, more, &bytes)) {
          return ShapeFault{place,
                            "all tensors together have more bytes than 64 bits can count; make "
                            "them smaller",
                            ""};
        }
      } catch (const Error& error) {
        return ShapeFault{place, error.what(), sizes_constraint(tensor, axes)};
      }
    }
  }
  for (const Tensor& input : spec.inputs) {
    try {
      values_at(input, axes);
    } catch (const Error& error) {
      return ShapeFault{place_of(spec, input)["values"], error.what(),
                        values_constraint(input.values, axes)};
    }
  }
  return spec.precision.terms ? terms_fault(*spec.precision.terms, axes) : std::nullopt;
}

void require_servable(const JsonDocument& document, const OpSpec& spec) {
  const SpecSource source(document);
  const ServedShapes served(spec);
  for (const Bindings& variables : served.shapes()) {
    if (!admissible(spec, variables)) continue;
    const Bindings axes = resolve_axes(spec, variables);
    if (too_large(spec, axes)) continue;
    const auto fault = shape_fault(spec, axes);
    if (!fault) continue;
    const std::string constraint =
        fault->constraint.empty() ? "a constraint"
                                  : fmt::format("\"constraints\": [\"{}\"]", fault->constraint);
    source.wrong(fault->place, fmt::format("{} (for {}, which the constraints allow); leave such "
                                           "shapes out with {}",
                                           fault->what, text_of(variables), constraint));
  }
}

}  // namespace kernelloop
