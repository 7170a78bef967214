// Traced builds: what they put into a source, and that marks cost nothing without one.
#include "compile/source_text.hpp"
#include "compile/traced_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "version_fixture.hpp"

#include <cstring>

namespace kernelloop {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

std::string traced(const std::string& source) { return traced_source(SourceText(source)); }

constexpr const char* k_mark = " KERNELLOOP_TRACE_KERNEL ";

TEST(TracedSource, MarksEveryKernelOnItsLine) {
  EXPECT_EQ(traced("__global__ void a(int x) {\n}\nextern \"C\" __global__ void "
                   "__launch_bounds__(256, 2) b(float* y)\n{ y[0] = 1; }\n"),
            std::string("__global__ void a(int x) {") + k_mark +
                "\n}\nextern \"C\" __global__ void __launch_bounds__(256, 2) b(float* y)\n{" +
                k_mark + " y[0] = 1; }\n");
}

TEST(TracedSource, MarksKernelsThatAMacroDefines) {
  EXPECT_EQ(
      traced(
          "#define KERNEL(name) \\\n  __global__ void name(int x) { \\\n    f(x); }\nKERNEL(a)\n"),
      std::string("#define KERNEL(name) \\\n  __global__ void name(int x) {") + k_mark +
          " \\\n    f(x); }\nKERNEL(a)\n");
}

TEST(TracedSource, LeavesDeclarationsMacrosAndTextAlone) {
  for (const char* source : {"__global__ void a(int x);\n__device__ int f() { return 1; }\n",
                             "#define KERNEL \\\n  __global__ void\nKERNEL a(int x) { }\n",
                             "// __global__ void a() {\nconst char* s = \"__global__ {\";\n"}) {
    EXPECT_EQ(traced(source), source);
  }
}

// The code of a kernel in a cubin.
std::string code_of(const std::string& cubin, const std::string& section) {
  const auto at = [&](std::size_t offset, std::size_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, cubin.data() + offset, size);
    return value;
  };
  const std::uint64_t table = at(0x28, 8);
  const std::uint64_t count = at(0x3C, 2);
  const std::uint64_t names = at(table + at(0x3E, 2) * 64 + 24, 8);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t header = table + i * 64;
    if (cubin.c_str() + names + at(header, 4) != section) continue;
    return cubin.substr(at(header + 24, 8), at(header + 32, 8));
  }
  return {};
}

constexpr const char* k_marked =
    "#include <kernelloop/trace.cuh>\n"
    "extern \"C\" __global__ void scale(const float* x, float* y, float factor, long long n) {\n"
    "  KL_TRACE_SCOPE(\"all\");\n"
    "  const long long i = blockIdx.x * 256LL + threadIdx.x;\n"
    "  float value = 0;\n"
    "  { KL_TRACE_SCOPE(\"load\"); if (i < n) value = x[i]; }\n"
    "  KL_TRACE_BEGIN(\"multiply\"); value *= factor; KL_TRACE_END(\"multiply\");\n"
    "  KL_TRACE_INSTANT(\"store\");\n"
    "  if (i < n) y[i] = value;\n"
    "}\n";

std::string without_marks() {
  std::string text = k_marked;
  for (const char* mark : {"KL_TRACE_SCOPE(\"all\");", "KL_TRACE_SCOPE(\"load\");",
                           "KL_TRACE_BEGIN(\"multiply\");", "KL_TRACE_END(\"multiply\");",
                           "KL_TRACE_INSTANT(\"store\");", "#include <kernelloop/trace.cuh>"}) {
    text.erase(text.find(mark), std::strlen(mark));
  }
  return text;
}

class TracedBuild : public VersionTest {
 protected:
  void SetUp() override {
    if (std::string(COMPILE_TEST_NVCC).empty()) GTEST_SKIP() << "there is no nvcc";
    request_.nvcc = COMPILE_TEST_NVCC;
    request_.cpu_include_dir = COMPILE_TEST_CPU_INCLUDE_DIR;
  }
  std::string written(const std::string& name) const {
    return read_file(request_.output_dir / name);
  }
};

TEST_F(TracedBuild, NvccMarksCostNothingWithoutIt) {
  ASSERT_EQ(compile(plan_comment() + k_marked).at("status"), "compiled");
  const std::string marked = code_of(written("kernel.cubin"), ".text.scale");
  ASSERT_EQ(compile(plan_comment() + without_marks()).at("status"), "compiled");
  const std::string plain = code_of(written("kernel.cubin"), ".text.scale");
  ASSERT_GT(plain.size(), 100u);
  EXPECT_TRUE(marked == plain);
}

