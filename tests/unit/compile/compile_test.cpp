// Whole compiles with the real nvcc.
#include "support/error.hpp"
#include "support/hash.hpp"

#include <gmock/gmock.h>

#include "compile_fixture.hpp"

namespace kernelloop {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(Compile, BuildsAGoodVersion) {
  const Json compiled = compile(plan_comment() + k_kernel);
  EXPECT_EQ(compiled["status"], "compiled") << problems(compiled);
  EXPECT_EQ(compiled["reason"], "");
  EXPECT_EQ(problems(compiled), "");
  EXPECT_EQ(compiled["source_sha256"], sha256(plan_comment() + k_kernel));
  EXPECT_EQ(compiled["dependencies"], Json::array());
  const Json& cuda = compiled["artifacts"]["cuda"];
  EXPECT_EQ(cuda["status"], "built");
  EXPECT_EQ(cuda["architecture"], "90a");
  EXPECT_EQ(cuda["cubin"], (request_.output_dir / "kernel.cubin").string());
  EXPECT_EQ(cuda["cubins"]["90a"], cuda["cubin"]);
  EXPECT_THAT(read_file(cuda["ptx"].get<std::string>()), HasSubstr(".visible .entry scale("));
  EXPECT_EQ(compiled["artifacts"]["cpu"]["status"], "absent");
  EXPECT_THAT(compiled["toolchain"]["nvcc"].get<std::string>(), testing::StartsWith("nvcc 1"));
  EXPECT_EQ(compiled["plan"]["launches"][0]["kernel"], "scale");

