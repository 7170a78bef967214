// Candidates that go wrong on the GPU: a fault with words, then a fresh worker.
#include "gpu_test.hpp"

namespace kernelloop::test {
namespace {

using ::testing::HasSubstr;

class GpuFault : public GpuTest {
 protected:
  void expect_fault(const std::string& kernel, FaultKind kind, const std::string& words) {
    const RunResult result = run(kernel);
    EXPECT_EQ(result.fault.kind, kind)
        << name_of(result.fault.kind) << ": " << result.fault.message;
    EXPECT_THAT(result.fault.message, HasSubstr(words));
    expect_healthy();
  }
};

// 1000 elements, four blocks of 256: 24 floats too many.
TEST_F(GpuFault, AWritePastTheEndNamesTensorAndBytes) {
  expect_fault("no_bound", FaultKind::illegal_access,
               "wrote past the end of 'y' (4000 bytes) by 96 bytes");
}

TEST_F(GpuFault, AWriteBeforeTheStartNamesTheTensor) {
  expect_fault("before_start", FaultKind::illegal_access,
               "wrote 8 bytes before the start of 'y' (4000 bytes)");
}

TEST_F(GpuFault, AWildWriteIsAnIllegalAccess) {
  expect_fault("wild", FaultKind::illegal_access, "in kernel 'wild'");
}

TEST_F(GpuFault, AMisalignedAccess) {
  expect_fault("misaligned", FaultKind::misaligned, "in kernel 'misaligned'");
}

TEST_F(GpuFault, ATrap) { expect_fault("trap", FaultKind::trap, "in kernel 'trap'"); }

TEST_F(GpuFault, AnEndlessKernelIsKilledWithinItsLimit) {
  const RunResult result = run("endless", milliseconds(3000));
  EXPECT_EQ(result.fault.kind, FaultKind::timeout) << result.fault.message;
  EXPECT_THAT(result.fault.message, HasSubstr("3 s"));
  expect_healthy();
}

TEST_F(GpuFault, AFaultWhileTimingNamesItsVariant) {
  TimeRequest request;
  request.sets = {&arena_};
  request.variants = {{0, plan_for("twice", k_elements)}, {0, plan_for("trap", k_elements)}};
  const TimeResult result = worker_.time(request);
  EXPECT_EQ(result.fault.kind, FaultKind::trap) << result.fault.message;
  EXPECT_EQ(result.faulty_variant, 1);
  expect_healthy();
}

TEST_F(GpuFault, AnInputChangedWhileTimingIsAFault) {
  TimeRequest request;
  request.sets = {&arena_};
  request.variants = {{0, plan_for("changes_input", k_elements)}};
  const TimeResult result = worker_.time(request);
  EXPECT_EQ(result.fault.kind, FaultKind::changed_input);
  EXPECT_THAT(result.fault.message, HasSubstr("writes to input 'x'"));
  EXPECT_EQ(result.faulty_variant, 0);
}

}  // namespace
}  // namespace kernelloop::test
