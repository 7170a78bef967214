// Where tensors are placed, and what that brings to light.
#include "gpu_test.hpp"

namespace kernelloop::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class GpuMemory : public GpuTest {
 protected:
  // True where the device cannot fence; the result says which placement was in force.
  static bool cannot_fence(const RunResult& result) {
    return result.placement == Placement::margins;
  }
  void expect_fault(const std::string& kernel, Placement placement) {
    const RunResult result = run(kernel, placement);
    EXPECT_EQ(result.fault.kind, FaultKind::illegal_access)
        << kernel << " " << name_of(placement) << ": " << result.fault.message;
    expect_healthy();
  }
};

TEST_F(GpuMemory, EveryPlacementServesARightKernel) {
  for (const Placement placement :
       {Placement::margins, Placement::fence_end, Placement::fence_begin,
        Placement::least_alignment, Placement::bare}) {
    const RunResult result = run("twice", placement);
    ASSERT_FALSE(result.fault) << name_of(placement) << ": " << result.fault.message;
    EXPECT_THAT(result.changed_inputs, IsEmpty());
    EXPECT_EQ(result.placement, placement) << "this device cannot fence";
    expect_twice();
  }
}

TEST_F(GpuMemory, AReadPastTheEndFaultsAtTheFenceOnly) {
  EXPECT_FALSE(run("reads_past_end", Placement::margins).fault);
  EXPECT_FALSE(run("reads_past_end", Placement::fence_begin).fault);
  expect_fault("reads_past_end", Placement::fence_end);
}

TEST_F(GpuMemory, AReadBeforeTheStartFaultsAtTheFenceOnly) {
  EXPECT_FALSE(run("reads_before_start", Placement::margins).fault);
  expect_fault("reads_before_start", Placement::fence_begin);
}

TEST_F(GpuMemory, WritesFaultAtEitherFence) {
  expect_fault("no_bound", Placement::fence_end);
  expect_fault("before_start", Placement::fence_begin);
}

// 1001 floats end 12 bytes before the fence at 16 bytes' alignment: the pattern is there.
TEST_F(GpuMemory, TheSlackBeforeTheFenceIsWatched) {
  arena_ = make_tensors(1001);
  RunRequest request;
  request.arena = &arena_;
  request.plan = plan_for("no_bound", 1001, 13);  // 77 blocks of 13 threads: 1001
  request.placement = Placement::fence_end;
  ASSERT_FALSE(worker_.run(request).fault);
  request.plan = plan_for("no_bound", 1001, 7);  // 143 blocks of 7: 1001
  request.plan.launches[0].grid = {144, 1, 1};   // seven more: past the slack too
  EXPECT_EQ(worker_.run(request).fault.kind, FaultKind::illegal_access);
  request.plan = plan_for("no_bound", 1001, 3);
  request.plan.launches[0].grid = {334, 1, 1};  // 1002: one into the slack
  const RunResult result = worker_.run(request);
  EXPECT_EQ(result.fault.kind, FaultKind::illegal_access);
  EXPECT_THAT(result.fault.message, HasSubstr("wrote past the end of 'y' (4004 bytes) by 4 bytes"));
}

TEST_F(GpuMemory, AFencedInputIsForReadingOnly) {
  const RunResult good = run("twice", Placement::fence_end);
  ASSERT_FALSE(good.fault) << good.fault.message;
  EXPECT_EQ(good.input_protection, "read_only") << "the driver does not map for reading only";
  EXPECT_EQ(run("twice", Placement::margins).input_protection, "hash");
  expect_fault("changes_input", Placement::fence_end);
  EXPECT_THAT(run("changes_input", Placement::margins).changed_inputs, ElementsAre("x"));
}

TEST_F(GpuMemory, TheLeastAlignmentIsTheDeclaredOne) {
  ASSERT_FALSE(run("wants_32_bytes", Placement::margins).fault);
  expect_twice();
  ASSERT_FALSE(run("wants_32_bytes", Placement::least_alignment).fault);
  EXPECT_TRUE(element(arena_, "y", 0) != element(arena_, "y", 0));  // still the poison
}

TEST_F(GpuMemory, AVectorLoadFromATensorOfFourByteAlignmentFaults) {
  const std::size_t bytes = 4000;
  arena_ = TensorArena({{"x", bytes, false, 4}, {"y", bytes, true, 4}});
  EXPECT_FALSE(run("copy", Placement::margins).fault);
  EXPECT_EQ(run("copy", Placement::least_alignment).fault.kind, FaultKind::misaligned);
}

}  // namespace
}  // namespace kernelloop::test
