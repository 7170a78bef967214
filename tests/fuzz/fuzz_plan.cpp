// Launch plans in a source: right, and the same after a round trip, or named problems.
#include "plan/launch_plan.hpp"
#include "spec/op_spec.hpp"
#include "support/error.hpp"
#include "support/json.hpp"

#include "promise.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

const kernelloop::OpSpec& scale_spec() {
  static const kernelloop::OpSpec spec = kernelloop::parse_op_spec(kernelloop::parse_json(
      R"({"name": "scale", "description": "doubles",
          "axes": {"rows": {"type": "var"}, "cols": {"type": "var"}},
          "inputs": {"x": {"shape": ["rows", "cols"], "dtype": "float32"},
                     "factor": {"shape": null, "dtype": "float32"}},
          "outputs": {"y": {"shape": ["rows", "cols"], "dtype": "float32"}},
          "cost": {"bytes": "rows * cols * 8", "flops": {"fp32": "rows * cols"}},
          "workloads": [{"name": "w", "axes": {"rows": 64, "cols": 64}}]})",
      "op.json"));
  return spec;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kernelloop;
  const std::string source(reinterpret_cast<const char*>(data), size);
  const PlanResult result = extract_plan(source, "kernel.cu", scale_spec());
  promise(result.plan.has_value() || !result.problems.empty(), "neither a plan nor a problem");
  if (!result.plan) return 0;
  const Json once = plan_to_json(*result.plan);
  promise(plan_to_json(plan_from_json(once, scale_spec())) == once, "a plan changes on its way");
  return 0;
}