  const Json& kernel = compiled["kernels"][0];
  EXPECT_EQ(kernel["name"], "scale");
  EXPECT_EQ(kernel["parameters"].dump(),
            R"([{"offset":0,"size":8},{"offset":8,"size":8},{"offset":16,"size":4},)"
            R"({"offset":24,"size":8}])");
  EXPECT_GT(kernel["registers"], 0);
  EXPECT_EQ(kernel["spill_store_bytes"], 0);
}

TEST_F(Compile, SaysWhichInstructionsItHolds) {
  const std::string body =
      "extern \"C\" __global__ void scale(const float* x, float* y, float factor, long long n) {\n"
      "  const unsigned* a = reinterpret_cast<const unsigned*>(x);\n"
      "  unsigned packed;\n"
      "  asm(\"{ add.bf16x2 %0, %1, %1; }\" : \"=r\"(packed) : \"r\"(a[0]));\n"
      "  float d[4] = {};\n"
      "  asm(\"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, \"\n"
      "      \"{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\"\n"
      "      : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3])\n"
      "      : \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(a[4]), \"r\"(a[5]), \"r\"(a[6]));\n"
      "  y[threadIdx.x] = factor * d[0] + d[1] + d[2] + d[3] + __uint_as_float(packed) + n;\n"
      "}\n";
  const Json compiled = compile(plan_comment() + body);
  EXPECT_EQ(compiled["status"], "compiled") << problems(compiled);
  const Json& found = compiled["instructions"]["90a"];
  EXPECT_EQ(found["counts"]["bf16_tensor"], 1);
  EXPECT_EQ(found["counts"]["bf16"], 1);
  ASSERT_EQ(found["findings"].size(), 2u) << found;
  EXPECT_EQ(found["findings"][0]["kind"], "half_arithmetic");
  EXPECT_EQ(found["findings"][0]["line"], 9);
  EXPECT_EQ(found["findings"][1]["inputs"], Json::array({"bf16"}));
  EXPECT_EQ(found["findings"][1]["accumulator"], "f32");
}

TEST_F(Compile, RefusesWhatTellsLaunchesApart) {
  const std::string body =
      "__device__ int launches;\n"
      "extern \"C\" __global__ void scale(const float* x, float* y, float factor, long long n) {\n"
      "  if (atomicAdd(&launches, 1) > 3) y[0] = x[0] * factor + n;\n"
      "  y[1] = clock64();\n"
      "  asm volatile(\"griddepcontrol.launch_dependents;\");\n"
      "}\n";
  const Json compiled = compile(plan_comment() + body);
  EXPECT_EQ(compiled["status"], "failed");
  EXPECT_THAT(
      problems(compiled),
      AllOf(HasSubstr("error policy 8: the kernels write the __device__ variable 'launches'"),
            HasSubstr("error policy 9: reads %clock64"),
            HasSubstr("error policy 10: griddepcontrol.launch_dependents")));
  EXPECT_FALSE(is_written("kernel.cubin"));
}

TEST_F(Compile, GivesTheSameBytesAgain) {
  const Json first = compile(plan_comment() + k_kernel);
  const std::string cubin = read_file(request_.output_dir / "kernel.cubin");
  const auto time = std::filesystem::last_write_time(request_.output_dir / "kernel.cubin");
  const Json second = compile_version(request_);
  EXPECT_EQ(to_text(first), to_text(second));
  EXPECT_EQ(read_file(request_.output_dir / "kernel.cubin"), cubin);
  EXPECT_EQ(std::filesystem::last_write_time(request_.output_dir / "kernel.cubin"), time);
}

TEST_F(Compile, ReadsEveryKindOfParameterAsNvccLaysItOut) {
  const Json compiled = compile(
      plan_comment() +
      "#include <cuda_bf16.h>\n"
      "struct Pair { float a; double b; };\n"
      "struct Three { char c[3]; };\n"
      "struct alignas(64) Map { unsigned char bytes[128]; };\n"
      "extern \"C\" __global__ void __launch_bounds__(128, 2) mixed(const float* p, int i,\n"
      "    long long l, float f, __nv_bfloat16 h, Pair pair, const __grid_constant__ Map map,\n"
      "    Three three, unsigned char u, __nv_bfloat162 h2, float4 v) {\n"
      "  __shared__ float row[64];\n"
      "  row[threadIdx.x] = p[0]; __syncthreads();\n"
      "}\n" +
      k_kernel);
  ASSERT_EQ(compiled["status"], "compiled") << problems(compiled);
  const Json& kernel = compiled["kernels"][0];
  ASSERT_EQ(kernel["name"], "mixed");
  // float4 is aligned to 16 bytes, Map to 64.
  EXPECT_EQ(kernel["parameters"].dump(),
            R"([{"offset":0,"size":8},{"offset":8,"size":4},{"offset":16,"size":8},)"
            R"({"offset":24,"size":4},{"offset":28,"size":2},{"offset":32,"size":16},)"
            R"({"offset":64,"size":128},{"offset":192,"size":3},{"offset":195,"size":1},)"
            R"({"offset":196,"size":4},{"offset":208,"size":16}])");
  EXPECT_EQ(kernel["max_threads_per_block"], 128);
}

TEST_F(Compile, ReportsSharedMemoryAndSpills) {
  // 32 registers are left for 48 values that all live across a barrier.
  const Json compiled = compile(
      plan_comment() +
      "extern \"C\" __global__ void __launch_bounds__(1024, 2) heavy(const float* x, float* y) {\n"
      "  __shared__ float row[1024];\n"
      "  float v[48];\n"
      "  #pragma unroll\n"
      "  for (int i = 0; i < 48; ++i) v[i] = x[threadIdx.x + i * 1024];\n"
      "  row[threadIdx.x] = v[0]; __syncthreads();\n"
      "  #pragma unroll\n"
      "  for (int i = 0; i < 48; ++i) y[threadIdx.x + i * 1024] = v[i] * row[i] + v[47 - i];\n"
      "}\n" +
      k_kernel);
  ASSERT_EQ(compiled["status"], "compiled") << problems(compiled);
  const Json& kernel = compiled["kernels"][0];
  EXPECT_EQ(kernel["static_shared_bytes"], 4096);
  EXPECT_EQ(kernel["barriers"], 1);
  EXPECT_GT(kernel["spill_store_bytes"], 0);
  EXPECT_GT(kernel["stack_bytes"], 0);
  EXPECT_THAT(problems(compiled), HasSubstr("warning diagnostic 6: kernel 'heavy' spills"));
}

TEST_F(Compile, ReportsASyntaxError) {
  const Json compiled = compile(plan_comment() +
                                "extern \"C\" __global__ void scale(const float* x) {\n"
                                "  float a = 1\n"
                                "  float b = 2;\n"
                                "}\n");
  expect_failed(compiled);
  EXPECT_THAT(problems(compiled), HasSubstr("error diagnostic 8: expected a \";\""));
  EXPECT_EQ(compiled["problems"][0]["source_line"], "  float b = 2;");
  EXPECT_EQ(compiled["artifacts"]["cuda"]["status"], "failed");
  EXPECT_EQ(compiled["artifacts"]["cuda"]["reason"], "nvcc rejects the source");
}

TEST_F(Compile, ReportsAnErrorInATemplateOnce) {
  const Json compiled = compile(plan_comment() +
                                "template <class T> __device__ T twice(T v) {\n"
                                "  return v + absent(v);\n"
                                "}\n"
                                "extern \"C\" __global__ void scale(float* y) {\n"
                                "  y[0] = twice(1.0f) + twice(1.0);\n"
                                "}\n");
  expect_failed(compiled);
  const std::string text = problems(compiled);
  EXPECT_EQ(lines(text), 1u) << text;
  EXPECT_THAT(text, HasSubstr("error diagnostic 7: identifier \"absent\" is undefined"));
  EXPECT_EQ(compiled["problems"][0]["column"], 14);
}

TEST_F(Compile, ReportsTheSameErrorOfTwoArchitecturesOnce) {
  request_.architectures = {"90a", "80"};
  const Json compiled =
      compile(plan_comment() + "extern \"C\" __global__ void scale() { absent(); }\n");
  expect_failed(compiled);
  EXPECT_EQ(lines(problems(compiled)), 1u) << problems(compiled);
}

TEST_F(Compile, BuildsACubinForEachArchitecture) {
  request_.architectures = {"sm_90a", "80"};
  const Json compiled = compile(plan_comment() + k_kernel);
  ASSERT_EQ(compiled["status"], "compiled") << problems(compiled);
  const Json& cubins = compiled["artifacts"]["cuda"]["cubins"];
  EXPECT_NE(read_file(cubins["90a"].get<std::string>()),
            read_file(cubins["80"].get<std::string>()));
  // A cubin of an architecture that is no longer wanted goes.
  request_.architectures = {"90a"};
  compile_version(request_);
  EXPECT_FALSE(is_written("kernel.80.cubin"));
  EXPECT_TRUE(is_written("kernel.cubin"));
}

TEST_F(Compile, ReportsTooMuchSharedMemory) {
  const Json compiled =
      compile(plan_comment() +
              "extern \"C\" __global__ void scale(const float* x, float* y, float "
              "factor, long long n) {\n"
              "  __shared__ float big[60000];\n"
              "  big[threadIdx.x] = x[0]; __syncthreads(); y[0] = big[n];\n"
              "}\n");
  expect_failed(compiled);
  EXPECT_THAT(
      problems(compiled),
      HasSubstr("error diagnostic 6: ptxas: Entry function 'scale' uses too much shared data "
                "(240000 bytes, 232448 max)"));
}

TEST_F(Compile, ReportsBadInlineAssemblyAtItsLine) {
  const Json compiled =
      compile(plan_comment() +
              "extern \"C\" __global__ void scale(const float* x, float* y, float "
              "factor, long long n) {\n"
              "  y[0] = 1;\n"
              "  asm volatile(\"bogus.op %0;\" :: \"l\"(n));\n"
              "}\n");
  expect_failed(compiled);
  EXPECT_THAT(problems(compiled), HasSubstr("error diagnostic 8: ptxas: "));
}

TEST_F(Compile, RefusesPrintfAndMalloc) {
  const Json compiled =
      compile(plan_comment() + "#include <cstdio>\n" +
              "__device__ int* leak(long long n) { return new int[n]; }\n" +
              "extern \"C\" __global__ void scale(const float* x, float* y, float "
              "factor, long long n) {\n"
              "  printf(\"%f\\n\", factor);\n"
              "  y[0] = leak(n)[3];\n"
              "}\n");
  expect_failed(compiled);
  const std::string text = problems(compiled);
  EXPECT_THAT(text, HasSubstr("error policy 9: printf needs the device runtime"));
  EXPECT_THAT(text, HasSubstr("error policy 7: malloc and new need the device heap"));
  EXPECT_THAT(compiled["artifacts"]["cuda"]["reason"].get<std::string>(),
              HasSubstr("the version has other problems"));
}

TEST_F(Compile, AllowsAsserts) {
  const Json compiled = compile(
      plan_comment() + "#include <cassert>\n" +
      "__device__ void check(long long n) { assert(n > 0); }\n" +
      std::string(k_kernel).replace(std::string(k_kernel).find("  if"), 0, "  check(n);\n"));
  EXPECT_EQ(compiled["status"], "compiled") << problems(compiled);
}

TEST_F(Compile, AsksForExternC) {
  const Json compiled = compile(plan_comment() + std::string(k_kernel).substr(11));
  expect_failed(compiled);
  const std::string text = problems(compiled);
  EXPECT_THAT(text,
              AllOf(HasSubstr("error plan 6: the plan launches 'scale', but the compiler knows "
                              "it only as scale(float const*, float*, float, long long)"),
                    HasSubstr("extern \"C\"")));
  EXPECT_EQ(lines(text), 1u) << text;
  EXPECT_EQ(compiled["kernels"][0]["signature"], "scale(float const*, float*, float, long long)");
}

TEST_F(Compile, ReportsAParameterOfTheWrongSize) {
  std::string kernel = k_kernel;
  kernel.replace(kernel.find("float factor"), 5, "double");
  const Json compiled = compile(plan_comment() + kernel);
  expect_failed(compiled);
  EXPECT_THAT(problems(compiled), HasSubstr("error plan "));
  EXPECT_THAT(problems(compiled), HasSubstr("factor"));
}

TEST_F(Compile, ReportsAKernelThatIsNotThere) {
  const Json compiled = compile(plan_comment("scael") + k_kernel);
  expect_failed(compiled);
  EXPECT_THAT(problems(compiled), AllOf(HasSubstr("error plan 3: "), HasSubstr("scael")));
}

TEST_F(Compile, ReportsASourceWithoutPlan) {
  const Json compiled = compile(k_kernel);
  expect_failed(compiled);
  EXPECT_THAT(problems(compiled), HasSubstr("error plan "));
  EXPECT_TRUE(compiled["plan"].is_null());
}

TEST_F(Compile, NeverShowsForeignFilesToTheCompiler) {
  write_file_atomic(directory_.path() / "secret.txt", "top secret words\n");
  const Json compiled = compile(plan_comment() + "#include \"../secret.txt\"\n" + k_kernel);
  expect_failed(compiled);
  EXPECT_THAT(problems(compiled), HasSubstr("error policy 6: #include \"../secret.txt\""));
  EXPECT_THAT(compiled.dump(), testing::Not(HasSubstr("top secret")));
  EXPECT_THAT(compiled["artifacts"]["cuda"]["reason"].get<std::string>(), HasSubstr("not tried"));
}

TEST_F(Compile, NamesTheFilesItRead) {
  write_file_atomic(request_.source.parent_path() / "own.h", "#define FACTOR 2\n");
  const Json compiled = compile(plan_comment() + "#include \"own.h\"\n" + k_kernel);
  EXPECT_EQ(compiled["status"], "compiled") << problems(compiled);
  EXPECT_EQ(compiled["dependencies"],
            Json::array({(request_.source.parent_path() / "own.h").string()}));
}

TEST_F(Compile, StopsACompileWithoutEnd) {
  request_.timeout = std::chrono::seconds(4);
  const Json compiled =
      compile(plan_comment() +
              "template <int N, int M> struct F {\n"
              "  static constexpr long v = F<N - 1, 2 * M>::v + F<N - 1, 2 * M + 1>::v;\n"
              "};\n"
              "template <int M> struct F<0, M> { static constexpr long v = M; };\n"
              "extern \"C\" __global__ void scale(long* y) { y[0] = F<30, 1>::v; }\n");
  expect_failed(compiled);
  EXPECT_THAT(problems(compiled),
              HasSubstr("error timeout 0: nvcc did not finish in 4 s of CPU time"));
}

TEST_F(Compile, FindsTheErrorBehindMegabytesOfMessages) {
  request_.output_limit = 1u << 20;
  std::string source = plan_comment();
  for (int i = 0; i < 600; ++i) source += "#warning \"" + std::string(1500, 'n') + "\"\n";
  const Json compiled = compile(source + "extern \"C\" __global__ void scale() { absent(); }\n");
  expect_failed(compiled);
  EXPECT_THAT(problems(compiled),
              HasSubstr("error diagnostic 606: identifier \"absent\" is undefined"));
}

TEST_F(Compile, RemovesWhatAnEarlierCompileLeft) {
  compile(plan_comment() + k_kernel);
  ASSERT_TRUE(is_written("kernel.cubin"));
  write_file_atomic(request_.output_dir / "verify.json", "{}");
  expect_failed(compile(plan_comment() + "broken"));
  EXPECT_TRUE(is_written("verify.json"));
}

TEST_F(Compile, NeedsACompilerAndASource) {
  write_source(plan_comment() + k_kernel);
  const auto code_of = [&](const CompileRequest& request) {
    try {
      compile_version(request);
    } catch (const Error& error) {
      return error.code();
    }
    return ExitCode::ok;
  };
  CompileRequest without = request_;
  without.nvcc.clear();
  EXPECT_EQ(code_of(without), ExitCode::environment);
  CompileRequest absent = request_;
  absent.source = directory_.path() / "absent.cu";
  EXPECT_EQ(code_of(absent), ExitCode::io);
  CompileRequest nowhere = request_;
  nowhere.architectures.clear();
  EXPECT_EQ(code_of(nowhere), ExitCode::bad_input);
}

TEST_F(Compile, RefusesOptionsThatNvccRefuses) {
  request_.options = {"--frob"};
  write_source(plan_comment() + k_kernel);
  try {
    compile_version(request_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_input);
    EXPECT_THAT(error.what(), HasSubstr("COMPILE_OPTIONS"));
  }
}

TEST_F(Compile, TriesOptionsOnAKernelThatDoesNothing) {
  EXPECT_EQ(trial(request_), "");
  request_.options = {"--frob"};
  EXPECT_THAT(trial(request_), AllOf(StartsWith("3 nvcc refuses its options: "),
                                     HasSubstr("correct COMPILE_OPTIONS or ARCHITECTURES")));
  request_.options = {"-include", "not_there.cuh"};
  EXPECT_THAT(trial(request_), AllOf(StartsWith("4 nvcc failed for a reason of its own"),
                                     HasSubstr("not_there.cuh: No such file"),
                                     HasSubstr("options are [-include not_there.cuh]")));
  request_.options = {"-Dvoid=frob"};
  EXPECT_THAT(trial(request_),
              AllOf(StartsWith("3 " + request_.nvcc.string() +
                               " cannot compile even a kernel that does nothing: "),
                    HasSubstr("frob"),
                    HasSubstr("correct COMPILE_OPTIONS of add_kernel_op, which are [-Dvoid=")));
}

}  // namespace
}  // namespace kernelloop
