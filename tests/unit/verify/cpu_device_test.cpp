// End to end on the CPU device: a kernel is compiled, run in a worker and judged by the program
// `kernelloop-device verify`, as a build does it.
#include "compile/compile.hpp"
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"
#include "verify/rules.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* k_compiler = KERNELLOOP_TEST_COMPILER;

struct Outcome {
  ProcessResult process;
  Json verdict;

  [[nodiscard]] const Json& last_case() const {
    return verdict.at("rungs").back().at("cases").back();
  }
};

class CpuDevice : public testing::Test {
 protected:
  CpuDevice() {
    const SpecParts parts = split_spec(read_json(KERNELLOOP_TEST_OPS "/softmax/op.json"));
    write_file_atomic(path("contract.json"), to_text(parts.contract));
    write_file_atomic(path("checks.json"), to_text(parts.checks));
  }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory_.path() / name).string();
  }

  // Compiles the kernel with `define` and writes compile.json.
  void compile(const std::string& define, const std::string& compiler = k_compiler) {
    const OpSpec spec = load_op_spec(KERNELLOOP_TEST_OPS "/softmax/op.json");
    std::string source = read_file(KERNELLOOP_TEST_KERNELS "/softmax.cu");
    if (!define.empty()) source.insert(source.find("#include"), "#define " + define + "\n");
    write_file_atomic(path("kernel.cu"), source);
    CompileRequest request;
    request.source = path("kernel.cu");
    request.output_dir = directory_.path() / "out";
    request.spec = &spec;
    request.for_cpu = true;
    request.host_compiler = compiler;
    request.cpu_include_dir = KERNELLOOP_TEST_INCLUDE;
    Json compiled{{"schema_version", 1}, {"op", "softmax"}, {"version", "v001"}};
    compiled.update(compile_version(request));
    ASSERT_EQ(compiled.at("status"), "compiled") << compiled.dump(1);
    write_file_atomic(path("compile.json"), to_text(compiled));
  }

  Outcome verify(std::vector<std::string> more = {}) {
    Outcome outcome{start("cpu", std::move(more)), {}};
    EXPECT_TRUE(std::filesystem::exists(path("verify.json"))) << outcome.process.describe() << "\n"
                                                              << outcome.process.error_output;
    outcome.verdict = read_json(path("verify.json")).value;
    return outcome;
  }

  ProcessResult start(const std::string& device, std::vector<std::string> more) {
    Command command;
    command.arguments = {KERNELLOOP_TEST_DEVICE_PROGRAM,
                         "verify",
                         "--contract",
                         path("contract.json"),
                         "--checks",
                         path("checks.json"),
                         "--compiled",
                         path("compile.json"),
                         "--reference",
                         KERNELLOOP_TEST_SOFTMAX,
                         "--device",
                         device,
                         "--rules",
                         std::to_string(k_verification_rules),
                         "--output",
                         path("verify.json")};
    command.arguments.insert(command.arguments.end(), more.begin(), more.end());
    command.variables["CUDA_VISIBLE_DEVICES"] = "-1";
    return run(command);
  }

  TemporaryDirectory directory_;
};

TEST_F(CpuDevice, ARightKernelClimbsToTheTop) {
  compile("");
  const Outcome outcome = verify({"--gate"});
  EXPECT_EQ(outcome.process.exit_code, 0) << outcome.process.output;
  EXPECT_EQ(outcome.verdict.at("status"), "passed") << outcome.verdict.at("summary");
  EXPECT_EQ(outcome.verdict.at("rungs").size(), 9U);
  EXPECT_EQ(outcome.verdict.at("device").at("kind"), "cpu");
  EXPECT_THAT(outcome.process.output, StartsWith("softmax v001: passed on "));
}

TEST_F(CpuDevice, ASkippedTailIsNamed) {
  compile("SKIPPED_TAIL");
  const Outcome outcome = verify({"--rung", "shapes"});
  EXPECT_EQ(outcome.process.exit_code, 0);  // a wrong candidate is data
  EXPECT_EQ(outcome.verdict.at("status"), "failed");
  EXPECT_THAT(outcome.last_case().at("outputs").at(0).at("pattern").get<std::string>(),
              testing::AnyOf(HasSubstr("never written"), HasSubstr("not written at all")));
  const Outcome gated = verify({"--rung", "shapes", "--gate"});
  EXPECT_EQ(gated.process.exit_code, static_cast<int>(ExitCode::check_failed));
  EXPECT_THAT(gated.process.output, HasSubstr("rung shapes: failed\n  case "));
}

