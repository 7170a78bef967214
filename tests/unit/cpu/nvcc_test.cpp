// The test kernels are CUDA: nvcc takes every one of them as it stands.
#include "support/files.hpp"
#include "support/process.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace kernelloop::testing {
namespace {

class Nvcc : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kernels, Nvcc,
                         ::testing::Values("blocks", "bounds", "faults", "groups", "intrinsics",
                                           "narrow", "odd_syntax", "races", "rmsnorm_bf16",
                                           "shared", "softmax_bf16", "warp"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(Nvcc, TakesTheSameSource) {
  const std::string nvcc = KERNELLOOP_TEST_NVCC;
  if (nvcc.empty()) GTEST_SKIP() << "there is no nvcc";
  const TemporaryDirectory work;
  const std::filesystem::path kernels = KERNELLOOP_TEST_KERNELS;
  Command command;
  command.arguments = {nvcc,
                       "-cubin",
                       "-gencode=arch=compute_90a,code=sm_90a",
                       "-o",
                       (work.path() / "kernel.cubin").string(),
                       (kernels / (std::string(GetParam()) + ".cu")).string()};
  const ProcessResult result = run(command);
  EXPECT_TRUE(result.succeeded()) << result.error_output;
}

}  // namespace
}  // namespace kernelloop::testing
