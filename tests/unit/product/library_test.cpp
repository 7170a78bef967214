#include "product/library.hpp"

#include "support/error.hpp"
#include "support/process.hpp"

#include "project_fixture.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* k_spec = R"json({
  "name": "softmax", "description": "y = 2 x",
  "axes": {"n": {"type": "var"}},
  "inputs": {"x": {"shape": ["n"], "dtype": "float32"}},
  "outputs": {"y": {"shape": ["n"], "dtype": "float32"}},
  "precision": {"accumulate": "float32"}, "cost": {"bytes": "n * 8"},
  "workloads": [{"name": "w", "axes": {"n": 1024}}]
})json";

constexpr const char* k_kernel = R"cuda(/* kernelloop:plan
{"launches": [{"kernel": "twice", "grid": ["ceil_div(n, 256)"], "block": [256],
               "args": ["x", "y", "n"]}]}
*/
extern "C" __global__ void twice(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
)cuda";

class LibraryTest : public ProjectTest {
 protected:
  LibraryTest() {
    write(config_.spec, k_spec);
    config_.nvcc = find_program("nvcc");
    if (config_.nvcc.empty() && std::filesystem::exists("/usr/local/cuda/bin/nvcc")) {
      config_.nvcc = "/usr/local/cuda/bin/nvcc";
    }
    add_version(3, 50);
    write(source(3), k_kernel);
    const std::string sha = sha256(k_kernel);
    change(3, "compile", "/source_sha256", sha);
    change(3, "verify", "/source_sha256", sha);
    adopt_now();
  }

  std::vector<std::string> build() {
    return build_library(config_, {root() / "library", root() / "library/softmax.d"});
  }
  std::string error(ExitCode code) {
    try {
      build();
    } catch (const Error& thrown) {
      EXPECT_EQ(thrown.code(), code);
      EXPECT_FALSE(std::filesystem::exists(root() / "library/softmax.cpp"));
      return thrown.what();
    }
    ADD_FAILURE() << "no error";
    return {};
  }
};

TEST_F(LibraryTest, WithoutAnAdoptedVersionSaysWhichTargetsToRun) {
  std::filesystem::remove(adopted_file());
  EXPECT_THAT(error(ExitCode::check_failed), HasSubstr("run optimize_softmax, then adopt_softmax"));
}

TEST_F(LibraryTest, WithoutNvccSaysSo) {
  config_.nvcc.clear();
  EXPECT_THAT(error(ExitCode::environment), HasSubstr("needs nvcc"));
}

TEST_F(LibraryTest, AnEditedKernelDoesNotShip) {
  write(source(3), std::string(k_kernel) + "// edited\n");
  EXPECT_THAT(error(ExitCode::check_failed),
              HasSubstr("kernel.cu of v003 was edited after it was verified"));
}

TEST_F(LibraryTest, AMissingKernelIsNamed) {
  std::filesystem::remove(source(3));
  EXPECT_THAT(error(ExitCode::check_failed), HasSubstr("the adopted v003 is gone"));
}

TEST_F(LibraryTest, AnArchitectureWithoutAVersionIsAnErrorWhenThereIsNoOther) {
  config_.architectures = {"80"};
  EXPECT_THAT(error(ExitCode::check_failed), HasSubstr("has no version for 80"));
}

TEST_F(LibraryTest, LinksIntoAProgram) {
  if (config_.nvcc.empty()) GTEST_SKIP() << "no nvcc on this machine";
  EXPECT_THAT(build(), IsEmpty());
  const std::string depfile = read_file(root() / "library/softmax.d");
  EXPECT_THAT(depfile, HasSubstr((root() / "library/softmax.cpp").string() + ":"));
  for (const std::filesystem::path& input : {adopted_file(), source(3), config_.spec}) {
    EXPECT_THAT(depfile, HasSubstr(input.string()));
  }
  // Without a GPU every call must fail with an error of the runtime, not crash.
  write(root() / "main.cpp",
        "#include \"softmax.h\"\n#include <cstdio>\nint main() {\n"
        "  float* p = nullptr;\n"
        "  const cudaError_t first = kernelloop::ops::softmax_prepare();\n"
        "  const cudaError_t call = kernelloop::ops::softmax(p, p, 4, nullptr);\n"
        "  if (kernelloop::ops::softmax_workspace_bytes(4) != 0) return 2;\n"
        "  if (!kernelloop::ops::softmax_supports(4) || kernelloop::ops::softmax_supports(0)) "
        "return 3;\n"
        "  std::puts(kernelloop::ops::softmax_version());\n"
        "  return call == cudaSuccess ? 4 : first == cudaSuccess && call != cudaErrorInvalidValue "
        "? 5 : 0;\n}\n");
  const std::filesystem::path toolkit = config_.nvcc.parent_path().parent_path();
  Command compile;
  compile.arguments = {"g++",
                       "-std=c++17",
                       "-Wall",
                       "-Wextra",
                       "-Wpedantic",
                       "-Werror",
                       "-I" TEST_INCLUDE,
                       "-I" + (root() / "library").string(),
                       "-isystem",
                       (toolkit / "include").string(),
                       (root() / "main.cpp").string(),
                       (root() / "library/softmax.cpp").string(),
                       "-o",
                       (root() / "main").string(),
                       (toolkit / "lib64/libcudart_static.a").string(),
                       "-ldl",
                       "-lrt",
                       "-lpthread"};
  const ProcessResult compiled = run(compile);
  ASSERT_TRUE(compiled.succeeded()) << compiled.error_output;
  Command start;
  start.arguments = {(root() / "main").string()};
  const ProcessResult result = run(start);
  EXPECT_TRUE(result.succeeded()) << result.describe();
  EXPECT_THAT(result.output, HasSubstr("softmax v003 (sm_90a; verified on NVIDIA H200"));
}

TEST_F(LibraryTest, SeveralArchitecturesShareOneImage) {
  if (config_.nvcc.empty()) GTEST_SKIP() << "no nvcc on this machine";
  Json json = adopted();
  json["architectures"]["80"] = json["architectures"]["90a"];
  write(adopted_file(), to_text(json));
  config_.architectures = {"80", "90a", "100"};
  EXPECT_THAT(build(), testing::ElementsAre(HasSubstr("no version is adopted for sm_100")));
  const std::string text = read_file(root() / "library/softmax.cpp");
  EXPECT_THAT(text, HasSubstr("{8, 0, '\\0'}, {9, 0, 'a'}"));
  EXPECT_EQ(text.find("k_image[]"), text.rfind("k_image[]"));
}

TEST_F(LibraryTest, ASecondBuildWritesNothing) {
  if (config_.nvcc.empty()) GTEST_SKIP() << "no nvcc on this machine";
  build();
  const auto before = std::filesystem::last_write_time(root() / "library/softmax.cpp");
  build();
  EXPECT_EQ(std::filesystem::last_write_time(root() / "library/softmax.cpp"), before);
}

TEST_F(LibraryTest, AKernelThatNoLongerCompilesIsNamed) {
  if (config_.nvcc.empty()) GTEST_SKIP() << "no nvcc on this machine";
  config_.compile_options = {"-Dint=double*"};
  EXPECT_THAT(error(ExitCode::bad_input),
              HasSubstr("the adopted v003 does not compile for sm_90a"));
}

}  // namespace
}  // namespace kernelloop