TEST_F(CpuDevice, AMissingBarrierIsFoundByAnotherOrderOfThreads) {
  compile("MISSING_BARRIER");
  const Outcome outcome = verify({"--up-to", "shapes"});
  EXPECT_EQ(outcome.verdict.at("status"), "failed");
  EXPECT_THAT(outcome.last_case().dump(),
              HasSubstr("in another order (a missing barrier, or blocks"));
}

TEST_F(CpuDevice, AMissingBarrierThatIsWrongInOrderTooIsCalledOne) {
  compile("LAST_THREAD_WRITES");
  const Outcome outcome = verify({"--rung", "smoke"});
  EXPECT_EQ(outcome.verdict.at("status"), "failed");
  EXPECT_THAT(outcome.last_case().dump(),
              HasSubstr("wrong in order, different in another order (a missing barrier?)"));
}

TEST_F(CpuDevice, AResultThatIsWrongInAnyOrderIsNoMissingBarrier) {
  compile("SKIPPED_TAIL");
  const Outcome outcome = verify({"--up-to", "shapes"});
  EXPECT_EQ(outcome.verdict.at("status"), "failed");
  EXPECT_THAT(outcome.last_case().dump(), testing::Not(HasSubstr("missing barrier")));
}

TEST_F(CpuDevice, AWriteOutOfBoundsIsAFault) {
  compile("ONE_TOO_MANY");
  const Outcome outcome = verify({"--rung", "smoke"});
  EXPECT_EQ(outcome.verdict.at("status"), "failed");
  EXPECT_EQ(outcome.last_case().at("fault").at("kind"), "illegal_access")
      << outcome.last_case().dump(1);
}

// Its runtime is in no place where the loader looks.
TEST_F(CpuDevice, AModuleOfClangRunsUnderItsSanitizer) {
  if (find_program("clang++").empty()) GTEST_SKIP() << "there is no clang++";
  compile("ONE_TOO_MANY", "clang++");
  const Outcome outcome = verify({"--up-to", "smoke"});
  EXPECT_THAT(outcome.last_case().at("fault").at("message").get<std::string>(),
              HasSubstr("WRITE of size 2 at kernel.cu:"));
}

TEST_F(CpuDevice, AKernelWithoutEndTimesOut) {
  compile("ENDLESS");
  const Outcome outcome = verify({"--rung", "smoke", "--launch-timeout", "1"});
  EXPECT_EQ(outcome.verdict.at("status"), "failed");
  EXPECT_EQ(outcome.last_case().at("fault").at("kind"), "timeout") << outcome.last_case().dump(1);
}

TEST_F(CpuDevice, AGateSkipsWhereTheDeviceIsMissing) {
  compile("");
  Json compiled = read_json(path("compile.json")).value;
  compiled["artifacts"]["cuda"] = {{"status", "built"}, {"cubin", path("kernel.cubin")}};
  write_file_atomic(path("kernel.cubin"), "");
  write_file_atomic(path("compile.json"), to_text(compiled));
  const ProcessResult gated = start("cuda", {"--gate"});
  EXPECT_EQ(gated.exit_code, static_cast<int>(ExitCode::skipped)) << gated.error_output;
  const ProcessResult step = start("cuda", {});
  EXPECT_EQ(step.exit_code, static_cast<int>(ExitCode::environment)) << step.error_output;
  EXPECT_FALSE(std::filesystem::exists(path("verify.json")));
}

TEST_F(CpuDevice, AGateFailsForAVersionThatDoesNotCompile) {
  write_file_atomic(path("compile.json"), R"({"op": "softmax", "version": "v001",
    "status": "failed", "reason": "", "problems": [{"severity": "error", "message": "no plan"}]})");
  const Outcome outcome = verify({"--gate"});
  EXPECT_EQ(outcome.process.exit_code, static_cast<int>(ExitCode::check_failed));
  EXPECT_EQ(outcome.verdict.at("status"), "skipped");
  EXPECT_EQ(outcome.process.output, "softmax v001: skipped, does not compile: no plan\n");
}

}  // namespace
}  // namespace kernelloop
