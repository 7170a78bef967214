// What build_for_cpu says of sources of every kind.
#include "support/error.hpp"
#include "support/files.hpp"
#include "support/process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cpu_module.hpp"

#include <map>

namespace kernelloop::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Status = CpuBuildResult::Status;

class Build : public ::testing::Test {
 protected:
  CpuBuildRequest request(const std::string& text) const {
    CpuBuildRequest result = request_for("warp", output_);
    result.source = work_.path() / "kernel.cu";
    write_file_atomic(result.source, text);
    return result;
  }
  CpuBuildResult build(const std::string& text) const { return build_for_cpu(request(text)); }
  void expect_not_runnable(const std::string& text, const std::string& reason) const {
    const CpuBuildResult result = build(text);
    EXPECT_EQ(result.status, Status::not_runnable) << result.diagnostics;
    EXPECT_THAT(result.reason, StartsWith(reason));
    EXPECT_FALSE(fs::exists(output_));
  }
  const TemporaryDirectory work_;
  const fs::path output_ = work_.path() / "kernel.cpu.so";
};

TEST_F(Build, OddSyntax) {
  const CpuBuildResult result = build_for_cpu(request_for("odd_syntax", output_));
  ASSERT_EQ(result.status, Status::built) << result.diagnostics << result.reason;
  EXPECT_EQ(result.diagnostics, "") << "CUDA's words must not be warned about";
  std::map<std::string, KernelInfo> kernels;
  for (const KernelInfo& kernel : result.kernels) kernels[kernel.name] = kernel;
  EXPECT_EQ(kernels.size(), 6u);
  EXPECT_EQ(kernels["in_namespace"].max_threads_per_block, 64);
  EXPECT_EQ(kernels["bounds_first"].max_threads_per_block, 128);
  EXPECT_EQ(kernels["no_parameters"].parameters.size(), 0u);
  const std::vector<KernelParameter>& parameters = kernels["by_value"].parameters;
  const std::vector<std::pair<std::size_t, std::size_t>> expected = {
      {0, 24}, {24, 1}, {26, 2}, {28, 12}, {40, 8}};
  ASSERT_EQ(parameters.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(parameters[i].offset, expected[i].first);
    EXPECT_EQ(parameters[i].size, expected[i].second);
  }

  const CpuModule module(output_);
  std::vector<int> out(32);
  ASSERT_EQ(module.launch("in_namespace", shape(1, 32), out.data(), 'x').status, KERNELLOOP_CPU_OK);
  EXPECT_THAT(out, ::testing::Each(static_cast<int>('x')));
  module.launch("declared_first", shape(1, 32), out.data());
  EXPECT_EQ(out[0], 42);
  EXPECT_EQ(out[31], 3);
  struct Parameters {
    float scale;
    double shift;
    char tag[3];
  } by_value = {2.0f, 0.5, {0, 0, 7}};
  struct Float3 {
    float x, y, z;
  } vector = {1, 2, 3};
  double value = 0;
  module.launch("by_value", shape(1, 1), by_value, true, static_cast<short>(4), vector, &value);
  EXPECT_EQ(value, 4 * 2.0 + 0.5 + 3 + 7);
  module.launch("text_lengths", shape(1, 1), out.data());
  EXPECT_EQ(out[0], 56 + 69);
  EXPECT_EQ(out[1], '"' + '\'' + 1000);
  EXPECT_EQ(out[2], 18);
}

TEST_F(Build, TheLibraryExportsTheModuleOnly) {
  const Command nm{.arguments = {"nm", "-D", "--defined-only", built_kernels("warp").string()},
                   .directory = {},
                   .variables = {},
                   .input = {}};
  if (find_program("nm").empty()) GTEST_SKIP() << "there is no nm";
  const ProcessResult result = run(nm);
  EXPECT_THAT(result.output, HasSubstr(" T kernelloop_cpu_module\n"));
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1) << result.output;
}

TEST_F(Build, NothingOfTheCandidateRunsInTheTool) {
  const fs::path trace = work_.path() / "ran";
  const std::string source =
      "#include <fcntl.h>\n#include <unistd.h>\n"
      "static int ran = creat(\"" +
      trace.string() +
      "\", 0600);\n"
      "extern \"C\" __global__ void k(int* x) { *x = ran; }\n";
  const CpuBuildResult result = build(source);
  EXPECT_EQ(result.status, Status::failed) << result.diagnostics;
  // The variable, the function of the host that gives it its value, and that this runs by itself.
  EXPECT_EQ(result.broken_rules.size(), 3u) << result.reason;
  EXPECT_FALSE(fs::exists(output_));
  EXPECT_FALSE(fs::exists(trace));
}

