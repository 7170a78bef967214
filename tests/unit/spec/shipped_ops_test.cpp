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
  // What must be moved is what the tensors hold, less the share whose special values say that a row
  // is left out.
  double read = 1.0;
  for (const Tensor& tensor : spec.inputs) read -= tensor.values.special_share;
  for (const Workload& workload : spec.workloads) {
    const Bindings axes = resolve_axes(spec, workload.axes);
    std::int64_t bytes = 0;
    for (const auto* tensors : {&spec.inputs, &spec.outputs}) {
      for (const Tensor& tensor : *tensors) {
        if (tensor.scalar) continue;
        bytes += element_count(tensor, axes) * static_cast<std::int64_t>(info(tensor.dtype).size);
      }
    }
    const auto cost = static_cast<double>(spec.cost.bytes.evaluate(axes));
    if (read == 1.0) {
      EXPECT_EQ(cost, static_cast<double>(bytes)) << workload.name;
    } else {
      EXPECT_NEAR(cost / static_cast<double>(bytes), read, 0.01) << workload.name;
    }
  }
}

TEST(ShippedOps, AreFound) { EXPECT_THAT(shipped_ops(), testing::Contains("softmax")); }

INSTANTIATE_TEST_SUITE_P(All, ShippedOp, testing::ValuesIn(shipped_ops()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace kernelloop
