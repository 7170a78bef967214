// What is said about launches that cannot work, and about cubins that must not be loaded.
#include "device/cuda_faults.hpp"

#include "device/cubin_file.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../gpu/damage.hpp"

namespace kernelloop {
namespace {

using ::testing::HasSubstr;

class LaunchProblem : public ::testing::Test {
 protected:
  LaunchProblem() {
    launch_.kernel = "k";
    launch_.grid = {8, 1, 1};
    launch_.block = {256, 1, 1};
  }
  [[nodiscard]] std::string problem() const { return launch_problem(launch_, facts_, limits_); }

  ResolvedLaunch launch_;
  CudaKernelFacts facts_{1024, 32, 1024};
  CudaLimits limits_{232448, {2147483647, 65535, 65535}, {1024, 1024, 64}};
};

TEST_F(LaunchProblem, NoneWithinTheLimits) {
  EXPECT_EQ(problem(), "");
  launch_.grid = {2147483647, 65535, 65535};
  launch_.block = {4, 4, 64};
  launch_.dynamic_shared_bytes = 232448 - 1024;
  EXPECT_EQ(problem(), "");
}

TEST_F(LaunchProblem, Grid) {
  launch_.grid = {8, 65536, 1};
  EXPECT_EQ(problem(), "kernel 'k': grid y is 65536, but must be between 1 and 65535");
  launch_.grid = {0, 1, 1};
  EXPECT_EQ(problem(), "kernel 'k': grid x is 0, but must be between 1 and 2147483647");
}

TEST_F(LaunchProblem, Block) {
  launch_.block = {1, 1, 65};
  EXPECT_EQ(problem(), "kernel 'k': block z is 65, but must be between 1 and 64");
  launch_.block = {1024, 2, 1};
  EXPECT_THAT(problem(), HasSubstr("2048 threads per block, but was compiled for at most 1024"));
}

TEST_F(LaunchProblem, Cluster) {
  launch_.has_cluster = true;
  launch_.cluster = {2, 1, 1};
  EXPECT_EQ(problem(), "");
  launch_.cluster = {3, 1, 1};
  EXPECT_EQ(problem(), "kernel 'k': cluster x is 3, which does not divide grid x = 8");
  launch_.cluster = {0, 1, 1};
  EXPECT_THAT(problem(), HasSubstr("cluster x is 0"));
}

TEST_F(LaunchProblem, SharedMemory) {
  launch_.dynamic_shared_bytes = 232448;
  EXPECT_EQ(problem(),
            "kernel 'k' asks for 232448 bytes of dynamic shared memory and has 1024 bytes of "
            "static, but a block can have 232448 bytes in all");
  launch_.dynamic_shared_bytes = -1;
  EXPECT_THAT(problem(), HasSubstr("-1 bytes"));
}

TEST_F(LaunchProblem, ARefusalSaysWhatWasAskedFor) {
  launch_.cooperative = true;
  const Fault fault =
      refusal("720 NAME (text)", CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, launch_, facts_);
  EXPECT_EQ(fault.kind, FaultKind::launch_refused);
  EXPECT_EQ(fault.message,
            "the driver refused to launch 'k' (grid [8, 1, 1], block [256, 1, 1], cooperative, "
            "1024 + 0 bytes of shared memory, 32 registers per thread): 720 NAME (text); all "
            "blocks of a cooperative launch must fit on the GPU at once: use fewer blocks");
}

TEST(CudaFaultKinds, OnlyWhatACandidateCanDoIsAFault) {
  EXPECT_EQ(fault_kind_of(CUDA_ERROR_ILLEGAL_ADDRESS), FaultKind::illegal_access);
  EXPECT_EQ(fault_kind_of(CUDA_ERROR_MISALIGNED_ADDRESS), FaultKind::misaligned);
  EXPECT_EQ(fault_kind_of(CUDA_ERROR_LAUNCH_FAILED), FaultKind::trap);
  EXPECT_EQ(fault_kind_of(CUDA_ERROR_ASSERT), FaultKind::trap);
  EXPECT_EQ(fault_kind_of(CUDA_ERROR_OUT_OF_MEMORY), FaultKind::none);
  EXPECT_EQ(fault_kind_of(CUDA_ERROR_ECC_UNCORRECTABLE), FaultKind::none);
}

TEST(CudaFaultKinds, TheKernelsOfAPlanAreNamedOnce) {
  ResolvedPlan plan;
  plan.launches.resize(1);
  plan.launches[0].kernel = "a";
  EXPECT_EQ(kernels_of(plan), "in kernel 'a'");
  plan.launches.resize(3);
  plan.launches[1].kernel = "b";
  plan.launches[2].kernel = "a";
  EXPECT_EQ(kernels_of(plan), "in one of the kernels 'a', 'b'");
}

TEST(CubinFile, AWholeOneIsTakenWithRoomBehindIt) {
  const CubinFile file = read_cubin(CANDIDATES_CUBIN);
  EXPECT_EQ(file.problem, "");
  EXPECT_GE(file.bytes.size(), std::filesystem::file_size(CANDIDATES_CUBIN) + 4096);
  EXPECT_EQ(file.bytes.back(), '\0');
}

TEST(CubinFile, AnyTruncationIsRefused) {
  const TemporaryDirectory directory;
  const std::string whole = read_file(CANDIDATES_CUBIN);
  const auto path = directory.path() / "cut.cubin";
  for (std::size_t size = 0; size < whole.size(); size += 1 + whole.size() / 50) {
    write_file_atomic(path, std::string_view(whole).substr(0, size));
    EXPECT_THAT(read_cubin(path).problem, HasSubstr("cut.cubin is no whole cubin")) << size;
  }
}

// What the driver makes of those that pass, tests/gpu/damaged_cubin_test.cpp sees on a GPU.
TEST(CubinFile, OfTwoHundredDamagedOnesEachIsRefusedInWordsOrTakenAsItIs) {
  const TemporaryDirectory directory;
  const std::string whole = read_file(CANDIDATES_CUBIN);
  const auto path = directory.path() / "damaged.cubin";
  int refused = 0;
  for (unsigned number = 0; number < 200; ++number) {
    const std::string text = test::damaged(whole, number);
    write_file_atomic(path, text);
    const CubinFile file = read_cubin(path);
    if (!file.problem.empty()) {
      EXPECT_THAT(file.problem, HasSubstr("damaged.cubin is "));
      EXPECT_TRUE(file.bytes.empty()) << number;
      ++refused;
      continue;
    }
    ASSERT_GE(file.bytes.size(), text.size() + 4096) << number;
    EXPECT_EQ(std::string_view(file.bytes.data(), text.size()), text) << number;
  }
  // Damaged headers are seen, damaged code is not: both kinds are among them.
  EXPECT_GT(refused, 20);
  EXPECT_LT(refused, 180);
}

TEST(CubinFile, OtherFilesAreRefused) {
  EXPECT_THAT(read_cubin(DEVICE_FIXTURE).problem, HasSubstr("an ELF file for another machine"));
  EXPECT_THAT(read_cubin("/nowhere/k.cubin").problem, HasSubstr("/nowhere/k.cubin"));
}

}  // namespace
}  // namespace kernelloop
