// The specs of the operators that ship.
#include "spec/op_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace kernelloop {
namespace {

std::vector<std::string> shipped_ops() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(KERNELLOOP_OPS_DIR)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ShippedOp : public testing::TestWithParam<std::string> {};

TEST_P(ShippedOp, IsValidAndServesBothDevices) {
  const JsonDocument document =
      read_json(std::filesystem::path(KERNELLOOP_OPS_DIR) / GetParam() / "op.json");
  const OpSpec spec = parse_op_spec(document);
  EXPECT_NO_THROW(require_servable(document, spec));
  EXPECT_EQ(spec.name, GetParam());
  EXPECT_GE(spec.workloads_for("cuda").size(), 4U);
  EXPECT_GE(spec.workloads_for("cpu").size(), 2U);
  EXPECT_GE(spec.ladder.holdout.size(), 4U);
  // The CPU device emulates: what it times stays small.
  for (const Workload& workload : spec.workloads_for("cpu")) {
    const Bindings axes = resolve_axes(spec, workload.axes);
    for (const Tensor& input : spec.inputs) {
      EXPECT_LE(element_count(input, axes), 65536) << workload.name;
    }
  }
  // What must be moved is at least what the tensors hold.
  for (const Workload& workload : spec.workloads) {
    const Bindings axes = resolve_axes(spec, workload.axes);
    std::int64_t bytes = 0;
    for (const auto* tensors : {&spec.inputs, &spec.outputs}) {
      for (const Tensor& tensor : *tensors) {
        if (tensor.scalar) continue;
        bytes += element_count(tensor, axes) * static_cast<std::int64_t>(info(tensor.dtype).size);
      }
    }
    EXPECT_EQ(spec.cost.bytes.evaluate(axes), bytes) << workload.name;
  }
}

TEST(ShippedOps, AreFound) { EXPECT_THAT(shipped_ops(), testing::Contains("softmax")); }

INSTANTIATE_TEST_SUITE_P(All, ShippedOp, testing::ValuesIn(shipped_ops()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace kernelloop