TEST_F(Build, ACompileErrorPointsAtTheSource) {
  const CpuBuildResult result = build(
      "#include <cuda_runtime.h>\n"
      "extern \"C\" __global__ void k(float* x) {\n"
      "  __shared__ float a[4],\n"
      "      b[4];\n"
      "  b[0] = a[0];\n"
      "  x[0] = b[0] + missing;\n"
      "}\n");
  EXPECT_EQ(result.status, Status::failed);
  EXPECT_EQ(result.reason, "the host compiler refuses the source");
  EXPECT_THAT(result.diagnostics, AllOf(HasSubstr("kernel.cu:6:"), HasSubstr("missing"),
                                        Not(HasSubstr(work_.path().string()))));
  EXPECT_FALSE(fs::exists(output_));
  EXPECT_EQ(std::distance(fs::directory_iterator(work_.path()), {}), 1) << "something was left";
}

TEST_F(Build, BrokenTextIsAFailedBuild) {
  for (const std::string text :
       {"", "}}}}", "extern \"C\" __global__ void k(", "__shared__",
        "__global__ __launch_bounds__(", "extern \"C\" __global__ void k() { __shared__ int",
        "const char* s = R\"x(", "\"", "'", "extern \"C\" __global__ void k() { __shared__ ; }",
        "#if 1", "#error no", "extern \"C\" __global__ void k() {"}) {
    EXPECT_EQ(build(text).status, Status::failed) << text;
  }
}

TEST_F(Build, ASourceWithoutAKernelSaysSo) {
  const CpuBuildResult result =
      build("template <typename T> __global__ void k(T*) {}\n__global__ void l(int* x) {}\n");
  EXPECT_EQ(result.status, Status::failed);
  EXPECT_THAT(result.reason, HasSubstr("no extern \"C\" __global__ function"));
}

TEST_F(Build, OrdersForTheCompilerAreNoAssembly) {
  const std::string kernel =
      "extern \"C\" __global__ void k(int* x) {\n  __builtin_assume(x != nullptr);\n";
  for (const char* other :
       {"asm(\"\" : \"+r\"(*x));", "asm(\"\" \"nop\");", "asm volatile(\"\" ::: \"cc\");"}) {
    expect_not_runnable(kernel + "  " + other + "\n}\n",
                        "kernel.cu:3: the CPU device lacks inline assembly");
  }
  for (const char* fence : {"asm volatile(\"\" ::: \"memory\");", "asm(\"\");",
                            "__asm__ __volatile__(\"\" : : : \"memory\");"}) {
    EXPECT_EQ(build(kernel + "  *x = 1;\n  " + fence + "\n  *x = 2;\n}\n").status, Status::built)
        << fence;
  }
}

TEST_F(Build, CudaStdIsTheStandardLibrary) {
  // What works on a device alone is not there.
  expect_not_runnable("#include <cuda/std/barrier>\nextern \"C\" __global__ void k(int* x) {}\n",
                      "kernel.cu:1: the CPU device lacks the header <cuda/std/barrier>");
  std::string source;
  for (const char* header : {"algorithm",        "array",    "bit",     "cassert",
                             "cfloat",           "climits",  "cmath",   "concepts",
                             "cstddef",          "cstdint",  "cstring", "functional",
                             "initializer_list", "iterator", "limits",  "numeric",
                             "optional",         "span",     "tuple",   "type_traits",
                             "utility"}) {
    source += std::string("#include <cuda/std/") + header + ">\n";
  }
  const CpuBuildResult built =
      build(source +
            "template <class T> __device__ T lowest() {\n"
            "  if constexpr (cuda::std::is_same_v<T, float>) {\n"
            "    return -cuda::std::numeric_limits<T>::infinity();\n"
            "  }\n"
            "  return cuda::std::min<T>(cuda::std::numeric_limits<T>::lowest(), T(0));\n"
            "}\n"
            "extern \"C\" __global__ void k(float* x, cuda::std::uint32_t n) {\n"
            "  cuda::std::array<float, 2> both{lowest<float>(), float(lowest<int>())};\n"
            "  x[0] = both[0] + cuda::std::plus<float>()(both[1], cuda::std::bit_cast<float>(n));\n"
            "}\n");
  EXPECT_EQ(built.status, Status::built) << built.reason;
}

