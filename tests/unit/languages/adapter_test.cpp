// The adapter of a language that needs nothing but Python, and what sources may try in it.
#include "languages/adapter.hpp"

#include "support/error.hpp"
#include "support/files.hpp"
#include "support/sandbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace kernelloop {
namespace {

using testing::HasSubstr;

// A kernel is a function that returns the body of a PTX kernel with three parameters; what the
// compiler would choose stands in a dictionary of the source.
constexpr std::string_view k_adapter =
    R"py("""{ "name": "FAKE", "title": "Fake", "source": "kernel.py",
  "fence": "python", "requirements": [] }

kernelloop:plan
"""
import runpy
import protocol

HEAD = ".version 8.7\n.target sm_90a\n.address_size 64\n.file 1 \"kernel.py\"\n"

def load(path):
    return runpy.run_path(path)

def build(module, launch, architecture):
    if launch["function"] not in module:
        raise protocol.Rejected("there is no kernel " + launch["function"], 3)
    body = module[launch["function"]](launch)
    ptx = (HEAD + ".extern .shared .align 8 .b8 global_smem[];\n.visible .entry %s(.param .u64 %s_param_0) {\n"
           ".loc 1 7 0\n%s\nret;\n}\n.section .debug_abbrev { }\n" % (("same",) * 2 + (body,)))
    return protocol.Built(ptx, "same", [64, 1, 1], 256, **module.get("CHOICES", {}))

if __name__ == "__main__":
    protocol.main("Fake 1", load, build)
)py";

constexpr const char* k_spec = R"({"name": "twice", "description": "y = 2 x",
  "axes": {"n": {"type": "var"}},
  "inputs": {"x": {"shape": ["n"], "dtype": "bfloat16"}, "a": {"shape": null, "dtype": "float32"}},
  "outputs": {"y": {"shape": ["n"], "dtype": "bfloat16"}},
  "workloads": [{"name": "w", "axes": {"n": 64}}]})";

constexpr const char* k_plan = R"("""kernelloop:plan
{ "launches": [
  { "when": "n % 16 == 0", "kernel": "f", "grid": ["n / 16"], "args": ["x", "y", "a", "n"],
    "constants": {"BLOCK": 16}, "options": {"num_warps": 2} },
  { "when": "n % 16 != 0", "kernel": "f", "grid": ["n", 2], "args": ["x", "y", "a", "n"] },
  { "when": "n == 1", "kernel": "f", "grid": ["n", 2], "args": ["x", "y", "a", "n"] } ] }
"""
)";

class Adapters : public testing::Test {
 protected:
  Adapters() : language_(language_of_adapter(k_adapter)) {
    toolchain_.python = "/usr/bin/python3";
    job_.language = &language_;
    job_.toolchain = &toolchain_;
    job_.spec = &spec_;
    job_.source = directory_.path() / "version" / "kernel.py";
    job_.architecture = "90a";
    job_.work_dir = directory_.path() / "work";
    job_.timeout = std::chrono::milliseconds(20000);
    std::filesystem::create_directories(job_.source.parent_path());
    std::filesystem::create_directories(job_.work_dir);
  }
  void SetUp() override {
    if (!sandbox_problem().empty()) GTEST_SKIP() << sandbox_problem();
  }

  AdapterRun compile(const std::string& code, const std::string& plan = k_plan) {
    const std::string source = plan + code;
    write_file_atomic(job_.source, source);
    PlanResult planned = extract_plan(source, job_.source, spec_, PlanForm::compiled);
    if (!planned.plan) ADD_FAILURE() << planned.problems.front().message;
    job_.plan = *planned.plan;
    return run_adapter(job_);
  }
  std::string complaint(const std::string& code) {
    const AdapterRun run = compile(code);
    EXPECT_EQ(run.outcome, AdapterRun::Outcome::rejected) << run.crash;
    return run.problems.empty() ? "none" : run.problems.front().message;
  }

  TemporaryDirectory directory_;
  Language language_;
  Toolchain toolchain_;
  OpSpec spec_ = parse_op_spec(parse_json(k_spec, "op.json"));
  AdapterJob job_;
};

TEST_F(Adapters, CompileEachLaunchByItself) {
  const AdapterRun run = compile("def f(launch): return '// ' + repr(sorted(launch.items()))\n");
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::built) << run.crash;
  EXPECT_EQ(run.toolchain, "Fake 1");
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
  std::string plan = k_plan;
  const std::string map = "{\"tensor_map\": {\"tensor\": \"x\", \"box\": [8]}}";
  plan.replace(plan.find("\"x\""), 3, map);
  const AdapterRun run = compile("def f(launch): return ''\n", plan);
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::rejected) << run.crash;
  EXPECT_EQ(run.problems.front().message,
            "launch of `f`: this language takes no tensor maps from the plan");
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

TEST_F(Adapters, SourcesReadAndWriteNothingBeside) {
  write_file_atomic(directory_.path() / "secret", "secret");
  EXPECT_THAT(complaint("open('" + (directory_.path() / "secret").string() + "')\n"),
              HasSubstr("FileNotFoundError"));
  EXPECT_THAT(complaint("open('" + job_.source.string() + "', 'w')\n"), HasSubstr("OSError"));
  compile("import os\nopen('/tmp/kernelloop_adapter_test', 'w').write('x')\ndef f(l): return ''\n");
  EXPECT_FALSE(std::filesystem::exists("/tmp/kernelloop_adapter_test"));
}

TEST_F(Adapters, SourcesHaveNoNetworkAndNoKeys) {
  EXPECT_THAT(complaint("import socket\nsocket.create_connection(('192.0.2.1', 80), 5)\n"),
              HasSubstr("Network is unreachable"));
  ::setenv("ANTHROPIC_API_KEY", "sk-test-of-the-adapters", 1);
  const std::string text = complaint("import os\nraise Exception(repr(dict(os.environ)))\n");
  ::unsetenv("ANTHROPIC_API_KEY");
  EXPECT_THAT(text, HasSubstr("'HOME'"));
  EXPECT_THAT(text, testing::Not(HasSubstr("sk-test")));
}

TEST_F(Adapters, ASourceWithoutEndTimesOut) {
  job_.timeout = std::chrono::milliseconds(1000);
  EXPECT_EQ(compile("while True: pass\n").outcome, AdapterRun::Outcome::timed_out);
  job_.timeout = std::chrono::milliseconds(100);
  EXPECT_EQ(compile("import time\ntime.sleep(1000)\n").outcome, AdapterRun::Outcome::timed_out);
}

TEST_F(Adapters, ASourceThatDiesOrForgesIsACrash) {
  AdapterRun run = compile("import os\nos._exit(3)\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed);
  EXPECT_EQ(run.crash, "exit code 3");
  run = compile("import os\nos.kill(os.getpid(), 11)\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed);
  run = compile("import os\nopen('result.json', 'w').write('{}')\nos._exit(0)\n");
  EXPECT_EQ(run.outcome, AdapterRun::Outcome::crashed);
  EXPECT_THAT(run.crash, HasSubstr("its result makes no sense"));
  run = compile("x = bytearray(40 << 30)\n");
  EXPECT_NE(run.outcome, AdapterRun::Outcome::built);
}

TEST_F(Adapters, DumpsAreFilesOfTheirFolder) {
  write_file_atomic(directory_.path() / "secret", "secret");
  const AdapterRun run = compile(
      "import json, os\nos.symlink('/usr/bin/env', 'link')\n"
      "open('ir', 'w').write('x')\n"
      "launch = {'kernel': 'f', 'block': [1, 1, 1], 'dynamic_shared_bytes': 0, 'cluster': None,\n"
      "          'cooperative': False, 'programmatic_dependent': False, 'hidden': [],\n"
      "          'grid': None, 'arguments': None}\n"
      "json.dump({'status': 'built', 'toolchain': '', 'ptx': '', 'problems': [],\n"
      "  'launches': [launch] * 3, 'files': ['link', '../secret', 'ir']}, open('result.json', "
      "'w'))\n"
      "os._exit(0)\n");
  ASSERT_EQ(run.outcome, AdapterRun::Outcome::built) << run.crash;
  EXPECT_THAT(run.dumps, testing::ElementsAre(job_.work_dir / "ir"));
}

}  // namespace
}  // namespace kernelloop
