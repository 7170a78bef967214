// Whole compiles for the CPU device, with nvcc and without it.
#include "support/confined_compiler.hpp"
#include "support/error.hpp"

#include <gmock/gmock.h>

#include "compile_fixture.hpp"

namespace kernelloop {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// The CPU device, with nvcc (fixture Compile) and without.
class CompileForCpu : public Compile {
 protected:
  CompileForCpu() {
    request_.for_cpu = true;
    request_.host_compiler = COMPILE_TEST_HOST_COMPILER;
    request_.cpu_include_dir = COMPILE_TEST_CPU_INCLUDE_DIR;
    request_.sanitize_cpu = false;
  }

  // What nvcc takes and the emulation lacks.
  static std::string with_assembly() {
    return plan_comment() + std::string(k_kernel).replace(std::string(k_kernel).find("  if"), 0,
                                                          "  asm volatile(\"membar.gl;\");\n");
  }
};

class CompileWithoutNvcc : public CompileForCpu {
 protected:
  void SetUp() override { request_.nvcc.clear(); }
};

TEST_F(CompileForCpu, BuildsBothArtefacts) {
  const Json compiled = compile(plan_comment() + k_kernel);
  EXPECT_EQ(compiled["status"], "compiled") << problems(compiled);
  EXPECT_EQ(compiled["artifacts"]["cuda"]["status"], "built");
  EXPECT_EQ(compiled["artifacts"]["cpu"]["status"], "built");
  EXPECT_EQ(compiled["artifacts"]["cpu"]["library"],
            (request_.output_dir / "kernel.cpu.so").string());
  EXPECT_TRUE(is_written("kernel.cpu.so"));
  EXPECT_NE(compiled["toolchain"]["host_compiler"], "");
  EXPECT_EQ(compiled["toolchain"]["confinement"], compiler_confinement());
}

TEST_F(CompileWithoutNvcc, AnEmptySourceIsRefusedWithAReason) {
  for (const char* nothing : {"", "\n", "\xef\xbb\xbf"}) {
    const Json compiled = compile(nothing);
    expect_failed(compiled);
    EXPECT_THAT(problems(compiled), HasSubstr("error plan")) << nothing;
  }
}

// What a large source may be full of. None may take our own passes over it much longer than its
// compiler: the test has its time limit.
class LargeSource : public CompileWithoutNvcc, public testing::WithParamInterface<const char*> {
 protected:
  static std::string padded(std::size_t bytes) {
    const std::string line = GetParam();
    std::string text = plan_comment();
    while (text.size() + line.size() + std::string(k_kernel).size() < bytes) text += line;
    return text + "\n" + k_kernel;
  }
};

TEST_P(LargeSource, IsJudgedAsAnyOther) {
  const Json largest = compile(padded((1 << 20) - 2));
  EXPECT_EQ(largest["artifacts"]["cpu"]["status"], "built") << problems(largest);
}

TEST_P(LargeSource, IsRefusedWhenItIsTooLarge) {
  const Json larger = compile(padded(10'000'000));
  expect_failed(larger);
  EXPECT_THAT(problems(larger), AllOf(StartsWith("error policy 0: the source has "),
                                      HasSubstr(" bytes; 1048576 are the most")));
}

INSTANTIATE_TEST_SUITE_P(Full, LargeSource,
                         testing::Values("// a comment that says nothing\n", "\n", "/* */ ",
                                         "__device__ int nothing_of_the_kind(int, float);\n",
                                         "#define NOTHING_OF_THE_KIND 1\n",
                                         "static_assert(\"text\"[0] == 't');\n"));

TEST_F(CompileForCpu, DoesNotBlameTheVersionForWhatTheEmulationLacks) {
  const Json compiled = compile(with_assembly());
  EXPECT_EQ(compiled["status"], "compiled") << problems(compiled);
  EXPECT_EQ(compiled["artifacts"]["cuda"]["status"], "built");
  EXPECT_EQ(compiled["artifacts"]["cpu"]["status"], "not_runnable");
  EXPECT_EQ(compiled["reason"], compiled["artifacts"]["cpu"]["reason"]);
  EXPECT_FALSE(is_written("kernel.cpu.so"));
}

TEST_F(CompileForCpu, IsNotRunnableWhenOnlyTheHostCompilerRefuses) {
  const Json compiled =
      compile(plan_comment() + "#ifndef __CUDACC_VER_BUILD__\n#error for the GPU only\n#endif\n" +
              k_kernel);
  EXPECT_EQ(compiled["status"], "compiled") << problems(compiled);
  const Json& cpu = compiled["artifacts"]["cpu"];
  EXPECT_EQ(cpu["status"], "not_runnable");
  EXPECT_THAT(cpu["reason"].get<std::string>(),
              AllOf(HasSubstr("nvcc accepts the source"), HasSubstr("line 7:"),
                    HasSubstr("for the GPU only")));
}

TEST_F(CompileForCpu, LeavesTheVerdictOnABadSourceToNvcc) {
  const Json compiled =
      compile(plan_comment() + "extern \"C\" __global__ void scale() { absent(); }\n");
  expect_failed(compiled);
  EXPECT_EQ(lines(problems(compiled)), 1u) << problems(compiled);
  EXPECT_EQ(compiled["artifacts"]["cpu"]["status"], "absent");
  EXPECT_EQ(compiled["artifacts"]["cpu"]["reason"], "not tried: nvcc rejects the source");
}

TEST_F(CompileWithoutNvcc, BuildsAndChecksThePlan) {
  const std::filesystem::path first = request_.output_dir / "first";
  const std::filesystem::path second = request_.output_dir / "second";
  write_file_if_changed(first / "one.hpp", "#define ONE\n");
  write_file_if_changed(second / "two.hpp", "#define TWO\n");
  request_.options = {"-DFACTOR=2", "-D", "OTHER", "-I" + first.string(),
                      "--system-include=" + second.string()};
  const Json compiled = compile(
      plan_comment() +
      "#include <one.hpp>\n#include <two.hpp>\n"
      "#if FACTOR != 2 || !defined(OTHER) || !defined(ONE) || !defined(TWO)\n#error options\n"
      "#endif\n" +
      k_kernel);
  EXPECT_EQ(compiled["status"], "compiled") << problems(compiled);
  EXPECT_EQ(compiled["artifacts"]["cuda"]["status"], "absent");
  EXPECT_EQ(compiled["artifacts"]["cuda"]["reason"], "there is no nvcc on this machine");
  EXPECT_EQ(compiled["artifacts"]["cpu"]["status"], "built");
  EXPECT_EQ(compiled["toolchain"]["nvcc"], "");
  const Json& kernel = compiled["kernels"][0];
  EXPECT_EQ(kernel["name"], "scale");
  EXPECT_EQ(kernel["parameters"].size(), 4u);
  EXPECT_TRUE(kernel["registers"].is_null());

  std::string wrong = k_kernel;
  wrong.replace(wrong.find("float factor"), 5, "double");
  const Json failed = compile(plan_comment() + wrong);
  EXPECT_EQ(failed["status"], "failed");
  EXPECT_THAT(problems(failed), AllOf(HasSubstr("error plan 3: "), HasSubstr("factor")));
  EXPECT_FALSE(is_written("kernel.cpu.so"));
}

TEST_F(CompileWithoutNvcc, ReportsTheHostCompilersErrors) {
  const Json compiled =
      compile(plan_comment() + "extern \"C\" __global__ void scale(float* y) { y[0] = absent; }\n");
  expect_failed(compiled);
  EXPECT_THAT(problems(compiled), AllOf(HasSubstr("error diagnostic 6: "), HasSubstr("absent")));
  EXPECT_EQ(compiled["artifacts"]["cpu"]["status"], "failed");
}

TEST_F(CompileWithoutNvcc, SaysWhatCannotRunHere) {
  const Json compiled = compile(with_assembly());
  EXPECT_EQ(compiled["status"], "compiled") << problems(compiled);
  EXPECT_EQ(compiled["artifacts"]["cpu"]["status"], "not_runnable");
  EXPECT_NE(compiled["reason"], "");
}

TEST_F(CompileWithoutNvcc, GivesTheSameBytesAgain) {
  const Json first = compile(plan_comment() + k_kernel);
  const std::string library = read_file(request_.output_dir / "kernel.cpu.so");
  EXPECT_EQ(to_text(compile_version(request_)), to_text(first));
  EXPECT_EQ(read_file(request_.output_dir / "kernel.cpu.so"), library);
}

TEST_F(CompileWithoutNvcc, NeedsAHostCompiler) {
  request_.host_compiler = directory_.path() / "absent";
  write_source(plan_comment() + k_kernel);
  try {
    compile_version(request_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
  }
}

TEST_F(CompileWithoutNvcc, TriesTheHostCompilerOnAKernelThatDoesNothing) {
  EXPECT_EQ(trial(request_), "");
  request_.host_compiler = directory_.path() / "broken";
  write_file_atomic(request_.host_compiler,
                    "#!/bin/sh\n"
                    "case \"$*\" in *-dM*) echo '#define __GNUC__ 12'; exit 0 ;; esac\n"
                    "echo 'broken: fatal error: out of luck' >&2; exit 1\n");
  std::filesystem::permissions(request_.host_compiler, std::filesystem::perms::owner_all);
  EXPECT_THAT(trial(request_),
              AllOf(StartsWith("4 " + request_.host_compiler.string() +
                               " cannot compile even a kernel that does nothing: "),
                    HasSubstr("out of luck")));
}

}  // namespace
}  // namespace kernelloop
