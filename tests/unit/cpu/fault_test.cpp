// What goes wrong in a kernel ends in a status with block, thread and line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_module.hpp"

#include <array>
#include <vector>

namespace kernelloop::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class Faults : public ::testing::Test {
 protected:
  // After any fault the module must still run a sound kernel.
  void TearDown() override {
    std::vector<int> out(64, -1);
    ASSERT_EQ(module_.launch("works", shape(2, 64), out.data()).status, KERNELLOOP_CPU_OK);
    EXPECT_EQ(out[63], 63);
  }
  const CpuModule module_{built_kernels("faults")};
  std::vector<int> out_ = std::vector<int>(1024);
};

TEST_F(Faults, DivergentBarrier) {
  for (const std::uint64_t seed : {0, 3}) {
    const LaunchResult result =
        module_.launch("divergent_barrier", shape(1, 64, 0, seed), out_.data());
    EXPECT_EQ(result.status, KERNELLOOP_CPU_DIVERGENT_BARRIER);
    EXPECT_THAT(result.message, AllOf(HasSubstr("block (0,0,0)"), HasSubstr("faults.cu:8"),
                                      HasSubstr("faults.cu:11"), HasSubstr("thread (")));
  }
}

TEST_F(Faults, TwoBarriersInOneLineAreNotTheSame) {
  const LaunchResult result = module_.launch("divergent_in_one_line", shape(1, 64), out_.data());
  EXPECT_EQ(result.status, KERNELLOOP_CPU_DIVERGENT_BARRIER);
  EXPECT_THAT(result.message, AllOf(HasSubstr("faults.cu:58:"), HasSubstr("while thread (")));
}

TEST_F(Faults, LanesThatNeverCome) {
  const LaunchResult result = module_.launch("lanes_missing", shape(1, 32), out_.data());
  EXPECT_EQ(result.status, KERNELLOOP_CPU_MASK);
  EXPECT_THAT(result.message,
              AllOf(HasSubstr("faults.cu:17"), HasSubstr("lanes 0xffffff00"),
                    HasSubstr("thread (8,0,0) is in __syncthreads() at faults.cu:19")));
}

TEST_F(Faults, ALaneOutsideOfItsOwnMask) {
  const LaunchResult result = module_.launch("not_in_mask", shape(1, 32), out_.data());
  EXPECT_EQ(result.status, KERNELLOOP_CPU_MASK);
  EXPECT_THAT(result.message, AllOf(HasSubstr("thread (16,0,0), faults.cu:23"),
                                    HasSubstr("lane 16, which its mask 0x0000ffff leaves out")));
}

TEST_F(Faults, LanesThatNameDifferentMasks) {
  const LaunchResult result = module_.launch("other_mask", shape(1, 8), out_.data());
  EXPECT_EQ(result.status, KERNELLOOP_CPU_MASK);
  EXPECT_THAT(result.message, AllOf(HasSubstr("faults.cu:27"), HasSubstr("0x000000ff")));
}

TEST_F(Faults, Trap) {
  const LaunchResult result = module_.launch("traps", shape(4, 32), out_.data());
  EXPECT_EQ(result.status, KERNELLOOP_CPU_TRAP);
  EXPECT_EQ(result.message, "block (2,0,0), thread (5,0,0), faults.cu:31: __trap()");
}

TEST_F(Faults, Assertion) {
  EXPECT_EQ(module_.launch("asserts", shape(1, 32), out_.data(), 3).status, KERNELLOOP_CPU_OK);
  const LaunchResult result = module_.launch("asserts", shape(1, 32), out_.data(), 0);
  EXPECT_EQ(result.status, KERNELLOOP_CPU_TRAP);
  EXPECT_THAT(result.message, AllOf(HasSubstr("faults.cu:36"), HasSubstr("n > 0")));
}

TEST_F(Faults, WaitingForAnotherBlock) {
  int flag = 0;
  const LaunchResult result = module_.launch("waits_for_next_block", shape(2, 1), &flag);
  EXPECT_EQ(result.status, KERNELLOOP_CPU_NOT_RUNNABLE);
  EXPECT_THAT(result.message, AllOf(HasSubstr("faults.cu:42"),
                                    HasSubstr("can't wait for a block that comes later")));
}

TEST_F(Faults, Limits) {
  const auto limit = [this](const std::string& kernel, const LaunchShape& launch) {
    const LaunchResult result = module_.launch(kernel, launch, out_.data());
    EXPECT_EQ(result.status, KERNELLOOP_CPU_LIMIT);
    return result.message;
  };
  EXPECT_EQ(limit("works", shape(1, 1025)), "works: block x is 1025; it must be 1 to 1024");
  EXPECT_EQ(limit("works", shape(0, 32)), "works: grid x is 0; it must be 1 to 2147483647");
  LaunchShape tall = shape(1, 512);
  tall.block[1] = 3;
  EXPECT_EQ(limit("works", tall),
            "works: 1536 threads a block; the kernel can be launched with at most 1024");
  EXPECT_EQ(limit("small_blocks", shape(1, 65)),
            "small_blocks: 65 threads a block; the kernel can be launched with at most 64");
  EXPECT_EQ(limit("works", shape(1, 32, 232449)),
            "works: 232449 bytes of dynamic shared memory; a block can have 232448");
  const CpuModule shared(built_kernels("shared"));
  const LaunchResult both = shared.launch("static_40k", shape(1, 32, 200000), out_.data());
  EXPECT_EQ(both.status, KERNELLOOP_CPU_LIMIT);
  EXPECT_THAT(both.message, HasSubstr("40000 bytes of static and 200000 of dynamic shared memory"));
  EXPECT_EQ(shared.launch("static_40k", shape(1, 32, 192000), out_.data()).status,
            KERNELLOOP_CPU_OK);
}

TEST_F(Faults, ANumberThatNoKernelHas) {
  KernelLoopCpuLaunch launch{};
  launch.kernel = 1000;
  std::array<char, 100> message{};
  EXPECT_EQ(module_.table().launch(&launch, message.data(), message.size()),
            KERNELLOOP_CPU_NOT_RUNNABLE);
  EXPECT_THAT(message.data(), HasSubstr("there is no kernel 1000"));
}

}  // namespace
}  // namespace kernelloop::testing