TEST_F(TracedBuild, NvccRecordsAndNamesItsMarks) {
  request_.traced = true;
  const Json json = compile(plan_comment() + k_marked);
  ASSERT_EQ(json.at("status"), "compiled") << to_text(json);
  const std::string ptx = written("kernel.ptx");
  for (const char* name : {"kernel", "all", "load", "multiply", "store"}) {
    EXPECT_THAT(ptx, HasSubstr(std::string("// kernelloop:trace \"") + name + '"'));
  }
  EXPECT_THAT(ptx, HasSubstr("kernelloop_trace_target"));
}

// Behind an `if` or a loop without braces a mark is the one statement that belongs to it.
TEST_F(TracedBuild, NvccTakesAMarkForOneStatement) {
  std::string source = k_marked;
  source.insert(source.find("  if (i < n) y[i]"),
                "  if (i < n) KL_TRACE_BEGIN(\"some\"); else KL_TRACE_END(\"others\");\n"
                "  if (i < n) KL_TRACE_SCOPE(\"one\"); else KL_TRACE_SCOPE(\"other\");\n"
                "  do KL_TRACE_INSTANT(\"step\"); while (n-- > i);\n");
  for (const bool traced : {false, true}) {
    request_.traced = traced;
    const Json json = compile(plan_comment() + source);
    EXPECT_EQ(json.at("status"), "compiled") << traced << to_text(json);
  }
  for (const char* name : {"some", "others", "one", "other", "step"}) {
    EXPECT_THAT(written("kernel.ptx"), HasSubstr(std::string("// kernelloop:trace \"") + name));
  }
}

TEST_F(TracedBuild, NvccMarksKernelsThatHaveNone) {
  request_.traced = true;
  const Json json = compile(plan_comment() + k_kernel);
  ASSERT_EQ(json.at("status"), "compiled") << to_text(json);
  EXPECT_THAT(written("kernel.ptx"), HasSubstr("// kernelloop:trace \"kernel\""));
}

TEST_F(TracedBuild, NvccReadsOtherDimensionsOnlyWhereAPlanHasThem) {
  request_.traced = true;
  std::string plan = plan_comment();
  ASSERT_EQ(compile(plan + k_marked).at("status"), "compiled");
  EXPECT_THAT(written("kernel.ptx"), Not(AnyOf(HasSubstr("%ctaid.y"), HasSubstr("%tid.z"))));
  plan.replace(plan.find("[256]"), 5, "[128, 2]");
  ASSERT_EQ(compile(plan + k_marked).at("status"), "compiled");
  EXPECT_THAT(written("kernel.ptx"), AllOf(HasSubstr("%ctaid.y"), HasSubstr("%tid.z")));
}

TEST_F(TracedBuild, NvccStillRefusesClocksAndStateOfTheVersion) {
  request_.traced = true;
  std::string source = k_kernel;
  source.replace(source.find("factor * x[i]"), 13, "factor * x[i] + clock64()");
  EXPECT_THAT(to_text(compile(plan_comment() + source)), HasSubstr("may not look at clocks"));
  source = std::string("__device__ int kernelloop_trace_count;\n") + k_kernel;
  source.replace(source.find("if (i < n)"), 10, "++kernelloop_trace_count; if (i < n)");
  EXPECT_THAT(to_text(compile(plan_comment() + source)), HasSubstr("carry state from one launch"));
}

TEST_F(TracedBuild, NvccRefusesATraceThatTheVersionTurnsOnItself) {
  const Json json = compile(plan_comment() + "#define KERNELLOOP_TRACE\n" + k_marked);
  EXPECT_EQ(json.at("status"), "failed");
  EXPECT_THAT(to_text(json), HasSubstr("may not look at clocks"));
}

TEST_F(TracedBuild, NvccRefusesANameThatIsNone) {
  std::string source = k_marked;
  source.replace(source.find("\"load\""), 6, "\"%d\"");
  EXPECT_THAT(to_text(compile(plan_comment() + source)), HasSubstr("a trace name is 1 to 48"));
}

TEST_F(VersionTest, MarksCompileForTheCpuDevice) {
  request_.for_cpu = true;
  request_.host_compiler = COMPILE_TEST_HOST_COMPILER;
  request_.cpu_include_dir = COMPILE_TEST_CPU_INCLUDE_DIR;
  request_.sanitize_cpu = false;
  const Json json = compile(plan_comment() + k_marked);
  EXPECT_EQ(json.at("artifacts").at("cpu").at("status"), "built") << to_text(json);
}

}  // namespace
}  // namespace kernelloop
