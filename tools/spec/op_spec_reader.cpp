#include "spec/names.hpp"
#include "spec/op_spec_source.hpp"
#include "support/suggest.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace kernelloop {
namespace {

constexpr std::string_view k_ladder_holdout = "holdout";

class Reader {
 public:
  explicit Reader(const SpecSource& source) : source_(source) {}

  OpSpec read() {
    const Json& json = source_.value();
    spec_.name = name(json["name"].get<std::string>(), Place()["name"], "the operator's name");
    spec_.description = json.value("description", "");
    read_axes(json["axes"]);
    for (const auto& [member, value] : json["inputs"].items()) {
      spec_.inputs.push_back(tensor(member, value, Place()["inputs"][member]));
      spec_.inputs.back().values =
          read_input_values(source_, spec_.inputs.back(), value, axis_names_);
    }
    for (const auto& [member, value] : json["outputs"].items()) {
      const Place place = Place()["outputs"][member];
      spec_.outputs.push_back(tensor(member, value, place));
      if (spec_.outputs.back().scalar) {
        source_.wrong(place["shape"], "output `" + member +
                                          "` is a scalar, which nothing can be written to; use "
                                          "[] for one element in memory");
      }
    }
    read_constraints();
    read_precision();
    read_cost();
    read_workloads();
    read_ladder();
    read_huge();
    read_tolerance();
    return std::move(spec_);
  }

 private:
  std::string name(const std::string& text, const Place& place, std::string_view what) const {
    const std::string fault = name_fault(text);
    if (!fault.empty()) source_.wrong(place, fmt::format("{} `{}` {}", what, text, fault));
    return text;
  }

  Expression expression(const Json& json, const Place& place) const {
    return read_expression(source_, json, place, axis_names_);
  }

  std::int64_t integer(const Json& json, const Place& place) const {
    if (json.is_number_unsigned() &&
        json.get<std::uint64_t>() >
            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      source_.wrong(place, "the number does not fit into 64 bits");
    }
    return json.get<std::int64_t>();
  }

  void read_axes(const Json& json) {
    for (const auto& [member, value] : json.items()) axis_names_.push_back(member);
    for (const auto& [member, value] : json.items()) {
      const Place place = Place()["axes"][member];
      Axis axis;
      axis.name = name(member, place, "the axis name");
      axis.description = value.value("description", "");
      const auto type = value["type"].get<std::string>();
      require_only(value, place, "value", type == "const", type);
      require_only(value, place, "expression", type == "expr", type);
      if (type == "const") {
        axis.kind = Axis::Kind::constant;
        axis.value = integer(value["value"], place["value"]);
      } else if (type == "expr") {
        axis.kind = Axis::Kind::expression;
        axis.formula = expression(value["expression"], place["expression"]);
      }
      spec_.axes.push_back(std::move(axis));
    }
    require_no_circle();
    order_computed_axes();
  }

  void require_only(const Json& axis, const Place& place, const std::string& member, bool wanted,
                    const std::string& type) const {
    if (wanted && !axis.contains(member)) {
      source_.wrong(place, fmt::format("an axis of type `{}` needs `{}`", type, member));
    }
    if (!wanted && axis.contains(member)) {
      source_.wrong(place[member],
                    fmt::format("an axis of type `{}` has no `{}`; remove it, or make the type "
                                "`{}`",
                                type, member, member == "value" ? "const" : "expr"));
    }
  }

  void order_computed_axes() {
    std::set<std::string> known;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < spec_.axes.size(); ++i) {
      if (spec_.axes[i].formula) open.push_back(i);
      if (!spec_.axes[i].formula) known.insert(spec_.axes[i].name);
    }
    while (!open.empty()) {
      std::erase_if(open, [&](std::size_t index) {
        const Axis& axis = spec_.axes[index];
        const bool ready = std::ranges::includes(known, axis.formula->names());
        if (ready) spec_.computed_axes.push_back(index);
        if (ready) known.insert(axis.name);
        return ready;
      });
    }
  }

  // Follows each computed axis to what it is computed from.
  void require_no_circle() const {
    for (const Axis& axis : spec_.axes) {
      std::vector<std::string> reached;
      std::vector<std::string> waiting{axis.name};
      while (!waiting.empty()) {
        const Axis& next = *spec_.find_axis(waiting.back());
        waiting.pop_back();
        if (!next.formula) continue;
        for (const std::string& used : next.formula->names()) {
          if (used == axis.name) {
            source_.wrong(
                Place()["axes"][axis.name]["expression"],
                fmt::format("axis `{}` is computed from itself{}; break the circle", axis.name,
                            next.name == axis.name ? std::string()
                                                   : fmt::format(" by way of `{}`", next.name)));
          }
          if (std::find(reached.begin(), reached.end(), used) != reached.end()) continue;
          reached.push_back(used);
          waiting.push_back(used);
        }
      }
    }
  }

  Tensor tensor(const std::string& member, const Json& json, const Place& place) const {
    Tensor tensor;
    tensor.name = name(member, place, "the tensor name");
    if (spec_.find_axis(member) != nullptr) {
      source_.wrong(place, fmt::format("`{}` is the name of an axis too; rename one", member));
    }
    if (spec_.find_tensor(member) != nullptr) {
      source_.wrong(place, fmt::format("`{}` is the name of an input too; rename one", member));
    }
    tensor.description = json.value("description", "");
    tensor.dtype = *parse_dtype(json["dtype"].get<std::string>());
    tensor.scalar = json["shape"].is_null();
    for (std::size_t i = 0; !tensor.scalar && i < json["shape"].size(); ++i) {
      expression(json["shape"][i], place["shape"][i]);
      tensor.shape.push_back(json["shape"][i].get<std::string>());
    }
    if (json.contains("alignment")) tensor.alignment = alignment(tensor, json, place);
    return tensor;
  }

