#include "compile/policy.hpp"

#include "compile/ptx.hpp"
#include "compile/source_text.hpp"
#include "support/files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernelloop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Policy : public testing::Test {
 protected:
  std::vector<std::string> of(const std::string& text) {
    const SourcePolicy policy = check_source_policy(SourceText(text), directory_.path());
    foreign_ = policy.reads_foreign_files;
    return texts(policy.problems);
  }

  static std::vector<std::string> texts(const std::vector<Problem>& problems) {
    std::vector<std::string> result;
    for (const Problem& one : problems) {
      EXPECT_EQ(one.kind, Problem::Kind::policy);
      EXPECT_EQ(one.severity, Problem::Severity::error);
      result.push_back(std::to_string(one.line) + " " + one.message);
    }
    return result;
  }

  TemporaryDirectory directory_;
  bool foreign_ = false;
};

TEST_F(Policy, AllowsWhatKernelsNeed) {
  EXPECT_THAT(of("#include <cuda_bf16.h>\n#include <cub/cub.cuh>\n"
                 "// k<<<1, 2>>>(); cudaMalloc(&p, 4); int main() {}\n"
                 "const char* text = \"k<<<1, 2>>>\";\n"
                 "__host__ __device__ int helper(int domain) { return domain << 1; }\n"
                 "cuComplex z = cuCmulf(a, b); cudaStream_t unused;\n"
                 "cudaGridDependencySynchronize(); cudaTriggerProgrammaticLaunchCompletion();\n"
                 "cuda::barrier<cuda::thread_scope_block> b; remain(3); x.main(4);\n"),
              IsEmpty());
  EXPECT_FALSE(foreign_);
}

TEST_F(Policy, RefusesFilesFromOutside) {
  EXPECT_THAT(of("#include \"/etc/passwd\"\n#include <../x.h>\n#include \"a/../../b.h\"\n"),
              ElementsAre(HasSubstr("1 #include \"/etc/passwd\" reaches out of the version"),
                          HasSubstr("2 #include <../x.h> reaches out"),
                          HasSubstr("3 #include \"a/../../b.h\" reaches out")));
  EXPECT_TRUE(foreign_);
}

TEST_F(Policy, RefusesFilesThatTheVersionLacks) {
  EXPECT_THAT(
      of("#include \"cuda_fp16.h\"\n"),
      ElementsAre(AllOf(HasSubstr("1 #include \"cuda_fp16.h\" names a file that is not part"),
                        HasSubstr("write #include <cuda_fp16.h>"))));
  EXPECT_TRUE(foreign_);
}

TEST_F(Policy, AllowsFilesOfTheVersionButNoLinksOutOfIt) {
  write_file_atomic(directory_.path() / "own.h", "int x;\n");
  std::filesystem::create_symlink("/etc/passwd", directory_.path() / "link.h");
  EXPECT_THAT(of("#include \"own.h\"\n"), IsEmpty());
  EXPECT_THAT(of("#include \"link.h\"\n"), ElementsAre(HasSubstr("not part of the version")));
}

TEST_F(Policy, LooksIntoFilesOfTheVersion) {
  write_file_atomic(directory_.path() / "own.h",
                    "#include \"own.h\"\n#include \"/etc/passwd\"\n# 5 \"x\" 3\n");
  EXPECT_THAT(of("#include \"own.h\"\n"),
              ElementsAre(HasSubstr("2 #include \"/etc/passwd\" reaches out"),
                          HasSubstr("3 `#5 \"x\" 3` says")));
  EXPECT_TRUE(foreign_);
}

TEST_F(Policy, RefusesHiddenIncludes) {
  EXPECT_THAT(of("# /*\n*/ include \"/etc/passwd\"\n"), ElementsAre(HasSubstr("reaches out")));
  EXPECT_THAT(of("#include FILE\n#include_next <a>\n#embed <b>\n"),
              ElementsAre(HasSubstr("1 #include FILE takes its file name from a macro"),
                          HasSubstr("2 #include_next <a> is not allowed"),
                          HasSubstr("3 #embed <b> is not allowed")));
  EXPECT_TRUE(foreign_);
}

TEST_F(Policy, RefusesHostCode) {
  EXPECT_THAT(
      of("int main(int argc) {}\nvoid f() { k<<<1, 2>>>(p);\n cudaMalloc (&p, 4); }\n"
         "void g() { cuLaunchKernel(k); cuTensorMapEncodeTiled(m); }\n"),
      ElementsAre(HasSubstr("1 a version holds device code only: remove main()"),
                  HasSubstr("2 a version does not launch its kernels"),
                  HasSubstr("3 a version holds device code only: it cannot call cudaMalloc"),
                  HasSubstr("4 a version holds device code only: it cannot call cuLaunch"),
                  HasSubstr("it cannot call cuTensorMapEncodeTiled")));
  EXPECT_FALSE(foreign_);
}

TEST_F(Policy, RefusesTheDeviceRuntime) {
  const std::string extern_functions =
      ".extern .func  (.param .b32 func_retval0) vprintf\n"
      ".extern .func  (.param .b64 func_retval0) malloc\n"
      ".extern .func free\n"
      ".extern .func __assertfail\n"
      ".extern .func  (.param .b32 func_retval0) cudaDeviceSynchronize\n";
  const SourceText source("f();\nprintf(\"\");\np = new int;\ndelete p;\ncudaDeviceSynchronize();");
  EXPECT_THAT(texts(check_ptx_policy(PtxModule(extern_functions, "k.cu"), source)),
              ElementsAre(HasSubstr("2 printf needs the device runtime"),
                          HasSubstr("3 malloc and new need the device heap"),
                          HasSubstr("4 free and delete need the device heap"),
                          HasSubstr("5 'cudaDeviceSynchronize' is not defined in this file")));
}

TEST(PtxWaits, AreSeenPerKernel) {
  const PtxModule ptx(
      ".visible .entry waits(\n)\n{\n\tgriddepcontrol.wait;\n\tret;\n}\n"
      ".visible .entry runs(\n)\n{\n\tgriddepcontrol.launch_dependents;\n\tret;\n}\n",
      "k.cu");
  EXPECT_TRUE(ptx.find("waits")->waits);
  EXPECT_FALSE(ptx.find("runs")->waits);
}

}  // namespace
}  // namespace kernelloop
