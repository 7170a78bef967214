// Specs and plans that together use everything a launcher can hold.
#pragma once

#include "plan/launch_plan.hpp"
#include "product/launcher_source.hpp"
#include "spec/op_spec.hpp"
#include "support/json.hpp"

#include <string>

namespace kernelloop {

// Two launches by shape, a scalar, a workspace, a cluster, a derived axis and a constraint.
inline OpSpec rich_spec() {
  return parse_op_spec(parse_json(R"json({
    "name": "blend", "description": "y = a x, row by row.\nA second line \\",
    "axes": {"rows": {"type": "var"}, "heads": {"type": "var"},
             "dim": {"type": "const", "value": 128},
             "cols": {"type": "expr", "expression": "heads * dim"}},
    "inputs": {"x": {"shape": ["rows", "cols"], "dtype": "bfloat16", "description": "what comes in"},
               "a": {"shape": null, "dtype": "float32"},
               "mask": {"shape": ["rows"], "dtype": "bool"}},
    "outputs": {"y": {"shape": ["rows", "cols"], "dtype": "float16"},
                "norm": {"shape": ["rows"], "dtype": "float32"}},
    "constraints": ["heads <= 64", "rows % 2 == 0 || rows == 1"],
    "precision": {"accumulate": "float32"},
    "cost": {"bytes": "rows * cols * 4"},
    "workloads": [{"name": "w", "axes": {"rows": 8, "heads": 4}}]
  })json",
                                  "op.json"));
}

// Tensor maps of a tensor and of the workspace.
inline ShippedVersion mapped_version() {
  const OpSpec spec = rich_spec();
  KernelInfo kernel;
  kernel.name = "copy";
  kernel.parameters = {{0, 128}, {128, 128}, {256, 8}, {264, 8}};
  return {"v007",
          {"90a"},
          std::string(64, 'c'),
          "Test GPU",
          plan_from_json(Json::parse(R"json({"workspace_bytes": "rows * 32", "launches": [
            {"kernel": "copy", "grid": ["rows"], "block": [32],
             "args": [{"tensor_map": {"tensor": "x", "box": [64, 8], "swizzle": "128B"}},
                      {"tensor_map": {"tensor": "workspace", "dtype": "float32",
                                      "offset_bytes": "rows * 16", "dims": [4, "rows"], "box": [4, 1]}},
                      "y", "norm"]}]})json"),
                         spec),
          {kernel},
          "an image"};
}

inline LaunchPlan rich_plan(const OpSpec& spec) {
  return plan_from_json(Json::parse(R"json({
    "workspace_bytes": "rows * 8 + 256",
    "launches": [
      {"when": "cols <= 1024 && rows * cols < 100000000", "kernel": "small",
       "grid": ["rows"], "block": [256], "dynamic_shared_bytes": "cols * 4",
       "args": ["x", "mask", "a", "y", "norm", "cols"]},
      {"when": "cols > 1024", "kernel": "large", "grid": ["ceil_div(rows, 4)", "4"],
       "cluster": [1, 4, 1], "block": [128, "min(heads, 8)"],
       "args": ["x", "y", {"workspace_offset": "256"}, "rows * cols"]},
      {"when": "cols > 1024", "kernel": "finish", "grid": ["max(1, rows / 2)"],
       "block": ["rows > 100 ? 256 : 64"], "programmatic_dependent_launch": true,
       "args": ["workspace", "norm", "a", "rows - 1"]}]})json"),
                        spec);
}

inline KernelTable rich_kernels() {
  const auto kernel = [](const char* name, std::vector<std::size_t> sizes) {
    KernelInfo info;
    info.name = name;
    std::size_t offset = 0;
    for (const std::size_t size : sizes) {
      offset = (offset + size - 1) / size * size;
      info.parameters.push_back({offset, size});
      offset += size;
    }
    return info;
  };
  return {kernel("small", {8, 8, 4, 8, 8, 4}), kernel("large", {8, 8, 8, 8}),
          kernel("finish", {8, 8, 4, 4})};
}

inline ShippedVersion rich_version() {
  const OpSpec spec = rich_spec();
  return {"v003",
          {"90a"},
          std::string(64, 'a'),
          "Test \"GPU\"",
          rich_plan(spec),
          rich_kernels(),
          "not a real image, 30 bytes long"};
}

// The simplest op: one launch, no workspace.
inline OpSpec plain_spec() {
  return parse_op_spec(parse_json(R"json({
    "name": "twice", "description": "y = 2 x",
    "axes": {"n": {"type": "var", "description": "elements"}},
    "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
    "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
    "precision": {"accumulate": "float32"}, "cost": {"bytes": "n * 8"},
    "workloads": [{"name": "w", "axes": {"n": 1024}}]
  })json",
                                  "op.json"));
}

inline ShippedVersion plain_version(const OpSpec& spec, const std::string& version = "v001",
                                    std::vector<std::string> architectures = {"90a"}) {
  KernelInfo kernel;
  kernel.name = "twice";
  kernel.parameters = {{0, 8}, {8, 8}, {16, 4}};
  return {version,
          std::move(architectures),
          std::string(64, 'b'),
          "Test GPU",
          plan_from_json(Json::parse(R"json({"workspace_bytes": "0", "launches": [
            {"kernel": "twice", "grid": ["ceil_div(n, 256)"], "block": [256],
             "args": ["x", "y", "n"]}]})json"),
                         spec),
          {kernel},
          "image of " + version};
}

}  // namespace kernelloop
