// The sanitized build finds accesses out of bounds and says in which line of the kernel.
#include "support/error.hpp"
#include "support/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_module.hpp"

#include <optional>

namespace kernelloop::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

class Sanitizer : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      variables_ = sanitizer_environment(KERNELLOOP_TEST_COMPILER);
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    library_ = built_kernels("bounds", true);
  }

  [[nodiscard]] ProcessResult launch(const std::string& kernel, int n, std::size_t shared = 512,
                                     std::uint64_t seed = 0) const {
    Command command;
    command.arguments = {KERNELLOOP_TEST_RUNNER, library_.string(),    kernel,           "64",
                         std::to_string(shared), std::to_string(seed), std::to_string(n)};
    command.variables = variables_;
    return run(command);
  }

  void expect_found(const std::string& kernel, int n, const std::string& place) const {
    const ProcessResult result = launch(kernel, n);
    EXPECT_EQ(result.exit_code, k_sanitizer_exit_code) << result.describe() << result.output;
    EXPECT_THAT(result.error_output,
                AnyOf(HasSubstr("ERROR: AddressSanitizer"), HasSubstr("runtime error:")));
    EXPECT_THAT(result.error_output, HasSubstr(place));
  }

 private:
  std::map<std::string, std::string> variables_;
  std::filesystem::path library_;
};

TEST_F(Sanitizer, ACleanKernelIsClean) {
  for (const std::uint64_t seed : {0, 1, 2}) {
    const ProcessResult result = launch("clean", 64, 256, seed);
    EXPECT_EQ(result.exit_code, 0) << result.error_output;
    EXPECT_EQ(result.output, "status 0 \n");
    EXPECT_EQ(result.error_output, "");
  }
}

TEST_F(Sanitizer, GlobalMemory) {
  expect_found("global_write", 40, "bounds.cu:22");
  expect_found("global_read", 40, "bounds.cu:26");
}

TEST_F(Sanitizer, StaticSharedMemory) { expect_found("static_write", 64, "bounds.cu:32"); }

TEST_F(Sanitizer, StaticSharedMemoryInATemplate) {
  expect_found("template_write", 64, "bounds.cu:39");
}

TEST_F(Sanitizer, DynamicSharedMemory) {
  expect_found("dynamic_write", 128, "bounds.cu:46");
  EXPECT_EQ(launch("dynamic_write", 127).exit_code, 0);
}

TEST_F(Sanitizer, MisalignedVector) { expect_found("misaligned", 40, "bounds.cu:52"); }

TEST_F(Sanitizer, LocalMemory) { expect_found("local_write", 16, "bounds.cu:58"); }

TEST(SanitizerRuntime, IsAFile) {
  const std::filesystem::path runtime = [] {
    try {
      return asan_runtime(KERNELLOOP_TEST_COMPILER);
    } catch (const Error&) {
      return std::filesystem::path();
    }
  }();
  if (runtime.empty()) GTEST_SKIP() << "this compiler has no AddressSanitizer runtime";
  EXPECT_TRUE(std::filesystem::is_regular_file(runtime));
}

}  // namespace
}  // namespace kernelloop::testing
