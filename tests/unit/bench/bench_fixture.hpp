// A small op with a version that "compiled", for tests of the bench step.
#pragma once

#include "bench/bench.hpp"
#include "support/json.hpp"

namespace kernelloop {

inline OpSpec scale_spec() {
  const char* text = R"({
    "name": "scale", "description": "y = a x",
    "axes": {"n": {"type": "var"}},
    "inputs": {"x": {"shape": ["n"], "dtype": "float32"}, "a": {"shape": null, "dtype": "float32"}},
    "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
    "precision": {"accumulate": "float32"},
    "cost": {"bytes": "n*8", "flops": {"fp32": "n"}},
    "workloads": [
      {"name": "small", "axes": {"n": 100000}, "weight": 1},
      {"name": "large", "axes": {"n": 200000}, "weight": 3}]
  })";
  return parse_op_spec(parse_json(text, "op.json"));
}

inline CompiledVersion scale_version(const OpSpec& spec, const std::string& version = "v002") {
  CompiledVersion compiled;
  compiled.op = "scale";
  compiled.version = version;
  compiled.status = CompiledVersion::Status::compiled;
  compiled.source_sha256 = "abc";
  compiled.plan = plan_from_json(Json::parse(R"json({
    "workspace_bytes": "0",
    "launches": [{"kernel": "scale", "grid": ["ceil_div(n, 256)"], "block": [256],
                  "args": ["x", "y", "a", "n"]}]})json"),
                                 spec);
  KernelInfo kernel;
  kernel.name = "scale";
  kernel.parameters = {{0, 8}, {8, 8}, {16, 4}, {20, 4}};
  compiled.kernels = {kernel};
  compiled.availability = CompiledVersion::Availability::built;
  compiled.artifact = {"/x/" + version + "/kernel.cubin", {"scale"}};
  return compiled;
}

inline Json passed() { return {{"status", "passed"}, {"source_sha256", "abc"}}; }

}  // namespace kernelloop