TEST_F(Build, WhatTheDeviceLacksIsNamedWithItsLine) {
  const std::string kernel = "extern \"C\" __global__ void k(int* x) {\n";
  expect_not_runnable(kernel + "  asm volatile(\"mov.u32 %0, %laneid;\" : \"=r\"(*x));\n}\n",
                      "kernel.cu:2: the CPU device lacks inline assembly: `asm`");
  expect_not_runnable("#define MOVE(x) asm(\"mov\" : \"=r\"(x))\n" + kernel + "\n MOVE(*x);\n}\n",
                      "kernel.cu:4: the CPU device lacks inline assembly");
  expect_not_runnable("// comment\n#include <mma.h>\n" + kernel + "}\n",
                      "kernel.cu:2: the CPU device lacks the header <mma.h>");
  expect_not_runnable("#include <cub/cub.cuh>\n" + kernel + "}\n",
                      "kernel.cu:1: the CPU device lacks the header <cub/cub.cuh>");
  expect_not_runnable("#include <cuda/barrier>\n" + kernel + "}\n",
                      "kernel.cu:1: the CPU device lacks the header <cuda/barrier>");
  expect_not_runnable("#include <cuda_pipeline.h>\n" + kernel + "}\n",
                      "kernel.cu:1: the CPU device lacks the header <cuda_pipeline.h>");
  expect_not_runnable("#include <cooperative_groups.h>\n" + kernel +
                          "  auto c = cooperative_groups::this_cluster();\n}\n",
                      "kernel.cu:3: the CPU device lacks a cluster group: `this_cluster`");
  expect_not_runnable("#include <cooperative_groups.h>\n" + kernel +
                          "  cooperative_groups::this_grid().sync();\n}\n",
                      "kernel.cu:3: the CPU device lacks a grid group");
  expect_not_runnable(kernel + "}\n" + kernel.substr(0, 30) + "child() { k<<<1, 1>>>(nullptr); }\n",
                      "kernel.cu:3: the CPU device lacks a kernel launch");
  expect_not_runnable("__device__ cudaTextureObject_t t;\n" + kernel + "}\n",
                      "kernel.cu:1: the CPU device lacks a texture");
  expect_not_runnable("void host() { cudaMalloc(nullptr, 4); }\n" + kernel + "}\n",
                      "kernel.cu:1: the CPU device lacks the CUDA runtime API: `cudaMalloc`");
  expect_not_runnable("extern \"C\" __global__ void __cluster_dims__(2) k(int* x) {}\n",
                      "kernel.cu:1: the CPU device lacks a cluster of blocks");
  expect_not_runnable("#include <cstdio>\n" + kernel + "  printf(\"%d\", *x);\n}\n",
                      "kernel.cu:3: the CPU device lacks printf");
  expect_not_runnable(kernel + "  *x = __ffma2_rn(1, 2);\n}\n",
                      "kernel.cu:2: the CPU device lacks the intrinsic `__ffma2_rn`");
  expect_not_runnable("#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n" +
                          kernel +
                          "  *x = cg::tiled_partition<64>(cg::this_thread_block()).size();\n}\n",
                      "kernel.cu:4: the CPU device lacks a cooperative-groups tile");
}

TEST_F(Build, CodeForOtherTargetsDoesNotCount) {
  const CpuBuildResult result = build(
      "extern \"C\" __global__ void k(int* x) {\n"
      "#if defined(__CUDA_ARCH_FEAT_SM90_ALL)\n  asm volatile(\"wgmma.fence.sync.aligned;\");\n"
      "#else\n  *x = 1;\n#endif\n}\n");
  EXPECT_EQ(result.status, Status::built) << result.reason << result.diagnostics;
}

TEST_F(Build, DefinesReachTheSource) {
  CpuBuildRequest with = request("extern \"C\" __global__ void k(int* x) { *x = ANSWER; }\n");
  with.defines = {"ANSWER=42"};
  ASSERT_EQ(build_for_cpu(with).status, Status::built);
  const CpuModule module(output_);
  int out = 0;
  module.launch("k", shape(1, 1), &out);
  EXPECT_EQ(out, 42);
}

