#include "spec/op_spec_source.hpp"
#include "support/suggest.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace kernelloop {
namespace {

class Rules {
 public:
  Rules(const SpecSource& source, const OpSpec& spec) : source_(source), spec_(spec) {}

  void check(bool complete) {
    if (spec_.outputs.empty()) {
      source_.wrong(Place()["outputs"], "there is no output; name at least one tensor");
    }
    if (complete && spec_.workloads.empty()) {
      source_.wrong(Place()["workloads"],
                    "there is no workload; name at least one shape to time, such as "
                    "{\"name\": \"small\", \"axes\": {...}}");
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < spec_.workloads.size(); ++i) {
      check_workload(spec_.workloads[i], Place()["workloads"][i], names);
    }
    for (const auto& [rung, shapes] : spec_.ladder.shapes) {
      check_shapes(shapes, Place()["ladder"][rung]);
    }
    check_shapes(spec_.ladder.holdout, Place()["ladder"]["holdout"]);
    check_holdout();
    if (spec_.ladder.huge) check_huge(*spec_.ladder.huge);
    check_tolerance();
  }

 private:
  void check_workload(const Workload& workload, const Place& place,
                      std::set<std::string>& names) const {
    check_name(workload.name, place["name"]);
    if (!names.insert(workload.name).second) {
      source_.wrong(place["name"],
                    fmt::format("there are two workloads `{}`; rename one", workload.name));
    }
    if (!(workload.weight > 0.0) || !std::isfinite(workload.weight)) {
      source_.wrong(place["weight"], fmt::format("weight {} must be greater than 0; remove the "
                                                 "workload if it shall not count",
                                                 workload.weight));
    }
    check_scalars(workload, place["scalars"]);
    const Bindings axes = check_shape(workload.axes, place["axes"]);
    if (std::all_of(spec_.outputs.begin(), spec_.outputs.end(),
                    [&](const Tensor& output) { return element_count(output, axes) == 0; })) {
      source_.wrong(place["axes"],
                    "no output has an element at this shape, so there is nothing to "
                    "time; make it larger");
    }
    check_cost("bytes", spec_.cost.bytes, axes, Place()["cost"]["bytes"], workload.name);
    for (const auto& [kind, expression] : spec_.cost.flops) {
      check_cost(kind, expression, axes, Place()["cost"]["flops"][kind], workload.name);
    }
  }

