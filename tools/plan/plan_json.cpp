// The canonical JSON of a plan: what compile.json holds and the device program reads.
#include "plan/launch_plan.hpp"
#include "plan/plan_reader.hpp"
#include "plan/tensor_map.hpp"
#include "support/error.hpp"

namespace kernelloop {
namespace {

template <typename Expressions>
Json texts(const Expressions& expressions) {
  Json json = Json::array();
  for (const Expression& one : expressions) json.push_back(one.text());
  return json;
}

struct ArgumentToJson {
  Json operator()(const TensorArgument& argument) const { return argument.tensor; }
  Json operator()(const ScalarArgument& argument) const { return argument.input; }
  Json operator()(const IntegerArgument& argument) const { return argument.value.text(); }
  Json operator()(const WorkspaceArgument& argument) const {
    return {{"workspace_offset", argument.offset.text()}};
  }
  Json operator()(const TensorMapArgument& argument) const {
    Json map{{"tensor", argument.tensor},
             {"dtype", argument.dtype},
             {"offset_bytes", argument.offset_bytes.text()},
             {"dims", texts(argument.dims)},
             {"stride_bytes", texts(argument.stride_bytes)},
             {"box", texts(argument.box)},
             {"element_strides", texts(argument.element_strides)}};
    for (const TensorMapMode& mode : tensor_map_modes()) {
      map[std::string(mode.member)] =
          mode.words.at(static_cast<std::size_t>(argument.modes.*mode.place));
    }
    return {{"tensor_map", std::move(map)}};
  }
};

}  // namespace

Json argument_to_json(const Argument& argument) { return std::visit(ArgumentToJson{}, argument); }

namespace {

Json to_json(const Launch& launch) {
  Json json = Json::object();
  if (launch.when) json["when"] = launch.when->text();
  json["kernel"] = launch.kernel;
  json["grid"] = texts(launch.grid);
  json["block"] = texts(launch.block);
  if (launch.has_cluster) json["cluster"] = texts(launch.cluster);
  json["cooperative"] = launch.cooperative;
  json["programmatic_dependent_launch"] = launch.programmatic_dependent;
  json["dynamic_shared_bytes"] = launch.dynamic_shared_bytes.text();
  json["args"] = Json::array();
  for (const Argument& argument : launch.arguments) {
    json["args"].push_back(argument_to_json(argument));
  }
  return json;
}

}  // namespace

std::vector<Argument> arguments_from_json(const Json& json, const OpSpec& spec) {
  // Read as a plan whose other launch satisfies the rules for whole plans.
  Json outputs = Json::array();
  for (const Tensor& output : spec.outputs) outputs.push_back(output.name);
  const auto launch = [](const Json& args) {
    return Json{{"kernel", "k"}, {"grid", {1}}, {"block", {1}}, {"args", args}};
  };
  return plan_from_json({{"workspace_bytes", 1}, {"launches", {launch(json), launch(outputs)}}},
                        spec)
      .launches.front()
      .arguments;
}

Json plan_to_json(const LaunchPlan& plan) {
  Json json{{"workspace_bytes", plan.workspace_bytes.text()}, {"launches", Json::array()}};
  for (const Launch& launch : plan.launches) json["launches"].push_back(to_json(launch));
  return json;
}

LaunchPlan plan_from_json(const Json& json, const OpSpec& spec) {
  PlanResult result = read_plan(parse_json(to_text(json), "launch plan"), spec);
  if (!result.plan) {
    fail(ExitCode::bad_input, "launch plan: {}; compile the version again",
         result.problems.front().message);
  }
  for (Launch& launch : result.plan->launches) launch.line = 0;
  return std::move(*result.plan);
}

}  // namespace kernelloop
