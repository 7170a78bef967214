// The member `values` of an input: reading it, and what its expressions give at a shape.
#include "spec/op_spec_source.hpp"

#include <cmath>

namespace kernelloop {
namespace {

InputValues default_values(DType dtype) {
  InputValues values;
  if (info(dtype).floating) return values;
  values.family = "integers";
  if (dtype == DType::uint8) values.high = 15.0;
  if (dtype != DType::uint8 && dtype != DType::boolean) {
    values.low = -8.0;
    values.high = 8.0;
  }
  return values;
}

bool belongs(const std::string& family, const std::string& member) {
  if (member == "special" || member == "at_least" || member == "at_most" || member == "families") {
    return true;
  }
  if (family == "normal") return member == "mean" || member == "deviation";
  if (family == "constant") return member == "value";
  return member == "low" || member == "high";
}

// Empty when something can be drawn between both ends.
std::string range_fault(const InputValues& values) {
  if (values.family == "uniform" && !(values.low < values.high)) {
    return "`low` must be less than `high`";
  }
  if (values.family == "integers" && !(values.low <= values.high)) {
    return "`low` must not be greater than `high`";
  }
  if (values.family == "normal") return {};
  const bool constant = values.family == "constant";
  const double lowest = constant ? values.value : values.low;
  const double highest = constant ? values.value : values.high;
  if ((values.at_least && lowest < *values.at_least) ||
      (values.at_most && highest > *values.at_most)) {
    return "they leave the range from `at_least` to `at_most`; draw only what is served";
  }
  return {};
}

class ValuesReader {
 public:
  ValuesReader(const SpecSource& source, const Tensor& input,
               const std::vector<std::string>& axis_names)
      : source_(source),
        input_(input),
        place_(Place()["inputs"][input.name]["values"]),
        axis_names_(axis_names) {}

  InputValues read(const Json& object) {
    values_.family = object["family"].get<std::string>();
    for (const auto& [member, value] : object.items()) {
      if (member != "family" && !belongs(values_.family, member)) {
        source_.wrong(place_[member],
                      fmt::format("family `{}` has no `{}`; remove it", values_.family, member));
      }
    }
    values_.mean = object.value("mean", values_.mean);
    values_.deviation = object.value("deviation", values_.deviation);
    if (!(values_.deviation > 0.0)) source_.wrong(place_["deviation"], "must be greater than 0");
    if (std::fabs(values_.mean) + values_.deviation > info(input_.dtype).largest) {
      source_.wrong(place_, fmt::format("`mean` and `deviation` reach beyond {}, the greatest {}; "
                                        "make them smaller",
                                        info(input_.dtype).largest, info(input_.dtype).name));
    }
    values_.value = number(object, "value", values_.value);
    values_.low_formula = end(object, "low", values_.low);
    values_.high_formula = end(object, "high", values_.high);
    if (object.contains("special")) read_special(object["special"]);
    values_.at_least = bound(object, "at_least");
    values_.at_most = bound(object, "at_most");
    if (values_.at_least && values_.at_most && !(*values_.at_least <= *values_.at_most)) {
      source_.wrong(place_["at_least"], "must not be greater than `at_most`");
    }
    if (!values_.low_formula && !values_.high_formula) {
      const std::string fault = range_fault(values_);
      if (!fault.empty()) source_.wrong(place_, fault);
    }
    if (object.contains("families")) {
      values_.families = object["families"].get<std::vector<std::string>>();
    }
    return std::move(values_);
  }

 private:
  double number(const Json& object, const std::string& member, double preset) const {
    const double value = object.value(member, preset);
    if (belongs(values_.family, member)) require_fits(value, place_[member]);
    return value;
  }

  // One end of the range: a number, or an expression, which is returned.
  std::optional<Expression> end(const Json& object, const std::string& member,
                                double& value) const {
    if (object.contains(member) && object[member].is_string()) {
      return read_expression(source_, object[member], place_[member], axis_names_);
    }
    value = number(object, member, value);
    if (values_.family == "integers" && std::floor(value) != value) {
      source_.wrong(place_, "`low` and `high` of `integers` must be integers");
    }
    return std::nullopt;
  }

  std::optional<double> bound(const Json& object, const std::string& member) const {
    if (!object.contains(member)) return std::nullopt;
    return number(object, member, 0.0);
  }

  void read_special(const Json& json) {
    values_.special_value = json["value"].get<double>();
    values_.special_share = json["share"].get<double>();
    require_fits(values_.special_value, place_["special"]["value"]);
    if (!(values_.special_share > 0.0) || !(values_.special_share <= 1.0)) {
      source_.wrong(place_["special"]["share"], "must be greater than 0 and at most 1");
    }
  }

  void require_fits(double value, const Place& place) const {
    const std::string fault = fit_fault(input_.dtype, value);
    if (!fault.empty()) source_.wrong(place, fault);
  }

  const SpecSource& source_;
  const Tensor& input_;
  Place place_;
  const std::vector<std::string>& axis_names_;
  InputValues values_;
};

// The value of one end's expression.
double end_at(const Tensor& input, const char* member, const Expression& formula,
              const Bindings& axes) {
  std::string fault;
  try {
    const auto value = static_cast<double>(formula.evaluate(axes));
    fault = fit_fault(input.dtype, value);
    if (fault.empty()) return value;
  } catch (const ExpressionError& error) {
    fault = error.what();
  }
  fail(ExitCode::bad_input, "`{}` of the values of input `{}` (`{}`): {}", member, input.name,
       formula.text(), fault);
}

}  // namespace

std::string fit_fault(DType dtype, double value) {
  const DTypeInfo& type = info(dtype);
  const bool without_sign = dtype == DType::uint8 || dtype == DType::boolean;
  const bool in_range = std::fabs(value) <= type.largest + (type.floating ? 0.0 : 1.0) &&
                        value <= type.largest && !(without_sign && value < 0.0);
  if (!in_range) {
    return fmt::format("{} does not fit into {}; choose a value in its range", value, type.name);
  }
  if (!type.floating && std::floor(value) != value) {
    return fmt::format("{} is no whole number, and {} holds nothing else; choose one", value,
                       type.name);
  }
  return {};
}

InputValues read_input_values(const SpecSource& source, const Tensor& input, const Json& json,
                              const std::vector<std::string>& axis_names) {
  if (!json.contains("values")) return default_values(input.dtype);
  return ValuesReader(source, input, axis_names).read(json["values"]);
}

InputValues values_at(const Tensor& input, const Bindings& axes) {
  InputValues values = input.values;
  if (!values.low_formula && !values.high_formula) return values;
  if (values.low_formula) values.low = end_at(input, "low", *values.low_formula, axes);
  if (values.high_formula) values.high = end_at(input, "high", *values.high_formula, axes);
  values.low_formula.reset();
  values.high_formula.reset();
  const std::string fault = range_fault(values);
  if (!fault.empty()) {
    fail(ExitCode::bad_input, "values of input `{}` from {} to {}: {}", input.name, values.low,
         values.high, fault);
  }
  return values;
}

}  // namespace kernelloop
