// An adapter of a language that needs nothing but Python, and runs of it.
#pragma once

#include "support/files.hpp"
#include "support/sandbox.hpp"

#include <gtest/gtest.h>

#include "languages/adapter.hpp"

#include <string>
#include <string_view>

namespace kernelloop {

// A kernel is a function that returns the body of a PTX kernel with three parameters; what the
// compiler would choose stands in a dictionary of the source.
inline constexpr std::string_view k_adapter =
    R"py("""{ "name": "FAKE", "title": "Fake", "source": "kernel.py",
  "fence": "python", "requirements": [], "example_op": {} }

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
    protocol.main(load, build)
)py";

inline constexpr const char* k_adapter_spec = R"({"name": "twice", "description": "y = 2 x",
  "axes": {"n": {"type": "var"}},
  "inputs": {"x": {"shape": ["n"], "dtype": "bfloat16"}, "a": {"shape": null, "dtype": "float32"}},
  "outputs": {"y": {"shape": ["n"], "dtype": "bfloat16"}},
  "workloads": [{"name": "w", "axes": {"n": 64}}]})";

inline constexpr const char* k_adapter_plan = R"("""kernelloop:plan
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

  AdapterRun compile(const std::string& code, const std::string& plan = k_adapter_plan) {
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
  OpSpec spec_ = parse_op_spec(parse_json(k_adapter_spec, "op.json"));
  AdapterJob job_;
};

}  // namespace kernelloop
