// The canonical parts of a spec. They are made from what was read, not from the text: a default
// that is written out, a description or the order of members of an object changes nothing.
#include "spec/op_spec.hpp"

namespace kernelloop {
namespace {

Json to_json(const Axis& axis) {
  switch (axis.kind) {
    case Axis::Kind::constant:
      return {{"type", "const"}, {"value", axis.value}};
    case Axis::Kind::expression:
      return {{"type", "expr"}, {"expression", axis.formula->text()}};
    case Axis::Kind::variable:
      break;
  }
  return {{"type", "var"}};
}

Json to_json(const InputValues& values) {
  Json json{{"family", values.family}};
  if (values.family == "normal") {
    json["mean"] = values.mean;
    json["deviation"] = values.deviation;
  } else if (values.family == "constant") {
    json["value"] = values.value;
  } else {
    json["low"] = values.low_formula ? Json(values.low_formula->text()) : Json(values.low);
    json["high"] = values.high_formula ? Json(values.high_formula->text()) : Json(values.high);
  }
  if (values.special_share > 0.0) {
    json["special"] = {{"value", values.special_value}, {"share", values.special_share}};
  }
  if (values.at_least) json["at_least"] = *values.at_least;
  if (values.at_most) json["at_most"] = *values.at_most;
  if (values.families) json["families"] = *values.families;
  return json;
}

Json to_json(const Tensor& tensor) {
  Json shape = nullptr;
  if (!tensor.scalar) shape = tensor.shape;
  Json json{{"shape", shape}, {"dtype", info(tensor.dtype).name}};
  if (tensor.alignment != Tensor().alignment) json["alignment"] = tensor.alignment;
  return json;
}

Json to_json(const Bindings& bindings) {
  Json json = Json::object();
  for (const auto& [name, value] : bindings) json[name] = value;
  return json;
}

Json to_json(const std::vector<Bindings>& shapes) {
  Json json = Json::array();
  for (const Bindings& shape : shapes) json.push_back(to_json(shape));
  return json;
}

// What is at its default is left out, so that writing it down changes nothing.
Json to_json(const Precision& precision) {
  Json json{{"accumulate", info(precision.accumulate).name}, {"allow_tf32", precision.allow_tf32}};
  if (precision.intermediate) json["intermediate"] = info(*precision.intermediate).name;
  if (precision.terms) json["terms"] = precision.terms->text();
  if (precision.nonfinite == Precision::Nonfinite::undefined) json["nonfinite"] = "undefined";
  if (precision.denormals == Precision::Denormals::preserve) json["denormals"] = "preserve";
  if (precision.exact) json["exact"] = *precision.exact;
  if (!precision.deterministic) json["deterministic"] = false;
  if (precision.allow_half_arithmetic) json["allow_half_arithmetic"] = true;
  if (precision.tensor_core_inputs) json["tensor_core_inputs"] = *precision.tensor_core_inputs;
  return json;
}

Json head(const OpSpec& spec, const char* part) {
  Json json{{"schema_version", 1}, {"part", part}, {"name", spec.name}};
  json["axes"] = Json::object();
  for (const Axis& axis : spec.axes) json["axes"][axis.name] = to_json(axis);
  json["inputs"] = Json::object();
  for (const Tensor& input : spec.inputs) {
    json["inputs"][input.name] = to_json(input);
    json["inputs"][input.name]["values"] = to_json(input.values);
  }
  json["outputs"] = Json::object();
  for (const Tensor& output : spec.outputs) json["outputs"][output.name] = to_json(output);
  json["constraints"] = Json::array();
  for (const Expression& constraint : spec.constraints) {
    json["constraints"].push_back(constraint.text());
  }
  json["precision"] = to_json(spec.precision);
  return json;
}

Json to_json(const Workload& workload, bool with_weight) {
  Json json{{"name", workload.name}, {"axes", to_json(workload.axes)}};
  if (!workload.scalars.empty()) json["scalars"] = workload.scalars;
  if (with_weight) json["weight"] = workload.weight;
  if (!workload.devices.empty()) json["devices"] = workload.devices;
  return json;
}

Json workloads(const OpSpec& spec, bool with_weight) {
  Json json = Json::array();
  for (const Workload& workload : spec.workloads) json.push_back(to_json(workload, with_weight));
  return json;
}

Json checks(const OpSpec& spec) {
  Json json = head(spec, "checks");
  json["workloads"] = workloads(spec, false);
  json["ladder"] = Json::object();
  for (const auto& [rung, shapes] : spec.ladder.shapes) json["ladder"][rung] = to_json(shapes);
  json["ladder"]["holdout"] = to_json(spec.ladder.holdout);
  if (spec.ladder.huge) {
    json["ladder"]["huge"] = {{"axis", spec.ladder.huge->axis},
                              {"shapes", to_json(spec.ladder.huge->shapes)}};
  }
  json["tolerance"] = Json::object();
  for (const auto& [metric, limit] : spec.tolerance.limits) json["tolerance"][metric] = limit;
  return json;
}

Json timing(const OpSpec& spec) {
  Json json = head(spec, "timing");
  json["workloads"] = workloads(spec, true);
  json["cost"] = {{"bytes", spec.cost.bytes.text()}, {"flops", Json::object()}};
  for (const auto& [kind, expression] : spec.cost.flops) {
    json["cost"]["flops"][kind] = expression.text();
  }
  return json;
}

}  // namespace

SpecParts split_spec(const JsonDocument& document) {
  const OpSpec spec = parse_op_spec(document);
  return {head(spec, "contract"), checks(spec), timing(spec)};
}

}  // namespace kernelloop
