// What an adapter is told, and what becomes of its answer.
#include "support/files.hpp"

#include <gmock/gmock.h>

#include "adapter_fixture.hpp"

namespace kernelloop {
namespace {

using testing::HasSubstr;

TEST_F(Adapters, CompileEachLaunchByItself) {
  const AdapterRun run = compile("def f(launch): return '// ' + repr(sorted(launch.items()))\n");
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::built) << run.crash;
  ASSERT_EQ(run.plan.launches.size(), 3u);
  const Launch& first = run.plan.launches[0];
  EXPECT_EQ(first.kernel, "f_0");
  EXPECT_EQ(first.when->text(), "n % 16 == 0");
  EXPECT_EQ(first.block[0].text(), "64");
  EXPECT_EQ(first.dynamic_shared_bytes.text(), "256");
  EXPECT_FALSE(first.has_cluster);
  EXPECT_TRUE(first.constants.empty());
  EXPECT_EQ(run.plan.launches[1].kernel, "f_1");
  // The same arguments, hints and constants make the same code.
  EXPECT_EQ(run.plan.launches[2].kernel, "f_1");

  const std::string ptx = read_file(run.ptx);
  EXPECT_THAT(ptx, HasSubstr(".visible .entry f_0(.param .u64 f_0_param_0)"));
  EXPECT_THAT(ptx, HasSubstr(".visible .entry f_1(.param .u64 f_1_param_0)"));
  EXPECT_THAT(ptx, testing::Not(HasSubstr("debug_abbrev")));
  EXPECT_EQ(ptx.find(".version"), ptx.rfind(".version"));
  EXPECT_EQ(ptx.find("global_smem[]"), ptx.rfind("global_smem[]"));
  // What the compiler is told of the arguments.
  EXPECT_THAT(ptx, HasSubstr("'kind': 'pointer', 'dtype': 'bfloat16'"));
  const std::string integer = "{'kind': 'integer', 'dtype': '', 'divisible_by_16': ";
  EXPECT_THAT(ptx, HasSubstr(integer + "True, 'plan': 'n'}"));
  EXPECT_THAT(ptx, HasSubstr(integer + "False, 'plan': 'n'}"));
  EXPECT_THAT(ptx, HasSubstr("'sizes': [{'plan': 'n', 'divisible_by_16': True}], "
                             "'strides': [{'plan': '1', 'divisible_by_16': False}], "
                             "'plan': 'x'}"));
  EXPECT_THAT(ptx, HasSubstr("('constants', {'BLOCK': 16})"));
  EXPECT_THAT(ptx, HasSubstr("('options', {'num_warps': 2})"));
}

// A kernel may be called like an instruction or a register: only what means the kernel is renamed.
TEST_F(Adapters, LeaveInstructionsAndRegistersTheirNames) {
  const std::string program =
      R"py(.reg .b32 %same<3>;\nsame.s32 %same1, %same, [same_param_0];\n@%p1 same;\n.loc 1 2 3\n\tsame;\n)py"
      R"py(@%p1 same $L__BB0_1;\nmov.u64 %rd1, same;\ncall.uni\nsame,\n(param0);\n{ same; })py";
  const AdapterRun run = compile("def f(launch): return '" + program + "'\n");
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::built) << run.crash;
  EXPECT_THAT(read_file(run.ptx),
              HasSubstr(".visible .entry f_0(.param .u64 f_0_param_0) {\n.loc 1 7 0\n"
                        ".reg .b32 %same<3>;\nsame.s32 %same1, %same, [f_0_param_0];\n@%p1 same;\n"
                        ".loc 1 2 3\n\tsame;\n@%p1 same $L__BB0_1;\nmov.u64 %rd1, f_0;\n"
                        "call.uni\nf_0,\n(param0);\n{ same; }"));
}

// What is declared and not defined belongs to the device runtime, which is judged by its names.
TEST_F(Adapters, LeaveFunctionsOfOthersTheirNames) {
  const AdapterRun run = compile(
      R"py(CHOICES = {}
def f(launch): return '}\n.extern .func  (.param .b32 r) vprintf\n(\n.param .b64 a\n)\n;\n{ call.uni (r), vprintf, (a);'
)py");
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::built) << run.crash;
  const std::string ptx = read_file(run.ptx);
  EXPECT_THAT(ptx, HasSubstr("(.param .b32 r) vprintf\n"));
  EXPECT_THAT(ptx, HasSubstr("call.uni (r), vprintf, (a);"));
}

