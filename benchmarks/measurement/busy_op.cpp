#include "busy_op.hpp"

#include "support/json.hpp"

#include <fmt/format.h>

#include <cstring>

namespace kernelloop {
namespace {

constexpr std::int64_t k_threads = 256;

ResolvedArgument pointer(const std::string& tensor) {
  ResolvedArgument argument;
  argument.kind = ResolvedArgument::Kind::tensor;
  argument.tensor = tensor;
  return argument;
}

ResolvedArgument number(std::int64_t value) {
  const auto narrow = static_cast<std::int32_t>(value);
  ResolvedArgument argument;
  argument.bytes.resize(sizeof narrow);
  std::memcpy(argument.bytes.data(), &narrow, sizeof narrow);
  return argument;
}

ResolvedPlan plan_of(const std::string& kernel, std::int64_t elements, int work) {
  const bool copies = kernel == "copy";
  const std::int64_t items = copies ? elements / 4 : elements;
  const std::int64_t threads = copies ? items * work / 1000 : items;
  ResolvedLaunch launch;
  launch.kernel = kernel;
  launch.grid = {(threads + k_threads - 1) / k_threads, 1, 1};
  launch.block = {k_threads, 1, 1};
  launch.arguments = {pointer("x"), pointer("y"), number(items), number(work)};
  ResolvedPlan plan;
  plan.launches = {launch};
  return plan;
}

}  // namespace

OpSpec busy_spec(std::int64_t elements) {
  return parse_op_spec(parse_json(fmt::format(R"({{
    "name": "busy", "description": "Takes time",
    "axes": {{"n": {{"type": "var"}}}},
    "inputs": {{"x": {{"shape": ["n"], "dtype": "float32"}}}},
    "outputs": {{"y": {{"shape": ["n"], "dtype": "float32"}}}},
    "workloads": [{{"name": "w", "axes": {{"n": {}}}}}]}})",
                                              elements),
                                  "busy"));
}

Contestant busy_contestant(const std::string& name, const std::string& kernel, int work) {
  Contestant contestant;
  contestant.name = name;
  contestant.artifact = {MEASUREMENT_CUBIN, {"busy", "copy"}};
  contestant.plan = [kernel, work](const WorkloadCase& one, const LaunchLimits&) {
    return std::variant<ResolvedPlan, std::string>(plan_of(kernel, one.axes.at("n"), work));
  };
  return contestant;
}

}  // namespace kernelloop
