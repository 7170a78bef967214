// Versions in a language that needs nothing but Python: its "compiler" hands on the PTX that the
// source holds, so that every rule can be tried on what an adapter may bring.
#include "compile/compile.hpp"
#include "compile/compiler_trial.hpp"
#include "support/error.hpp"
#include "support/sandbox.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "languages/language.hpp"
#include "version_fixture.hpp"

#include <cstdlib>

namespace kernelloop {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view k_fake_adapter =
    R"py("""{ "name": "FAKE", "title": "Fake", "source": "kernel.fake.py",
  "fence": "python", "requirements": [],
  "example_op": { "name": "scale", "axes": { "n": { "type": "var" } },
    "inputs": { "x": { "shape": ["n"], "dtype": "float32" },
                "factor": { "shape": null, "dtype": "float32" } },
    "outputs": { "y": { "shape": ["n"], "dtype": "float32" } },
    "workloads": [{ "name": "small", "axes": { "n": 1024 } }] } }

kernelloop:plan
"""
import runpy
import protocol

def load(path):
    return runpy.run_path(path)

def build(module, launch, architecture):
    return protocol.Built(module["PTX"], launch["function"], **module["CHOICES"])

if __name__ == "__main__":
    protocol.main(load, build)
)py";

constexpr const char* k_fake_plan = R"py("""kernelloop:plan
{ "launches": [
    { "kernel": "scale", "grid": ["n"], "args": ["x", "y", "factor", "n"] } ] }
"""
)py";

constexpr const char* k_fake_ptx = R"py(PTX = """.version 8.0
.target sm_90a
.address_size 64
%s
.visible .entry scale(.param .u64 scale_param_0, .param .u64 scale_param_1, .param .f32 scale_param_2,
                      .param .u32 scale_param_3, .param .u64 scale_param_4)
.maxntid 64
{
  .reg .b32 %%r<4>;
  .reg .b64 %%rd<4>;
%s
  ret;
}
""" % (HEAD, BODY)
)py";

class AdapterBuildNvcc : public VersionTest {
 protected:
  AdapterBuildNvcc() : language_(language_of_adapter(k_fake_adapter)) {}

  void SetUp() override {
    request_.nvcc = COMPILE_TEST_NVCC;
    if (!std::filesystem::exists(request_.nvcc)) GTEST_SKIP() << "there is no nvcc here";
    if (!sandbox_problem().empty()) GTEST_SKIP() << sandbox_problem();
    ::setenv("KERNELLOOP_FAKE_PYTHON", "/usr/bin/python3", 1);
    request_.language = &language_;
    request_.source = request_.source.parent_path() / language_.source;
  }
  void TearDown() override { ::unsetenv("KERNELLOOP_FAKE_PYTHON"); }

  Json build(const std::string& choices = "", const std::string& body = "",
             const std::string& head = "") {
    return compile(
        k_fake_plan + ("HEAD = \"\"\"" + head + "\"\"\"\nBODY = \"\"\"" + body + "\"\"\"\n") +
        k_fake_ptx + "CHOICES = {'block': [64, 1, 1], 'hidden': [(0, 1)]" + choices + "}\n");
  }
  std::string reason(const std::string& choices, const std::string& body = "",
                     const std::string& head = "") {
    const Json compiled = build(choices, body, head);
    EXPECT_EQ(compiled.at("status"), "failed");
    EXPECT_FALSE(is_written("kernel.cubin"));
    return compiled.at("reason").get<std::string>();
  }

  Language language_;
};

TEST_F(AdapterBuildNvcc, MakesAVersionOfWhatTheAdapterBrings) {
  const Json compiled = build(", 'dumps': {'stage': 'text'}");
  ASSERT_EQ(compiled.at("status"), "compiled") << compiled.at("reason");
  EXPECT_EQ(compiled.at("toolchain").at("compiler"), "Fake");
  EXPECT_EQ(compiled.at("plan").at("launches").at(0).at("kernel"), "scale_0");
  EXPECT_EQ(compiled.at("artifacts").at("cpu").at("reason"), "Fake versions run on a GPU only");
  EXPECT_TRUE(is_written("kernel.cubin"));
  EXPECT_EQ(read_file(request_.output_dir / "kernel.ir.scale_0.stage"), "text");
  // What an earlier compile left goes.
  ASSERT_EQ(build().at("status"), "compiled");
  EXPECT_FALSE(is_written("kernel.ir.scale_0.stage"));
}

TEST_F(AdapterBuildNvcc, IsTriedOnTheExampleOfItsGuide) {
  const auto trial = [&](const std::string& body) -> std::string {
    language_.example = k_fake_plan + ("HEAD = ''\nBODY = '" + body + "'\n") + k_fake_ptx +
                        "CHOICES = {'block': [64, 1, 1], 'hidden': [(0, 1)]}\n";
    try {
      try_compilers(request_);
    } catch (const Error& error) {
      return fmt::format("{} {}", static_cast<int>(error.code()), error.what());
    }
    return "works";
  };
  EXPECT_EQ(trial(""), "works");
  EXPECT_FALSE(std::filesystem::exists(request_.output_dir));
  const std::string refused = trial("no.such.instruction;");
  EXPECT_THAT(refused, StartsWith("4 Fake cannot compile even the example of what models are told "
                                  "of it: "));
  EXPECT_THAT(refused, HasSubstr("no.such"));
  EXPECT_THAT(refused, EndsWith("; see that it knows the ARCHITECTURES, 90a, and install its "
                                "toolchain anew (kernelloop toolchain install fake)"));
}

TEST_F(AdapterBuildNvcc, WhatItChoosesIsHeldAgainstTheKernel) {
  EXPECT_THAT(reason(", 'dynamic_shared_bytes': 1000000"),
              HasSubstr("dynamic_shared_bytes is 1000000"));
  EXPECT_THAT(reason(", 'cluster': [64, 1, 1]"), HasSubstr("cluster[0] is 64"));
  EXPECT_THAT(reason(", 'programmatic_dependent': True"),
              HasSubstr("it may start before the launch before it has ended"));
}

TEST_F(AdapterBuildNvcc, ItsPtxKeepsTheRulesOfAllVersions) {
  EXPECT_THAT(reason("", "mov.u32 %r1, %clock;"), HasSubstr("reads %clock"));
  EXPECT_THAT(reason("", "mov.u64 %rd1, state; st.global.u32 [%rd1], %r1;",
                     ".visible .global .align 4 .u32 state;"),
              HasSubstr("write the __device__ variable 'state"));
  EXPECT_THAT(reason("", "no.such.instruction %r1;"), HasSubstr("no.such"));
}

TEST_F(AdapterBuildNvcc, WhatTheSourceLeavesIsInNobodysWay) {
  for (const char* left : {"os.symlink('/tmp/nothing', 'out.cubin')", "os.mkdir('out.cubin')",
                           "os.mkdir('kernel.ptx')", "os.mkdir('kernel.ir')"}) {
    const Json compiled =
        build("}\nimport os\n" + std::string(left) + "\nCHOICES |= {'dumps': {'d' * 300: 'text'}");
    // A name that no file system takes is the source's fault.
    EXPECT_THAT(compiled.at("reason").get<std::string>(), HasSubstr("File name too long")) << left;
    const Json good = build("}\nimport os\n" + std::string(left) + "\nCHOICES |= {");
    EXPECT_EQ(good.at("status"), "compiled") << left << ": " << good.at("reason");
  }
}

TEST_F(AdapterBuildNvcc, OnePlanServesAllArchitectures) {
  request_.architectures = {"80", "90a"};
  // The adapter's source learns of the architecture as one that compiles for it does.
  const auto chosen = [&](const std::string& on_90a) {
    return build(
        "}\nimport json\nARCHITECTURE = json.load(open('job.json'))['architecture']\n"
        "PTX = PTX.replace('sm_90a', 'sm_' + ARCHITECTURE)\n"
        "CHOICES['dynamic_shared_bytes'] = 1024\n"
        "if ARCHITECTURE == '90a': CHOICES |= {" +
        on_90a + "}\nCHOICES |= {");
  };
  const auto shared = [](const Json& compiled) {
    return compiled.at("plan").at("launches").at(0).at("dynamic_shared_bytes").get<std::string>();
  };
  Json compiled = chosen("'dynamic_shared_bytes': 4096");
  ASSERT_EQ(compiled.at("status"), "compiled") << compiled.at("reason");
  EXPECT_EQ(compiled.at("artifacts").at("cuda").at("cubins").size(), 2u);
  EXPECT_EQ(shared(compiled), "4096");
  compiled = chosen("'dynamic_shared_bytes': 512");
  ASSERT_EQ(compiled.at("status"), "compiled") << compiled.at("reason");
  EXPECT_EQ(shared(compiled), "1024");
  compiled = chosen("'block': [32, 1, 1]");
  EXPECT_EQ(compiled.at("status"), "failed");
  EXPECT_THAT(compiled.at("reason").get<std::string>(),
              HasSubstr("Fake launches this source in one way on sm_80 and in another on sm_90a; "
                        "one plan serves all ARCHITECTURES"));
  EXPECT_FALSE(is_written("kernel.cubin"));
}

TEST_F(AdapterBuildNvcc, TracesAreForCudaOnly) {
  request_.traced = true;
  EXPECT_THROW(build(), Error);
}

}  // namespace
}  // namespace kernelloop
