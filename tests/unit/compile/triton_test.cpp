// Whole compiles of Triton versions, with the real Triton where its toolchain is installed.
#include "compile/compile.hpp"
#include "compile/compiler_trial.hpp"
#include "support/error.hpp"
#include "support/sandbox.hpp"

#include <gmock/gmock.h>

#include "languages/language.hpp"
#include "languages/toolchain.hpp"
#include "version_fixture.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;

constexpr const char* k_head = R"py("""kernelloop:plan
{ "launches": [
    { "when": "n % 16 == 0", "kernel": "twice", "grid": ["ceil_div(n, 1024)"], "args": ["x", "y", "n"],
      "constants": {"BLOCK": 1024}, "options": {"num_warps": 8} },
    { "when": "n % 16 != 0", "kernel": "twice", "grid": ["ceil_div(n, 256)"], "args": ["x", "y", "n"],
      "constants": {"BLOCK": 256} } ] }
"""
import triton
import triton.language as tl


)py";

constexpr const char* k_twice = R"py(@triton.jit
def twice(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)
)py";

class Triton : public VersionTest {
 protected:
  void SetUp() override {
    if (!sandbox_problem().empty()) GTEST_SKIP() << sandbox_problem();
    try {
      find_toolchain(language_named("TRITON"));
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
    request_.language = &language_named("TRITON");
    request_.source = request_.source.parent_path() / "kernel.triton.py";
  }

  Json compile_python(const std::string& code) { return compile(k_head + code); }

  std::string reason(const std::string& code) {
    const Json compiled = compile_python(code);
    EXPECT_EQ(compiled.at("status"), "failed");
    return compiled.at("reason").get<std::string>();
  }
};

TEST_F(Triton, BuildsAGoodVersion) {
  const Json compiled = compile_python(k_twice);
  ASSERT_EQ(compiled.at("status"), "compiled") << compiled.at("reason");
  EXPECT_EQ(compiled.at("toolchain").at("compiler"), "Triton (triton 3.6.0)");
  const Json& launches = compiled.at("plan").at("launches");
  ASSERT_EQ(launches.size(), 2u);
  EXPECT_EQ(launches.at(0).at("kernel"), "twice_0");
  EXPECT_EQ(launches.at(0).at("block").at(0), "256");
  EXPECT_EQ(launches.at(1).at("kernel"), "twice_1");
  EXPECT_EQ(launches.at(1).at("block").at(0), "128");
  // The two pointers that Triton's kernels take at the end.
  EXPECT_EQ(launches.at(0).at("args").size(), 5u);
  ASSERT_EQ(compiled.at("kernels").size(), 2u);
  for (const Json& kernel : compiled.at("kernels")) {
    EXPECT_EQ(kernel.at("parameters").size(), 5u);
    EXPECT_GT(kernel.at("registers").get<int>(), 0);
  }
  EXPECT_EQ(compiled.at("artifacts").at("cuda").at("status"), "built");
  EXPECT_EQ(compiled.at("artifacts").at("cpu").at("status"), "not_runnable");
  EXPECT_TRUE(is_written("kernel.cubin"));
  EXPECT_TRUE(is_written("kernel.ptx"));
  EXPECT_TRUE(is_written("kernel.ir.twice_0.ttgir"));
}

TEST_F(Triton, CompilesTheExampleOfItsGuide) { EXPECT_NO_THROW(try_compilers(request_)); }

TEST_F(Triton, IsBuiltInItsFirstConfiguration) {
  std::string source = std::string(k_head) + k_twice;
  const std::string options = "\"options\": {\"num_warps\": 8}";
  const std::size_t at = source.find(options);
  ASSERT_NE(at, std::string::npos);
  source.insert(at + options.size(),
                ", \"configurations\": [{\"options\": {\"num_warps\": 2}}, "
                "{\"constants\": {\"BLOCK\": 512}}]");
  const Json compiled = compile(source);
  ASSERT_EQ(compiled.at("status"), "compiled") << compiled.at("reason");
  EXPECT_EQ(compiled.at("configurations"), 2);
  EXPECT_EQ(compiled.at("plan").at("launches").at(0).at("block").at(0), "64");
}

TEST_F(Triton, LoadsAreWideWhereTheConditionAllowsIt) {
  ASSERT_EQ(compile_python(k_twice).at("status"), "compiled");
  const std::string ptx = read_file(request_.output_dir / "kernel.ptx");
  const std::size_t second = ptx.find(".entry twice_1(");
  ASSERT_NE(second, std::string::npos);
  const std::string_view wide = std::string_view(ptx).substr(0, second);
  const std::string_view narrow = std::string_view(ptx).substr(second);
  EXPECT_NE(wide.find("ld.global.v4.b32"), std::string::npos);
  EXPECT_EQ(narrow.find("ld.global.v4.b32"), std::string::npos);
}

TEST_F(Triton, BuildsForEachGenerationWithItsAssembler) {
  for (const char* architecture : {"80", "90a", "100a", "120a"}) {
    request_.architectures = {architecture};
    const Json compiled = compile_python(k_twice);
    EXPECT_EQ(compiled.at("status"), "compiled") << architecture << ": " << compiled.at("reason");
  }
  request_.architectures = {"120"};
  EXPECT_THAT(reason(k_twice), HasSubstr("compiles for sm_120a, not for sm_120; ARCHITECTURES"));
}

TEST_F(Triton, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(reason("def twice(x): pass\n"),
              HasSubstr("there is no jit function twice; there are: none"));
  EXPECT_THAT(
      reason("@triton.jit\ndef twice(x, y, BLOCK: tl.constexpr):\n    pass\n"),
      HasSubstr("line 13: twice takes 2 arguments beside its constants, the plan passes 3"));
  EXPECT_THAT(reason("@triton.jit\ndef twice(x, y, n, BLOCK: tl.constexpr, S: tl.constexpr):\n"
                     "    pass\n"),
              HasSubstr("twice needs a value for S: tl.constexpr"));
  EXPECT_THAT(reason("@triton.jit\ndef twice(x, y, n):\n    pass\n"),
              HasSubstr("twice has no tl.constexpr parameter BLOCK"));
  EXPECT_THAT(reason("@triton.jit\ndef twice(x, y, n, BLOCK: tl.constexpr):\n"
                     "    i = tl.arange(0, BLOCK)\n    tl.store(y + j, 0)\n"),
              testing::AllOf(HasSubstr("line 15"), HasSubstr("j is not defined")));
  // Of a function that another one calls.
  EXPECT_THAT(reason("@triton.jit\ndef inner(x):\n    return x + absent\n@triton.jit\n"
                     "def twice(x, y, n, BLOCK: tl.constexpr):\n    tl.store(y, inner(n))\n"),
              testing::AllOf(HasSubstr("line 14"), HasSubstr("absent is not defined")));
  EXPECT_THAT(reason("@triton.jit\ndef again(x):\n    return again(x)\n@triton.jit\n"
                     "def twice(x, y, n, BLOCK: tl.constexpr):\n    tl.store(y, again(n))\n"),
              HasSubstr("line 14: again calls itself; this language compiles no recursion"));
  // ptxas is asked once, by the build.
  EXPECT_THAT(reason("@triton.jit\ndef twice(x, y, n, BLOCK: tl.constexpr):\n"
                     "    v = tl.load(x)\n"
                     "    v = tl.inline_asm_elementwise('mov.b32 $0, %nowhere;', '=r,r', [v], "
                     "dtype=tl.int32, is_pure=True, pack=1)\n    tl.store(y, v)\n"),
              testing::AllOf(HasSubstr("line 15: ptxas"), HasSubstr("%nowhere"),
                             Not(HasSubstr("PTXASError"))));
  EXPECT_THAT(reason("@triton.autotune([triton.Config({'BLOCK': 64})], key=['n'])\n" +
                     std::string(k_twice)),
              HasSubstr("twice is wrapped by @triton.autotuner; leave that away and list its "
                        "configurations in the plan"));
}

TEST_F(Triton, RefusesWhatNoVersionMayDo) {
  EXPECT_THAT(reason("@triton.jit\ndef twice(x, y, n, BLOCK: tl.constexpr):\n"
                     "    tl.device_print('n', n)\n"),
              HasSubstr("printf"));
  EXPECT_THAT(reason("from triton.language.extra import cuda as tlc\n@triton.jit\n"
                     "def twice(x, y, n, BLOCK: tl.constexpr):\n"
                     "    tl.store(y, tlc.globaltimer().to(tl.float32))\n"),
              HasSubstr("globaltimer"));
}

TEST_F(Triton, OptionsAreItsOwn) {
  const std::string source = std::string(k_head) + k_twice;
  const std::size_t at = source.find("num_warps");
  EXPECT_THAT(compile(std::string(source).replace(at, 9, "warps")).at("reason").get<std::string>(),
              HasSubstr("unknown option `warps`; there are: num_warps"));
  const std::string eight = "\"num_warps\": 8";
  EXPECT_THAT(
      compile(std::string(source).replace(source.find(eight), eight.size(), "\"num_ctas\": 3"))
          .at("reason")
          .get<std::string>(),
      HasSubstr("option `num_ctas` is 3; it must be a power of 2"));
}

// The level below, with the same compiler.
class Gluon : public Triton {
 protected:
  void SetUp() override {
    Triton::SetUp();
    request_.language = &language_named("GLUON");
    request_.source = request_.source.parent_path() / request_.language->source;
  }
};

TEST_F(Gluon, CompilesTheExampleOfItsGuide) { EXPECT_NO_THROW(try_compilers(request_)); }

TEST_F(Gluon, BuildsAGoodVersion) {
  const Json compiled =
      compile(std::string(k_head) +
              "from triton.experimental import gluon\n"
              "from triton.experimental.gluon import language as gl\n\n\n"
              "@gluon.jit\n"
              "def twice(x, y, n, BLOCK: gl.constexpr):\n"
              "    layout: gl.constexpr = gl.BlockedLayout([4], [32], [gl.num_warps()], [0])\n"
              "    i = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)\n"
              "    gl.store(y + i, 2 * gl.load(x + i, mask=i < n), mask=i < n)\n");
  ASSERT_EQ(compiled.at("status"), "compiled") << compiled.at("reason");
  EXPECT_EQ(compiled.at("toolchain").at("compiler"), "Gluon (triton 3.6.0)");
  EXPECT_EQ(compiled.at("kernels").size(), 2u);
  EXPECT_TRUE(is_written("kernel.ir.twice_0.ttgir"));
}

}  // namespace
}  // namespace kernelloop
