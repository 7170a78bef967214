// An op spec, a source with a valid launch plan to break, and the kernels it names.
#pragma once

#include "plan/launch_plan.hpp"

#include <gtest/gtest.h>

#include <string>

namespace kernelloop {

inline OpSpec plan_spec() {
  return parse_op_spec(parse_json(R"({
    "name": "norm",
    "axes": {"rows": {"type": "var"}, "cols": {"type": "var"}},
    "inputs": {"x": {"shape": ["rows", "cols"], "dtype": "bfloat16"},
               "eps": {"shape": null, "dtype": "float32"},
               "shift": {"shape": null, "dtype": "bfloat16"}},
    "outputs": {"y": {"shape": ["rows", "cols"], "dtype": "bfloat16"}},
    "workloads": [{"name": "small", "axes": {"rows": 3, "cols": 4}}]})",
                                  "op.json"));
}

inline const std::string k_valid_source = R"source(
/* kernelloop:plan
{ "workspace_bytes": "rows * 16",
  "launches": [
    { "when": "cols <= 8192", "kernel": "norm_rows",
      "grid": ["rows"], "block": [256], "dynamic_shared_bytes": "cols * 4",
      "args": ["x", "y", "eps", "cols"] },
    { "when": "cols > 8192", "kernel": "norm_partial", "grid": ["rows", 4], "cluster": [1, 4, 1],
      "block": ["min(cols, 512)"], "args": ["x", "workspace", "rows * cols"] },
    { "when": "cols > 8192", "kernel": "norm_finish", "grid": ["rows"], "block": [32, 4],
      "cooperative": true, "programmatic_dependent_launch": true,
      "args": ["y", {"workspace_offset": "rows * 8"}, "shift", 7] } ] }
*/
extern "C" __global__ void norm_rows() {}
)source";

inline KernelInfo kernel(const std::string& name, const std::vector<std::size_t>& sizes) {
  KernelInfo info;
  info.name = name;
  std::size_t offset = 0;
  for (const std::size_t size : sizes) {
    info.parameters.push_back({offset, size});
    offset += size;
  }
  return info;
}

inline KernelTable valid_kernels() {
  return {kernel("norm_rows", {8, 8, 4, 4}), kernel("norm_partial", {8, 8, 8}),
          kernel("norm_finish", {8, 8, 2, 4})};
}

// `text` with one piece replaced; the piece must be there.
inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << "the test looks for " << from;
  if (at != std::string::npos) text.replace(at, from.size(), to);
  return text;
}

// A source whose one launch is `launch` (JSON).
inline std::string source_with(const std::string& launch, const std::string& workspace = "0") {
  return "/* kernelloop:plan {\"workspace_bytes\": \"" + workspace + "\", \"launches\": [\n" +
         launch + "]} */\n";
}

inline PlanResult extract(const std::string& source) {
  return extract_plan(source, "kernel.cu", plan_spec());
}

// "line: message" of the first problem, or "no problem".
inline std::string first_problem(const std::vector<PlanProblem>& problems) {
  if (problems.empty()) return "no problem";
  return std::to_string(problems.front().line) + ": " + problems.front().message;
}

inline LaunchPlan plan_from(const std::string& source) {
  PlanResult result = extract(source);
  EXPECT_TRUE(result.plan) << first_problem(result.problems);
  return result.plan.value_or(LaunchPlan{});
}

}  // namespace kernelloop