TEST_F(Adapters, SayWhatIsNoText) {
  EXPECT_EQ(complaint("x = 1\n# \xe9\n"), "the byte 0xe9 is no UTF-8; write the file in UTF-8");
  EXPECT_EQ(complaint(std::string("# \0\n", 4)), "there is a NUL byte; take it out");
}

TEST_F(Adapters, GiveClustersAndScratchMemoryToThePlan) {
  const AdapterRun run = compile(
      "CHOICES = {'cluster': [2, 1, 1], 'hidden': [(384, 128), (0, 1)]}\n"
      "def f(launch): return ''\n");
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::built) << run.crash;
  const Launch& first = run.plan.launches[0];
  EXPECT_TRUE(first.has_cluster);
  EXPECT_EQ(first.cluster[0].text(), "2");
  const Bindings axes = {{"n", 64}};
  EXPECT_EQ(first.grid[0].evaluate(axes), 8);
  ASSERT_EQ(first.arguments.size(), 6u);
  EXPECT_EQ(std::get<WorkspaceArgument>(first.arguments[4]).offset.evaluate(axes), 0);
  EXPECT_EQ(std::get<IntegerArgument>(first.arguments[5]).value.evaluate(axes), 0);
  // Each launch has scratch memory of its own, as aligned as it must be.
  const auto second = std::get<WorkspaceArgument>(run.plan.launches[1].arguments[4]).offset;
  EXPECT_EQ(second.evaluate(axes), 8 * 384);
  EXPECT_EQ(run.plan.workspace_bytes.evaluate(axes), (8 + 2 * 256) * 384);
}

TEST_F(Adapters, MayChooseGridAndArguments) {
  const AdapterRun run = compile(
      "CHOICES = {'cluster': [2, 1, 1], 'grid': ['n * 2', '1', '1'], 'arguments': [\n"
      "  {'tensor_map': {'tensor': 'x', 'box': ['8']}}, 'y', 'n + 1']}\n"
      "def f(launch): return ''\n");
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::built) << run.crash;
  const Launch& first = run.plan.launches[0];
  EXPECT_EQ(first.grid[0].text(), "n * 2");  // of blocks: not multiplied by the cluster
  ASSERT_EQ(first.arguments.size(), 3u);
  EXPECT_EQ(std::get<TensorMapArgument>(first.arguments[0]).dims.front().text(), "n");
  EXPECT_EQ(std::get<IntegerArgument>(first.arguments[2]).value.text(), "n + 1");
  const AdapterRun forged = compile("CHOICES = {'arguments': ['z']}\ndef f(launch): return ''\n");
  EXPECT_EQ(forged.outcome, AdapterRun::Outcome::crashed);
  EXPECT_THAT(forged.crash, HasSubstr("`z` is no tensor"));
}

TEST_F(Adapters, RefuseTensorMapsThatTheirLanguageDoesNotTake) {
  std::string plan = k_adapter_plan;
  const std::string map = "{\"tensor_map\": {\"tensor\": \"x\", \"box\": [8]}}";
  plan.replace(plan.find("\"x\""), 3, map);
  const AdapterRun run = compile("def f(launch): return ''\n", plan);
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::rejected) << run.crash;
  EXPECT_EQ(run.problems.front().message,
            "launch of `f`: this language takes no tensor maps from the plan");
}

TEST_F(Adapters, RefuseAnArchitectureThatTheirCompilerHasNot) {
  job_.architecture = "90";
  EXPECT_EQ(complaint("def f(launch): return ''\n"),
            "launch of `f`: the compiler of this language compiles for sm_90a, not for sm_90; "
            "ARCHITECTURES of the operator must say 90a");
}

TEST_F(Adapters, SayWhereASourceIsWrong) {
  EXPECT_EQ(complaint("def g(launch): return ''\n"), "there is no kernel f");
  const AdapterRun run = compile("\n\nboom = 1 / 0\n");
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::rejected);
  EXPECT_EQ(run.problems.front().message, "ZeroDivisionError: division by zero");
  EXPECT_EQ(run.problems.front().line, 10u);
  EXPECT_THAT(complaint("def f(launch) return ''\n"), HasSubstr("SyntaxError"));
  EXPECT_THAT(complaint("import numpty\n"),
              HasSubstr("ModuleNotFoundError: No module named 'numpty'"));
  EXPECT_THAT(complaint("import sys\nsys.exit('bye')\n"), HasSubstr("SystemExit: bye"));
}

}  // namespace
}  // namespace kernelloop