  void check_name(const std::string& name, const Place& place) const {
    const bool good = std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-' || c == '.' || c == '+';
    });
    if (!good) {
      source_.wrong(place,
                    fmt::format("workload name `{}`: use letters, digits and _ - . + only", name));
    }
  }

  void check_scalars(const Workload& workload, const Place& place) const {
    std::vector<std::string> known;
    for (const Tensor& input : spec_.inputs) {
      if (input.scalar) known.push_back(input.name);
    }
    for (const auto& [name, value] : workload.scalars) {
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        source_.wrong(place[name],
                      fmt::format("unknown scalar input `{}`; {}", name, name_hint(name, known)));
      }
      const std::string fault = fit_fault(spec_.find_tensor(name)->dtype, value);
      if (!fault.empty()) source_.wrong(place[name], fault);
    }
  }

  // Everything a shape must satisfy before anybody allocates it.
  Bindings check_shape(const Bindings& variables, const Place& place) const {
    Bindings axes;
    try {
      axes = resolve_axes(spec_, variables);
    } catch (const Error& error) {
      source_.wrong(place, error.what());
    }
    if (const auto fault = shape_fault(spec_, axes)) source_.wrong(place, fault->what);
    return axes;
  }

  void check_shapes(const std::vector<Bindings>& shapes, const Place& place) const {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      check_shape(shapes[i], place[i]);
      if (std::find(shapes.begin(), shapes.begin() + static_cast<std::ptrdiff_t>(i), shapes[i]) !=
          shapes.begin() + static_cast<std::ptrdiff_t>(i)) {
        source_.wrong(place[i], "this shape stands in the list twice; remove one");
      }
    }
  }

  void check_cost(const std::string& kind, const Expression& expression, const Bindings& axes,
                  const Place& place, const std::string& workload) const {
    std::string fault;
    try {
      const std::int64_t value = expression.evaluate(axes);
      if (value >= 0) return;
      fault = fmt::format("is {}; a cost is never negative", value);
    } catch (const ExpressionError& error) {
      fault = error.what();
    }
    source_.wrong(place, fmt::format("cost `{}` (`{}`) for workload `{}`: {}", kind,
                                     expression.text(), workload, fault));
  }

  void check_tolerance() const {
    const auto cosine = spec_.tolerance.limits.find("cosine");
    if (cosine != spec_.tolerance.limits.end() && cosine->second > 1.0) {
      source_.wrong(
          Place()["tolerance"]["cosine"],
          fmt::format("no cosine reaches {}; choose a limit of at most 1", cosine->second));
    }
  }

  void check_huge(const HugeShapes& huge) const {
    const Place place = Place()["ladder"]["huge"];
    const Axis* axis = spec_.find_axis(huge.axis);
    if (axis == nullptr || axis->kind != Axis::Kind::variable) {
      source_.wrong(place["axis"], fmt::format("`{}` is no axis of type `var`", huge.axis));
    }
    for (const Axis& other : spec_.axes) {
      if (!other.formula || other.formula->names().count(huge.axis) == 0) continue;
      source_.wrong(place["axis"], fmt::format("axis `{}` is computed from `{}`, whose indices are "
                                               "not independent then",
                                               other.name, huge.axis));
    }
    for (const Tensor& tensor : spec_.inputs) check_independent(tensor, huge.axis, false);
    for (const Tensor& tensor : spec_.outputs) check_independent(tensor, huge.axis, true);
    check_shapes(huge.shapes, place["shapes"]);
  }

  // The axis is the outermost of the tensor by itself; an input may also lack it.
  void check_independent(const Tensor& tensor, const std::string& axis, bool output) const {
    const auto uses = [&](const std::string& dimension) {
      return Expression::parse(dimension).names().count(axis) != 0;
    };
    const bool outermost = !tensor.shape.empty() && tensor.shape.front() == axis;
    const std::size_t inner = outermost ? 1 : 0;
    if ((outermost || !output) &&
        std::none_of(tensor.shape.begin() + static_cast<std::ptrdiff_t>(inner), tensor.shape.end(),
                     uses)) {
      return;
    }
    source_.wrong(Place()["ladder"]["huge"]["axis"],
                  fmt::format("`{}` must be the outermost axis of `{}`{}, and stand nowhere else "
                              "in its shape",
                              axis, tensor.name, output ? "" : " or be absent from it"));
  }

  // A shape that stands elsewhere too would reach a prompt from there.
  void check_holdout() const {
    for (std::size_t i = 0; i < spec_.ladder.holdout.size(); ++i) {
      const Bindings& shape = spec_.ladder.holdout[i];
      const Place place = Place()["ladder"]["holdout"][i];
      for (const Workload& workload : spec_.workloads) {
        if (workload.axes == shape) {
          source_.wrong(place, fmt::format("this hold-out shape is that of workload `{}`, so it "
                                           "would not be hidden; choose another",
                                           workload.name));
        }
      }
      for (const auto& [rung, shapes] : spec_.ladder.shapes) {
        if (std::find(shapes.begin(), shapes.end(), shape) != shapes.end()) {
          source_.wrong(place, fmt::format("this hold-out shape stands in rung `{}` too, so it "
                                           "would not be hidden; choose another",
                                           rung));
        }
      }
    }
  }

  const SpecSource& source_;
  const OpSpec& spec_;
};

}  // namespace

void check_op_spec(const SpecSource& source, const OpSpec& spec, bool complete) {
  Rules(source, spec).check(complete);
}

}  // namespace kernelloop