TEST_F(Build, IncludeDirectoriesReachTheSource) {
  const std::filesystem::path headers = output_.parent_path() / "headers";
  std::filesystem::create_directories(headers);
  write_file_atomic(headers / "answer.hpp", "constexpr int k_answer = 42;\n");
  CpuBuildRequest with =
      request("#include <answer.hpp>\nextern \"C\" __global__ void k(int* x) { *x = k_answer; }\n");
  with.include_dirs = {headers.string()};
  const CpuBuildResult result = build_for_cpu(with);
  ASSERT_EQ(result.status, Status::built) << result.diagnostics << result.reason;
  const CpuModule module(output_);
  int out = 0;
  module.launch("k", shape(1, 1), &out);
  EXPECT_EQ(out, 42);
}

TEST_F(Build, ACompilationThatTakesTooLongIsStopped) {
  CpuBuildRequest slow = request(
      "template <int n> struct S { static constexpr int v = S<n - 1>::v + S<n - 2>::v * n; };\n"
      "extern \"C\" __global__ void k(int* x) { *x = 1; }\n");
  slow.timeout = std::chrono::milliseconds(1);
  const CpuBuildResult result = build_for_cpu(slow);
  EXPECT_EQ(result.status, Status::failed);
  EXPECT_EQ(result.reason, "the host compiler was stopped after 1 ms");
}

TEST_F(Build, Clang) {
  if (find_program("clang++").empty()) GTEST_SKIP() << "there is no clang++";
  for (const std::string name : {"softmax_bf16", "odd_syntax", "shared"}) {
    CpuBuildRequest with = request_for(name, output_);
    with.compiler = "clang++";
    const CpuBuildResult result = build_for_cpu(with);
    EXPECT_EQ(result.status, Status::built) << result.reason << result.diagnostics;
    EXPECT_EQ(result.diagnostics, "");
  }
  const CpuModule module(output_);
  std::vector<int> out(64);
  ASSERT_EQ(module.launch("many", shape(1, 32, 0, 3), out.data()).status, KERNELLOOP_CPU_OK);
  EXPECT_EQ(out[31], 54321);
}

TEST_F(Build, ClangWithSanitizers) {
  if (find_program("clang++").empty()) GTEST_SKIP() << "there is no clang++";
  CpuBuildRequest with = request_for("softmax_bf16", output_);
  with.compiler = "clang++";
  with.sanitize = true;
  const CpuBuildResult result = build_for_cpu(with);
  EXPECT_EQ(result.status, Status::built) << result.reason << result.diagnostics;
}

TEST_F(Build, ProcessorsWithoutASwitchOfTheirOwnUseUcontext) {
  CpuBuildRequest with = request_for("races", output_);
  with.defines = {"KERNELLOOP_CPU_UCONTEXT=1"};
  const CpuBuildResult result = build_for_cpu(with);
  ASSERT_EQ(result.status, Status::built) << result.diagnostics << result.reason;
  const CpuModule module(output_);
  const std::vector<int> x(512, 3);
  for (const std::uint64_t seed : {0, 1}) {
    std::vector<int> y(2);
    module.launch("correct", shape(1, 256, 0, seed), x.data(), y.data(), 2);
    EXPECT_THAT(y, ::testing::Each(768));
  }
}

TEST_F(Build, InfrastructureThatIsMissingIsAnError) {
  const auto message = [this](auto change) {
    CpuBuildRequest wrong = request("extern \"C\" __global__ void k() {}\n");
    change(wrong);
    try {
      build_for_cpu(wrong);
    } catch (const Error& error) {
      return std::to_string(static_cast<int>(error.code())) + " " + error.what();
    }
    return std::string("no error");
  };
  EXPECT_THAT(message([](CpuBuildRequest& r) { r.compiler = "no-such-compiler"; }),
              StartsWith("4 there is no host compiler 'no-such-compiler'; install g++ or clang++"));
  EXPECT_THAT(message([](CpuBuildRequest& r) { r.compiler = "echo"; }),
              HasSubstr("is neither g++ nor clang++"));
  EXPECT_THAT(message([](CpuBuildRequest& r) { r.compiler = "false"; }),
              HasSubstr("does not answer -dM: exit code 1"));
  EXPECT_THAT(message([](CpuBuildRequest& r) { r.include_dir = "/nowhere"; }),
              AllOf(StartsWith("4 "), HasSubstr("does not hold the CPU device's headers")));
  EXPECT_THAT(message([](CpuBuildRequest& r) { r.source = "/nowhere/kernel.cu"; }),
              StartsWith("5 cannot read /nowhere/kernel.cu"));
}

}  // namespace
}  // namespace kernelloop::testing