  std::size_t alignment(const Tensor& tensor, const Json& json, const Place& place) const {
    constexpr std::int64_t k_most = 4096;
    const std::int64_t value = integer(json["alignment"], place["alignment"]);
    const auto size = static_cast<std::int64_t>(info(tensor.dtype).size);
    if (tensor.scalar) {
      source_.wrong(place["alignment"],
                    "a scalar is passed by value and has no alignment; remove it");
    }
    if (value < size || value > k_most || (value & (value - 1)) != 0) {
      source_.wrong(place["alignment"],
                    fmt::format("an alignment is a power of two from {} (the size of an element) "
                                "to {}",
                                size, k_most));
    }
    return static_cast<std::size_t>(value);
  }

  void read_constraints() {
    const Json& json = source_.value();
    if (!json.contains("constraints")) return;
    for (std::size_t i = 0; i < json["constraints"].size(); ++i) {
      spec_.constraints.push_back(expression(json["constraints"][i], Place()["constraints"][i]));
    }
  }

  void read_precision() {
    const Json& json = source_.value();
    if (!json.contains("precision")) return;
    const Json& precision = json["precision"];
    spec_.precision.allow_tf32 = precision.value("allow_tf32", false);
    spec_.precision.deterministic = precision.value("deterministic", true);
    spec_.precision.allow_half_arithmetic = precision.value("allow_half_arithmetic", false);
    if (precision.contains("tensor_core_inputs")) {
      spec_.precision.tensor_core_inputs =
          precision["tensor_core_inputs"].get<std::vector<std::string>>();
    }
    if (precision.contains("accumulate")) {
      spec_.precision.accumulate = *parse_dtype(precision["accumulate"].get<std::string>());
    }
    if (precision.contains("intermediate")) {
      spec_.precision.intermediate = *parse_dtype(precision["intermediate"].get<std::string>());
    }
    if (precision.contains("terms")) {
      spec_.precision.terms = expression(precision["terms"], Place()["precision"]["terms"]);
    }
    if (precision.value("nonfinite", "") == "undefined") {
      spec_.precision.nonfinite = Precision::Nonfinite::undefined;
    }
    if (precision.value("denormals", "") == "preserve") {
      spec_.precision.denormals = Precision::Denormals::preserve;
    }
    if (precision.contains("exact")) spec_.precision.exact = precision["exact"].get<bool>();
  }

  void read_cost() {
    const Json& json = source_.value();
    if (!json.contains("cost")) return;
    const Place place = Place()["cost"];
    const Json& cost = json["cost"];
    spec_.cost.bytes = expression(cost["bytes"], place["bytes"]);
    if (!cost.contains("flops")) return;
    for (const auto& [kind, value] : cost["flops"].items()) {
      spec_.cost.flops.emplace(kind, expression(value, place["flops"][kind]));
    }
  }

  Bindings bindings(const Json& json, const Place& place) const {
    Bindings result;
    for (const auto& [axis, value] : json.items()) result[axis] = integer(value, place[axis]);
    return result;
  }

  void read_workloads() {
    const Json& json = source_.value();
    if (!json.contains("workloads")) return;
    for (std::size_t i = 0; i < json["workloads"].size(); ++i) {
      const Json& object = json["workloads"][i];
      const Place place = Place()["workloads"][i];
      Workload workload;
      workload.name = object["name"].get<std::string>();
      workload.axes = bindings(object["axes"], place["axes"]);
      workload.weight = object.value("weight", 1.0);
      if (object.contains("scalars")) {
        workload.scalars = object["scalars"].get<std::map<std::string, double>>();
      }
      if (object.contains("devices")) {
        workload.devices = object["devices"].get<std::vector<std::string>>();
      }
      spec_.workloads.push_back(std::move(workload));
    }
  }

  void read_ladder() {
    const Json& json = source_.value();
    if (!json.contains("ladder")) return;
    for (const auto& [rung, shapes] : json["ladder"].items()) {
      if (rung == "huge") continue;
      std::vector<Bindings>& target =
          rung == k_ladder_holdout ? spec_.ladder.holdout : spec_.ladder.shapes[rung];
      for (std::size_t i = 0; i < shapes.size(); ++i) {
        target.push_back(bindings(shapes[i], Place()["ladder"][rung][i]));
      }
    }
  }

  void read_huge() {
    const Json& json = source_.value();
    if (!json.contains("ladder") || !json["ladder"].contains("huge")) return;
    const Json& huge = json["ladder"]["huge"];
    const Place place = Place()["ladder"]["huge"];
    spec_.ladder.huge.emplace();
    spec_.ladder.huge->axis = huge["axis"].get<std::string>();
    for (std::size_t i = 0; i < huge["shapes"].size(); ++i) {
      spec_.ladder.huge->shapes.push_back(bindings(huge["shapes"][i], place["shapes"][i]));
    }
  }

  void read_tolerance() {
    const Json& json = source_.value();
    if (!json.contains("tolerance")) return;
    spec_.tolerance.limits = json["tolerance"].get<std::map<std::string, double>>();
  }

  const SpecSource& source_;
  OpSpec spec_;
  std::vector<std::string> axis_names_;
};

}  // namespace

Expression read_expression(const SpecSource& source, const Json& json, const Place& place,
                           const std::vector<std::string>& axis_names) {
  const auto text = json.get<std::string>();
  try {
    return parse_expression_over(text, axis_names, "axis");
  } catch (const ExpressionError& error) {
    source.wrong(place, describe(error, text));
  }
}

OpSpec read_op_spec(const SpecSource& source) { return Reader(source).read(); }

}  // namespace kernelloop
