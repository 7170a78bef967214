// The canonical JSON of a plan: what compile.json holds and the device program reads.
#include "plan/launch_plan.hpp"
#include "plan/plan_reader.hpp"
#include "support/error.hpp"

namespace kernelloop {
namespace {

Json to_json(const std::array<Expression, 3>& dimensions) {
  Json json = Json::array();
  for (const Expression& dimension : dimensions) json.push_back(dimension.text());
  return json;
}

struct ArgumentToJson {
  Json operator()(const TensorArgument& argument) const { return argument.tensor; }
  Json operator()(const ScalarArgument& argument) const { return argument.input; }
  Json operator()(const IntegerArgument& argument) const { return argument.value.text(); }
  Json operator()(const WorkspaceArgument& argument) const {
    return {{"workspace_offset", argument.offset.text()}};
  }
};

Json to_json(const Launch& launch) {
  Json json = Json::object();
  if (launch.when) json["when"] = launch.when->text();
  json["kernel"] = launch.kernel;
  json["grid"] = to_json(launch.grid);
  json["block"] = to_json(launch.block);
  if (launch.has_cluster) json["cluster"] = to_json(launch.cluster);
  json["cooperative"] = launch.cooperative;
  json["programmatic_dependent_launch"] = launch.programmatic_dependent;
  json["dynamic_shared_bytes"] = launch.dynamic_shared_bytes.text();
  json["args"] = Json::array();
  for (const Argument& argument : launch.arguments) {
    json["args"].push_back(std::visit(ArgumentToJson{}, argument));
  }
  return json;
}

}  // namespace

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
