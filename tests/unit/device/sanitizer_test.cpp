#include "device/sanitizer.hpp"

#include "device/worker_client.hpp"
#include "support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "candidate_plan.hpp"

namespace kernelloop {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(SanitizerRuntimes, AreFoundInTheLibraryAndAddressComesFirst) {
  EXPECT_THAT(sanitizer_runtimes(DEVICE_FIXTURE_SANITIZED),
              ElementsAre(HasSubstr("libasan.so"), HasSubstr("libubsan.so")));
  EXPECT_THAT(sanitizer_runtimes(DEVICE_FIXTURE), IsEmpty());
  EXPECT_THAT(sanitizer_runtimes("/nowhere"), IsEmpty());
  EXPECT_THAT(sanitizer_runtimes("/"), IsEmpty());
}

// What a version does that needs `library`, in a worker.
RunResult run_with(const char* library) {
  Worker worker(WorkerOptions{"cpu", KERNELLOOP_DEVICE_PROGRAM});
  worker.load({library, {"twice"}});
  TensorArena arena = test::make_tensors(8);
  RunRequest request;
  request.arena = &arena;
  request.plan = test::plan_for("twice", 8);
  return worker.run(request);
}

TEST(SanitizerRuntimes, AreWhereTheCompilerKeepsThem) {
  EXPECT_THAT(sanitizer_runtimes(DEVICE_FIXTURE_FAR_RUNTIME), ElementsAre(DEVICE_FIXTURE_RUNTIME));
  const RunResult result = run_with(DEVICE_FIXTURE_FAR_RUNTIME);
  EXPECT_FALSE(result.fault) << result.fault.message;
}

TEST(SanitizerRuntimes, ThatAreLostAreTheMachinesFault) {
  try {
    const RunResult result = run_with(DEVICE_FIXTURE_LOST_RUNTIME);
    FAIL() << result.fault.message;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(),
                AllOf(StartsWith("the sanitizer runtime libclang_rt.asan-stand_in.so, which"),
                      HasSubstr("cannot open shared object file"),
                      HasSubstr("set KERNELLOOP_HOST_COMPILER to a compiler that has one")));
  }
}

constexpr const char* k_address_report = R"(noise of the kernel
=================================================================
==4711==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60b0 at pc 0x7f bp 0x7ffe sp 0x7f
WRITE of size 4 at 0x60b000000154 thread T0
    #0 0x7f1 in __interceptor_memcpy ../../../../src/libsanitizer/asan/interceptors.cpp:827
    #1 0x7f2 in softmax_rows(float const*, float*, int) /home/someone/op/kernel.cu:12:7
    #2 0x7f3 in main /home/someone/main.cpp:3
)";

TEST(FirstFinding, IsOneLineWithThePlace) {
  const auto finding = first_finding(k_address_report);
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, FaultKind::illegal_access);
  EXPECT_EQ(finding->message,
            "heap-buffer-overflow: WRITE of size 4 at kernel.cu:12:7 in softmax_rows");
}

TEST(FirstFinding, WhatIsPutOutOfBoundsIsCalledThat) {
  std::string report = k_address_report;
  report.replace(report.find("heap-buffer-overflow"), 20, "use-after-poison");
  EXPECT_THAT(first_finding(report)->message, StartsWith("out-of-bounds: WRITE of size 4"));
}

TEST(SegmentationFaultAddress, IsReadFromTheReport) {
  EXPECT_EQ(segmentation_fault_address("==1==ERROR: AddressSanitizer: SEGV on unknown address "
                                       "0x7f10aa00 (pc 0x55 bp 0x7f)\n"),
            0x7f10aa00u);
  EXPECT_EQ(segmentation_fault_address(k_address_report), 0u);
}

TEST(FirstFinding, OfUndefinedBehaviour) {
  const auto finding = first_finding(
      "/a/b/kernel.cu:9:15: runtime error: index 40 out of bounds for type 'float [32]'\n");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, FaultKind::illegal_access);
  EXPECT_EQ(finding->message, "index 40 out of bounds for type 'float [32]' at kernel.cu:9:15");
}

TEST(FirstFinding, OfMisalignment) {
  const auto finding = first_finding(
      "kernel.cu:4:1: runtime error: load of misaligned address 0x7f01 for type 'float4'\n");
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->kind, FaultKind::misaligned);
}

TEST(FirstFinding, TheEarlierOfTwoCounts) {
  const std::string undefined = "k.cu:1:1: runtime error: shift exponent 40 is too large\n";
  EXPECT_THAT(first_finding(undefined + k_address_report)->message, StartsWith("shift exponent"));
  EXPECT_THAT(first_finding(k_address_report + undefined)->message, StartsWith("heap-buffer"));
}

TEST(FirstFinding, IsNoneInOtherOutput) {
  EXPECT_FALSE(first_finding(""));
  EXPECT_FALSE(first_finding("an error of some runtime\n"));
  EXPECT_FALSE(first_finding("runtime error: without a place\n"));
}

}  // namespace
}  // namespace kernelloop
